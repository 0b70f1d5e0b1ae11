/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choice: which tasks and loads a command line asks for. */
#include "plan/choice.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "engine/registry.h"

#define ALL "all"

/* May this unit run, and does it without being named? */
enum fit {
	FIT_DEFAULT,
	FIT_NAMED,
	FIT_NEEDS_CUSTOM,
	FIT_NEEDS_COMMAND,
	FIT_NOT_REALTIME,
};

struct chooser;

/* One list, tasks or loads, and what is chosen from it. */
struct side {
	const char *noun;
	char pick;		/* option that picks one */
	char exclude;
	const struct opts_names *picked;
	const struct opts_names *excluded;
	int (*find)(const struct chooser *c, const char *name);
	enum fit (*fit)(const struct chooser *c, uint32_t i);
	const char *confused;	/* a name of the other side is that */
	uint32_t nr;
	const char **titles;	/* owned; one more than nr, for "all" */
	bool *on;		/* owned; what is to run */
};

struct chooser {
	const struct options *o;
	const struct plan *plan;
	char *why;
	size_t why_size;
	struct side sims;
	struct side loads;
};

static __attribute__((format(printf, 2, 3))) int
fail(struct chooser *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->why, c->why_size, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Custom is part of any run that says what it is. */
static enum fit sim_fit(const struct chooser *c, uint32_t i)
{
	const struct options *o = c->o;
	unsigned int flags = registry_sim(i)->flags;
	unsigned int wanted = o->quick ? SIM_QUICK : SIM_DEFAULT;

	if ((flags & SIM_CUSTOM) && !o->has_custom)
		return FIT_NEEDS_CUSTOM;
	if (o->realtime && !(flags & SIM_RT))
		return FIT_NOT_REALTIME;
	return (flags & (wanted | SIM_CUSTOM)) ? FIT_DEFAULT : FIT_NAMED;
}

static enum fit load_fit(const struct chooser *c, uint32_t i)
{
	const struct options *o = c->o;
	const struct load_entry *entry = plan_load(c->plan, i);
	unsigned int wanted = o->quick ? LOAD_QUICK : LOAD_DEFAULT;

	if (entry->sim && (entry->sim->flags & SIM_CUSTOM))
		return o->has_custom ? FIT_DEFAULT : FIT_NEEDS_CUSTOM;
	/* So is a command; without one it is only a name. */
	if (load_entry_flags(entry) & LOAD_COMMAND)
		return entry->command ? FIT_DEFAULT : FIT_NEEDS_COMMAND;
	return (load_entry_flags(entry) & wanted) ? FIT_DEFAULT : FIT_NAMED;
}

/* "None, Video, X, Burn, all" */
static void list_names(char *buf, size_t size, const struct side *side)
{
	size_t len = 0;

	buf[0] = '\0';
	for (uint32_t i = 0; i <= side->nr && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s",
					i ? ", " : "", side->titles[i]);
}

/* A word that is no name of this side; perhaps one of the other. */
static int fail_name(struct chooser *c, const struct side *side, char option,
		     const char *name)
{
	const struct side *other = side == &c->sims ? &c->loads : &c->sims;
	const char *near = nearest_name(name, side->titles, side->nr + 1);
	char word[NEAREST_QUOTE_LEN], list[OPTS_WHY_LEN];
	int i = other->find(c, name);

	nearest_quote(word, sizeof(word), name);
	list_names(list, sizeof(list), side);
	if (i >= 0)
		return fail(c, "-%c %s: %s is %s (%ss: %s)", option, word,
			    other->titles[i], side->confused, side->noun,
			    list);
	return fail(c, "-%c %s: no such %s%s%s (%ss: %s)", option, word,
		    side->noun, near ? "; nearest is " : "", near ? near : "",
		    side->noun, list);
}

static int pick_name(struct chooser *c, struct side *side, const char *name)
{
	int i = side->find(c, name);

	if (i < 0)
		return fail_name(c, side, side->pick, name);
	switch (side->fit(c, (uint32_t)i)) {
	case FIT_NEEDS_CUSTOM:
		return fail(c, "-%c %s: needs -C and -I as well", side->pick,
			    side->titles[i]);
	case FIT_NEEDS_COMMAND:
		return fail(c, "-%c %s: needs --load-cmd NAME=COMMAND, and is "
			    "then called NAME", side->pick, side->titles[i]);
	case FIT_NOT_REALTIME:
		return fail(c, "-%c %s: %s is not a real-time task (-r)",
			    side->pick, side->titles[i], side->titles[i]);
	case FIT_DEFAULT:
	case FIT_NAMED:
		break;
	}
	side->on[i] = true;
	return 0;
}

/* Everything that fits at least so well. */
static void pick_fitting(struct chooser *c, struct side *side, enum fit fit)
{
	for (uint32_t i = 0; i < side->nr; i++)
		side->on[i] |= side->fit(c, i) <= fit;
}

static int pick(struct chooser *c, struct side *side)
{
	const struct opts_names *picked = side->picked;
	int err = 0;

	if (picked->nr == 0)
		pick_fitting(c, side, FIT_DEFAULT);
	for (size_t k = 0; k < picked->nr && !err; k++) {
		if (!strcasecmp(picked->names[k], ALL))
			pick_fitting(c, side, FIT_NAMED);
		else
			err = pick_name(c, side, picked->names[k]);
	}
	return err;
}

static int exclude(struct chooser *c, struct side *side)
{
	for (size_t k = 0; k < side->excluded->nr; k++) {
		const char *name = side->excluded->names[k];
		int i;

		if (!strcasecmp(name, ALL)) {
			memset(side->on, 0, side->nr * sizeof(*side->on));
			continue;
		}
		i = side->find(c, name);
		if (i < 0)
			return fail_name(c, side, side->exclude, name);
		side->on[i] = false;
	}
	return 0;
}

static int choose(struct chooser *c)
{
	int err = pick(c, &c->sims);

	if (!err)
		err = pick(c, &c->loads);
	if (!err)
		err = exclude(c, &c->sims);
	if (!err)
		err = exclude(c, &c->loads);
	return err;
}

static int find_sim(const struct chooser *c, const char *name)
{
	(void)c;
	return registry_find_sim(name);
}

static int find_load(const struct chooser *c, const char *name)
{
	return plan_find_load(c->plan, name);
}

static int side_alloc(struct side *side)
{
	side->titles = calloc(side->nr + 1, sizeof(*side->titles));
	side->on = calloc(side->nr, sizeof(*side->on));
	if (!side->titles || !side->on)
		return -ENOMEM;
	side->titles[side->nr] = ALL;
	return 0;
}

static int chooser_init(struct chooser *c)
{
	c->sims = (struct side){
		.noun = "task", .pick = 'W', .exclude = 'X',
		.picked = &c->o->sims, .excluded = &c->o->excluded_sims,
		.find = find_sim, .fit = sim_fit,
		.confused = "a load, not a task",
		.nr = registry_nr_sims(),
	};
	c->loads = (struct side){
		.noun = "load", .pick = 'w', .exclude = 'x',
		.picked = &c->o->loads, .excluded = &c->o->excluded_loads,
		.find = find_load, .fit = load_fit,
		.confused = "a task that cannot serve as a load",
		.nr = c->plan->nr_loads,
	};
	if (side_alloc(&c->sims) || side_alloc(&c->loads))
		return -ENOMEM;
	for (uint32_t i = 0; i < c->sims.nr; i++)
		c->sims.titles[i] = registry_sim(i)->title;
	for (uint32_t i = 0; i < c->loads.nr; i++)
		c->loads.titles[i] = load_entry_title(plan_load(c->plan, i));
	return 0;
}

static void chooser_release(struct chooser *c)
{
	free(c->sims.titles);
	free(c->sims.on);
	free(c->loads.titles);
	free(c->loads.on);
}

int choice_make(struct choice *choice, const struct options *o,
		const struct plan *plan, char *why, size_t why_size)
{
	struct chooser c = {
		.o = o, .plan = plan, .why = why, .why_size = why_size
	};
	int err = chooser_init(&c);

	if (!err)
		err = choose(&c);
	/* What is chosen stays; the rest was only needed for that. */
	*choice = (struct choice){ .sims = c.sims.on, .loads = c.loads.on };
	c.sims.on = NULL;
	c.loads.on = NULL;
	chooser_release(&c);
	return err;
}

void choice_release(struct choice *choice)
{
	free(choice->sims);
	free(choice->loads);
	*choice = (struct choice){ .sims = NULL };
}
