/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_env: a load's context, and a thread that stops it. */
#include "load_env.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clk.h"
#include "sys/arena.h"

/* A load that does nothing is stopped as well. */
#define PATIENCE_NS (20 * NSEC_PER_SEC)

struct shared {
	struct load_work work[LOAD_ENV_COUNTERS];
	atomic_uint stop;
};

static int make_dir(char *path)
{
	const char *tmp = getenv("TMPDIR");
	int fd;

	snprintf(path, PATH_MAX, "%s/load.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(path));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

void load_env_open(struct load_env *env, uint64_t bytes)
{
	struct load_ctx *ctx = &env->ctx;
	void *mem;

	memset(env, 0, sizeof(*env));
	assert_int_equal(arena_map(&mem, sizeof(struct shared)), 0);
	env->params.cpus = 2;
	env->params.max_tasks = env->params.max_files = 1000;
	env->params.read_bytes = bytes;
	ctx->params = &env->params;
	ctx->seed = 1;
	ctx->nr_workers = 1;
	ctx->nr_counters = LOAD_ENV_COUNTERS;
	ctx->work = ((struct shared *)mem)->work;
	ctx->stop = &((struct shared *)mem)->stop;
	for (int i = 0; i < LOAD_NR_DISKS; i++) {
		env->params.disk[i].bytes = bytes;
		snprintf(env->params.disk[i].fs, sizeof(env->params.disk[i].fs),
			 "fs%d", i);
		ctx->dir_fd[i] = make_dir(env->dir[i]);
	}
	ctx->data_fd = openat(ctx->dir_fd[0], "data",
			      O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(ctx->data_fd >= 0);
	assert_int_equal(unlinkat(ctx->dir_fd[0], "data", 0), 0);
	ctx->ring_fd[0] = ctx->ring_fd[1] = ctx->self_fd = -1;
}

void load_env_close(struct load_env *env)
{
	close(env->ctx.data_fd);
	for (int i = 0; i < LOAD_NR_DISKS; i++) {
		close(env->ctx.dir_fd[i]);
		assert_int_equal(rmdir(env->dir[i]), 0);
	}
	arena_release(env->ctx.work, sizeof(struct shared));
}

uint64_t load_env_work(const struct load_env *env)
{
	uint64_t sum = 0;

	for (int i = 0; i < LOAD_ENV_COUNTERS; i++)
		sum += atomic_load(&env->ctx.work[i].n);
	return sum;
}

static void *stopper(void *arg)
{
	struct load_env *env = arg;
	struct clk clk;
	int64_t end_ns;

	clk_real(&clk);
	end_ns = clk_now(&clk) + PATIENCE_NS;
	while (!load_stopped(&env->ctx) && clk_now(&clk) < end_ns &&
	       load_env_work(env) < env->stop_after)
		clk_sleep_through(&clk, clk_now(&clk) + NSEC_PER_MSEC);
	atomic_store(env->ctx.stop, 1);
	return NULL;
}

static int run_until_stop(struct load_env *env, uint64_t stop_after)
{
	int err;

	env->stop_after = stop_after;
	assert_int_equal(pthread_create(&env->stopper, NULL, stopper, env), 0);
	err = env->ctx.load->run(&env->ctx);
	atomic_store(env->ctx.stop, 1);
	pthread_join(env->stopper, NULL);
	return err;
}

int load_env_run(struct load_env *env, const struct load *load,
		 uint64_t stop_after)
{
	struct load_ctx *ctx = &env->ctx;
	int err;

	ctx->load = load;
	atomic_store(ctx->stop, 0);
	err = load->probe ? load->probe(ctx) : 0;
	if (err)
		return err;
	err = load->setup(ctx);
	if (!err)
		err = run_until_stop(env, stop_after);
	load->teardown(ctx);
	return err;
}
