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
#include "sys/blockdev.h"
#include "sys/child.h"
#include "sys/schedattr.h"
#include "sys/scratch.h"

#define RUN_WHY_LEN 256

/* The words that start and stop the children, in shared memory. */
struct run_ctl {
	atomic_uint load_go;
	atomic_uint load_stop;
	atomic_uint task_go;
	int64_t warm_ns;	/* start of the discarded segment */
	bool load_fell_back;	/* set before MSG_READY */
};

struct run {
	const struct plan *plan;
	struct schedattr inherited;	/* policy and nice we were started with */
	bool syscall_clock;		/* clock reads are expensive */
	void *mem;			/* shared: ctl, counters, cell */
	size_t bytes;
	struct run_ctl *ctl;
	struct load_work *kept;		/* sizes, plan->nr_loads of them */
	struct load_work *work;		/* plan->nr_counters of them */
	struct cell *cell;
	/* what loads write in, made only if one of the plan needs it */
	struct scratch scratch[LOAD_NR_DISKS];
	bool has_disk[LOAD_NR_DISKS];	/* dev is known */
	struct blockdev dev[LOAD_NR_DISKS];
	int ring_fd[LOAD_NR_DISKS];	/* the file of Write, -1: none */
	int data_fd;			/* the data file, -1: none */
	int self_fd;			/* our program, -1: not found */
	struct child janitor;
};

/* How the descriptors of a load are numbered, from CHILD_FD_FIRST. */
enum {
	RUN_FD_HOME,
	RUN_FD_OTHER,
	RUN_FD_RING,
	RUN_FD_RING_OTHER,
	RUN_FD_DATA,
	RUN_FD_SELF,
	RUN_NR_FDS,
};

/*
 * Checks the clock and that every setting the plan asks for is permitted, by
 * trying it in a child, maps the memory and makes the scratch directories that
 * loads of the plan need. 0, or -errno with one line in why. The run is to be
 * released either way; the plan must outlive it.
 */
int run_init(struct run *run, const struct plan *plan, char *why,
	     size_t why_size);
void run_release(struct run *run);

/* The two halves of it that are about files (files.c). */
int run_open_files(struct run *run, char *why, size_t why_size);
void run_close_files(struct run *run);

/* Our own program, to be executed again: a descriptor or -1. */
int run_open_self(void);

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
