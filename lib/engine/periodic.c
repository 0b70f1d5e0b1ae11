/* SPDX-License-Identifier: GPL-2.0-or-later */
/* periodic: the loop that measures. Timestamps only; see METHOD.md, 3. */
#include "engine/periodic.h"

static bool is_stopped(const struct periodic *p)
{
	return p->stopped && p->stopped(p->stopped_arg);
}

/*
 * Sleeps to the release of the slot, again if woken too early, and stamps the
 * wake; false if the loop is to end instead.
 */
static bool wait_release(const struct periodic *p, struct cell *cell,
			 struct slot *slot)
{
	for (;;) {
		int interrupted = p->clk->sleep_until(p->clk, slot->release_ns);
		int64_t now = p->clk->now(p->clk);

		if (now >= slot->release_ns) {
			slot->woke_ns = now;
			return true;
		}
		if (!interrupted)
			cell->early_wakes++;
		else if (is_stopped(p))
			return false;
		else
			cell->eintr++;
	}
}

uint64_t periodic_next_after(const struct cell *cell, uint64_t k, int64_t t)
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
	return periodic_next_after(cell, k + 1, now);
}

uint64_t periodic_run(const struct periodic *p, struct cell *cell)
{
	uint64_t k = p->first;

	while (k < cell->nr_slots) {
		struct slot *slot = &cell->slots[k];
		int64_t due = cell_due(cell, k);

		if (is_stopped(p) || !wait_release(p, cell, slot))
			return k;
		if (p->woken)
			p->woken(p->woken_arg, k);
		if (slot->woke_ns > due)
			k = periodic_next_after(cell, k, slot->woke_ns);
		else
			k = run_slot(p, cell, k, due);
	}
	return k;
}
