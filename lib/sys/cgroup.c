/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup: read cpu.max, cpu.cfs_quota_us and cpu.stat up to the root. */
#include "sys/cgroup.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sys/cgpath.h"

/* Quota of one level in CPUs, or 0 for none. */
static double level_quota(const struct cgpath *at)
{
	char text[128], *end;
	double quota, period;

	if (at->v2) {
		if (cgpath_read(at, "cpu.max", text, sizeof(text)) < 0)
			return 0;
		quota = (double)strtoll(text, &end, 10);
		period = (double)strtoll(end, NULL, 10);
		return end != text && period > 0 ? quota / period : 0;
	}
	if (cgpath_read(at, "cpu.cfs_quota_us", text, sizeof(text)) < 0)
		return 0;
	quota = (double)strtoll(text, NULL, 10);
	if (cgpath_read(at, "cpu.cfs_period_us", text, sizeof(text)) < 0)
		return 0;
	period = (double)strtoll(text, NULL, 10);
	return quota > 0 && period > 0 ? quota / period : 0;
}

/* Periods of one level that were throttled, or -1. */
static int64_t level_throttled(const struct cgpath *at)
{
	char text[4096];
	const char *found;

	if (cgpath_read(at, "cpu.stat", text, sizeof(text)) < 0)
		return -1;
	found = strstr(text, "nr_throttled ");
	return found ? strtoll(found + strlen("nr_throttled "), NULL, 10) : -1;
}

int cgroup_quota(const char *root, double *cpus)
{
	struct cgpath at;
	double least = 0;

	for (int v2 = 0; v2 <= 1; v2++) {
		if (cgpath_find(&at, root, "cpu", v2))
			continue;
		do {
			double quota = level_quota(&at);

			if (quota > 0 && (!(least > 0) || quota < least))
				least = quota;
		} while (cgpath_up(&at));
	}
	*cpus = least;
	return least > 0 ? 0 : -ENOENT;
}

int cgroup_throttled(const char *root, uint64_t *periods)
{
	struct cgpath at;
	int err = -ENOENT;

	*periods = 0;
	for (int v2 = 0; v2 <= 1; v2++) {
		if (cgpath_find(&at, root, "cpu", v2))
			continue;
		do {
			int64_t nr = level_throttled(&at);

			if (nr >= 0) {
				*periods += (uint64_t)nr;
				err = 0;
			}
		} while (cgpath_up(&at));
	}
	return err;
}
