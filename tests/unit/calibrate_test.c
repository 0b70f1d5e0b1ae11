/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calibrate_test: scripted machines, the saved file, and one real run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/rng.h"
#include "engine/calibrate.h"

#define SPEED 500000	/* loops per ms: 2 ns each */
#define FILE_NAME "interbench.loops_per_ms"

/* A machine whose clock moves only while it spins or sleeps. */
struct machine {
	struct clk clk;		/* first */
	int64_t start_ns, now_ns;
	uint64_t loops_per_ms;
	int64_t extra_ns;	/* every spin takes so much longer */
	int64_t step_ns;	/* of the clock; 0: it is exact */
	unsigned int noise_pct;
	int slow_round;		/* one that is twice as slow; -1: none */
	unsigned int preempt_every;	/* so many spins; 0: never */
	int64_t preempt_ns;
	uint64_t switches;
	int nr_sleeps;
	int64_t slept_ns;
	uint64_t nr_spins;
	struct rng rng;
};

static struct machine *machine_of(struct clk *clk)
{
	return (struct machine *)(void *)clk;
}

static int64_t machine_now(struct clk *clk)
{
	const struct machine *m = machine_of(clk);

	return m->step_ns ? m->now_ns / m->step_ns * m->step_ns : m->now_ns;
}

static int machine_sleep(struct clk *clk, int64_t t_ns)
{
	struct machine *m = machine_of(clk);

	m->nr_sleeps++;
	m->slept_ns += t_ns - m->now_ns;
	m->now_ns = t_ns;
	return 0;
}

static void machine_spin(void *arg, uint64_t loops)
{
	struct machine *m = arg;
	uint64_t ns = loops * 1000000 / m->loops_per_ms;

	if (m->noise_pct)
		ns = ns * (100 - m->noise_pct +
			   rng_below(&m->rng, 2 * m->noise_pct + 1)) / 100;
	if (m->nr_sleeps == m->slow_round)
		ns *= 2;
	m->now_ns += (int64_t)ns + m->extra_ns;
	m->nr_spins++;
	if (m->preempt_every && m->nr_spins % m->preempt_every == 0) {
		m->now_ns += m->preempt_ns;
		m->switches++;
	}
}

static uint64_t machine_switches(void *arg)
{
	return ((struct machine *)arg)->switches;
}

static void machine_init(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	m->clk.now = machine_now;
	m->clk.sleep_until = machine_sleep;
	m->start_ns = m->now_ns = 1000 * NSEC_PER_SEC;
	m->loops_per_ms = SPEED;
	m->slow_round = -1;
	m->preempt_ns = 4 * NSEC_PER_MSEC;
	rng_init(&m->rng, 1);
}

static int calibrate(struct machine *m, struct calibration *cal)
{
	const struct calibrate_ops ops = {
		&m->clk, machine_spin, machine_switches, m,
	};
	int err = calibrate_windows(cal, &ops);

	assert_true(m->now_ns - m->start_ns <= 10 * NSEC_PER_SEC);
	return err;
}

static void a_steady_machine_gets_its_exact_speed(void **state)
{
	static const uint64_t speeds[] = { 100, 20000, SPEED, 4000000 };
	struct calibration cal;
	struct machine m;

	(void)state;
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		machine_init(&m);
		m.loops_per_ms = speeds[i];
		assert_int_equal(calibrate(&m, &cal), 0);
		assert_int_equal(cal.loops_per_ms, speeds[i]);
		assert_int_equal(cal.p10, speeds[i]);
		assert_int_equal(cal.p90, speeds[i]);
		assert_true(cal.round_spread_pct == 0);
		assert_int_equal(cal.windows, 300);
		assert_int_equal(cal.dropped, 0);
		assert_true(cal.stable);
	}
}

static void it_warms_up_spins_and_pauses_as_described(void **state)
{
	struct calibration cal;
	struct machine m;
	int64_t spun;

	(void)state;
	machine_init(&m);
	assert_int_equal(calibrate(&m, &cal), 0);
	assert_int_equal(m.nr_sleeps, 2);
	assert_int_equal(m.slept_ns, 400 * NSEC_PER_MSEC);
	spun = m.now_ns - m.start_ns - m.slept_ns;
	assert_in_range(spun, 599 * NSEC_PER_MSEC, 602 * NSEC_PER_MSEC);
}

static void ten_percent_of_noise_are_not_stable(void **state)
{
	struct calibration cal;
	struct machine m;

	(void)state;
	machine_init(&m);
	m.noise_pct = 10;
	assert_int_equal(calibrate(&m, &cal), 0);
	assert_false(cal.stable);
	assert_in_range(cal.loops_per_ms, SPEED * 97 / 100, SPEED * 103 / 100);
	assert_true(cal.p10 < SPEED * 95 / 100);
	assert_true(cal.p90 > SPEED * 105 / 100);
}

static void one_percent_of_noise_is_stable(void **state)
{
	struct calibration cal;
	struct machine m;

	(void)state;
	machine_init(&m);
	m.noise_pct = 1;
	assert_int_equal(calibrate(&m, &cal), 0);
	assert_true(cal.stable);
}

static void a_round_of_half_the_speed_is_not_stable(void **state)
{
	struct calibration cal;
	struct machine m;

	(void)state;
	for (int slow = 0; slow < 3; slow++) {
		machine_init(&m);
		m.slow_round = slow;
		assert_int_equal(calibrate(&m, &cal), 0);
		assert_false(cal.stable);
		assert_true(cal.round_spread_pct > 49);
	}
}

static void preempted_windows_are_dropped(void **state)
{
	struct calibration cal;
	struct machine m;

	(void)state;
	machine_init(&m);
	m.preempt_every = 3;
	assert_int_equal(calibrate(&m, &cal), 0);
	assert_int_equal(cal.windows, 200);
	assert_int_equal(cal.dropped, 100);
	assert_int_equal(cal.loops_per_ms, SPEED);
	assert_int_equal(cal.p10, SPEED);
	assert_true(cal.stable);
}

static void nothing_but_preempted_windows_is_an_error(void **state)
{
	struct calibration cal;
	struct machine m;

	(void)state;
	machine_init(&m);
	m.preempt_every = 1;
	assert_int_equal(calibrate(&m, &cal), -EIO);
	assert_int_equal(cal.windows, 0);
	assert_int_equal(cal.loops_per_ms, 0);
	assert_true(cal.dropped > 0);
	assert_false(cal.stable);
}

/* 300 windows would take 30 s. calibrate() looks at the time. */
static void a_slow_machine_ends_in_time_with_values_of_each_round(void **state)
{
	struct calibration cal;
	struct machine m;

	(void)state;
	machine_init(&m);
	m.extra_ns = 100 * NSEC_PER_MSEC;
	assert_int_equal(calibrate(&m, &cal), 0);
	assert_in_range(cal.windows, 80, 99);
	assert_true(cal.loops_per_ms > 0);
	/* slow, but steady in all three rounds */
	assert_true(cal.stable);
}

static void a_machine_of_one_loop_per_50_ms_ends_in_time(void **state)
{
	struct calibration cal;
	struct machine m;

	(void)state;
	machine_init(&m);
	m.loops_per_ms = 1;
	m.extra_ns = 50 * NSEC_PER_MSEC;
	assert_int_equal(calibrate(&m, &cal), 0);
	assert_int_equal(cal.loops_per_ms, 1);
}

static void preemptions_for_a_long_time_end_in_time(void **state)
{
	struct calibration cal;
	struct machine m;

	(void)state;
	machine_init(&m);
	m.preempt_every = 1;
	m.preempt_ns = 90 * NSEC_PER_MSEC;
	assert_int_equal(calibrate(&m, &cal), -EIO);
}

/* Windows of 1 ms read as 0 or 4 ms there: the value means nothing. */
static void a_coarse_clock_is_never_stable(void **state)
{
	struct calibration cal;
	struct machine m;

	(void)state;
	machine_init(&m);
	m.step_ns = 4 * NSEC_PER_MSEC;
	if (!calibrate(&m, &cal))
		assert_false(cal.stable);
}

static void fill(uint64_t *values, uint32_t nr, uint64_t first, uint64_t step)
{
	/* from high to low: the judge has to sort */
	for (uint32_t i = 0; i < nr; i++)
		values[i] = first + (nr - 1 - i) * step;
}

static void the_judge_takes_nearest_ranks_over_all_windows(void **state)
{
	uint64_t a[4], b[3], c[3];
	uint64_t *const rounds[3] = { a, b, c };
	const uint32_t count[3] = { 4, 3, 3 };
	struct calibration cal = { .dropped = 7 };

	(void)state;
	fill(a, 4, 1000, 3);	/* 1000 1003 1006 1009 */
	fill(b, 3, 1001, 3);	/* 1001 1004 1007 */
	fill(c, 3, 1002, 3);	/* 1002 1005 1008 */
	calibrate_judge(&cal, rounds, count);
	assert_int_equal(cal.windows, 10);
	assert_int_equal(cal.dropped, 7);
	assert_int_equal(cal.p10, 1000);
	assert_int_equal(cal.loops_per_ms, 1004);
	assert_int_equal(cal.p90, 1008);
	/* medians 1003, 1004 and 1005 */
	assert_true(cal.round_spread_pct > 0.199);
	assert_true(cal.round_spread_pct < 0.2);
	assert_true(cal.stable);
}

/* p10, p50, p90 of five values are the 1st, 3rd and 5th. */
static void stable_is_up_to_3_percent_between_p10_and_p90(void **state)
{
	static const struct {
		uint64_t p10, p90;
		bool stable;
	} cases[] = {
		{ 985, 1015, true }, { 985, 1016, false },
		{ 970, 1000, true }, { 969, 1000, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t a[] = { cases[i].p90, 1000, cases[i].p10 };
		uint64_t b[] = { 1000 }, c[] = { 1000 };
		uint64_t *const rounds[3] = { a, b, c };
		const uint32_t count[3] = { 3, 1, 1 };
		struct calibration cal;

		calibrate_judge(&cal, rounds, count);
		assert_int_equal(cal.loops_per_ms, 1000);
		assert_int_equal(cal.p10, cases[i].p10);
		assert_int_equal(cal.p90, cases[i].p90);
		assert_int_equal(cal.stable, cases[i].stable);
	}
}

static void stable_is_up_to_2_percent_between_rounds(void **state)
{
	static const struct {
		uint64_t medians[3];
		bool stable;
	} cases[] = {
		{ { 1000, 1000, 1020 }, true },
		{ { 1000, 1000, 1021 }, false },
		{ { 1020, 1000, 1000 }, true },
		{ { 980, 1000, 1001 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t values[3];
		uint64_t *const rounds[3] = {
			&values[0], &values[1], &values[2],
		};
		const uint32_t count[3] = { 1, 1, 1 };
		struct calibration cal;

		memcpy(values, cases[i].medians, sizeof(values));
		calibrate_judge(&cal, rounds, count);
		assert_int_equal(cal.stable, cases[i].stable);
	}
}

static void a_round_without_values_is_not_stable(void **state)
{
	uint64_t a[] = { 1000 }, b[] = { 1000 };
	uint64_t *const rounds[3] = { a, NULL, b };
	const uint32_t some[3] = { 1, 0, 1 }, none[3] = { 0, 0, 0 };
	struct calibration cal;

	(void)state;
	calibrate_judge(&cal, rounds, some);
	assert_int_equal(cal.loops_per_ms, 1000);
	assert_int_equal(cal.windows, 2);
	assert_false(cal.stable);
	calibrate_judge(&cal, rounds, none);
	assert_int_equal(cal.loops_per_ms, 0);
	assert_int_equal(cal.windows, 0);
	assert_false(cal.stable);
}

/* What a 32-bit product would not survive. */
static void large_values_do_not_overflow(void **state)
{
	struct calibration cal;
	struct machine m;

	(void)state;
	machine_init(&m);
	m.loops_per_ms = UINT64_C(10000000000);
	assert_int_equal(calibrate(&m, &cal), 0);
	assert_true(cal.loops_per_ms > UINT64_C(9990000000) &&
		    cal.loops_per_ms < UINT64_C(10010000000));
}

static const struct calibration good = {
	.loops_per_ms = 3690000,
	.p10 = 3680000,
	.p90 = 3700000,
	.windows = 300,
	.stable = true,
};

static int make_dir(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = calloc(1, PATH_MAX);

	if (!dir)
		return -1;
	snprintf(dir, PATH_MAX, "%s/calibrate.XXXXXX", tmp ? tmp : "/tmp");
	*state = dir;
	return !mkdtemp(dir);
}

static void path_in(char *path, const char *dir)
{
	assert_true(snprintf(path, PATH_MAX, "%s/%s", dir, FILE_NAME) <
		    PATH_MAX);
}

static int remove_dir(void **state)
{
	char path[PATH_MAX];
	int err;

	path_in(path, *state);
	unlink(path);
	err = rmdir(*state);
	free(*state);
	return err;
}

static void assert_refused(const char *dir, int err, const char *reason)
{
	struct calibration cal = { .loops_per_ms = 77 };
	char why[300] = "";

	assert_int_equal(calibrate_load(&cal, dir, why, sizeof(why)), err);
	if (!strstr(why, reason))
		fail_msg("\"%s\" does not say \"%s\"", why, reason);
	/* the result is not touched, and a reason need not be wanted */
	assert_int_equal(cal.loops_per_ms, 77);
	assert_int_equal(calibrate_load(&cal, dir, NULL, 0), err);
}

static void a_saved_calibration_comes_back(void **state)
{
	struct calibration cal;
	char why[80] = "old";

	assert_int_equal(calibrate_save(&good, *state), 0);
	assert_int_equal(calibrate_load(&cal, *state, why, sizeof(why)), 0);
	assert_int_equal(cal.loops_per_ms, good.loops_per_ms);
	assert_int_equal(cal.p10, good.p10);
	assert_int_equal(cal.p90, good.p90);
	assert_true(cal.stable);
	assert_string_equal(why, "");
	/* and again over the file that is there */
	assert_int_equal(calibrate_save(&good, *state), 0);
	assert_int_equal(calibrate_load(&cal, *state, NULL, 0), 0);
}

static void no_file_is_said(void **state)
{
	char path[PATH_MAX];

	assert_refused(*state, -ENOENT, "none");
	path_in(path, *state);
	assert_refused(path, -ENOENT, "none");
}

static void what_was_unstable_is_not_used(void **state)
{
	struct calibration cal = good;

	cal.stable = false;
	assert_int_equal(calibrate_save(&cal, *state), 0);
	assert_refused(*state, -ESTALE, "not stable");
}

/* Replaces the line that begins so by another; "" takes it away. */
static void change_line(const char *dir, const char *begin, const char *line)
{
	char path[PATH_MAX], old[4096], text[8192];
	char *at, *end;

	assert_int_equal(calibrate_save(&good, dir), 0);
	path_in(path, dir);
	assert_true(file_read(path, old, sizeof(old)) > 0);
	at = strstr(old, begin);
	assert_non_null(at);
	end = strchr(at, '\n') + 1;
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - old), old, line,
		 end);
	assert_int_equal(file_replace(dir, FILE_NAME, text, strlen(text)), 0);
}

static void a_calibration_from_elsewhere_is_stale(void **state)
{
	static const struct {
		const char *begin, *line, *reason;
	} cases[] = {
		{ "interbench", "interbench calibration 2\n",
		  "another format" },
		{ "cpu: ", "cpu: Z80\n", "made on another CPU: Z80, here: " },
		{ "microcode: ", "microcode: 0x7\n",
		  "another microcode: 0x7" },
		{ "kernel: ", "kernel: 2.6.15\n", "another kernel: 2.6.15" },
		{ "build: ", "build: 0.9 1\n", "another build: 0.9 1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		change_line(*state, cases[i].begin, cases[i].line);
		assert_refused(*state, -ESTALE, cases[i].reason);
	}
}

static void a_damaged_line_makes_the_file_garbage(void **state)
{
	static const char *const cases[][2] = {
		{ "interbench", "" },
		{ "interbench", "interbench\n" },
		{ "loops_per_ms", "" },
		{ "loops_per_ms", "loops_per_ms: 0\n" },
		{ "loops_per_ms", "loops_per_ms: -5\n" },
		{ "loops_per_ms", "loops_per_ms: 3690000 \n" },
		{ "loops_per_ms", "loops_per_ms: 1e6\n" },
		{ "loops_per_ms", "loops_per_ms: 18446744073709551617\n" },
		{ "loops_per_ms", "loops_per_ms:\n" },
		{ "loops_per_ms", "loops_per_ms: 3710000\n" },
		{ "loops_per_ms", "loops_per_ms: 3670000\n" },
		{ "p10", "p10: nan\n" },
		{ "p10", "p10: 0\n" },
		{ "p90", "p90: 99999999999\n" },
		{ "stable", "stable: maybe\n" },
		{ "stable", "stable: yes\nstable: yes\n" },
		{ "cpu", "" },
		{ "kernel", "kernel: \n" },
		{ "build", "" },
		{ "build", "build" },
		{ "build", "build: 1\nmore: 1\n" },
		{ "build", "build: \001\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		change_line(*state, cases[i][0], cases[i][1]);
		assert_refused(*state, -EINVAL, "");
	}
}

static void an_overlong_value_is_garbage(void **state)
{
	char line[3000];

	/* the longest that fits is only another CPU */
	snprintf(line, sizeof(line), "cpu: %0159d\n", 7);
	change_line(*state, "cpu: ", line);
	assert_refused(*state, -ESTALE, "another CPU");
	snprintf(line, sizeof(line), "cpu: %0160d\n", 7);
	change_line(*state, "cpu: ", line);
	assert_refused(*state, -EINVAL, "no cpu");
	snprintf(line, sizeof(line), "build: %02900d\n", 7);
	change_line(*state, "build: ", line);
	assert_refused(*state, -EINVAL, "no build");
}

static void a_file_cut_anywhere_is_garbage(void **state)
{
	char path[PATH_MAX], text[4096];
	ssize_t len;

	assert_int_equal(calibrate_save(&good, *state), 0);
	path_in(path, *state);
	len = file_read(path, text, sizeof(text));
	assert_true(len > 0);
	for (size_t cut = 0; cut < (size_t)len; cut++) {
		struct calibration cal;
		int err;

		assert_int_equal(file_replace(*state, FILE_NAME, text, cut),
				 0);
		err = calibrate_load(&cal, *state, NULL, 0);
		/* without its newline even the format is another one */
		assert_true(err == -EINVAL || err == -ESTALE);
	}
}

static void foreign_files_are_garbage_with_a_reason(void **state)
{
	static char huge[100000];
	static const struct {
		const char *text;
		size_t len;
		const char *reason;
	} cases[] = {
		{ "", 0, "empty" },
		{ "5\n", 2, "0.31" },
		{ "3690000", 7, "0.31" },
		{ "garbage\n", 8, "not a calibration" },
		{ "\0\1\2\377", 4, "binary" },
		{ "interbench calibration 1\n\0", 26, "binary" },
		{ "interbench calibration 1\r\n", 26, "binary" },
		{ "\n\n\n", 3, "not a calibration" },
		{ huge, sizeof(huge), "too long" },
		{ huge, 4096, "too long" },
		{ huge, 4095, "not a calibration" },
	};

	memset(huge, 'x', sizeof(huge));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(file_replace(*state, FILE_NAME,
					      cases[i].text, cases[i].len), 0);
		assert_refused(*state, -EINVAL, cases[i].reason);
	}
}

/* And none of them is waited for. */
static void what_is_not_a_regular_file_is_not_read(void **state)
{
	char path[PATH_MAX], real[PATH_MAX + 8];

	path_in(path, *state);
	snprintf(real, sizeof(real), "%s.real", path);
	assert_int_equal(calibrate_save(&good, *state), 0);
	assert_int_equal(rename(path, real), 0);
	assert_int_equal(symlink(real, path), 0);
	assert_refused(*state, -EINVAL, "regular");
	assert_int_equal(calibrate_save(&good, *state), -ELOOP);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(real), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_refused(*state, -EINVAL, "regular");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_refused(*state, -EINVAL, "regular");
	assert_int_equal(rmdir(path), 0);
}

static void get_mask(struct cpumask *mask)
{
	assert_int_equal(cpumask_init(mask, 8192), 0);
	assert_int_equal(sched_getaffinity(0, mask->bytes, mask->set), 0);
}

static void assert_mask_is(const struct cpumask *expected)
{
	struct cpumask now;

	get_mask(&now);
	assert_true(cpumask_equal(&now, expected));
	cpumask_release(&now);
}

/* Looks at a calibrating thread from outside. */
struct watcher {
	pid_t tid;
	const struct cpumask *allowed;
	atomic_bool done;
	unsigned int nr_pinned, nr_outside, nr_realtime;
};

static bool is_fifo(pid_t tid)
{
	long policy = syscall(SYS_sched_getscheduler, tid);

	return (policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
}

static void *watch(void *arg)
{
	const struct timespec pause = { 0, 10 * NSEC_PER_MSEC };
	struct watcher *w = arg;
	struct cpumask mask;

	for (; !w->done; nanosleep(&pause, NULL)) {
		bool fifo = is_fifo(w->tid);

		cpumask_init(&mask, 8192);
		if (!sched_getaffinity(w->tid, mask.bytes, mask.set) &&
		    cpumask_count(&mask) == 1) {
			w->nr_pinned++;
			w->nr_outside += !cpumask_equal(&mask, w->allowed);
			/* before and after the mask was read */
			w->nr_realtime += fifo && is_fifo(w->tid);
		}
		cpumask_release(&mask);
	}
	return NULL;
}

/* Calibrates on the allowed CPU, as a real-time thread where that may be. */
static void run_watched(const struct cpumask *allowed, struct watcher *w,
			struct calibration *cal)
{
	const struct sched_param low = { .sched_priority = 1 }, none = { 0 };
	const int fifo = SCHED_FIFO | SCHED_RESET_ON_FORK;
	bool realtime;
	pthread_t thread;
	int cpu = -1;

	memset(w, 0, sizeof(*w));
	w->tid = (pid_t)syscall(SYS_gettid);
	w->allowed = allowed;
	assert_int_equal(pthread_create(&thread, NULL, watch, w), 0);
	realtime = !syscall(SYS_sched_setscheduler, 0, fifo, &low);
	assert_int_equal(calibrate_run(cal, allowed, false, &cpu), 0);
	assert_int_equal(is_fifo(w->tid), realtime);
	syscall(SYS_sched_setscheduler, 0,
		SCHED_OTHER | (realtime ? SCHED_RESET_ON_FORK : 0), &none);
	w->done = true;
	pthread_join(thread, NULL);
	assert_int_equal(cpu, cpumask_first(allowed));
}

/* The last CPU alone, so that a run on the first one would show. */
static void a_real_run_stays_inside_and_puts_everything_back(void **state)
{
	struct cpumask before, last;
	struct calibration cal;
	struct watcher w;
	int highest = -1;

	(void)state;
	get_mask(&before);
	for (int i = cpumask_first(&before); i >= 0;
	     i = cpumask_next(&before, i))
		highest = i;
	assert_int_equal(cpumask_init(&last, 0), 0);
	assert_int_equal(cpumask_set(&last, highest), 0);
	run_watched(&last, &w, &cal);
	assert_true(cal.windows > 0);
	assert_true(cal.p10 > 0 && cal.p10 <= cal.loops_per_ms &&
		    cal.loops_per_ms <= cal.p90);
	assert_mask_is(&before);
	/* with one CPU only, pinned is no sign of calibrating */
	if (cpumask_count(&before) > 1) {
		assert_int_equal(w.nr_outside, 0);
		assert_int_equal(w.nr_realtime, 0);
		assert_true(w.nr_pinned > 0);
	}
	cpumask_release(&before);
	cpumask_release(&last);
}

static void a_mask_of_impossible_cpus_is_refused(void **state)
{
	struct cpumask before, none;
	struct calibration cal;
	int cpu;

	(void)state;
	get_mask(&before);
	assert_int_equal(cpumask_init(&none, 0), 0);
	assert_int_equal(calibrate_run(&cal, &none, false, &cpu), -EINVAL);
	assert_int_equal(cpumask_set(&none, 999999), 0);
	assert_int_equal(calibrate_run(&cal, &none, false, &cpu), -EINVAL);
	assert_mask_is(&before);
	cpumask_release(&before);
	cpumask_release(&none);
}

#define DIR_TEST(test) \
	cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_steady_machine_gets_its_exact_speed),
		cmocka_unit_test(it_warms_up_spins_and_pauses_as_described),
		cmocka_unit_test(ten_percent_of_noise_are_not_stable),
		cmocka_unit_test(one_percent_of_noise_is_stable),
		cmocka_unit_test(a_round_of_half_the_speed_is_not_stable),
		cmocka_unit_test(preempted_windows_are_dropped),
		cmocka_unit_test(nothing_but_preempted_windows_is_an_error),
		cmocka_unit_test(
			a_slow_machine_ends_in_time_with_values_of_each_round),
		cmocka_unit_test(a_machine_of_one_loop_per_50_ms_ends_in_time),
		cmocka_unit_test(preemptions_for_a_long_time_end_in_time),
		cmocka_unit_test(a_coarse_clock_is_never_stable),
		cmocka_unit_test(
			the_judge_takes_nearest_ranks_over_all_windows),
		cmocka_unit_test(
			stable_is_up_to_3_percent_between_p10_and_p90),
		cmocka_unit_test(stable_is_up_to_2_percent_between_rounds),
		cmocka_unit_test(a_round_without_values_is_not_stable),
		cmocka_unit_test(large_values_do_not_overflow),
		DIR_TEST(a_saved_calibration_comes_back),
		DIR_TEST(no_file_is_said),
		DIR_TEST(what_was_unstable_is_not_used),
		DIR_TEST(a_calibration_from_elsewhere_is_stale),
		DIR_TEST(a_damaged_line_makes_the_file_garbage),
		DIR_TEST(an_overlong_value_is_garbage),
		DIR_TEST(a_file_cut_anywhere_is_garbage),
		DIR_TEST(foreign_files_are_garbage_with_a_reason),
		DIR_TEST(what_is_not_a_regular_file_is_not_read),
		cmocka_unit_test(
			a_real_run_stays_inside_and_puts_everything_back),
		cmocka_unit_test(a_mask_of_impossible_cpus_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
