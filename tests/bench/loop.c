/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop: CPU of the slot loop around a burn, and what a CPU clock does to it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/burn.h"
#include "engine/periodic.h"
#include "engine/schedule.h"
#include "stat/summary.h"
#include "sys/schedstat.h"

struct bench {
	struct clk clk;
	struct burn burn;
	struct cell *cell;
	int stat_fd;
};

static int64_t thread_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static void read_stat(void *arg, uint64_t k)
{
	struct bench *b = arg;

	cell_cpu(b->cell)[k] = schedstat_run_ns(b->stat_fd);
}

/* What METHOD.md forbids: a CPU clock at the end of each frame. */
static void burn_and_read(void *arg, int64_t demand_ns)
{
	struct bench *b = arg;

	burn_run(&b->burn, demand_ns);
	thread_cpu_ns();
}

static struct cell *lay(struct bench *b, uint32_t rate, int64_t window_ns,
			int64_t demand_ns)
{
	struct schedule sched;
	struct cell *cell;
	size_t size;

	schedule_plan(&sched, rate, 1, window_ns);
	size = cell_size(sched.nr_slots);
	cell = aligned_alloc(64, size);
	if (!cell)
		exit(1);
	memset(cell, 0, size);
	if (schedule_lay(&sched, cell, clk_now(&b->clk) + 20 * NSEC_PER_MSEC,
			 (uint64_t)getpid()))
		exit(1);
	for (uint64_t k = 0; k < cell->nr_slots; k++)
		cell->slots[k].demand_ns = demand_ns;
	free(b->cell);
	b->cell = cell;
	return cell;
}

/* The least that any such task needs: sleep and look at the clock. */
static double bare_us(struct bench *b, uint32_t rate)
{
	int64_t at = clk_now(&b->clk), period = NSEC_PER_SEC / rate, cpu;

	cpu = thread_cpu_ns();
	for (uint32_t i = 0; i < 2 * rate; i++) {
		at += period;
		clk_sleep_through(&b->clk, at);
	}
	return (double)(thread_cpu_ns() - cpu) / 1e3 / (2 * rate);
}

/* Slots without any demand: all CPU is the loop's and the kernel's. */
static void bench_overhead(struct bench *b, uint32_t rate)
{
	struct cell *cell = lay(b, rate, 2 * NSEC_PER_SEC, 0);
	const struct periodic p = {
		.clk = &b->clk, .woken = read_stat, .woken_arg = b,
	};
	int64_t cpu = thread_cpu_ns();

	periodic_run(&p, cell);
	cpu = thread_cpu_ns() - cpu;
	printf("loop: %5u slots/s, no demand: %.2f us of CPU a slot, a bare "
	       "sleep and clock read %.2f us\n", rate,
	       (double)cpu / 1e3 / (double)cell->nr_slots, bare_us(b, rate));
}

static double mean_latency_us(struct bench *b, bool read_clock)
{
	struct cell *cell = lay(b, 20, 5 * NSEC_PER_SEC, 2500000);
	const struct periodic p = {
		.clk = &b->clk,
		.burn = read_clock ? burn_and_read : burn_run,
		.burn_arg = read_clock ? (void *)b : (void *)&b->burn,
	};
	struct summary sum;

	periodic_run(&p, cell);
	if (summary_of(&sum, cell))
		exit(1);
	return sum.latency.mean_ns / 1e3;
}

static pid_t start_burner(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (;;)
		burn_loops(100000);
}

/* Interleaved, since the machine's speed drifts. */
static void bench_cpu_clock(struct bench *b)
{
	long nr = 2 * sysconf(_SC_NPROCESSORS_ONLN);
	pid_t *burners = calloc((size_t)nr, sizeof(*burners));
	double without = 0, with = 0;

	for (long i = 0; burners && i < nr; i++)
		burners[i] = start_burner();
	sleep(1);
	for (int i = 0; i < 4; i++) {
		double a = mean_latency_us(b, false);
		double c = mean_latency_us(b, true);

		printf("loop: Audio, %ld burners: mean wake latency %.0f us, "
		       "with a CPU clock read a frame %.0f us\n", nr, a, c);
		without += a;
		with += c;
	}
	printf("loop: ratio with/without CPU clock: %.2f\n", with / without);
	for (long i = 0; burners && i < nr; i++) {
		kill(burners[i], SIGKILL);
		waitpid(burners[i], NULL, 0);
	}
	free(burners);
}

int main(void)
{
	struct bench b;

	setvbuf(stdout, NULL, _IOLBF, 0);
	memset(&b, 0, sizeof(b));
	clk_real(&b.clk);
	prctl(PR_SET_TIMERSLACK, 1UL);
	b.stat_fd = schedstat_open();
	burn_init(&b.burn, &b.clk, BURN_CPU, 0, false);
	for (int i = 0; i < 3; i++) {
		bench_overhead(&b, 60);
		bench_overhead(&b, 1000);
		bench_overhead(&b, 10000);
	}
	bench_cpu_clock(&b);
	free(b.cell);
	return 0;
}
