/* SPDX-License-Identifier: GPL-2.0-or-later */
/* audio: sound played in buffers of 50 ms, 5 % of a CPU. */
#include "sim.h"

extern const struct sim sim_audio;

const struct sim sim_audio = {
	.name = "audio",
	.title = "Audio",
	.help = "sound: 5 % of a CPU, every 50 ms",
	.flags = SIM_DEFAULT | SIM_RT | SIM_QUICK,
	.rate_num = 20,
	.rate_den = 1,
	.busy_ns = 2500000,
};
