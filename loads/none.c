/* SPDX-License-Identifier: GPL-2.0-or-later */
/* none: nothing runs beside the task; shows the tool itself. */
#include "load.h"

#include <unistd.h>

extern const struct load load_none;

/* The keeper's signal ends the pause; a lost one comes again. */
static int run(struct load_ctx *ctx)
{
	while (!load_stopped(ctx))
		pause();
	return 0;
}

const struct load load_none = {
	.name = "none",
	.title = "None",
	.help = "nothing",
	.unit = "units",
	.flags = LOAD_DEFAULT | LOAD_QUICK | LOAD_IDLE,
	.run = run,
};
