/* SPDX-License-Identifier: GPL-2.0-or-later */
/* classic: the table that scripts have read since 0.31, and its numbers. */
#include "report/classic.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clk.h"

#define MAX_DECIMALS 6
#define NUMBER_LEN 32

static const double power[MAX_DECIMALS + 2] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
};

/* value / unit in steps of the given decimal; exact while below 2^53. */
static double steps(double value, double unit, unsigned int decimals)
{
	return round(value * power[decimals] / unit);
}

/*
 * Built from integers: printf would take the decimal point from the locale. No
 * value above 0 becomes 0; what is no number at all is "-".
 */
static void put_fixed(char *buf, size_t size, double value, double unit,
		      unsigned int decimals)
{
	uint64_t one = (uint64_t)power[decimals];
	double nr = steps(value, unit, decimals);
	uint64_t n;

	if (!(value >= 0 && nr < 0x1p63)) {
		snprintf(buf, size, "-");
		return;
	}
	n = (uint64_t)nr;
	if (!n && value > 0)
		n = 1;
	snprintf(buf, size, "%" PRIu64 ".%0*" PRIu64, n / one, (int)decimals,
		 n % one);
}

/* From 3 decimals, as many as 3 significant digits need. */
static unsigned int decimals_of_3_digits(double value, double unit)
{
	unsigned int decimals = 3;

	while (value > 0 && decimals < MAX_DECIMALS &&
	       steps(value, unit, decimals + 1) < 1000)
		decimals++;
	return decimals;
}

void classic_format_time(char *buf, size_t size, double ns, double per_unit_ns)
{
	put_fixed(buf, size, ns, per_unit_ns,
		  decimals_of_3_digits(ns, per_unit_ns));
}

/*
 * One decimal, as 0.31; where that would round up to 100, down to the first
 * digit of what is missing (just below 1: 100 - 99.99 is not quite 0.01).
 */
static unsigned int decimals_of_pct(double pct)
{
	unsigned int decimals = 2;

	if (pct >= 100 || steps(pct, 1, 1) < 1000)
		return 1;
	while (decimals < MAX_DECIMALS &&
	       (100 - pct) * power[decimals] < 0.999999)
		decimals++;
	return decimals;
}

void classic_format_pct(char *buf, size_t size, double pct)
{
	const double highest = 100 - 1 / power[MAX_DECIMALS];
	size_t len;

	if (pct == 0) {
		snprintf(buf, size, "0");
		return;
	}
	if (pct > 0 && steps(pct, 1, 3) < 1000) {
		put_fixed(buf, size, pct, 1, decimals_of_3_digits(pct, 1));
		return;
	}
	if (pct > highest && pct < 100)
		pct = highest;
	put_fixed(buf, size, pct, 1, decimals_of_pct(pct));
	len = strlen(buf);
	if (len > 2 && !strcmp(buf + len - 2, ".0"))
		buf[len - 2] = '\0';
}

static void add_seconds(struct strbuf *sb, int64_t ns)
{
	char buf[NUMBER_LEN];

	if (ns % NSEC_PER_SEC) {
		put_fixed(buf, sizeof(buf), (double)ns, NSEC_PER_SEC, 3);
		strbuf_adds(sb, buf);
	} else {
		strbuf_addf(sb, "%" PRId64, ns / NSEC_PER_SEC);
	}
	strbuf_adds(sb, " seconds");
}

void classic_header(struct strbuf *sb, const struct run_info *info)
{
	strbuf_addf(sb, "Load set to %" PRIu32 " processors\n\n",
		    info->load_threads);
	strbuf_addf(sb, "Using %" PRIu64 " loops per ms, running every load "
		    "for ", info->loops_per_ms);
	add_seconds(sb, info->time_ns);
	strbuf_adds(sb, "\nBenchmarking kernel ");
	strbuf_add_line_escaped(sb, info->kernel);
	strbuf_addf(sb, " at datestamp %s\n", info->datestamp);
	if (info->comment) {
		strbuf_adds(sb, "Comment: ");
		strbuf_add_line_escaped(sb, info->comment);
		strbuf_adds(sb, "\n");
	}
	if (info->cpus) {
		strbuf_add_line_escaped(sb, info->cpus);
		strbuf_adds(sb, "\n");
	}
	strbuf_addf(sb, "Method: wake %s, burn %s%s, seed %" PRIu64
		    ", interbench %s\n", info->wake, info->burn,
		    info->loops_informative ? " (loops informative)" : "",
		    info->seed, info->version);
}

void classic_title(struct strbuf *sb, const struct run_info *info,
		   const char *task, bool paced, int64_t window_ns)
{
	strbuf_addf(sb, "\n--- Benchmarking simulated cpu of %s ", task);
	if (info->realtime)
		strbuf_adds(sb, "real time ");
	else if (info->has_bench_nice)
		strbuf_addf(sb, "nice %d ", info->bench_nice);
	strbuf_adds(sb, "in the presence of simulated ");
	if (info->has_load_nice)
		strbuf_addf(sb, "nice %d ", info->load_nice);
	strbuf_adds(sb, "---");
	if (window_ns != info->time_ns) {
		strbuf_adds(sb, " (");
		add_seconds(sb, window_ns);
		strbuf_adds(sb, ")");
	}
	strbuf_addf(sb, "\nLoad\tLatency +/- SD (%s)  Max Latency   "
		    "%% Desired CPU", info->realtime ? "us" : "ms");
	if (paced)
		strbuf_adds(sb, "  % Deadlines Met");
	if (info->percentiles)
		strbuf_adds(sb, "\tp50\tp90\tp95\tp99\tp99.9");
	if (info->percentiles && paced)
		strbuf_adds(sb, "\tMissed\tLongest");
	if (info->percentiles)
		strbuf_adds(sb, "\tLoad work");
	strbuf_adds(sb, "\n");
}

static void put_time(char *buf, const struct run_info *info, bool present,
		     double ns)
{
	double unit = info->realtime ? NSEC_PER_USEC : NSEC_PER_MSEC;

	if (present)
		classic_format_time(buf, NUMBER_LEN, ns, unit);
	else
		snprintf(buf, NUMBER_LEN, "-");
}

/* A maximum that was cut off is shown as what it is at least. */
static void put_max(char *buf, const struct run_info *info,
		    const struct dist *dist)
{
	bool cut = dist->bound_ns > 0 &&
		   (!dist->n || dist->bound_ns > dist->max_ns);
	char number[NUMBER_LEN];

	put_time(number, info, cut || dist->n,
		 (double)(cut ? dist->bound_ns : dist->max_ns));
	snprintf(buf, NUMBER_LEN + 1, "%s%s", cut ? ">" : "", number);
}

static void put_pct(char *buf, bool present, double pct)
{
	if (present)
		classic_format_pct(buf, NUMBER_LEN, pct);
	else
		snprintf(buf, NUMBER_LEN, "-");
}

static void add_classic_columns(struct strbuf *sb, const struct run_info *info,
				const struct summary *sum)
{
	const struct dist *dist = &sum->latency;
	char mean[NUMBER_LEN], sd[NUMBER_LEN], max[NUMBER_LEN + 1];
	char pct[NUMBER_LEN];
	const char *gap;

	put_time(mean, info, dist->n >= 1, dist->mean_ns);
	put_time(sd, info, dist->n >= 2, dist->sd_ns);
	put_max(max, info, dist);
	/* two numbers that fill their columns must not become one */
	gap = strlen(sd) >= 8 && strlen(max) >= 7 ? " " : "";
	put_pct(pct, sum->has_desired, sum->desired_cpu_pct);
	strbuf_addf(sb, "%7s +/- %-8s%s%7s\t\t%4s", mean, sd, gap, max, pct);
	if (!sum->paced)
		return;
	put_pct(pct, sum->has_deadlines, sum->deadlines_met_pct);
	strbuf_addf(sb, "\t%11s", pct);
}

static void add_percentiles(struct strbuf *sb, const struct run_info *info,
			    const struct summary *sum)
{
	char buf[NUMBER_LEN];
	size_t i;

	for (i = 0; i < DIST_NR_QUANTILES; i++) {
		int64_t ns = sum->latency.quantile_ns[i];

		put_time(buf, info, sum->latency.n && ns >= 0, (double)ns);
		strbuf_addf(sb, "\t%s", buf);
	}
	if (sum->paced && sum->has_deadlines)
		strbuf_addf(sb, "\t%" PRIu64 "\t%" PRIu64,
			    sum->late + sum->dropped, sum->longest_miss);
	else if (sum->paced)
		strbuf_adds(sb, "\t-\t-");
}

/* An amount a second: 3 digits are enough, "1.23e9" is not for people. */
static void add_rate(struct strbuf *sb, uint64_t amount, int64_t span_ns)
{
	static const char prefixes[] = " kMGTPE";
	double rate = span_ns > 0 ? (double)amount * NSEC_PER_SEC /
				    (double)span_ns : 0;
	char buf[NUMBER_LEN];
	size_t i = 0;

	while (rate >= 999.5 && prefixes[i + 1]) {
		rate /= 1000;
		i++;
	}
	if (rate < 99.95)
		put_fixed(buf, sizeof(buf), rate, 1, rate < 9.995 ? 2 : 1);
	else
		snprintf(buf, sizeof(buf), "%" PRIu64,
			 (uint64_t)(rate + 0.5));
	strbuf_adds(sb, buf);
	strbuf_adds(sb, " ");
	if (i)
		strbuf_addf(sb, "%c", prefixes[i]);
}

/* "93.2 M loops/s" or "412 MB/s, device 409 MB/s (4.0 GiB ring, ext4)" */
static void add_load_work(struct strbuf *sb, const struct result *res)
{
	const char *unit = res->load_is_bytes ? "B" : res->load_unit;

	strbuf_adds(sb, "\t");
	if (!res->load_span_ns || !res->load_unit[0]) {
		strbuf_adds(sb, "-");
		return;
	}
	add_rate(sb, res->load_work, res->load_span_ns);
	strbuf_addf(sb, "%s/s", unit);
	if (res->load_is_bytes && res->has_device) {
		strbuf_adds(sb, ", device ");
		add_rate(sb, res->device_bytes, res->load_span_ns);
		strbuf_adds(sb, "B/s");
	}
	if (!res->load_note[0])
		return;
	strbuf_adds(sb, " (");
	strbuf_add_line_escaped(sb, res->load_note);
	strbuf_adds(sb, ")");
}

static void add_why(struct strbuf *sb, const char *lead, const char *why,
		    const char *tail)
{
	strbuf_adds(sb, lead);
	strbuf_add_line_escaped(sb, *why ? why : "no reason recorded");
	strbuf_adds(sb, tail);
}

static void add_mark(struct strbuf *sb, const struct run_info *info,
		     const struct result *res)
{
	static const char starved[] = "load starved";

	/* With the work of the load it is there already. */
	if (res->load_fell_back && !info->percentiles)
		add_why(sb, "\t(", res->load_note, ")");
	if (res->status == CELL_NOISY)
		add_why(sb, "\t~ ", res->why, "");
	else if (res->status == CELL_INVALID)
		add_why(sb, "\t! ", res->why, "");
	else if (!strncmp(res->why, starved, sizeof(starved) - 1))
		add_why(sb, "\t(", res->why, ")");
}

void classic_row(struct strbuf *sb, const struct run_info *info,
		 const struct result *res)
{
	strbuf_add_line_escaped(sb, res->load);
	strbuf_adds(sb, "\t");
	if (res->status == CELL_SKIPPED) {
		add_why(sb, "skipped: ", res->why, "\n");
		return;
	}
	if (res->status == CELL_FAILED) {
		add_why(sb, "failed: ", res->why, "\n");
		return;
	}
	add_classic_columns(sb, info, &res->sum);
	if (info->percentiles) {
		add_percentiles(sb, info, &res->sum);
		add_load_work(sb, res);
	}
	add_mark(sb, info, res);
	strbuf_adds(sb, "\n");
}

void classic_footer(struct strbuf *sb)
{
	strbuf_adds(sb, "\n\n");
}
