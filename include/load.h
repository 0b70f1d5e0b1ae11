/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load: the contract of a background load. Each loads/<name>.c defines one
 * const struct load, named load_<name>, and nothing else that is visible. It
 * runs in a process of its own and never knows what it is measured against.
 */
#ifndef IB_LOAD_H
#define IB_LOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim.h"

struct load_ctx;

enum load_flag {
	LOAD_DEFAULT = 1 << 0,	/* part of a run without -w */
	LOAD_QUICK = 1 << 1,	/* part of --quick */
	LOAD_IDLE = 1 << 2,	/* does nothing: no progress is expected */
	LOAD_THREADS = 1 << 3,	/* one worker for each of -L */
};

struct load {
	const char *name;	/* "burn": command line and data */
	const char *title;	/* "Burn": tables */
	const char *help;	/* one line */
	const char *unit;	/* of its work counter: "loops" */
	unsigned int flags;

	/* Optional: 0, or -errno and ctx->why: the cell is skipped. */
	int (*probe)(struct load_ctx *ctx);
	/* Optional, untimed: 0, or -errno and ctx->why: the cell failed. */
	int (*setup)(struct load_ctx *ctx);
	/* Until load_stopped(); counts its work as it goes. 0 or -errno. */
	int (*run)(struct load_ctx *ctx);
	/* Optional; called after any result of setup. */
	void (*teardown)(struct load_ctx *ctx);
};

/* A work counter has a cache line of its own. Zeroed before the load starts. */
struct load_work {
	_Alignas(64) atomic_uint_fast64_t n;
};

#define LOAD_WHY_LEN 128

struct load_ctx {
	const struct load *load;
	const struct sim *sim;	/* a task serving as a load, else NULL */
	uint64_t seed;
	uint32_t nr_workers;	/* threads asked for; also counters in work[] */
	uint64_t loops_per_ms;	/* 0: burn CPU time, else so many loops */
	bool syscall_clock;	/* reading the clock is expensive */
	struct load_work *work;	/* shared memory */
	atomic_uint *stop;	/* shared memory: not 0 = end now */
	void *priv;		/* the load's own, from setup to teardown */
	char why[LOAD_WHY_LEN];	/* reason of a failure */
};

static inline bool load_stopped(const struct load_ctx *ctx)
{
	return atomic_load_explicit(ctx->stop, memory_order_relaxed) != 0;
}

static inline void load_count(struct load_ctx *ctx, uint32_t worker, uint64_t n)
{
	atomic_fetch_add_explicit(&ctx->work[worker].n, n,
				  memory_order_relaxed);
}

#endif
