/* SPDX-License-Identifier: GPL-2.0-or-later */
/* janitor: wait for the end of the supervisor, then clean up. */
#include "sys/janitor.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "sys/memcg.h"

/* Loads die within a second; one that the kernel holds up may take longer. */
#define WAIT_MS 10000
#define NR_SCRATCH (CHILD_MAX_FDS / 2)

/* Valid in the child, since it is a fork; descriptors by number there. */
struct duty {
	struct scratch scratch[NR_SCRATCH];
	int nr;
};

static int janitor_main(void *arg, const struct child_end *end)
{
	struct duty *duty = arg;
	char word;

	/* Whoever ends us would leave the mess. */
	signal(SIGTERM, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	msg_send(end->up, MSG_READY, getpid(), NULL);
	while (read(end->down, &word, 1) < 0 && errno == EINTR)
		;
	for (int i = 0; i < duty->nr; i++)
		scratch_clear(&duty->scratch[i], WAIT_MS);
	/* The load that was in it has ended by now, or never will. */
	memcg_remove_stale("");
	return 0;
}

int janitor_start(struct child *janitor, const struct scratch *scratch, int nr)
{
	struct duty duty = { .nr = nr < NR_SCRATCH ? nr : NR_SCRATCH };
	struct child_spec spec = {
		.name = "ib-janitor",
		.own_group = true,
		.main = janitor_main,
		.arg = &duty,
		.up_fd = -1,
		.nr_fds = 2 * duty.nr,
	};
	struct msg msg;
	int err;

	for (int i = 0; i < duty.nr; i++) {
		int fd = CHILD_FD_FIRST + 2 * i;

		spec.fds[2 * i] = scratch[i].parent_fd;
		spec.fds[2 * i + 1] = scratch[i].fd;
		duty.scratch[i] = scratch[i];
		if (scratch[i].parent_fd < 0)
			continue;
		duty.scratch[i].parent_fd = fd;
		duty.scratch[i].fd = fd + 1;
	}
	err = child_start(janitor, &spec);
	if (err)
		return err;
	/* From then on nobody but SIGKILL keeps it from its work. */
	child_receive(janitor, &msg);
	return msg.kind == MSG_READY ? 0 : -ECHILD;
}

void janitor_end(struct child *janitor)
{
	child_leave(janitor);
}
