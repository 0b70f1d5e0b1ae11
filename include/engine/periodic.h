/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * periodic: the slot loop of METHOD.md, 3. It sleeps, burns and stores
 * timestamps; everything else is computed afterwards.
 */
#ifndef IB_ENGINE_PERIODIC_H
#define IB_ENGINE_PERIODIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clk.h"
#include "cell.h"

/* What the loop calls; tests script all of it. */
struct periodic {
	struct clk *clk;
	/* Burns demand_ns of CPU (never called for 0). */
	void (*burn)(void *arg, int64_t demand_ns);
	void *burn_arg;
	/* Optional: after the wake of slot k was stamped. */
	void (*woken)(void *arg, uint64_t k);
	void *woken_arg;
	/* Optional: asked before each slot and when a signal ended its
	   sleep; true ends the loop. */
	bool (*stopped)(void *arg);
	void *stopped_arg;
	uint64_t first;		/* slots before it have passed already */
};

/* The first slot from k on whose release is later than t. */
uint64_t periodic_next_after(const struct cell *cell, uint64_t k, int64_t t);

/*
 * Runs the slots laid out in the cell: release_ns and demand_ns are
 * read, woke_ns, done_ns, early_wakes and eintr written. Returns the number of
 * the slot at which it ended: nr_slots, or less if stopped() said so.
 */
uint64_t periodic_run(const struct periodic *p, struct cell *cell);

#endif
