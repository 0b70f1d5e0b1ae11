/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run: preflight checks and the memory that the processes share. */
#include "run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/registry.h"
#include "sys/arena.h"

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

/* A clock that steps wider than this cannot measure latencies. */
#define COARSE_NS (10 * NSEC_PER_USEC)
/* A read through the vDSO takes 20-60 ns, a system call or a device more. */
#define EXPENSIVE_NS 250

void run_task_attr(const struct run *run, const struct sim *sim,
		   struct schedattr *attr)
{
	const struct plan *plan = run->plan;

	*attr = run->inherited;
	if (plan->has_bench_nice)
		attr->nice = plan->bench_nice;
	if (!plan->realtime || !(sim->flags & SIM_RT))
		return;
	attr->policy = SCHED_FIFO;
	attr->rt_prio = SCHED_PRIO_TASK;
	attr->nice = run->inherited.nice;
	attr->slice_ns = 0;
}

void run_load_attr(const struct run *run, struct schedattr *attr)
{
	*attr = run->inherited;
	if (run->plan->has_load_nice)
		attr->nice = run->plan->load_nice;
}

/* Tries the setting in a child: 0 or -errno of what the kernel said. */
static int try_attr(const struct schedattr *attr)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(-schedattr_set(attr));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

/* What a refused nice value ran into, and the way out (setrlimit(2)). */
static void say_nice(char *why, size_t size, char option, int nice, int err)
{
	struct rlimit limit = { .rlim_cur = 0 };

	getrlimit(RLIMIT_NICE, &limit);
	snprintf(why, size, "-%c %d: refused: %s (errno %d): needs "
		 "CAP_SYS_NICE (root), or RLIMIT_NICE of %d, which is %llu "
		 "(ulimit -e %d)", option, nice, strerror(-err), -err,
		 20 - nice, (unsigned long long)limit.rlim_cur, 20 - nice);
}

static int check_task(const struct run *run, char *why, size_t size)
{
	const struct plan *plan = run->plan;
	struct schedattr attr;
	int err;

	run_task_attr(run, plan_sim(plan, plan->cells[0].sim), &attr);
	err = try_attr(&attr);
	if (err && plan->realtime)
		snprintf(why, size, "-r: SCHED_FIFO priority %u refused: %s "
			 "(errno %d)", attr.rt_prio, strerror(-err), -err);
	else if (err)
		say_nice(why, size, 'B', plan->bench_nice, err);
	return err;
}

static int check_load(const struct run *run, char *why, size_t size)
{
	struct schedattr attr;
	int err;

	run_load_attr(run, &attr);
	err = try_attr(&attr);
	if (err)
		say_nice(why, size, 'N', run->plan->load_nice, err);
	return err;
}

static int check_clock(struct run *run, char *why, size_t size)
{
	struct clk_quality q;
	struct clk clk;

	clk_real(&clk);
	clk_measure(&clk, &q);
	run->syscall_clock = q.read_ns > EXPENSIVE_NS;
	if (q.res_ns <= COARSE_NS && q.step_ns && q.step_ns <= COARSE_NS)
		return 0;
	snprintf(why, size, "CLOCK_MONOTONIC is too coarse to measure with: "
		 "resolution %" PRId64 " ns, smallest step %" PRId64 " ns",
		 q.res_ns, q.step_ns);
	return -ENOSYS;
}

/* Loads that inherit it would let nothing run, not even who is to end them. */
static int check_policy(const struct run *run, char *why, size_t size)
{
	uint32_t policy = run->inherited.policy;

	if (policy != SCHED_FIFO && policy != SCHED_RR &&
	    policy != SCHED_DEADLINE)
		return 0;
	snprintf(why, size, "started with a real-time policy (priority %u), "
		 "which loads must not have: start it without, and use -r",
		 run->inherited.rt_prio);
	return -EPERM;
}

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static int map_memory(struct run *run, char *why, size_t size)
{
	size_t work = run->plan->nr_counters * sizeof(struct load_work);
	size_t ctl = round_up(sizeof(struct run_ctl), 64);
	size_t kept = run->plan->nr_loads * sizeof(struct load_work);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int err;

	run->bytes = ctl + kept + page + plan_memory(run->plan);
	err = arena_map(&run->mem, run->bytes);
	if (err) {
		snprintf(why, size, "-t: no %zu bytes of memory for the slots: "
			 "%s", run->bytes, strerror(-err));
		return err;
	}
	run->ctl = run->mem;
	run->kept = (void *)((char *)run->mem + ctl);
	run->work = (void *)((char *)run->mem + ctl + kept);
	run->cell = (void *)((char *)run->mem +
			     round_up(ctl + kept + work, page));
	return 0;
}

/* Best effort: it sleeps, but must not be swapped out when it is to act. */
static void settle_supervisor(void)
{
	mlockall(MCL_CURRENT);
	/* The load of a keeper that was killed comes to us, not to init. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int run_init(struct run *run, const struct plan *plan, char *why, size_t size)
{
	int err;

	*run = (struct run){
		.plan = plan, .data_fd = -1, .self_fd = -1,
		.ring_fd = { -1, -1 },
		.janitor = CHILD_NONE,
		.scratch = { SCRATCH_NONE, SCRATCH_NONE },
	};
	err = schedattr_inherited(&run->inherited);
	if (err) {
		snprintf(why, size, "sched_getattr: %s", strerror(-err));
		return err;
	}
	err = check_policy(run, why, size);
	if (!err)
		err = check_clock(run, why, size);
	if (!err && (plan->realtime || plan->has_bench_nice))
		err = check_task(run, why, size);
	if (!err && plan->has_load_nice)
		err = check_load(run, why, size);
	if (!err)
		err = map_memory(run, why, size);
	if (!err)
		err = run_open_files(run, why, size);
	if (!err)
		settle_supervisor();
	return err;
}

void run_release(struct run *run)
{
	if (!run->plan)
		return;
	run_close_files(run);
	arena_release(run->mem, run->bytes);
	run->mem = NULL;
}
