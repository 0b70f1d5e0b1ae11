/* SPDX-License-Identifier: GPL-2.0-or-later */
/* direct: O_DIRECT by fcntl(), which needs no name of the file. */
#include "engine/direct.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int set_direct(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	flags = on ? flags | O_DIRECT : flags & ~O_DIRECT;
	return fcntl(fd, F_SETFL, flags) ? -errno : 0;
}

/* All of len by whatever pread() it is. */
static int read_all(int fd, direct_pread pread_fn, char *buf, size_t len,
		    uint64_t offset)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread_fn(fd, buf + done, len - done,
				     (off_t)(offset + done));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -ENODATA;
		if (n > 0)
			done += (size_t)n;
	}
	return 0;
}

static bool is_refusal(int err)
{
	return err == -EINVAL || err == -EOPNOTSUPP;
}

int direct_begin(struct direct *d, int fd, direct_pread pread_fn, void *buf,
		 size_t len)
{
	int err = set_direct(fd, true);

	d->fd = fd;
	d->on = !err;
	d->refused = err;
	/* Also for O_DIRECT, which some file systems take and then ignore. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (d->on) {
		err = read_all(fd, pread_fn, buf, len, 0);
		if (!is_refusal(err))
			return err;
		set_direct(fd, false);
		d->on = false;
		d->refused = err;
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	return read_all(fd, pread_fn, buf, len, 0);
}

void direct_end(struct direct *d)
{
	if (d->on)
		set_direct(d->fd, false);
	else
		posix_fadvise(d->fd, 0, 0, POSIX_FADV_NORMAL);
	d->on = false;
}

int direct_read(const struct direct *d, void *buf, size_t len, uint64_t offset)
{
	int err = read_all(d->fd, pread, buf, len, offset);

	/* Costs nothing where O_DIRECT left nothing in the cache. */
	posix_fadvise(d->fd, (off_t)offset, (off_t)len, POSIX_FADV_DONTNEED);
	return err;
}

void direct_describe(const struct direct *d, char *text, size_t size)
{
	if (d->on)
		snprintf(text, size, "O_DIRECT");
	else
		snprintf(text, size, "buffered, O_DIRECT refused: %s",
			 strerror(-d->refused));
}
