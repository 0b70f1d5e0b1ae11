/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict: a few plain sentences after the tables: which task would suffer
 * under which load, against what people perceive, and what to type next.
 */
#ifndef IB_REPORT_VERDICT_H
#define IB_REPORT_VERDICT_H

#include <stddef.h>

#include "base/strbuf.h"
#include "report/result.h"

/* From all rows of a run; nothing is appended if none could be judged. */
void verdict(struct strbuf *sb, const struct run_info *info,
	     const struct result *results, size_t nr);

#endif
