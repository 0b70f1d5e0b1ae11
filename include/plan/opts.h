/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opts: the command line. One table in opts.c gives getopt_long, --help, the
 * ranges and the exclusions; parsing fills in a struct and touches nothing
 * else.
 */
#ifndef IB_PLAN_OPTS_H
#define IB_PLAN_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/burn.h"

enum opts_action { OPTS_RUN, OPTS_HELP, OPTS_VERSION, OPTS_LIST, OPTS_PLAN };

enum opts_progress { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

enum opts_wake { WAKE_DIRECT };

enum opts_compile { COMPILE_REAL, COMPILE_CLASSIC };

enum opts_memload { MEMLOAD_AUTO, MEMLOAD_GLOBAL };

/* Words as given, pointing into argv; all in opts_names order. */
struct opts_names {
	const char **names;	/* owned array of borrowed strings */
	size_t nr;
};

struct options {
	enum opts_action action;
	bool has_loops;		/* -l */
	uint64_t loops_per_ms;
	bool has_load_threads;	/* -L */
	uint32_t load_threads;
	bool has_time;		/* -t */
	int64_t time_ns;	/* default 30 s, --quick 6 s */
	bool has_bench_nice;	/* -B */
	int bench_nice;
	bool has_load_nice;	/* -N */
	int load_nice;
	bool uniprocessor;	/* -u */
	bool recalibrate;	/* -b */
	bool console;		/* -c */
	bool realtime;		/* -r */
	bool has_custom;	/* -C and -I */
	uint32_t custom_cpu_pct;
	uint32_t custom_interval_us;
	const char *comment;	/* -m, NULL: none */
	struct opts_names loads;		/* -w */
	struct opts_names excluded_loads;	/* -x */
	struct opts_names sims;			/* -W */
	struct opts_names excluded_sims;	/* -X */
	bool quick;
	bool percentiles;
	uint64_t seed;		/* default 42 */
	enum opts_wake wake;
	enum burn_mode burn;	/* -l implies BURN_WORK */
	const char *output_dir;	/* default "." */
	enum opts_progress progress;
	struct opts_names commands;	/* --load-cmd, "NAME=COMMAND" */
	enum opts_compile compile;
	enum opts_memload memload;
	bool has_mem_size;
	uint64_t mem_size;	/* bytes that Memload keeps under pressure */
	const char *scratch;	/* NULL: TMPDIR, output_dir */
	const char *scratch_other;	/* NULL: none */
	bool has_io_size;
	uint64_t io_size;	/* bytes of the file that Write writes */
	uint64_t io_rate;	/* bytes a second, 0: no limit */
	uint64_t io_budget;	/* bytes a run, 0: no limit */
};

/* Room for one line of reason. */
#define OPTS_WHY_LEN 256

/*
 * Reads argv (argv[0] is the program; a first operand "run" is accepted and
 * skipped). 0, or -EINVAL with one line in why, naming option and value. *o is
 * valid either way and is to be released. Names of tasks and loads are checked
 * by the plan.
 */
int opts_parse(struct options *o, int argc, char **argv, char *why,
	       size_t why_size);
void opts_release(struct options *o);

/* The text of --help. */
void opts_help(FILE *out);

/*
 * Iterates over the long and short spellings of the table, for tests and
 * lints: false past the end; *short_name is 0 where there is none.
 */
bool opts_nth(size_t i, const char **long_name, int *short_name);

#endif
