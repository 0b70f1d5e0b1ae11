/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper: wait for the load, the supervisor's word or its end. */
#include "sys/keeper.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clk.h"
#include "base/fileio.h"
#include "sys/schedattr.h"

#define STOP_GRACE_NS (500 * NSEC_PER_MSEC)
#define REPEAT_MS 50

struct keeping {
	const struct child_end *end;
	const struct guard *guard;	/* NULL: none */
	struct child load;
	int sigfd;		/* SIGCHLD and SIGTERM */
	bool stopping;
	bool load_ended;
	bool load_stopped;	/* by SIGSTOP: it hears nothing */
	bool abandoned;		/* supervisor gone, or told to die */
	bool guarded;		/* the guard tripped */
	int64_t guard_ns;	/* when it is asked next */
	int64_t kill_ns;	/* when patience ends, once stopping */
	struct clk clk;
};

/* Kills each child that the kernel lists: adopted ones are in other groups. */
static void kill_children(void)
{
	char path[64], text[4096], *at = text, *end;
	long pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	if (file_read(path, text, sizeof(text)) < 0)
		return;
	/* Each has a blank behind it; a number that was cut has not. */
	while ((pid = strtol(at, &end, 10)) > 0 && *end == ' ') {
		kill((pid_t)pid, SIGKILL);
		at = end;
	}
}

/* Until waitpid says that nobody is left; new orphans come while we wait. */
static void end_everything(pid_t group)
{
	do {
		if (group > 0)
			kill(-group, SIGKILL);
		kill_children();
	} while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

static void reap(struct keeping *k)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		if (pid != k->load.pid)
			continue;
		k->load_stopped = WIFSTOPPED(status);
		k->load_ended = !k->load_stopped;
		msg_send(k->end->up, MSG_EXITED, status, NULL);
	}
}

static void on_signal(struct keeping *k)
{
	struct signalfd_siginfo info;

	if (read(k->sigfd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGTERM)
		k->abandoned = true;
	else
		reap(k);
}

static void on_word(struct keeping *k)
{
	char word;

	if (read(k->end->down, &word, 1) != 1) {
		k->abandoned = true;
		return;
	}
	k->stopping = true;
	k->kill_ns = clk_now(&k->clk) + STOP_GRACE_NS;
}

/* Reminds the load, or kills it once its time is over. */
static void press(struct keeping *k)
{
	bool late = clk_now(&k->clk) >= k->kill_ns;

	if (late || k->load_stopped)
		kill(-k->load.pid, SIGKILL);
	else
		kill(k->load.pid, SIGUSR1);
}

/* What may harm the machine ends at once. */
static void ask_guard(struct keeping *k)
{
	char why[MSG_TEXT_LEN];
	int64_t now = clk_now(&k->clk);

	if (!k->guard || k->stopping || now < k->guard_ns)
		return;
	k->guard_ns = now + GUARD_INTERVAL_MS * NSEC_PER_MSEC;
	if (!guard_trips(k->guard, "", why, sizeof(why)))
		return;
	msg_send(k->end->up, MSG_GUARD, 0, why);
	k->guarded = true;
}

static int pause_ms(const struct keeping *k)
{
	if (k->stopping)
		return REPEAT_MS;
	return k->guard ? GUARD_INTERVAL_MS : -1;
}

static void keep(struct keeping *k)
{
	struct pollfd fds[] = {
		{ .fd = k->sigfd, .events = POLLIN },
		{ .fd = k->end->down, .events = POLLIN },
	};

	while (!k->load_ended && !k->abandoned && !k->guarded) {
		if (k->stopping)
			press(k);
		ask_guard(k);
		if (poll(fds, 2, pause_ms(k)) < 0)
			continue;
		if (fds[0].revents)
			on_signal(k);
		if (fds[1].revents)
			on_word(k);
	}
}

static int open_sigfd(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* So that a stop comes through whatever the load does; nothing if refused. */
static void raise_priority(void)
{
	const struct schedattr fifo = {
		.policy = SCHED_FIFO,
		.rt_prio = SCHED_PRIO_SUPERVISOR,
	};

	schedattr_set(&fifo);
}

/* What a keeper is started with: valid in it, since it is a fork. */
struct assignment {
	const struct child_spec *load;
	const struct guard *guard;
};

/* The descriptors for the load have been numbered for the keeper already. */
static void inherited_fds(struct child_spec *spec)
{
	for (int i = 0; i < spec->nr_fds; i++)
		if (spec->fds[i] >= 0)
			spec->fds[i] = CHILD_FD_FIRST + i;
}

static int keeper_main(void *arg, const struct child_end *end)
{
	const struct assignment *a = arg;
	struct child_spec spec = *a->load;
	struct keeping k = {
		.end = end, .load = CHILD_NONE, .guard = a->guard
	};
	int err;

	clk_real(&k.clk);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	k.sigfd = open_sigfd();
	spec.up_fd = end->up;
	spec.death_signal = SIGKILL;
	spec.own_group = true;
	inherited_fds(&spec);
	err = k.sigfd < 0 ? -errno : child_start(&k.load, &spec);
	if (err) {
		msg_send(end->up, MSG_FAILED, err, "load could not be forked");
		return 1;
	}
	raise_priority();
	keep(&k);
	end_everything(k.load.pid);
	return 0;
}

int keeper_start(struct child *keeper, const struct child_spec *load,
		 const struct guard *guard)
{
	const struct assignment a = { .load = load, .guard = guard };
	struct child_spec spec = {
		.name = "ib-keeper",
		.death_signal = SIGTERM,
		.main = keeper_main,
		.arg = (void *)(uintptr_t)&a,
		.up_fd = -1,
		.nr_fds = load->nr_fds,
	};

	memcpy(spec.fds, load->fds, sizeof(spec.fds));
	return child_start(keeper, &spec);
}

int keeper_stop(struct child *keeper)
{
	return child_send(keeper, 'S');
}
