/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup: the CPU quota that holds for us, and how often it throttled us. */
#ifndef IB_SYS_CGROUP_H
#define IB_SYS_CGROUP_H

#include <stdint.h>

/*
 * Both walk from our cgroup up to the root, v1 and v2 alike. root is where
 * /proc and /sys are looked for: "" on a running system, a directory in tests.
 */

/* The tightest CPU quota, in CPUs: 0, or -ENOENT if there is none. */
int cgroup_quota(const char *root, double *cpus);

/* Sum of nr_throttled over the levels that have one: 0 or -ENOENT. */
int cgroup_throttled(const char *root, uint64_t *periods);

#endif
