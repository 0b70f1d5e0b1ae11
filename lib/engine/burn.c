/* SPDX-License-Identifier: GPL-2.0-or-later */
/* burn: spin in short chunks and count only the time that was ours. */
#include "engine/burn.h"

#include <errno.h>
#include <string.h>

#define CHUNK_NS 400
/* A fixed number of loops needs no fine steps: reads cost it next to nothing. */
#define CHUNK_WORK_NS (5 * NSEC_PER_USEC)
#define CHUNK_SYSCALL_NS (20 * NSEC_PER_USEC)
#define GAP_MIN_NS (3 * NSEC_PER_USEC)
#define SEED_NS (20 * NSEC_PER_MSEC)
/* Enough seeding reads for a median even where every one takes ages. */
#define SEED_MIN_READS 64

/*
 * The empty asm has the counter as an operand that it might have changed: no
 * compiler may shorten, merge or drop the loop.
 */
__attribute__((noinline)) void burn_loops(uint64_t loops)
{
	for (; loops; loops--)
		__asm__ volatile("" : "+r"(loops));
}

static int64_t gap_limit(const struct burn *burn)
{
	int64_t limit = 4 * burn->median_ns;

	return limit > burn->gap_min_ns ? limit : burn->gap_min_ns;
}

/* The median moves by a 32nd of itself towards each step, gap or not. */
static void follow_median(struct burn *burn, int64_t step)
{
	int64_t move = burn->median_ns / 32;

	if (move < 1)
		move = 1;
	if (step > burn->median_ns)
		burn->median_ns += move;
	else if (step < burn->median_ns)
		burn->median_ns -= move;
}

/* So many loops and one read: the length of that. */
static int64_t spin(struct burn *burn, uint64_t loops, int64_t *last)
{
	int64_t now, step;

	burn_loops(loops);
	now = burn->clk->now(burn->clk);
	step = now - *last;
	*last = now;
	burn->total.reads++;
	return step;
}

/* What counts of a step: nothing if it is a gap. */
static int64_t account(struct burn *burn, uint64_t loops, int64_t step,
		       int64_t limit)
{
	if (step > limit) {
		burn->total.gaps++;
		burn->total.gap_ns += step;
		return 0;
	}
	burn->total.burnt_ns += step;
	burn->total.loops += loops;
	return step;
}

/* One chunk and one read; returns what of it counts, 0 for a gap. */
static int64_t burn_step(struct burn *burn, int64_t *last)
{
	int64_t limit = gap_limit(burn), step = spin(burn, burn->chunk, last);

	follow_median(burn, step);
	return account(burn, burn->chunk, step, limit);
}

static void burn_time(struct burn *burn, int64_t demand_ns)
{
	int64_t last = burn->clk->now(burn->clk), sum = 0;

	burn->total.reads++;
	while (sum < demand_ns)
		sum += burn_step(burn, &last);
}

/*
 * The loops of a gap were done too, only the time was not ours alone: they
 * count for the demand, but neither for the time nor for the speed.
 */
void burn_work(struct burn *burn, uint64_t loops)
{
	int64_t last = burn->clk->now(burn->clk);

	burn->total.reads++;
	for (; loops >= burn->chunk; loops -= burn->chunk)
		burn_step(burn, &last);
	/* The rest is shorter than the steps that the median is made of. */
	if (loops)
		account(burn, loops, spin(burn, loops, &last), gap_limit(burn));
}

static void burn_demanded_work(struct burn *burn, int64_t demand_ns)
{
	uint64_t per_ms = burn->loops_per_ms;
	uint64_t ms = (uint64_t)demand_ns / (uint64_t)NSEC_PER_MSEC;
	uint64_t rest = (uint64_t)demand_ns % (uint64_t)NSEC_PER_MSEC;

	burn_work(burn, per_ms * ms + per_ms * rest / (uint64_t)NSEC_PER_MSEC);
}

void burn_run(void *arg, int64_t demand_ns)
{
	struct burn *burn = arg;

	if (burn->mode == BURN_WORK)
		burn_demanded_work(burn, demand_ns);
	else
		burn_time(burn, demand_ns);
}

/*
 * Loops worth target_ns now: the fastest of a few samples, each long enough
 * for the clock, so that an interrupt or a preemption does not count.
 */
static uint64_t fit_chunk(struct clk *clk, int64_t target_ns)
{
	uint64_t loops = 1000;
	int64_t best = INT64_MAX;

	for (int i = 0; i < 20;) {
		int64_t start = clk->now(clk), took;

		burn_loops(loops);
		took = clk->now(clk) - start;
		if (took < 20 * NSEC_PER_USEC && loops < UINT64_C(1) << 40) {
			loops *= 2;
			continue;
		}
		if (took < best)
			best = took;
		i++;
	}
	loops = loops * (uint64_t)target_ns / (uint64_t)best;
	return loops ? loops : 1;
}

static void seed_median(struct burn *burn)
{
	int64_t last = burn->clk->now(burn->clk), end = last + SEED_NS;

	burn->median_ns = burn->chunk_ns;
	for (int reads = 0; last < end || reads < SEED_MIN_READS; reads++)
		burn_step(burn, &last);
	memset(&burn->total, 0, sizeof(burn->total));
}

int burn_init(struct burn *burn, struct clk *clk, enum burn_mode mode,
	      uint64_t loops_per_ms, bool syscall_clock)
{
	if (mode == BURN_WORK && !loops_per_ms)
		return -EINVAL;
	memset(burn, 0, sizeof(*burn));
	burn->clk = clk;
	burn->mode = mode;
	burn->loops_per_ms = loops_per_ms;
	burn->chunk_ns = mode == BURN_WORK ? CHUNK_WORK_NS : CHUNK_NS;
	if (syscall_clock)
		burn->chunk_ns = CHUNK_SYSCALL_NS;
	burn->gap_min_ns = 3 * burn->chunk_ns;
	if (burn->gap_min_ns < GAP_MIN_NS)
		burn->gap_min_ns = GAP_MIN_NS;
	burn->chunk = fit_chunk(clk, burn->chunk_ns);
	seed_median(burn);
	return 0;
}

uint64_t burn_speed(struct clk *clk, int64_t sample_ns)
{
	struct burn burn;
	int64_t last, end;

	burn_init(&burn, clk, BURN_CPU, 0, false);
	last = clk->now(clk);
	end = last + sample_ns;
	while (last < end)
		burn_step(&burn, &last);
	if (burn.total.burnt_ns <= 0)
		return 1;
	return burn.total.loops * (uint64_t)NSEC_PER_MSEC /
	       (uint64_t)burn.total.burnt_ns;
}
