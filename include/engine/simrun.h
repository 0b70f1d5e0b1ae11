/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simrun: run a simulated task, measured in a cell or as a load. */
#ifndef IB_ENGINE_SIMRUN_H
#define IB_ENGINE_SIMRUN_H

#include "cell.h"
#include "engine/periodic.h"
#include "load.h"
#include "sim.h"

struct sim_ctx {
	const struct sim *sim;
	const struct periodic *periodic;	/* clock, burner, hooks */
	struct cell *cell;
};

/* Fills in the demands of a cell whose slot 0 is number `first` of the task. */
void sim_ask(const struct sim *sim, struct cell *cell, uint64_t first);

/* Runs the slots of the cell, demand filled in: 0 or -errno. */
int sim_run(struct sim_ctx *ctx);

/* The adapter by which a task (ctx->sim) serves as a load. */
extern const struct load sim_as_load;

#endif
