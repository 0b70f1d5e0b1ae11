/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell: CPU asked and burnt, the tool's own CPU, set-up time of whole cells. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "plan/opts.h"
#include "run/run.h"
#include "stat/summary.h"
#include "sys/cpus.h"

#define VIDEO_CELLS 10

struct bench {
	struct options o;
	struct cpus cpus;
	struct plan plan;
	struct run run;
};

static void begin(struct bench *b, int argc, const char **argv)
{
	char why[OPTS_WHY_LEN];

	if (opts_parse(&b->o, argc, (char **)argv, why, sizeof(why)) ||
	    cpus_read(&b->cpus, "") ||
	    plan_build(&b->plan, &b->o, b->cpus.usable, why, sizeof(why)) ||
	    run_init(&b->run, &b->plan, why, sizeof(why))) {
		fprintf(stderr, "cell: %s\n", why);
		exit(1);
	}
}

static void end(struct bench *b)
{
	run_release(&b->run);
	plan_release(&b->plan);
	cpus_release(&b->cpus);
	opts_release(&b->o);
}

static double cpu_s(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return (double)ru.ru_utime.tv_sec + (double)ru.ru_stime.tv_sec +
	       (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
}

/* Run time of the task from its first to its last wake, less the demand. */
static double excess_pct(struct cell *cell)
{
	const uint64_t *cpu = cell_cpu(cell);
	uint64_t last = cell->nr_slots - 1;
	int64_t demand = 0;

	while (last && !cpu[last])
		last--;
	for (uint64_t k = 0; k < last; k++)
		demand += cell->slots[k].done_ns ? cell->slots[k].demand_ns : 0;
	return 100.0 * (double)((int64_t)(cpu[last] - cpu[0]) - demand) /
	       (double)(cell->slots[last].woke_ns - cell->slots[0].woke_ns);
}

static void bench_video(void)
{
	const char *argv[] = { "bench", "-W", "Video", "-w", "None", "-t", "5" };
	struct bench b;
	int within = 0;

	begin(&b, 7, argv);
	for (int i = 0; i < VIDEO_CELLS; i++) {
		double self = cpu_s(RUSAGE_SELF);
		struct summary s;

		if (run_cell(&b.run, 0) || summary_of(&s, b.run.cell))
			exit(1);
		self = cpu_s(RUSAGE_SELF) - self;
		within += s.ratio_p50 >= 0.97 && s.ratio_p50 <= 1.03;
		printf("cell: Video/None burnt/asked p5 %.4f p50 %.4f p95 "
		       "%.4f; task beyond demand %.3f %%, supervisor %.3f %% "
		       "of a CPU; gaps %.3f %%\n", s.ratio_p5, s.ratio_p50,
		       s.ratio_p95, excess_pct(b.run.cell), self / 7 * 100,
		       100.0 * (double)b.run.cell->burn.gap_ns /
		       (double)(b.run.cell->burn.gap_ns +
				b.run.cell->burn.burnt_ns));
	}
	printf("cell: within 3 %%: %d of %d cells\n", within, VIDEO_CELLS);
	end(&b);
}

static void bench_setup(const char *load_threads)
{
	const char *argv[] = { "bench", "-W", "Audio", "-w", "Burn", "-L",
			 load_threads, "-t", "2" };
	const struct plan_cell *pc;
	struct bench b;
	struct clk clk;

	clk_real(&clk);
	begin(&b, 9, argv);
	pc = &b.plan.cells[0];
	for (int i = 0; i < 3; i++) {
		int64_t t = clk_now(&clk), planned;

		if (run_cell(&b.run, 0))
			exit(1);
		t = clk_now(&clk) - t;
		planned = NSEC_PER_SEC + b.run.cell->end_ns -
			  b.run.cell->start_ns +
			  plan_warm_ns(pc);
		printf("cell: -L %s: %.3f s beyond settling, discarded segment "
		       "and window\n", load_threads,
		       (double)(t - planned) / 1e9);
	}
	end(&b);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	bench_video();
	bench_setup("30");
	bench_setup("1024");
	return 0;
}
