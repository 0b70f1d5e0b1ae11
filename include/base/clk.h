/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clk: the one clock that is read and slept on. The real one is
 * CLOCK_MONOTONIC; tests put a scripted one in its place.
 */
#ifndef IB_BASE_CLK_H
#define IB_BASE_CLK_H

#include <stdint.h>

#define NSEC_PER_SEC INT64_C(1000000000)
#define NSEC_PER_MSEC INT64_C(1000000)
#define NSEC_PER_USEC INT64_C(1000)

struct clk {
	/* ns, monotonic */
	int64_t (*now)(struct clk *clk);
	/* One sleep to absolute t_ns: 0, or -EINTR. May return too early. */
	int (*sleep_until)(struct clk *clk, int64_t t_ns);
};

/* Fills in CLOCK_MONOTONIC with absolute sleep. */
void clk_real(struct clk *clk);

static inline int64_t clk_now(struct clk *clk)
{
	return clk->now(clk);
}

/* Sleeps to t_ns whatever interrupts it. */
void clk_sleep_through(struct clk *clk, int64_t t_ns);

/* What one read of the clock costs and how fine it is. */
struct clk_quality {
	int64_t res_ns;		/* clock_getres() */
	int64_t step_ns;	/* smallest step seen that is not 0 */
	int64_t read_ns;	/* cost of a read, where nothing came between */
};

/* Takes below 20 ms, whatever the clock. Coarse clocks report their step. */
void clk_measure(struct clk *clk, struct clk_quality *q);

#endif
