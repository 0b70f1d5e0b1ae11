/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * janitor: a process that sleeps until the supervisor is gone, however it
 * went, and then removes what the run has left: scratch directories, and
 * memory cgroups of dead loads.
 */
#ifndef IB_SYS_JANITOR_H
#define IB_SYS_JANITOR_H

#include "sys/child.h"
#include "sys/scratch.h"

/*
 * Starts it. Of the scratch directories, those that are none are skipped; it
 * has descriptors of its own of them. 0 or -errno.
 */
int janitor_start(struct child *janitor, const struct scratch *scratch,
		  int nr);

/* Lets it do its work and waits for its end, at most some seconds. */
void janitor_end(struct child *janitor);

#endif
