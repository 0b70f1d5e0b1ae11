/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crew_test: workers begin together, are missed when they die, and all end. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/crew.h"
#include "load.h"

#define NAME_LEN 16
#define MANY 400
#define TICK_US 20000
#define TICKS_MAX 1000
#define NOBODY 65534

/* Memory of the test and its workers. */
struct shared {
	atomic_uint stop;
	atomic_uint nr;			/* workers that have done their work */
	atomic_uint seen[MANY];
	char names[4][NAME_LEN];
	pid_t pids[4];
};

static struct shared *shared;
/* The load is stopped when so many have worked, or at last. */
static unsigned int wanted;
static volatile sig_atomic_t nr_ticks;

static void on_tick(int sig)
{
	(void)sig;
	if (atomic_load(&shared->nr) >= wanted || ++nr_ticks > TICKS_MAX)
		atomic_store(&shared->stop, 1);
}

static void tick(suseconds_t us)
{
	struct sigaction action = { .sa_handler = on_tick };
	struct itimerval timer = { { 0, us }, { 0, us } };

	nr_ticks = 0;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static int map_shared(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED;
}

static int unmap_shared(void **state)
{
	(void)state;
	return munmap(shared, sizeof(*shared));
}

static struct load_ctx fresh_ctx(void)
{
	struct load_ctx ctx = { .stop = &shared->stop };

	memset(shared, 0, sizeof(*shared));
	return ctx;
}

static void assert_no_child_is_left(void)
{
	errno = 0;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static int sleep_for_ever(struct load_ctx *ctx, uint32_t worker, void *arg)
{
	(void)ctx;
	(void)arg;
	atomic_fetch_add(&shared->seen[worker], 1);
	atomic_fetch_add(&shared->nr, 1);
	for (;;)
		pause();
	return 0;
}

static struct crew *crew_of(struct load_ctx *ctx, uint32_t nr)
{
	struct crew *crew;

	assert_int_equal(crew_create(&crew, ctx, nr), 0);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(crew_add(crew, sleep_for_ever, NULL), 0);
	return crew;
}

static int run_until(struct crew *crew, unsigned int nr)
{
	int ret;

	wanted = nr;
	tick(TICK_US);
	ret = crew_run(crew);
	tick(0);
	return ret;
}

static void a_stop_ends_workers_that_sleep_for_ever(void **state)
{
	struct load_ctx ctx = fresh_ctx();
	struct crew *crew = crew_of(&ctx, 4);

	(void)state;
	assert_int_equal(run_until(crew, 4), 0);
	assert_string_equal(ctx.why, "");
	assert_no_child_is_left();
	for (int i = 0; i < 4; i++)
		assert_int_equal(shared->seen[i], 1);
	crew_dismiss(crew);
}

static void nobody_works_before_the_run(void **state)
{
	struct load_ctx ctx = fresh_ctx();
	struct crew *crew = crew_of(&ctx, 4);

	(void)state;
	usleep(TICK_US);
	assert_int_equal(shared->nr, 0);
	crew_dismiss(crew);
	assert_int_equal(shared->nr, 0);
	assert_no_child_is_left();
}

static int note_name(struct load_ctx *ctx, uint32_t worker, void *arg)
{
	prctl(PR_GET_NAME, shared->names[worker]);
	return sleep_for_ever(ctx, worker, arg);
}

static void workers_are_named_after_process_and_number(void **state)
{
	static const struct {
		const char *process, *worker;
	} cases[] = {
		{ "ib-hack", "ib-hack/2" },
		{ "fifteen-letters", "fifteen-lette/2" },
	};
	char old[NAME_LEN];

	(void)state;
	prctl(PR_GET_NAME, old);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct load_ctx ctx = fresh_ctx();
		struct crew *crew;

		prctl(PR_SET_NAME, cases[i].process);
		assert_int_equal(crew_create(&crew, &ctx, 3), 0);
		for (int k = 0; k < 3; k++)
			assert_int_equal(crew_add(crew, note_name, NULL), 0);
		assert_int_equal(run_until(crew, 3), 0);
		assert_string_equal(shared->names[2], cases[i].worker);
		crew_dismiss(crew);
	}
	prctl(PR_SET_NAME, old);
}

static int end_as_told(struct load_ctx *ctx, uint32_t worker, void *arg)
{
	const int *what = arg;

	if (*what == 1)
		return sleep_for_ever(ctx, worker, arg);
	if (*what > 1)
		raise(*what);
	return *what;
}

static void whoever_ends_before_the_stop_is_reported(void **state)
{
	static const struct {
		int what;	/* a signal, 0, or -errno */
		int ret;
		const char *why;
	} cases[] = {
		{ SIGKILL, -ECHILD, "worker 2 was killed by signal 9 (" },
		{ SIGTERM, -ECHILD, "worker 2 was killed by signal 15 (" },
		{ -ENOSPC, -ENOSPC, "worker 2 failed: No space left" },
		{ SIGSTOP, -ECHILD, "worker 2 was stopped by signal " },
		{ 0, -ECHILD, "worker 2 ended before the load was stopped" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct load_ctx ctx = fresh_ctx();
		struct crew *crew;
		int stay = 1, what = cases[i].what;

		assert_int_equal(crew_create(&crew, &ctx, 4), 0);
		for (int k = 0; k < 4; k++)
			assert_int_equal(crew_add(crew, end_as_told,
						  k == 2 ? &what : &stay), 0);
		assert_int_equal(run_until(crew, 4), cases[i].ret);
		assert_int_equal(strncmp(ctx.why, cases[i].why,
					 strlen(cases[i].why)), 0);
		assert_no_child_is_left();
		crew_dismiss(crew);
	}
}

static int fail_once_stopped(struct load_ctx *ctx, uint32_t worker, void *arg)
{
	(void)worker;
	(void)arg;
	atomic_fetch_add(&shared->nr, 1);
	while (!load_stopped(ctx))
		usleep(100);
	return -EIO;
}

static void what_workers_do_after_the_stop_is_no_error(void **state)
{
	struct load_ctx ctx = fresh_ctx();
	struct crew *crew;

	(void)state;
	assert_int_equal(crew_create(&crew, &ctx, 2), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(crew_add(crew, fail_once_stopped, NULL), 0);
	assert_int_equal(run_until(crew, 2), 0);
	assert_string_equal(ctx.why, "");
	assert_no_child_is_left();
	crew_dismiss(crew);
}

static void a_stop_that_came_before_the_run_ends_it(void **state)
{
	struct load_ctx ctx = fresh_ctx();
	struct crew *crew = crew_of(&ctx, 3);

	(void)state;
	atomic_store(&shared->stop, 1);
	assert_int_equal(crew_run(crew), 0);
	assert_no_child_is_left();
	crew_dismiss(crew);
}

static int raise_then_sleep(struct load_ctx *ctx, uint32_t worker, void *arg)
{
	raise(SIGUSR1);
	raise(SIGPIPE);
	return sleep_for_ever(ctx, worker, arg);
}

static void nudges_and_broken_pipes_kill_no_worker(void **state)
{
	struct load_ctx ctx = fresh_ctx();
	struct crew *crew;

	(void)state;
	assert_int_equal(crew_create(&crew, &ctx, 1), 0);
	assert_int_equal(crew_add(crew, raise_then_sleep, NULL), 0);
	assert_int_equal(run_until(crew, 1), 0);
	crew_dismiss(crew);
}

static void other_children_may_end_meanwhile(void **state)
{
	struct load_ctx ctx = fresh_ctx();
	struct crew *crew = crew_of(&ctx, 2);

	(void)state;
	if (!fork())
		_exit(3);
	assert_int_equal(run_until(crew, 2), 0);
	crew_dismiss(crew);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void a_crew_without_workers_does_not_hang(void **state)
{
	struct load_ctx ctx = fresh_ctx();
	struct crew *crew = crew_of(&ctx, 0);

	(void)state;
	assert_int_equal(run_until(crew, 1), -ECHILD);
	assert_string_not_equal(ctx.why, "");
	crew_dismiss(crew);
	crew_dismiss(NULL);
}

static void no_more_workers_than_planned(void **state)
{
	struct load_ctx ctx = fresh_ctx();
	struct crew *crew = crew_of(&ctx, 2);

	(void)state;
	assert_int_equal(crew_add(crew, sleep_for_ever, NULL), -ENOSPC);
	assert_string_equal(ctx.why, "no more than 2 processes were planned");
	crew_dismiss(crew);
	assert_no_child_is_left();
}

static void hundreds_of_workers_come_and_go(void **state)
{
	struct load_ctx ctx = fresh_ctx();
	struct crew *crew;
	int err = 0;

	(void)state;
	assert_int_equal(crew_create(&crew, &ctx, MANY), 0);
	for (int i = 0; !err && i < MANY; i++)
		err = crew_add(crew, sleep_for_ever, NULL);
	if (!err)
		err = run_until(crew, MANY);
	crew_dismiss(crew);
	assert_no_child_is_left();
	if (err == -EAGAIN) {
		print_message("%s\n", ctx.why);
		skip();
	}
	assert_int_equal(err, 0);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(shared->seen[i], 1);
}

/* Holds fd open as long as it or a worker lives, and dies itself. */
static void die_with_a_crew(bool running)
{
	struct load_ctx ctx = { .stop = &shared->stop };
	struct crew *crew = crew_of(&ctx, 3);

	if (!running)
		raise(SIGKILL);
	wanted = UINT32_MAX;
	alarm(20);
	crew_run(crew);
	_exit(1);
}

static void workers_die_with_who_made_them(void **state)
{
	(void)state;
	for (int running = 0; running < 2; running++) {
		int fds[2];
		pid_t pid;
		char byte;

		fresh_ctx();
		assert_int_equal(pipe(fds), 0);
		pid = fork();
		if (!pid)
			die_with_a_crew(running);
		close(fds[1]);
		while (running && atomic_load(&shared->nr) < 3)
			usleep(1000);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		/* The end of the pipe: nobody is left to hold it open. */
		assert_int_equal(read(fds[0], &byte, 1), 0);
		close(fds[0]);
	}
}

/* 0: as expected; 1: not; 2: no limit holds here. */
static int fork_at_the_limit(void)
{
	struct rlimit limit = { 1, 1 };
	struct load_ctx ctx = { .stop = &shared->stop };
	struct crew *crew;
	int err = 0, started = 0;

	if (!getuid() && (setresgid(NOBODY, NOBODY, NOBODY) ||
			  setresuid(NOBODY, NOBODY, NOBODY)))
		return 2;
	if (crew_create(&crew, &ctx, 8))
		return 1;
	while (!err && started < 3 && ++started)
		err = crew_add(crew, sleep_for_ever, NULL);
	if (err || setrlimit(RLIMIT_NPROC, &limit))
		return 2;
	err = crew_add(crew, sleep_for_ever, NULL);
	crew_dismiss(crew);
	if (!err)
		return 2;
	return err != -EAGAIN ||
	       !strstr(ctx.why, "only 3 of 8 processes could be started") ||
	       !strstr(ctx.why, "(ulimit -u 1, or pids.max)") ||
	       waitpid(-1, NULL, WNOHANG) != -1;
}

static void a_fork_that_fails_names_count_and_limit(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	fresh_ctx();
	pid = fork();
	if (!pid)
		_exit(fork_at_the_limit());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2) {
		print_message("RLIMIT_NPROC does not hold here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stop_ends_workers_that_sleep_for_ever),
		cmocka_unit_test(nobody_works_before_the_run),
		cmocka_unit_test(workers_are_named_after_process_and_number),
		cmocka_unit_test(whoever_ends_before_the_stop_is_reported),
		cmocka_unit_test(what_workers_do_after_the_stop_is_no_error),
		cmocka_unit_test(a_stop_that_came_before_the_run_ends_it),
		cmocka_unit_test(nudges_and_broken_pipes_kill_no_worker),
		cmocka_unit_test(other_children_may_end_meanwhile),
		cmocka_unit_test(a_crew_without_workers_does_not_hang),
		cmocka_unit_test(no_more_workers_than_planned),
		cmocka_unit_test(hundreds_of_workers_come_and_go),
		cmocka_unit_test(workers_die_with_who_made_them),
		cmocka_unit_test(a_fork_that_fails_names_count_and_limit),
	};

	return cmocka_run_group_tests(tests, map_shared, unmap_shared);
}
