/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program: wait for a pipe, an end or a stop, whatever comes first. */
#include "engine/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"

#define LINE_LEN 256
#define READ_LEN 4096
/* Reads between two looks at the stop flag; a pipe holds 16 of them. */
#define MAX_READS 16
/* How long an end goes unnoticed without a pidfd (before 5.3), or a stop. */
#define TICK_MS 50
#define TICK_PIDFD_MS 200

struct watch {
	struct load_ctx *ctx;
	const struct program *program;
	pid_t pid;
	int pipe_fd;		/* -1 once all writers are gone */
	int pid_fd;		/* readable when it has ended; or -1 */
	size_t len;		/* of the line that is being read */
	char line[LINE_LEN];
	char kept[LINE_LEN];	/* for ctx->why */
};

void program_init(struct program *program, const char *who, const char *file,
		  const char *const *argv)
{
	memset(program, 0, sizeof(*program));
	spawn_init(&program->spawn, file, argv);
	program->who = who;
}

static int end_line(struct watch *w)
{
	const struct program *p = w->program;
	size_t len = w->len;
	int ret = 0;

	w->line[len] = '\0';
	w->len = 0;
	if (len && p->line)
		ret = p->line(p->arg, w->pid, w->line);
	if (len && !ret && (!p->first_line || !w->kept[0]))
		memcpy(w->kept, w->line, len + 1);
	return ret < 0 ? ret : 0;
}

static int take(struct watch *w, const char *text, size_t len)
{
	int err = 0;

	for (size_t i = 0; i < len && !err; i++) {
		if (text[i] == '\n')
			err = end_line(w);
		else if (w->len < LINE_LEN - 1)
			w->line[w->len++] = text[i];
	}
	return err;
}

/* What is in the pipe, but no more than it can hold at once. */
static int drain(struct watch *w)
{
	char text[READ_LEN];
	int err = 0;

	for (int i = 0; i < MAX_READS && w->pipe_fd >= 0 && !err; i++) {
		ssize_t n = read(w->pipe_fd, text, sizeof(text));

		if (n > 0) {
			err = take(w, text, (size_t)n);
		} else if (!n) {
			close(w->pipe_fd);
			w->pipe_fd = -1;
		} else if (errno != EINTR) {
			break;
		}
	}
	return err;
}

static int open_pid(pid_t pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0U);
#else
	(void)pid;
	return -1;
#endif
}

/* Until it has ended: 0 and its status. Else it is killed: an error. */
static int attend(struct watch *w, int *status)
{
	int err = 0;

	while (!err && !load_stopped(w->ctx)) {
		struct pollfd fds[] = {
			{ .fd = w->pipe_fd, .events = POLLIN },
			{ .fd = w->pid_fd, .events = POLLIN },
		};
		pid_t ret;

		poll(fds, 2, w->pid_fd >= 0 ? TICK_PIDFD_MS : TICK_MS);
		err = drain(w);
		ret = err ? 0 : waitpid(w->pid, status, WNOHANG);
		if (ret == w->pid)
			return drain(w);
		if (ret < 0 && errno != EINTR)
			return -errno;
	}
	spawn_kill(w->pid);
	return err ? err : -EINTR;
}

static int watch_end(struct watch *w)
{
	int status = 0, err;

	w->pid_fd = open_pid(w->pid);
	err = attend(w, &status);
	if (!err)
		err = end_line(w);
	if (w->pid_fd >= 0)
		close(w->pid_fd);
	if (err)
		return err;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return spawn_explain(w->ctx, w->program->who, status, w->kept);
}

static int cannot_start(struct load_ctx *ctx, const struct program *program,
			int err)
{
	snprintf(ctx->why, sizeof(ctx->why), "%s could not be started: %s",
		 program->who, strerror(-err));
	return err;
}

int program_run(struct load_ctx *ctx, const struct program *program)
{
	struct watch w = { .ctx = ctx, .program = program };
	struct spawn spawn = program->spawn;
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return cannot_start(ctx, program, -errno);
	/* Ours only: the other end is another open file. */
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	w.pipe_fd = ends[0];
	spawn.err_fd = ends[1];
	if (program->read_out)
		spawn.out_fd = ends[1];
	w.pid = spawn_start(&spawn);
	close(ends[1]);
	err = w.pid < 0 ? cannot_start(ctx, program, (int)w.pid)
			: watch_end(&w);
	if (w.pipe_fd >= 0)
		close(w.pipe_fd);
	return err;
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

bool program_exists(const char *name)
{
	const char *at = getenv("PATH");
	char path[4096];

	if (!at)
		at = "/bin:/usr/bin";
	for (;;) {
		int len = (int)strcspn(at, ":");

		snprintf(path, sizeof(path), "%.*s%s%s", len, at,
			 len ? "/" : "", name);
		if (is_program(path))
			return true;
		if (!at[len])
			return false;
		at += len + 1;
	}
}
