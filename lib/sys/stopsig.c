/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stopsig: one flag, set by the handlers, seen by every wait. */
#include "sys/stopsig.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clk.h"

/*
 * The first signal in the low byte, when it came in the rest: in ms, modulo
 * TIME_MASK + 1. One variable, so that no handler sees half of it.
 */
static volatile sig_atomic_t stop_signal;

#define SIGNAL_MASK 0xff
#define TIME_SHIFT 8
#define TIME_MASK 0x7fffff
/* Less apart than that, two signals are one wish. */
#define AGAIN_MS 300

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
#define NR_STOP_SIGNALS (sizeof(stop_signals) / sizeof(stop_signals[0]))

static int now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int)((ts.tv_sec * 1000 + ts.tv_nsec / NSEC_PER_MSEC) &
		     TIME_MASK);
}

static void on_stop(int sig)
{
	int err = errno, now = now_ms(), then = stop_signal >> TIME_SHIFT;

	/*
	 * The end of a session, or timeout(1), brings several signals at once.
	 * Only who asks again is in a hurry.
	 */
	if (!stop_signal)
		stop_signal = sig | now << TIME_SHIFT;
	else if (((now - then) & TIME_MASK) >= AGAIN_MS)
		_exit(128 + sig);
	errno = err;
}

static bool is_ignored(int sig)
{
	struct sigaction old;

	return !sigaction(sig, NULL, &old) && old.sa_handler == SIG_IGN;
}

void stopsig_install(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < NR_STOP_SIGNALS; i++) {
		sa.sa_handler = on_stop;
		if (stop_signals[i] == SIGHUP && is_ignored(SIGHUP))
			continue;
		sigaction(stop_signals[i], &sa, NULL);
	}
	signal(SIGTSTP, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	/* A log beyond the limit of file sizes is an error like others. */
	signal(SIGXFSZ, SIG_IGN);
	/* Whatever we were started with, children and timers are heard of. */
	signal(SIGCHLD, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	sigemptyset(&sa.sa_mask);
	sigprocmask(SIG_SETMASK, &sa.sa_mask, NULL);
}

void stopsig_child(void)
{
	sigset_t none;

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int stopsig_pending(void)
{
	return stop_signal & SIGNAL_MASK;
}

const volatile int *stopsig_flag(void)
{
	return &stop_signal;
}

static int poll_once(struct pollfd *fds, nfds_t nr, int64_t deadline_ns,
		     const sigset_t *mask)
{
	struct timespec left, *timeout = NULL;
	struct clk clk;
	int64_t ns;

	clk_real(&clk);
	if (deadline_ns != INT64_MAX) {
		ns = deadline_ns - clk_now(&clk);
		if (ns < 0)
			ns = 0;
		left.tv_sec = (time_t)(ns / NSEC_PER_SEC);
		left.tv_nsec = (long)(ns % NSEC_PER_SEC);
		timeout = &left;
	}
	return ppoll(fds, nr, timeout, mask);
}

int stopsig_poll(struct pollfd *fds, nfds_t nr, int64_t deadline_ns)
{
	sigset_t block, old;
	int ret;

	/* Blocked outside ppoll: no signal slips in between check and sleep. */
	sigemptyset(&block);
	for (size_t i = 0; i < NR_STOP_SIGNALS; i++)
		sigaddset(&block, stop_signals[i]);
	sigprocmask(SIG_BLOCK, &block, &old);
	do {
		ret = stop_signal ? -EINTR
				  : poll_once(fds, nr, deadline_ns, &old);
		if (ret == -1)
			ret = errno == EINTR ? -EAGAIN : -errno;
	} while (ret == -EAGAIN);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}
