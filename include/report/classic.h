/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * classic: the tables of interbench 0.31, same words, order and tabs, since
 * scripts read them. Appends to a strbuf; computes nothing.
 */
#ifndef IB_REPORT_CLASSIC_H
#define IB_REPORT_CLASSIC_H

#include "base/strbuf.h"
#include "report/result.h"

/* The lines before the first table. */
void classic_header(struct strbuf *sb, const struct run_info *info);

/*
 * A blank line, the title and the line of column names of one task. window_ns
 * is named in the title where it is not what -t said (X).
 */
void classic_title(struct strbuf *sb, const struct run_info *info,
		   const char *task, bool paced, int64_t window_ns);

/* One row: values, or the reason why there are none. */
void classic_row(struct strbuf *sb, const struct run_info *info,
		 const struct result *res);

/* The end of the text: two blank lines. */
void classic_footer(struct strbuf *sb);

/*
 * A time: 3 decimals, up to 6 where 3 significant digits need them; no
 * exponent. per_unit_ns: 1e6 for ms, 1e3 for us.
 */
void classic_format_time(char *buf, size_t size, double ns, double per_unit_ns);

/* A percentage: "100" only for exactly 100, "0" only for exactly 0. */
void classic_format_pct(char *buf, size_t size, double pct);

#endif
