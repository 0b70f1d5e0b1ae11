/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of parts: loads that run together are one load. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "engine/parts.h"
#include "load_env.h"

static const char *const three[] = { "burn", "write", "read", NULL };
static const char *const unknown[] = { "burn", "nonsense", NULL };

static struct load whole(const char *const *names)
{
	struct load load = {
		.name = "whole", .title = "Whole", .unit = "bytes",
		.parts = names, .probe = parts_probe, .setup = parts_setup,
		.run = parts_run, .teardown = parts_teardown,
	};

	return load;
}

static void what_counts_is_what_has_the_unit_of_the_whole(void **state)
{
	const struct load load = whole(three);
	struct load_env env;

	(void)state;
	load_env_open(&env, 8 * MIB);
	assert_int_equal(load_env_run(&env, &load, 4 * MIB), 0);
	/* Burn has counted elsewhere: all is made of whole transfers. */
	assert_true(load_env_work(&env) >= 4 * MIB);
	assert_int_equal(load_env_work(&env) % 4096, 0);
	assert_non_null(strstr(env.ctx.note, "Burn; Write: 8.0 MiB ring"));
	assert_non_null(strstr(env.ctx.note, "; Read: 8.0 MiB"));
	assert_null(env.ctx.priv);
	load_env_close(&env);
}

static void the_probe_of_a_part_is_that_of_the_whole(void **state)
{
	const struct load load = whole(three), strange = whole(unknown);
	struct load_env env;

	(void)state;
	load_env_open(&env, 0);
	assert_int_equal(load_env_run(&env, &load, 1), -ENOSPC);
	assert_string_equal(env.ctx.why, "Write: no space for a ring file");
	assert_int_equal(load_env_run(&env, &strange, 1), -ENOENT);
	load_env_close(&env);
}

static void a_set_up_that_fails_half_way_is_torn_down(void **state)
{
	const struct load load = whole(three);
	struct load_env env;
	int fd;

	(void)state;
	load_env_open(&env, MIB);
	fd = env.ctx.dir_fd[LOAD_DISK_HOME];
	env.ctx.dir_fd[LOAD_DISK_HOME] = -1;
	assert_int_equal(load_env_run(&env, &load, 1), -EBADF);
	assert_string_equal(env.ctx.why,
			    "Write: ring file: Bad file descriptor");
	assert_null(env.ctx.priv);
	env.ctx.dir_fd[LOAD_DISK_HOME] = fd;
	load_env_close(&env);
}

static void the_first_part_that_fails_ends_all(void **state)
{
	const struct load load = whole(three);
	struct rlimit old, limit;
	struct load_env env;
	int err;

	(void)state;
	load_env_open(&env, 8 * MIB);
	env.ctx.load = &load;
	assert_int_equal(parts_setup(&env.ctx), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 3 * MIB;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	err = parts_run(&env.ctx);
	setrlimit(RLIMIT_FSIZE, &old);
	parts_teardown(&env.ctx);
	assert_int_equal(err, -EFBIG);
	assert_string_equal(env.ctx.why, "Write: writing failed after 3.0 MiB: "
					 "File too large");
	load_env_close(&env);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_counts_is_what_has_the_unit_of_the_whole),
		cmocka_unit_test(the_probe_of_a_part_is_that_of_the_whole),
		cmocka_unit_test(a_set_up_that_fails_half_way_is_torn_down),
		cmocka_unit_test(the_first_part_that_fails_ends_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
