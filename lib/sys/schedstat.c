/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schedstat: first number of /proc/thread-self/schedstat, kept open. */
#include "sys/schedstat.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int schedstat_open(void)
{
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

uint64_t schedstat_run_ns(int fd)
{
	char text[64];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	uint64_t ns = 0;

	for (ssize_t i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		ns = ns * 10 + (uint64_t)(text[i] - '0');
	return ns;
}
