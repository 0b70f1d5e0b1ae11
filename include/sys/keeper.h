/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keeper: a small process between the supervisor and a load. It adopts what
 * the load leaves behind, and when the supervisor asks for it or is gone it
 * ends all of it: fork clears PDEATHSIG, and foreign programs never set it.
 */
#ifndef IB_SYS_KEEPER_H
#define IB_SYS_KEEPER_H

#include "sys/child.h"
#include "sys/guard.h"

/*
 * Starts keeper and load. Both write to keeper->up: the load its own messages,
 * the keeper MSG_EXITED once the load is dead or stopped; MSG_GONE follows when
 * nothing of either is left. load->up_fd, death_signal and own_group are ignored.
 * With a guard, the keeper asks it, and kills the load with MSG_GUARD if it
 * trips; its disk_fd are of load->fds, by number in the child. 0 or -errno.
 */
int keeper_start(struct child *keeper, const struct child_spec *load,
		 const struct guard *guard);

/*
 * Asks the load to stop: it gets SIGUSR1, again every 50 ms, to interrupt what
 * it sleeps in; after 0.5 s SIGKILL. Its group and all other descendants are
 * killed when it has ended. 0 or -errno.
 */
int keeper_stop(struct child *keeper);

#endif
