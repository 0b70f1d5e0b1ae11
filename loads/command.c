/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command: what the user says, run by the shell as long as it goes well. */
#include "load.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clk.h"
#include "engine/program.h"

#define SHELL "/bin/sh"
/* A command that does nothing is not to become a fork bomb. */
#define LEAST_NS (10 * NSEC_PER_MSEC)

extern const struct load load_command;

static int probe(struct load_ctx *ctx)
{
	if (ctx->command && !access(SHELL, X_OK))
		return 0;
	snprintf(ctx->why, sizeof(ctx->why),
		 ctx->command ? "there is no " SHELL : "no command was given");
	return -ENOENT;
}

static int run(struct load_ctx *ctx)
{
	const char *const argv[] = { "sh", "-c", ctx->command, NULL };
	struct program shell;
	struct clk clk;
	int err = 0;

	clk_real(&clk);
	program_init(&shell, "the command", SHELL, argv);
	while (!err && !load_stopped(ctx)) {
		int64_t next = clk_now(&clk) + LEAST_NS;

		err = program_run(ctx, &shell);
		while (!err && !load_stopped(ctx) && clk_now(&clk) < next)
			clk.sleep_until(&clk, next);
	}
	return err == -EINTR ? 0 : err;
}

const struct load load_command = {
	.name = "command",
	.title = "Command",
	.help = "the command of --load-cmd, again and again",
	.unit = "cpu-ms",
	.flags = LOAD_COMMAND | LOAD_CPU_WORK | LOAD_GUARD,
	.probe = probe,
	.run = run,
};
