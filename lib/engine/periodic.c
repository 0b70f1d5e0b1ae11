/* SPDX-License-Identifier: GPL-2.0-or-later */
/* periodic: the loop that measures. Timestamps only; see METHOD.md, 3. */
#include "engine/periodic.h"

/* Sleeps to the release of the slot, again if woken too early: the wake. */
static int64_t wait_release(struct clk *clk, struct cell *cell, int64_t release)
{
	for (;;) {
		int interrupted = clk->sleep_until(clk, release);
		int64_t now = clk->now(clk);

		if (now >= release)
			return now;
		if (interrupted)
			cell->eintr++;
		else
			cell->early_wakes++;
	}
}

/* The first slot from k on whose release is later than t. */
static uint64_t next_after(const struct cell *cell, uint64_t k, int64_t t)
{
	while (k < cell->nr_slots && cell->slots[k].release_ns <= t)
		k++;
	return k;
}

/* The slot was started: burn, stamp, and say which slot comes next. */
static uint64_t run_slot(const struct periodic *p, struct cell *cell,
			 uint64_t k, int64_t due)
{
	struct slot *slot = &cell->slots[k];
	int64_t now;

	if (slot->demand_ns)
		p->burn(p->burn_arg, slot->demand_ns);
	now = p->clk->now(p->clk);
	slot->done_ns = now;
	if (now <= due)
		return k + 1;
	return next_after(cell, k + 1, now);
}

uint64_t periodic_run(const struct periodic *p, struct cell *cell)
{
	uint64_t k = 0;

	while (k < cell->nr_slots) {
		struct slot *slot = &cell->slots[k];
		int64_t due = cell_due(cell, k);

		if (p->stopped && p->stopped(p->stopped_arg))
			return k;
		slot->woke_ns = wait_release(p->clk, cell, slot->release_ns);
		if (p->woken)
			p->woken(p->woken_arg, k);
		if (slot->woke_ns > due)
			k = next_after(cell, k, slot->woke_ns);
		else
			k = run_slot(p, cell, k, due);
	}
	return k;
}
