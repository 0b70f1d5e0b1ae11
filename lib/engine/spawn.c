/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spawn: fork, tie to us, clean up, execute; a pipe tells if that failed. */
#include "engine/spawn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "load.h"

#define FIRST_FREE 3		/* behind the standard descriptors */
#define EXIT_NO_EXEC 127
/* The values of the kernel's headers, which may be older than the kernel. */
#define RANGE_CLOEXEC (1U << 2)
#define EMPTY_PATH 0x1000

void spawn_init(struct spawn *spawn, const char *file,
		const char *const *argv)
{
	spawn->file = file;
	spawn->argv = argv;
	spawn->exec_fd = spawn->dir_fd = spawn->pass_fd = -1;
	spawn->out_fd = spawn->err_fd = -1;
}

/* By what /proc lists, since the limit of descriptors can be a billion. */
static bool hide_listed(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!dir)
		return false;
	while ((entry = readdir(dir))) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fd >= FIRST_FREE)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	closedir(dir);
	return true;
}

/* Whatever is open is closed by exec; before 5.11 one by one. */
static void hide_descriptors(void)
{
	int limit = (int)sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range
	if (!syscall(SYS_close_range, (unsigned int)FIRST_FREE, ~0U,
		     RANGE_CLOEXEC))
		return;
#endif
	if (hide_listed())
		return;
	for (int fd = FIRST_FREE; fd < limit; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* A copy of fd that is not in the way of 0, 1 and 2. */
static int copy_of(int fd, int null)
{
	return fcntl(fd >= 0 ? fd : null, F_DUPFD_CLOEXEC, FIRST_FREE);
}

static int place_stdio(const struct spawn *spawn)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int in = copy_of(-1, null);
	int out = copy_of(spawn->out_fd, null);
	int err = copy_of(spawn->err_fd, null);

	if (null < 0 || in < 0 || out < 0 || err < 0 ||
	    dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(err, STDERR_FILENO) < 0)
		return -errno;
	return 0;
}

static void reset_signals(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = SIG_DFL;
	sigemptyset(&sa.sa_mask);
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &sa, NULL);
	sigprocmask(SIG_SETMASK, &sa.sa_mask, NULL);
}

static int exec_fd(int fd, char *const *argv)
{
	char path[40];

#ifdef SYS_execveat
	syscall(SYS_execveat, fd, "", argv, environ, EMPTY_PATH);
	if (errno != ENOSYS)
		return -errno;
#endif
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	execve(path, argv, environ);
	return -errno;
}

/* All that is done in the child; returns only if that failed: -errno. */
static int become(const struct spawn *spawn, pid_t parent)
{
	/* exec takes no const, and changes nothing. */
	char *const *argv = (char *const *)(uintptr_t)spawn->argv;
	int err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent died before that was set: nobody will tell us. */
	if (getppid() != parent)
		return -ESRCH;
	err = place_stdio(spawn);
	if (!err && spawn->dir_fd >= 0 && fchdir(spawn->dir_fd))
		err = -errno;
	if (err)
		return err;
	hide_descriptors();
	if (spawn->pass_fd >= 0 && fcntl(spawn->pass_fd, F_SETFD, 0))
		return -errno;
	reset_signals();
	if (spawn->exec_fd >= 0)
		return exec_fd(spawn->exec_fd, argv);
	execvp(spawn->file, argv);
	return -errno;
}

static void child_main(const struct spawn *spawn, pid_t parent, int report)
{
	int err;
	ssize_t n;

	/* Not where a standard descriptor is about to be put. */
	report = fcntl(report, F_DUPFD_CLOEXEC, FIRST_FREE);
	err = become(spawn, parent);
	n = write(report, &err, sizeof(err));
	(void)n;
	_exit(EXIT_NO_EXEC);
}

/* 0 once the other program runs, or what the child said instead. */
static int read_report(int fd)
{
	ssize_t n;
	int err;

	do
		n = read(fd, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(err) ? err : 0;
}

/* The child must not meet a signal with the handlers of its parent. */
static pid_t fork_quietly(const struct spawn *spawn, int report)
{
	pid_t parent = getpid(), pid;
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (!pid)
		child_main(spawn, parent, report);
	if (pid < 0)
		pid = -errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid;
}

static int reap(pid_t pid, int *status)
{
	pid_t ret;

	do
		ret = waitpid(pid, status, 0);
	while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

pid_t spawn_start(const struct spawn *spawn)
{
	int report[2], err;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC))
		return -errno;
	pid = fork_quietly(spawn, report[1]);
	close(report[1]);
	err = pid < 0 ? (int)pid : read_report(report[0]);
	close(report[0]);
	if (err && pid > 0)
		reap(pid, NULL);
	return err ? err : pid;
}

void spawn_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	reap(pid, NULL);
}

int spawn_wait(struct load_ctx *ctx, pid_t pid, int *status)
{
	/* The signal of a stop comes again if it comes before waitpid(). */
	while (!load_stopped(ctx)) {
		if (waitpid(pid, status, 0) == pid)
			return 0;
		if (errno != EINTR)
			return -errno;
	}
	spawn_kill(pid);
	return -EINTR;
}

static void describe(struct strbuf *sb, int status)
{
	if (WIFEXITED(status))
		strbuf_addf(sb, "exited with status %d", WEXITSTATUS(status));
	else
		strbuf_addf(sb, "was killed by signal %d (%s)",
			    WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/* As much of the text as there is room for, no character cut in two. */
static void copy_cut(char *buf, size_t size, const char *text)
{
	size_t len = strlen(text);

	if (len >= size) {
		len = size - 1;
		while (len && (text[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(buf, text, len);
	buf[len] = '\0';
}

int spawn_explain(struct load_ctx *ctx, const char *who, int status,
		  const char *line)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s ", who);
	describe(&sb, status);
	if (*line) {
		strbuf_adds(&sb, ": ");
		strbuf_add_line_escaped(&sb, line);
	}
	copy_cut(ctx->why, sizeof(ctx->why), sb.err ? who : sb.text);
	strbuf_release(&sb);
	return -ECHILD;
}
