/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loads_sched_test: Ring, Hack and Process fit in, work, end and fail loudly. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "load.h"
#include "load_rig.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIB (UINT64_C(1) << 20)
#define NO_LIMIT UINT32_MAX

extern const struct load load_ring, load_hack, load_process;

static const struct load *const loads[] = {
	&load_ring, &load_hack, &load_process,
};

struct size_case {
	uint32_t cpus, max_tasks, max_files;
	uint64_t mem_bytes;
	const char *text;	/* the note, or why it is skipped */
};

static void assert_sizes(const struct load *load, const struct size_case *c,
			 size_t nr)
{
	for (size_t i = 0; i < nr; i++, c++) {
		struct load_params params = {
			.cpus = c->cpus, .max_tasks = c->max_tasks,
			.max_files = c->max_files, .mem_bytes = c->mem_bytes,
		};
		struct load_ctx ctx = { .load = load, .params = &params };
		int err = load->probe(&ctx);

		assert_string_equal(err ? ctx.why : ctx.note, c->text);
		assert_int_equal(!err, !ctx.why[0]);
	}
}

static void ring_takes_one_thread_a_cpu(void **state)
{
	static const struct size_case cases[] = {
		{ 1, 1000, 64, 1024 * MIB, "1 ring of 2 threads" },
		{ 2, 1000, 64, 1024 * MIB, "1 ring of 2 threads" },
		{ 6, 1000, 64, 1024 * MIB, "1 ring of 6 threads" },
		{ 15, 1000, 64, 1024 * MIB, "1 ring of 8 threads" },
		{ 16, 1000, 64, 1024 * MIB, "2 rings of 8 threads" },
		{ 1024, NO_LIMIT, 64, 1024 * MIB, "128 rings of 8 threads" },
		{ 256, 40, 64, 1024 * MIB, "2 rings of 8 threads" },
		{ 8, 9, 64, 1024 * MIB, "1 ring of 4 threads" },
		{ 8, 4, 64, 1024 * MIB, "1 ring of 2 threads" },
		{ 8, 3, 64, 1024 * MIB, "a ring needs 2 threads, no more than "
					"3 tasks can be made" },
	};

	(void)state;
	assert_sizes(&load_ring, cases, ARRAY_SIZE(cases));
}

static void hack_shrinks_to_what_fits(void **state)
{
	static const struct size_case cases[] = {
		{ 1, 1000, 1024, 1024 * MIB,
		  "1 group of 40 processes over pipes and local sockets" },
		{ 8, 1000, 1024, 1024 * MIB,
		  "2 groups of 40 processes over pipes and local sockets" },
		{ 1024, NO_LIMIT, NO_LIMIT, 65536 * MIB,
		  "16 groups of 40 processes over pipes and local sockets" },
		{ 64, 400, 1024, 65536 * MIB,
		  "5 groups of 40 processes over pipes and local sockets" },
		{ 64, 79, 1024, 65536 * MIB,
		  "1 group of 38 processes over pipes and local sockets" },
		{ 64, 4, 1024, 65536 * MIB,
		  "1 group of 2 processes over pipes" },
		{ 64, 3, 1024, 65536 * MIB,
		  "not even a sender and a receiver fit: limit of tasks 3" },
		{ 2, 1000, 64, 1024 * MIB,
		  "1 group of 40 processes over pipes and local sockets" },
		{ 2, 1000, 32, 1024 * MIB,
		  "1 group of 16 processes over pipes and local sockets" },
		{ 2, 1000, 18, 1024 * MIB,
		  "1 group of 2 processes over pipes" },
		{ 2, 1000, 17, 1024 * MIB,
		  "not even a sender and a receiver fit: limit of open files "
		  "17" },
		{ 64, 4000, 1024, 200 * MIB,
		  "2 groups of 40 processes over pipes and local sockets" },
		{ 64, 4000, 1024, 20 * MIB,
		  "1 group of 8 processes over pipes and local sockets" },
		{ 64, 4000, 1024, 4 * MIB,
		  "not even a sender and a receiver fit: bytes of memory "
		  "4194304" },
	};

	(void)state;
	assert_sizes(&load_hack, cases, ARRAY_SIZE(cases));
}

static void process_shrinks_to_what_fits(void **state)
{
	static const struct size_case cases[] = {
		{ 1, 1000, 64, 1024 * MIB,
		  "a ring of 4 processes, 2 chunks of 4 KiB in it" },
		{ 2, 1000, 22, 1024 * MIB,
		  "a ring of 8 processes, 4 chunks of 4 KiB in it" },
		{ 256, NO_LIMIT, NO_LIMIT, 65536 * MIB,
		  "a ring of 1024 processes, 512 chunks of 4 KiB in it" },
		{ 8, 11, 64, 1024 * MIB,
		  "a ring of 5 processes, 2 chunks of 4 KiB in it" },
		{ 8, 4, 64, 1024 * MIB,
		  "a ring of 2 processes, 1 chunk of 4 KiB in it" },
		{ 8, 1000, 64, 10 * MIB,
		  "a ring of 4 processes, 2 chunks of 4 KiB in it" },
		{ 8, 3, 64, 1024 * MIB,
		  "not even a ring of 2 processes fits: limit of tasks 3" },
		{ 8, 1000, 21, 1024 * MIB,
		  "not even a ring of 2 processes fits: limit of open files "
		  "21" },
		{ 8, 1000, 64, 4 * MIB,
		  "not even a ring of 2 processes fits: bytes of memory "
		  "4194304" },
	};

	(void)state;
	assert_sizes(&load_process, cases, ARRAY_SIZE(cases));
}

/* Starts it, sees it work, and stops it. */
static void assert_works_and_stops(struct load_rig *rig,
				   const struct load *load)
{
	load_rig_start(rig, load);
	assert_true(load_rig_works(rig));
	assert_true(load_rig_works(rig));
	load_rig_stop(rig);
	assert_int_equal(load_rig_end(rig), 0);
	assert_string_equal(rig->shared->why, "");
	assert_string_not_equal(rig->shared->note, "");
	assert_int_equal(rig->shared->left, 0);
}

static void each_works_until_it_is_stopped(void **state)
{
	static const uint32_t cpus[] = { 1, 2, 8 };
	struct load_rig rig;

	(void)state;
	load_rig_init(&rig);
	for (size_t i = 0; i < ARRAY_SIZE(loads) * ARRAY_SIZE(cpus); i++) {
		rig.params.cpus = cpus[i % ARRAY_SIZE(cpus)];
		assert_works_and_stops(&rig, loads[i / ARRAY_SIZE(cpus)]);
	}
	load_rig_release(&rig);
}

static void several_rings_all_end(void **state)
{
	struct load_rig rig;

	(void)state;
	load_rig_init(&rig);
	rig.params.cpus = 24;
	assert_works_and_stops(&rig, &load_ring);
	assert_string_equal(rig.shared->note, "3 rings of 8 threads");
	load_rig_release(&rig);
}

static void each_works_with_the_least_that_it_accepts(void **state)
{
	struct load_rig rig;

	(void)state;
	load_rig_init(&rig);
	rig.params.max_tasks = 4;
	rig.params.max_files = 22;
	rig.params.mem_bytes = 8 * MIB;
	rig.max_open = rig.params.max_files;
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		assert_works_and_stops(&rig, loads[i]);
	load_rig_release(&rig);
}

static void a_stop_before_the_run_ends_it_at_once(void **state)
{
	struct load_rig rig;

	(void)state;
	load_rig_init(&rig);
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		load_rig_start(&rig, loads[i]);
		atomic_store(&rig.shared->stop, 1);
		assert_int_equal(load_rig_end(&rig), 0);
		assert_int_equal(rig.shared->left, 0);
	}
	load_rig_release(&rig);
}

static void what_was_set_up_and_never_run_is_taken_down(void **state)
{
	struct load_rig rig;

	(void)state;
	load_rig_init(&rig);
	rig.skip_run = true;
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		load_rig_start(&rig, loads[i]);
		assert_int_equal(load_rig_end(&rig), 0);
		assert_int_equal(rig.shared->left, 0);
		assert_int_equal(rig.shared->work[0].n, 0);
	}
	load_rig_release(&rig);
}

static void the_death_of_a_worker_is_reported(void **state)
{
	static const struct load *const with_processes[] = {
		&load_hack, &load_process,
	};
	struct load_rig rig;

	(void)state;
	load_rig_init(&rig);
	for (size_t i = 0; i < ARRAY_SIZE(with_processes); i++) {
		load_rig_start(&rig, with_processes[i]);
		assert_true(load_rig_works(&rig));
		if (!load_rig_kill_worker(&rig)) {
			load_rig_stop(&rig);
			load_rig_end(&rig);
			print_message("no /proc to find a worker in\n");
			skip();
		}
		assert_int_equal(load_rig_end(&rig), -ECHILD);
		assert_non_null(strstr(rig.shared->why,
				       " was killed by signal 9 ("));
		assert_int_equal(rig.shared->left, 0);
	}
	load_rig_release(&rig);
}

/* A limit that was looked at too early is met while the pipes are made. */
static void too_few_descriptors_fail_the_setup(void **state)
{
	static const struct load *const with_pipes[] = {
		&load_hack, &load_process,
	};
	struct load_rig rig;

	(void)state;
	load_rig_init(&rig);
	rig.max_open = 5;
	for (size_t i = 0; i < ARRAY_SIZE(with_pipes); i++) {
		load_rig_start(&rig, with_pipes[i]);
		assert_int_equal(load_rig_end(&rig), -EMFILE);
		assert_non_null(strstr(rig.shared->why, "could be made: "));
		assert_int_equal(rig.shared->left, 0);
	}
	load_rig_release(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ring_takes_one_thread_a_cpu),
		cmocka_unit_test(hack_shrinks_to_what_fits),
		cmocka_unit_test(process_shrinks_to_what_fits),
		cmocka_unit_test(each_works_until_it_is_stopped),
		cmocka_unit_test(several_rings_all_end),
		cmocka_unit_test(each_works_with_the_least_that_it_accepts),
		cmocka_unit_test(a_stop_before_the_run_ends_it_at_once),
		cmocka_unit_test(what_was_set_up_and_never_run_is_taken_down),
		cmocka_unit_test(the_death_of_a_worker_is_reported),
		cmocka_unit_test(too_few_descriptors_fail_the_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
