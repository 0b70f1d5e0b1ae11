/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus: which CPUs this process may use, and how many of them it can. */
#ifndef IB_SYS_CPUS_H
#define IB_SYS_CPUS_H

#include <stdint.h>

#include "base/cpumask.h"

struct cpus {
	struct cpumask allowed;	/* affinity mask; any ids, any number */
	double quota;		/* CPUs of the tightest cgroup quota, 0: none */
	uint32_t usable;	/* min(allowed, ceil(quota)), at least 1 */
	char online[128];	/* kernel lists, "" where unknown */
	char present[128];
	char possible[128];
};

/* root as in cgroup.h. 0 or -errno; ends with cpus_release(). */
int cpus_read(struct cpus *cpus, const char *root);
void cpus_release(struct cpus *cpus);

/* Confines the calling process to one CPU, the first of its mask. */
int cpus_pin_one(struct cpus *cpus);

#endif
