/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inject: delays of known length, put on the task by a real-time hog on its
 * CPU, against what the cell says (METHOD.md, 9). Prints a line a spin. Exit
 * status: 0 all as it must be, 1 not, 2 could not be tried.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clk.h"
#include "plan/opts.h"
#include "plan/plan.h"
#include "run/run.h"
#include "sys/arena.h"
#include "sys/cpus.h"
#include "sys/schedattr.h"

/* 8 spins of 20 to 50 ms in 2 s: far below what real time is allowed. */
#define NR_SPINS 8
#define FIRST_SLOT 150
#define SLOTS_APART 220
/* Above the task, not above the supervisor. */
#define HOG_PRIO 49
#define HOG_WAIT_NS (60 * NSEC_PER_SEC)

/*
 * The task is on the CPU again that soon after the hog has left it, if nothing
 * outside this kernel interferes: asked of half of the spins. That it is not
 * there before is asked of all.
 */
#define TOLERANCE_NS NSEC_PER_MSEC
#define NR_PROMPT (NR_SPINS / 2)

struct spin {
	int64_t from_ns;
	int64_t to_ns;
};

struct inject {
	struct options opts;
	struct cpus cpus;
	struct plan plan;
	struct run run;
	struct spin *spins;	/* shared with the hog */
};

static int set_up(struct inject *in, int argc, char **argv)
{
	char why[RUN_WHY_LEN] = "";
	void *mem;
	int err = opts_parse(&in->opts, argc, argv, why, sizeof(why));

	if (!err)
		err = cpus_read(&in->cpus, "");
	if (!err)
		err = cpus_pin_one(&in->cpus);
	if (!err)
		err = plan_build(&in->plan, &in->opts, in->cpus.usable, why,
				 sizeof(why));
	if (!err)
		err = run_init(&in->run, &in->plan, why, sizeof(why));
	if (!err)
		err = arena_map(&mem, NR_SPINS * sizeof(*in->spins));
	if (!err)
		in->spins = mem;
	else
		printf("set-up: %s\n", why[0] ? why : strerror(-err));
	return err;
}

static void tear_down(struct inject *in)
{
	arena_release(in->spins, NR_SPINS * sizeof(*in->spins));
	run_release(&in->run);
	plan_release(&in->plan);
	cpus_release(&in->cpus);
	opts_release(&in->opts);
}

/* The slots are where they will be as soon as the task may go. */
static int wait_go(const struct run *run, struct clk *clk)
{
	int64_t limit = clk_now(clk) + HOG_WAIT_NS;

	while (!atomic_load(&run->ctl->task_go)) {
		int64_t now = clk_now(clk);

		if (now > limit)
			return -ETIMEDOUT;
		clk_sleep_through(clk, now + NSEC_PER_MSEC);
	}
	return 0;
}

/* From the middle between two releases, when the task sleeps. */
static void spin(struct clk *clk, const struct cell *cell, int i,
		 struct spin *spin)
{
	uint64_t k = FIRST_SLOT + (uint64_t)i * SLOTS_APART;
	int64_t ns = (20 + i % 4 * 10) * NSEC_PER_MSEC;

	clk_sleep_through(clk, cell->slots[k].release_ns + NSEC_PER_MSEC / 2);
	spin->from_ns = clk_now(clk);
	do
		spin->to_ns = clk_now(clk);
	while (spin->to_ns < spin->from_ns + ns);
}

static int hog_main(const struct inject *in)
{
	const struct schedattr fifo = { SCHED_FIFO, HOG_PRIO, 0, 0 };
	struct clk clk;

	prctl(PR_SET_PDEATHSIG, 9);
	clk_real(&clk);
	if (schedattr_set(&fifo))
		return 2;
	if (wait_go(&in->run, &clk))
		return 2;
	for (int i = 0; i < NR_SPINS; i++)
		spin(&clk, in->run.cell, i, &in->spins[i]);
	return 0;
}

/*
 * When the task next ran after a release: the slot's own wake, or that of the
 * slot whose late wake made this one pass by. 0: never again.
 */
static int64_t next_wake(const struct cell *cell, int64_t release)
{
	for (uint64_t k = 0; k < cell->nr_slots; k++)
		if (cell->slots[k].woke_ns >= release)
			return cell->slots[k].woke_ns;
	return 0;
}

/*
 * Latency of each release in the spin, less what of the spin it had to bear:
 * whether it is never negative, and never above the tolerance (*prompt).
 */
static bool check_spin(const struct cell *cell, const struct spin *spin,
		       bool *prompt)
{
	int64_t least = INT64_MAX, most = INT64_MIN;
	unsigned int nr = 0;

	for (uint64_t k = 0; k < cell->nr_slots; k++) {
		int64_t release = cell->slots[k].release_ns, rest;

		if (release < spin->from_ns || release > spin->to_ns)
			continue;
		rest = next_wake(cell, release) - release -
		       (spin->to_ns - release);
		least = rest < least ? rest : least;
		most = rest > most ? rest : most;
		nr++;
	}
	printf("spin of %" PRId64 " us, %u releases, rest of their latency %"
	       PRId64 "..%" PRId64 " ns\n",
	       (spin->to_ns - spin->from_ns) / NSEC_PER_USEC, nr,
	       nr ? least : 0, nr ? most : 0);
	*prompt = nr && most <= TOLERANCE_NS;
	return nr >= 19 && least >= 0;
}

static int check(const struct inject *in)
{
	const struct cell *cell = in->run.cell;
	int status = 0, nr_prompt = 0;
	bool prompt;

	if (cell->status != CELL_OK)
		printf("cell: %s\n", cell->why);
	if (cell->status == CELL_FAILED)
		return 2;
	for (int i = 0; i < NR_SPINS; i++) {
		if (!check_spin(cell, &in->spins[i], &prompt))
			status = 1;
		nr_prompt += prompt;
	}
	return nr_prompt >= NR_PROMPT ? status : 1;
}

/* The options are those of interbench: -u, 1 ms, 2 s, one cell. */
int main(int argc, char **argv)
{
	struct inject in = { .spins = NULL };
	int status = 2, hog_status = 0, err;
	pid_t hog;

	err = set_up(&in, argc, argv);
	if (!err) {
		fflush(stdout);
		hog = fork();
		if (!hog)
			_exit(hog_main(&in));
		err = hog < 0 ? -errno : run_cell(&in.run, 0);
		if (hog > 0)
			waitpid(hog, &hog_status, 0);
		if (hog_status)
			printf("the hog could not do its work\n");
		else if (!err)
			status = check(&in);
	}
	tear_down(&in);
	return status;
}
