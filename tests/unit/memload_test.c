/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memload_test: small sizes, each run in a process of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "load.h"
#include "sys/memcg.h"

#define MIB UINT64_C(1048576)
#define NR_COUNTERS 2
#define WAIT_TRIES 2000
#define WAIT_NS 2000000

extern const struct load load_memload;

/* All that a test has, shared with the process of the load. */
struct bench {
	struct load_work work[NR_COUNTERS];
	atomic_uint stop;
	atomic_uint ready;
	struct load_params params;
	struct load_ctx ctx;
	rlim_t address_bytes;	/* 0: as it is */
	char dir[PATH_MAX];	/* of the group that it was in, or "" */
	int err;
};

static int setup(void **state)
{
	struct bench *b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (b == MAP_FAILED)
		return -1;
	b->params.cpus = 2;
	b->params.max_tasks = 100;
	b->params.max_files = 100;
	b->params.mem_bytes = 64 * MIB;
	b->params.memload_bytes = 16 * MIB;
	b->params.ram_bytes = 256 * MIB;
	b->ctx.load = &load_memload;
	b->ctx.params = &b->params;
	b->ctx.seed = 1;
	b->ctx.nr_workers = 1;
	b->ctx.nr_counters = NR_COUNTERS;
	b->ctx.work = b->work;
	b->ctx.stop = &b->stop;
	b->ctx.dir_fd[0] = b->ctx.dir_fd[1] = -1;
	b->ctx.data_fd = b->ctx.self_fd = -1;
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	if (b->ctx.data_fd >= 0)
		close(b->ctx.data_fd);
	memcg_remove_stale("");
	return munmap(b, sizeof(*b));
}

static void on_nudge(int sig)
{
	(void)sig;
}

static void find_group(struct bench *b)
{
	char line[PATH_MAX];
	FILE *in = fopen("/proc/self/cgroup", "re");

	while (in && fgets(line, sizeof(line), in))
		if (strstr(line, MEMCG_PREFIX))
			memcpy(b->dir, line, sizeof(b->dir));
	if (in)
		fclose(in);
}

static void limit_address_space(rlim_t bytes)
{
	const struct rlimit limit = { bytes, bytes };

	if (bytes && setrlimit(RLIMIT_AS, &limit))
		_exit(1);
}

static void live_as_load(struct bench *b)
{
	struct sigaction sa = { .sa_handler = on_nudge };

	sigaction(SIGUSR1, &sa, NULL);
	limit_address_space(b->address_bytes);
	b->err = load_memload.probe(&b->ctx);
	if (b->err)
		_exit(0);
	b->err = load_memload.setup(&b->ctx);
	find_group(b);
	atomic_store(&b->ready, 1);
	if (!b->err)
		b->err = load_memload.run(&b->ctx);
	load_memload.teardown(&b->ctx);
	_exit(0);
}

static uint64_t work_done(struct bench *b)
{
	return atomic_load(&b->work[0].n) + atomic_load(&b->work[1].n);
}

static void nap(void)
{
	const struct timespec pause = { 0, WAIT_NS };

	nanosleep(&pause, NULL);
}

/* Runs it until it has worked, then stops it: its wait status. */
static int run_load(struct bench *b)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		live_as_load(b);
	for (int i = 0; i < WAIT_TRIES && !work_done(b); i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		nap();
	}
	atomic_store(&b->stop, 1);
	for (int i = 0; i < WAIT_TRIES; i++) {
		kill(pid, SIGUSR1);
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		nap();
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return status;
}

static void assert_ran(struct bench *b, const char *note)
{
	int status = run_load(b);

	if (!strstr(b->ctx.note, note))
		print_error("note: %s; why: %s\n", b->ctx.note, b->ctx.why);
	assert_int_equal(status, 0);
	assert_int_equal(b->err, 0);
	assert_string_equal(b->ctx.why, "");
	assert_non_null(strstr(b->ctx.note, note));
	assert_true(work_done(b) > 0);
}

static void without_a_group_it_takes_half_of_the_memory(void **state)
{
	struct bench *b = *state;

	b->params.memload_bytes = 0;
	assert_ran(b, "memload-nolimit: 32.0 MiB of pages, no memory group");
}

static void a_full_machine_skips_it(void **state)
{
	struct bench *b = *state;

	b->params.mem_bytes = 20 * MIB;
	assert_int_equal(load_memload.probe(&b->ctx), -ENOMEM);
	assert_string_equal(b->ctx.why,
			    "too little memory: 20.0 MiB to be had");
}

static void the_whole_machine_needs_swap(void **state)
{
	struct bench *b = *state;

	b->params.memload_global = true;
	b->params.ram_bytes = 100 * MIB;
	b->params.swap_bytes = 15 * MIB - 1;
	assert_int_equal(load_memload.probe(&b->ctx), -EOPNOTSUPP);
	assert_string_equal(b->ctx.why, "110 % of the memory: needs "
					"15.0 MiB of free swap");
	b->params.swap_bytes++;
	assert_int_equal(load_memload.probe(&b->ctx), 0);
}

static void the_whole_machine_is_a_tenth_more_than_its_memory(void **state)
{
	struct bench *b = *state;

	b->params.memload_global = true;
	b->params.ram_bytes = 40 * MIB;
	b->params.swap_bytes = 100 * MIB;
	assert_ran(b, "44.0 MiB of pages, no group, 44.0 MiB of them filled");
}

/* Shadow memory takes more than there would be. */
static void need_no_sanitizer(void)
{
	const char *san = getenv("INTERBENCH_SAN");

	if (san && *san) {
		print_message("not under a sanitizer\n");
		skip();
	}
}

static void a_limit_of_addresses_makes_it_smaller(void **state)
{
	struct bench *b = *state;

	need_no_sanitizer();
	b->params.memload_bytes = 0;
	b->params.mem_bytes = 4096 * MIB;
	b->address_bytes = 64 * MIB;
	assert_ran(b, "; bounded by ");
}

static void no_room_at_all_skips_it_and_names_the_limit(void **state)
{
	struct bench *b = *state;

	need_no_sanitizer();
	b->address_bytes = 12 * MIB;
	assert_int_equal(run_load(b), 0);
	assert_int_equal(b->err, -ENOMEM);
	assert_non_null(strstr(b->ctx.why, "RLIMIT_AS"));
	assert_int_equal(work_done(b), 0);
}

static void sizes_of_64_bits_are_bounded_not_wrapped(void **state)
{
	struct bench *b = *state;

	b->params.memload_bytes = UINT64_C(1) << 44;
	b->params.mem_bytes = UINT64_C(1) << 46;
	b->params.ram_bytes = UINT64_C(1) << 46;
	b->params.swap_bytes = UINT64_MAX;
	assert_int_equal(load_memload.probe(&b->ctx), 0);
	b->params.memload_global = true;
	assert_int_equal(load_memload.probe(&b->ctx), 0);
	b->params.swap_bytes = UINT64_C(1) << 42;
	assert_int_equal(load_memload.probe(&b->ctx), -EOPNOTSUPP);
}

static void a_stop_during_setup_ends_it(void **state)
{
	struct bench *b = *state;

	b->params.memload_bytes = 0;
	atomic_store(&b->stop, 1);
	assert_int_equal(run_load(b), 0);
	assert_int_equal(work_done(b), 0);
}

static void need_groups(void)
{
	if (geteuid() || memcg_probe("") < 0) {
		print_message("no memory group can be made here\n");
		skip();
	}
}

static int open_data_file(void)
{
	char name[] = "/var/tmp/memload_test.XXXXXX";
	int fd = mkstemp(name);

	if (fd >= 0)
		unlink(name);
	return fd;
}

/* Where /var/tmp is in memory the file cannot be evicted, and it says so. */
static void with_a_group_but_no_swap_it_reads_the_file(void **state)
{
	struct bench *b = *state;

	need_groups();
	need_no_sanitizer();
	b->ctx.data_fd = open_data_file();
	b->params.disk[LOAD_DISK_HOME].bytes = 100 * MIB;
	b->params.data_bytes = 100 * MIB;
	assert_int_equal(run_load(b), 0);
	assert_int_equal(b->err, 0);
	assert_true(work_done(b) > 0);
	if (strstr(b->ctx.note, "the group holds too little of the file"))
		return;
	assert_non_null(strstr(b->ctx.note, "17.6 MiB of pages in a v"));
	assert_non_null(strstr(b->ctx.note, "group of 16.0 MiB, from the file"));
	assert_non_null(strstr(b->dir, MEMCG_PREFIX));
	assert_int_equal(memcg_remove_stale(""), 0);
}

static void with_a_group_but_nothing_to_evict_it_needs_none(void **state)
{
	struct bench *b = *state;

	need_groups();
	assert_ran(b, "32.0 MiB of pages, no swap and no file");
	assert_string_equal(b->dir, "");
}

#define MEMLOAD_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		MEMLOAD_TEST(without_a_group_it_takes_half_of_the_memory),
		MEMLOAD_TEST(a_full_machine_skips_it),
		MEMLOAD_TEST(the_whole_machine_needs_swap),
		MEMLOAD_TEST(the_whole_machine_is_a_tenth_more_than_its_memory),
		MEMLOAD_TEST(a_limit_of_addresses_makes_it_smaller),
		MEMLOAD_TEST(no_room_at_all_skips_it_and_names_the_limit),
		MEMLOAD_TEST(sizes_of_64_bits_are_bounded_not_wrapped),
		MEMLOAD_TEST(a_stop_during_setup_ends_it),
		MEMLOAD_TEST(with_a_group_but_no_swap_it_reads_the_file),
		MEMLOAD_TEST(with_a_group_but_nothing_to_evict_it_needs_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
