/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * datafile: data that no file system can make smaller, and the file of a run
 * that is full of it.
 */
#ifndef IB_ENGINE_DATAFILE_H
#define IB_ENGINE_DATAFILE_H

#include <stddef.h>
#include <stdint.h>

struct load_ctx;

#define DATA_BLOCK ((size_t)1 << 20)	/* bytes of a transfer */
#define DATA_PAGE ((size_t)4096)	/* no two of these are the same */

/* Noise to take blocks from; no two blocks are the same. */
struct datasource {
	unsigned char *noise;	/* owned, aligned to 4096 */
	uint64_t seed;		/* keeps the blocks of two sources apart */
	uint64_t nr;		/* blocks given so far */
};

/* 0 or -ENOMEM. */
int datasource_init(struct datasource *src, uint64_t seed);
void datasource_release(struct datasource *src);

/* The next DATA_BLOCK bytes, aligned for O_DIRECT, valid until the next. */
const void *datasource_next(struct datasource *src);

/*
 * Makes ctx->data_fd at least `bytes` long, with data that is on the device
 * when it returns (allocated, written, flushed), at no more than io_rate. What
 * an earlier load wrote is kept. Ends early, with what there is then, at
 * LOAD_SETUP_NS less a reserve for the flush, on a full disk and when the load
 * is stopped: the length that was reached, whole blocks, which may be less than
 * asked for; or -errno with ctx->why. A file that takes less room than its
 * length is told in ctx->note. Takes O_DIRECT, which an earlier load may have
 * left behind, off the file.
 */
int64_t datafile_grow(struct load_ctx *ctx, uint64_t bytes);

/*
 * For the message of a full disk: "no space left for the <what>: 12 MiB free"
 * into ctx->why, as seen through fd. Other errors: "<what>: <text of err>".
 */
void datafile_why(struct load_ctx *ctx, int fd, const char *what, int err);

#endif
