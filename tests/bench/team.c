/* SPDX-License-Identifier: GPL-2.0-or-later */
/* team: how long many burners take until every one of them has run. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clk.h"
#include "load.h"
#include "sys/arena.h"

#define WORKERS 1024

extern const struct load load_burn;

struct shared {
	atomic_uint stop;
	_Atomic int64_t created_ns;
	struct load_work work[WORKERS];
};

static void child(struct shared *s, struct clk *clk)
{
	struct load_ctx ctx = {
		.load = &load_burn, .nr_workers = WORKERS,
		.nr_counters = WORKERS, .work = s->work, .stop = &s->stop,
	};

	alarm(30);
	if (load_burn.setup(&ctx)) {
		fprintf(stderr, "team: %s\n", ctx.why);
		_exit(1);
	}
	atomic_store(&s->created_ns, clk_now(clk));
	load_burn.run(&ctx);
	_exit(0);
}

static int running(const struct shared *s)
{
	int nr = 0;

	for (int i = 0; i < WORKERS; i++)
		nr += s->work[i].n != 0;
	return nr;
}

int main(void)
{
	struct shared *s;
	struct clk clk;
	void *mem;
	int64_t begin, all = 0;
	pid_t pid;

	clk_real(&clk);
	if (arena_map(&mem, sizeof(*s)))
		return 1;
	s = mem;
	begin = clk_now(&clk);
	pid = fork();
	if (!pid)
		child(s, &clk);
	while (!all && clk_now(&clk) < begin + 20 * NSEC_PER_SEC) {
		clk_sleep_through(&clk, clk_now(&clk) + NSEC_PER_MSEC);
		if (running(s) == WORKERS)
			all = clk_now(&clk);
	}
	atomic_store(&s->stop, 1);
	waitpid(pid, NULL, 0);
	printf("team: %d burners: created after %.3f s, all had run after "
	       "%.3f s\n", WORKERS, (double)(s->created_ns - begin) / 1e9,
	       all ? (double)(all - begin) / 1e9 : -1.0);
	return 0;
}
