/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opt_table: every option: its names, its value, its limits, its help. */
#include "plan/opt_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clk.h"
#include "base/units.h"
#include "plan/opts.h"

#define DAY_NS (86400 * NSEC_PER_SEC)
#define MIB (1 << 20)
#define PIB (UINT64_C(1) << 50)

static int set_flag(const struct opt *opt, void *field, const char *value)
{
	(void)opt;
	(void)value;
	*(bool *)field = true;
	return 0;
}

static int set_action(const struct opt *opt, void *field, const char *value)
{
	(void)value;
	*(enum opts_action *)field = (enum opts_action)opt->min;
	return 0;
}

/* int and uint32_t: the range fits in both. */
static int set_int(const struct opt *opt, void *field, const char *value)
{
	int64_t n;
	int err = units_parse_i64(value, opt->min, (int64_t)opt->max, &n);

	if (!err)
		*(int *)field = (int)n;
	return err;
}

static int set_u64(const struct opt *opt, void *field, const char *value)
{
	return units_parse_u64(value, (uint64_t)opt->min, opt->max, field);
}

static int set_ns(const struct opt *opt, void *field, const char *value)
{
	return units_parse_duration(value, opt->min, (int64_t)opt->max, field);
}

static int set_bytes(const struct opt *opt, void *field, const char *value)
{
	return units_parse_bytes(value, (uint64_t)opt->min, opt->max, field);
}

/* A limit that may be none. */
static int set_limit(const struct opt *opt, void *field, const char *value)
{
	if (strcmp(value, "none"))
		return set_bytes(opt, field, value);
	*(uint64_t *)field = 0;
	return 0;
}

static int set_choice(const struct opt *opt, void *field, const char *value)
{
	for (unsigned int i = 0; opt->choices[i]; i++) {
		if (strcmp(opt->choices[i], value))
			continue;
		*(unsigned int *)field = i;
		return 0;
	}
	return -EINVAL;
}

static int set_text(const struct opt *opt, void *field, const char *value)
{
	if (opt->min > 0 && !*value)
		return -EINVAL;
	*(const char **)field = value;
	return 0;
}

static int add_name(const struct opt *opt, void *field, const char *value)
{
	struct opts_names *list = field;
	const char **names;

	(void)opt;
	names = realloc(list->names, (list->nr + 1) * sizeof(*names));
	if (!names)
		return -ENOMEM;
	names[list->nr++] = value;
	list->names = names;
	return 0;
}

static const struct opt_kind kind_flag = { set_flag, NULL };
static const struct opt_kind kind_action = { set_action, NULL };
static const struct opt_kind kind_int = { set_int, "not a whole number" };
static const struct opt_kind kind_u64 = { set_u64, "not a whole number" };
static const struct opt_kind kind_ns = { set_ns, "not a duration" };
static const struct opt_kind kind_bytes = { set_bytes, "not a size" };
static const struct opt_kind kind_limit = { set_limit, "not a size" };
static const struct opt_kind kind_choice = { set_choice, "unknown" };
static const struct opt_kind kind_text = { set_text, "must not be empty" };
static const struct opt_kind kind_names = { add_name, NULL };

static const char *const burns[] = { "cpu", "work", NULL };
static const char *const wakes[] = { "direct", NULL };
static const char *const compiles[] = { "real", "classic", NULL };
static const char *const memloads[] = { "auto", "global", NULL };
static const char *const progresses[] = { "auto", "always", "never", NULL };

_Static_assert(BURN_CPU == 0 && BURN_WORK == 1, "order of burns");
_Static_assert(WAKE_DIRECT == 0, "order of wakes");
_Static_assert(COMPILE_REAL == 0 && COMPILE_CLASSIC == 1,
	       "order of compiles");
_Static_assert(MEMLOAD_AUTO == 0 && MEMLOAD_GLOBAL == 1, "order of memloads");
_Static_assert(PROGRESS_AUTO == 0 && PROGRESS_ALWAYS == 1 &&
	       PROGRESS_NEVER == 2, "order of progresses");
_Static_assert(sizeof(enum burn_mode) == sizeof(unsigned int),
	       "set_choice() writes any enum");

#define FIELD(member) .field = offsetof(struct options, member)
#define HAS(member) .has = offsetof(struct options, member)

const struct opt opt_table[] = {
	{ 'W', "bench", "NAME", .kind = &kind_names, FIELD(sims),
	  .group = "What to measure (case ignored; again for more; see --list)",
	  .help = "measure this task; all: every one",
	  .standard = "Audio, Video, X, Gaming" },
	{ 'X', "exclude-bench", "NAME", .kind = &kind_names,
	  FIELD(excluded_sims), .help = "but not this task" },
	{ 'w', "load", "NAME", .kind = &kind_names, FIELD(loads),
	  .help = "measure under this load; all: every one",
	  .standard = "None, Video, X, Burn, Write, Read, Compile, "
		      "Memload" },
	{ 'x', "exclude-load", "NAME", .kind = &kind_names,
	  FIELD(excluded_loads), .help = "but not under this load" },
	{ 't', "time", "T", .kind = &kind_ns, FIELD(time_ns), HAS(has_time),
	  .min = NSEC_PER_SEC, .max = 366 * DAY_NS, .range = "1s..366d",
	  .example = "30, 30s, 2m, 1h",
	  .help = "length of each measurement, in seconds or with s, m, h or "
		  "d; X rounds up to a multiple of 10 s",
	  .standard = "30s, with --quick 6s" },
	{ KEY_QUICK, "quick", .kind = &kind_flag, FIELD(quick),
	  .help = "few tasks, few loads, short: a first look" },
	{ 'C', "custom-cpu", "PCT", .kind = &kind_int, FIELD(custom_cpu_pct),
	  HAS(has_custom), .min = 1, .max = 100, .needs = 'I',
	  .help = "Custom, as task and load: % of a CPU; needs -I" },
	{ 'I', "custom-interval", "US", .kind = &kind_int,
	  FIELD(custom_interval_us), HAS(has_custom), .min = 100,
	  .max = 60000000, .needs = 'C',
	  .help = "its period in microseconds; needs -C" },

	{ 'L', "load-threads", "N", .kind = &kind_int, FIELD(load_threads),
	  HAS(has_load_threads), .min = 1, .max = 100000,
	  .group = "How",
	  .help = "threads of the load Burn",
	  .standard = "as many as there are usable CPUs" },
	{ 'B', "bench-nice", "N", .kind = &kind_int, FIELD(bench_nice),
	  HAS(has_bench_nice), .min = -20, .max = 19,
	  .help = "nice value of the tasks", .standard = "as started" },
	{ 'N', "load-nice", "N", .kind = &kind_int, FIELD(load_nice),
	  HAS(has_load_nice), .min = -20, .max = 19,
	  .help = "nice value of the loads", .standard = "as started" },
	{ 'r', "realtime", .kind = &kind_flag, FIELD(realtime),
	  .help = "Audio, Video and Custom under SCHED_FIFO; leaves out "
		  "X and Gaming" },
	{ 'u', "uniprocessor", .kind = &kind_flag, FIELD(uniprocessor),
	  .help = "one CPU for task and load" },
	{ KEY_BURN, "burn", "cpu|work", .kind = &kind_choice, FIELD(burn),
	  .choices = burns,
	  .help = "a task's demand is CPU time, or a fixed number of loops",
	  .standard = "cpu" },
	{ 'l', "loops", "N", .kind = &kind_u64, FIELD(loops_per_ms),
	  HAS(has_loops), .min = 1, .max = UINT64_C(1000000000000),
	  .against = KEY_BURN, .against_value = "cpu",
	  .help = "loops per millisecond; implies --burn=work",
	  .standard = "calibrated" },
	{ 'b', "benchmark", .kind = &kind_flag, FIELD(recalibrate),
	  .help = "calibrate again, even if a saved value fits; for "
		  "--burn=work" },
	{ KEY_WAKE, "wake", "METHOD", .kind = &kind_choice, FIELD(wake),
	  .choices = wakes,
	  .help = "how a task is woken; direct: it sleeps to an absolute "
		  "time itself",
	  .standard = "direct" },
	{ KEY_SEED, "seed", "N", .kind = &kind_u64, FIELD(seed),
	  .max = UINT64_MAX,
	  .help = "start of all random numbers", .standard = "42" },

	{ KEY_LOAD_CMD, "load-cmd", "NAME=COMMAND", .kind = &kind_names,
	  FIELD(commands),
	  .group = "Loads (sizes: bytes, or with K M G T, KB MB GB TB)",
	  .help = "one more load, NAME: what /bin/sh -c COMMAND does, started "
		  "again when it ends; again for more" },
	{ KEY_COMPILE, "compile", "real|classic", .kind = &kind_choice,
	  FIELD(compile), .choices = compiles,
	  .help = "many short processes that read sources and write objects, "
		  "or Burn, Write and Read together",
	  .standard = "real" },
	{ KEY_MEMLOAD, "memload", "auto|global", .kind = &kind_choice,
	  FIELD(memload), .choices = memloads,
	  .help = "reclaim in a memory cgroup of its own, or 110 % of the "
		  "machine's memory (needs swap)",
	  .standard = "auto" },
	{ KEY_MEM_SIZE, "mem-size", "SIZE", .kind = &kind_bytes,
	  FIELD(mem_size), HAS(has_mem_size), .min = 16 * MIB,
	  .max = PIB, .range = "16M..1024T", .help = "memory of Memload",
	  .standard = "a quarter of what is available, at most 8G" },
	{ KEY_SCRATCH, "scratch", "DIR", .kind = &kind_text, FIELD(scratch),
	  .min = 1,
	  .help = "where loads write, in a directory of their own that is "
		  "removed",
	  .standard = "TMPDIR if on a disk, else the output directory" },
	{ KEY_SCRATCH_OTHER, "scratch-other", "DIR", .kind = &kind_text,
	  FIELD(scratch_other), .min = 1,
	  .help = "the same for IO_other, on another disk" },
	{ KEY_IO_SIZE, "io-size", "SIZE", .kind = &kind_bytes, FIELD(io_size),
	  HAS(has_io_size), .min = MIB, .max = PIB, .range = "1M..1024T",
	  .help = "file that Write writes; Read's is at most 1G of it",
	  .standard = "a tenth of the free space, at most 4G" },
	{ KEY_IO_RATE, "io-rate", "SIZE|none", .kind = &kind_limit,
	  FIELD(io_rate), .min = MIB, .max = PIB, .range = "1M..1024T, none",
	  .help = "most that a load writes a second", .standard = "500MB" },
	{ KEY_IO_BUDGET, "io-budget", "SIZE|none", .kind = &kind_limit,
	  FIELD(io_budget), .min = MIB, .max = PIB,
	  .range = "1M..1024T, none",
	  .help = "most that a whole run writes; lowers the rate",
	  .standard = "100GB" },

	{ 'm', "comment", "TEXT", .kind = &kind_text, FIELD(comment),
	  .group = "Output",
	  .help = "a line of text for the log" },
	{ 'c', "console", .kind = &kind_flag, FIELD(console),
	  .help = "write no files: no log, no saved calibration" },
	{ KEY_OUTPUT_DIR, "output-dir", "DIR", .kind = &kind_text,
	  FIELD(output_dir), .min = 1,
	  .help = "where files go", .standard = "the current directory" },
	{ KEY_PERCENTILES, "percentiles", .kind = &kind_flag,
	  FIELD(percentiles),
	  .help = "append p50 p90 p95 p99 p99.9 Missed Longest, and the work of "
		  "the load" },
	{ KEY_PROGRESS, "progress", "auto|always|never", .bare = "always",
	  .kind = &kind_choice, FIELD(progress), .choices = progresses,
	  .help = "a status line on stderr before each cell; auto: if "
		  "that is a terminal",
	  .standard = "auto" },

	{ KEY_LIST, "list", .kind = &kind_action, FIELD(action),
	  .min = OPTS_LIST, .against = KEY_PLAN,
	  .group = "Instead of measuring",
	  .help = "list all tasks and loads" },
	{ KEY_PLAN, "plan", .kind = &kind_action, FIELD(action),
	  .min = OPTS_PLAN,
	  .help = "say what would run, how long, and what it needs" },
	{ 'h', "help", .kind = &kind_action, FIELD(action),
	  .min = OPTS_HELP, .help = "this text" },
	{ KEY_VERSION, "version", .kind = &kind_action, FIELD(action),
	  .min = OPTS_VERSION, .help = "name and version" },
};

#define NR_OPTS (sizeof(opt_table) / sizeof(opt_table[0]))

_Static_assert(NR_OPTS <= OPT_TABLE_MAX, "room beside the table");

const size_t opt_table_nr = NR_OPTS;

const struct opt *opt_table_find(int key)
{
	for (size_t i = 0; i < NR_OPTS; i++)
		if (opt_table[i].key == key)
			return &opt_table[i];
	return NULL;
}

static void join_choices(char *buf, size_t size, const char *const *choices)
{
	size_t len = (size_t)snprintf(buf, size, "known: %s", choices[0]);

	for (size_t i = 1; choices[i] && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, ", %s",
					choices[i]);
}

const char *opt_range_text(char *buf, const struct opt *opt)
{
	buf[0] = '\0';
	if (opt->range)
		snprintf(buf, OPT_RANGE_LEN, "%s", opt->range);
	else if (opt->choices)
		join_choices(buf, OPT_RANGE_LEN, opt->choices);
	else if (opt->kind == &kind_int || opt->kind == &kind_u64)
		snprintf(buf, OPT_RANGE_LEN, "%" PRId64 "..%" PRIu64, opt->min,
			 opt->max);
	return buf;
}
