/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result: what the reports are made from; holds no pointer into a cell. */
#ifndef IB_REPORT_RESULT_H
#define IB_REPORT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "cell.h"
#include "stat/summary.h"

#define RESULT_NAME_LEN 32

/* One row of a table. */
struct result {
	char task[RESULT_NAME_LEN];	/* titles: "Audio", "Burn" */
	char load[RESULT_NAME_LEN];
	enum cell_status status;
	char why[CELL_WHY_LEN];
	bool has_options;	/* of its own: -C, --load-cmd, --scratch ... */
	bool censored;		/* what is a lower bound is printed ">x" */
	struct summary sum;
	int64_t window_ns;	/* real length of the window */
	uint64_t load_work;
	int64_t load_span_ns;
	char load_unit[RESULT_NAME_LEN];
	bool load_is_bytes;	/* to and from the device below */
	bool has_device;	/* what that device moved is known */
	uint64_t device_bytes;	/* in load_span_ns */
	char load_note[CELL_NOTE_LEN];
	bool load_fell_back;	/* the note belongs into the row */
};

/* What stands above the tables. */
struct run_info {
	const char *kernel;	/* release */
	const char *datestamp;	/* "202612010031", local time */
	const char *comment;	/* NULL: none */
	const char *version;	/* "1.0" */
	const char *wake;	/* "direct" */
	const char *burn;	/* "cpu", "work" */
	bool loops_informative;	/* the loops figure is a sample only */
	uint64_t loops_per_ms;
	uint32_t load_threads;
	int64_t time_ns;	/* what -t said */
	uint64_t seed;
	bool uniprocessor;	/* -u */
	const char *cpus;	/* extra line on the CPUs used; NULL: none */
	bool realtime;		/* tables are in us */
	bool has_bench_nice;
	int bench_nice;
	bool has_load_nice;
	int load_nice;
	bool percentiles;
};

#endif
