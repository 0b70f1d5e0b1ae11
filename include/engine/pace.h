/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pace: keep what is written below so many bytes a second. */
#ifndef IB_ENGINE_PACE_H
#define IB_ENGINE_PACE_H

#include <stdint.h>

struct load_ctx;

struct pace {
	uint64_t rate;		/* bytes a second, 0: no limit */
	int64_t due_ns;		/* when all so far may have been written */
};

void pace_init(struct pace *pace, uint64_t rate);

/*
 * Says that bytes were written, and sleeps while that is too many. Time that
 * was not used up is forgotten after 0.1 s: no burst makes up for a stall.
 * Returns early if the load is stopped.
 */
void pace_spend(struct pace *pace, struct load_ctx *ctx, uint64_t bytes);

/* The arithmetic of it: until when to sleep. now_ns > 0, monotonic. */
int64_t pace_due(struct pace *pace, int64_t now_ns, uint64_t bytes);

#endif
