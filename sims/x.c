/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x: a window dragged across the screen, 0 to 99 ms of CPU every 100 ms. */
#include "sim.h"

#define SWEEP 100

extern const struct sim sim_x;

static int64_t ramp(uint64_t k)
{
	return (int64_t)(k % SWEEP) * 1000000;
}

const struct sim sim_x = {
	.name = "x",
	.title = "X",
	.help = "a dragged window: 0, 1, ... 99 ms of CPU, every 100 ms",
	.flags = SIM_DEFAULT | SIM_QUICK,
	.rate_num = 10,
	.rate_den = 1,
	.sweep = SWEEP,
	.demand = ramp,
};
