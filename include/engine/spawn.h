/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spawn: run other programs for a load, and end with them. */
#ifndef IB_ENGINE_SPAWN_H
#define IB_ENGINE_SPAWN_H

#include <stdint.h>
#include <sys/types.h>

struct load_ctx;

/* No descriptor in it becomes its property; spawn_init() sets all to -1. */
struct spawn {
	const char *file;	/* looked for in PATH, if exec_fd is -1 */
	int exec_fd;		/* what to execute; works without /proc */
	const char *const *argv;
	int dir_fd;		/* to start in, -1: where we are */
	int out_fd;		/* its standard output, -1: nowhere */
	int err_fd;		/* its standard error, -1: nowhere */
	int pass_fd;		/* kept open under its number, above 2; or -1 */
};

void spawn_init(struct spawn *spawn, const char *file,
		const char *const *argv);

/*
 * Starts it, standard input empty, no other descriptor, signals as a shell
 * leaves them, SIGKILL when the caller dies: its pid, or -errno, that of a
 * failed exec included. Only for processes of one thread.
 */
pid_t spawn_start(const struct spawn *spawn);

/*
 * Waits for it: 0 and its wait status; -EINTR if the load was stopped
 * meanwhile, it is killed and reaped then; or -errno.
 */
int spawn_wait(struct load_ctx *ctx, pid_t pid, int *status);

/* SIGKILL, and waits for its end. */
void spawn_kill(pid_t pid);

/*
 * How it ended, for ctx->why: "tar exited with status 2: <line>", line being
 * what it had to say, or "". Always -ECHILD.
 */
int spawn_explain(struct load_ctx *ctx, const char *who, int status,
		  const char *line);

#endif
