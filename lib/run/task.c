/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task: the process of the simulated task that is measured. */
#include "run/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cpumask.h"
#include "base/futex.h"
#include "base/rng.h"
#include "engine/periodic.h"
#include "engine/simrun.h"
#include "sys/arena.h"
#include "sys/schedstat.h"

/* Room for the frames of a discarded second, however fast they are. */
#define WARM_FRAMES 4096

struct task {
	const struct process *p;
	const struct sim *sim;
	struct cell *cell;
	struct cell *warm;	/* of the discarded segment */
	struct clk clk;
	struct burn burn;
	int stat_fd;
	struct cpumask mask;	/* as it was before the window */
	char why[MSG_TEXT_LEN];
};

static int fail(struct task *task, int err, const char *what)
{
	snprintf(task->why, sizeof(task->why), "%s: %s", what, strerror(-err));
	return err;
}

/* Before the window and after it: what was lost in between shows. */
static int read_back(struct task *task)
{
	struct schedattr attr;
	int err = schedattr_get(&attr);

	if (err)
		return err;
	task->cell->policy = (int32_t)attr.policy;
	task->cell->rt_prio = (int32_t)attr.rt_prio;
	task->cell->nice = attr.nice;
	return 0;
}

static int read_back_again(struct task *task)
{
	struct cpumask mask;
	int err = cpumask_get_affinity(&mask);

	if (err)
		return err;
	task->cell->moved = !cpumask_equal(&mask, &task->mask);
	cpumask_release(&mask);
	return read_back(task);
}

/* Policy and nice first: real-time policies ignore the timer slack. */
static int apply_settings(struct task *task)
{
	struct schedattr attr;
	int err;

	run_task_attr(task->p->run, task->sim, &attr);
	err = schedattr_set(&attr);
	if (err)
		return fail(task, err, "policy or nice was refused");
	err = read_back(task);
	if (!err)
		err = cpumask_get_affinity(&task->mask);
	if (err)
		return fail(task, err, "settings cannot be read back");
	prctl(PR_SET_TIMERSLACK, 1UL);
	task->cell->timerslack_ns = prctl(PR_GET_TIMERSLACK);
	return 0;
}

static void prepare_memory(struct task *task)
{
	size_t bytes = cell_size(task->cell->nr_slots);

	arena_touch(task->cell, bytes);
	arena_touch_stack();
	task->cell->locked_slots = arena_lock(task->cell, bytes);
	task->cell->locked_stack = arena_lock_stack();
}

static struct schedule warm_schedule(const struct plan_cell *pc)
{
	struct schedule sched = pc->sched;

	sched.nr_segments = 1;
	sched.nr_slots = sched.per_segment;
	return sched;
}

static int alloc_warm(struct task *task)
{
	bool unpaced = task->sim->flags & SIM_UNPACED;
	struct schedule sched = warm_schedule(task->p->pc);
	uint64_t slots = unpaced ? WARM_FRAMES : sched.nr_slots;
	size_t bytes = cell_size(slots);

	task->warm = aligned_alloc(_Alignof(struct cell), bytes);
	if (!task->warm)
		return fail(task, -ENOMEM, "discarded segment");
	memset(task->warm, 0, bytes);
	task->warm->nr_slots = slots;
	arena_lock(task->warm, bytes);
	return 0;
}

/* A sweep ends with it, so that the window begins with a new one. */
static int lay_warm(struct task *task, int64_t start_ns)
{
	struct schedule sched = warm_schedule(task->p->pc);
	struct cell *warm = task->warm;
	uint64_t first = 0;
	int err;

	if (task->sim->flags & SIM_UNPACED) {
		warm->end_ns = start_ns + plan_warm_ns(task->p->pc);
	} else {
		err = schedule_lay(&sched, warm, start_ns,
				   hash_u64(task->p->pc->seed, 1));
		if (err)
			return fail(task, err, "discarded segment");
	}
	if (task->sim->sweep > warm->nr_slots)
		first = task->sim->sweep - warm->nr_slots;
	sim_ask(task->sim, warm, first);
	return 0;
}

static void read_cpu(void *arg, uint64_t k)
{
	struct task *task = arg;

	cell_cpu(task->cell)[k] = schedstat_run_ns(task->stat_fd);
}

static int set_up(struct task *task)
{
	const struct run *run = task->p->run;
	int err = apply_settings(task);

	if (err)
		return err;
	prepare_memory(task);
	err = alloc_warm(task);
	if (err)
		return err;
	task->stat_fd = schedstat_open();
	task->cell->has_cpu = task->stat_fd >= 0 &&
			      schedstat_run_ns(task->stat_fd);
	err = burn_init(&task->burn, &task->clk, run->plan->burn,
			run->plan->loops_per_ms, run->syscall_clock);
	return err ? fail(task, err, "burn") : 0;
}

static void store_usage(struct cell *cell, const struct rusage *from,
			const struct rusage *to)
{
	cell->nvcsw = (uint64_t)(to->ru_nvcsw - from->ru_nvcsw);
	cell->nivcsw = (uint64_t)(to->ru_nivcsw - from->ru_nivcsw);
	cell->minflt = (uint64_t)(to->ru_minflt - from->ru_minflt);
	cell->majflt = (uint64_t)(to->ru_majflt - from->ru_majflt);
}

/*
 * A frame of the discarded segment that took too long has made the task pass
 * by some slots, just as one of the window would: they are no late wakes.
 */
static void enter_window(struct task *task, struct periodic *periodic)
{
	int64_t now = clk_now(&task->clk);

	if (task->sim->flags & SIM_UNPACED)
		clk_sleep_through(&task->clk, task->cell->start_ns);
	else
		periodic->first = periodic_next_after(task->cell, 0, now);
}

/* The discarded segment, then the window. */
static int measure(struct task *task)
{
	struct periodic periodic = {
		.clk = &task->clk,
		.burn = burn_run,
		.burn_arg = &task->burn,
	};
	struct sim_ctx ctx = { task->sim, &periodic, task->warm };
	struct rusage from, to;
	int err;

	err = lay_warm(task, task->p->run->ctl->warm_ns);
	if (!err)
		err = sim_run(&ctx);
	if (err)
		return err;
	enter_window(task, &periodic);
	memset(&task->burn.total, 0, sizeof(task->burn.total));
	ctx.cell = task->cell;
	if (task->cell->has_cpu) {
		periodic.woken = read_cpu;
		periodic.woken_arg = task;
	}
	getrusage(RUSAGE_THREAD, &from);
	err = sim_run(&ctx);
	getrusage(RUSAGE_THREAD, &to);
	task->cell->seen_ns = clk_now(&task->clk);
	task->cell->burn = task->burn.total;
	store_usage(task->cell, &from, &to);
	return err ? err : read_back_again(task);
}

int task_main(void *arg, const struct child_end *end)
{
	struct task task = { .p = arg, .stat_fd = -1 };
	int err;

	task.cell = task.p->run->cell;
	task.sim = plan_sim(task.p->run->plan, task.p->pc->sim);
	clk_real(&task.clk);
	alarm(task.p->setup_s);
	err = set_up(&task);
	if (!err) {
		msg_send(end->up, MSG_READY, getpid(), NULL);
		futex_wait_set(&task.p->run->ctl->task_go);
		alarm(task.p->dead_man_s);
		err = measure(&task);
	}
	if (err)
		msg_send(end->up, MSG_FAILED, err, task.why);
	else
		msg_send(end->up, MSG_DONE, 0, NULL);
	return err ? 1 : 0;
}
