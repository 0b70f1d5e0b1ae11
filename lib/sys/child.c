/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child: fork, tie to the parent, and clean descriptors and signals. */
#include "sys/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/stopsig.h"

enum { FD_UP = 3, FD_DOWN = 4, FD_FIRST_FREE = 5 };

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

/* Closes everything from lowest up; old kernels have no close_range. */
static void close_from(int lowest)
{
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, (unsigned int)lowest, ~0U, 0))
		return;
#endif
	for (int fd = lowest; fd < sysconf(_SC_OPEN_MAX); fd++)
		close(fd);
}

/* Puts the two channels at their places, whatever numbers they have now. */
static void place_fds(int up, int down)
{
	up = fcntl(up, F_DUPFD, FD_FIRST_FREE);
	down = fcntl(down, F_DUPFD, FD_FIRST_FREE);
	dup3(up, FD_UP, O_CLOEXEC);
	dup3(down, FD_DOWN, O_CLOEXEC);
	close_from(FD_FIRST_FREE);
}

static void child_main(const struct child_spec *spec, pid_t parent, int up,
		       int down)
{
	const struct child_end end = { FD_UP, FD_DOWN };

	prctl(PR_SET_PDEATHSIG, spec->death_signal);
	prctl(PR_SET_NAME, spec->name);
	if (spec->own_group)
		setpgid(0, 0);
	place_fds(up, down);
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

int child_reap(struct child *child)
{
	int status = 0, err = 0;

	if (!child->pid)
		return 0;
	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR) {
			err = -errno;
			break;
		}
	close_fd(&child->up);
	close_fd(&child->down);
	child->pid = 0;
	return err ? err : status;
}

void child_kill(struct child *child)
{
	if (!child->pid)
		return;
	kill(child->pid, SIGKILL);
	child_reap(child);
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
