/* SPDX-License-Identifier: GPL-2.0-or-later */
/* burn: how much of the CPUs that they have the threads of Burn use. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clk.h"
#include "load.h"
#include "sys/arena.h"
#include "sys/cpus.h"

#define MAX_WORKERS 4096
#define ROUNDS 3
#define SPAN_NS (3 * NSEC_PER_SEC)

extern const struct load load_burn;

struct shared {
	atomic_uint stop;
	atomic_uint ready;
	_Atomic int64_t cpu_ns;
	_Atomic int64_t wall_ns;
	struct load_work work[MAX_WORKERS];
};

static int64_t cpu_ns(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * NSEC_PER_SEC +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * NSEC_PER_USEC;
}

static void child(struct shared *s, struct clk *clk, uint32_t workers)
{
	struct load_ctx ctx = {
		.load = &load_burn, .nr_workers = workers,
		.nr_counters = MAX_WORKERS, .work = s->work, .stop = &s->stop,
	};
	int64_t begin, used;

	alarm(60);
	if (load_burn.setup(&ctx)) {
		fprintf(stderr, "burn: %s\n", ctx.why);
		_exit(1);
	}
	used = cpu_ns();
	begin = clk_now(clk);
	atomic_store(&s->ready, 1);
	load_burn.run(&ctx);
	atomic_store(&s->wall_ns, clk_now(clk) - begin);
	atomic_store(&s->cpu_ns, cpu_ns() - used);
	_exit(0);
}

static int one_round(struct shared *s, struct clk *clk, uint32_t cpus)
{
	pid_t pid;
	double share;

	atomic_store(&s->stop, 0);
	pid = fork();
	if (!pid)
		child(s, clk, cpus);
	if (pid < 0)
		return 1;
	clk_sleep_through(clk, clk_now(clk) + SPAN_NS);
	atomic_store(&s->stop, 1);
	waitpid(pid, NULL, 0);
	share = 100.0 * (double)s->cpu_ns / (double)s->wall_ns / cpus;
	printf("burn: %u threads used %.2f %% of %u CPUs\n", cpus, share, cpus);
	return 0;
}

int main(void)
{
	struct cpus cpus;
	struct clk clk;
	void *mem;
	int err;

	clk_real(&clk);
	if (cpus_read(&cpus, "") || cpus.usable > MAX_WORKERS ||
	    arena_map(&mem, sizeof(struct shared)))
		return 1;
	err = 0;
	for (int i = 0; i < ROUNDS && !err; i++)
		err = one_round(mem, &clk, cpus.usable);
	arena_release(mem, sizeof(struct shared));
	cpus_release(&cpus);
	return err;
}
