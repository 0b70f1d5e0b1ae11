/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loops: where the loops-per-ms figure of a run comes from. */
#ifndef IB_CMD_LOOPS_H
#define IB_CMD_LOOPS_H

#include "base/cpumask.h"
#include "plan/opts.h"
#include "plan/plan.h"

/*
 * Sets plan->loops_per_ms: -l; else with --burn=work the saved calibration if
 * it is of this machine, kernel and build, or a new one, which is saved unless
 * -c; else the speed of a 50 ms sample. 0, or -errno after a message.
 */
int loops_find(const struct options *o, struct plan *plan,
	       const struct cpumask *allowed, bool syscall_clock);

/* After a --burn=work run: calibrates again, notes a drift of over 3 %. */
void loops_check_drift(const struct options *o, const struct plan *plan,
		       const struct cpumask *allowed, bool syscall_clock);

#endif
