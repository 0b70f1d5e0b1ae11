/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run: measure the cells of a plan, one after another, each with a task
 * process and a load process. Prints nothing; what came of a cell is in the
 * cell.
 */
#ifndef IB_RUN_RUN_H
#define IB_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clk.h"
#include "cell.h"
#include "load.h"
#include "plan/plan.h"
#include "sys/schedattr.h"

#define RUN_WHY_LEN 256

/* The words that start and stop the children, in shared memory. */
struct run_ctl {
	atomic_uint load_go;
	atomic_uint load_stop;
	atomic_uint task_go;
	int64_t warm_ns;	/* start of the discarded segment */
};

struct run {
	const struct plan *plan;
	struct schedattr inherited;	/* policy and nice we were started with */
	bool syscall_clock;		/* clock reads are expensive */
	void *mem;			/* shared: ctl, counters, cell */
	size_t bytes;
	struct run_ctl *ctl;
	struct load_work *work;		/* plan->load_threads of them */
	struct cell *cell;
};

/*
 * Checks the clock and that every setting the plan asks for is permitted, by
 * trying it in a child, and maps the memory. 0, or -errno with one line in
 * why. The run is to be released either way; the plan must outlive it.
 */
int run_init(struct run *run, const struct plan *plan, char *why,
	     size_t why_size);
void run_release(struct run *run);

/*
 * Measures cell i of the plan. 0: run->cell holds what came of it, until the
 * next call; -EINTR: a stop signal came, the cell is void. Nothing of the cell
 * is left running either way.
 */
int run_cell(struct run *run, size_t i);

/* What policy and nice the task or the load of a cell is to have. */
void run_task_attr(const struct run *run, const struct sim *sim,
		   struct schedattr *attr);
void run_load_attr(const struct run *run, struct schedattr *attr);

#endif
