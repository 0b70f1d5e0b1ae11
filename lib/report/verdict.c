/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict: the tables in plain words, against what people perceive. */
#include "report/verdict.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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
	LEVEL_SMOOTH,
	LEVEL_STALLS,
	LEVEL_SUFFERS,
};

/* The rows that can be judged: the worst of each task under each load. */
struct view {
	const struct run_info *info;
	const struct result **rows;
	size_t nr;
	bool some_not_judged;
};

/* Names, "A, B and 2 more", that shall end before a column. */
struct list {
	struct strbuf *line;
	const char *lead;
	size_t limit;
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

static bool same_cell(const struct result *a, const struct result *b)
{
	return is_task(a, b->task) && !strcmp(a->load, b->load);
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

static enum level level_of(const struct result *res)
{
	if (suffers(res))
		return LEVEL_SUFFERS;
	return stall_of(res).ns >= STALL_NS ? LEVEL_STALLS : LEVEL_SMOOTH;
}

static bool can_judge(const struct result *res)
{
	const struct summary *sum = &res->sum;

	return (res->status == CELL_OK || res->status == CELL_NOISY) &&
	       (sum->latency.n || sum->latency.bound_ns > 0 || sum->total ||
		sum->has_frames);
}

static bool worse(const struct result *a, const struct result *b)
{
	enum level la = level_of(a), lb = level_of(b);

	return la != lb ? la > lb : stall_of(a).ns > stall_of(b).ns;
}

/* Two rows of one task: what its rule counts comes before the stalls. */
static bool worse_of_task(const struct result *a, const struct result *b)
{
	if (level_of(a) != LEVEL_SUFFERS || level_of(b) != LEVEL_SUFFERS)
		return worse(a, b);
	if (!a->sum.paced && a->sum.low1_fps != b->sum.low1_fps)
		return a->sum.low1_fps < b->sum.low1_fps;
	if (missed_share(a) != missed_share(b))
		return missed_share(a) > missed_share(b);
	return worse(a, b);
}

static void view_add(struct view *v, const struct result *res)
{
	size_t i;

	if (!can_judge(res)) {
		v->some_not_judged = true;
		return;
	}
	for (i = 0; i < v->nr; i++) {
		if (!same_cell(v->rows[i], res))
			continue;
		if (worse_of_task(res, v->rows[i]))
			v->rows[i] = res;
		return;
	}
	v->rows[v->nr++] = res;
}

static bool first_of_task(const struct view *v, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (is_task(v->rows[k], v->rows[i]->task))
			return false;
	return true;
}

/* The worst row, of one task or (NULL) of all; NULL if there is none. */
static const struct result *worst_row(const struct view *v, const char *task)
{
	const struct result *worst = NULL;
	size_t i;

	for (i = 0; i < v->nr; i++) {
		const struct result *res = v->rows[i];

		if (task && !is_task(res, task))
			continue;
		if (!worst || (task ? worse_of_task(res, worst) :
			       worse(res, worst)))
			worst = res;
	}
	return worst;
}

static void list_add(struct list *list, const char *name, const char *note)
{
	static const size_t room_for_tail = sizeof(" and 999 more.") - 1;
	const char *lead = list->shown ? ", " : list->lead;
	size_t len = strlen(lead) + strlen(name) + strlen(note);

	if (list->hidden || list->line->len + len + room_for_tail > list->limit) {
		list->hidden++;
		return;
	}
	strbuf_adds(list->line, lead);
	strbuf_add_line_escaped(list->line, name);
	strbuf_adds(list->line, note);
	list->shown++;
}

static void list_end(struct list *list)
{
	if (!list->hidden)
		return;
	if (list->shown)
		strbuf_addf(list->line, " and %u more", list->hidden);
	else if (list->line->len + strlen(list->lead) +
		 sizeof("999 others.") <= COLUMNS)
		strbuf_addf(list->line, "%s%u other%s", list->lead,
			    list->hidden, list->hidden > 1 ? "s" : "");
}

/* The loads under which a task is at that level, but for one row. */
static void add_loads(struct strbuf *line, const struct view *v,
		      const char *lead, const char *task, enum level level,
		      const struct result *but, size_t limit)
{
	struct list list = { line, lead, limit, 0, 0 };
	size_t i;

	for (i = 0; i < v->nr; i++)
		if (v->rows[i] != but && is_task(v->rows[i], task) &&
		    level_of(v->rows[i]) == level)
			list_add(&list, v->rows[i]->load, "");
	list_end(&list);
}

/* Written from integers: no decimal comma, whatever the locale. */
static void add_tenths(struct strbuf *sb, uint64_t tenths)
{
	strbuf_addf(sb, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
}

static void add_stall(struct strbuf *sb, const char *lead, struct stall stall)
{
	uint64_t us = (uint64_t)stall.ns / 1000 + (stall.ns % 1000 >= 500);

	strbuf_adds(sb, stall.over ? "over " : lead);
	if (us < 1000) {
		strbuf_addf(sb, "%" PRIu64 " us", us);
	} else if (us < 9950) {
		add_tenths(sb, (us + 50) / 100);
		strbuf_adds(sb, " ms");
	} else if (us < 10000000) {
		strbuf_addf(sb, "%" PRIu64 " ms", (us + 500) / 1000);
	} else {
		add_tenths(sb, (us + 50000) / 100000);
		strbuf_adds(sb, " s");
	}
}

/* Ends a line that was built apart; a monstrous name costs its tail. */
static void flush_line(struct strbuf *sb, struct strbuf *line)
{
	size_t len = line->len;

	if (len > COLUMNS) {
		len = COLUMNS - 3;
		while (len && ((unsigned char)line->text[len] & 0xc0) == 0x80)
			len--;
	}
	if (len)
		strbuf_add(sb, line->text, len);
	strbuf_adds(sb, len < line->len ? "...\n" : "\n");
	if (line->err)
		sb->err = line->err;
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
	/* cut, not rounded: 59.97 is below 60 */
	strbuf_adds(sb, "slowest 1 % at ");
	add_tenths(sb, (uint64_t)(res->sum.low1_fps * 10 + 1e-6));
	strbuf_adds(sb, " fps");
	/* a frame is 10 ms of CPU, unless it is a number of loops */
	if (!strcmp(v->info->burn, "cpu"))
		strbuf_adds(sb, " (ceiling 100)");
}

static void add_video_numbers(struct strbuf *sb, const struct result *res)
{
	uint64_t longest = res->sum.longest_miss;

	if (missed_per_sec(res) >= STUTTER_PER_SEC) {
		add_tenths(sb, (uint64_t)(missed_per_sec(res) * 10 + 0.5));
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
		add_tenths(sb, (uint64_t)(missed_share(res) * 1000 + 0.5));
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

	strbuf_add_line_escaped(line, task);
	if (level == LEVEL_SMOOTH) {
		add_stall(line, ": no perceptible delay (longest ",
			  stall_of(worst));
		add_loads(line, v, ") under ", task, level, NULL, COLUMNS);
		return;
	}
	if (level == LEVEL_STALLS) {
		strbuf_adds(line, ": a stall of ");
		add_stall(line, "up to ", stall_of(worst));
		strbuf_adds(line, " may be noticed under ");
		strbuf_add_line_escaped(line, worst->load);
		add_loads(line, v, ", ", task, level, worst, 84);
	} else {
		strbuf_addf(line, ": %s under ", symptom(worst));
		strbuf_add_line_escaped(line, worst->load);
		strbuf_adds(line, ": ");
		add_numbers(line, v, worst);
		add_loads(line, v, "; also ", task, level, worst, 92);
		add_loads(line, v, "; may be noticed under ", task,
			  LEVEL_STALLS, NULL, 96);
	}
	add_loads(line, v, "; fine under ", task, LEVEL_SMOOTH, NULL, COLUMNS);
}

static void add_task_lines(struct strbuf *sb, struct strbuf *line,
			   const struct view *v)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < v->nr && nr < MAX_TASK_LINES; i++) {
		if (!first_of_task(v, i))
			continue;
		add_task(line, v, v->rows[i]->task);
		strbuf_adds(line, ".");
		flush_line(sb, line);
		nr++;
	}
}

/* The rows of a level; of each task (or load) the first one only. */
static bool counts(const struct view *v, size_t i, enum level level,
		   bool by_load)
{
	const struct result *res = v->rows[i];
	size_t k;

	if (level_of(res) != level)
		return false;
	for (k = 0; k < i; k++) {
		if (level_of(v->rows[k]) != level)
			continue;
		if (by_load ? !strcmp(v->rows[k]->load, res->load) :
			      is_task(v->rows[k], res->task))
			return false;
	}
	return true;
}

static size_t count(const struct view *v, enum level level, bool by_load)
{
	size_t i, nr = 0;

	for (i = 0; i < v->nr; i++)
		nr += counts(v, i, level, by_load);
	return nr;
}

/* "Video and X would visibly suffer" */
static void add_sufferers(struct strbuf *line, const struct view *v)
{
	size_t left = count(v, LEVEL_SUFFERS, false);
	bool seen = true, heard = true, custom = true;
	const char *lead = "";
	size_t i;

	for (i = 0; i < v->nr; i++) {
		const struct result *res = v->rows[i];

		if (!counts(v, i, LEVEL_SUFFERS, false))
			continue;
		strbuf_adds(line, lead);
		strbuf_add_line_escaped(line, res->task);
		lead = --left == 1 ? " and " : ", ";
		seen &= is_seen(res);
		heard &= is_task(res, "Audio");
		custom &= !is_seen(res) && !is_task(res, "Audio");
	}
	strbuf_adds(line, custom ? " would miss deadlines" :
			  heard ? " would audibly suffer" :
			  seen ? " would visibly suffer" : " would suffer");
}

/* The loads of all rows of a level, in brackets if not all tasks agree. */
static void add_verdict_loads(struct strbuf *line, const struct view *v,
			      enum level level)
{
	struct list list = { line, " under ", COLUMNS, 0, 0 };
	size_t i, nr = 0;
	bool agree;

	for (i = 0; i < v->nr; i++)
		nr += level_of(v->rows[i]) == level;
	agree = nr == count(v, level, false) * count(v, level, true);
	if (!agree)
		list.lead = " under some loads (";
	for (i = 0; i < v->nr; i++)
		if (counts(v, i, level, true))
			list_add(&list, v->rows[i]->load, "");
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
		if (count(v, level, false) == 1) {
			strbuf_add_line_escaped(line, worst->task);
			strbuf_adds(line, " stays");
		} else {
			strbuf_adds(line, "interactive tasks stay");
		}
		strbuf_addf(line, " smooth under every load %s.",
			    v->some_not_judged ? "judged" : "measured");
	}
}

static void add_not_judged(struct strbuf *line, const struct result *results,
			   size_t nr)
{
	static const char *const notes[] = {
		[CELL_OK] = " (no data)",
		[CELL_NOISY] = " (no data)",
		[CELL_INVALID] = " (invalid)",
		[CELL_SKIPPED] = " (skipped)",
		[CELL_FAILED] = " (failed)",
	};
	struct list list = { line, "Not judged: ", COLUMNS, 0, 0 };
	size_t i;

	for (i = 0; i < nr; i++) {
		char name[2 * RESULT_NAME_LEN + sizeof(" under ")];

		if (can_judge(&results[i]))
			continue;
		snprintf(name, sizeof(name), "%s under %s", results[i].task,
			 results[i].load);
		list_add(&list, name, notes[results[i].status]);
	}
	list_end(&list);
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

static void add_next(struct strbuf *line, const struct view *v)
{
	const struct result *worst = worst_row(v, NULL);
	int64_t secs = v->info->time_ns / NSEC_PER_SEC;
	bool custom = !strcmp(worst->task, "Custom") ||
		      !strcmp(worst->load, "Custom");

	strbuf_adds(line, custom ? "Next: the same command, and" :
				   "Next: interbench");
	if (!custom)
		add_options(line, v->info);
	strbuf_addf(line, " -W %s -w %s --percentiles -t %" PRId64,
		    worst->task, worst->load,
		    secs > MIN_SECONDS ? secs : MIN_SECONDS);
}

static void add_worst(struct strbuf *line, const struct view *v)
{
	const struct result *worst = worst_row(v, NULL);

	strbuf_adds(line, "Worst: ");
	strbuf_add_line_escaped(line, worst->task);
	strbuf_adds(line, " under ");
	strbuf_add_line_escaped(line, worst->load);
	if (worst->status == CELL_NOISY)
		strbuf_adds(line, " (noisy)");
	add_stall(line, ", longest stall ", stall_of(worst));
	strbuf_adds(line, ".");
}

static void add_all(struct strbuf *sb, const struct view *v,
		    const struct result *results, size_t nr)
{
	struct strbuf line = STRBUF_INIT;

	add_verdict(&line, v);
	flush_line(sb, &line);
	add_task_lines(sb, &line, v);
	if (v->some_not_judged) {
		add_not_judged(&line, results, nr);
		flush_line(sb, &line);
	}
	add_worst(&line, v);
	flush_line(sb, &line);
	add_next(&line, v);
	flush_line(sb, &line);
	strbuf_adds(sb, "Run it again on the kernel or setting you compare "
		    "with.\n");
	strbuf_release(&line);
}

void verdict(struct strbuf *sb, const struct run_info *info,
	     const struct result *results, size_t nr)
{
	struct view v = { .info = info };
	size_t i;

	if (!nr)
		return;
	v.rows = calloc(nr, sizeof(*v.rows));
	if (!v.rows) {
		sb->err = -ENOMEM;
		return;
	}
	for (i = 0; i < nr; i++)
		view_add(&v, &results[i]);
	if (v.nr)
		add_all(sb, &v, results, nr);
	free(v.rows);
}
