/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schedstat: the run time of the calling thread as the scheduler last counted
 * it: exact right after a wake, and free of the side effects that reading a
 * CPU clock has (METHOD.md, 1 and 4).
 */
#ifndef IB_SYS_SCHEDSTAT_H
#define IB_SYS_SCHEDSTAT_H

#include <stdint.h>

/* A descriptor for schedstat_run_ns() of this thread, or -errno. */
int schedstat_open(void);

/* ns of run time so far, or 0 where it cannot be read. */
uint64_t schedstat_run_ns(int fd);

#endif
