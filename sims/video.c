/* SPDX-License-Identifier: GPL-2.0-or-later */
/* video: a film at 60 frames a second, 40 % of a CPU. */
#include "sim.h"

extern const struct sim sim_video;

const struct sim sim_video = {
	.name = "video",
	.title = "Video",
	.help = "a film: 40 % of a CPU, 60 frames a second",
	.flags = SIM_DEFAULT | SIM_RT | SIM_QUICK,
	.rate_num = 60,
	.rate_den = 1,
	.busy_ns = 6666667,	/* 0.4 / 60 s */
};
