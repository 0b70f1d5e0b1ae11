/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schedattr: policy, priority, nice and slice of the calling thread. */
#ifndef IB_SYS_SCHEDATTR_H
#define IB_SYS_SCHEDATTR_H

#include <stdbool.h>
#include <stdint.h>

/* Nothing CPU-bound and nothing of ours goes above threaded interrupts (50). */
#define SCHED_PRIO_SUPERVISOR 49
#define SCHED_PRIO_TASK 48

struct schedattr {
	uint32_t policy;	/* SCHED_OTHER, SCHED_FIFO ... */
	uint32_t rt_prio;	/* 0 unless real-time */
	int32_t nice;
	uint64_t slice_ns;	/* fair tasks: a slice of their own, or 0 */
};

/*
 * Of the calling thread. slice_ns is what the kernel reports, the base slice
 * included (Linux 6.12 and later; 0 before). 0 or -errno.
 */
int schedattr_get(struct schedattr *attr);

/* Sets them; slice_ns 0 means the base slice. 0 or -errno. */
int schedattr_set(const struct schedattr *attr);

/*
 * What this process inherited, ready to be set again later: slice_ns stays 0
 * if it is only the base slice, which may change meanwhile. 0 or -errno.
 * Forks a short-lived child where that has to be found out.
 */
int schedattr_inherited(struct schedattr *attr);

/*
 * Same policy, priority and nice; the nice value of other than fair policies
 * reads as 0 and does not count. The slice is not compared.
 */
bool schedattr_same(const struct schedattr *a, const struct schedattr *b);

#endif
