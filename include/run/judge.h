/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge: is what was measured what was asked? (METHOD.md, 6) */
#ifndef IB_RUN_JUDGE_H
#define IB_RUN_JUDGE_H

#include "run/run.h"

/* Sets status and why of a cell that ran to its end. */
void judge_cell(const struct run *run, const struct plan_cell *pc,
		struct cell *cell);

/* The kernel killed somebody of ours for memory: invalid, and said so. */
void judge_oom(struct cell *cell);

/* Sets status and why, if none worse is there yet. */
void judge_mark(struct cell *cell, enum cell_status status, const char *fmt,
		...) __attribute__((format(printf, 3, 4)));

/*
 * Whether a load that has done nothing for span_ns is to blame for it: not
 * None, and not a task that wakes more seldom than that.
 */
bool judge_expects_work(const struct plan *plan, uint32_t load,
			int64_t span_ns);

#endif
