/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pace: a due time that moves by what each block may take. */
#include "engine/pace.h"

#include "base/clk.h"
#include "load.h"

/* Unused time that is still made up for. */
#define CREDIT_NS (100 * NSEC_PER_MSEC)
/* A thread that no signal reaches looks for the stop so often. */
#define NAP_NS (50 * NSEC_PER_MSEC)
#define LONGEST_NS (3600 * NSEC_PER_SEC)

void pace_init(struct pace *pace, uint64_t rate)
{
	pace->rate = rate;
	pace->due_ns = 0;
}

int64_t pace_due(struct pace *pace, int64_t now_ns, uint64_t bytes)
{
	double cost_ns;

	if (!pace->rate)
		return now_ns;
	cost_ns = (double)bytes * (double)NSEC_PER_SEC / (double)pace->rate;
	if (cost_ns > (double)LONGEST_NS)
		cost_ns = (double)LONGEST_NS;
	/* The first block has no past to make up for. */
	if (!pace->due_ns)
		pace->due_ns = now_ns;
	else if (pace->due_ns < now_ns - CREDIT_NS)
		pace->due_ns = now_ns - CREDIT_NS;
	pace->due_ns += (int64_t)cost_ns;
	return pace->due_ns;
}

void pace_spend(struct pace *pace, struct load_ctx *ctx, uint64_t bytes)
{
	struct clk clk;
	int64_t now, due;

	if (!pace->rate)
		return;
	clk_real(&clk);
	now = clk_now(&clk);
	due = pace_due(pace, now, bytes);
	while (now < due && !load_stopped(ctx)) {
		clk.sleep_until(&clk, due - now > NAP_NS ? now + NAP_NS : due);
		now = clk_now(&clk);
	}
}
