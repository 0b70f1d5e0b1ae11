/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process: what runs inside the task's and the load's process. */
#ifndef IB_RUN_PROCESS_H
#define IB_RUN_PROCESS_H

#include "run/run.h"
#include "sys/child.h"

/* The argument of both: valid in the child, since it is a fork. */
struct process {
	struct run *run;
	const struct plan_cell *pc;
	/* SIGALRM ends a child that nobody ended: after set-up, after go. */
	unsigned int setup_s;
	unsigned int dead_man_s;
};

/*
 * Sets itself up, MSG_READY, waits for task_go, runs the discarded segment and
 * the window, leaves its facts in the cell, MSG_DONE. MSG_FAILED with a reason
 * if anything is refused. The exit status is not used.
 */
int task_main(void *process, const struct child_end *end);

/*
 * Sets the load up, MSG_READY, waits for load_go, runs it until load_stop.
 * MSG_SKIPPED with a reason if its probe says no, MSG_FAILED with one if setup
 * or run fail.
 */
int load_main(void *process, const struct child_end *end);

/*
 * Whether the load can run here: 0, or -errno and ctx->why. With no more in
 * ctx than what --plan has: load, command, params; no descriptors but self_fd.
 */
int load_probe(struct load_ctx *ctx);

#endif
