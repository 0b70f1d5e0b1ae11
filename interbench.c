/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interbench: does an interactive task stay in time while the machine works? */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/diag.h"
#include "cmd/cmd.h"
#include "engine/compilejob.h"
#include "plan/opts.h"

/* A file of ours must not become descriptor 0, 1 or 2 by chance. */
static void open_std_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static int act(const struct options *o)
{
	switch (o->action) {
	case OPTS_HELP:
		opts_help(stdout);
		return cmd_close_stdout(STATUS_DONE);
	case OPTS_VERSION:
		puts("interbench " IB_VERSION);
		return cmd_close_stdout(STATUS_DONE);
	case OPTS_LIST:
		return cmd_list();
	case OPTS_PLAN:
		return cmd_plan(o);
	case OPTS_RUN:
		break;
	}
	return cmd_run(o);
}

int main(int argc, char **argv)
{
	char why[OPTS_WHY_LEN];
	struct options o;
	int status;

	if (compilejob_is(argc, argv))
		return compilejob_main(argc, argv);
	open_std_fds();
	if (opts_parse(&o, argc, argv, why, sizeof(why))) {
		diag_error("%s", why);
		status = STATUS_USAGE;
	} else {
		status = act(&o);
	}
	opts_release(&o);
	return status;
}
