/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program: run a program to its end and tell what became of it. */
#ifndef IB_ENGINE_PROGRAM_H
#define IB_ENGINE_PROGRAM_H

#include <stdbool.h>

#include "engine/spawn.h"

struct program {
	struct spawn spawn;	/* err_fd and, if read, out_fd are set here */
	const char *who;	/* "tar", as ctx->why names it */
	bool read_out;		/* its standard output is read as well */
	bool first_line;	/* why has its first line, not its last */
	/*
	 * Each line that is read, as it comes, without its end, cut if it is
	 * long: 0; 1 if it is not one to be quoted in why; -errno ends the
	 * program, and is the result. NULL: all are.
	 */
	int (*line)(void *arg, pid_t pid, const char *line);
	void *arg;
};

void program_init(struct program *program, const char *who, const char *file,
		  const char *const *argv);

/*
 * Runs it, reading its standard error: 0 if it ended with status 0; -EINTR if
 * the load was stopped; else -errno and ctx->why, -ECHILD for a bad end. It is
 * dead in any case; what it left behind may live.
 */
int program_run(struct load_ctx *ctx, const struct program *program);

/* Whether PATH leads to a program of this name. */
bool program_exists(const char *name);

#endif
