/* SPDX-License-Identifier: GPL-2.0-or-later */
/* custom: a periodic task with the rate and demand of -I and -C. */
#include "sim.h"

extern const struct sim sim_custom;

const struct sim sim_custom = {
	.name = "custom",
	.title = "Custom",
	.help = "-C % of a CPU, every -I us",
	.flags = SIM_RT | SIM_CUSTOM,
};
