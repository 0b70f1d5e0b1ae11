/* SPDX-License-Identifier: GPL-2.0-or-later */
/* disk_loads_test: Write, Read and IO_other, and how far they write ahead. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clk.h"
#include "engine/datafile.h"
#include "engine/direct.h"
#include "engine/writeback.h"
#include "load_env.h"

extern const struct load load_write;
extern const struct load load_io_other;
extern const struct load load_read;

/* The ring comes round, and says how large it is. */
static void write_laps(const struct load *load, const char *note)
{
	struct load_env env;
	uint64_t work;

	load_env_open(&env, 4 * MIB + 1);
	assert_int_equal(load_env_run(&env, load, 10 * MIB), 0);
	work = load_env_work(&env);
	assert_true(work >= 10 * MIB);
	assert_int_equal(work % MIB, 0);
	assert_string_equal(env.ctx.note, note);
	assert_null(env.ctx.priv);
	load_env_close(&env);
}

static void write_goes_round_and_leaves_nothing(void **state)
{
	(void)state;
	write_laps(&load_write, "4.0 MiB ring, fs0");
}

static void io_other_does_so_in_the_other_directory(void **state)
{
	(void)state;
	write_laps(&load_io_other, "4.0 MiB ring, fs1");
}

static void a_ring_of_one_block_will_do(void **state)
{
	struct load_env env;

	(void)state;
	load_env_open(&env, MIB);
	assert_int_equal(load_env_run(&env, &load_write, 5 * MIB), 0);
	assert_true(load_env_work(&env) >= 5 * MIB);
	load_env_close(&env);
}

static void without_room_the_probe_says_why(void **state)
{
	static const struct {
		const struct load *load;
		const char *why;
	} cases[] = {
		{ &load_write, "no space for a ring file" },
		{ &load_io_other, "because" },
		{ &load_read, "no space for a data file" },
	};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct load_env env;

		load_env_open(&env, 0);
		memcpy(env.params.disk[LOAD_DISK_OTHER].why, "because", 8);
		assert_int_equal(load_env_run(&env, cases[i].load, 1), -ENOSPC);
		assert_string_equal(env.ctx.why, cases[i].why);
		load_env_close(&env);
	}
}

static void a_directory_that_is_none_fails_the_set_up(void **state)
{
	struct load_env env;
	int fd;

	(void)state;
	load_env_open(&env, MIB);
	fd = env.ctx.dir_fd[LOAD_DISK_HOME];
	env.ctx.dir_fd[LOAD_DISK_HOME] = -1;
	assert_int_equal(load_env_run(&env, &load_write, 1), -EBADF);
	assert_string_equal(env.ctx.why, "ring file: Bad file descriptor");
	assert_null(env.ctx.priv);
	env.ctx.dir_fd[LOAD_DISK_HOME] = fd;
	load_env_close(&env);
}

/* A limit on the size of files, set when it runs, stands for a bad disk. */
static void a_failing_write_ends_the_run_and_says_after_what(void **state)
{
	struct rlimit old, limit;
	struct load_env env;
	int err;

	(void)state;
	load_env_open(&env, 8 * MIB);
	env.ctx.load = &load_write;
	assert_int_equal(load_write.setup(&env.ctx), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 3 * MIB;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	err = load_write.run(&env.ctx);
	setrlimit(RLIMIT_FSIZE, &old);
	load_write.teardown(&env.ctx);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(load_env_work(&env), 3 * MIB);
	assert_string_equal(env.ctx.why,
			    "writing failed after 3.0 MiB: File too large");
	load_env_close(&env);
}

static void read_reads_and_resets_the_file(void **state)
{
	struct load_env env;

	(void)state;
	load_env_open(&env, 4 * MIB);
	assert_int_equal(load_env_run(&env, &load_read, 16 * MIB), 0);
	assert_true(load_env_work(&env) >= 16 * MIB);
	assert_non_null(strstr(env.ctx.note, "4.0 MiB, fs0, 2 threads, "));
	assert_non_null(strstr(env.ctx.note, "O_DIRECT"));
	assert_int_equal(fcntl(env.ctx.data_fd, F_GETFL) & O_DIRECT, 0);
	load_env_close(&env);
}

static void read_uses_no_more_tasks_than_it_may(void **state)
{
	struct load_env env;

	(void)state;
	load_env_open(&env, MIB);
	env.params.cpus = 64;
	assert_int_equal(load_env_run(&env, &load_read, MIB), 0);
	assert_int_equal(env.ctx.nr_workers, 4);
	env.params.max_tasks = 7;
	assert_int_equal(load_env_run(&env, &load_read, MIB), 0);
	assert_int_equal(env.ctx.nr_workers, 3);
	env.params.max_tasks = 1;
	assert_int_equal(load_env_run(&env, &load_read, MIB), 0);
	assert_int_equal(env.ctx.nr_workers, 1);
	load_env_close(&env);
}

static void a_file_that_became_shorter_ends_read(void **state)
{
	struct load_env env;
	int err;

	(void)state;
	load_env_open(&env, 4 * MIB);
	env.ctx.load = &load_read;
	assert_int_equal(load_read.setup(&env.ctx), 0);
	assert_int_equal(ftruncate(env.ctx.data_fd, 0), 0);
	err = load_read.run(&env.ctx);
	load_read.teardown(&env.ctx);
	assert_int_equal(err, -ENODATA);
	assert_string_equal(env.ctx.why,
			    "the data file is shorter than it was");
	load_env_close(&env);
}

static void a_load_that_was_set_up_need_not_run(void **state)
{
	const struct load *loads[] = { &load_write, &load_read };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct load_env env;

		load_env_open(&env, MIB);
		assert_int_equal(loads[i]->setup(&env.ctx), 0);
		loads[i]->teardown(&env.ctx);
		assert_null(env.ctx.priv);
		load_env_close(&env);
	}
}

/* Refuses as long as the file is in direct mode. */
static ssize_t refusing_pread(int fd, void *buf, size_t len, off_t offset)
{
	if (!(fcntl(fd, F_GETFL) & O_DIRECT))
		return pread(fd, buf, len, offset);
	errno = EINVAL;
	return -1;
}

static ssize_t failing_pread(int fd, void *buf, size_t len, off_t offset)
{
	(void)fd;
	(void)buf;
	(void)len;
	(void)offset;
	errno = EIO;
	return -1;
}

static void where_direct_reads_are_refused_they_are_buffered(void **state)
{
	struct direct direct;
	struct load_env env;
	char text[80];
	void *buf = NULL;

	(void)state;
	load_env_open(&env, MIB);
	assert_int_equal(posix_memalign(&buf, DATA_PAGE, DATA_BLOCK), 0);
	assert_int_equal(datafile_grow(&env.ctx, MIB), MIB);
	assert_int_equal(direct_begin(&direct, env.ctx.data_fd, refusing_pread,
				      buf, DATA_BLOCK), 0);
	assert_false(direct.on);
	assert_int_equal(fcntl(env.ctx.data_fd, F_GETFL) & O_DIRECT, 0);
	direct_describe(&direct, text, sizeof(text));
	assert_string_equal(text,
			    "buffered, O_DIRECT refused: Invalid argument");
	assert_int_equal(direct_read(&direct, buf, DATA_PAGE, 0), 0);
	assert_int_equal(direct_read(&direct, buf, DATA_PAGE, MIB), -ENODATA);
	direct_end(&direct);
	free(buf);
	load_env_close(&env);
}

static void an_error_of_the_device_is_no_refusal(void **state)
{
	struct direct direct;
	struct load_env env;
	char buf[16];

	(void)state;
	load_env_open(&env, MIB);
	assert_int_equal(direct_begin(&direct, env.ctx.data_fd, failing_pread,
				      buf, sizeof(buf)), -EIO);
	direct_end(&direct);
	assert_int_equal(fcntl(env.ctx.data_fd, F_GETFL) & O_DIRECT, 0);
	load_env_close(&env);
}

static void the_window_is_what_the_device_writes_in_a_tenth(void **state)
{
	static const struct {
		unsigned int max, window, blocks;
		int64_t ms;
		unsigned int next;
	} cases[] = {
		{ 64, 10, 10, 100, 10 }, { 64, 10, 10, 200, 5 },
		{ 64, 10, 10, 60, 16 }, { 64, 10, 10, 10, 20 },
		{ 64, 10, 10, 0, 20 }, { 64, 40, 40, 1, 64 },
		{ 64, 64, 64, 100000, 2 }, { 8, 8, 8, 1, 8 },
		{ 1, 2, 2, 1, 2 }, { 0, 2, 2, 1000, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct writeback wb;

		writeback_init(&wb, -1, cases[i].max, false);
		wb.window = cases[i].window;
		assert_int_equal(writeback_window(&wb, cases[i].blocks,
						  cases[i].ms * NSEC_PER_MSEC),
				 cases[i].next);
	}
}

static void no_more_blocks_than_the_window_are_under_way(void **state)
{
	struct datasource src;
	struct writeback wb;
	struct load_env env;

	(void)state;
	load_env_open(&env, MIB);
	assert_int_equal(datasource_init(&src, 1), 0);
	writeback_init(&wb, env.ctx.data_fd, 3, true);
	for (uint64_t i = 0; i < 10; i++) {
		assert_int_equal(writeback_block(&wb, &env.ctx,
						 datasource_next(&src),
						 i * DATA_BLOCK), 0);
		assert_true(wb.nr < 3);
	}
	assert_int_equal(writeback_flush(&wb, &env.ctx), 0);
	assert_int_equal(wb.nr, 0);
	wb.no_range = true;
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(writeback_block(&wb, &env.ctx,
						 datasource_next(&src),
						 i * DATA_BLOCK), 0);
	assert_int_equal(writeback_flush(&wb, &env.ctx), 0);
	atomic_store(env.ctx.stop, 1);
	assert_int_equal(writeback_block(&wb, &env.ctx, src.noise, 0), -EINTR);
	datasource_release(&src);
	load_env_close(&env);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write_goes_round_and_leaves_nothing),
		cmocka_unit_test(io_other_does_so_in_the_other_directory),
		cmocka_unit_test(a_ring_of_one_block_will_do),
		cmocka_unit_test(without_room_the_probe_says_why),
		cmocka_unit_test(a_directory_that_is_none_fails_the_set_up),
		cmocka_unit_test(
			a_failing_write_ends_the_run_and_says_after_what),
		cmocka_unit_test(read_reads_and_resets_the_file),
		cmocka_unit_test(read_uses_no_more_tasks_than_it_may),
		cmocka_unit_test(a_file_that_became_shorter_ends_read),
		cmocka_unit_test(a_load_that_was_set_up_need_not_run),
		cmocka_unit_test(
			where_direct_reads_are_refused_they_are_buffered),
		cmocka_unit_test(an_error_of_the_device_is_no_refusal),
		cmocka_unit_test(
			the_window_is_what_the_device_writes_in_a_tenth),
		cmocka_unit_test(no_more_blocks_than_the_window_are_under_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
