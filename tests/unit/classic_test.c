/* SPDX-License-Identifier: GPL-2.0-or-later */
/* classic_test: numbers, rows, and whole texts of the classic table. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/classic.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MS 1e6
#define US 1e3

static const struct run_info plain_info = {
	.kernel = "6.18.44",
	.datestamp = "202612010031",
	.version = "1.0",
	.wake = "direct",
	.burn = "cpu",
	.loops_informative = true,
	.loops_per_ms = 3690000,
	.load_threads = 4,
	.time_ns = 30 * INT64_C(1000000000),
	.seed = 42,
};

/* A row whose latencies are mean, sd and max in ns. */
static struct result row_of(const char *load, double mean_ns, double sd_ns,
			    int64_t max_ns, double cpu_pct, double met_pct)
{
	struct result res = { .status = CELL_OK };
	struct summary *sum = &res.sum;

	snprintf(res.load, sizeof(res.load), "%s", load);
	sum->paced = true;
	sum->latency.n = 600;
	sum->latency.mean_ns = mean_ns;
	sum->latency.sd_ns = sd_ns;
	sum->latency.max_ns = max_ns;
	memset(sum->latency.quantile_ns, 0xff,
	       sizeof(sum->latency.quantile_ns));
	sum->has_desired = true;
	sum->desired_cpu_pct = cpu_pct;
	sum->has_deadlines = true;
	sum->deadlines_met_pct = met_pct;
	return res;
}

static struct result quiet_row(void)
{
	return row_of("None", 62000, 31000, 113000, 100, 100);
}

static void unpace(struct result *res)
{
	res->sum.paced = false;
	res->sum.has_deadlines = false;
}

static void set_why(struct result *res, enum cell_status status,
		    const char *why)
{
	res->status = status;
	snprintf(res->why, sizeof(res->why), "%s", why);
}

static void set_quantiles(struct result *res, int64_t step_ns, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		res->sum.latency.quantile_ns[i] = (int64_t)(i + 1) * step_ns;
}

static void check_row(const struct run_info *info, const struct result *res,
		      const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	classic_row(&sb, info, res);
	assert_string_equal(sb.text, want);
	strbuf_release(&sb);
}

static void check_golden(const char *name, struct strbuf *sb)
{
	char path[128], want[8192];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "tests/golden/%s.txt", name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("cannot open %s", path);
	len = fread(want, 1, sizeof(want) - 1, f);
	fclose(f);
	want[len] = '\0';
	assert_int_equal(sb->err, 0);
	assert_string_equal(sb->text, want);
	assert_int_equal(sb->len, len);
	strbuf_release(sb);
}

static const struct {
	double ns, unit;
	const char *want;
} times[] = {
	{ 0, MS, "0.000" },
	{ 0, US, "0.000" },
	{ 62000, MS, "0.0620" },
	{ 31000, MS, "0.0310" },
	{ 5120, MS, "0.00512" },
	{ 450, MS, "0.000450" },
	{ 123456000, MS, "123.456" },
	{ 1000000, MS, "1.000" },
	{ 100000, MS, "0.100" },
	{ 99999, MS, "0.100" },
	{ 99500, MS, "0.0995" },
	{ 10000, MS, "0.0100" },
	{ 1000, MS, "0.00100" },
	{ 100, MS, "0.000100" },
	{ 45, MS, "0.000045" },
	{ 1, MS, "0.000001" },
	{ 0.01, MS, "0.000001" },
	{ 1000500, MS, "1.001" },
	{ 1000499, MS, "1.000" },
	{ 450, US, "0.450" },
	{ 1, US, "0.00100" },
	{ 12345678, US, "12345.678" },
	{ 86400e9 * 366, MS, "31622400000.000" },
	{ 9223372036854775807.0, MS, "9223372036854.776" },
	{ 9e18, US, "9000000000000000.000" },
	{ 1e300, MS, "-" },
	{ -1, MS, "-" },
};

static void times_have_3_decimals_or_3_significant_digits(void **state)
{
	char buf[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		classic_format_time(buf, sizeof(buf), times[i].ns,
				    times[i].unit);
		if (strcmp(buf, times[i].want))
			fail_msg("%.17g: %s, not %s", times[i].ns, buf,
				 times[i].want);
	}
}

static const struct {
	double pct;
	const char *want;
} percents[] = {
	{ 100, "100" },
	{ 0, "0" },
	{ 99.95, "99.95" },
	{ 99.949, "99.9" },
	{ 99.96, "99.96" },
	{ 99.99, "99.99" },
	{ 99.99 + 0x1p-46, "99.99" },
	{ 99.996, "99.996" },
	{ 99.999, "99.999" },
	{ 99.9999, "99.9999" },
	{ 99.99999, "99.99999" },
	{ 99.999999, "99.999999" },
	{ 99.99994, "99.99994" },
	{ 99.99999949, "99.999999" },
	{ 99.9999999, "99.999999" },
	{ 100 - 1e-13, "99.999999" },
	{ 100.0 * 1799 / 1800, "99.9" },
	{ 99.2, "99.2" },
	{ 82.04, "82" },
	{ 60, "60" },
	{ 100.0 / 3, "33.3" },
	{ 7.91, "7.9" },
	{ 1, "1" },
	{ 0.9996, "1" },
	{ 0.999, "0.999" },
	{ 0.5, "0.500" },
	{ 100.0 / 600, "0.167" },
	{ 0.01666, "0.0167" },
	{ 0.00012345, "0.000123" },
	{ 1e-9, "0.000001" },
	{ 100 + 1e-13, "100" },
	{ 103.21, "103.2" },
	{ -1, "-" },
};

static void percentages_say_100_and_0_only_where_exact(void **state)
{
	char buf[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(percents); i++) {
		classic_format_pct(buf, sizeof(buf), percents[i].pct);
		if (strcmp(buf, percents[i].want))
			fail_msg("%.17g: %s, not %s", percents[i].pct, buf,
				 percents[i].want);
	}
}

static void what_is_no_number_is_a_dash(void **state)
{
	const double bad[] = { NAN, -NAN, INFINITY, -INFINITY };
	char buf[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		classic_format_time(buf, sizeof(buf), bad[i], MS);
		assert_string_equal(buf, "-");
		classic_format_pct(buf, sizeof(buf), bad[i]);
		assert_string_equal(buf, "-");
	}
}

static void printed_times_keep_their_order(void **state)
{
	double before = 0;
	char buf[64];
	int64_t ns;

	(void)state;
	for (ns = 0; ns < 300000; ns++) {
		double now;

		classic_format_time(buf, sizeof(buf), (double)ns, MS);
		now = strtod(buf, NULL);
		if (now < before || fabs(now * MS - (double)ns) > 500)
			fail_msg("%s for %lld ns", buf, (long long)ns);
		before = now;
	}
}

static void a_comma_locale_changes_nothing(void **state)
{
	const char *const names[] = { "de_DE.UTF-8", "de_DE", "pl_PL.UTF-8",
				      "fr_FR.UTF-8" };
	struct result res = quiet_row();
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (setlocale(LC_ALL, names[i]))
			break;
	if (i == ARRAY_SIZE(names)) {
		print_message("no locale with a decimal comma here\n");
		skip();
	}
	assert_string_equal(localeconv()->decimal_point, ",");
	check_row(&plain_info, &res, "None\t 0.0620 +/- 0.0310    0.113"
		  "\t\t 100\t        100\n");
	setlocale(LC_ALL, "C");
}

static void absent_values_are_dashes(void **state)
{
	struct result res = quiet_row();

	(void)state;
	res.sum.latency.n = 1;
	check_row(&plain_info, &res,
		  "None\t 0.0620 +/- -         0.113\t\t 100\t        100\n");
	res.sum.latency.n = 0;
	res.sum.has_desired = false;
	res.sum.has_deadlines = false;
	check_row(&plain_info, &res,
		  "None\t      - +/- -             -\t\t   -\t          -\n");
	unpace(&res);
	check_row(&plain_info, &res,
		  "None\t      - +/- -             -\t\t   -\n");
}

static void a_maximum_that_was_cut_off_is_a_lower_bound(void **state)
{
	struct result res = quiet_row();

	(void)state;
	res.sum.latency.bound_ns = 123456000;
	check_row(&plain_info, &res, "None\t 0.0620 +/- 0.0310  >123.456"
		  "\t\t 100\t        100\n");
	res.sum.latency.bound_ns = 100;
	check_row(&plain_info, &res, "None\t 0.0620 +/- 0.0310    0.113"
		  "\t\t 100\t        100\n");
	res.sum.latency.n = 0;
	check_row(&plain_info, &res, "None\t      - +/- -       >0.000100"
		  "\t\t 100\t        100\n");
}

static void neighbours_never_run_together(void **state)
{
	struct result res = row_of("Burn", 450, 450, 5120, 100, 100);

	(void)state;
	check_row(&plain_info, &res, "Burn\t0.000450 +/- 0.000450 0.00512"
		  "\t\t 100\t        100\n");
	res = row_of("Burn", 1.5e12, 1.5e12, INT64_C(9999999999999), 1, 1);
	check_row(&plain_info, &res, "Burn\t1500000.000 +/- 1500000.000 "
		  "10000000.000\t\t   1\t          1\n");
}

static void a_row_without_values_says_why(void **state)
{
	struct result res = quiet_row();

	(void)state;
	set_why(&res, CELL_SKIPPED, "no room on /\ntmp");
	check_row(&plain_info, &res, "None\tskipped: no room on /\\ntmp\n");
	set_why(&res, CELL_FAILED, "the task died: 50%s");
	check_row(&plain_info, &res, "None\tfailed: the task died: 50%s\n");
	set_why(&res, CELL_SKIPPED, "");
	check_row(&plain_info, &res, "None\tskipped: no reason recorded\n");
}

static void a_doubtful_row_ends_in_its_reason(void **state)
{
	static const struct {
		enum cell_status status;
		const char *why, *end;
	} marks[] = {
		{ CELL_NOISY, "steal 3 %", "\t~ steal 3 %" },
		{ CELL_INVALID, "throttled\t9x", "\t! throttled\\t9x" },
		{ CELL_OK, "load starved", "\t(load starved)" },
		{ CELL_OK, "load starved: none", "\t(load starved: none)" },
		{ CELL_OK, "something else", "" },
		{ CELL_NOISY, "load starved", "\t~ load starved" },
	};
	struct result res = quiet_row();
	char want[256];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		set_why(&res, marks[i].status, marks[i].why);
		snprintf(want, sizeof(want), "None\t 0.0620 +/- 0.0310    0.113"
			 "\t\t 100\t        100%s\n", marks[i].end);
		check_row(&plain_info, &res, want);
	}
}

static void percentiles_stand_before_the_mark(void **state)
{
	struct run_info info = plain_info;
	struct result res = quiet_row();

	(void)state;
	info.percentiles = true;
	res.sum.late = 3;
	res.sum.dropped = 4;
	res.sum.longest_miss = 5;
	set_quantiles(&res, 20000, 4);
	set_why(&res, CELL_NOISY, "steal");
	check_row(&info, &res, "None\t 0.0620 +/- 0.0310    0.113\t\t 100"
		  "\t        100\t0.0200\t0.0400\t0.0600\t0.0800\t-\t7\t5"
		  "\t-\t~ steal\n");
	unpace(&res);
	check_row(&info, &res, "None\t 0.0620 +/- 0.0310    0.113\t\t 100"
		  "\t0.0200\t0.0400\t0.0600\t0.0800\t-\t-\t~ steal\n");
	res.sum.latency.n = 0;
	check_row(&info, &res, "None\t      - +/- -             -\t\t 100"
		  "\t-\t-\t-\t-\t-\t-\t~ steal\n");
}

static void the_work_of_the_load_stands_behind_the_percentiles(void **state)
{
	static const struct {
		const char *unit;
		uint64_t work;
		int64_t span_ns;
		bool bytes, device;
		uint64_t moved;
		const char *note, *want;
	} cases[] = {
		{ "loops", 0, 2000000000, 0, 0, 0, "", "0.00 loops/s" },
		{ "files", 3, 2000000000, 0, 0, 0, "", "1.50 files/s" },
		{ "jobs", 123, 2000000000, 0, 0, 0, "", "61.5 jobs/s" },
		{ "loops", 1998, 2000000000, 0, 0, 0, "", "999 loops/s" },
		{ "loops", 1999, 2000000000, 0, 0, 0, "", "1.00 kloops/s" },
		{ "loops", UINT64_MAX, 1, 0, 0, 0, "",
		  "18446744074 Eloops/s" },
		{ "bytes", 824200000, 2000000000, 1, 1, 818000000,
		  "4.0 GiB ring, ext4",
		  "412 MB/s, device 409 MB/s (4.0 GiB ring, ext4)" },
		{ "bytes", 2000, 2000000000, 1, 0, 0, "nfs\n",
		  "1.00 kB/s (nfs\\n)" },
		{ "", 5, 2000000000, 0, 0, 0, "", "-" },
		{ "loops", 5, 0, 0, 0, 0, "", "-" },
	};
	struct run_info info = plain_info;
	struct result res = quiet_row();
	char want[256];

	(void)state;
	info.percentiles = true;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(res.load_unit, sizeof(res.load_unit), "%s",
			 cases[i].unit);
		snprintf(res.load_note, sizeof(res.load_note), "%s",
			 cases[i].note);
		res.load_work = cases[i].work;
		res.load_span_ns = cases[i].span_ns;
		res.load_is_bytes = cases[i].bytes;
		res.has_device = cases[i].device;
		res.device_bytes = cases[i].moved;
		snprintf(want, sizeof(want), "None\t 0.0620 +/- 0.0310    0.113"
			 "\t\t 100\t        100\t-\t-\t-\t-\t-\t0\t0\t%s\n",
			 cases[i].want);
		check_row(&info, &res, want);
	}
}

static void what_a_load_fell_back_to_stands_in_the_row(void **state)
{
	struct result res = quiet_row();

	(void)state;
	snprintf(res.load_note, sizeof(res.load_note),
		 "buffered, O_DIRECT refused");
	check_row(&plain_info, &res, "None\t 0.0620 +/- 0.0310    0.113\t\t 100"
		  "\t        100\n");
	res.load_fell_back = true;
	check_row(&plain_info, &res, "None\t 0.0620 +/- 0.0310    0.113\t\t 100"
		  "\t        100\t(buffered, O_DIRECT refused)\n");
	set_why(&res, CELL_NOISY, "steal");
	check_row(&plain_info, &res, "None\t 0.0620 +/- 0.0310    0.113\t\t 100"
		  "\t        100\t(buffered, O_DIRECT refused)\t~ steal\n");
}

static void the_header_keeps_foreign_text_on_its_line(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct run_info info = plain_info;

	(void)state;
	info.comment = "run #1: 50%% \"x\"\nnewline, comma; \\ \xff \u00e4";
	info.cpus = "CPUs used: 0-3 of 8";
	info.loops_informative = false;
	info.burn = "work";
	classic_header(&sb, &info);
	assert_string_equal(sb.text,
		"Load set to 4 processors\n\n"
		"Using 3690000 loops per ms, running every load for "
		"30 seconds\n"
		"Benchmarking kernel 6.18.44 at datestamp 202612010031\n"
		"Comment: run #1: 50%% \"x\"\\nnewline, comma; \\\\ \\xff "
		"\u00e4\n"
		"CPUs used: 0-3 of 8\n"
		"Method: wake direct, burn work, seed 42, interbench 1.0\n");
	strbuf_release(&sb);
}

static void a_window_that_differs_stands_in_the_title(void **state)
{
	static const struct {
		int64_t window_ns;
		const char *end;
	} cases[] = {
		{ INT64_C(10000000000), "--- (10 seconds)" },
		{ INT64_C(29700000000), "--- (29.700 seconds)" },
		{ INT64_C(30000000000), "---" },
	};
	char want[256];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = STRBUF_INIT;

		classic_title(&sb, &plain_info, "X", true, cases[i].window_ns);
		snprintf(want, sizeof(want), "\n--- Benchmarking simulated cpu "
			 "of X in the presence of simulated %s\nLoad\tLatency "
			 "+/- SD (ms)  Max Latency   %% Desired CPU  %% "
			 "Deadlines Met\n", cases[i].end);
		assert_string_equal(sb.text, want);
		strbuf_release(&sb);
	}
}

static void golden_a_plain_run(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct result res = quiet_row();

	(void)state;
	classic_header(&sb, &plain_info);
	classic_title(&sb, &plain_info, "Audio", true, plain_info.time_ns);
	classic_row(&sb, &plain_info, &res);
	res = row_of("Burn", 2543210, 4512345, 32012345, 99.5, 98.6667);
	classic_row(&sb, &plain_info, &res);
	res = row_of("Memload", 0, 0, 0, 0, 0);
	set_why(&res, CELL_SKIPPED, "less than 64 MiB free");
	classic_row(&sb, &plain_info, &res);
	classic_title(&sb, &plain_info, "Gaming", false, plain_info.time_ns);
	res = row_of("None", 0, 0, 0, 99.98, 0);
	unpace(&res);
	classic_row(&sb, &plain_info, &res);
	res = row_of("Burn", 101234567, 55512345, 456789012, 49.87, 0);
	unpace(&res);
	set_why(&res, CELL_NOISY, "steal 1.3 %");
	classic_row(&sb, &plain_info, &res);
	classic_footer(&sb);
	check_golden("classic-basic", &sb);
}

static void golden_nice_levels_and_percentiles(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct run_info info = plain_info;
	struct result res = row_of("Burn", 120000, 990000, 16700000, 99.9444,
				   99.8889);

	(void)state;
	info.has_bench_nice = true;
	info.bench_nice = -10;
	info.has_load_nice = true;
	info.load_nice = 5;
	info.percentiles = true;
	classic_header(&sb, &info);
	classic_title(&sb, &info, "Video", true, info.time_ns);
	res.sum.dropped = 2;
	res.sum.longest_miss = 1;
	set_quantiles(&res, 1500000, 4);
	snprintf(res.load_unit, sizeof(res.load_unit), "loops");
	res.load_work = 93200000000;
	res.load_span_ns = 31000000000;
	classic_row(&sb, &info, &res);
	classic_title(&sb, &info, "Gaming", false, info.time_ns);
	unpace(&res);
	classic_row(&sb, &info, &res);
	classic_footer(&sb);
	check_golden("classic-percentiles", &sb);
}

static void golden_real_time_is_in_us(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct run_info info = plain_info;
	struct result res = row_of("None", 4321, 876, 51234, 100, 100);

	(void)state;
	info.realtime = true;
	info.has_bench_nice = true;
	info.bench_nice = -10;
	classic_header(&sb, &info);
	classic_title(&sb, &info, "Audio", true, info.time_ns);
	classic_row(&sb, &info, &res);
	classic_footer(&sb);
	check_golden("classic-realtime", &sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_have_3_decimals_or_3_significant_digits),
		cmocka_unit_test(percentages_say_100_and_0_only_where_exact),
		cmocka_unit_test(what_is_no_number_is_a_dash),
		cmocka_unit_test(printed_times_keep_their_order),
		cmocka_unit_test(a_comma_locale_changes_nothing),
		cmocka_unit_test(absent_values_are_dashes),
		cmocka_unit_test(a_maximum_that_was_cut_off_is_a_lower_bound),
		cmocka_unit_test(neighbours_never_run_together),
		cmocka_unit_test(a_row_without_values_says_why),
		cmocka_unit_test(a_doubtful_row_ends_in_its_reason),
		cmocka_unit_test(percentiles_stand_before_the_mark),
		cmocka_unit_test(what_a_load_fell_back_to_stands_in_the_row),
		cmocka_unit_test(
			the_work_of_the_load_stands_behind_the_percentiles),
		cmocka_unit_test(the_header_keeps_foreign_text_on_its_line),
		cmocka_unit_test(a_window_that_differs_stands_in_the_title),
		cmocka_unit_test(golden_a_plain_run),
		cmocka_unit_test(golden_nice_levels_and_percentiles),
		cmocka_unit_test(golden_real_time_is_in_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
