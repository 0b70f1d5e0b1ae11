/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calibrate: measure loops per ms on one CPU; see METHOD.md, 4. */
#include "engine/calibrate.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fileio.h"
#include "engine/burn.h"

#define ROUNDS 3
#define WINDOWS 100
#define WARM_UP_NS (300 * NSEC_PER_MSEC)
#define ROUND_GAP_NS (200 * NSEC_PER_MSEC)
#define BUDGET_NS (10 * NSEC_PER_SEC)

/* The warm-up doubles its chunk until it takes at least so long. */
#define CHUNK_FIRST 16
#define CHUNK_LAST (UINT64_C(1) << 40)
#define CHUNK_MIN_NS (NSEC_PER_MSEC / 2)

#define WINDOWS_SPREAD_PCT 3
#define ROUNDS_SPREAD_PCT 2

/* More CPU numbers than any kernel knows */

struct sampler {
	const struct calibrate_ops *ops;
	uint64_t loops;		/* of a window */
	int64_t shortest_ns;	/* window so far; 0: none yet */
	uint32_t dropped;
	bool coarse;		/* the clock stood still for a window */
};

/* loops * 1e6 / ns, rounded, at least 1; no product can overflow. */
static uint64_t per_ms(uint64_t loops, int64_t ns)
{
	const uint64_t ms = (uint64_t)NSEC_PER_MSEC, t = (uint64_t)ns;
	uint64_t speed;

	if (t > UINT64_MAX / ms / 2)
		speed = loops / (t / ms);
	else
		speed = loops / t * ms + (loops % t * ms + t / 2) / t;
	return speed ? speed : 1;
}

static int64_t timed_spin(const struct calibrate_ops *ops, uint64_t loops)
{
	int64_t start = clk_now(ops->clk);

	ops->spin(ops->arg, loops);
	return clk_now(ops->clk) - start;
}

/*
 * Spins until the CPU is at speed and returns the loops of a window of 1 ms.
 * The fastest chunk counts: a preempted one is only ever slower.
 */
static uint64_t warm_up(const struct calibrate_ops *ops)
{
	int64_t end = clk_now(ops->clk) + WARM_UP_NS;
	uint64_t chunk = CHUNK_FIRST, best = 0;

	while ((clk_now(ops->clk) < end || !best) && chunk < CHUNK_LAST) {
		int64_t took = timed_spin(ops, chunk);
		uint64_t speed;

		if (took < CHUNK_MIN_NS) {
			chunk *= 2;
			continue;
		}
		speed = per_ms(chunk, took);
		if (speed > best)
			best = speed;
	}
	return best ? best : 1;
}

/* One window: its loops per ms, or 0 if it does not count. */
static uint64_t measure_window(struct sampler *s)
{
	const struct calibrate_ops *ops = s->ops;
	uint64_t before = ops->switches(ops->arg);
	int64_t took = timed_spin(ops, s->loops);

	if (!s->shortest_ns || took < s->shortest_ns)
		s->shortest_ns = took;
	if (took <= 0)
		s->coarse = true;
	if (took <= 0 || ops->switches(ops->arg) != before) {
		s->dropped++;
		return 0;
	}
	return per_ms(s->loops, took);
}

/* Fills values and returns their number; starts no window it cannot end. */
static uint32_t measure_round(struct sampler *s, uint64_t *values, int64_t end)
{
	struct clk *clk = s->ops->clk;
	uint32_t nr = 0;

	for (int i = 0; i < WINDOWS; i++) {
		if (clk_now(clk) + s->shortest_ns > end)
			break;
		values[nr] = measure_window(s);
		if (values[nr])
			nr++;
	}
	return nr;
}

static void pause_until(struct clk *clk, int64_t t, int64_t end)
{
	clk_sleep_through(clk, t < end ? t : end);
}

int calibrate_windows(struct calibration *cal, const struct calibrate_ops *ops)
{
	uint64_t values[ROUNDS][WINDOWS];
	uint64_t *const rounds[ROUNDS] = { values[0], values[1], values[2] };
	uint32_t count[ROUNDS];
	struct sampler s = { .ops = ops };
	struct clk *clk = ops->clk;
	int64_t end = clk_now(clk) + BUDGET_NS;

	s.loops = warm_up(ops);
	for (int i = 0; i < ROUNDS; i++) {
		int64_t now = clk_now(clk);

		/* An equal share of what is left: each round has values. */
		count[i] = measure_round(&s, values[i],
					 now + (end - now) / (ROUNDS - i));
		if (i < ROUNDS - 1)
			pause_until(clk, clk_now(clk) + ROUND_GAP_NS, end);
	}
	memset(cal, 0, sizeof(*cal));
	cal->dropped = s.dropped;
	calibrate_judge(cal, rounds, count);
	if (s.coarse)
		cal->stable = false;
	return cal->windows ? 0 : -EIO;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Nearest rank of n > 0 values, as everywhere: the index. */
static uint32_t rank(uint32_t n, uint32_t per_mille)
{
	return (uint32_t)(((uint64_t)n * per_mille + 999) / 1000 - 1);
}

/* Value number k of the sorted rounds taken together. */
static uint64_t kth_value(uint64_t *const rounds[ROUNDS],
			  const uint32_t count[ROUNDS], uint32_t k)
{
	uint32_t at[ROUNDS] = { 0 };
	uint64_t value = 0;

	for (uint32_t i = 0; i <= k; i++) {
		int least = -1;

		for (int r = 0; r < ROUNDS; r++)
			if (at[r] < count[r] &&
			    (least < 0 || rounds[r][at[r]] < value)) {
				least = r;
				value = rounds[r][at[r]];
			}
		if (least < 0)
			break;
		at[least]++;
	}
	return value;
}

/* Are a and b within pct percent of the whole? */
static bool within(uint64_t a, uint64_t b, double pct, uint64_t whole)
{
	return (double)(b - a) * 100 <= pct * (double)whole;
}

void calibrate_judge(struct calibration *cal, uint64_t *const rounds[ROUNDS],
		     const uint32_t count[ROUNDS])
{
	uint64_t lowest = UINT64_MAX, highest = 0;
	bool all = true;

	cal->windows = 0;
	cal->loops_per_ms = cal->p10 = cal->p90 = 0;
	cal->round_spread_pct = 0;
	cal->stable = false;
	for (int r = 0; r < ROUNDS; r++) {
		uint64_t median;

		cal->windows += count[r];
		all = all && count[r];
		if (!count[r])
			continue;
		qsort(rounds[r], count[r], sizeof(*rounds[r]), compare_u64);
		median = rounds[r][rank(count[r], 500)];
		lowest = median < lowest ? median : lowest;
		highest = median > highest ? median : highest;
	}
	if (!cal->windows)
		return;
	cal->p10 = kth_value(rounds, count, rank(cal->windows, 100));
	cal->loops_per_ms = kth_value(rounds, count, rank(cal->windows, 500));
	cal->p90 = kth_value(rounds, count, rank(cal->windows, 900));
	cal->round_spread_pct = (double)(highest - lowest) * 100 /
				(double)cal->loops_per_ms;
	cal->stable = all &&
		      within(cal->p10, cal->p90, WINDOWS_SPREAD_PCT,
			     cal->loops_per_ms) &&
		      within(lowest, highest, ROUNDS_SPREAD_PCT,
			     cal->loops_per_ms);
}

/* Where the kernel tells no capacities, all CPUs are of one class. */
static int64_t cpu_capacity(int cpu)
{
	char path[80];
	int64_t capacity = 0;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%d/cpu_capacity", cpu);
	return file_read_i64(path, &capacity) ? 0 : capacity;
}

/* The first CPU of the highest class, or -1. */
static int choose_cpu(const struct cpumask *allowed)
{
	int64_t capacity, highest = INT64_MIN;
	int cpu, chosen = -1;

	for (cpu = cpumask_first(allowed); cpu >= 0;
	     cpu = cpumask_next(allowed, cpu)) {
		capacity = cpu_capacity(cpu);
		if (capacity > highest) {
			highest = capacity;
			chosen = cpu;
		}
	}
	return chosen;
}

/* Where and how the calling thread ran before. */
struct place {
	struct cpumask mask;
	int policy;	/* SCHED_RESET_ON_FORK included */
	struct sched_param param;
};

/* Not the libc's wrapper: musl refuses what is per thread in Linux. */
static int set_policy(int policy, const struct sched_param *param)
{
	return syscall(SYS_sched_setscheduler, 0, policy, param) ? -errno : 0;
}

static bool is_realtime(int policy)
{
	policy &= ~SCHED_RESET_ON_FORK;
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

/*
 * Warm-up and windows are much more than a real-time thread may spin without
 * pause. The flag stays: to take it away needs privilege.
 */
static int leave_realtime(struct place *old)
{
	const struct sched_param none = { 0 };

	old->policy = (int)syscall(SYS_sched_getscheduler, 0);
	if (old->policy < 0)
		return -errno;
	if (syscall(SYS_sched_getparam, 0, &old->param))
		return -errno;
	if (!is_realtime(old->policy))
		return 0;
	return set_policy(SCHED_OTHER | (old->policy & SCHED_RESET_ON_FORK),
			  &none);
}

static int pin_to(int cpu)
{
	struct cpumask one;
	int err = cpumask_init(&one, cpu + 1);

	if (!err)
		err = cpumask_set(&one, cpu);
	if (!err)
		err = cpumask_set_affinity(&one);
	cpumask_release(&one);
	return err;
}

/* Puts back everything, whatever fails on the way: 0 or the first error. */
static int go_back(struct place *old)
{
	int err = cpumask_set_affinity(&old->mask), err2 = 0;

	if (is_realtime(old->policy))
		err2 = set_policy(old->policy, &old->param);
	cpumask_release(&old->mask);
	return err ? err : err2;
}

static int go_to(int cpu, struct place *old)
{
	int err = cpumask_get_affinity(&old->mask);

	if (err)
		return err;
	err = leave_realtime(old);
	if (err) {
		cpumask_release(&old->mask);
		return err;
	}
	err = pin_to(cpu);
	if (err)
		go_back(old);
	return err;
}

/* Just as a task does its work, reads of the clock included. */
static void real_spin(void *arg, uint64_t loops)
{
	burn_work(arg, loops);
}

static uint64_t real_switches(void *arg)
{
	struct rusage usage = { 0 };

	(void)arg;
	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_nivcsw;
}

bool calibrate_mixed(const struct cpumask *allowed)
{
	int first = cpumask_first(allowed);

	for (int cpu = first; cpu >= 0; cpu = cpumask_next(allowed, cpu))
		if (cpu_capacity(cpu) != cpu_capacity(first))
			return true;
	return false;
}

int calibrate_run(struct calibration *cal, const struct cpumask *allowed,
		  bool syscall_clock, int *cpu)
{
	struct clk clk;
	struct burn burn;
	struct calibrate_ops ops = {
		.clk = &clk,
		.spin = real_spin,
		.switches = real_switches,
		.arg = &burn,
	};
	struct place old;
	int err, err2;

	*cpu = choose_cpu(allowed);
	if (*cpu < 0)
		return -EINVAL;
	err = go_to(*cpu, &old);
	if (err)
		return err;
	clk_real(&clk);
	/* The figure does not matter, only the chunk that goes with the mode. */
	burn_init(&burn, &clk, BURN_WORK, 1, syscall_clock);
	err = calibrate_windows(cal, &ops);
	err2 = go_back(&old);
	return err ? err : err2;
}
