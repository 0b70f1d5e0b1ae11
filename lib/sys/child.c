/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child: fork, tie to the parent, and clean descriptors and signals. */
#include "sys/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clk.h"
#include "sys/stopsig.h"

#define WAIT_NS (5 * NSEC_PER_SEC)

enum { FD_UP = 3, FD_DOWN = 4 };

int msg_send(int fd, enum msg_kind kind, int32_t value, const char *text)
{
	struct msg msg;
	ssize_t n;

	memset(&msg, 0, sizeof(msg));
	msg.kind = kind;
	msg.value = value;
	snprintf(msg.text, sizeof(msg.text), "%s", text ? text : "");
	do
		n = write(fd, &msg, sizeof(msg));
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

void child_receive(struct child *child, struct msg *msg)
{
	ssize_t n;

	do
		n = read(child->up, msg, sizeof(*msg));
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(*msg)) {
		msg->text[MSG_TEXT_LEN - 1] = '\0';
		return;
	}
	memset(msg, 0, sizeof(*msg));
	msg->kind = MSG_GONE;
}

/* By what /proc lists, since the limit of descriptors can be a billion. */
static bool close_listed(int lowest)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!dir)
		return false;
	while ((entry = readdir(dir))) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fd >= lowest && fd != dirfd(dir))
			close(fd);
	}
	closedir(dir);
	return true;
}

/* Closes everything from lowest up; kernels before 5.9 have no close_range. */
static void close_from(int lowest)
{
	int limit = (int)sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range
	if (!syscall(SYS_close_range, (unsigned int)lowest, ~0U, 0))
		return;
#endif
	if (close_listed(lowest))
		return;
	for (int fd = lowest; fd < limit; fd++)
		close(fd);
}

/* Moves it to its number, or leaves that free. */
static void place_fd(int fd, int number)
{
	close(number);
	if (fd >= 0 && dup3(fd, number, O_CLOEXEC) < 0)
		_exit(1);
}

/*
 * Puts all at their numbers, whatever they have now: first out of the way of
 * each other, then down.
 */
static void place_fds(const struct child_spec *spec, int up, int down)
{
	int first_free = CHILD_FD_FIRST + spec->nr_fds;
	int fds[CHILD_MAX_FDS];

	up = fcntl(up, F_DUPFD, first_free);
	down = fcntl(down, F_DUPFD, first_free);
	for (int i = 0; i < spec->nr_fds; i++)
		fds[i] = fcntl(spec->fds[i], F_DUPFD, first_free);
	place_fd(up, FD_UP);
	place_fd(down, FD_DOWN);
	for (int i = 0; i < spec->nr_fds; i++)
		place_fd(fds[i], CHILD_FD_FIRST + i);
	close_from(first_free);
}

static void child_main(const struct child_spec *spec, pid_t parent, int up,
		       int down)
{
	const struct child_end end = { FD_UP, FD_DOWN };

	prctl(PR_SET_PDEATHSIG, spec->death_signal);
	prctl(PR_SET_NAME, spec->name);
	if (spec->own_group)
		setpgid(0, 0);
	place_fds(spec, up, down);
	stopsig_child();
	/* The parent died before PDEATHSIG was set: nobody will tell us. */
	if (getppid() != parent)
		_exit(1);
	_exit(spec->main(spec->arg, &end));
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int child_start(struct child *child, const struct child_spec *spec)
{
	int up[2] = { -1, spec->up_fd }, down[2];
	pid_t parent = getpid();
	sigset_t all, old;
	int err = 0;

	if (spec->up_fd < 0 && pipe2(up, O_CLOEXEC))
		return -errno;
	/* A socket, so that a word to a dead child raises no SIGPIPE. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, down)) {
		err = -errno;
		goto out;
	}
	/* The child must not meet a signal with the handlers of its parent. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	child->pid = fork();
	if (!child->pid)
		child_main(spec, parent, up[1], down[0]);
	err = child->pid < 0 ? -errno : 0;
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (err) {
		child->pid = 0;
		close_fd(&down[1]);
		close_fd(&up[0]);
	} else if (spec->own_group) {
		setpgid(child->pid, child->pid);
	}
	close_fd(&down[0]);
	child->up = up[0];
	child->down = down[1];
out:
	if (spec->up_fd < 0)
		close_fd(&up[1]);
	if (err && spec->up_fd < 0)
		close_fd(&up[0]);
	return err;
}

int child_send(struct child *child, char word)
{
	if (child->down < 0)
		return -EPIPE;
	return send(child->down, &word, 1, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

int child_wait(pid_t pid, int *status)
{
	struct clk clk;
	int64_t limit;

	clk_real(&clk);
	limit = clk_now(&clk) + WAIT_NS;
	for (;;) {
		pid_t ret = waitpid(pid, status, WNOHANG);
		int64_t now = clk_now(&clk);

		if (ret == pid)
			return 0;
		if (ret < 0 && errno != EINTR)
			return -errno;
		if (now > limit)
			return -ETIMEDOUT;
		clk_sleep_through(&clk, now + NSEC_PER_MSEC / 2);
	}
}

int child_kill(struct child *child)
{
	int status = 0, err;

	if (!child->pid)
		return 0;
	kill(child->pid, SIGKILL);
	err = child_wait(child->pid, &status);
	close_fd(&child->up);
	close_fd(&child->down);
	child->pid = 0;
	return err ? err : status;
}

void child_leave(struct child *child)
{
	if (!child->pid)
		return;
	close_fd(&child->down);
	/* Once waited for, the number may be somebody else's. */
	if (child_wait(child->pid, NULL) == -ETIMEDOUT)
		child_kill(child);
	close_fd(&child->up);
	child->pid = 0;
}

void child_describe(char *buf, size_t size, int wait_status)
{
	int sig;

	if (WIFEXITED(wait_status)) {
		snprintf(buf, size, "exited with status %d",
			 WEXITSTATUS(wait_status));
		return;
	}
	if (WIFSTOPPED(wait_status)) {
		snprintf(buf, size, "was stopped by signal %d",
			 WSTOPSIG(wait_status));
		return;
	}
	sig = WTERMSIG(wait_status);
	snprintf(buf, size, "was killed by signal %d (%s)", sig,
		 strsignal(sig));
}
