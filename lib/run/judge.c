/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge: compare what a cell left behind with what the plan asked for. */
#include "run/judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/registry.h"

void judge_mark(struct cell *cell, enum cell_status status, const char *fmt,
		...)
{
	va_list ap;

	if (cell->status >= status)
		return;
	cell->status = status;
	va_start(ap, fmt);
	vsnprintf(cell->why, sizeof(cell->why), fmt, ap);
	va_end(ap);
}

bool judge_expects_work(const struct plan *plan, uint32_t load,
			int64_t span_ns)
{
	const struct load_entry *entry = plan_load(plan, load);
	const struct sim *sim = entry->sim;

	if (load_entry_flags(entry) & LOAD_IDLE)
		return false;
	if (!sim)
		return true;
	if (sim->flags & SIM_CUSTOM)
		sim = &plan->custom;
	return span_ns >= 3 * NSEC_PER_SEC * sim->rate_den / sim->rate_num;
}

static void judge_load(const struct run *run, const struct plan_cell *pc,
		       struct cell *cell)
{
	if (cell->load_work ||
	    !judge_expects_work(run->plan, pc->load, cell->load_span_ns))
		return;
	if (cell->load_cpu_ns) {
		judge_mark(cell, CELL_INVALID, "load made no progress");
		return;
	}
	/* A result, not a fault: the task left it nothing. */
	cell->starved = true;
	if (cell->status == CELL_OK)
		snprintf(cell->why, sizeof(cell->why),
			 "load starved: it had no CPU time at all");
}

/* Said in the row: nobody can tell whether it really was the disk. */
static void note_unknown(struct cell *cell)
{
	size_t len = strlen(cell->load_note);

	snprintf(cell->load_note + len, sizeof(cell->load_note) - len,
		 "%sdevice unknown", len ? ", " : "");
	cell->load_fell_back = true;
}

/*
 * Less than half of what the load asked for reached the device: it worked on
 * the page cache. With noise, since others may use the device as well.
 */
static void judge_device(const struct run *run, const struct plan_cell *pc,
			 struct cell *cell)
{
	const struct load_entry *entry = plan_load(run->plan, pc->load);
	uint64_t moved = cell->read_bytes + cell->written_bytes;

	if (!(load_entry_flags(entry) & LOAD_BYTES))
		return;
	if (!cell->has_device) {
		note_unknown(cell);
		return;
	}
	if (moved >= cell->load_work / 2)
		return;
	judge_mark(cell, CELL_NOISY, "cached: the device moved %d %% of the "
		   "bytes of the load",
		   (int)(100.0 * (double)moved / (double)cell->load_work));
}

void judge_oom(struct cell *cell)
{
	size_t len;

	if (!cell->oom_kills)
		return;
	judge_mark(cell, CELL_INVALID, "out of memory");
	len = strlen(cell->why);
	snprintf(cell->why + len, sizeof(cell->why) - len,
		 ", oom_kill count +%" PRIu64, cell->oom_kills);
}

static void judge_settings(const struct run *run, const struct plan_cell *pc,
			   struct cell *cell)
{
	const struct schedattr had = {
		.policy = (uint32_t)cell->policy,
		.rt_prio = (uint32_t)cell->rt_prio,
		.nice = cell->nice,
	};
	struct schedattr want;

	if (cell->moved)
		judge_mark(cell, CELL_INVALID,
			   "the CPUs allowed to the task changed");
	run_task_attr(run, plan_sim(run->plan, pc->sim), &want);
	if (!schedattr_same(&had, &want))
		judge_mark(cell, CELL_INVALID,
			   "task ran with policy %d priority %d nice %d",
			   cell->policy, cell->rt_prio, cell->nice);
}

void judge_cell(const struct run *run, const struct plan_cell *pc,
		struct cell *cell)
{
	if (cell->lost)
		judge_mark(cell, CELL_INVALID,
			   "%" PRIu64 " slots found no room", cell->lost);
	judge_settings(run, pc, cell);
	if (cell->nr_throttled)
		judge_mark(cell, CELL_INVALID,
			   "a cgroup CPU quota throttled us in %" PRIu64
			   " periods", cell->nr_throttled);
	judge_load(run, pc, cell);
	judge_device(run, pc, cell);
}
