/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clk: CLOCK_MONOTONIC behind struct clk, and how good it is. */
#include "base/clk.h"

#include <errno.h>
#include <time.h>

#define MEASURE_READS 2000
#define BATCH_READS 100
#define MEASURE_MAX_NS (10 * NSEC_PER_MSEC)

static int64_t real_now(struct clk *clk)
{
	struct timespec ts;

	(void)clk;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static int real_sleep_until(struct clk *clk, int64_t t_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(t_ns / NSEC_PER_SEC),
		.tv_nsec = (long)(t_ns % NSEC_PER_SEC),
	};

	(void)clk;
	return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

void clk_real(struct clk *clk)
{
	clk->now = real_now;
	clk->sleep_until = real_sleep_until;
}

void clk_sleep_through(struct clk *clk, int64_t t_ns)
{
	while (clk->now(clk) < t_ns)
		clk->sleep_until(clk, t_ns);
}

void clk_measure(struct clk *clk, struct clk_quality *q)
{
	struct timespec res = { 0, 0 };
	int64_t start = clk_now(clk), last = start, batch = start;
	int64_t reads, t;

	clock_getres(CLOCK_MONOTONIC, &res);
	q->res_ns = (int64_t)res.tv_sec * NSEC_PER_SEC + res.tv_nsec;
	q->step_ns = 0;
	q->read_ns = NSEC_PER_SEC;
	/*
	 * A clock of 4 ms stands still for most reads: go on until it has
	 * moved, however many reads that takes. One that never moves ends it.
	 */
	for (reads = 0; reads < MEASURE_READS || !q->step_ns; reads++) {
		t = clk_now(clk);
		if (t != last && (!q->step_ns || t - last < q->step_ns))
			q->step_ns = t - last;
		last = t;
		if (reads % BATCH_READS == BATCH_READS - 1) {
			/* The quickest batch: no other process had a part. */
			if (t - batch < q->read_ns * BATCH_READS)
				q->read_ns = (t - batch) / BATCH_READS;
			batch = t;
		}
		if (t - start > MEASURE_MAX_NS || reads > MEASURE_READS * 5000)
			break;
	}
}
