/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress: one status line on stderr, drawn before each cell and taken away
 * before a row is printed. Nothing is drawn inside a window: the supervisor
 * sleeps then.
 */
#ifndef IB_CMD_PROGRESS_H
#define IB_CMD_PROGRESS_H

#include <stdbool.h>

#include "plan/opts.h"
#include "plan/plan.h"

/* Whether a status line is wanted and stderr can show it. */
bool progress_wanted(enum opts_progress when);

/* Cell i of the plan begins. */
void progress_show(const struct plan *plan, size_t i);
void progress_clear(void);

#endif
