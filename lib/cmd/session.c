/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session: CPUs and plan of a command line. */
#include "cmd/session.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"

int session_init(struct session *s, const struct options *o)
{
	char why[OPTS_WHY_LEN] = "";
	int err;

	memset(s, 0, sizeof(*s));
	s->o = o;
	err = cpus_read(&s->cpus, "");
	if (!err && o->uniprocessor)
		err = cpus_pin_one(&s->cpus);
	if (err) {
		diag_error("CPU affinity: %s", strerror(-err));
		return err;
	}
	err = plan_build(&s->plan, o, s->cpus.usable, why, sizeof(why));
	if (err)
		diag_error("%s", why[0] ? why : strerror(-err));
	return err;
}

void session_release(struct session *s)
{
	plan_release(&s->plan);
	cpus_release(&s->cpus);
}

/* Whether the kernel's list is just the CPUs that we may use. */
static bool same_cpus(const char *list, const struct cpumask *allowed)
{
	struct cpumask mask;
	bool equal;

	if (!list[0] || cpumask_parse(&mask, list))
		return true;
	equal = cpumask_equal(&mask, allowed);
	cpumask_release(&mask);
	return equal;
}

/* No affinity, no CPU offline, no quota: nothing to tell. */
static bool all_cpus(const struct cpus *cpus)
{
	return same_cpus(cpus->online, &cpus->allowed) &&
	       same_cpus(cpus->present, &cpus->allowed) && !(cpus->quota > 0);
}

void session_cpus_line(const struct session *s, struct strbuf *sb)
{
	const struct cpus *cpus = &s->cpus;

	if (all_cpus(cpus) && !s->o->uniprocessor)
		return;
	strbuf_adds(sb, "CPUs: ");
	cpumask_format(sb, &cpus->allowed);
	strbuf_addf(sb, " allowed%s, %s online, %s possible",
		    s->o->uniprocessor ? " (-u)" : "",
		    cpus->online[0] ? cpus->online : "?",
		    cpus->possible[0] ? cpus->possible : "?");
	if (cpus->quota > 0)
		strbuf_addf(sb, ", quota of %d.%02d", (int)cpus->quota,
			    (int)(cpus->quota * 100) % 100);
	if (cpumask_count(&cpus->allowed) == 1)
		strbuf_adds(sb, "; task and load share one CPU");
}
