/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict: the tables in plain words, against what people perceive. */
#include "report/verdict.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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
#define TAIL_LEN 14		/* " and 999 more." */
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

/* Names behind a lead, "A, B and 2 more": what the line has room for. */
struct list {
	struct strbuf *line;
	const char *lead;
	unsigned int shown;
	unsigned int hidden;
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

static double missed_share(const struct result *res)
{
	return res->sum.total ?
	       (double)missed(res) / (double)res->sum.total : 0;
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
	if (res->sum.paced)
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

static bool can_judge(const struct result *res)
{
	const struct summary *sum = &res->sum;

	return (res->status == CELL_OK || res->status == CELL_NOISY) &&
	       (sum->latency.n || sum->latency.bound_ns > 0 || sum->total ||
		sum->has_frames);
}

static enum level level_of(const struct result *res)
{
	if (!can_judge(res))
		return LEVEL_UNKNOWN;
	if (suffers(res))
		return LEVEL_SUFFERS;
	return stall_of(res).ns >= STALL_NS ? LEVEL_STALLS : LEVEL_SMOOTH;
}

/* What counts for a task that suffers: missed slots, slow frames. */
static double badness(const struct result *res)
{
	return res->sum.paced ? missed_share(res) : -res->sum.low1_fps;
}

/* Rows of different tasks can be compared by their stalls only. */
static bool worse(const struct result *a, const struct result *b)
{
	enum level la = level_of(a), lb = level_of(b);

	if (la != lb)
		return la > lb;
	if (la == LEVEL_SUFFERS && is_task(a, b->task) &&
	    badness(a) != badness(b))
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

	for (i = 0; i < v->nr; i++) {
		if (task && !is_task(&v->rows[i], task))
			continue;
		if (!worst || worse(&v->rows[i], worst))
			worst = &v->rows[i];
	}
	return worst;
}

static void list_add(struct list *list, const char *name, const char *note)
{
	const char *lead = list->shown ? ", " : list->lead;
	size_t len = strlen(lead) + strlen(name) + strlen(note);

	if (list->hidden || list->line->len + len > COLUMNS - TAIL_LEN) {
		list->hidden++;
		return;
	}
	strbuf_addf(list->line, "%s%s%s", lead, name, note);
	list->shown++;
}

static void list_end(struct list *list)
{
	size_t len = list->line->len + strlen(list->lead);

	if (list->shown && list->hidden)
		strbuf_addf(list->line, " and %u more", list->hidden);
	else if (list->hidden && len <= COLUMNS - TAIL_LEN)
		strbuf_addf(list->line, "%s%u other%s", list->lead,
			    list->hidden, list->hidden > 1 ? "s" : "");
}

/* The loads under which a task is at that level, but for one row. */
static void add_loads(struct strbuf *line, const struct view *v,
		      const char *lead, const char *task, enum level level,
		      const struct result *but)
{
	struct list list = { line, lead, 0, 0 };
	size_t i;

	for (i = 0; i < v->nr; i++)
		if (&v->rows[i] != but && is_task(&v->rows[i], task) &&
		    level_of(&v->rows[i]) == level)
			list_add(&list, v->rows[i].load, "");
	list_end(&list);
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

	strbuf_adds(sb, stall.over ? "over " : lead);
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

/* Ends a line that was built apart; a monstrous name costs its tail. */
static void flush_line(struct strbuf *sb, struct strbuf *line)
{
	struct strbuf safe = STRBUF_INIT;

	strbuf_add_line_escaped(&safe, line->len ? line->text : "");
	if (safe.len > COLUMNS) {
		safe.len = COLUMNS - 3;
		while (((unsigned char)safe.text[safe.len] & 0xc0) == 0x80)
			safe.len--;
		strbuf_adds(&safe, "...");
	}
	if (safe.len)
		strbuf_addf(sb, "%s\n", safe.text);
	if (line->err || safe.err)
		sb->err = -ENOMEM;
	strbuf_release(&safe);
	strbuf_clear(line);
}

static bool is_seen(const struct result *res)
{
	return !res->sum.paced || is_task(res, "Video") || is_task(res, "X");
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
	/* 59.97 is below 60: nothing is rounded up to the limit */
	double fps = res->sum.low1_fps;

	strbuf_adds(sb, "slowest 1 % at ");
	add_tenths(sb, fps < SMOOTH_FPS - 0.1 ? fps : SMOOTH_FPS - 0.1);
	strbuf_adds(sb, " fps");
	/* a frame is 10 ms of CPU, unless it is a number of loops */
	if (!strcmp(v->info->burn, "cpu"))
		strbuf_adds(sb, " (ceiling 100)");
}

static void add_video_numbers(struct strbuf *sb, const struct result *res)
{
	uint64_t longest = res->sum.longest_miss;

	if (missed_per_sec(res) >= STUTTER_PER_SEC) {
		add_tenths(sb, missed_per_sec(res));
		strbuf_adds(sb, " missed frames/s");
	} else {
		strbuf_addf(sb, "%" PRIu64 " of %" PRIu64 " frames missed",
			    missed(res), res->sum.total);
	}
	strbuf_addf(sb, ", longest stall %" PRIu64 " frame%s (", longest,
		    longest == 1 ? "" : "s");
	add_stall(sb, "", stall_of(res));
	strbuf_adds(sb, ")");
}

static void add_x_numbers(struct strbuf *sb, const struct result *res)
{
	int64_t p95 = res->sum.response.quantile_ns[P95];

	if (p95 > SLUGGISH_NS) {
		add_stall(sb, "1 in 20 updates takes over ",
			  (struct stall){ p95, false });
	} else {
		add_tenths(sb, 100 * missed_share(res));
		strbuf_adds(sb, " % of updates over 100 ms");
	}
	add_stall(sb, ", longest stall ", stall_of(res));
}

static void add_numbers(struct strbuf *sb, const struct view *v,
			const struct result *res)
{
	if (!res->sum.paced) {
		add_gaming_numbers(sb, v, res);
	} else if (is_task(res, "Video")) {
		add_video_numbers(sb, res);
	} else if (is_task(res, "X")) {
		add_x_numbers(sb, res);
	} else {
		strbuf_addf(sb, "%" PRIu64 " of %" PRIu64 " missed",
			    missed(res), res->sum.total);
		add_stall(sb, ", longest stall ", stall_of(res));
	}
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
		strbuf_adds(line, ": a stall of ");
		add_stall(line, "up to ", stall_of(worst));
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

/* "Video and X would visibly suffer" */
static void add_sufferers(struct strbuf *line, const struct view *v)
{
	size_t i, left = count(v, LEVEL_SUFFERS, false);
	const char *lead = "", *how = " would visibly suffer";

	for (i = 0; i < v->nr; i++) {
		if (!is_first(v, i, LEVEL_SUFFERS, false))
			continue;
		strbuf_addf(line, "%s%s", lead, v->rows[i].task);
		lead = --left == 1 ? " and " : ", ";
		if (!is_seen(&v->rows[i]))
			how = " would suffer";
	}
	strbuf_adds(line, how);
}

/* The loads behind the verdict; "some" if they differ from task to task. */
static void add_verdict_loads(struct strbuf *line, const struct view *v,
			      enum level from)
{
	bool agree = count_rows(v, from) ==
		     count(v, from, false) * count(v, from, true);
	struct list list = { line, agree ? " under " : " under some loads (",
			     0, 0 };
	size_t i;

	for (i = 0; i < v->nr; i++)
		if (is_first(v, i, from, true))
			list_add(&list, v->rows[i].load, "");
	list_end(&list);
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
		strbuf_adds(line, "mostly smooth; stalls of ");
		add_stall(line, "up to ", stall_of(worst));
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
		[CELL_OK] = " (no data)",
		[CELL_NOISY] = " (no data)",
		[CELL_INVALID] = " (invalid)",
		[CELL_SKIPPED] = " (skipped)",
		[CELL_FAILED] = " (failed)",
	};
	struct list list = { line, "Not judged: ", 0, 0 };
	size_t i;

	for (i = 0; i < v->nr; i++) {
		const struct result *res = &v->rows[i];
		char name[2 * RESULT_NAME_LEN + sizeof(" under ")];

		if (can_judge(res))
			continue;
		snprintf(name, sizeof(name), "%s under %s", res->task,
			 res->load);
		list_add(&list, name, notes[res->status]);
	}
	list_end(&list);
	if (line->len)
		strbuf_adds(line, ".");
}

/* What shapes the cell and is known here. */
static void add_options(struct strbuf *line, const struct run_info *info)
{
	if (info->load_threads)
		strbuf_addf(line, " -L %" PRIu32, info->load_threads);
	if (info->realtime)
		strbuf_adds(line, " -r");
	if (info->has_bench_nice)
		strbuf_addf(line, " -B %d", info->bench_nice);
	if (info->has_load_nice)
		strbuf_addf(line, " -N %d", info->load_nice);
	if (!strcmp(info->burn, "work"))
		strbuf_adds(line, " --burn=work");
}

static void add_next(struct strbuf *line, const struct view *v,
		     const struct result *worst)
{
	int64_t secs = v->info->time_ns / NSEC_PER_SEC;

	strbuf_adds(line, "Next: ");
	/* -C and -I are not known here */
	if (is_task(worst, "Custom") || !strcmp(worst->load, "Custom")) {
		strbuf_adds(line, "the same command with");
	} else {
		strbuf_adds(line, "interbench");
		add_options(line, v->info);
	}
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
	strbuf_adds(&line, "Run it again on the kernel or setting you compare "
		    "with.");
	flush_line(sb, &line);
	strbuf_release(&line);
}
