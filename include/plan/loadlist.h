/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loadlist: the loads that a run can have: those of the registry as the options
 * have them, and a row of its own for each --load-cmd. Part of the plan.
 */
#ifndef IB_PLAN_LOADLIST_H
#define IB_PLAN_LOADLIST_H

#include <stddef.h>

#include "plan/plan.h"

/* Names of a row: letters, digits and ._+- only, one that no other has. */
#define LOADLIST_NAME_MAX 31

/*
 * Fills in plan->loads. 0, -EINVAL with one line in why, or -ENOMEM. The plan
 * must not be moved afterwards; loadlist_release() is due either way.
 */
int loadlist_make(struct plan *plan, const struct options *o, char *why,
		  size_t why_size);
void loadlist_release(struct plan *plan);

#endif
