/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child: processes of ours that die with their parent and talk to it by
 * messages. A child inherits no descriptor but 0, 1, 2, its two channels and
 * those that it is to have.
 */
#ifndef IB_SYS_CHILD_H
#define IB_SYS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum msg_kind {
	MSG_READY = 1,	/* set up; value: the sender's pid */
	MSG_DONE,	/* finished what it was asked */
	MSG_SKIPPED,	/* cannot run here; text: why */
	MSG_FAILED,	/* gave up; value: -errno, text: why */
	MSG_EXITED,	/* from the keeper: the load ended or was stopped;
			   value: its wait status */
	MSG_GUARD,	/* from the keeper: it ended the load; text: why */
	MSG_GONE,	/* made by the receiver: all senders are dead */
};

#define MSG_TEXT_LEN 192

/* One write below PIPE_BUF: never torn. */
struct msg {
	uint32_t kind;
	int32_t value;
	char text[MSG_TEXT_LEN];
};

/* Descriptors that are passed on have these numbers in the child. */
#define CHILD_FD_FIRST 5
#define CHILD_MAX_FDS 8

struct child_end {
	int up;		/* messages to the parent */
	int down;	/* bytes from the parent; EOF: it is gone */
};

struct child_spec {
	const char *name;	/* at most 15 bytes */
	int death_signal;	/* sent when the parent dies */
	bool own_group;		/* a process group of its own */
	/* Runs in the child; its result is the exit status. */
	int (*main)(void *arg, const struct child_end *end);
	void *arg;
	int up_fd;		/* -1: a new pipe, else one to share */
	int nr_fds;
	int fds[CHILD_MAX_FDS];	/* to become CHILD_FD_FIRST + i; -1: none */
};

struct child {
	pid_t pid;	/* 0: none */
	int up;		/* messages from it, -1 if shared */
	int down;	/* bytes to it; closing it is EOF */
};

#define CHILD_NONE { 0, -1, -1 }

/* Forks it: 0 or -errno. */
int child_start(struct child *child, const struct child_spec *spec);

/*
 * SIGKILL, wait, and close the channels: its wait status (of before, if it was
 * dead already), or -errno. 0 and nothing done for a child of pid 0.
 */
int child_kill(struct child *child);

/*
 * Waits for the end of a process that was killed: 0 or -errno. -ETIMEDOUT if
 * it does not die within 5 s, which only the kernel can be to blame for: the
 * caller goes on without it.
 */
int child_wait(pid_t pid, int *status);

/*
 * Closes the channels, which a child may wait for, and waits for its end as
 * child_wait() does; one that does not come is killed. Nothing for pid 0.
 */
void child_leave(struct child *child);

/* One byte to the child: 0 or -errno; a dead one raises no signal. */
int child_send(struct child *child, char word);

/* The next message, or MSG_GONE; for when the descriptor is readable. */
void child_receive(struct child *child, struct msg *msg);

int msg_send(int fd, enum msg_kind kind, int32_t value, const char *text);

/* "exited with status 3", "was killed by signal 9 (Killed)"; or stopped. */
void child_describe(char *buf, size_t size, int wait_status);

#endif
