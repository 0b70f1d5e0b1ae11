/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gaming: frames back to back, as many as the CPU gives; no deadlines. */
#include "sim.h"

#include "engine/simrun.h"

extern const struct sim sim_gaming;

/* Runs to the first frame end at or after the end of the window. */
static int run(struct sim_ctx *ctx)
{
	const struct periodic *p = ctx->periodic;
	struct cell *cell = ctx->cell;
	int64_t now = p->clk->now(p->clk);

	for (uint64_t k = 0; now < cell->end_ns; k++) {
		struct slot *slot = &cell->slots[k];

		if (p->stopped && p->stopped(p->stopped_arg))
			return 0;
		if (k == cell->nr_slots) {
			cell->lost++;
			return 0;
		}
		slot->release_ns = now;
		slot->woke_ns = now;
		p->burn(p->burn_arg, slot->demand_ns);
		now = p->clk->now(p->clk);
		slot->done_ns = now;
	}
	return 0;
}

const struct sim sim_gaming = {
	.name = "gaming",
	.title = "Gaming",
	.help = "a game: frames of 10 ms of CPU back to back, no deadlines",
	.flags = SIM_DEFAULT | SIM_UNPACED,
	.busy_ns = 10000000,
	.job_frames = 10,
	.run = run,
};
