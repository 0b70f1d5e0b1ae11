/* SPDX-License-Identifier: GPL-2.0-or-later */
/* writeback: sync_file_range() on one block at a time, oldest first. */
#include "engine/writeback.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clk.h"
#include "engine/datafile.h"
#include "load.h"

/* What is under way when the load is stopped has to be waited for. */
#define AHEAD_NS (100 * NSEC_PER_MSEC)

/* One that is copied while the other is on its way. */
#define WINDOW_MIN 2

/* Three flags: also writes what was skipped when it began, then waits. */
#define WRITE_AND_WAIT                                                  \
	(SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | \
	 SYNC_FILE_RANGE_WAIT_AFTER)

void writeback_init(struct writeback *wb, int fd, unsigned int max, bool evict)
{
	memset(wb, 0, sizeof(*wb));
	wb->fd = fd;
	wb->evict = evict;
	wb->max = max < WRITEBACK_MAX ? max : WRITEBACK_MAX;
	if (wb->max < WINDOW_MIN)
		wb->max = WINDOW_MIN;
	/* As for the slowest; a quick device widens it in no time. */
	wb->window = WINDOW_MIN;
}

static int64_t now_ns(void)
{
	struct clk clk;

	clk_real(&clk);
	return clk_now(&clk);
}

unsigned int writeback_window(const struct writeback *wb, unsigned int blocks,
			      int64_t ns)
{
	int64_t window = ns > 0 ? (int64_t)blocks * AHEAD_NS / ns : wb->max;

	/* A device may be quick only until its own cache is full. */
	if (window > 2 * (int64_t)wb->window)
		window = 2 * (int64_t)wb->window;
	if (window > wb->max)
		window = wb->max;
	return window < WINDOW_MIN ? WINDOW_MIN : (unsigned int)window;
}

/* After a window of blocks: how long they took makes the next. */
static void adapt(struct writeback *wb)
{
	int64_t now;

	if (wb->since < wb->window && wb->since_ns)
		return;
	now = now_ns();
	if (wb->since_ns)
		wb->window = writeback_window(wb, wb->since,
					      now - wb->since_ns);
	wb->since_ns = now;
	wb->since = 0;
}

static int sync_range(struct writeback *wb, uint64_t offset, unsigned int flags)
{
	if (!sync_file_range(wb->fd, (off_t)offset, (off_t)DATA_BLOCK, flags))
		return 0;
	if (errno != ENOSYS)
		return errno == EINTR ? 0 : -errno;
	/* Some sandbox: then all of the file, when the window is full. */
	wb->no_range = true;
	return 0;
}

static void drop_oldest(struct writeback *wb)
{
	if (wb->evict)
		posix_fadvise(wb->fd, (off_t)wb->at[wb->first],
			      (off_t)DATA_BLOCK, POSIX_FADV_DONTNEED);
	wb->first = (wb->first + 1) % WRITEBACK_MAX;
	wb->nr--;
}

static int flush(const struct writeback *wb)
{
	return fdatasync(wb->fd) && errno != EINTR ? -errno : 0;
}

/* Waits until no more than nr blocks are under way. */
static int wait_down_to(struct writeback *wb, struct load_ctx *ctx,
			unsigned int nr)
{
	int err = 0;

	if (wb->no_range && wb->nr > nr) {
		err = flush(wb);
		nr = 0;
	}
	while (!err && wb->nr > nr && !load_stopped(ctx)) {
		if (!wb->no_range)
			err = sync_range(wb, wb->at[wb->first], WRITE_AND_WAIT);
		drop_oldest(wb);
	}
	return err;
}

static int write_block(const struct writeback *wb, struct load_ctx *ctx,
		       const char *block, uint64_t offset)
{
	size_t done = 0;

	while (done < DATA_BLOCK && !load_stopped(ctx)) {
		ssize_t n = pwrite(wb->fd, block + done, DATA_BLOCK - done,
				   (off_t)(offset + done));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -EIO;
		/* The rest of a short write says why it was short. */
		if (n > 0)
			done += (size_t)n;
	}
	return done < DATA_BLOCK ? -EINTR : 0;
}

int writeback_block(struct writeback *wb, struct load_ctx *ctx,
		    const void *block, uint64_t offset)
{
	int err = write_block(wb, ctx, block, offset);

	if (err)
		return err;
	if (!wb->no_range)
		err = sync_range(wb, offset, SYNC_FILE_RANGE_WRITE);
	wb->at[(wb->first + wb->nr) % WRITEBACK_MAX] = offset;
	wb->nr++;
	wb->since++;
	/* The next one must find room in at[], whatever the window. */
	if (!err)
		err = wait_down_to(wb, ctx, wb->window - 1);
	adapt(wb);
	return err;
}

int writeback_flush(struct writeback *wb, struct load_ctx *ctx)
{
	int err = wait_down_to(wb, ctx, 0);

	if (!err && !load_stopped(ctx))
		err = flush(wb);
	return err;
}
