/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stdout: what was printed arrived, or the program says that it did not. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"

int cmd_close_stdout(int status)
{
	int failed = ferror(stdout);

	errno = 0;
	if (fflush(stdout))
		failed = 1;
	if (!failed)
		return status;
	diag_error("standard output: %s",
		   errno ? strerror(errno) : "write error");
	return STATUS_USAGE;
}
