/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena: shared anonymous memory, prefaulted and locked as far as allowed. */
#include "sys/arena.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define STACK_BYTES (128 * 1024)

int arena_map(void **mem, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		return -errno;
	*mem = p;
	return 0;
}

void arena_release(void *mem, size_t bytes)
{
	if (mem)
		munmap(mem, bytes);
}

void arena_touch(void *mem, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mem;

	/* Adding 0 is a write for the page tables, whoever else writes. */
	for (size_t at = 0; at < bytes; at += page)
		atomic_fetch_add((_Atomic char *)(p + at), 0);
	if (bytes)
		atomic_fetch_add((_Atomic char *)(p + bytes - 1), 0);
}

/* Whether the limit leaves plenty for that. */
static bool stack_has_room(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_STACK, &limit) &&
	       limit.rlim_cur >= 4 * STACK_BYTES;
}

static __attribute__((noinline)) void touch_stack(void)
{
	char pages[STACK_BYTES];

	for (size_t at = 0; at < sizeof(pages); at += 1024)
		pages[at] = 0;
	__asm__ volatile("" : : "r"(pages) : "memory");
}

void arena_touch_stack(void)
{
	if (stack_has_room())
		touch_stack();
}

bool arena_lock(void *mem, size_t bytes)
{
	return mlock(mem, bytes) == 0;
}

static __attribute__((noinline)) bool lock_stack(void)
{
	char pages[STACK_BYTES];

	__asm__ volatile("" : : "r"(pages) : "memory");
	return mlock(pages, sizeof(pages)) == 0;
}

bool arena_lock_stack(void)
{
	return stack_has_room() && lock_stack();
}
