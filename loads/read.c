/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read: a few threads that read the data file from the device at random. */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clk.h"
#include "base/rng.h"
#include "base/units.h"
#include "engine/datafile.h"
#include "engine/direct.h"
#include "engine/team.h"

/* One request does not keep a fast device busy. */
#define DEPTH_MAX 4

/* A read cannot be interrupted: on a slow device it is a smaller one. */
#define PIECE_MIN ((size_t)64 << 10)
#define PIECE_LONG_NS (100 * NSEC_PER_MSEC)
#define PIECE_SHORT_NS (25 * NSEC_PER_MSEC)

extern const struct load load_read;

struct reader {
	struct direct direct;
	struct team *team;
	unsigned char *buffers;	/* a block for each thread */
	uint64_t blocks;	/* of the file */
	atomic_int err;		/* the first of any thread */
};

/* What one thread has. */
struct hand {
	struct clk clk;
	unsigned char *buf;
	size_t piece;		/* bytes of one request */
	uint32_t worker;
};

static void set_piece(struct hand *h, int64_t took_ns)
{
	if (took_ns > PIECE_LONG_NS && h->piece > PIECE_MIN)
		h->piece /= 2;
	else if (took_ns < PIECE_SHORT_NS && h->piece < DATA_BLOCK)
		h->piece *= 2;
}

/* One extent: 0, or -errno of what failed. */
static int read_extent(struct load_ctx *ctx, struct hand *h, uint64_t offset)
{
	const struct reader *r = ctx->priv;
	uint64_t end = offset + DATA_BLOCK;
	int err = 0;

	while (!err && offset < end && !load_stopped(ctx)) {
		int64_t begin_ns = clk_now(&h->clk);
		size_t len = h->piece;

		/* A larger piece than the last may not fit the rest. */
		if (len > end - offset)
			len = (size_t)(end - offset);
		err = direct_read(&r->direct, h->buf, len, offset);
		if (!err)
			load_count(ctx, h->worker, len);
		offset += len;
		set_piece(h, clk_now(&h->clk) - begin_ns);
	}
	return err;
}

static void work(struct load_ctx *ctx, uint32_t worker)
{
	struct reader *r = ctx->priv;
	struct hand h = {
		.buf = r->buffers + worker * DATA_BLOCK,
		.piece = DATA_BLOCK,
		.worker = worker,
	};
	struct rng rng;
	int none = 0;

	clk_real(&h.clk);
	rng_init(&rng, hash_u64(ctx->seed, worker));
	while (!load_stopped(ctx) && !atomic_load(&r->err)) {
		uint64_t block = rng_below(&rng, r->blocks);
		int err = read_extent(ctx, &h, block * DATA_BLOCK);

		if (err)
			atomic_compare_exchange_strong(&r->err, &none, err);
	}
}

static int probe(struct load_ctx *ctx)
{
	const char *why = ctx->params->disk[LOAD_DISK_HOME].why;

	if (ctx->params->read_bytes >= DATA_BLOCK)
		return 0;
	snprintf(ctx->why, sizeof(ctx->why), "%s",
		 why[0] ? why : "no space for a data file");
	return -ENOSPC;
}

static uint32_t depth(const struct load_params *params)
{
	uint32_t nr = DEPTH_MAX;

	if (nr > params->cpus)
		nr = params->cpus;
	if (nr > params->max_tasks / 2)
		nr = params->max_tasks / 2;
	return nr ? nr : 1;
}

/* "512 MiB of 1.0 GiB, ext4, 2 threads, O_DIRECT", after what is there already. */
static void note(struct load_ctx *ctx, const struct reader *r)
{
	uint64_t bytes = r->blocks * DATA_BLOCK;
	const char *fs = ctx->params->disk[LOAD_DISK_HOME].fs;
	char have[32], goal[40] = "", how[64];
	size_t len = strlen(ctx->note);

	units_format_bytes(have, sizeof(have), bytes);
	if (!r->direct.on)
		ctx->fell_back = true;
	if (bytes + DATA_BLOCK <= ctx->params->read_bytes) {
		ctx->fell_back = true;
		memcpy(goal, " of ", sizeof(" of "));
		units_format_bytes(goal + 4, sizeof(goal) - 4,
				   ctx->params->read_bytes);
	}
	direct_describe(&r->direct, how, sizeof(how));
	snprintf(ctx->note + len, sizeof(ctx->note) - len,
		 "%s%s%s, %s, %u thread%s, %s", len ? ", " : "", have, goal,
		 fs, ctx->nr_workers, ctx->nr_workers == 1 ? "" : "s", how);
}

/* The threads' memory and the way to read, once the file is there. */
static int prepare(struct load_ctx *ctx, struct reader *r)
{
	void *buffers;
	int err;

	ctx->nr_workers = depth(ctx->params);
	if (posix_memalign(&buffers, DATA_PAGE, ctx->nr_workers * DATA_BLOCK)) {
		snprintf(ctx->why, sizeof(ctx->why), "no memory for buffers");
		return -ENOMEM;
	}
	r->buffers = buffers;
	err = direct_begin(&r->direct, ctx->data_fd, pread, buffers,
			   DATA_BLOCK);
	if (err) {
		snprintf(ctx->why, sizeof(ctx->why), "data file: %s",
			 strerror(-err));
		return err;
	}
	note(ctx, r);
	return team_create(&r->team, ctx, work);
}

static int setup(struct load_ctx *ctx)
{
	uint64_t wanted = load_size(ctx, ctx->params->read_bytes);
	int64_t size = datafile_grow(ctx, wanted);
	struct reader *r;

	if (size < 0)
		return (int)size;
	if (!size) {
		snprintf(ctx->why, sizeof(ctx->why), "the data file is empty");
		return -ENODATA;
	}
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	ctx->priv = r;
	r->direct.fd = ctx->data_fd;
	/* The file may be larger, for another load: always read the same. */
	r->blocks = (uint64_t)size / DATA_BLOCK;
	if (r->blocks > wanted / DATA_BLOCK)
		r->blocks = wanted / DATA_BLOCK;
	load_keep(ctx, r->blocks * DATA_BLOCK);
	return prepare(ctx, r);
}

static int run(struct load_ctx *ctx)
{
	struct reader *r = ctx->priv;
	int err;

	team_run(r->team);
	r->team = NULL;
	err = atomic_load(&r->err);
	if (err == -ENODATA)
		snprintf(ctx->why, sizeof(ctx->why),
			 "the data file is shorter than it was");
	else if (err)
		snprintf(ctx->why, sizeof(ctx->why),
			 "reading the data file failed: %s", strerror(-err));
	return err;
}

static void teardown(struct load_ctx *ctx)
{
	struct reader *r = ctx->priv;

	if (!r)
		return;
	if (r->team)
		team_dismiss(r->team);
	direct_end(&r->direct);
	free(r->buffers);
	free(r);
	ctx->priv = NULL;
}

const struct load load_read = {
	.name = "read",
	.title = "Read",
	.help = "reads a file from disk at random, past the page cache",
	.unit = "bytes",
	.flags = LOAD_DEFAULT | LOAD_DISK | LOAD_DATA | LOAD_BYTES |
		 LOAD_GUARD,
	.probe = probe,
	.setup = setup,
	.run = run,
	.teardown = teardown,
};
