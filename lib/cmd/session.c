/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session: CPUs and plan of a command line. */
#include "cmd/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/nearest.h"
#include "plan/sizes.h"

/* A directory that was named must be one; it may turn out to be full. */
static int look_at(struct scratch_place *place, const char *option,
		   const char *dir)
{
	char quoted[NEAREST_QUOTE_LEN];

	scratch_look(place, dir);
	if (place->fs[0])
		return 0;
	nearest_quote(quoted, sizeof(quoted), dir);
	diag_error("%s %s: %s", option, quoted, strerror(-place->err));
	return place->err;
}

/* TMPDIR, if it is on a disk and writable; else where the log goes. */
static void look_around(struct scratch_place *place, const struct options *o)
{
	const char *tmp = getenv("TMPDIR");

	if (tmp && *tmp) {
		scratch_look(place, tmp);
		if (!place->err && !place->in_memory)
			return;
	}
	scratch_look(place, o->output_dir);
}

static int find_places(struct session *s)
{
	const struct options *o = s->o;
	struct scratch_place *home = &s->places[LOAD_DISK_HOME];
	int err = 0;

	if (o->scratch)
		err = look_at(home, "--scratch", o->scratch);
	else
		look_around(home, o);
	if (!err && o->scratch_other)
		err = look_at(&s->places[LOAD_DISK_OTHER], "--scratch-other",
			      o->scratch_other);
	return err;
}

static int size_loads(struct session *s)
{
	struct limits limits;
	int err = find_places(s);

	if (err)
		return err;
	err = limits_read(&limits, "");
	if (err) {
		diag_error("limits of this process: %s", strerror(-err));
		return err;
	}
	plan_size(&s->plan, s->o, s->cpus.usable, &limits, s->places);
	return 0;
}

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
	if (err) {
		diag_error("%s", why[0] ? why : strerror(-err));
		return err;
	}
	return size_loads(s);
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
