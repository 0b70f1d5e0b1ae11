/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus: sched_getaffinity at any size, and the quota. */
#include "sys/cpus.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/fileio.h"
#include "sys/cgroup.h"

static void read_list(const char *root, const char *name, char *text,
		      size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/%s", root,
		 name);
	if (file_read(path, text, size) < 0)
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

static void count_usable(struct cpus *cpus)
{
	double quota = ceil(cpus->quota);
	int allowed = cpumask_count(&cpus->allowed);

	cpus->usable = allowed > 0 ? (uint32_t)allowed : 1;
	if (cpus->quota > 0 && quota < cpus->usable)
		cpus->usable = (uint32_t)quota;
}

int cpus_read(struct cpus *cpus, const char *root)
{
	int err;

	memset(cpus, 0, sizeof(*cpus));
	err = cpumask_get_affinity(&cpus->allowed);
	if (err)
		return err;
	if (cgroup_quota(root, &cpus->quota))
		cpus->quota = 0;
	read_list(root, "online", cpus->online, sizeof(cpus->online));
	read_list(root, "present", cpus->present, sizeof(cpus->present));
	read_list(root, "possible", cpus->possible, sizeof(cpus->possible));
	count_usable(cpus);
	return 0;
}

void cpus_release(struct cpus *cpus)
{
	cpumask_release(&cpus->allowed);
}

int cpus_pin_one(struct cpus *cpus)
{
	struct cpumask one;
	int cpu = cpumask_first(&cpus->allowed);
	int err = cpumask_init(&one, cpu + 1);

	if (!err)
		err = cpumask_set(&one, cpu);
	if (!err)
		err = cpumask_set_affinity(&one);
	if (err) {
		cpumask_release(&one);
		return err;
	}
	cpumask_release(&cpus->allowed);
	cpus->allowed = one;
	count_usable(cpus);
	return 0;
}
