/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * messages: Ring and Hack beside what perf bench does of the same kind.
 *
 * An operation of "sched pipe" is a word to the other process and one back.
 * That is two wake-ups at most: where the reader preempts the writer on its
 * CPU, its answer finds nobody asleep, 4 times in 10. What it really did are
 * the voluntary context switches of its processes; Ring counts no other hops
 * either. In "sched messaging" each of 20 senders of a group writes as often
 * as there are loops to each of 20 receivers, 100 bytes at once; its time
 * begins when all of them exist and ends when all are reaped.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clk.h"
#include "load.h"
#include "sys/arena.h"

#define ROUNDS 5
#define COUNTERS 4
#define SETTLE_NS (300 * NSEC_PER_MSEC)
#define WINDOW_NS (1500 * NSEC_PER_MSEC)
#define PIPE_OPS 100000
#define MESSAGING_LOOPS 1000
#define MESSAGING_FAN 20

extern const struct load load_ring, load_hack;

struct shared {
	atomic_uint stop;
	atomic_uint ready;
	char note[LOAD_WHY_LEN];
	struct load_work work[COUNTERS];
};

struct bench {
	struct clk clk;
	struct shared *shared;
	struct load_params params;
};

struct rival {
	const char *title;
	const char *const *argv;
	double events;		/* of a run; 0: its context switches */
};

static void on_nudge(int sig)
{
	(void)sig;
}

static void load_child(struct bench *b, const struct load *load)
{
	struct sigaction action = { .sa_handler = on_nudge };
	struct load_ctx ctx = {
		.load = load, .params = &b->params, .nr_workers = 1,
		.nr_counters = COUNTERS, .work = b->shared->work,
		.stop = &b->shared->stop, .dir_fd = { -1, -1 },
		.ring_fd = { -1, -1 }, .data_fd = -1,
		.self_fd = -1,
	};

	sigaction(SIGUSR1, &action, NULL);
	alarm(60);
	if ((load->probe && load->probe(&ctx)) || load->setup(&ctx))
		goto failed;
	memcpy(b->shared->note, ctx.note, sizeof(ctx.note));
	atomic_store(&b->shared->ready, 1);
	if (load->run(&ctx))
		goto failed;
	load->teardown(&ctx);
	_exit(0);
failed:
	fprintf(stderr, "messages: %s: %s\n", load->name, ctx.why);
	_exit(1);
}

static uint64_t counted(const struct shared *shared)
{
	uint64_t sum = 0;

	for (int i = 0; i < COUNTERS; i++)
		sum += atomic_load(&shared->work[i].n);
	return sum;
}

/* Asks every 50 ms, as the keeper does; exits if the load failed. */
static void stop(struct bench *b, pid_t pid)
{
	int status = 1;

	atomic_store(&b->shared->stop, 1);
	kill(pid, SIGUSR1);
	while (!waitpid(pid, &status, WNOHANG)) {
		clk_sleep_through(&b->clk,
				  clk_now(&b->clk) + 50 * NSEC_PER_MSEC);
		kill(pid, SIGUSR1);
	}
	if (status)
		exit(1);
}

/* Events a second. */
static double load_rate(struct bench *b, const struct load *load)
{
	int64_t begin;
	uint64_t nr;
	pid_t pid;

	memset(b->shared, 0, sizeof(*b->shared));
	pid = fork();
	if (!pid)
		load_child(b, load);
	while (!atomic_load(&b->shared->ready) && !waitpid(pid, NULL, WNOHANG))
		clk_sleep_through(&b->clk, clk_now(&b->clk) + NSEC_PER_MSEC);
	clk_sleep_through(&b->clk, clk_now(&b->clk) + SETTLE_NS);
	begin = clk_now(&b->clk);
	nr = counted(b->shared);
	clk_sleep_through(&b->clk, begin + WINDOW_NS);
	nr = counted(b->shared) - nr;
	begin = clk_now(&b->clk) - begin;
	stop(b, pid);
	return (double)nr / ((double)begin / NSEC_PER_SEC);
}

static void exec_perf(const char *const *argv, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, STDIN_FILENO);
	dup2(null, STDERR_FILENO);
	dup2(out, STDOUT_FILENO);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

/* Events a second, as perf prints its seconds. 0: there is no perf. */
static double perf_rate(const struct rival *rival)
{
	struct rusage usage;
	char text[64] = "";
	int fds[2], status;
	double s, events = rival->events;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		exit(1);
	pid = fork();
	if (!pid)
		exec_perf(rival->argv, fds[1]);
	close(fds[1]);
	if (read(fds[0], text, sizeof(text) - 1) < 0)
		exit(1);
	close(fds[0]);
	wait4(pid, &status, 0, &usage);
	s = strtod(text, NULL);
	if (status || s <= 0)
		return 0;
	return (events > 0 ? events : (double)usage.ru_nvcsw) / s;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void compare(struct bench *b, const struct load *load,
		    const struct rival *rival)
{
	double ratios[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double ours = load_rate(b, load), theirs = perf_rate(rival);

		if (theirs <= 0) {
			printf("messages: %s: %.0f %s/s; no perf bench to "
			       "compare it with\n", load->title, ours,
			       load->unit);
			return;
		}
		ratios[i] = ours / theirs;
		printf("messages: %s (%s): %.0f %s/s, %s: %.0f, ratio %.2f\n",
		       load->title, b->shared->note, ours, load->unit,
		       rival->title, theirs, ratios[i]);
	}
	qsort(ratios, ROUNDS, sizeof(ratios[0]), by_value);
	printf("messages: %s against %s: median ratio %.2f (wanted: 0.8 or "
	       "more)\n", load->title, rival->title, ratios[ROUNDS / 2]);
}

static void compare_all(struct bench *b)
{
	uint32_t nr = b->params.cpus / 4;
	char groups[16], loops[16], ops[16];
	const char *pipe_argv[] = {
		"perf", "bench", "-f", "simple", "sched", "pipe", "-l", ops,
		NULL
	};
	const char *messaging_argv[] = {
		"perf", "bench", "-f", "simple", "sched", "messaging", "-g",
		groups, "-l", loops, NULL, NULL
	};
	struct rival rival = { "perf bench sched pipe", pipe_argv, 0 };

	nr = nr < 1 ? 1 : nr > 16 ? 16 : nr;
	snprintf(groups, sizeof(groups), "%u", nr);
	snprintf(loops, sizeof(loops), "%d", MESSAGING_LOOPS);
	snprintf(ops, sizeof(ops), "%d", PIPE_OPS);
	compare(b, &load_ring, &rival);
	rival.title = "perf bench sched pipe, ops x 2";
	rival.events = 2.0 * PIPE_OPS;
	compare(b, &load_ring, &rival);
	/* Sockets; half of Hack's messages go through them as well. */
	rival = (struct rival){ "perf bench sched messaging", messaging_argv,
		(double)nr * MESSAGING_LOOPS * MESSAGING_FAN * MESSAGING_FAN };
	compare(b, &load_hack, &rival);
	/* Pipes alone, for information: they are the quicker half. */
	messaging_argv[10] = "-p";
	rival.title = "perf bench sched messaging -p";
	compare(b, &load_hack, &rival);
}

int main(void)
{
	struct bench b = {
		.params = {
			.max_tasks = 4096, .max_files = 1024,
			.mem_bytes = UINT64_C(1) << 30,
		},
	};
	void *mem;

	setvbuf(stdout, NULL, _IOLBF, 0);
	clk_real(&b.clk);
	if (arena_map(&mem, sizeof(*b.shared)))
		return 1;
	b.shared = mem;
	b.params.cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	compare_all(&b);
	arena_release(mem, sizeof(*b.shared));
	return 0;
}
