/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of opts: every option, every spelling, every error, the help. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/registry.h"
#include "plan/opts.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SEC INT64_C(1000000000)
#define MAX_WORDS 16

/* One command line, its result, and a copy to see that argv is left alone. */
struct line {
	const char *argv[MAX_WORDS];
	int argc;
	struct options o;
	char why[OPTS_WHY_LEN];
};

/* words: NULL at the end. */
static int parse(struct line *line, const char *const *words)
{
	const char *before[MAX_WORDS];
	int err;

	line->argc = 0;
	line->argv[line->argc++] = "interbench";
	while (*words)
		line->argv[line->argc++] = *words++;
	line->argv[line->argc] = NULL;
	memcpy(before, line->argv, sizeof(before));
	line->why[0] = '\0';
	err = opts_parse(&line->o, line->argc, (char **)line->argv, line->why,
			 sizeof(line->why));
	assert_memory_equal(before, line->argv,
			    (size_t)line->argc * sizeof(*before));
	return err;
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void assert_parses(struct line *line, const char *const *words)
{
	if (parse(line, words))
		fail_msg("%s", line->why);
	assert_string_equal(line->why, "");
}

enum type { FLAG, INT, U32, U64, I64, TEXT, NAMES };

struct spelled {
	const char *name;
	int letter;
	const char *value;
	enum type type;
	size_t field;
	int64_t number;		/* what FLAG ... I64 become */
	size_t has;
	const char *with;	/* an option that must stand beside it */
};

#define FIELD(member) offsetof(struct options, member)

/* All options, each with a value that is not the default. */
static const struct spelled options[] = {
	{ "loops", 'l', "1000000000000", U64, FIELD(loops_per_ms),
	  1000000000000, FIELD(has_loops), NULL },
	{ "load-threads", 'L', "100000", U32, FIELD(load_threads), 100000,
	  FIELD(has_load_threads), NULL },
	{ "time", 't', "366d", I64, FIELD(time_ns), 366 * 86400 * SEC,
	  FIELD(has_time), NULL },
	{ "bench-nice", 'B', "-10", INT, FIELD(bench_nice), -10,
	  FIELD(has_bench_nice), NULL },
	{ "load-nice", 'N', "19", INT, FIELD(load_nice), 19,
	  FIELD(has_load_nice), NULL },
	{ "uniprocessor", 'u', NULL, FLAG, FIELD(uniprocessor), 1, 0, NULL },
	{ "benchmark", 'b', NULL, FLAG, FIELD(recalibrate), 1, 0, NULL },
	{ "console", 'c', NULL, FLAG, FIELD(console), 1, 0, NULL },
	{ "realtime", 'r', NULL, FLAG, FIELD(realtime), 1, 0, NULL },
	{ "custom-cpu", 'C', "50", U32, FIELD(custom_cpu_pct), 50,
	  FIELD(has_custom), "-I100" },
	{ "custom-interval", 'I', "60000000", U32, FIELD(custom_interval_us),
	  60000000, FIELD(has_custom), "-C100" },
	{ "comment", 'm', "50% \"x\"", TEXT, FIELD(comment), 0, 0, NULL },
	{ "load", 'w', "Burn", NAMES, FIELD(loads), 0, 0, NULL },
	{ "exclude-load", 'x', "Burn", NAMES, FIELD(excluded_loads), 0, 0,
	  NULL },
	{ "bench", 'W', "Audio", NAMES, FIELD(sims), 0, 0, NULL },
	{ "exclude-bench", 'X', "Audio", NAMES, FIELD(excluded_sims), 0, 0,
	  NULL },
	{ "help", 'h', NULL, INT, FIELD(action), OPTS_HELP, 0, NULL },
	{ "version", 0, NULL, INT, FIELD(action), OPTS_VERSION, 0, NULL },
	{ "list", 0, NULL, INT, FIELD(action), OPTS_LIST, 0, NULL },
	{ "plan", 0, NULL, INT, FIELD(action), OPTS_PLAN, 0, NULL },
	{ "quick", 0, NULL, FLAG, FIELD(quick), 1, 0, NULL },
	{ "percentiles", 0, NULL, FLAG, FIELD(percentiles), 1, 0, NULL },
	{ "seed", 0, "18446744073709551615", U64, FIELD(seed), -1, 0, NULL },
	{ "wake", 0, "direct", INT, FIELD(wake), WAKE_DIRECT, 0, NULL },
	{ "burn", 0, "work", INT, FIELD(burn), BURN_WORK, 0, NULL },
	{ "output-dir", 0, "/var/tmp", TEXT, FIELD(output_dir), 0, 0, NULL },
	{ "load-cmd", 0, "make=make -j8", NAMES, FIELD(commands), 0, 0, NULL },
	{ "compile", 0, "classic", INT, FIELD(compile), COMPILE_CLASSIC, 0,
	  NULL },
	{ "memload", 0, "global", INT, FIELD(memload), MEMLOAD_GLOBAL, 0,
	  NULL },
	{ "mem-size", 0, "1024T", U64, FIELD(mem_size), INT64_C(1) << 50,
	  FIELD(has_mem_size), NULL },
	{ "scratch", 0, "/var/tmp", TEXT, FIELD(scratch), 0, 0, NULL },
	{ "scratch-other", 0, "/mnt", TEXT, FIELD(scratch_other), 0, 0,
	  NULL },
	{ "io-size", 0, "64MiB", U64, FIELD(io_size), 64 << 20,
	  FIELD(has_io_size), NULL },
	{ "io-rate", 0, "none", U64, FIELD(io_rate), 0, 0, NULL },
	{ "io-budget", 0, "20GB", U64, FIELD(io_budget), 20000000000, 0,
	  NULL },
	{ "progress", 0, NULL, INT, FIELD(progress), PROGRESS_ALWAYS, 0,
	  NULL },
};

static int64_t number_at(const struct options *o, const struct spelled *s)
{
	const void *field = (const char *)o + s->field;

	switch (s->type) {
	case FLAG:
		return *(const bool *)field;
	case INT:
		return *(const int *)field;
	case U32:
		return *(const uint32_t *)field;
	default:
		return *(const int64_t *)field;
	}
}

static void assert_option(const struct spelled *s, const char *const *words)
{
	struct line line;
	const void *field = (const char *)&line.o + s->field;
	const struct opts_names *names = field;

	assert_parses(&line, words);
	if (s->type == TEXT) {
		assert_string_equal(*(const char *const *)field, s->value);
	} else if (s->type == NAMES) {
		assert_int_equal(names->nr, 1);
		assert_string_equal(names->names[0], s->value);
	} else {
		assert_true(number_at(&line.o, s) == s->number);
	}
	if (s->has)
		assert_true(*((const bool *)&line.o + s->has));
	opts_release(&line.o);
}

static void every_long_option_sets_its_field(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		const struct spelled *s = &options[i];
		char bare[64], joined[128];

		snprintf(bare, sizeof(bare), "--%s", s->name);
		if (!s->value) {
			assert_option(s, WORDS(bare, s->with));
			continue;
		}
		snprintf(joined, sizeof(joined), "--%s=%s", s->name,
			 s->value);
		assert_option(s, WORDS(bare, s->value, s->with));
		assert_option(s, WORDS(joined, s->with));
	}
}

static void every_short_option_sets_its_field(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		const struct spelled *s = &options[i];
		char bare[] = { '-', (char)s->letter, '\0' }, joined[64];

		if (!s->letter)
			continue;
		if (!s->value) {
			assert_option(s, WORDS(bare, s->with));
			continue;
		}
		snprintf(joined, sizeof(joined), "-%c%s", s->letter, s->value);
		assert_option(s, WORDS(bare, s->value, s->with));
		assert_option(s, WORDS(joined, s->with));
	}
}

static const struct spelled *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].name, name))
			return &options[i];
	return NULL;
}

static void the_tests_know_every_option_of_the_table(void **state)
{
	const char *name;
	int letter;
	size_t i;

	(void)state;
	for (i = 0; opts_nth(i, &name, &letter); i++) {
		const struct spelled *s = find(name);

		if (!s)
			fail_msg("--%s has no test", name);
		assert_int_equal(s->letter, letter);
	}
	assert_int_equal(i, ARRAY_SIZE(options));
}

static void no_words_give_the_defaults(void **state)
{
	struct line line;

	(void)state;
	assert_parses(&line, WORDS(NULL));
	assert_int_equal(line.o.action, OPTS_RUN);
	assert_true(line.o.time_ns == 30 * SEC);
	assert_false(line.o.has_time);
	assert_false(line.o.has_loops);
	assert_false(line.o.has_load_threads);
	assert_false(line.o.has_bench_nice);
	assert_false(line.o.has_load_nice);
	assert_false(line.o.has_custom);
	assert_false(line.o.uniprocessor || line.o.recalibrate ||
		     line.o.console || line.o.realtime || line.o.quick ||
		     line.o.percentiles);
	assert_true(line.o.seed == 42);
	assert_int_equal(line.o.wake, WAKE_DIRECT);
	assert_int_equal(line.o.burn, BURN_CPU);
	assert_int_equal(line.o.progress, PROGRESS_AUTO);
	assert_string_equal(line.o.output_dir, ".");
	assert_null(line.o.comment);
	assert_int_equal(line.o.loads.nr + line.o.excluded_loads.nr +
			 line.o.sims.nr + line.o.excluded_sims.nr, 0);
	opts_release(&line.o);
}

static void quick_is_6_seconds_unless_told(void **state)
{
	struct line line;

	(void)state;
	assert_parses(&line, WORDS("--quick"));
	assert_true(line.o.time_ns == 6 * SEC);
	opts_release(&line.o);
	assert_parses(&line, WORDS("-t", "12", "--quick"));
	assert_true(line.o.time_ns == 12 * SEC);
	opts_release(&line.o);
}

static void progress_takes_its_value_only_joined(void **state)
{
	static const struct {
		const char *word;
		enum opts_progress progress;
	} cases[] = {
		{ "--progress", PROGRESS_ALWAYS },
		{ "--progress=always", PROGRESS_ALWAYS },
		{ "--progress=auto", PROGRESS_AUTO },
		{ "--progress=never", PROGRESS_NEVER },
	};
	struct line line;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_parses(&line, WORDS(cases[i].word));
		assert_int_equal(line.o.progress, cases[i].progress);
		opts_release(&line.o);
	}
}

static void loops_imply_burning_work(void **state)
{
	struct line line;

	(void)state;
	assert_parses(&line, WORDS("-l", "5"));
	assert_int_equal(line.o.burn, BURN_WORK);
	assert_parses(&line, WORDS("--burn=work", "-l", "5"));
	assert_int_equal(line.o.burn, BURN_WORK);
	assert_parses(&line, WORDS("--burn=cpu"));
	assert_int_equal(line.o.burn, BURN_CPU);
}

static void the_last_of_a_single_valued_option_wins(void **state)
{
	struct line line;

	(void)state;
	assert_parses(&line, WORDS("-t", "5", "--time=7", "-L3", "-L", "4",
				   "--burn=cpu", "--burn=work", "-l9"));
	assert_true(line.o.time_ns == 7 * SEC);
	assert_int_equal(line.o.load_threads, 4);
	assert_int_equal(line.o.burn, BURN_WORK);
	opts_release(&line.o);
}

static void names_add_up_in_their_order(void **state)
{
	struct line line;

	(void)state;
	assert_parses(&line, WORDS("-w", "Burn", "--load", "none", "-wX", "-W",
				   "all"));
	assert_int_equal(line.o.loads.nr, 3);
	assert_string_equal(line.o.loads.names[0], "Burn");
	assert_string_equal(line.o.loads.names[1], "none");
	assert_string_equal(line.o.loads.names[2], "X");
	assert_int_equal(line.o.sims.nr, 1);
	opts_release(&line.o);
	assert_null(line.o.loads.names);
	assert_int_equal(line.o.loads.nr, 0);
}

static void short_flags_may_be_joined_and_long_ones_cut(void **state)
{
	struct line line;

	(void)state;
	assert_parses(&line, WORDS("-ucrt5", "--percent", "--custom-c=3",
				   "--custom-i", "1000"));
	assert_true(line.o.uniprocessor && line.o.console && line.o.realtime);
	assert_true(line.o.time_ns == 5 * SEC);
	assert_true(line.o.percentiles);
	assert_int_equal(line.o.custom_cpu_pct, 3);
	assert_int_equal(line.o.custom_interval_us, 1000);
}

static void run_is_taken_as_the_first_operand(void **state)
{
	struct line line;

	(void)state;
	assert_parses(&line, WORDS("run", "-t", "5"));
	assert_true(line.o.time_ns == 5 * SEC);
	assert_parses(&line, WORDS("-t", "5", "run", "-u"));
	assert_true(line.o.uniprocessor);
	assert_parses(&line, WORDS("-u", "--", "run"));
	assert_true(line.o.uniprocessor);
}

static void a_word_after_an_option_is_its_value(void **state)
{
	struct line line;

	(void)state;
	assert_parses(&line, WORDS("-m", "-c", "-B", "-20", "-N", "+3"));
	assert_string_equal(line.o.comment, "-c");
	assert_false(line.o.console);
	assert_int_equal(line.o.bench_nice, -20);
	assert_int_equal(line.o.load_nice, 3);
}

static void help_and_version_end_the_reading(void **state)
{
	struct line line;

	(void)state;
	assert_parses(&line, WORDS("--help", "-t", "abc", "stray"));
	assert_int_equal(line.o.action, OPTS_HELP);
	assert_parses(&line, WORDS("-C", "5", "--version", "--", "stray"));
	assert_int_equal(line.o.action, OPTS_VERSION);
	assert_parses(&line, WORDS("--list", "-h"));
	assert_int_equal(line.o.action, OPTS_HELP);
	assert_int_equal(parse(&line, WORDS("-t", "abc", "-h")), -EINVAL);
}

struct refusal {
	const char *words[6];
	const char *why;
};

static void assert_refused(const struct refusal *cases, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct line line;

		assert_int_equal(parse(&line, cases[i].words), -EINVAL);
		assert_string_equal(line.why, cases[i].why);
		opts_release(&line.o);
	}
}

#define T " (1s..366d, e.g. 30, 30s, 2m, 1h)"
#define U64_RANGE "0..18446744073709551615"

static void bad_numbers_are_refused(void **state)
{
	static const struct refusal cases[] = {
		{ { "-L", "-1" }, "-L -1: out of range 1..100000" },
		{ { "-L", "0" }, "-L 0: out of range 1..100000" },
		{ { "-L", "99999999" },
		  "-L 99999999: out of range 1..100000" },
		{ { "-L", "4294967297" },
		  "-L 4294967297: out of range 1..100000" },
		{ { "-L", "1e3" }, "-L 1e3: not a whole number (1..100000)" },
		{ { "-L", " 5" }, "-L  5: not a whole number (1..100000)" },
		{ { "-l", "0" }, "-l 0: out of range 1..1000000000000" },
		{ { "-l", "1000000000001" },
		  "-l 1000000000001: out of range 1..1000000000000" },
		{ { "-l", "-1" },
		  "-l -1: not a whole number (1..1000000000000)" },
		{ { "-B", "-21" }, "-B -21: out of range -20..19" },
		{ { "-B", "x" }, "-B x: not a whole number (-20..19)" },
		{ { "--load-nice", "20" },
		  "--load-nice 20: out of range -20..19" },
		{ { "-C", "0", "-I", "1000" }, "-C 0: out of range 1..100" },
		{ { "-C101", "-I", "1000" }, "-C 101: out of range 1..100" },
		{ { "-C", "50", "-I", "99" },
		  "-I 99: out of range 100..60000000" },
		{ { "-C", "50", "-I", "60000001" },
		  "-I 60000001: out of range 100..60000000" },
		{ { "--seed", "-1" },
		  "--seed -1: not a whole number (" U64_RANGE ")" },
		{ { "--seed=18446744073709551616" },
		  "--seed 18446744073709551616: out of range " U64_RANGE },
	};

	(void)state;
	assert_refused(cases, ARRAY_SIZE(cases));
}

static void bad_durations_and_words_are_refused(void **state)
{
	static const struct refusal cases[] = {
		{ { "-t", "abc" }, "-t abc: not a duration" T },
		{ { "--time", "abc" }, "--time abc: not a duration" T },
		{ { "--time=1.5" }, "--time 1.5: not a duration" T },
		{ { "--tim=abc" }, "--time abc: not a duration" T },
		{ { "-t", "-5" }, "-t -5: not a duration" T },
		{ { "-t", "" }, "-t '': not a duration" T },
		{ { "--time=" }, "--time '': not a duration" T },
		{ { "-t", "0" }, "-t 0: out of range 1s..366d" },
		{ { "-t367d" }, "-t 367d: out of range 1s..366d" },
		{ { "-t", "99999999999999999999" },
		  "-t 99999999999999999999: out of range 1s..366d" },
		{ { "-t", "-u" }, "-t -u: not a duration" T },
		{ { "--burn", "hot" },
		  "--burn hot: unknown (known: cpu, work)" },
		{ { "--burn=" }, "--burn '': unknown (known: cpu, work)" },
		{ { "--wake=rt" }, "--wake rt: unknown (known: direct)" },
		{ { "--progress=yes" },
		  "--progress yes: unknown (known: auto, always, never)" },
		{ { "--output-dir", "" },
		  "--output-dir '': must not be empty" },
	};

	(void)state;
	assert_refused(cases, ARRAY_SIZE(cases));
}

static void options_that_do_not_go_together_are_refused(void **state)
{
	static const struct refusal cases[] = {
		{ { "-C", "50" }, "-C 50: needs -I as well" },
		{ { "--custom-cpu=50", "-u" },
		  "--custom-cpu 50: needs --custom-interval as well" },
		{ { "-I", "1000" }, "-I 1000: needs -C as well" },
		{ { "-l", "5", "--burn=cpu" },
		  "-l 5: contradicts --burn cpu" },
		{ { "--burn", "cpu", "--loops", "5" },
		  "--loops 5: contradicts --burn cpu" },
		{ { "--plan", "--list" }, "--list: contradicts --plan" },
	};

	(void)state;
	assert_refused(cases, ARRAY_SIZE(cases));
}

static void missing_and_needless_values_are_refused(void **state)
{
	static const struct refusal cases[] = {
		{ { "-t" }, "-t: value missing" T },
		{ { "-u", "--time" }, "--time: value missing" T },
		{ { "-ut" }, "-t: value missing" T },
		{ { "--burn" }, "--burn: value missing (known: cpu, work)" },
		{ { "-w" }, "-w: NAME missing" },
		{ { "--comment" }, "--comment: TEXT missing" },
		{ { "--output-dir" }, "--output-dir: DIR missing" },
		{ { "--quick=yes" }, "--quick=yes: takes no value" },
		{ { "--console=1" }, "--console=1: takes no value" },
		{ { "--help=x" }, "--help=x: takes no value" },
	};

	(void)state;
	assert_refused(cases, ARRAY_SIZE(cases));
}

static void unknown_options_are_named_with_the_nearest(void **state)
{
	static const struct refusal cases[] = {
		{ { "--secds" }, "--secds: no such option; nearest is --seed" },
		{ { "--secds=3" },
		  "--secds=3: no such option; nearest is --seed" },
		{ { "--Quick" },
		  "--Quick: no such option; nearest is --quick" },
		{ { "--unlike-anything" },
		  "--unlike-anything: no such option (see --help)" },
		{ { "--custom" },
		  "--custom: ambiguous (--custom-cpu, --custom-interval)" },
		{ { "--p=3" },
		  "--p=3: ambiguous (--percentiles, --progress, --plan)" },
		{ { "-Z" }, "-Z: no such option (see --help)" },
		{ { "-uZ" }, "-Z: no such option (see --help)" },
		{ { "-5" }, "-5: no such option (see --help)" },
		{ { "-u=3" }, "-=: no such option (see --help)" },
		{ { "-\xc3\xa9" }, "-\\xc3: no such option (see --help)" },
		{ { "-u", "-\n" }, "-\\n: no such option (see --help)" },
	};

	(void)state;
	assert_refused(cases, ARRAY_SIZE(cases));
}

static void stray_operands_are_refused(void **state)
{
	static const struct refusal cases[] = {
		{ { "stray" }, "stray: unexpected operand" },
		{ { "-u", "stray", "-c" }, "stray: unexpected operand" },
		{ { "run", "stray" }, "stray: unexpected operand" },
		{ { "run", "run" }, "run: unexpected operand" },
		{ { "Run" }, "Run: unexpected operand" },
		{ { "--", "-u" }, "-u: unexpected operand" },
		{ { "run", "--", "run" }, "run: unexpected operand" },
		{ { "--progress", "never" }, "never: unexpected operand" },
		{ { "" }, "'': unexpected operand" },
		{ { "-" }, "-: unexpected operand" },
	};

	(void)state;
	assert_refused(cases, ARRAY_SIZE(cases));
}

static void messages_are_one_line_whatever_is_in_a_value(void **state)
{
	static const struct refusal cases[] = {
		{ { "-L", "1\n2" },
		  "-L 1\\n2: not a whole number (1..100000)" },
		{ { "--x\ny" }, "--x\\ny: no such option (see --help)" },
		{ { "\033[2Jstray%s" }, "\\x1b[2Jstray%s: unexpected operand" },
	};
	char word[5000];
	struct line line;

	(void)state;
	assert_refused(cases, ARRAY_SIZE(cases));
	memset(word, '\n', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(parse(&line, WORDS("-t", word)), -EINVAL);
	assert_null(strchr(line.why, '\n'));
	assert_non_null(strstr(line.why, "...: not a duration" T));
}

static void a_failed_parse_leaves_no_trace_in_the_next(void **state)
{
	struct line line;

	(void)state;
	assert_int_equal(parse(&line, WORDS("-w", "Burn", "-ucZ", "-t", "5")),
			 -EINVAL);
	opts_release(&line.o);
	assert_parses(&line, WORDS("-r"));
	assert_true(line.o.realtime);
	assert_false(line.o.uniprocessor);
	assert_int_equal(line.o.loads.nr, 0);
}

static void a_small_room_for_the_reason_is_kept_to(void **state)
{
	const char *argv[] = { "interbench", "stray", NULL };
	char why[8] = "1234567";
	struct options o;

	(void)state;
	assert_int_equal(opts_parse(&o, 2, (char **)argv, why, 4), -EINVAL);
	assert_string_equal(why, "str");
	assert_int_equal(why[4], '5');
	opts_release(&o);
	assert_int_equal(opts_parse(&o, 0, (char **)&argv[2], why, 4), 0);
}

/* The help with every run of blanks made one space. To be freed. */
static char *help_words(void)
{
	char *text = NULL, *to;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	opts_help(out);
	fclose(out);
	to = text;
	for (const char *from = text; *from; from++)
		if (!strchr(" \n", *from))
			*to++ = *from;
		else if (to == text || to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
	return text;
}

static void help_names_every_option(void **state)
{
	char *text = help_words(), spelled[64];
	const char *name;
	int letter;

	(void)state;
	for (size_t i = 0; opts_nth(i, &name, &letter); i++) {
		if (letter)
			snprintf(spelled, sizeof(spelled), " -%c, --%s",
				 letter, name);
		else
			snprintf(spelled, sizeof(spelled), " --%s", name);
		assert_non_null(strstr(text, spelled));
	}
	assert_non_null(strstr(text, "(1..100000; default: as many as"));
	assert_non_null(strstr(text, "(1s..366d; default: 30s,"));
	free(text);
}

static void help_names_the_default_tasks_and_loads(void **state)
{
	char *text = help_words(), sims[256] = "(default:",
	     loads[256] = "(default:";

	(void)state;
	for (uint32_t i = 0; i < registry_nr_sims(); i++)
		if (registry_sim(i)->flags & SIM_DEFAULT)
			snprintf(sims + strlen(sims), 64, "%s %s",
				 strchr(sims, ' ') ? "," : "",
				 registry_sim(i)->title);
	for (uint32_t i = 0; i < registry_nr_loads(); i++)
		if (load_entry_flags(registry_load(i)) & LOAD_DEFAULT)
			snprintf(loads + strlen(loads), 64, "%s %s",
				 strchr(loads, ' ') ? "," : "",
				 load_entry_title(registry_load(i)));
	assert_non_null(strstr(text, sims));
	assert_non_null(strstr(text, loads));
	free(text);
}

static void help_fits_80_columns(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	opts_help(out);
	fclose(out);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		size_t len = strcspn(line, "\n");

		assert_in_range(len, 0, 79);
		assert_true(len == 0 || line[len - 1] != ' ');
		assert_int_equal(line[len], '\n');
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_long_option_sets_its_field),
		cmocka_unit_test(every_short_option_sets_its_field),
		cmocka_unit_test(the_tests_know_every_option_of_the_table),
		cmocka_unit_test(no_words_give_the_defaults),
		cmocka_unit_test(quick_is_6_seconds_unless_told),
		cmocka_unit_test(progress_takes_its_value_only_joined),
		cmocka_unit_test(loops_imply_burning_work),
		cmocka_unit_test(the_last_of_a_single_valued_option_wins),
		cmocka_unit_test(names_add_up_in_their_order),
		cmocka_unit_test(short_flags_may_be_joined_and_long_ones_cut),
		cmocka_unit_test(run_is_taken_as_the_first_operand),
		cmocka_unit_test(a_word_after_an_option_is_its_value),
		cmocka_unit_test(help_and_version_end_the_reading),
		cmocka_unit_test(bad_numbers_are_refused),
		cmocka_unit_test(bad_durations_and_words_are_refused),
		cmocka_unit_test(options_that_do_not_go_together_are_refused),
		cmocka_unit_test(missing_and_needless_values_are_refused),
		cmocka_unit_test(unknown_options_are_named_with_the_nearest),
		cmocka_unit_test(stray_operands_are_refused),
		cmocka_unit_test(messages_are_one_line_whatever_is_in_a_value),
		cmocka_unit_test(a_failed_parse_leaves_no_trace_in_the_next),
		cmocka_unit_test(a_small_room_for_the_reason_is_kept_to),
		cmocka_unit_test(help_names_every_option),
		cmocka_unit_test(help_names_the_default_tasks_and_loads),
		cmocka_unit_test(help_fits_80_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
