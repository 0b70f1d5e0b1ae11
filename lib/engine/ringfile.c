/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ringfile: incompressible blocks, paced, with writeback right behind. */
#include "engine/ringfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/units.h"
#include "engine/datafile.h"
#include "engine/pace.h"
#include "engine/writeback.h"
#include "load.h"

#define NAME_TRIES 100

struct ringfile {
	int fd;
	uint64_t bytes;		/* of the file, whole blocks */
	uint64_t next;		/* offset of the next block */
	uint64_t total;		/* written so far */
	struct writeback wb;
	struct datasource src;
	struct pace pace;
};

int ringfile_probe(struct load_ctx *ctx, int disk)
{
	const struct load_disk *d = &ctx->params->disk[disk];

	if (d->bytes >= DATA_BLOCK)
		return 0;
	snprintf(ctx->why, sizeof(ctx->why), "%s",
		 d->why[0] ? d->why : "no space for a ring file");
	return -ENOSPC;
}

/* For file systems that know only files with names. */
static int create_unlinked(int dir_fd, uint64_t seed)
{
	struct rng rng;
	char name[32];
	int fd = -1;

	rng_init(&rng, hash_u64(seed, (uint64_t)getpid()));
	for (int i = 0; i < NAME_TRIES && fd < 0; i++) {
		snprintf(name, sizeof(name), "ring-%016" PRIx64,
			 rng_next(&rng));
		fd = openat(dir_fd, name,
			    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
		if (fd < 0 && errno != EEXIST)
			return -errno;
	}
	if (fd < 0)
		return -EEXIST;
	if (unlinkat(dir_fd, name, 0)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

static int open_unnamed(int dir_fd, uint64_t seed)
{
	int fd = openat(dir_fd, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC,
			0600);

	if (fd >= 0)
		return fd;
	/* EISDIR: a kernel that does not know the flag. */
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -errno;
	return create_unlinked(dir_fd, seed);
}

/* Room for all of it: 0, also where that cannot be had in advance. */
static int reserve(int fd, uint64_t bytes)
{
	if (!fallocate(fd, 0, 0, (off_t)bytes))
		return 0;
	if (errno == EOPNOTSUPP || errno == ENOSYS)
		return 0;
	return -errno;
}

/* The file of the run, where it has one, else one of ours. */
static int open_ring(struct load_ctx *ctx, int disk)
{
	int fd;

	if (ctx->ring_fd[disk] < 0)
		return open_unnamed(ctx->dir_fd[disk], ctx->seed);
	fd = fcntl(ctx->ring_fd[disk], F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

static int prepare(struct load_ctx *ctx, struct ringfile *ring, int disk)
{
	uint64_t blocks = ctx->params->disk[disk].bytes / DATA_BLOCK;
	int err;

	ring->bytes = blocks * DATA_BLOCK;
	ring->fd = open_ring(ctx, disk);
	if (ring->fd < 0)
		return ring->fd;
	err = reserve(ring->fd, ring->bytes);
	if (!err)
		err = datasource_init(&ring->src, ctx->seed);
	if (err)
		return err;
	/* No block is written again while it is still under way. */
	writeback_init(&ring->wb, ring->fd,
		       blocks < 2 * WRITEBACK_MAX ? (unsigned int)blocks / 2
						  : WRITEBACK_MAX,
		       false);
	/*
	 * An overlay says yes to sync_file_range() and does nothing: its files
	 * have no pages of their own.
	 */
	ring->wb.no_range = !strcmp(ctx->params->disk[disk].fs, "overlay");
	pace_init(&ring->pace, ctx->params->io_rate);
	return 0;
}

int ringfile_setup(struct load_ctx *ctx, int disk)
{
	struct ringfile *ring = calloc(1, sizeof(*ring));
	char size[32];
	int err;

	if (!ring) {
		snprintf(ctx->why, sizeof(ctx->why), "no memory for a ring");
		return -ENOMEM;
	}
	ring->fd = -1;
	ctx->priv = ring;
	/* A limit on file sizes is an error like others, not the end. */
	signal(SIGXFSZ, SIG_IGN);
	err = prepare(ctx, ring, disk);
	if (err) {
		/* What it holds already is not free, and soon is again. */
		if (ring->fd >= 0)
			close(ring->fd);
		ring->fd = -1;
		datafile_why(ctx, ctx->dir_fd[disk], "ring file", err);
		return err;
	}
	units_format_bytes(size, sizeof(size), ring->bytes);
	snprintf(ctx->note, sizeof(ctx->note), "%s ring, %s", size,
		 ctx->params->disk[disk].fs);
	return 0;
}

static int write_next(struct load_ctx *ctx, struct ringfile *ring)
{
	const void *block = datasource_next(&ring->src);
	int err = writeback_block(&ring->wb, ctx, block, ring->next);

	if (err)
		return err;
	ring->next = (ring->next + DATA_BLOCK) % ring->bytes;
	ring->total += DATA_BLOCK;
	load_count(ctx, 0, DATA_BLOCK);
	pace_spend(&ring->pace, ctx, DATA_BLOCK);
	return 0;
}

int ringfile_run(struct load_ctx *ctx)
{
	struct ringfile *ring = ctx->priv;
	char size[32];
	int err = 0;

	while (!err && !load_stopped(ctx))
		err = write_next(ctx, ring);
	if (!err || err == -EINTR)
		return 0;
	units_format_bytes(size, sizeof(size), ring->total);
	if (err == -ENOSPC)
		snprintf(ctx->why, sizeof(ctx->why),
			 "no space left on the device after %s", size);
	else
		snprintf(ctx->why, sizeof(ctx->why),
			 "writing failed after %s: %s", size, strerror(-err));
	return err;
}

void ringfile_teardown(struct load_ctx *ctx)
{
	struct ringfile *ring = ctx->priv;

	if (!ring)
		return;
	if (ring->fd >= 0)
		close(ring->fd);
	datasource_release(&ring->src);
	free(ring);
	ctx->priv = NULL;
}
