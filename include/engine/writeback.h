/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writeback: write blocks through the page cache and keep the device busy with
 * them, but never more than it writes in about 0.1 s ahead of it.
 */
#ifndef IB_ENGINE_WRITEBACK_H
#define IB_ENGINE_WRITEBACK_H

#include <stdbool.h>
#include <stdint.h>

struct load_ctx;

#define WRITEBACK_MAX 64	/* blocks, of DATA_BLOCK each */

struct writeback {
	int fd;
	bool evict;		/* what is on the device leaves the cache */
	bool no_range;		/* sync_file_range() is not to be had */
	unsigned int max;	/* of window */
	unsigned int window;	/* blocks that may be under way */
	unsigned int nr;	/* that are */
	unsigned int first;	/* the oldest of them in at[] */
	uint64_t at[WRITEBACK_MAX];
	unsigned int since;	/* blocks since since_ns */
	int64_t since_ns;	/* 0: not measured yet */
};

/* max: the most blocks under way, 2 or more; the fd stays the caller's. */
void writeback_init(struct writeback *wb, int fd, unsigned int max, bool evict);

/*
 * Writes a block at that offset, tells the device to begin, and waits for older
 * blocks while more than the window are under way. Ends early if the load is
 * stopped. 0 or -errno: -ENOSPC also if there was room for a part of it, -EINTR
 * if the stop came before the block was written.
 */
int writeback_block(struct writeback *wb, struct load_ctx *ctx,
		    const void *block, uint64_t offset);

/* Waits for all blocks and flushes the device, unless stopped: 0 or -errno. */
int writeback_flush(struct writeback *wb, struct load_ctx *ctx);

/*
 * The next window, after blocks that took ns: what is written in 0.1 s, at most
 * twice the last one. Between 2 and max.
 */
unsigned int writeback_window(const struct writeback *wb, unsigned int blocks,
			      int64_t ns);

#endif
