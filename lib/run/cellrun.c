/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cellrun: the supervisor's way through one cell, a deadline on every phase. */
#include "run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/futex.h"
#include "engine/registry.h"
#include "engine/simrun.h"
#include "plan/sizes.h"
#include "run/judge.h"
#include "run/process.h"
#include "run/sample.h"
#include "sys/child.h"
#include "sys/keeper.h"
#include "sys/memcg.h"
#include "sys/stopsig.h"

#define READY_NS (30 * NSEC_PER_SEC)	/* set-up of a child */
#define SETTLE_NS NSEC_PER_SEC		/* a load runs alone that long */
#define PROGRESS_NS (10 * NSEC_PER_SEC)	/* and has done something by then */
#define GRACE_NS NSEC_PER_SEC		/* G of METHOD.md, 3 */
#define STOP_NS (3 * NSEC_PER_SEC)	/* a keeper has ended its load */
#define DEAD_MAN_S 10

/* End of a phase: go on, or the cell is over (its status says why). */
enum { GO_ON = 0, CELL_OVER = 1 };

struct cellrun {
	struct run *run;
	const struct plan_cell *pc;
	const struct sim *sim;
	struct cell *cell;
	struct clk clk;
	struct child task;
	struct child keeper;
	pid_t load_pid;
	bool task_done;
	bool load_gone;
};

static int64_t now(struct cellrun *c)
{
	return clk_now(&c->clk);
}

/* A message nobody hoped for: what it makes of the cell. */
static void on_load_msg(struct cellrun *c, const struct msg *msg)
{
	char how[96];

	switch (msg->kind) {
	case MSG_SKIPPED:
		judge_mark(c->cell, CELL_SKIPPED, "%s", msg->text);
		break;
	case MSG_FAILED:
		judge_mark(c->cell, c->load_pid ? CELL_INVALID : CELL_FAILED,
			   "load: %s", msg->text);
		break;
	case MSG_GUARD:
		judge_mark(c->cell, CELL_INVALID,
			   "the load was stopped to spare the machine: %s",
			   msg->text);
		break;
	case MSG_EXITED:
		child_describe(how, sizeof(how), msg->value);
		judge_mark(c->cell, CELL_INVALID, "load %s%s",
			   WIFSTOPPED(msg->value) ? "" : "died: it ", how);
		break;
	default:
		c->load_gone = true;
		judge_mark(c->cell, CELL_INVALID,
			   "load died: its keeper is gone");
	}
}

static void on_task_msg(struct cellrun *c, const struct msg *msg)
{
	char how[96];
	int status;

	if (msg->kind == MSG_FAILED) {
		judge_mark(c->cell, CELL_FAILED, "task: %s", msg->text);
		return;
	}
	status = child_kill(&c->task);
	child_describe(how, sizeof(how), status);
	judge_mark(c->cell, CELL_FAILED, "task died: it %s", how);
}

/*
 * Waits for a message of kind `expect` (0: for none) from the child until
 * deadline. GO_ON when it came, or when nothing was expected and nothing came;
 * -ETIMEDOUT, -EINTR (stop signal), or CELL_OVER for any other message.
 */
static int await(struct cellrun *c, struct child *from, uint32_t expect,
		 int64_t deadline, struct msg *msg)
{
	struct pollfd fds[] = {
		{ .fd = c->task.up, .events = POLLIN },
		{ .fd = c->keeper.up, .events = POLLIN },
	};
	int ret = stopsig_poll(fds, 2, deadline);
	struct child *child;

	if (ret < 0)
		return ret;
	/* Children of a group that is told to end are dead by now. */
	if (ret && stopsig_pending())
		return -EINTR;
	if (!ret)
		return expect ? -ETIMEDOUT : GO_ON;
	/* A load that died in the window counts, even if the task is done. */
	child = fds[1].revents ? &c->keeper : &c->task;
	child_receive(child, msg);
	if (child == from && msg->kind == expect)
		return GO_ON;
	if (child == &c->task)
		on_task_msg(c, msg);
	else
		on_load_msg(c, msg);
	return CELL_OVER;
}

/* Nothing is expected until then. */
static int sleep_watching(struct cellrun *c, int64_t until)
{
	struct msg msg;

	return await(c, NULL, 0, until, &msg);
}

static int await_ready(struct cellrun *c, struct child *child,
		       const char *what, struct msg *msg)
{
	int ret = await(c, child, MSG_READY, now(c) + READY_NS, msg);

	if (ret != -ETIMEDOUT)
		return ret;
	judge_mark(c->cell, CELL_FAILED, "%s was not ready within %d s", what,
		   (int)(READY_NS / NSEC_PER_SEC));
	return CELL_OVER;
}

/* What the load inherits, and what of it the guard is to watch. */
static void give_files(struct cellrun *c, struct child_spec *spec,
		       struct guard *guard)
{
	const struct run *run = c->run;
	const struct load_entry *entry = plan_load(run->plan, c->pc->load);

	spec->nr_fds = RUN_NR_FDS;
	spec->fds[RUN_FD_HOME] = run->scratch[LOAD_DISK_HOME].fd;
	spec->fds[RUN_FD_OTHER] = run->scratch[LOAD_DISK_OTHER].fd;
	spec->fds[RUN_FD_RING] = run->ring_fd[LOAD_DISK_HOME];
	spec->fds[RUN_FD_RING_OTHER] = run->ring_fd[LOAD_DISK_OTHER];
	spec->fds[RUN_FD_DATA] = run->data_fd;
	spec->fds[RUN_FD_SELF] = run->self_fd;
	sizes_guard(entry->load, &run->plan->params, guard);
	for (int i = 0; i < LOAD_NR_DISKS; i++)
		if (spec->fds[i] >= 0)
			guard->disk_fd[i] = CHILD_FD_FIRST + i;
}

static int start_load(struct cellrun *c, struct process *p)
{
	const struct load_entry *entry = plan_load(c->run->plan, c->pc->load);
	char name[16];
	struct child_spec spec = {
		.name = name, .main = load_main, .arg = p
	};
	bool guarded = entry->load->flags & LOAD_GUARD;
	struct guard guard;
	struct msg msg;
	int ret;

	snprintf(name, sizeof(name), "ib-%s", load_entry_name(entry));
	give_files(c, &spec, &guard);
	ret = keeper_start(&c->keeper, &spec, guarded ? &guard : NULL);
	if (ret) {
		judge_mark(c->cell, CELL_FAILED, "load: fork: %s",
			   strerror(-ret));
		return CELL_OVER;
	}
	ret = await_ready(c, &c->keeper, "load", &msg);
	if (ret == GO_ON) {
		c->load_pid = msg.value;
		c->cell->load_fell_back = c->run->ctl->load_fell_back;
		snprintf(c->cell->load_note, sizeof(c->cell->load_note),
			 "%.127s", msg.text);
	}
	return ret;
}

static int start_task(struct cellrun *c, struct process *p)
{
	char name[16];
	const struct child_spec spec = {
		.name = name, .main = task_main, .arg = p, .up_fd = -1,
		.death_signal = SIGKILL,
	};
	struct msg msg;
	int ret;

	snprintf(name, sizeof(name), "ib-%s", c->sim->title);
	ret = child_start(&c->task, &spec);
	if (ret) {
		judge_mark(c->cell, CELL_FAILED, "task: fork: %s",
			   strerror(-ret));
		return CELL_OVER;
	}
	return await_ready(c, &c->task, "task", &msg);
}

static uint64_t work_done(const struct cellrun *c)
{
	const struct sample_who who = { c->keeper.pid, c->load_pid };

	return sample_work(c->run, c->pc, &who);
}

/* The load runs: 1 s alone, and until its counter has moved. */
static int settle(struct cellrun *c)
{
	int64_t begin = now(c), limit = begin + PROGRESS_NS;
	int ret;

	futex_set(&c->run->ctl->load_go, 1);
	ret = sleep_watching(c, begin + SETTLE_NS);
	while (ret == GO_ON && now(c) < limit && !work_done(c) &&
	       judge_expects_work(c->run->plan, c->pc->load, PROGRESS_NS))
		ret = sleep_watching(c, now(c) + NSEC_PER_SEC / 10);
	return ret;
}

/* Moves the schedule, laid out from 0, to where the window begins. */
static void shift_slots(struct cell *cell, int64_t by)
{
	cell->start_ns += by;
	cell->end_ns += by;
	for (uint64_t k = 0; cell->rate_num && k < cell->nr_slots; k++)
		cell->slots[k].release_ns += by;
}

static void start_window(struct cellrun *c)
{
	/* Time to write all the slots, even on a slow machine. */
	int64_t lead = 5 * NSEC_PER_MSEC + 10 * (int64_t)c->cell->nr_slots;
	int64_t warm = now(c) + lead;

	c->run->ctl->warm_ns = warm;
	shift_slots(c->cell, warm + plan_warm_ns(c->pc));
	futex_set(&c->run->ctl->task_go, 1);
}

/*
 * What happened after T + G did not happen, should the supervisor have come
 * late to end it. Whether there was any such thing.
 */
static bool cut_after(struct cell *cell, int64_t limit)
{
	bool cut = false;

	for (uint64_t k = 0; k < cell->nr_slots; k++) {
		struct slot *slot = &cell->slots[k];

		if (slot->done_ns > limit) {
			slot->done_ns = 0;
			cut = true;
		}
		if (slot->woke_ns > limit) {
			slot->woke_ns = 0;
			cut = true;
		}
	}
	return cut;
}

/*
 * The discarded segment and the window: the supervisor sleeps until the task
 * is done. CPU clocks are read before and after, never in between.
 */
static int window(struct cellrun *c)
{
	const struct sample_who who = { c->keeper.pid, c->load_pid };
	struct sample from, to;
	struct msg msg;
	int64_t limit;
	int ret;

	sample_take(&from, c->run, c->pc, &who);
	start_window(c);
	limit = c->cell->end_ns + GRACE_NS;
	ret = await(c, &c->task, MSG_DONE, limit, &msg);
	if (ret && ret != -ETIMEDOUT)
		return ret;
	sample_take(&to, c->run, c->pc, &who);
	sample_store(c->cell, &from, &to);
	child_kill(&c->task);
	if (cut_after(c->cell, limit) || ret == -ETIMEDOUT) {
		c->cell->seen_ns = limit;
		c->cell->censored = true;
	}
	c->task_done = true;
	return GO_ON;
}

/* Asks the keeper to end the load, and makes sure. */
static void stop_load(struct cellrun *c)
{
	int64_t deadline = now(c) + STOP_NS;
	struct pollfd fd = { .fd = c->keeper.up, .events = POLLIN };
	struct msg msg;

	if (!c->keeper.pid)
		return;
	futex_set(&c->run->ctl->load_stop, 1);
	futex_set(&c->run->ctl->load_go, 1);
	keeper_stop(&c->keeper);
	while (!c->load_gone && now(c) < deadline) {
		int left_ms = (int)((deadline - now(c)) / NSEC_PER_MSEC) + 1;

		if (poll(&fd, 1, left_ms) <= 0)
			continue;
		child_receive(&c->keeper, &msg);
		c->load_gone = msg.kind == MSG_GONE;
	}
	if (!c->load_gone) {
		judge_mark(c->cell, CELL_INVALID,
			   "load did not end within %d s",
			   (int)(STOP_NS / NSEC_PER_SEC));
		if (c->load_pid)
			kill(-c->load_pid, SIGKILL);
	}
	child_kill(&c->keeper);
	/* A keeper that was killed left it to us; it dies of that. */
	if (c->load_pid)
		child_wait(c->load_pid, NULL);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* Nothing is forked while we are FIFO, so no child inherits it. */
static void set_priority(const struct run *run, bool raised)
{
	struct schedattr attr = run->inherited;

	if (raised) {
		attr.policy = SCHED_FIFO;
		attr.rt_prio = SCHED_PRIO_SUPERVISOR;
		attr.slice_ns = 0;
	}
	schedattr_set(&attr);
}

static int lay_slots(struct cellrun *c)
{
	struct cell *cell = c->cell;
	int err = 0;

	if (c->sim->flags & SIM_UNPACED) {
		cell->nr_slots = c->pc->sched.nr_slots;
		cell->end_ns = c->pc->window_ns;
		cell->job_frames = c->sim->job_frames;
		cell->job_ns = c->sim->job_frames * c->sim->busy_ns;
	} else {
		err = schedule_lay(&c->pc->sched, cell, 0, c->pc->seed);
	}
	if (err)
		judge_mark(cell, CELL_FAILED, "schedule: %s", strerror(-err));
	sim_ask(c->sim, cell, 0);
	return err ? CELL_OVER : GO_ON;
}

static int prepare(struct cellrun *c, size_t i)
{
	struct run *run = c->run;
	struct cell *cell = c->cell;

	memset(run->ctl, 0, sizeof(*run->ctl));
	memset(run->work, 0,
	       run->plan->nr_counters * sizeof(struct load_work));
	memset(cell, 0, cell_size(c->pc->sched.nr_slots));
	cell->sim = c->pc->sim;
	cell->load = c->pc->load;
	cell->order = (uint32_t)i;
	cell->seed = c->pc->seed;
	cell->window_ns = c->pc->window_ns;
	cell->load_cpu_ns = -1;
	return lay_slots(c);
}

static unsigned int dead_man_s(const struct plan_cell *pc)
{
	int64_t ns = plan_cell_ns(pc) + PROGRESS_NS + GRACE_NS;

	return (unsigned int)(ns / NSEC_PER_SEC) + DEAD_MAN_S;
}

static int go_through(struct cellrun *c, size_t i)
{
	struct process p = {
		.run = c->run,
		.pc = c->pc,
		.setup_s = 2 * (READY_NS / NSEC_PER_SEC) + DEAD_MAN_S,
		.dead_man_s = dead_man_s(c->pc),
	};
	int ret = prepare(c, i);

	if (!ret)
		ret = start_load(c, &p);
	if (!ret)
		ret = start_task(c, &p);
	if (ret)
		return ret;
	set_priority(c->run, true);
	ret = settle(c);
	if (!ret)
		ret = window(c);
	return ret;
}

/* Nothing of the cell is running any more. */
static void look_after(struct cellrun *c, uint64_t oom_kills)
{
	const struct load_entry *entry = plan_load(c->run->plan, c->pc->load);
	uint64_t now_kills = sample_oom_kills();

	c->cell->oom_kills = now_kills > oom_kills ? now_kills - oom_kills : 0;
	judge_oom(c->cell);
	/* One that was killed could not remove its group, which has counted. */
	if (load_entry_flags(entry) & LOAD_DATA)
		memcg_remove_stale("");
}

int run_cell(struct run *run, size_t i)
{
	struct cellrun c = {
		.run = run,
		.pc = &run->plan->cells[i],
		.cell = run->cell,
		.task = CHILD_NONE,
		.keeper = CHILD_NONE,
	};
	uint64_t oom_kills = sample_oom_kills();
	int ret;

	clk_real(&c.clk);
	c.sim = plan_sim(run->plan, c.pc->sim);
	ret = go_through(&c, i);
	child_kill(&c.task);
	stop_load(&c);
	look_after(&c, oom_kills);
	set_priority(run, false);
	if (ret < 0 && ret != -EINTR)
		judge_mark(c.cell, CELL_FAILED, "waiting: %s", strerror(-ret));
	if (c.task_done)
		judge_cell(run, c.pc, c.cell);
	return ret == -EINTR ? -EINTR : 0;
}
