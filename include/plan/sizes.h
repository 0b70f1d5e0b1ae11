/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sizes: how large the loads of a run are, from what this process may really
 * use and from the command line. Arithmetic only.
 */
#ifndef IB_PLAN_SIZES_H
#define IB_PLAN_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"
#include "sys/guard.h"
#include "sys/limits.h"
#include "sys/scratch.h"

/*
 * Fills in plan->params and plan->scratch_dir. places: LOAD_NR_DISKS of them,
 * with an empty path where there is none; they must outlive the plan.
 */
void plan_size(struct plan *plan, const struct options *o,
	       uint32_t usable_cpus, const struct limits *limits,
	       const struct scratch_place *places);

/*
 * Whether the load can run with these sizes, as far as its flags tell: else
 * -ENOSPC or the like, and why.
 */
int sizes_check(const struct load *load, const struct load_params *params,
		char *why, size_t why_size);

/*
 * What the guard of a load watches, 0 where nothing: the descriptors are left
 * to the caller.
 */
void sizes_guard(const struct load *load, const struct load_params *params,
		 struct guard *guard);

/* Bytes that the run may write: the paced loads all the time, and the files. */
uint64_t sizes_written(const struct plan *plan);

#endif
