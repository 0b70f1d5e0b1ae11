/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proctree: the CPU time of a process and all that came from it. */
#ifndef IB_SYS_PROCTREE_H
#define IB_SYS_PROCTREE_H

#include <stdint.h>
#include <sys/types.h>

/*
 * CPU time in ns used so far by all descendants of top, the dead ones that
 * were waited for included, without top itself. Live ones are read from their
 * CPU clocks, dead ones in ticks of 1 / sysconf(_SC_CLK_TCK) s a process that
 * waited. 0, or -errno: -ENOENT where there is no /proc.
 */
int proctree_cpu(pid_t top, int64_t *ns);

#endif
