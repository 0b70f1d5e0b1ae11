/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of plan: which cells a command line gives, and their size. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "cell.h"
#include "engine/registry.h"
#include "load.h"
#include "plan/plan.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SEC INT64_C(1000000000)
#define MAX_WORDS 16
#define USABLE_CPUS 6

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static int build(struct plan *plan, const char *const *words, char *why)
{
	const char *argv[MAX_WORDS] = { "interbench" };
	struct options o;
	int argc = 1, err;

	while (*words)
		argv[argc++] = *words++;
	why[0] = '\0';
	if (opts_parse(&o, argc, (char **)argv, why, OPTS_WHY_LEN))
		fail_msg("%s", why);
	err = plan_build(plan, &o, USABLE_CPUS, why, OPTS_WHY_LEN);
	opts_release(&o);
	return err;
}

static void assert_builds(struct plan *plan, const char *const *words)
{
	char why[OPTS_WHY_LEN];

	if (build(plan, words, why))
		fail_msg("%s", why);
	assert_string_equal(why, "");
}

static void assert_refused(const char *const *words, const char *expected)
{
	char why[OPTS_WHY_LEN];
	struct plan plan;

	assert_int_equal(build(&plan, words, why), -EINVAL);
	assert_string_equal(why, expected);
	plan_release(&plan);
}

/* The same, for messages that end in a list which grows with the registry. */
static void assert_refused_with(const char *const *words, const char *start,
				const char *const *listed)
{
	char why[OPTS_WHY_LEN];
	struct plan plan;

	assert_int_equal(build(&plan, words, why), -EINVAL);
	if (strncmp(why, start, strlen(start)))
		fail_msg("'%s' is not '%s'...", why, start);
	for (; *listed; listed++)
		assert_non_null(strstr(why + strlen(start), *listed));
	plan_release(&plan);
}

static const struct plan_cell *find(const struct plan *plan, const char *sim,
				    const char *load)
{
	for (size_t k = 0; k < plan->nr_cells; k++) {
		const struct plan_cell *cell = &plan->cells[k];

		if (!strcmp(registry_sim(cell->sim)->title, sim) &&
		    !strcmp(load_entry_title(plan_load(plan, cell->load)), load))
			return cell;
	}
	return NULL;
}

/* "Video/X Video/Burn", for plans small enough to be spelled out. */
static void assert_cells(const char *const *words, const char *expected)
{
	struct plan plan;
	char text[1024] = "";
	size_t len = 0;

	assert_builds(&plan, words);
	for (size_t k = 0; k < plan.nr_cells && len < sizeof(text); k++) {
		const struct plan_cell *cell = &plan.cells[k];

		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%s%s/%s",
			k ? " " : "", registry_sim(cell->sim)->title,
			load_entry_title(plan_load(&plan, cell->load)));
	}
	assert_string_equal(text, expected);
	plan_release(&plan);
}

static bool is_custom(const struct sim *sim)
{
	return sim && sim->flags & SIM_CUSTOM;
}

/* One that needs an option of its own, which is not given here. */
static bool is_optional(const struct load_entry *load, bool custom)
{
	if (load_entry_flags(load) & LOAD_COMMAND)
		return true;
	return is_custom(load->sim) && !custom;
}

#define ANY (~0U)

static bool flagged(unsigned int flags, unsigned int wanted)
{
	return wanted == ANY || flags & wanted;
}

/* All with these flags under all with those, in the order of the registry. */
static void assert_cells_of(const char *const *words, unsigned int sim_flags,
			    unsigned int load_flags, bool custom)
{
	struct plan plan;
	size_t k = 0;

	assert_builds(&plan, words);
	for (uint32_t i = 0; i < registry_nr_sims(); i++) {
		const struct sim *sim = registry_sim(i);

		if (is_custom(sim) ? !custom : !flagged(sim->flags, sim_flags))
			continue;
		for (uint32_t j = 0; j < registry_nr_loads(); j++) {
			const struct load_entry *load = registry_load(j);

			if (load->sim == sim)
				continue;
			if (is_optional(load, custom) ||
			    (!is_custom(load->sim) &&
			     !flagged(load_entry_flags(load), load_flags)))
				continue;
			assert_true(k < plan.nr_cells);
			assert_int_equal(plan.cells[k].sim, i);
			assert_int_equal(plan.cells[k].load, j);
			k++;
		}
	}
	assert_int_equal(k, plan.nr_cells);
	plan_release(&plan);
}

static void a_plain_run_has_every_default_under_every_default(void **state)
{
	struct plan plan;

	(void)state;
	assert_cells_of(WORDS(NULL), SIM_DEFAULT, LOAD_DEFAULT, false);
	assert_builds(&plan, WORDS(NULL));
	assert_non_null(find(&plan, "Audio", "None"));
	assert_non_null(find(&plan, "Gaming", "Burn"));
	assert_non_null(find(&plan, "Video", "X"));
	assert_null(find(&plan, "Video", "Video"));
	assert_null(find(&plan, "Custom", "None"));
	assert_null(find(&plan, "Audio", "Custom"));
	plan_release(&plan);
}

static void custom_joins_tasks_and_loads_when_told(void **state)
{
	(void)state;
	assert_cells_of(WORDS("-C", "50", "-I", "1000"), SIM_DEFAULT,
			LOAD_DEFAULT, true);
	assert_cells_of(WORDS("-C", "50", "-I", "1000", "--quick"), SIM_QUICK,
			LOAD_QUICK, true);
	assert_cells(WORDS("-C5", "-I1000", "-W", "all", "-w", "custom"),
		     "Audio/Custom Video/Custom X/Custom Gaming/Custom");
	assert_cells(WORDS("-C5", "-I1000", "-W", "Custom", "-w", "None"),
		     "Custom/None");
}

static void quick_has_few_of_both_and_6_seconds(void **state)
{
	struct plan plan;

	(void)state;
	assert_cells_of(WORDS("--quick"), SIM_QUICK, LOAD_QUICK, false);
	assert_builds(&plan, WORDS("--quick"));
	assert_true(find(&plan, "Audio", "None")->window_ns == 6 * SEC);
	assert_true(find(&plan, "X", "Burn")->window_ns == 10 * SEC);
	assert_null(find(&plan, "Gaming", "None"));
	plan_release(&plan);
}

static void what_is_named_wins_over_quick(void **state)
{
	struct plan plan;

	(void)state;
	assert_cells(WORDS("--quick", "-W", "Gaming", "-w", "Video", "-w",
			   "X"), "Gaming/Video Gaming/X");
	assert_builds(&plan, WORDS("--quick", "-t", "9"));
	assert_true(find(&plan, "Audio", "None")->window_ns == 9 * SEC);
	plan_release(&plan);
}

static void realtime_leaves_only_real_time_tasks(void **state)
{
	(void)state;
	assert_cells(WORDS("-r", "-w", "None"), "Audio/None Video/None");
	assert_cells(WORDS("-r", "-w", "None", "-W", "all"),
		     "Audio/None Video/None");
	assert_cells(WORDS("-r", "-w", "None", "-C5", "-I1000"),
		     "Audio/None Video/None Custom/None");
}

static void names_ignore_case_and_count_once_in_table_order(void **state)
{
	(void)state;
	assert_cells(WORDS("-w", "BURN", "-w", "none", "-w", "Burn", "-W", "x",
			   "-W", "AUDIO", "-W", "X"),
		     "Audio/None Audio/Burn X/None X/Burn");
}

static void all_is_everything_that_can_run(void **state)
{
	(void)state;
	assert_cells(WORDS("-W", "All", "-w", "none"),
		     "Audio/None Video/None X/None Gaming/None");
	assert_cells_of(WORDS("-W", "all", "-w", "ALL", "-w", "None"), ANY,
			ANY, false);
	assert_cells_of(WORDS("-W", "all", "-w", "all", "-C5", "-I1000"), ANY,
			ANY, true);
	assert_cells_of(WORDS("--quick", "-W", "all", "-w", "all"), ANY, ANY,
			false);
}

static void exclusions_come_last(void **state)
{
	(void)state;
	assert_cells(WORDS("-X", "gaming", "-X", "X", "-w", "Burn"),
		     "Audio/Burn Video/Burn");
	assert_cells(WORDS("-x", "video", "-x", "None", "-W", "Audio", "-w",
			   "None", "-w", "X", "-w", "Video"), "Audio/X");
	assert_cells(WORDS("-x", "Burn", "-w", "Burn", "-w", "X", "-W",
			   "Audio"), "Audio/X");
	assert_cells(WORDS("-X", "Custom", "-x", "custom", "-W", "Audio",
			   "-w", "None"), "Audio/None");
}

static void a_task_is_never_its_own_load(void **state)
{
	(void)state;
	assert_cells(WORDS("-W", "Video", "-W", "X", "-w", "Video", "-w", "X"),
		     "Video/X X/Video");
	assert_refused(WORDS("-W", "Video", "-w", "Video"),
		       "nothing to run: -W and -w leave a task only as "
		       "its own load");
}

static void nothing_left_is_refused(void **state)
{
	(void)state;
	assert_refused(WORDS("-W", "X", "-X", "x"),
		       "nothing to run: -W and -X leave no task");
	assert_refused(WORDS("-X", "all"), "nothing to run: -W and -X leave no task");
	assert_refused(WORDS("-x", "ALL"), "nothing to run: -w and -x leave no load");
}

static void unknown_names_are_refused_with_the_nearest(void **state)
{
	const char *const *sims = WORDS("Audio, ", "Gaming, ", ", all)");
	const char *const *loads = WORDS("None, ", "Burn, ", ", all)");

	(void)state;
	assert_refused_with(WORDS("-W", "vidoe"), "-W vidoe: no such task; "
			    "nearest is Video (tasks: ", sims);
	assert_refused_with(WORDS("-X", "zzz"),
			    "-X zzz: no such task (tasks: ", sims);
	assert_refused_with(WORDS("-w", "nothing"),
			    "-w nothing: no such load (loads: ", loads);
	assert_refused_with(WORDS("-x", "brun"), "-x brun: no such load; "
			    "nearest is Burn (loads: ", loads);
	assert_refused_with(WORDS("-w", "all", "-w", ""),
			    "-w '': no such load (loads: ", loads);
	assert_refused_with(WORDS("-W", "a\nb"),
			    "-W a\\nb: no such task (tasks: ", sims);
}

static void a_name_of_the_other_side_is_explained(void **state)
{
	const char *const *sims = WORDS("Audio, ", "Gaming, ", ", all)");
	const char *const *loads = WORDS("None, ", "Burn, ", ", all)");

	(void)state;
	assert_refused_with(WORDS("-W", "Burn"), "-W Burn: Burn is a load, "
			    "not a task (tasks: ", sims);
	assert_refused_with(WORDS("-X", "none"), "-X none: None is a load, "
			    "not a task (tasks: ", sims);
	assert_refused_with(WORDS("-w", "Audio"), "-w Audio: Audio is a task "
			    "that cannot serve as a load (loads: ", loads);
	assert_refused_with(WORDS("-x", "gaming"), "-x gaming: Gaming is a "
			    "task that cannot serve as a load (loads: ",
			    loads);
}

static void names_that_cannot_run_as_asked_are_refused(void **state)
{
	(void)state;
	assert_refused(WORDS("-W", "Custom"),
		       "-W Custom: needs -C and -I as well");
	assert_refused(WORDS("-w", "custom"),
		       "-w Custom: needs -C and -I as well");
	assert_refused(WORDS("-r", "-W", "all", "-W", "x"),
		       "-W X: X is not a real-time task (-r)");
	assert_refused(WORDS("-r", "-W", "Gaming", "-X", "Gaming"),
		       "-W Gaming: Gaming is not a real-time task (-r)");
}

static void windows_are_whole_sweeps_of_the_task(void **state)
{
	static const struct {
		const char *t;
		int64_t audio_s;
		int64_t x_s;
	} cases[] = {
		{ "1", 1, 10 }, { "10", 10, 10 }, { "11", 11, 20 },
		{ "30", 30, 30 }, { "5m", 300, 300 }, { "301", 301, 310 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct plan plan;

		assert_builds(&plan, WORDS("-t", cases[i].t, "-w", "None"));
		assert_true(find(&plan, "Audio", "None")->window_ns ==
			    cases[i].audio_s * SEC);
		assert_true(find(&plan, "X", "None")->window_ns ==
			    cases[i].x_s * SEC);
		assert_int_equal(find(&plan, "X", "None")->sched.nr_slots,
				 cases[i].x_s * 10);
		plan_release(&plan);
	}
}

static void paced_tasks_have_their_slots_in_segments(void **state)
{
	struct plan plan;
	const struct plan_cell *cell;

	(void)state;
	assert_builds(&plan, WORDS("-t", "30", "-w", "None"));
	cell = find(&plan, "Video", "None");
	assert_int_equal(cell->sched.rate_num, 60);
	assert_int_equal(cell->sched.per_segment, 60);
	assert_int_equal(cell->sched.nr_segments, 30);
	assert_int_equal(cell->sched.nr_slots, 1800);
	assert_int_equal(find(&plan, "Audio", "None")->sched.nr_slots, 600);
	plan_release(&plan);
}

static void unpaced_tasks_have_room_for_every_frame(void **state)
{
	struct plan plan;
	const struct plan_cell *cell;

	(void)state;
	assert_builds(&plan, WORDS("-t", "30", "-w", "None"));
	cell = find(&plan, "Gaming", "None");
	assert_int_equal(cell->sched.rate_num, 0);
	assert_int_equal(cell->sched.nr_slots, 3000 + 2 * 10 + 16);
	assert_int_equal(plan.max_slots, 3036);
	assert_int_equal(plan_memory(&plan),
			 cell_size(3036) + plan.nr_counters *
					   sizeof(struct load_work));
	assert_true(plan.nr_counters >= plan.load_threads);
	plan_release(&plan);
	assert_builds(&plan, WORDS("-t", "30", "-w", "None", "--burn=work"));
	assert_int_equal(find(&plan, "Gaming", "None")->sched.nr_slots,
			 12000 + 2 * 10 + 16);
	plan_release(&plan);
}

static void custom_has_its_exact_rate_and_demand(void **state)
{
	static const struct {
		const char *interval, *cpu;
		uint32_t num, den;
		int64_t busy_ns;
		uint64_t nr_slots;	/* in 10 s */
	} cases[] = {
		{ "1000", "1", 1000, 1, 10000, 10000 },
		{ "100", "100", 10000, 1, 100000, 100000 },
		{ "16666", "40", 500000, 8333, 6666400, 600 },
		{ "4001", "50", 1000000, 4001, 2000500, 2490 },
		{ "1500000", "100", 2, 3, 1500000000, 7 },
		{ "60000000", "50", 1, 60, 30000000000, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct plan_cell *cell;
		const struct sim *sim;
		struct plan plan;

		assert_builds(&plan, WORDS("-C", cases[i].cpu, "-I",
					   cases[i].interval, "-t", "10"));
		cell = find(&plan, "Custom", "None");
		sim = plan_sim(&plan, cell->sim);
		assert_ptr_equal(sim, &plan.custom);
		assert_int_equal(sim->rate_num, cases[i].num);
		assert_int_equal(sim->rate_den, cases[i].den);
		assert_true(sim->busy_ns == cases[i].busy_ns);
		assert_string_equal(sim->title, "Custom");
		assert_int_equal(cell->sched.rate_num, cases[i].num);
		assert_int_equal(cell->sched.nr_slots, cases[i].nr_slots);
		plan_release(&plan);
	}
}

static void other_tasks_are_as_registered(void **state)
{
	struct plan plan;

	(void)state;
	assert_builds(&plan, WORDS("-C5", "-I1000"));
	for (uint32_t i = 0; i < registry_nr_sims(); i++)
		if (!is_custom(registry_sim(i)))
			assert_ptr_equal(plan_sim(&plan, i), registry_sim(i));
	plan_release(&plan);
}

static void too_many_slots_are_refused_by_time(void **state)
{
	struct plan plan;

	(void)state;
	assert_refused(WORDS("-t", "366d", "-W", "Audio"),
		       "-t 366d: Audio would need 632448000 slots, "
		       "at most 16777216");
	assert_refused(WORDS("-t", "90m", "-W", "Custom", "-C1", "-I100"),
		       "-t 90m: Custom would need 54000000 slots, "
		       "at most 16777216");
	assert_refused(WORDS("-t", "80h", "-W", "Video"),
		       "-t 80h: Video would need 17280000 slots, "
		       "at most 16777216");
	assert_refused(WORDS("-t", "838861", "-W", "Audio"),
		       "-t 838861s: Audio would need 16777220 slots, "
		       "at most 16777216");
	assert_builds(&plan, WORDS("-t", "838860", "-W", "Audio"));
	assert_true(plan.max_slots == 16777200);
	plan_release(&plan);
	assert_builds(&plan, WORDS("-t", "366d", "-W", "Custom", "-w", "None",
				   "-C1", "-I60000000"));
	assert_true(plan.max_slots == 366 * 1440);
	assert_true(plan_rest_ns(&plan, 0) > 366 * 86400 * SEC);
	plan_release(&plan);
}

static void a_command_is_a_load_of_its_own(void **state)
{
	const struct load_entry *entry;
	struct plan plan;
	int i;

	(void)state;
	assert_cells(WORDS("-W", "Audio", "-w", "none", "-w", "KERNEL",
			   "--load-cmd", "kernel=make -j8 A=B"),
		     "Audio/None Audio/kernel");
	assert_builds(&plan, WORDS("--load-cmd", "a=x", "--load-cmd", "b=y"));
	i = plan_find_load(&plan, "B");
	assert_int_equal(i, (int)plan.nr_loads - 1);
	entry = plan_load(&plan, (uint32_t)i);
	assert_string_equal(load_entry_name(entry), "b");
	assert_string_equal(entry->command, "y");
	assert_non_null(find(&plan, "Gaming", "a"));
	plan_release(&plan);
	assert_cells(WORDS("-W", "Audio", "-w", "None", "--load-cmd", "a=x"),
		     "Audio/None");
	assert_cells(WORDS("-W", "Audio", "-w", "a", "--load-cmd", "a=x",
			   "-w", "None", "-x", "A"), "Audio/None");
}

static void a_command_needs_a_name_that_is_free_and_plain(void **state)
{
	static const struct {
		const char *given, *fault;
	} cases[] = {
		{ "make", "no command" },
		{ "a=", "no command" },
		{ "=x", "the name must have 1 to 31 characters" },
		{ "a123456789012345678901234567890_=x",
		  "the name must have 1 to 31 characters" },
		{ "a b=x", "the name must consist of letters, digits and "
			   "._+-" },
		{ "-a=x", "the name must consist of letters, digits and ._+-" },
		{ "a%s=x", "the name must consist of letters, digits and "
			   "._+-" },
		{ "BURN=x", "the name is taken" },
		{ "gaming=x", "the name is taken" },
		{ "All=x", "the name is taken" },
	};
	char why[OPTS_WHY_LEN];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(why, sizeof(why), "--load-cmd %s: %s (NAME=COMMAND)",
			 cases[i].given, cases[i].fault);
		assert_refused(WORDS("--load-cmd", cases[i].given), why);
	}
	assert_refused(WORDS("--load-cmd", "a=x", "--load-cmd", "A=y"),
		       "--load-cmd A=y: the name is taken (NAME=COMMAND)");
}

static void load_threads_follow_the_usable_cpus(void **state)
{
	const struct {
		const char *const *words;
		uint32_t threads;
	} cases[] = {
		{ WORDS(NULL), USABLE_CPUS },
		{ WORDS("-u"), 1 },
		{ WORDS("-L", "9"), 9 },
		{ WORDS("-u", "-L", "9"), 9 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct plan plan;

		assert_builds(&plan, cases[i].words);
		assert_int_equal(plan.load_threads, cases[i].threads);
		plan_release(&plan);
	}
}

static void the_set_up_is_taken_over(void **state)
{
	struct plan plan;

	(void)state;
	assert_builds(&plan, WORDS("-r", "-B", "-5", "-N", "7", "-l", "3000",
				   "--seed", "9"));
	assert_true(plan.realtime);
	assert_true(plan.has_bench_nice && plan.has_load_nice);
	assert_int_equal(plan.bench_nice, -5);
	assert_int_equal(plan.load_nice, 7);
	assert_int_equal(plan.burn, BURN_WORK);
	assert_int_equal(plan.loops_per_ms, 3000);
	assert_int_equal(plan.seed, 9);
	plan_release(&plan);
	assert_builds(&plan, WORDS(NULL));
	assert_false(plan.realtime || plan.has_bench_nice ||
		     plan.has_load_nice);
	assert_int_equal(plan.burn, BURN_CPU);
	assert_int_equal(plan.loops_per_ms, 0);
	assert_int_equal(plan.seed, 42);
	plan_release(&plan);
}

/* Alone or among others, a cell is the same measurement. */
static void seeds_depend_on_seed_task_and_load_only(void **state)
{
	struct plan all, one, other;

	(void)state;
	assert_builds(&all, WORDS(NULL));
	for (size_t k = 0; k < all.nr_cells; k++)
		for (size_t l = 0; l < k; l++)
			assert_true(all.cells[k].seed != all.cells[l].seed);
	assert_builds(&one, WORDS("-W", "Video", "-w", "Burn", "-t", "5"));
	assert_true(one.cells[0].seed == find(&all, "Video", "Burn")->seed);
	assert_builds(&other, WORDS("-W", "Video", "-w", "Burn", "--seed",
				    "43"));
	assert_true(other.cells[0].seed != one.cells[0].seed);
	plan_release(&all);
	plan_release(&one);
	plan_release(&other);
}

static void expected_times_add_up(void **state)
{
	struct plan plan;
	int64_t sum = 0;

	(void)state;
	assert_builds(&plan, WORDS("-t", "30", "-w", "None"));
	/* settle 1, discarded and 30 segments with a phase, 0.3 around */
	assert_true(plan_cell_ns(find(&plan, "Audio", "None")) ==
		    (1000 + 31 * 1050 + 300) * SEC / 1000);
	assert_true(plan_cell_ns(find(&plan, "Gaming", "None")) ==
		    (1000 + 1000 + 30000 + 300) * SEC / 1000);
	for (size_t k = plan.nr_cells; k > 0; k--) {
		sum += plan_cell_ns(&plan.cells[k - 1]);
		assert_true(plan_rest_ns(&plan, k - 1) == sum);
	}
	assert_true(plan_rest_ns(&plan, plan.nr_cells) == 0);
	plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_plain_run_has_every_default_under_every_default),
		cmocka_unit_test(custom_joins_tasks_and_loads_when_told),
		cmocka_unit_test(quick_has_few_of_both_and_6_seconds),
		cmocka_unit_test(what_is_named_wins_over_quick),
		cmocka_unit_test(realtime_leaves_only_real_time_tasks),
		cmocka_unit_test(
			names_ignore_case_and_count_once_in_table_order),
		cmocka_unit_test(all_is_everything_that_can_run),
		cmocka_unit_test(exclusions_come_last),
		cmocka_unit_test(a_task_is_never_its_own_load),
		cmocka_unit_test(nothing_left_is_refused),
		cmocka_unit_test(unknown_names_are_refused_with_the_nearest),
		cmocka_unit_test(a_name_of_the_other_side_is_explained),
		cmocka_unit_test(names_that_cannot_run_as_asked_are_refused),
		cmocka_unit_test(windows_are_whole_sweeps_of_the_task),
		cmocka_unit_test(paced_tasks_have_their_slots_in_segments),
		cmocka_unit_test(unpaced_tasks_have_room_for_every_frame),
		cmocka_unit_test(custom_has_its_exact_rate_and_demand),
		cmocka_unit_test(other_tasks_are_as_registered),
		cmocka_unit_test(too_many_slots_are_refused_by_time),
		cmocka_unit_test(a_command_is_a_load_of_its_own),
		cmocka_unit_test(a_command_needs_a_name_that_is_free_and_plain),
		cmocka_unit_test(load_threads_follow_the_usable_cpus),
		cmocka_unit_test(the_set_up_is_taken_over),
		cmocka_unit_test(seeds_depend_on_seed_task_and_load_only),
		cmocka_unit_test(expected_times_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
