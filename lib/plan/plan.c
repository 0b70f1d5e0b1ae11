/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan: which tasks run under which loads, and how large each cell is. */
#include "plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clk.h"
#include "base/nearest.h"
#include "base/rng.h"
#include "cell.h"
#include "engine/registry.h"

#define SETTLE_NS NSEC_PER_SEC		/* the load alone, before a cell */
#define OVERHEAD_NS (300 * NSEC_PER_MSEC)	/* start and end of a cell */
#define SPARE_FRAMES 16
/* --burn=work: the CPU may turn out that much faster than calibrated. */
#define MAX_SPEEDUP 4

#define ALL "all"

/* May this unit run, and does it without being named? */
enum fit { FIT_DEFAULT, FIT_NAMED, FIT_NEEDS_CUSTOM, FIT_NOT_REALTIME };

/* One registry, tasks or loads, and what is chosen from it. */
struct side {
	const char *noun;
	char pick;		/* option that picks one */
	char exclude;
	const struct opts_names *picked;
	const struct opts_names *excluded;
	int (*find)(const char *name);
	enum fit (*fit)(const struct options *o, uint32_t i);
	const char *confused;	/* a name of the other side is that */
	uint32_t nr;
	const char **titles;	/* owned; one more than nr, for "all" */
	bool *on;		/* owned; what is to run */
};

struct choice {
	const struct options *o;
	char *why;
	size_t why_size;
	struct side sims;
	struct side loads;
};

static __attribute__((format(printf, 2, 3))) int
fail(struct choice *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->why, c->why_size, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Custom is part of any run that says what it is. */
static enum fit sim_fit(const struct options *o, uint32_t i)
{
	unsigned int flags = registry_sim(i)->flags;
	unsigned int wanted = o->quick ? SIM_QUICK : SIM_DEFAULT;

	if ((flags & SIM_CUSTOM) && !o->has_custom)
		return FIT_NEEDS_CUSTOM;
	if (o->realtime && !(flags & SIM_RT))
		return FIT_NOT_REALTIME;
	return (flags & (wanted | SIM_CUSTOM)) ? FIT_DEFAULT : FIT_NAMED;
}

static enum fit load_fit(const struct options *o, uint32_t i)
{
	const struct load_entry *entry = registry_load(i);
	unsigned int wanted = o->quick ? LOAD_QUICK : LOAD_DEFAULT;

	if (entry->sim && (entry->sim->flags & SIM_CUSTOM))
		return o->has_custom ? FIT_DEFAULT : FIT_NEEDS_CUSTOM;
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
static int fail_name(struct choice *c, const struct side *side, char option,
		     const char *name)
{
	const struct side *other = side == &c->sims ? &c->loads : &c->sims;
	const char *near = nearest_name(name, side->titles, side->nr + 1);
	char word[NEAREST_QUOTE_LEN], list[OPTS_WHY_LEN];
	int i = other->find(name);

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

static int pick_name(struct choice *c, struct side *side, const char *name)
{
	int i = side->find(name);

	if (i < 0)
		return fail_name(c, side, side->pick, name);
	switch (side->fit(c->o, (uint32_t)i)) {
	case FIT_NEEDS_CUSTOM:
		return fail(c, "-%c %s: needs -C and -I as well", side->pick,
			    side->titles[i]);
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
static void pick_fitting(struct choice *c, struct side *side, enum fit fit)
{
	for (uint32_t i = 0; i < side->nr; i++)
		side->on[i] |= side->fit(c->o, i) <= fit;
}

static int pick(struct choice *c, struct side *side)
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

static int exclude(struct choice *c, struct side *side)
{
	for (size_t k = 0; k < side->excluded->nr; k++) {
		const char *name = side->excluded->names[k];
		int i;

		if (!strcasecmp(name, ALL)) {
			memset(side->on, 0, side->nr * sizeof(*side->on));
			continue;
		}
		i = side->find(name);
		if (i < 0)
			return fail_name(c, side, side->exclude, name);
		side->on[i] = false;
	}
	return 0;
}

static int choose(struct choice *c)
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

static int side_alloc(struct side *side)
{
	side->titles = calloc(side->nr + 1, sizeof(*side->titles));
	side->on = calloc(side->nr, sizeof(*side->on));
	if (!side->titles || !side->on)
		return -ENOMEM;
	side->titles[side->nr] = ALL;
	return 0;
}

static int choice_init(struct choice *c)
{
	c->sims = (struct side){
		.noun = "task", .pick = 'W', .exclude = 'X',
		.picked = &c->o->sims, .excluded = &c->o->excluded_sims,
		.find = registry_find_sim, .fit = sim_fit,
		.confused = "a load, not a task",
		.nr = registry_nr_sims(),
	};
	c->loads = (struct side){
		.noun = "load", .pick = 'w', .exclude = 'x',
		.picked = &c->o->loads, .excluded = &c->o->excluded_loads,
		.find = registry_find_load, .fit = load_fit,
		.confused = "a task that cannot serve as a load",
		.nr = registry_nr_loads(),
	};
	if (side_alloc(&c->sims) || side_alloc(&c->loads))
		return -ENOMEM;
	for (uint32_t i = 0; i < c->sims.nr; i++)
		c->sims.titles[i] = registry_sim(i)->title;
	for (uint32_t i = 0; i < c->loads.nr; i++)
		c->loads.titles[i] = load_entry_title(registry_load(i));
	return 0;
}

static void choice_release(struct choice *c)
{
	free(c->sims.titles);
	free(c->sims.on);
	free(c->loads.titles);
	free(c->loads.on);
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void fill_custom(struct sim *custom, const struct options *o)
{
	uint32_t common;

	for (uint32_t i = 0; i < registry_nr_sims(); i++)
		if (registry_sim(i)->flags & SIM_CUSTOM)
			*custom = *registry_sim(i);
	if (!o->has_custom)
		return;
	common = gcd(1000000, o->custom_interval_us);
	custom->rate_num = 1000000 / common;
	custom->rate_den = o->custom_interval_us / common;
	/* us * 1000 * pct / 100 */
	custom->busy_ns = (int64_t)o->custom_interval_us * 10 *
			  o->custom_cpu_pct;
}

/* -t, rounded up to whole sweeps of the task. */
static int64_t window_of(const struct sim *sim, int64_t time_ns)
{
	int64_t sweep;

	if (!sim->sweep || !sim->rate_num)
		return time_ns;
	sweep = sim->sweep * NSEC_PER_SEC * sim->rate_den / sim->rate_num;
	return sweep > 0 ? (time_ns + sweep - 1) / sweep * sweep : time_ns;
}

/* Frames that fit in the window if nothing disturbs, and some more. */
static uint64_t frames_room(const struct sim *sim, int64_t window_ns,
			    enum burn_mode burn)
{
	int64_t frame_ns = sim->busy_ns > 0 ? sim->busy_ns : 1;
	uint64_t frames = (uint64_t)(window_ns / frame_ns);

	return frames * (burn == BURN_WORK ? MAX_SPEEDUP : 1) +
	       2 * (uint64_t)sim->job_frames + SPARE_FRAMES;
}

static uint64_t cell_seed(uint64_t seed, const char *sim, const char *load,
			  uint32_t round)
{
	uint64_t hash = hash_u64(0, seed);

	hash = hash_str(hash, sim);
	hash = hash_str(hash, load);
	return hash_u64(hash, round);
}

static void fill_cell(const struct plan *plan, struct plan_cell *cell,
		      uint32_t i, uint32_t j, int64_t time_ns)
{
	const struct sim *sim = plan_sim(plan, i);

	*cell = (struct plan_cell){ .sim = i, .load = j };
	cell->window_ns = window_of(sim, time_ns);
	cell->seed = cell_seed(plan->seed, sim->name,
			       load_entry_name(registry_load(j)), 0);
	if (sim->flags & SIM_UNPACED)
		cell->sched.nr_slots = frames_room(sim, cell->window_ns,
						   plan->burn);
	else
		schedule_plan(&cell->sched, sim->rate_num, sim->rate_den,
			      cell->window_ns);
}

/* "366d": the largest unit that leaves nothing over. */
static void format_time(char *buf, size_t size, int64_t ns)
{
	int64_t s = ns / NSEC_PER_SEC;

	if (s % 86400 == 0)
		snprintf(buf, size, "%" PRId64 "d", s / 86400);
	else if (s % 3600 == 0)
		snprintf(buf, size, "%" PRId64 "h", s / 3600);
	else if (s % 60 == 0)
		snprintf(buf, size, "%" PRId64 "m", s / 60);
	else
		snprintf(buf, size, "%" PRId64 "s", s);
}

static int fail_slots(struct choice *c, const struct plan *plan,
		      const struct plan_cell *cell)
{
	char t[32];

	format_time(t, sizeof(t), c->o->time_ns);
	return fail(c, "-t %s: %s would need %" PRIu64 " slots, at most %"
		    PRIu64, t, plan_sim(plan, cell->sim)->title,
		    cell->sched.nr_slots, PLAN_MAX_SLOTS);
}

static bool any(const struct side *side)
{
	for (uint32_t i = 0; i < side->nr; i++)
		if (side->on[i])
			return true;
	return false;
}

static int fail_empty(struct choice *c)
{
	if (!any(&c->sims))
		return fail(c, "nothing to run: -W and -X leave no task");
	if (!any(&c->loads))
		return fail(c, "nothing to run: -w and -x leave no load");
	return fail(c, "nothing to run: -W and -w leave a task only as its own "
			    "load");
}

static int add_cell(struct plan *plan, struct choice *c, uint32_t i, uint32_t j)
{
	struct plan_cell *cell = &plan->cells[plan->nr_cells];

	fill_cell(plan, cell, i, j, c->o->time_ns);
	if (cell->sched.nr_slots > PLAN_MAX_SLOTS)
		return fail_slots(c, plan, cell);
	if (cell->sched.nr_slots > plan->max_slots)
		plan->max_slots = cell->sched.nr_slots;
	plan->nr_cells++;
	return 0;
}

/* Every chosen task under every chosen load but its own. */
static int fill_cells(struct plan *plan, struct choice *c)
{
	size_t nr = (size_t)c->sims.nr * c->loads.nr;
	int err = 0;

	plan->cells = calloc(nr, sizeof(*plan->cells));
	if (!plan->cells)
		return -ENOMEM;
	for (size_t k = 0; k < nr && !err; k++) {
		uint32_t i = (uint32_t)(k / c->loads.nr);
		uint32_t j = (uint32_t)(k % c->loads.nr);

		if (c->sims.on[i] && c->loads.on[j] &&
		    registry_load(j)->sim != registry_sim(i))
			err = add_cell(plan, c, i, j);
	}
	if (!err && !plan->nr_cells)
		err = fail_empty(c);
	return err;
}

static void fill_setup(struct plan *plan, const struct options *o,
		       uint32_t usable_cpus)
{
	uint32_t cpus = o->uniprocessor || !usable_cpus ? 1 : usable_cpus;

	*plan = (struct plan){
		.load_threads = o->has_load_threads ? o->load_threads : cpus,
		.realtime = o->realtime,
		.has_bench_nice = o->has_bench_nice,
		.bench_nice = o->bench_nice,
		.has_load_nice = o->has_load_nice,
		.load_nice = o->load_nice,
		.burn = o->burn,
		.loops_per_ms = o->has_loops ? o->loops_per_ms : 0,
		.seed = o->seed,
	};
	fill_custom(&plan->custom, o);
}

int plan_build(struct plan *plan, const struct options *o,
	       uint32_t usable_cpus, char *why, size_t why_size)
{
	struct choice c = { .o = o, .why = why, .why_size = why_size };
	int err;

	fill_setup(plan, o, usable_cpus);
	err = choice_init(&c);
	if (!err)
		err = choose(&c);
	if (!err)
		err = fill_cells(plan, &c);
	choice_release(&c);
	return err;
}

void plan_release(struct plan *plan)
{
	free(plan->cells);
	*plan = (struct plan){ .cells = NULL };
}

const struct sim *plan_sim(const struct plan *plan, uint32_t i)
{
	const struct sim *sim = registry_sim(i);

	return (sim->flags & SIM_CUSTOM) ? &plan->custom : sim;
}

int64_t plan_warm_ns(const struct plan_cell *cell)
{
	if (!cell->sched.rate_num)
		return NSEC_PER_SEC;
	return schedule_span(&cell->sched, cell->sched.per_segment) +
	       schedule_span(&cell->sched, 1);
}

int64_t plan_cell_ns(const struct plan_cell *cell)
{
	int64_t ns = SETTLE_NS + plan_warm_ns(cell) + OVERHEAD_NS;

	if (cell->sched.rate_num)
		return ns + schedule_max_ns(&cell->sched);
	return ns + cell->window_ns;
}

int64_t plan_rest_ns(const struct plan *plan, size_t i)
{
	int64_t ns = 0;

	for (; i < plan->nr_cells; i++)
		ns += plan_cell_ns(&plan->cells[i]);
	return ns;
}

size_t plan_memory(const struct plan *plan)
{
	return cell_size(plan->max_slots) +
	       plan->load_threads * sizeof(struct load_work);
}
