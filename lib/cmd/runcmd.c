/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runcmd: the main job. Measure the plan, print rows as they come, keep a log. */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/fileio.h"
#include "cmd/loops.h"
#include "cmd/progress.h"
#include "cmd/session.h"
#include "engine/registry.h"
#include "report/classic.h"
#include "report/verdict.h"
#include "run/run.h"
#include "stat/summary.h"
#include "sys/stopsig.h"

/* Burnt against asked CPU, at the median (METHOD.md, 4). */
#define RATIO_LEAST 0.97
#define RATIO_MOST 1.05
/*
 * A wake and the sleep after it cost some microseconds that are no burn. For a
 * demand of 10 us they are most of what the kernel counts, and say nothing.
 */
#define RATIO_MIN_DEMAND_NS NSEC_PER_MSEC

struct output {
	struct session s;
	struct run run;
	struct run_info info;
	struct utsname uts;
	char datestamp[32];
	struct strbuf cpus;	/* line on the CPUs */
	struct strbuf log;	/* all of the classic text */
	struct strbuf chunk;	/* what is printed next */
	struct result *results;	/* one a cell */
	size_t nr_results;
	int out_err;		/* of standard output */
	bool progress;
};

/* Prints what is in the chunk and keeps it for the log. */
static void emit(struct output *out, bool logged)
{
	struct strbuf *chunk = &out->chunk;

	if (out->progress)
		progress_clear();
	if (!out->out_err && chunk->len)
		out->out_err = fd_write_all(STDOUT_FILENO, chunk->text,
					    chunk->len, stopsig_flag());
	if (logged && chunk->len)
		strbuf_add(&out->log, chunk->text, chunk->len);
	strbuf_clear(chunk);
}

static void fill_info(struct output *out)
{
	const struct options *o = out->s.o;
	const struct plan *plan = &out->s.plan;
	time_t t = time(NULL);
	struct tm tm;

	uname(&out->uts);
	localtime_r(&t, &tm);
	strftime(out->datestamp, sizeof(out->datestamp), "%Y%m%d%H%M", &tm);
	session_cpus_line(&out->s, &out->cpus);
	out->info = (struct run_info){
		.kernel = out->uts.release,
		.datestamp = out->datestamp,
		.comment = o->comment,
		.version = IB_VERSION,
		.wake = "direct",
		.burn = plan->burn == BURN_WORK ? "work" : "cpu",
		.loops_informative = plan->burn == BURN_CPU,
		.loops_per_ms = plan->loops_per_ms,
		.load_threads = plan->load_threads,
		.time_ns = o->time_ns,
		.seed = plan->seed,
		.uniprocessor = o->uniprocessor,
		.cpus = out->cpus.len ? out->cpus.text : NULL,
		.realtime = plan->realtime,
		.has_bench_nice = plan->has_bench_nice,
		.bench_nice = plan->bench_nice,
		.has_load_nice = plan->has_load_nice,
		.load_nice = plan->load_nice,
		.percentiles = o->percentiles,
	};
}

/* A cell whose task did not come to its end has no numbers, only a reason. */
static bool has_numbers(const struct cell *cell)
{
	return cell->seen_ns && cell->status != CELL_FAILED &&
	       cell->status != CELL_SKIPPED;
}

/* The fixed work of -l is whatever it is; no share of CPU was asked for. */
static void check_ratio(const struct options *o, const struct sim *sim,
			struct result *res)
{
	double ratio = res->sum.ratio_p50;

	if (!sim->demand && sim->busy_ns < RATIO_MIN_DEMAND_NS)
		return;
	if (!res->sum.has_ratio || o->has_loops || res->status != CELL_OK ||
	    (ratio >= RATIO_LEAST && ratio <= RATIO_MOST))
		return;
	res->status = CELL_NOISY;
	/* Gaps in the burn are not ours, but the kernel may charge us. */
	snprintf(res->why, sizeof(res->why),
		 "task charged %d %% of the CPU it burnt%s",
		 (int)(100 * ratio + 0.5),
		 ratio > 1 ? " (interrupts or a busy host)" : "");
}

/* Whether task or load are what they are by options of their own. */
static bool has_options(const struct options *o, const struct cell *cell,
			const struct load_entry *entry)
{
	const unsigned int files = LOAD_DISK | LOAD_OTHER | LOAD_DATA;

	if (entry->command || (registry_sim(cell->sim)->flags & SIM_CUSTOM) ||
	    (entry->sim && (entry->sim->flags & SIM_CUSTOM)))
		return true;
	if (!(load_entry_flags(entry) & files))
		return false;
	return o->scratch || o->scratch_other || o->has_io_size ||
	       o->has_mem_size || o->compile != COMPILE_REAL ||
	       o->memload != MEMLOAD_AUTO || strcmp(o->output_dir, ".") != 0;
}

static int fill_result(const struct output *out, const struct cell *cell,
		       struct result *res)
{
	const struct load_entry *entry = plan_load(&out->s.plan, cell->load);

	memset(res, 0, sizeof(*res));
	snprintf(res->task, sizeof(res->task), "%s",
		 registry_sim(cell->sim)->title);
	snprintf(res->load, sizeof(res->load), "%s", load_entry_title(entry));
	snprintf(res->load_unit, sizeof(res->load_unit), "%s",
		 load_entry_flags(entry) & LOAD_IDLE ? "" : entry->load->unit);
	snprintf(res->why, sizeof(res->why), "%s", cell->why);
	res->status = cell->status;
	res->has_options = has_options(out->s.o, cell, entry);
	res->censored = cell->censored;
	res->window_ns = cell->window_ns;
	res->load_work = cell->load_work;
	res->load_span_ns = cell->load_span_ns;
	res->load_is_bytes = load_entry_flags(entry) & LOAD_BYTES;
	res->has_device = cell->has_device;
	res->device_bytes = cell->read_bytes + cell->written_bytes;
	res->load_fell_back = cell->load_fell_back;
	snprintf(res->load_note, sizeof(res->load_note), "%s",
		 cell->load_note);
	res->sum.paced = !(registry_sim(cell->sim)->flags & SIM_UNPACED);
	if (has_numbers(cell)) {
		int err = summary_of(&res->sum, cell);

		if (err)
			return err;
	}
	check_ratio(out->s.o, plan_sim(&out->s.plan, cell->sim), res);
	return 0;
}

static bool new_table(const struct plan *plan, size_t i)
{
	return !i || plan->cells[i].sim != plan->cells[i - 1].sim;
}

static void start_table(struct output *out, size_t i)
{
	const struct plan_cell *pc = &out->s.plan.cells[i];
	const struct sim *sim = registry_sim(pc->sim);

	classic_title(&out->chunk, &out->info, sim->title,
		      !(sim->flags & SIM_UNPACED), pc->window_ns);
	emit(out, true);
}

/* 0, or -errno if the run cannot go on: -EINTR after a stop signal. */
static int measure_cell(struct output *out, size_t i)
{
	struct result *res = &out->results[i];
	int err;

	if (stopsig_pending())
		return -EINTR;
	if (new_table(&out->s.plan, i))
		start_table(out, i);
	if (out->progress)
		progress_show(&out->s.plan, i);
	err = run_cell(&out->run, i);
	if (!err)
		err = fill_result(out, out->run.cell, res);
	if (err)
		return err;
	out->nr_results = i + 1;
	classic_row(&out->chunk, &out->info, res);
	emit(out, true);
	return out->out_err && out->s.o->console ? out->out_err : 0;
}

static int measure_all(struct output *out)
{
	int err = 0;

	classic_header(&out->chunk, &out->info);
	emit(out, true);
	/* Without a log nobody would ever see the rows. */
	if (out->s.o->console)
		err = out->out_err;
	for (size_t i = 0; !err && i < out->s.plan.nr_cells; i++)
		err = measure_cell(out, i);
	classic_footer(&out->chunk);
	emit(out, true);
	if (!err) {
		verdict(&out->chunk, &out->info, out->results,
			out->nr_results);
		emit(out, false);
	}
	return err;
}

/* A read-only directory costs a note, not the run. */
static void write_log(struct output *out)
{
	const char *dir = out->s.o->output_dir;
	char name[sizeof(out->uts.release) + 8];
	int err;

	if (out->s.o->console || !out->nr_results)
		return;
	snprintf(name, sizeof(name), "%s.log", out->uts.release);
	for (char *slash; (slash = strchr(name, '/'));)
		*slash = '_';
	err = out->log.err ? out->log.err
			   : file_append(dir, name, out->log.text,
					 out->log.len);
	if (err)
		diag_note("no log: %s/%s: %s", dir, name, strerror(-err));
}

/* The load was asked for by name, not by "all" or by default. */
static bool was_named(const struct options *o, const struct result *res)
{
	for (size_t i = 0; i < o->loads.nr; i++)
		if (!strcasecmp(o->loads.names[i], res->load))
			return true;
	return false;
}

static bool any_bad(const struct output *out)
{
	for (size_t i = 0; i < out->nr_results; i++) {
		const struct result *res = &out->results[i];

		if (res->status == CELL_INVALID || res->status == CELL_FAILED)
			return true;
		if (res->status == CELL_SKIPPED && was_named(out->s.o, res))
			return true;
	}
	return false;
}

static int exit_status(struct output *out, int err)
{
	/* A closed pipe is a stop, with SIGPIPE ignored as well. */
	if (!stopsig_pending() && out->out_err == -EPIPE)
		return 128 + 13;
	if (stopsig_pending()) {
		diag_note("stopped by signal %d after %zu of %zu cells",
			  stopsig_pending(), out->nr_results,
			  out->s.plan.nr_cells);
		return 128 + stopsig_pending();
	}
	if (out->out_err) {
		diag_error("standard output: %s", strerror(-out->out_err));
		return STATUS_USAGE;
	}
	if (err) {
		diag_error("%s", strerror(-err));
		return STATUS_USAGE;
	}
	return any_bad(out) ? STATUS_INVALID : STATUS_DONE;
}

static int check_output_dir(const struct options *o)
{
	struct stat st;
	int err = 0;

	if (o->console)
		return 0;
	if (stat(o->output_dir, &st))
		err = -errno;
	else if (!S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	if (err)
		diag_error("--output-dir %s: %s", o->output_dir,
			   strerror(-err));
	return err;
}

static int prepare(struct output *out, const struct options *o)
{
	char why[RUN_WHY_LEN] = "";
	int err = session_init(&out->s, o);

	if (!err)
		err = check_output_dir(o);
	if (err)
		return err;
	stopsig_install();
	err = run_init(&out->run, &out->s.plan, why, sizeof(why));
	if (err) {
		diag_error("%s", why);
		return err;
	}
	if (out->run.syscall_clock)
		diag_note("reading the clock is a system call here: "
			  "numbers are coarser");
	err = loops_find(o, &out->s.plan, &out->s.cpus.allowed,
			 out->run.syscall_clock);
	if (err)
		return err;
	out->results = calloc(out->s.plan.nr_cells, sizeof(*out->results));
	if (!out->results)
		return -ENOMEM;
	out->progress = progress_wanted(o->progress);
	fill_info(out);
	return 0;
}

static void release(struct output *out)
{
	free(out->results);
	strbuf_release(&out->cpus);
	strbuf_release(&out->log);
	strbuf_release(&out->chunk);
	run_release(&out->run);
	session_release(&out->s);
}

int cmd_run(const struct options *o)
{
	struct output out;
	int status = STATUS_USAGE, err;

	memset(&out, 0, sizeof(out));
	if (!prepare(&out, o)) {
		err = measure_all(&out);
		write_log(&out);
		if (!err)
			loops_check_drift(o, &out.s.plan,
					  &out.s.cpus.allowed,
					  out.run.syscall_clock);
		status = exit_status(&out, err);
	} else if (stopsig_pending()) {
		status = 128 + stopsig_pending();
	}
	release(&out);
	return status;
}
