/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schedattr: sched_setattr(2) and sched_getattr(2), which have no wrappers. */
#include "sys/schedattr.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The layout of SCHED_ATTR_SIZE_VER0, which every kernel takes. */
struct kernel_attr {
	uint32_t size;
	uint32_t sched_policy;
	uint64_t sched_flags;
	int32_t sched_nice;
	uint32_t sched_priority;
	uint64_t sched_runtime;
	uint64_t sched_deadline;
	uint64_t sched_period;
};

static bool is_fair(uint32_t policy)
{
	return policy == SCHED_OTHER || policy == SCHED_BATCH;
}

int schedattr_get(struct schedattr *attr)
{
	struct kernel_attr k;

	memset(&k, 0, sizeof(k));
	if (syscall(SYS_sched_getattr, 0, &k, sizeof(k), 0))
		return -errno;
	attr->policy = k.sched_policy;
	attr->rt_prio = k.sched_priority;
	attr->nice = k.sched_nice;
	attr->slice_ns = is_fair(k.sched_policy) ? k.sched_runtime : 0;
	return 0;
}

int schedattr_set(const struct schedattr *attr)
{
	struct kernel_attr k;

	memset(&k, 0, sizeof(k));
	k.size = sizeof(k);
	k.sched_policy = attr->policy;
	k.sched_priority = attr->rt_prio;
	k.sched_nice = attr->nice;
	k.sched_runtime = attr->slice_ns;
	return syscall(SYS_sched_setattr, 0, &k, 0) ? -errno : 0;
}

/* In a child: does asking for no slice of its own change the slice? */
static int slice_is_own(const struct schedattr *attr)
{
	struct schedattr base = *attr;

	base.slice_ns = 0;
	if (schedattr_set(&base) || schedattr_get(&base))
		return 0;
	return base.slice_ns != attr->slice_ns;
}

int schedattr_inherited(struct schedattr *attr)
{
	int err = schedattr_get(attr), status;
	pid_t pid;

	if (err || !attr->slice_ns)
		return err;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(slice_is_own(attr));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 1)
		attr->slice_ns = 0;
	return 0;
}

bool schedattr_same(const struct schedattr *a, const struct schedattr *b)
{
	if (a->policy != b->policy || a->rt_prio != b->rt_prio)
		return false;
	return !is_fair(a->policy) || a->nice == b->nice;
}
