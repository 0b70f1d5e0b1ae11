/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of sizes: what a load may use of which machine. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "plan/sizes.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)
#define MB UINT64_C(1000000)

/* A command line on a machine; the plan is to be released. */
struct setting {
	struct options o;
	struct plan plan;
	struct limits limits;
	struct scratch_place places[LOAD_NR_DISKS];
};

static void set_up(struct setting *s, const char *const *words)
{
	const char *argv[16] = { "interbench" };
	char why[OPTS_WHY_LEN];
	int argc = 1;

	memset(s, 0, sizeof(*s));
	while (*words)
		argv[argc++] = *words++;
	if (opts_parse(&s->o, argc, (char **)argv, why, sizeof(why)) ||
	    plan_build(&s->plan, &s->o, 4, why, sizeof(why)))
		fail_msg("%s", why);
	s->limits = (struct limits){
		.machine_bytes = 16 * GIB, .machine_available_bytes = 12 * GIB,
		.ram_bytes = 16 * GIB, .available_bytes = 12 * GIB,
		.max_tasks = 1000, .max_files = 1024,
	};
	s->places[LOAD_DISK_HOME] = (struct scratch_place){
		.path = "/scratch", .fs = "ext4",
		.total_bytes = 200 * GIB, .free_bytes = 100 * GIB,
	};
}

static const struct load_params *sized(struct setting *s)
{
	plan_size(&s->plan, &s->o, 4, &s->limits, s->places);
	return &s->plan.params;
}

static void tear_down(struct setting *s)
{
	plan_release(&s->plan);
	opts_release(&s->o);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void a_file_is_a_tenth_of_what_is_free_and_leaves_a_reserve(void **state)
{
	static const struct {
		uint64_t total, free_bytes, file, read;
	} cases[] = {
		{ 200 * GIB, 100 * GIB, 4 * GIB, 1 * GIB },
		{ 200 * GIB, 20 * GIB, 2 * GIB, 1 * GIB },
		{ 64 * TIB, 60 * TIB, 4 * GIB, 1 * GIB },
		/* the reserve of 5 % is more than 2 GiB */
		{ 200 * GIB, 11 * GIB, GIB / 3, GIB / 3 },
		{ 200 * GIB, 10 * GIB, 0, 0 },
		/* the reserve of 2 GiB is more than 5 % */
		{ 10 * GIB, 3 * GIB, 3 * GIB / 10, 3 * GIB / 10 },
		{ 10 * GIB, 2 * GIB + 99 * MIB, 33 * MIB, 33 * MIB },
		{ 10 * GIB, 2 * GIB + 3 * MIB, MIB, MIB },
		{ 10 * GIB, 2 * GIB + 2 * MIB, 0, 0 },
		{ 100 * MIB, 90 * MIB, 0, 0 },
		{ 6 * MIB, 6 * MIB, 0, 0 },
		{ 0, 0, 0, 0 },
	};
	struct setting s;

	(void)state;
	set_up(&s, WORDS(NULL));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scratch_place *home = &s.places[LOAD_DISK_HOME];
		const struct load_params *p;
		uint64_t bytes;

		home->total_bytes = cases[i].total;
		home->free_bytes = cases[i].free_bytes;
		p = sized(&s);
		bytes = p->disk[LOAD_DISK_HOME].bytes;
		if (bytes != cases[i].file || p->read_bytes != cases[i].read)
			fail_msg("case %zu: %llu, %llu", i,
				 (unsigned long long)bytes,
				 (unsigned long long)p->read_bytes);
		assert_int_equal(!bytes, p->disk[LOAD_DISK_HOME].why[0] != 0);
	}
	tear_down(&s);
}

static void a_size_that_was_asked_for_is_kept_or_refused(void **state)
{
	const struct load_params *p;
	struct setting s;

	(void)state;
	set_up(&s, WORDS("--io-size", "64M"));
	assert_true(sized(&s)->disk[LOAD_DISK_HOME].bytes == 64 * MIB);
	/* A small disk keeps 5 % of it. */
	s.places[LOAD_DISK_HOME].total_bytes = 100 * MIB;
	s.places[LOAD_DISK_HOME].free_bytes = 90 * MIB;
	p = sized(&s);
	assert_true(p->disk[LOAD_DISK_HOME].bytes == 64 * MIB);
	assert_true(p->read_bytes == 21 * MIB / 2);
	assert_true(p->disk[LOAD_DISK_HOME].reserve_bytes == 5 * MIB);
	s.places[LOAD_DISK_HOME].free_bytes = 68 * MIB;
	p = sized(&s);
	assert_true(p->disk[LOAD_DISK_HOME].bytes == 0);
	assert_non_null(strstr(p->disk[LOAD_DISK_HOME].why, "/scratch: 68.0 MiB "
			       "free, too little for 64.0 MiB beside the 5.0 "
			       "MiB that must stay"));
	tear_down(&s);
}

static void memory_is_no_disk(void **state)
{
	const struct load bytes = { .flags = LOAD_DISK | LOAD_BYTES };
	const struct load files = { .flags = LOAD_DISK };
	const struct load_params *p;
	char why[LOAD_WHY_LEN];
	struct setting s;

	(void)state;
	set_up(&s, WORDS(NULL));
	s.places[LOAD_DISK_HOME].in_memory = true;
	snprintf(s.places[LOAD_DISK_HOME].fs,
		 sizeof(s.places[LOAD_DISK_HOME].fs), "tmpfs");
	p = sized(&s);
	assert_true(p->disk[LOAD_DISK_HOME].bytes == GIB / 4);
	assert_int_equal(sizes_check(&bytes, p, why, sizeof(why)), -ENODEV);
	assert_string_equal(why, "the scratch directory is on tmpfs, which is "
				 "memory, no disk (--scratch)");
	assert_int_equal(sizes_check(&files, p, why, sizeof(why)), 0);
	tear_down(&s);
}

static void a_disk_that_cannot_be_used_says_why(void **state)
{
	const struct load home = { .flags = LOAD_DISK };
	const struct load other = { .flags = LOAD_OTHER };
	const struct load none = { .flags = 0 };
	const struct load_params *p;
	char why[LOAD_WHY_LEN];
	struct setting s;

	(void)state;
	set_up(&s, WORDS(NULL));
	s.places[LOAD_DISK_HOME].err = -EROFS;
	p = sized(&s);
	assert_int_not_equal(sizes_check(&home, p, why, sizeof(why)), 0);
	assert_string_equal(why, "/scratch: Read-only file system (--scratch)");
	assert_int_not_equal(sizes_check(&other, p, why, sizeof(why)), 0);
	assert_string_equal(why, "needs --scratch-other DIR");
	assert_int_equal(sizes_check(&none, p, why, sizeof(why)), 0);
	tear_down(&s);
}

static void memory_is_what_is_available_above_a_floor(void **state)
{
	static const struct {
		uint64_t machine, free_bytes, group, group_free;
		uint64_t floor, mem, memload;
	} cases[] = {
		{ 16 * GIB, 12 * GIB, 16 * GIB, 12 * GIB,
		  16 * GIB / 20, 12 * GIB - 16 * GIB / 20, 3 * GIB },
		{ 4 * GIB, 3 * GIB, 4 * GIB, 3 * GIB,
		  512 * MIB, 2560 * MIB, 768 * MIB },
		/* a small machine: a quarter */
		{ 512 * MIB, 400 * MIB, 512 * MIB, 400 * MIB,
		  128 * MIB, 272 * MIB, 100 * MIB },
		{ 16 * GIB, 100 * MIB, 16 * GIB, 100 * MIB,
		  16 * GIB / 20, 0, 25 * MIB },
		{ 64 * TIB, 60 * TIB, 64 * TIB, 60 * TIB,
		  64 * TIB / 20, 60 * TIB - 64 * TIB / 20, 8 * GIB },
		/* a cgroup of 200 MiB on a large machine */
		{ 16 * GIB, 12 * GIB, 200 * MIB, 180 * MIB,
		  16 * GIB / 20, 90 * MIB, 45 * MIB },
	};
	struct setting s;

	(void)state;
	set_up(&s, WORDS(NULL));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct load_params *p;

		s.limits.machine_bytes = cases[i].machine;
		s.limits.machine_available_bytes = cases[i].free_bytes;
		s.limits.ram_bytes = cases[i].group;
		s.limits.available_bytes = cases[i].group_free;
		p = sized(&s);
		if (p->floor_bytes != cases[i].floor ||
		    p->mem_bytes != cases[i].mem ||
		    p->memload_bytes != cases[i].memload)
			fail_msg("case %zu: %llu %llu %llu", i,
				 (unsigned long long)p->floor_bytes,
				 (unsigned long long)p->mem_bytes,
				 (unsigned long long)p->memload_bytes);
	}
	tear_down(&s);
}

static void what_may_use_memory_is_not_started_without(void **state)
{
	const struct load guarded = { .flags = LOAD_GUARD };
	char why[LOAD_WHY_LEN];
	struct setting s;

	(void)state;
	set_up(&s, WORDS(NULL));
	s.limits.available_bytes = s.limits.machine_available_bytes = MIB;
	assert_int_equal(sizes_check(&guarded, sized(&s), why, sizeof(why)),
			 -ENOMEM);
	assert_string_equal(why, "too little memory: at least 819.2 MiB must "
				 "stay available");
	tear_down(&s);
}

static void the_budget_lowers_the_rate_of_the_whole_run(void **state)
{
	static const struct {
		const char *rate, *budget;
		uint64_t want;
	} cases[] = {
		{ "500MB", "100GB", 500 * MB },
		{ "500MB", "none", 500 * MB },
		{ "none", "none", 0 },
		{ "500MB", "3GB", 0 },
		{ "none", "3GB", 0 },
	};
	struct setting s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct load_params *p;
		int64_t ns = 0;

		set_up(&s, WORDS("-W", "Audio", "-W", "Video", "-w", "Write",
				 "-w", "Burn", "-t", "10", "--io-rate",
				 cases[i].rate, "--io-budget",
				 cases[i].budget));
		p = sized(&s);
		for (size_t k = 0; k < s.plan.nr_cells; k += 2)
			ns += plan_cell_ns(&s.plan.cells[k + 1]);
		assert_int_equal(s.plan.nr_cells, 4);
		if (cases[i].want || !strcmp(cases[i].budget, "none")) {
			assert_true(p->io_rate == cases[i].want);
			assert_false(s.plan.rate_lowered);
		} else {
			/* two cells of about 12 s share 3 GB */
			assert_true(p->io_rate > 100 * MB);
			assert_true(p->io_rate < 150 * MB);
			assert_true(s.plan.rate_lowered);
			assert_true(sizes_written(&s.plan) <= 3000 * MB);
		}
		assert_true(ns > 0);
		tear_down(&s);
	}
}

static void the_guard_watches_what_a_load_could_use_up(void **state)
{
	const struct load idle = { .flags = 0 };
	const struct load eater = { .flags = LOAD_GUARD };
	const struct load memory = { .flags = LOAD_GUARD | LOAD_MEMORY };
	struct guard guard;
	struct setting s;

	(void)state;
	set_up(&s, WORDS(NULL));
	s.limits.swap_total_bytes = 10 * GIB;
	s.limits.swap_free_bytes = 9 * GIB;
	sized(&s);
	sizes_guard(&idle, &s.plan.params, &guard);
	assert_true(!guard.mem_floor_bytes && !guard.swap_floor_bytes &&
		    !guard.psi_full_pct);
	sizes_guard(&eater, &s.plan.params, &guard);
	assert_true(guard.mem_floor_bytes == 16 * GIB / 20);
	assert_true(guard.swap_floor_bytes == GIB);
	assert_int_equal(guard.psi_full_pct, 60);
	assert_true(guard.disk_floor_bytes[LOAD_DISK_HOME] == 10 * GIB);
	assert_true(!guard.disk_floor_bytes[LOAD_DISK_OTHER]);
	assert_int_equal(guard.disk_fd[LOAD_DISK_HOME], -1);
	sizes_guard(&memory, &s.plan.params, &guard);
	assert_true(guard.mem_floor_bytes == 16 * GIB / 20);
	assert_int_equal(guard.psi_full_pct, 0);
	s.plan.params.memload_global = true;
	sizes_guard(&memory, &s.plan.params, &guard);
	assert_true(guard.mem_floor_bytes == 0);
	assert_int_equal(guard.psi_full_pct, 60);
	/* Swap that is full already is nobody's fault. */
	s.limits.swap_free_bytes = 100 * MIB;
	sized(&s);
	sizes_guard(&eater, &s.plan.params, &guard);
	assert_true(guard.swap_floor_bytes == 50 * MIB);
	tear_down(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_file_is_a_tenth_of_what_is_free_and_leaves_a_reserve),
		cmocka_unit_test(a_size_that_was_asked_for_is_kept_or_refused),
		cmocka_unit_test(memory_is_no_disk),
		cmocka_unit_test(a_disk_that_cannot_be_used_says_why),
		cmocka_unit_test(memory_is_what_is_available_above_a_floor),
		cmocka_unit_test(what_may_use_memory_is_not_started_without),
		cmocka_unit_test(the_budget_lowers_the_rate_of_the_whole_run),
		cmocka_unit_test(the_guard_watches_what_a_load_could_use_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
