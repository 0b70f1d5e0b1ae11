/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scratch: make a private directory, lock it, remove it and dead ones. */
#include "sys/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clk.h"
#include "base/rng.h"
#include "sys/fstype.h"

#define PREFIX "interbench-tmp."
#define TRIES 100
/* Nobody makes deeper trees here. */
#define MAX_DEPTH 64
#define RETRY_NS (10 * NSEC_PER_MSEC)

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

void scratch_look(struct scratch_place *place, const char *path)
{
	struct statvfs vfs;
	uint32_t magic;
	int fd;

	memset(place, 0, sizeof(*place));
	snprintf(place->path, sizeof(place->path), "%s", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstatvfs(fd, &vfs) || fstype_of(fd, &magic)) {
		place->err = -errno;
	} else {
		place->in_memory = fstype_is_memory(magic);
		fstype_name(magic, place->fs, sizeof(place->fs));
		place->total_bytes = (uint64_t)vfs.f_blocks * vfs.f_frsize;
		place->free_bytes = (uint64_t)vfs.f_bavail * vfs.f_frsize;
		if (faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS))
			place->err = -errno;
	}
	if (fd >= 0)
		close(fd);
}

static int remove_tree(int dir_fd, const char *name, int depth);

/* All that is in the directory; goes on after an error, and returns one. */
static int empty_dir(int fd, int depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		err = -errno;
		close(fd);
		return err;
	}
	while ((entry = readdir(dir))) {
		int ret;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		ret = remove_tree(dirfd(dir), entry->d_name, depth);
		err = ret ? ret : err;
	}
	closedir(dir);
	return err;
}

static int remove_tree(int dir_fd, const char *name, int depth)
{
	int fd, err;

	if (!unlinkat(dir_fd, name, 0) || errno == ENOENT)
		return 0;
	/* POSIX says EPERM for a directory, Linux EISDIR. */
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	if (!unlinkat(dir_fd, name, AT_REMOVEDIR))
		return 0;
	if (depth >= MAX_DEPTH)
		return -ELOOP;
	fd = openat(dir_fd, name, DIR_FLAGS);
	if (fd < 0)
		return -errno;
	err = empty_dir(fd, depth + 1);
	return unlinkat(dir_fd, name, AT_REMOVEDIR) ? (err ? err : -errno) : 0;
}

/* Locks a leftover, which nobody holds; its owner is us. */
static bool is_left_over(int parent_fd, const char *name)
{
	int fd = openat(parent_fd, name, DIR_FLAGS);
	struct stat st;
	bool free;

	if (fd < 0)
		return false;
	free = !fstat(fd, &st) && st.st_uid == geteuid() &&
	       !flock(fd, LOCK_EX | LOCK_NB);
	/* A run that has just made it finds it gone, and makes another. */
	if (free)
		remove_tree(parent_fd, name, 0);
	close(fd);
	return free;
}

static void remove_left_over(int parent_fd)
{
	int fd = openat(parent_fd, ".", DIR_FLAGS);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			is_left_over(parent_fd, entry->d_name);
	closedir(dir);
}

/* 0; -EEXIST: taken, or removed before the lock was ours; or -errno. */
static int try_name(struct scratch *s, uint64_t random)
{
	struct stat st;

	snprintf(s->name, sizeof(s->name), PREFIX "%d.%08" PRIx32, getpid(),
		 (uint32_t)random);
	if (mkdirat(s->parent_fd, s->name, 0700))
		return -errno;
	s->fd = openat(s->parent_fd, s->name, DIR_FLAGS);
	if (s->fd < 0)
		return errno == ENOENT ? -EEXIST : -errno;
	/* Without locks (some network file systems) nobody is cleaned up. */
	if (flock(s->fd, LOCK_EX | LOCK_NB) && errno != EWOULDBLOCK)
		return 0;
	if (!fstat(s->fd, &st) && st.st_nlink > 0)
		return 0;
	close(s->fd);
	s->fd = -1;
	return -EEXIST;
}

int scratch_make(struct scratch *scratch, const char *parent)
{
	struct clk clk;
	uint64_t random;
	int err = -EEXIST;

	*scratch = (struct scratch)SCRATCH_NONE;
	scratch->parent_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (scratch->parent_fd < 0)
		return -errno;
	remove_left_over(scratch->parent_fd);
	clk_real(&clk);
	random = hash_u64((uint64_t)getpid(), (uint64_t)clk_now(&clk));
	for (int i = 0; i < TRIES && err == -EEXIST; i++)
		err = try_name(scratch, random + (uint64_t)i);
	if (err)
		scratch_close(scratch);
	return err;
}

int scratch_clear(const struct scratch *scratch, int wait_ms)
{
	struct clk clk;
	int64_t limit;
	int err;

	if (scratch->parent_fd < 0)
		return 0;
	clk_real(&clk);
	limit = clk_now(&clk) + wait_ms * NSEC_PER_MSEC;
	do {
		err = remove_tree(scratch->parent_fd, scratch->name, 0);
		if (err)
			clk_sleep_through(&clk, clk_now(&clk) + RETRY_NS);
	} while (err && clk_now(&clk) < limit);
	return err;
}

void scratch_close(struct scratch *scratch)
{
	if (scratch->fd >= 0)
		close(scratch->fd);
	if (scratch->parent_fd >= 0)
		close(scratch->parent_fd);
	*scratch = (struct scratch)SCRATCH_NONE;
}

int scratch_file(const struct scratch *scratch)
{
	static const char name[] = "data";
	int fd;

#ifdef O_TMPFILE
	fd = openat(scratch->fd, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC,
		    0600);
	if (fd >= 0)
		return fd;
#endif
	fd = openat(scratch->fd, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return -errno;
	unlinkat(scratch->fd, name, 0);
	return fd;
}
