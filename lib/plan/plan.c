/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan: which tasks run under which loads, and how large each cell is. */
#include "plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clk.h"
#include "base/rng.h"
#include "base/units.h"
#include "cell.h"
#include "engine/registry.h"
#include "plan/choice.h"
#include "plan/loadlist.h"

#define SETTLE_NS NSEC_PER_SEC		/* the load alone, before a cell */
#define OVERHEAD_NS (300 * NSEC_PER_MSEC)	/* start and end of a cell */
#define SPARE_FRAMES 16
/* --burn=work: the CPU may turn out that much faster than calibrated. */
#define MAX_SPEEDUP 4
/* Work counters of loads that are not sized by -L. */
#define MIN_COUNTERS 16

/* What building a plan takes along. */
struct build {
	const struct options *o;
	struct choice choice;
	char *why;
	size_t why_size;
};

static __attribute__((format(printf, 2, 3))) int
fail(struct build *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(b->why, b->why_size, fmt, ap);
	va_end(ap);
	return -EINVAL;
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
	if (load_entry_flags(plan_load(plan, j)) & LOAD_DATA)
		cell->setup_ns = LOAD_SETUP_NS;
	cell->window_ns = window_of(sim, time_ns);
	cell->seed = cell_seed(plan->seed, sim->name,
			       load_entry_name(plan_load(plan, j)), 0);
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

static int fail_slots(struct build *b, const struct plan *plan,
		      const struct plan_cell *cell)
{
	char t[32];

	format_time(t, sizeof(t), b->o->time_ns);
	return fail(b, "-t %s: %s would need %" PRIu64 " slots, at most %"
		    PRIu64, t, plan_sim(plan, cell->sim)->title,
		    cell->sched.nr_slots, PLAN_MAX_SLOTS);
}

static bool any(const bool *on, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (on[i])
			return true;
	return false;
}

static int fail_empty(struct build *b, const struct plan *plan)
{
	if (!any(b->choice.sims, registry_nr_sims()))
		return fail(b, "nothing to run: -W and -X leave no task");
	if (!any(b->choice.loads, plan->nr_loads))
		return fail(b, "nothing to run: -w and -x leave no load");
	return fail(b, "nothing to run: -W and -w leave a task only as its own "
			    "load");
}

static int add_cell(struct plan *plan, struct build *b, uint32_t i, uint32_t j)
{
	struct plan_cell *cell = &plan->cells[plan->nr_cells];

	fill_cell(plan, cell, i, j, b->o->time_ns);
	if (cell->sched.nr_slots > PLAN_MAX_SLOTS)
		return fail_slots(b, plan, cell);
	if (cell->sched.nr_slots > plan->max_slots)
		plan->max_slots = cell->sched.nr_slots;
	plan->nr_cells++;
	return 0;
}

/* Every chosen task under every chosen load but its own. */
static int fill_cells(struct plan *plan, struct build *b)
{
	size_t nr = (size_t)registry_nr_sims() * plan->nr_loads;
	int err = 0;

	plan->cells = calloc(nr, sizeof(*plan->cells));
	if (!plan->cells)
		return -ENOMEM;
	for (size_t k = 0; k < nr && !err; k++) {
		uint32_t i = (uint32_t)(k / plan->nr_loads);
		uint32_t j = (uint32_t)(k % plan->nr_loads);

		if (b->choice.sims[i] && b->choice.loads[j] &&
		    plan_load(plan, j)->sim != registry_sim(i))
			err = add_cell(plan, b, i, j);
	}
	if (!err && !plan->nr_cells)
		err = fail_empty(b, plan);
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
	plan->nr_counters = plan->load_threads > MIN_COUNTERS
				    ? plan->load_threads : MIN_COUNTERS;
	fill_custom(&plan->custom, o);
}

int plan_build(struct plan *plan, const struct options *o,
	       uint32_t usable_cpus, char *why, size_t why_size)
{
	struct build b = { .o = o, .why = why, .why_size = why_size };
	int err;

	fill_setup(plan, o, usable_cpus);
	err = loadlist_make(plan, o, why, why_size);
	if (!err)
		err = choice_make(&b.choice, o, plan, why, why_size);
	if (!err)
		err = fill_cells(plan, &b);
	choice_release(&b.choice);
	return err;
}

void plan_release(struct plan *plan)
{
	free(plan->cells);
	loadlist_release(plan);
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
		ns += plan_cell_ns(&plan->cells[i]) + plan->cells[i].setup_ns;
	return ns;
}

size_t plan_memory(const struct plan *plan)
{
	return cell_size(plan->max_slots) +
	       plan->nr_counters * sizeof(struct load_work);
}
