/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session: what cmd_run and cmd_plan have in common: the machine and the plan. */
#ifndef IB_CMD_SESSION_H
#define IB_CMD_SESSION_H

#include "base/strbuf.h"
#include "plan/opts.h"
#include "plan/plan.h"
#include "sys/cpus.h"
#include "sys/scratch.h"

struct session {
	const struct options *o;
	struct cpus cpus;
	struct scratch_place places[LOAD_NR_DISKS];	/* "": none */
	struct plan plan;	/* with its sizes */
};

/*
 * Reads the CPUs (confined to one with -u) and the limits, looks at the scratch
 * directories and builds the plan. 0, or -errno after a message on stderr. To
 * be released either way.
 */
int session_init(struct session *s, const struct options *o);
void session_release(struct session *s);

/*
 * "CPUs: ..." where the run has not simply all that are present, else nothing.
 */
void session_cpus_line(const struct session *s, struct strbuf *sb);

#endif
