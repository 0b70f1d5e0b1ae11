/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan: from options and the machine's CPUs to the list of cells, and all that
 * a cell needs to know. Starts nothing, prints nothing.
 */
#ifndef IB_PLAN_PLAN_H
#define IB_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/burn.h"
#include "engine/schedule.h"
#include "plan/opts.h"
#include "sim.h"

#define PLAN_MAX_SLOTS (UINT64_C(1) << 24)

struct plan_cell {
	uint32_t sim;		/* index into the registry */
	uint32_t load;
	int64_t window_ns;	/* after rounding up to whole sweeps */
	struct schedule sched;	/* paced tasks; else nr_slots is the room */
	uint64_t seed;
};

struct plan {
	struct plan_cell *cells;	/* owned; in table order */
	size_t nr_cells;
	struct sim custom;	/* sim_custom with -C and -I filled in */
	/* set-up shared by all cells */
	uint32_t load_threads;
	bool realtime;
	bool has_bench_nice;
	int bench_nice;
	bool has_load_nice;
	int load_nice;
	enum burn_mode burn;
	uint64_t loops_per_ms;	/* 0 until calibrated */
	uint64_t seed;
	uint64_t max_slots;	/* of any cell */
};

/*
 * usable_cpus: what the default of -L is made of. 0, or -EINVAL with one line
 * in why (unknown names with the nearest valid one, nothing left to run, too
 * many slots), or -ENOMEM. *plan is to be released either way.
 */
int plan_build(struct plan *plan, const struct options *o,
	       uint32_t usable_cpus, char *why, size_t why_size);
void plan_release(struct plan *plan);

/* The task of index i as this plan runs it: Custom has its rate. */
const struct sim *plan_sim(const struct plan *plan, uint32_t i);

/*
 * What is run and thrown away before the window: a segment with the longest
 * phase, or 1 s of frames.
 */
int64_t plan_warm_ns(const struct plan_cell *cell);

/* Expected time of one cell, settling included; of all cells from i on. */
int64_t plan_cell_ns(const struct plan_cell *cell);
int64_t plan_rest_ns(const struct plan *plan, size_t i);

/* Bytes of shared memory: the largest cell, and the counters of a load. */
size_t plan_memory(const struct plan *plan);

#endif
