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
#include "run/judge.h"
#include "run/process.h"
#include "sys/cgroup.h"
#include "sys/child.h"
#include "sys/keeper.h"
#include "sys/stopsig.h"

#define READY_NS (30 * NSEC_PER_SEC)	/* set-up of a child */
#define SETTLE_NS NSEC_PER_SEC		/* a load runs alone that long */
#define PROGRESS_NS (10 * NSEC_PER_SEC)	/* and has done something by then */
#define GRACE_NS NSEC_PER_SEC		/* G of METHOD.md, 3 */
#define STOP_NS (3 * NSEC_PER_SEC)	/* a keeper has ended its load */
#define DEAD_MAN_S 10

/* End of a phase: go on, or the cell is over (its status says why). */
enum { GO_ON = 0, CELL_OVER = 1 };

/* Load counters at one moment. */
struct sample {
	int64_t at_ns;
	uint64_t work;
	int64_t cpu_ns;		/* -1: not known */
	uint64_t throttled;
};

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

static int start_load(struct cellrun *c, struct process *p)
{
	char name[16];
	const struct child_spec spec = {
		.name = name, .main = load_main, .arg = p
	};
	struct msg msg;
	int ret;

	snprintf(name, sizeof(name), "ib-%s",
		 load_entry_name(registry_load(c->pc->load)));
	ret = keeper_start(&c->keeper, &spec);
	if (ret) {
		judge_mark(c->cell, CELL_FAILED, "load: fork: %s",
			   strerror(-ret));
		return CELL_OVER;
	}
	ret = await_ready(c, &c->keeper, "load", &msg);
	if (ret == GO_ON)
		c->load_pid = msg.value;
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

static uint64_t work_done(const struct run *run)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < run->plan->load_threads; i++)
		sum += atomic_load_explicit(&run->work[i].n,
					    memory_order_relaxed);
	return sum;
}

/* CPU time of the load's process; outside the window nothing minds. */
static int64_t load_cpu(pid_t pid)
{
	struct timespec ts;
	clockid_t id;

	if (clock_getcpuclockid(pid, &id) || clock_gettime(id, &ts))
		return -1;
	return (int64_t)ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static void take_sample(struct cellrun *c, struct sample *s)
{
	s->work = work_done(c->run);
	s->cpu_ns = load_cpu(c->load_pid);
	s->at_ns = now(c);
	if (cgroup_throttled("", &s->throttled))
		s->throttled = 0;
}

/* The load runs: 1 s alone, and until its counter has moved. */
static int settle(struct cellrun *c)
{
	int64_t begin = now(c), limit = begin + PROGRESS_NS;
	int ret;

	futex_set(&c->run->ctl->load_go, 1);
	ret = sleep_watching(c, begin + SETTLE_NS);
	while (ret == GO_ON && now(c) < limit && !work_done(c->run) &&
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

static void store_load(struct cell *cell, const struct sample *from,
		       const struct sample *to)
{
	cell->load_work = to->work - from->work;
	cell->load_span_ns = to->at_ns - from->at_ns;
	cell->load_cpu_ns = from->cpu_ns < 0 || to->cpu_ns < 0
				    ? -1 : to->cpu_ns - from->cpu_ns;
	cell->nr_throttled = to->throttled - from->throttled;
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
	struct sample from, to;
	struct msg msg;
	int64_t limit;
	int ret;

	take_sample(c, &from);
	start_window(c);
	limit = c->cell->end_ns + GRACE_NS;
	ret = await(c, &c->task, MSG_DONE, limit, &msg);
	if (ret && ret != -ETIMEDOUT)
		return ret;
	take_sample(c, &to);
	store_load(c->cell, &from, &to);
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
	       run->plan->load_threads * sizeof(struct load_work));
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

int run_cell(struct run *run, size_t i)
{
	struct cellrun c = {
		.run = run,
		.pc = &run->plan->cells[i],
		.cell = run->cell,
		.task = CHILD_NONE,
		.keeper = CHILD_NONE,
	};
	int ret;

	clk_real(&c.clk);
	c.sim = plan_sim(run->plan, c.pc->sim);
	ret = go_through(&c, i);
	child_kill(&c.task);
	stop_load(&c);
	set_priority(run, false);
	if (ret < 0 && ret != -EINTR)
		judge_mark(c.cell, CELL_FAILED, "waiting: %s", strerror(-ret));
	if (c.task_done)
		judge_cell(run, c.pc, c.cell);
	return ret == -EINTR ? -EINTR : 0;
}
