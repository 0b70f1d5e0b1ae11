/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict: the tables in plain words, against what people perceive. */
#include "report/verdict.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clk.h"

/* What people notice. */
#define STALL_NS (7 * NSEC_PER_MSEC)
#define STUTTER_PER_SEC 1.0	/* frames missed */
#define STUTTER_FRAMES 3	/* in a row */
#define SLUGGISH_NS (100 * NSEC_PER_MSEC)
#define SLUGGISH_1_IN 20	/* updates: p95 */
#define SMOOTH_FPS 60.0
#define P95 2			/* in DIST_QUANTILES */
#define COLUMNS 100
#define MAX_TASK_LINES 5
#define MIN_SECONDS 30		/* p99 of Audio needs 500 slots, 25 s */

enum level {
	LEVEL_UNKNOWN,	/* not judged */
	LEVEL_SMOOTH,
	LEVEL_STALLS,
	LEVEL_SUFFERS,
};

struct view {
	const struct run_info *info;
	const struct result *rows;
	size_t nr;
};

struct stall {
	int64_t ns;
	bool over;	/* a lower bound */
};

static bool is_task(const struct result *res, const char *task)
{
	return !strcmp(res->task, task);
}

static uint64_t missed(const struct result *res)
{
	return res->sum.late + res->sum.dropped;
}

static double missed_per_sec(const struct result *res)
{
	return res->window_ns > 0 ?
	       (double)missed(res) * NSEC_PER_SEC / (double)res->window_ns : 0;
}

static void stall_raise(struct stall *stall, const struct dist *dist)
{
	if (dist->n && dist->max_ns > stall->ns)
		*stall = (struct stall){ dist->max_ns, false };
	if (dist->bound_ns > stall->ns)
		*stall = (struct stall){ dist->bound_ns, true };
}

/* The longest wait for anything: a wake, or the frame after a lost one. */
static struct stall stall_of(const struct result *res)
{
	struct stall stall = { 0, false };

	stall_raise(&stall, &res->sum.latency);
	stall_raise(&stall, &res->sum.delay);
	return stall;
}

/*
 * A slot of X that is not met took more than its 100 ms. Counting those too
 * judges runs that are too short for a percentile, and drops, which have none.
 */
static bool is_sluggish(const struct result *res)
{
	return res->sum.response.quantile_ns[P95] > SLUGGISH_NS ||
	       missed(res) * SLUGGISH_1_IN > res->sum.total;
}

static bool suffers(const struct result *res)
{
	if (!res->sum.paced)
		return res->sum.has_frames && res->sum.low1_fps >= 0 &&
		       res->sum.low1_fps < SMOOTH_FPS;
	if (is_task(res, "Video"))
		return missed_per_sec(res) >= STUTTER_PER_SEC ||
		       res->sum.longest_miss >= STUTTER_FRAMES;
	if (is_task(res, "X"))
		return is_sluggish(res);
	return missed(res) > 0;
}

static enum level level_of(const struct result *res)
{
	const struct summary *sum = &res->sum;
	bool measured = sum->total || sum->has_frames || sum->latency.n ||
			sum->latency.bound_ns > 0;

	if (!measured || (res->status != CELL_OK && res->status != CELL_NOISY))
		return LEVEL_UNKNOWN;
	if (suffers(res))
		return LEVEL_SUFFERS;
	return stall_of(res).ns >= STALL_NS ? LEVEL_STALLS : LEVEL_SMOOTH;
}

/* What counts for a task that suffers: missed slots, slow frames. */
static double badness(const struct result *res)
{
	return res->sum.paced ? (double)missed(res) : -res->sum.low1_fps;
}

/* by_rule: for rows of one task; across tasks only the stalls compare. */
static bool worse(const struct result *a, const struct result *b, bool by_rule)
{
	enum level la = level_of(a), lb = level_of(b);

	if (la != lb)
		return la > lb;
	if (by_rule && la == LEVEL_SUFFERS && badness(a) != badness(b))
		return badness(a) > badness(b);
	return stall_of(a).ns > stall_of(b).ns;
}

/* Is row i the first of its task (by_load: of its load) from that level on? */
static bool is_first(const struct view *v, size_t i, enum level from,
		     bool by_load)
{
	const struct result *res = &v->rows[i];
	size_t k;

	if (level_of(res) < from)
		return false;
	for (k = 0; k < i; k++)
		if (level_of(&v->rows[k]) >= from &&
		    (by_load ? !strcmp(v->rows[k].load, res->load) :
			       is_task(&v->rows[k], res->task)))
			return false;
	return true;
}

/* How many rows are at that level or above. */
static size_t count_rows(const struct view *v, enum level from)
{
	size_t i, nr = 0;

	for (i = 0; i < v->nr; i++)
		nr += level_of(&v->rows[i]) >= from;
	return nr;
}

static size_t count(const struct view *v, enum level from, bool by_load)
{
	size_t i, nr = 0;

	for (i = 0; i < v->nr; i++)
		nr += is_first(v, i, from, by_load);
	return nr;
}

/* The worst row, of one task or (NULL) of all; NULL if there is none. */
static const struct result *worst_row(const struct view *v, const char *task)
{
	const struct result *worst = NULL;
	size_t i;

	for (i = 0; i < v->nr; i++)
		if ((!task || is_task(&v->rows[i], task)) &&
		    (!worst || worse(&v->rows[i], worst, task)))
			worst = &v->rows[i];
	return worst;
}

/* The loads under which a task is at that level, but for one row. */
static void add_loads(struct strbuf *line, const struct view *v,
		      const char *lead, const char *task, enum level level,
		      const struct result *but)
{
	size_t i;

	for (i = 0; i < v->nr; i++) {
		if (&v->rows[i] == but || !is_task(&v->rows[i], task) ||
		    level_of(&v->rows[i]) != level)
			continue;
		strbuf_addf(line, "%s%s", lead, v->rows[i].load);
		lead = ", ";
	}
}

/* Written from integers: no decimal comma, whatever the locale. */
static void add_tenths(struct strbuf *sb, double value)
{
	uint64_t tenths = (uint64_t)(fmin(value, 1e15) * 10 + 0.5);

	strbuf_addf(sb, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
}

static void add_stall(struct strbuf *sb, const char *lead, struct stall stall)
{
	double ms = (double)stall.ns / NSEC_PER_MSEC;

	strbuf_addf(sb, "%s%s", lead, stall.over ? "at least " : "");
	if (ms < 0.9995) {
		strbuf_addf(sb, "%d us", (int)(ms * 1000 + 0.5));
	} else if (ms < 9.95) {
		add_tenths(sb, ms);
		strbuf_adds(sb, " ms");
	} else if (ms < 9999.5) {
		strbuf_addf(sb, "%d ms", (int)(ms + 0.5));
	} else {
		add_tenths(sb, ms / 1000);
		strbuf_adds(sb, " s");
	}
}

/* Where to cut a line: behind a whole item, or at least a whole character. */
static size_t cut_at(const char *text, size_t len)
{
	size_t i;

	for (i = len; i > 2; i--)
		if (text[i - 1] == ' ' && strchr(",;", text[i - 2]))
			return i;
	while (((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	return len;
}

/* Ends a line that was built apart; what it has no room for is "...". */
static void flush_line(struct strbuf *sb, struct strbuf *line)
{
	struct strbuf safe = STRBUF_INIT;

	strbuf_add_line_escaped(&safe, line->len ? line->text : "");
	if (safe.len > COLUMNS) {
		safe.len = cut_at(safe.text, COLUMNS - 3);
		strbuf_adds(&safe, "...");
	}
	if (safe.len)
		strbuf_addf(sb, "%s\n", safe.text);
	if (line->err || safe.err)
		sb->err = -ENOMEM;
	strbuf_release(&safe);
	strbuf_clear(line);
}

static const char *symptom(const struct result *res)
{
	if (!res->sum.paced)
		return "below 60 fps";
	if (is_task(res, "Audio"))
		return "possible drop-outs";
	if (is_task(res, "Video"))
		return "stutters";
	return is_task(res, "X") ? "sluggish" : "misses deadlines";
}

static void add_gaming_numbers(struct strbuf *sb, const struct view *v,
			       const struct result *res)
{
	strbuf_adds(sb, "slowest 1 % at ");
	/* 59.97 is below 60: nothing is rounded up to the limit */
	add_tenths(sb, fmin(res->sum.low1_fps, SMOOTH_FPS - 0.1));
	strbuf_adds(sb, " fps");
	/* a frame is 10 ms of CPU, unless it is a number of loops */
	if (!strcmp(v->info->burn, "cpu"))
		strbuf_adds(sb, " (ceiling 100)");
}

static void add_video_numbers(struct strbuf *sb, const struct result *res)
{
	if (missed_per_sec(res) >= STUTTER_PER_SEC) {
		add_tenths(sb, missed_per_sec(res));
		strbuf_adds(sb, " missed frames/s");
	} else {
		strbuf_addf(sb, "%" PRIu64 " of %" PRIu64 " frames missed",
			    missed(res), res->sum.total);
	}
	strbuf_addf(sb, ", %" PRIu64 " in a row",
		    res->sum.longest_miss);
	add_stall(sb, ", stall ", stall_of(res));
}

static void add_slot_numbers(struct strbuf *sb, const struct result *res)
{
	int64_t p95 = res->sum.response.quantile_ns[P95];
	bool x = is_task(res, "X");

	if (x && p95 > SLUGGISH_NS)
		add_stall(sb, "1 in 20 updates takes over ",
			  (struct stall){ p95, false });
	else
		strbuf_addf(sb, "%" PRIu64 " of %" PRIu64 " %s", missed(res),
			    res->sum.total, x ? "updates over 100 ms" :
						"missed");
	add_stall(sb, ", longest stall ", stall_of(res));
}

static void add_numbers(struct strbuf *sb, const struct view *v,
			const struct result *res)
{
	if (!res->sum.paced)
		add_gaming_numbers(sb, v, res);
	else if (is_task(res, "Video"))
		add_video_numbers(sb, res);
	else
		add_slot_numbers(sb, res);
}

static void add_task(struct strbuf *line, const struct view *v,
		     const char *task)
{
	const struct result *worst = worst_row(v, task);
	enum level level = level_of(worst);

	strbuf_adds(line, task);
	if (level == LEVEL_SMOOTH) {
		add_stall(line, ": no perceptible delay (longest ",
			  stall_of(worst));
		add_loads(line, v, ") under ", task, level, NULL);
		return;
	}
	if (level == LEVEL_STALLS) {
		add_stall(line, ": a stall of up to ", stall_of(worst));
		strbuf_addf(line, " may be noticed under %s", worst->load);
		add_loads(line, v, ", ", task, level, worst);
	} else {
		strbuf_addf(line, ": %s under %s: ", symptom(worst),
			    worst->load);
		add_numbers(line, v, worst);
		add_loads(line, v, "; also ", task, level, worst);
		add_loads(line, v, "; may be noticed under ", task,
			  LEVEL_STALLS, NULL);
	}
	add_loads(line, v, "; fine under ", task, LEVEL_SMOOTH, NULL);
}

static void add_task_lines(struct strbuf *sb, struct strbuf *line,
			   const struct view *v)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < v->nr && nr < MAX_TASK_LINES; i++) {
		if (!is_first(v, i, LEVEL_SMOOTH, false))
			continue;
		add_task(line, v, v->rows[i].task);
		strbuf_adds(line, ".");
		flush_line(sb, line);
		nr++;
	}
}

/* "Video and X would noticeably suffer" */
static void add_sufferers(struct strbuf *line, const struct view *v)
{
	size_t i, left = count(v, LEVEL_SUFFERS, false);
	const char *lead = "";

	for (i = 0; i < v->nr; i++) {
		if (!is_first(v, i, LEVEL_SUFFERS, false))
			continue;
		strbuf_addf(line, "%s%s", lead, v->rows[i].task);
		lead = --left == 1 ? " and " : ", ";
	}
	strbuf_adds(line, " would noticeably suffer");
}

/* The loads behind the verdict; "some" if they differ from task to task. */
static void add_verdict_loads(struct strbuf *line, const struct view *v,
			      enum level from)
{
	bool agree = count_rows(v, from) ==
		     count(v, from, false) * count(v, from, true);
	const char *lead = agree ? " under " : " under some loads (";
	size_t i;

	for (i = 0; i < v->nr; i++) {
		if (!is_first(v, i, from, true))
			continue;
		strbuf_addf(line, "%s%s", lead, v->rows[i].load);
		lead = ", ";
	}
	strbuf_adds(line, agree ? "." : ").");
}

static void add_verdict(struct strbuf *line, const struct view *v)
{
	const struct result *worst = worst_row(v, NULL);
	enum level level = level_of(worst);

	strbuf_adds(line, "Verdict: ");
	if (level == LEVEL_SUFFERS) {
		add_sufferers(line, v);
		add_verdict_loads(line, v, level);
	} else if (level == LEVEL_STALLS) {
		add_stall(line, "mostly smooth; stalls of up to ",
			  stall_of(worst));
		strbuf_adds(line, " may be noticed");
		add_verdict_loads(line, v, level);
	} else {
		bool one = count(v, level, false) == 1;

		strbuf_addf(line, "%s stay%s smooth under every load %s.",
			    one ? worst->task : "interactive tasks",
			    one ? "s" : "",
			    count_rows(v, level) < v->nr ? "judged" :
							   "measured");
	}
}

static void add_not_judged(struct strbuf *line, const struct view *v)
{
	static const char *const notes[] = {
		[CELL_OK] = "no data",
		[CELL_NOISY] = "no data",
		[CELL_INVALID] = "invalid",
		[CELL_SKIPPED] = "skipped",
		[CELL_FAILED] = "failed",
	};
	const char *lead = "Not judged: ";
	size_t i;

	for (i = 0; i < v->nr; i++) {
		const struct result *res = &v->rows[i];

		if (level_of(res) != LEVEL_UNKNOWN)
			continue;
		strbuf_addf(line, "%s%s under %s (%s)", lead, res->task,
			    res->load, notes[res->status]);
		lead = ", ";
	}
	if (line->len)
		strbuf_adds(line, ".");
}

/* The command, with what shapes the cell and is known here. */
static void add_options(struct strbuf *line, const struct run_info *info)
{
	strbuf_addf(line, "Next: interbench -L %" PRIu32, info->load_threads);
	strbuf_adds(line, info->uniprocessor ? " -u" : "");
	strbuf_adds(line, info->realtime ? " -r" : "");
	if (info->has_bench_nice)
		strbuf_addf(line, " -B %d", info->bench_nice);
	if (info->has_load_nice)
		strbuf_addf(line, " -N %d", info->load_nice);
	/* The same work, without another calibration. */
	if (!strcmp(info->burn, "work"))
		strbuf_addf(line, " -l %" PRIu64, info->loops_per_ms);
}

static void add_next(struct strbuf *line, const struct view *v,
		     const struct result *worst)
{
	int64_t secs = v->info->time_ns / NSEC_PER_SEC;

	/* What other options made of it is not known here. */
	if (worst->has_options)
		strbuf_adds(line, "Next: the same command with");
	else
		add_options(line, v->info);
	strbuf_addf(line, " -W %s -w %s --percentiles -t %" PRId64,
		    worst->task, worst->load,
		    secs > MIN_SECONDS ? secs : MIN_SECONDS);
}

static void add_worst(struct strbuf *line, const struct result *worst)
{
	strbuf_addf(line, "Worst: %s under %s%s", worst->task, worst->load,
		    worst->status == CELL_NOISY ? " (noisy)" : "");
	add_stall(line, ", longest stall ", stall_of(worst));
	strbuf_adds(line, ".");
}

void verdict(struct strbuf *sb, const struct run_info *info,
	     const struct result *results, size_t nr)
{
	const struct view v = { info, results, nr };
	struct strbuf line = STRBUF_INIT;

	if (!nr || level_of(worst_row(&v, NULL)) == LEVEL_UNKNOWN)
		return;
	add_verdict(&line, &v);
	flush_line(sb, &line);
	add_task_lines(sb, &line, &v);
	add_not_judged(&line, &v);
	flush_line(sb, &line);
	add_worst(&line, worst_row(&v, NULL));
	flush_line(sb, &line);
	add_next(&line, &v, worst_row(&v, NULL));
	flush_line(sb, &line);
	strbuf_adds(sb, "Run it again on the kernel or setting you compare "
		    "with.\n");
	strbuf_release(&line);
}
