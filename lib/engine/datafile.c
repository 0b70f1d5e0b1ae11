/* SPDX-License-Identifier: GPL-2.0-or-later */
/* datafile: grow a file of noise by blocks, for as long as there is time. */
#include "engine/datafile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clk.h"
#include "base/rng.h"
#include "base/units.h"
#include "engine/pace.h"
#include "engine/writeback.h"
#include "load.h"

#define BLOCK_PAGES ((uint32_t)(DATA_BLOCK / DATA_PAGE))
#define NOISE_PAGES 1024	/* in the processor's cache, 4 MiB */

/*
 * Blocks may begin at so many pages of the noise, a prime; a step takes the
 * next one just behind the last, so that what is repeated is 3 MiB away.
 */
#define NR_STARTS (NOISE_PAGES - BLOCK_PAGES + 1)
#define STEP (BLOCK_PAGES + 1)

/* Of LOAD_SETUP_NS: the flush of a device's own cache may take seconds. */
#define FLUSH_NS (2 * NSEC_PER_SEC)

int datasource_init(struct datasource *src, uint64_t seed)
{
	size_t size = NOISE_PAGES * DATA_PAGE;
	struct rng rng;
	void *noise;

	if (posix_memalign(&noise, DATA_PAGE, size))
		return -ENOMEM;
	rng_init(&rng, seed);
	src->noise = noise;
	src->seed = seed;
	src->nr = 0;
	for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
		uint64_t word = rng_next(&rng);

		memcpy(src->noise + at, &word, sizeof(word));
	}
	return 0;
}

void datasource_release(struct datasource *src)
{
	free(src->noise);
	src->noise = NULL;
}

/* A word of each page is a hash of its number, which no other page has. */
const void *datasource_next(struct datasource *src)
{
	uint64_t start = src->nr % NR_STARTS * STEP % NR_STARTS;
	unsigned char *block = src->noise + start * DATA_PAGE;
	uint64_t page = src->nr * BLOCK_PAGES;

	for (uint32_t i = 0; i < BLOCK_PAGES; i++) {
		uint64_t stamp = hash_u64(src->seed, page + i);

		memcpy(block + i * DATA_PAGE, &stamp, sizeof(stamp));
	}
	src->nr++;
	return block;
}

/* No more room, but what is there is good. */
static bool is_full(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EFBIG;
}

void datafile_why(struct load_ctx *ctx, int fd, const char *what, int err)
{
	struct statvfs st;
	char room[32];

	if ((err != -ENOSPC && err != -EDQUOT) || fstatvfs(fd, &st)) {
		snprintf(ctx->why, sizeof(ctx->why), "%s: %s", what,
			 strerror(-err));
		return;
	}
	units_format_bytes(room, sizeof(room),
			   (uint64_t)st.f_bavail * st.f_frsize);
	snprintf(ctx->why, sizeof(ctx->why), "no space left for the %s: %s %s",
		 what, room, err == -EDQUOT ? "free, but a quota" : "free");
}

static int failed(struct load_ctx *ctx, int err)
{
	if (!ctx->why[0])
		datafile_why(ctx, ctx->data_fd, "data file", err);
	return err;
}

/* Whole blocks that the file has, or -errno. */
static int64_t whole_blocks(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	return (int64_t)(st.st_size / (off_t)DATA_BLOCK) * (int64_t)DATA_BLOCK;
}

static void clear_direct(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && (flags & O_DIRECT))
		fcntl(fd, F_SETFL, flags & ~O_DIRECT);
}

/* From *size to goal, as far as time and room allow: 0 or -errno. */
static int append(struct load_ctx *ctx, struct writeback *wb, uint64_t *size,
		  uint64_t goal)
{
	struct datasource src;
	struct pace pace;
	struct clk clk;
	int64_t end_ns;
	int err = datasource_init(&src, hash_u64(ctx->seed, *size));

	if (err)
		return err;
	clk_real(&clk);
	end_ns = clk_now(&clk) + LOAD_SETUP_NS - FLUSH_NS;
	pace_init(&pace, ctx->params->io_rate);
	while (*size < goal && clk_now(&clk) < end_ns && !load_stopped(ctx)) {
		err = writeback_block(wb, ctx, datasource_next(&src), *size);
		if (err)
			break;
		*size += DATA_BLOCK;
		pace_spend(&pace, ctx, DATA_BLOCK);
	}
	datasource_release(&src);
	/* A stop in the middle of a block is no failure. */
	return err == -EINTR ? 0 : err;
}

/* What a file system made smaller or left out is not read from the device. */
static void check_room(struct load_ctx *ctx, uint64_t size)
{
	struct stat st;

	if (!size || fstat(ctx->data_fd, &st) ||
	    (uint64_t)st.st_blocks * 512 >= size / 10 * 9)
		return;
	snprintf(ctx->note, sizeof(ctx->note), "compressed or sparse");
	ctx->fell_back = true;
}

/* Cuts the file to size, puts it on the device and out of the cache. */
static int settle(struct load_ctx *ctx, struct writeback *wb, uint64_t size)
{
	int err;

	/* Also gives back what was reserved behind the end. */
	if (ftruncate(ctx->data_fd, (off_t)size))
		return -errno;
	err = writeback_flush(wb, ctx);
	if (err)
		return err;
	posix_fadvise(ctx->data_fd, 0, 0, POSIX_FADV_DONTNEED);
	check_room(ctx, size);
	return 0;
}

int64_t datafile_grow(struct load_ctx *ctx, uint64_t bytes)
{
	uint64_t goal = (bytes + DATA_BLOCK - 1) / DATA_BLOCK * DATA_BLOCK;
	int64_t old = whole_blocks(ctx->data_fd);
	struct writeback wb;
	uint64_t size;
	int full = 0, err;

	if (old < 0)
		return failed(ctx, (int)old);
	size = (uint64_t)old;
	/* A limit on file sizes is an error like others, not the end. */
	signal(SIGXFSZ, SIG_IGN);
	clear_direct(ctx->data_fd);
	writeback_init(&wb, ctx->data_fd, WRITEBACK_MAX, true);
	if (size < goal) {
		/* Better laid out where it works; the length stays true. */
		(void)fallocate(ctx->data_fd, FALLOC_FL_KEEP_SIZE, (off_t)size,
				(off_t)(goal - size));
		full = append(ctx, &wb, &size, goal);
	}
	err = is_full(full) && size ? 0 : full;
	if (!err)
		err = settle(ctx, &wb, size);
	if (!err && !size && bytes && !load_stopped(ctx)) {
		snprintf(ctx->why, sizeof(ctx->why),
			 "the disk did not write 1 MiB in time");
		err = -ETIMEDOUT;
	}
	return err ? failed(ctx, err) : (int64_t)size;
}
