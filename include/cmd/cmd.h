/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd: the subcommands. Each returns the exit status of the program. */
#ifndef IB_CMD_CMD_H
#define IB_CMD_CMD_H

#include "plan/opts.h"

enum exit_status {
	STATUS_DONE = 0,
	STATUS_USAGE = 1,	/* usage or environment: nothing measured */
	STATUS_INVALID = 2,	/* a requested cell failed or is invalid */
};

/* Measures and prints the tables. */
int cmd_run(const struct options *o);

/* --list: tasks and loads. */
int cmd_list(void);

/* --plan: what a run would do; starts nothing. */
int cmd_plan(const struct options *o);

/* Flushes stdout: status, or STATUS_USAGE with a message if that fails. */
int cmd_close_stdout(int status);

#endif
