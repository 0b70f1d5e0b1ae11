/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict_test: each limit from both sides, and whole texts. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/verdict.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MS INT64_C(1000000)
#define SECOND (1000 * MS)
#define AGAIN "Run it again on the kernel or setting you compare with.\n"

static const struct run_info plain_info = {
	.kernel = "6.18.44",
	.burn = "cpu",
	.load_threads = 4,
	.time_ns = 30 * SECOND,
};

/* A row in which all is well: nothing missed, stalls of at most 0.4 ms. */
static struct result smooth(const char *task, const char *load)
{
	struct result res = { .status = CELL_OK, .window_ns = 30 * SECOND };
	struct summary *sum = &res.sum;

	snprintf(res.task, sizeof(res.task), "%s", task);
	snprintf(res.load, sizeof(res.load), "%s", load);
	sum->paced = strcmp(task, "Gaming") != 0;
	sum->total = sum->paced ? 1800 : 0;
	sum->met = sum->total;
	sum->latency.n = 1800;
	sum->latency.max_ns = 400000;
	sum->delay.n = sum->total;
	sum->delay.max_ns = 400000;
	sum->has_frames = !sum->paced;
	sum->fps = sum->low1_fps = sum->has_frames ? 99.5 : 0;
	memset(sum->response.quantile_ns, 0xff,
	       sizeof(sum->response.quantile_ns));
	return res;
}

static struct result missing(const char *task, const char *load,
			     uint64_t missed, uint64_t longest,
			     int64_t stall_ns)
{
	struct result res = smooth(task, load);

	res.sum.met -= missed;
	res.sum.late = missed / 2;
	res.sum.dropped = missed - missed / 2;
	res.sum.longest_miss = longest;
	res.sum.delay.max_ns = stall_ns;
	return res;
}

static struct result stalling(const char *task, const char *load,
			      int64_t max_ns)
{
	struct result res = smooth(task, load);

	res.sum.latency.max_ns = max_ns;
	return res;
}

static struct result slow_game(const char *load, double low1_fps)
{
	struct result res = stalling("Gaming", load, 52 * MS);

	res.sum.low1_fps = low1_fps;
	return res;
}

static void check_form(const char *text)
{
	size_t lines = 0;

	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
	while (*text) {
		size_t len = strcspn(text, "\n");

		assert_in_range(len, 1, 100);
		assert_int_equal(text[len], '\n');
		text += len + 1;
		lines++;
	}
	assert_in_range(lines, 3, 10);
}

static void check_text(const struct run_info *info, const struct result *rows,
		       size_t nr, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	verdict(&sb, info, rows, nr);
	assert_int_equal(sb.err, 0);
	check_form(sb.text);
	assert_string_equal(sb.text, want);
	strbuf_release(&sb);
}

static void check_has(const struct result *rows, size_t nr, const char *part)
{
	struct strbuf sb = STRBUF_INIT;

	verdict(&sb, &plain_info, rows, nr);
	check_form(sb.text);
	if (!strstr(sb.text, part))
		fail_msg("no <%s> in\n%s", part, sb.text);
	strbuf_release(&sb);
}

static void nothing_judged_says_nothing(void **state)
{
	static const enum cell_status statuses[] = {
		CELL_INVALID, CELL_SKIPPED, CELL_FAILED, CELL_OK, CELL_NOISY,
	};
	struct strbuf sb = STRBUF_INIT;
	size_t i;

	(void)state;
	verdict(&sb, &plain_info, NULL, 0);
	assert_null(sb.text);
	for (i = 0; i < ARRAY_SIZE(statuses); i++) {
		struct result res = missing("Audio", "Burn", 5, 5, 99 * MS);

		res.status = statuses[i];
		if (i >= 3)	/* as good as it gets, but nothing measured */
			memset(&res.sum, 0, sizeof(res.sum));
		verdict(&sb, &plain_info, &res, 1);
		assert_null(sb.text);
	}
}

static void a_smooth_run_is_called_smooth(void **state)
{
	const struct result rows[] = {
		smooth("Audio", "None"), smooth("Audio", "Burn"),
		smooth("Gaming", "None"), stalling("Gaming", "Burn", 6 * MS),
	};

	(void)state;
	check_text(&plain_info, rows, ARRAY_SIZE(rows),
		"Verdict: interactive tasks stay smooth under every load "
		"measured.\n"
		"Audio: no perceptible delay (longest 400 us) under None, "
		"Burn.\n"
		"Gaming: no perceptible delay (longest 6.0 ms) under None, "
		"Burn.\n"
		"Worst: Gaming under Burn, longest stall 6.0 ms.\n"
		"Next: interbench -L 4 -W Gaming -w Burn --percentiles -t 30\n"
		AGAIN);
}

static void suffering_tasks_are_told_with_numbers(void **state)
{
	const struct result rows[] = {
		smooth("Audio", "None"),
		missing("Audio", "Burn", 12, 4, 180 * MS),
		smooth("Video", "None"), smooth("Video", "X"),
		missing("Video", "Burn", 369, 5, 83 * MS),
		smooth("X", "None"),
		missing("X", "Burn", 421, 9, 320 * MS),
		smooth("Gaming", "None"), slow_game("Burn", 23.46),
	};

	(void)state;
	check_text(&plain_info, rows, ARRAY_SIZE(rows),
		"Verdict: Audio, Video, X and Gaming would noticeably "
		"suffer under Burn.\n"
		"Audio: possible drop-outs under Burn: 12 of 1800 missed, "
		"longest stall 180 ms; fine under None.\n"
		"Video: stutters under Burn: 12.3 missed frames/s, 5 "
		"in a row, stall 83 ms; fine under None, X.\n"
		"X: sluggish under Burn: 421 of 1800 updates over 100 "
		"ms, longest stall 320 ms; fine under None.\n"
		"Gaming: below 60 fps under Burn: slowest 1 % at 23.5 fps "
		"(ceiling 100); fine under None.\n"
		"Worst: X under Burn, longest stall 320 ms.\n"
		"Next: interbench -L 4 -W X -w Burn --percentiles -t 30\n"
		AGAIN);
}

static void what_is_not_judged_is_named(void **state)
{
	struct result rows[] = {
		smooth("Video", "None"), smooth("Video", "X"),
		smooth("Video", "Burn"), smooth("Video", "Write"),
		stalling("Video", "Read", 9 * MS),
	};

	(void)state;
	rows[1].status = CELL_SKIPPED;
	rows[2].status = CELL_INVALID;
	rows[2].sum.longest_miss = 60;
	rows[3].status = CELL_FAILED;
	check_text(&plain_info, rows, 4,
		"Verdict: Video stays smooth under every load judged.\n"
		"Video: no perceptible delay (longest 400 us) under None.\n"
		"Not judged: Video under X (skipped), Video under Burn "
		"(invalid), Video under Write (failed).\n"
		"Worst: Video under None, longest stall 400 us.\n"
		"Next: interbench -L 4 -W Video -w None --percentiles -t 30\n"
		AGAIN);
	rows[4].status = CELL_NOISY;
	check_text(&plain_info, rows, 5,
		"Verdict: mostly smooth; stalls of up to 9.0 ms may be noticed "
		"under Read.\n"
		"Video: a stall of up to 9.0 ms may be noticed under Read; "
		"fine under None.\n"
		"Not judged: Video under X (skipped), Video under Burn "
		"(invalid), Video under Write (failed).\n"
		"Worst: Video under Read (noisy), longest stall 9.0 ms.\n"
		"Next: interbench -L 4 -W Video -w Read --percentiles -t 30\n"
		AGAIN);
}

static void any_missed_slot_counts_for_audio_and_custom(void **state)
{
	struct result res = missing("Audio", "Burn", 1, 1, 50 * MS);

	(void)state;
	check_has(&res, 1, "Audio: possible drop-outs under Burn: 1 of 1800 ");
	res = missing("Custom", "Burn", 1, 1, 50 * MS);
	check_has(&res, 1, "Custom: misses deadlines under Burn: 1 of 1800 ");
}

static void video_stutters_from_1_a_second_or_3_in_a_row(void **state)
{
	struct result res = missing("Video", "Burn", 29, 2, 6 * MS);

	(void)state;
	check_has(&res, 1, "Video: no perceptible delay");
	res = missing("Video", "Burn", 30, 2, 33 * MS);
	check_has(&res, 1, "stutters under Burn: 1.0 missed frames/s, "
		  "2 in a row, stall 33 ms.");
	res = missing("Video", "Burn", 3, 3, 50 * MS);
	check_has(&res, 1, "stutters under Burn: 3 of 1800 frames missed, "
		  "3 in a row, stall 50 ms.");
	res = missing("Video", "Burn", 30, 1, 17 * MS);
	check_has(&res, 1, "1 in a row, stall 17 ms.");
	res.window_ns = 0;
	check_has(&res, 1, "Video: a stall of up to 17 ms may be noticed");
}

static void x_is_sluggish_if_1_update_in_20_takes_over_100_ms(void **state)
{
	struct result res = smooth("X", "Burn");

	(void)state;
	res.sum.response.n = 300;
	res.sum.response.quantile_ns[2] = 100 * MS;
	check_has(&res, 1, "X: no perceptible delay");
	res.sum.response.quantile_ns[2] = 143 * MS;
	check_has(&res, 1, "X: sluggish under Burn: 1 in 20 updates takes over "
		  "143 ms, longest stall 400 us.");
	/* too few for a percentile, or dropped and thus in none */
	res = missing("X", "Burn", 90, 1, 6 * MS);
	check_has(&res, 1, "X: no perceptible delay");
	res = missing("X", "Burn", 91, 1, 6 * MS);
	check_has(&res, 1, "X: sluggish under Burn: 91 of 1800 updates over "
		  "100 ms, ");
}

static void gaming_needs_60_fps_in_its_slowest_frames(void **state)
{
	struct run_info info = plain_info;
	struct strbuf sb = STRBUF_INIT;
	struct result res = slow_game("Burn", 60);

	(void)state;
	check_has(&res, 1, "Gaming: a stall of up to 52 ms may be noticed");
	res = slow_game("Burn", 59.97);
	check_has(&res, 1, "Gaming: below 60 fps under Burn: slowest 1 % at "
		  "59.9 fps (ceiling 100).");
	res.sum.has_frames = false;
	check_has(&res, 1, "Gaming: a stall of up to 52 ms may be noticed");
	res.sum.has_frames = true;
	info.burn = "work";
	info.loops_per_ms = 1234;
	verdict(&sb, &info, &res, 1);
	assert_non_null(strstr(sb.text, "slowest 1 % at 59.9 fps.\n"));
	assert_non_null(strstr(sb.text, "-L 4 -l 1234 -W Gaming"));
	strbuf_release(&sb);
}

static void stalls_are_noticed_from_7_ms(void **state)
{
	struct result res = stalling("Audio", "Burn", 7 * MS - 1);

	(void)state;
	check_has(&res, 1, "Audio: no perceptible delay (longest 7.0 ms)");
	res = stalling("Audio", "Burn", 7 * MS);
	check_has(&res, 1, "Audio: a stall of up to 7.0 ms may be noticed");
	/* no wake was late, but a lost frame had to be waited for */
	res = missing("Video", "Burn", 1, 1, 17 * MS);
	check_has(&res, 1, "Video: a stall of up to 17 ms may be noticed");
}

static const struct {
	int64_t ns;
	const char *want;
} stalls[] = {
	{ 0, "stall 0 us." },
	{ 999499, "stall 999 us." },
	{ 999600, "stall 1.0 ms." },
	{ 9949999, "stall 9.9 ms." },
	{ 9950000, "stall 10 ms." },
	{ 83333333, "stall 83 ms." },
	{ 9999 * MS, "stall 9999 ms." },
	{ 10 * SECOND, "stall 10.0 s." },
	{ 86400 * SECOND, "stall 86400.0 s." },
	{ INT64_MAX, "stall 9223372036.9 s." },
};

static void stalls_are_rounded_to_what_is_told_apart(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(stalls); i++) {
		struct result res = stalling("Audio", "Burn", stalls[i].ns);

		res.sum.delay.max_ns = 0;
		check_has(&res, 1, stalls[i].want);
	}
}

static void a_stall_that_was_cut_off_is_a_lower_bound(void **state)
{
	struct result res = stalling("Gaming", "Burn", 9 * MS);

	(void)state;
	res.sum.latency.bound_ns = 1100 * MS;
	check_has(&res, 1, "a stall of up to at least 1100 ms may be noticed");
	check_has(&res, 1, "longest stall at least 1100 ms.");
	res.sum.latency.bound_ns = 8 * MS;
	check_has(&res, 1, "longest stall 9.0 ms.");
	res.sum.latency.n = 0;
	check_has(&res, 1, "longest stall at least 8.0 ms.");
}

static void the_worst_load_of_a_task_comes_first(void **state)
{
	const struct result rows[] = {
		missing("Audio", "Burn", 3, 2, 900 * MS),
		smooth("Audio", "None"), stalling("Audio", "Read", 8 * MS),
		missing("Audio", "Write", 40, 2, 100 * MS),
		slow_game("Write", 50), slow_game("Burn", 30),
	};

	(void)state;
	check_has(rows, 4, "Audio: possible drop-outs under Write: 40 of 1800 "
		  "missed, longest stall 100 ms; also Burn; ...\n");
	check_has(rows, 4, "Worst: Audio under Burn, longest stall 900 ms.\n");
	check_has(rows, 4, "Verdict: Audio would noticeably suffer under "
		  "Burn, Write.\n");
	check_has(rows + 1, 2, "Audio: a stall of up to 8.0 ms may be noticed "
		  "under Read; fine under None.\n");
	check_has(rows + 4, 2, "Gaming: below 60 fps under Burn: slowest 1 % "
		  "at 30.0 fps (ceiling 100); also Write.\n");
	check_has(rows + 4, 2, "Verdict: Gaming would noticeably suffer under "
		  "Write, Burn.\n");
}

static void tasks_that_suffer_under_different_loads_are_not_mixed(void **state)
{
	const struct result rows[] = {
		missing("Video", "Burn", 300, 5, 83 * MS),
		smooth("Video", "Write"), smooth("X", "Burn"),
		missing("X", "Write", 500, 5, 83 * MS),
	};

	(void)state;
	check_has(rows, 4, "Verdict: Video and X would noticeably suffer under "
		  "some loads (Burn, Write).\n");
}

static void the_next_command_repeats_what_shaped_the_cell(void **state)
{
	struct run_info info = plain_info;
	struct strbuf sb = STRBUF_INIT;
	struct result res = missing("Audio", "Burn", 3, 2, 900 * MS);

	(void)state;
	info.load_threads = 30;
	info.realtime = true;
	info.has_bench_nice = true;
	info.bench_nice = -10;
	info.has_load_nice = true;
	info.load_nice = 5;
	info.time_ns = 120 * SECOND;
	verdict(&sb, &info, &res, 1);
	assert_non_null(strstr(sb.text, "\nNext: interbench -L 30 -r -B -10 "
			       "-N 5 -W Audio -w Burn --percentiles -t 120\n"));
	strbuf_clear(&sb);
	res = smooth("Audio", "Custom");
	res.has_options = true;
	verdict(&sb, &info, &res, 1);
	assert_non_null(strstr(sb.text, "\nNext: the same command with -W "
			       "Audio -w Custom --percentiles -t 120\n"));
	strbuf_release(&sb);
}

/* The rows of five tasks under as many loads with such names. */
static size_t fill(struct result *rows, size_t loads, const char *name,
		   uint64_t missed)
{
	static const char *const tasks[] = { "Audio", "Video", "X", "Gaming",
					     "Custom" };
	size_t i, k, nr = 0;

	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		for (k = 0; k < loads; k++) {
			struct result *res = &rows[nr++];

			*res = missing(tasks[i], "", k % 3 ? missed : 0, 7,
				       (int64_t)k * SECOND);
			snprintf(res->load, sizeof(res->load), "%s%zu", name,
				 k);
			res->status = k % 5 ? CELL_OK : CELL_SKIPPED;
			if (k % 3 && missed)
				res->sum.low1_fps = 1.5;
		}
	return nr;
}

static void the_longest_text_has_10_lines_of_100_columns(void **state)
{
	static struct result rows[5 * 60];
	static const char *const names[] = {
		"Memload", "L", "a_name_that_is_far_too_long",
		"\u00e4\u20ac\u00e4\u20ac\u00e4\u20ac\u00e4\u20ac", "a\n\033b",
	};
	static const uint64_t missed[] = { 0, 1, 999, UINT64_MAX };
	size_t i, k, m;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		for (k = 2; k <= 60; k++)
			for (m = 0; m < ARRAY_SIZE(missed); m++)
				check_has(rows, fill(rows, k, names[i],
						     missed[m]), "\nCustom: ");
}

static void a_line_that_is_too_long_ends_behind_a_whole_item(void **state)
{
	struct result rows[8];
	size_t i;

	(void)state;
	for (i = 0; i < 8; i++) {
		rows[i] = smooth("Audio", "");
		snprintf(rows[i].load, sizeof(rows[i].load), "Load-nr-%zu", i);
	}
	check_has(rows, 5, "Audio: no perceptible delay (longest 400 us) under "
		  "Load-nr-0, Load-nr-1, Load-nr-2, Load-nr-3, ...\n");
	check_has(rows, 4, "Load-nr-2, Load-nr-3.\n");
}

static void a_line_is_never_cut_inside_a_character(void **state)
{
	struct result row = smooth("Audio", "\u20ac\u20ac\u20ac\u20ac\u20ac"
				   "\u20ac\u20ac\u20ac\u20ac\u20ac");
	size_t i;

	(void)state;
	/* each of these becomes 4 columns, and the x one */
	for (i = 0; i < 3; i++) {
		snprintf(row.task, sizeof(row.task), "%s\003\003\003\003\003"
			 "\003\003\003\003\003", &"xx"[i]);
		check_has(&row, 1, "\u20ac...\n");
	}
}

static void values_that_are_no_numbers_are_not_printed(void **state)
{
	const double bad[] = { NAN, -NAN, INFINITY, -INFINITY, -1 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct result res = smooth("Gaming", "Burn");

		res.sum.latency.mean_ns = bad[i];
		res.sum.latency.sd_ns = bad[i];
		res.sum.fps = res.sum.low1_fps = bad[i];
		check_has(&res, 1, "Gaming: no perceptible delay");
	}
}

static void a_comma_locale_changes_nothing(void **state)
{
	struct result res = missing("Video", "Burn", 369, 5, 83 * MS);

	(void)state;
	if (!setlocale(LC_ALL, "de_DE.UTF-8") &&
	    !setlocale(LC_ALL, "pl_PL.UTF-8")) {
		print_message("no locale with a decimal comma here\n");
		skip();
	}
	check_has(&res, 1, "12.3 missed frames/s");
	setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_judged_says_nothing),
		cmocka_unit_test(a_smooth_run_is_called_smooth),
		cmocka_unit_test(suffering_tasks_are_told_with_numbers),
		cmocka_unit_test(what_is_not_judged_is_named),
		cmocka_unit_test(any_missed_slot_counts_for_audio_and_custom),
		cmocka_unit_test(video_stutters_from_1_a_second_or_3_in_a_row),
		cmocka_unit_test(
			x_is_sluggish_if_1_update_in_20_takes_over_100_ms),
		cmocka_unit_test(gaming_needs_60_fps_in_its_slowest_frames),
		cmocka_unit_test(stalls_are_noticed_from_7_ms),
		cmocka_unit_test(stalls_are_rounded_to_what_is_told_apart),
		cmocka_unit_test(a_stall_that_was_cut_off_is_a_lower_bound),
		cmocka_unit_test(the_worst_load_of_a_task_comes_first),
		cmocka_unit_test(
			tasks_that_suffer_under_different_loads_are_not_mixed),
		cmocka_unit_test(the_next_command_repeats_what_shaped_the_cell),
		cmocka_unit_test(the_longest_text_has_10_lines_of_100_columns),
		cmocka_unit_test(
			a_line_that_is_too_long_ends_behind_a_whole_item),
		cmocka_unit_test(a_line_is_never_cut_inside_a_character),
		cmocka_unit_test(values_that_are_no_numbers_are_not_printed),
		cmocka_unit_test(a_comma_locale_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
