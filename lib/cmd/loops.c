/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loops: given, saved, calibrated, or only sampled. */
#include "cmd/loops.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "engine/calibrate.h"

#define SAMPLE_NS (50 * NSEC_PER_MSEC)
#define DRIFT_PCT 3

/* 0 if the saved value may be used; says why if one is there but may not. */
static int use_saved(const struct options *o, struct calibration *cal)
{
	char why[160] = "";
	int err = calibrate_load(cal, o->output_dir, why, sizeof(why));

	if (err && err != -ENOENT)
		diag_note("%s/interbench.loops_per_ms is not used: %s",
			  o->output_dir, why[0] ? why : strerror(-err));
	return err;
}

static int calibrate_now(const struct options *o, struct calibration *cal,
			 const struct cpumask *allowed, bool syscall_clock)
{
	int cpu, err = calibrate_run(cal, allowed, syscall_clock, &cpu);

	if (err) {
		diag_error("calibration: %s", strerror(-err));
		return err;
	}
	if (calibrate_mixed(allowed))
		diag_note("CPUs differ in capacity: the loops are those of "
			  "CPU %d, one of the fastest", cpu);
	if (!cal->stable) {
		diag_note("calibration UNSTABLE %" PRIu64 " %" PRIu64
			  " %" PRIu64 " loops per ms (p10 p50 p90), not saved",
			  cal->p10, cal->loops_per_ms, cal->p90);
		return 0;
	}
	if (o->console)
		return 0;
	err = calibrate_save(cal, o->output_dir);
	if (err)
		diag_note("calibration is not saved: %s", strerror(-err));
	return 0;
}

int loops_find(const struct options *o, struct plan *plan,
	       const struct cpumask *allowed, bool syscall_clock)
{
	struct calibration cal;
	struct clk clk;
	int err = 0;

	if (o->has_loops) {
		plan->loops_per_ms = o->loops_per_ms;
		return 0;
	}
	if (plan->burn == BURN_CPU) {
		clk_real(&clk);
		plan->loops_per_ms = burn_speed(&clk, SAMPLE_NS);
		return 0;
	}
	if (o->recalibrate || use_saved(o, &cal))
		err = calibrate_now(o, &cal, allowed, syscall_clock);
	if (!err)
		plan->loops_per_ms = cal.loops_per_ms;
	return err;
}

void loops_check_drift(const struct options *o, const struct plan *plan,
		       const struct cpumask *allowed, bool syscall_clock)
{
	struct calibration cal;
	uint64_t was = plan->loops_per_ms, diff;
	int cpu;

	if (plan->burn != BURN_WORK || o->has_loops ||
	    calibrate_run(&cal, allowed, syscall_clock, &cpu))
		return;
	diff = cal.loops_per_ms > was ? cal.loops_per_ms - was
				      : was - cal.loops_per_ms;
	if (diff * 100 > was * DRIFT_PCT)
		diag_note("loops per ms drifted from %" PRIu64 " to %" PRIu64
			  " during the run: the work was not what it seemed",
			  was, cal.loops_per_ms);
}
