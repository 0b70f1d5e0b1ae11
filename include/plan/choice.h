/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choice: which tasks and loads a command line asks for. Part of the plan. */
#ifndef IB_PLAN_CHOICE_H
#define IB_PLAN_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/plan.h"

struct choice {
	bool *sims;	/* owned; registry_nr_sims() of them */
	bool *loads;	/* owned; plan->nr_loads of them */
};

/*
 * Needs the loads of the plan and nothing else of it. 0, -EINVAL with one line
 * in why, or -ENOMEM. To be released either way.
 */
int choice_make(struct choice *choice, const struct options *o,
		const struct plan *plan, char *why, size_t why_size);
void choice_release(struct choice *choice);

#endif
