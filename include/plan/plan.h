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
#include "engine/registry.h"
#include "engine/schedule.h"
#include "load.h"
#include "plan/opts.h"
#include "sim.h"

#define PLAN_MAX_SLOTS (UINT64_C(1) << 24)

struct plan_cell {
	uint32_t sim;		/* index into the registry */
	uint32_t load;		/* of plan_load() */
	int64_t window_ns;	/* after rounding up to whole sweeps */
	int64_t setup_ns;	/* that the load may take before */
	struct schedule sched;	/* paced tasks; else nr_slots is the room */
	uint64_t seed;
};

struct plan {
	struct plan_cell *cells;	/* owned; in table order */
	size_t nr_cells;
	struct sim custom;	/* sim_custom with -C and -I filled in */
	struct load_entry *loads;	/* owned; registry, then commands */
	uint32_t nr_loads;
	struct load classic;	/* Compile as --compile=classic has it */
	/* set-up shared by all cells */
	struct load_params params;	/* of plan_size(); 0 before */
	const char *scratch_dir[LOAD_NR_DISKS];	/* "": none */
	bool rate_lowered;	/* by --io-budget */
	uint32_t load_threads;
	uint32_t nr_counters;	/* work counters that a load gets */
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

/* A load of this plan, of the registry or made by an option. */
const struct load_entry *plan_load(const struct plan *plan, uint32_t i);

/* By name, case ignored: the index, or -1. */
int plan_find_load(const struct plan *plan, const char *name);

/*
 * What is run and thrown away before the window: a segment with the longest
 * phase, or 1 s of frames.
 */
int64_t plan_warm_ns(const struct plan_cell *cell);

/*
 * Expected time of one cell, settling included; of all cells from i on, with
 * the set-up of their loads.
 */
int64_t plan_cell_ns(const struct plan_cell *cell);
int64_t plan_rest_ns(const struct plan *plan, size_t i);

/* Bytes of shared memory: the largest cell, and the counters of a load. */
size_t plan_memory(const struct plan *plan);

#endif
