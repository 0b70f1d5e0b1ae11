/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibrate: how many loops a millisecond of this CPU is, for --burn=work
 * (METHOD.md, 4), and whether that figure can be trusted.
 */
#ifndef IB_ENGINE_CALIBRATE_H
#define IB_ENGINE_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clk.h"
#include "base/cpumask.h"

struct calibration {
	uint64_t loops_per_ms;	/* median over all windows that counted */
	uint64_t p10;
	uint64_t p90;
	double round_spread_pct;	/* between the medians of the rounds */
	uint32_t windows;	/* that counted */
	uint32_t dropped;	/* preempted windows */
	bool stable;
};

/* Everything calibrate_windows() needs from outside; tests script it. */
struct calibrate_ops {
	struct clk *clk;
	void (*spin)(void *arg, uint64_t loops);
	/* Involuntary switches of this thread so far. */
	uint64_t (*switches)(void *arg);
	void *arg;
};

/*
 * Where the caller runs now: warm-up, 3 rounds of 100 windows of about 1 ms,
 * 200 ms apart. Ends after 10 s at the latest with the best estimate. 0, or
 * -EIO if not a single window counted.
 */
int calibrate_windows(struct calibration *cal, const struct calibrate_ops *ops);

/* Median, p10, p90, spread and stability of rounds of windows. Pure. */
void calibrate_judge(struct calibration *cal, uint64_t *const rounds[3],
		     const uint32_t count[3]);

/*
 * Calibrates on one CPU of the highest capacity class of the mask, pinned
 * while it lasts (the mask is put back). syscall_clock: as for burn_init().
 * *cpu: where. 0 or -errno.
 */
int calibrate_run(struct calibration *cal, const struct cpumask *allowed,
		  bool syscall_clock, int *cpu);

/* Whether the mask has CPUs of different capacity: one value cannot fit all. */
bool calibrate_mixed(const struct cpumask *allowed);

/*
 * The saved value in dir (interbench.loops_per_ms). It carries CPU model,
 * kernel and build and is used only if all match and it was stable.
 * load: 0; -ENOENT none; -ESTALE from another machine, kernel or build;
 * -EINVAL garbage. why (if not NULL) gets the reason in words.
 */
int calibrate_load(struct calibration *cal, const char *dir, char *why,
		   size_t why_size);
int calibrate_save(const struct calibration *cal, const char *dir);

#endif
