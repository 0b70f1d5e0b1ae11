/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree: sizes spread over three decades, some files to a directory. */
#include "engine/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/rng.h"
#include "base/units.h"
#include "engine/pace.h"
#include "load.h"

#define MOST_FILES 1000
#define LEAST_FILES 16
#define MOST_BYTES (UINT64_C(32) << 20)
#define LEAST_BYTES (UINT64_C(64) << 10)
#define MEAN_BYTES (UINT64_C(32) << 10)
#define FILES_OF_A_DIR 64
#define SPREAD 1000.0		/* the largest file to the smallest */
/* The tree, what is made of it, and what small files waste. */
#define COPIES 4
#define CHUNK (64 * 1024)	/* a multiple of 8 */
#define NAME_LEN 32
#define REMOVE_TRIES 8

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int tree_plan(struct load_ctx *ctx, struct tree *tree)
{
	const struct load_disk *disk = &ctx->params->disk[LOAD_DISK_HOME];
	uint64_t rate = ctx->params->io_rate;
	char room[32];

	tree->bytes = min_u64(MOST_BYTES, disk->bytes / COPIES);
	if (rate && tree->bytes > rate / 4)
		tree->bytes = rate / 4 > LEAST_BYTES ? rate / 4 : LEAST_BYTES;
	if (!disk->bytes && disk->why[0]) {
		snprintf(ctx->why, sizeof(ctx->why), "%s", disk->why);
		return -ENOSPC;
	}
	if (disk->bytes < COPIES * LEAST_BYTES) {
		units_format_bytes(room, sizeof(room), disk->bytes);
		snprintf(ctx->why, sizeof(ctx->why),
			 "no space for a tree of files: %s may be used", room);
		return -ENOSPC;
	}
	tree->nr_files = (uint32_t)min_u64(MOST_FILES,
					   tree->bytes / MEAN_BYTES);
	if (tree->nr_files < LEAST_FILES)
		tree->nr_files = LEAST_FILES;
	return 0;
}

/* Sizes that are spread evenly on a log scale and add up to the bytes. */
static uint64_t *draw_sizes(const struct tree *tree, struct rng *rng)
{
	uint64_t *sizes = calloc(tree->nr_files, sizeof(*sizes));
	uint64_t sum = 0;

	if (!sizes)
		return NULL;
	for (uint32_t i = 0; i < tree->nr_files; i++) {
		sizes[i] = (uint64_t)(SPREAD * pow(SPREAD, rng_unit(rng)));
		sum += sizes[i];
	}
	for (uint32_t i = 0; i < tree->nr_files; i++)
		sizes[i] = (uint64_t)((double)sizes[i] / (double)sum *
				      (double)tree->bytes);
	return sizes;
}

static int write_noise(int fd, uint64_t size, struct rng *rng)
{
	uint64_t words[CHUNK / sizeof(uint64_t)];
	int err = 0;

	while (size && !err) {
		size_t n = (size_t)min_u64(size, CHUNK);

		for (size_t i = 0; i * sizeof(words[0]) < n; i++)
			words[i] = rng_next(rng);
		err = fd_write_all(fd, words, n, NULL);
		size -= n;
	}
	return err;
}

static int write_file(int dir_fd, const char *name, uint64_t size,
		      struct rng *rng)
{
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			0644);
	int err;

	if (fd < 0)
		return -errno;
	err = write_noise(fd, size, rng);
	if (close(fd) && !err)
		err = -errno;
	return err;
}

static int make_file(int dir_fd, uint32_t i, uint64_t size, struct rng *rng)
{
	uint32_t dir = i / FILES_OF_A_DIR;
	char name[NAME_LEN];

	snprintf(name, sizeof(name), "dir%02" PRIu32, dir);
	if (i % FILES_OF_A_DIR == 0 && mkdirat(dir_fd, name, 0755))
		return -errno;
	snprintf(name, sizeof(name), "dir%02" PRIu32 "/file%04" PRIu32, dir, i);
	return write_file(dir_fd, name, size, rng);
}

static int fill(struct load_ctx *ctx, const struct tree *tree, int dir_fd)
{
	struct rng rng;
	struct pace pace;
	uint64_t *sizes;
	int err = 0;

	rng_init(&rng, ctx->seed);
	pace_init(&pace, ctx->params->io_rate);
	sizes = draw_sizes(tree, &rng);
	if (!sizes)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->nr_files && !err; i++) {
		err = make_file(dir_fd, i, sizes[i], &rng);
		if (!err)
			pace_spend(&pace, ctx, sizes[i]);
		if (!err && load_stopped(ctx))
			err = -EINTR;
	}
	free(sizes);
	return err;
}

static int open_dir(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int make_dir(int dir_fd, const char *name)
{
	return mkdirat(dir_fd, name, 0755) ? -errno : open_dir(dir_fd, name);
}

int tree_make(struct load_ctx *ctx, const struct tree *tree, int dir_fd,
	      const char *name)
{
	int fd = make_dir(dir_fd, name);
	int err = fd < 0 ? fd : fill(ctx, tree, fd);

	if (fd >= 0)
		close(fd);
	if (err && err != -EINTR)
		snprintf(ctx->why, sizeof(ctx->why),
			 "a tree of %" PRIu32 " files could not be made: %s",
			 tree->nr_files, strerror(-err));
	return err;
}

static int remove_entries(struct load_ctx *ctx, int dir_fd)
{
	DIR *dir = fdopendir(dir_fd);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		err = -errno;
		close(dir_fd);
		return err;
	}
	while (!err && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		err = load_stopped(ctx) ? -EINTR
			: tree_remove(ctx, dirfd(dir), entry->d_name);
	}
	closedir(dir);
	return err;
}

int tree_remove(struct load_ctx *ctx, int dir_fd, const char *name)
{
	int err, fd;

	if (!unlinkat(dir_fd, name, 0) || errno == ENOENT)
		return 0;
	/* POSIX says EPERM where Linux says EISDIR. */
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	/* Some file systems do not list all while entries are removed. */
	for (int i = 0; i < REMOVE_TRIES; i++) {
		fd = open_dir(dir_fd, name);
		err = fd < 0 ? fd : remove_entries(ctx, fd);
		if (err)
			return err;
		if (!unlinkat(dir_fd, name, AT_REMOVEDIR))
			return 0;
		if (errno != ENOTEMPTY && errno != EEXIST)
			break;
	}
	return -errno;
}

int tree_open_home(struct load_ctx *ctx, const char *name)
{
	int home = ctx->dir_fd[LOAD_DISK_HOME];
	int fd = home < 0 ? -ENOENT : tree_remove(ctx, home, name);

	if (!fd)
		fd = make_dir(home, name);
	if (fd < 0)
		snprintf(ctx->why, sizeof(ctx->why),
			 "directory %s could not be made: %s", name,
			 strerror(-fd));
	return fd;
}
