/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopsig: SIGINT, SIGTERM, SIGHUP and SIGPIPE ask the supervisor to stop; a
 * second one, at least 0.3 s later, ends it at once. The only mutable
 * file-scope state of the program.
 */
#ifndef IB_SYS_STOPSIG_H
#define IB_SYS_STOPSIG_H

#include <poll.h>
#include <stdint.h>

/*
 * Installs the handlers. A SIGHUP that was ignored (nohup) stays ignored;
 * SIGTSTP and SIGTTOU are ignored while measuring, since a benchmark that is
 * stopped in its middle has no result.
 */
void stopsig_install(void);

/* In a child: default dispositions, but terminal signals are not for it. */
void stopsig_child(void);

/* The first signal that came, or 0. */
int stopsig_pending(void);

/* For fd_write_all(). */
const volatile int *stopsig_flag(void);

/*
 * poll() until deadline_ns of CLOCK_MONOTONIC (INT64_MAX: none). Number of
 * ready fds, 0 at the deadline, -EINTR once a stop signal has come, at any
 * time before or during the call; other interruptions are slept through.
 */
int stopsig_poll(struct pollfd *fds, nfds_t nr, int64_t deadline_ns);

#endif
