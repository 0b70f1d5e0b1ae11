/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fileio: read small files whole; write without surprises. */
#include "base/fileio.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"

/* How long a full pipe is waited for between two looks at *stop. */
#define POLL_MS 50
/* Names tried for a temporary file; stale ones may be in the way. */
#define TEMP_NAMES 100
/* Created, removed and created again by others: give up at some time. */
#define OPEN_TRIES 10

#define WRITE_FLAGS \
	(O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static ssize_t read_up_to(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, buf + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

ssize_t file_read(const char *path, char *buf, size_t size)
{
	ssize_t len;
	int fd;

	if (!size)
		return -EINVAL;
	buf[0] = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	len = read_up_to(fd, buf, size - 1);
	close(fd);
	buf[len > 0 ? len : 0] = '\0';
	return len;
}

int file_read_i64(const char *path, int64_t *out)
{
	static const char blanks[] = " \t\r\n";
	char buf[128];
	char *word;
	ssize_t len = file_read(path, buf, sizeof(buf));

	if (len < 0)
		return (int)len;
	word = buf + strspn(buf, blanks);
	word[strcspn(word, blanks)] = '\0';
	return units_parse_i64(word, INT64_MIN, INT64_MAX, out);
}

static bool stopped(const volatile int *stop)
{
	return stop && *stop;
}

/* After a failed write: 0 to try again, or -errno. */
static int write_again(int fd, const volatile int *stop)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };

	if (errno != EINTR && errno != EAGAIN)
		return -errno;
	if (stopped(stop))
		return -EINTR;
	/* Somebody else made our stdout non-blocking: wait for room. */
	if (errno == EAGAIN)
		poll(&pfd, 1, POLL_MS);
	return 0;
}

int fd_write_all(int fd, const void *buf, size_t len,
		 const volatile int *stop)
{
	const char *p = buf;
	int err = 0;

	while (len && !err) {
		ssize_t n = write(fd, p, len);

		if (n > 0) {
			p += n;
			len -= (size_t)n;
			/* A signal in the middle shows as a short write. */
			if (len && stopped(stop))
				err = -EINTR;
		} else {
			err = n ? write_again(fd, stop) : -EIO;
		}
	}
	return err;
}

/* A strict number from the environment; never under setuid. */
static int getenv_id(const char *name, uint32_t *out)
{
	const char *text = secure_getenv(name);
	uint64_t id;
	int err;

	if (!text)
		return -ENOENT;
	/* The id of all ones means "leave as it is" to fchown. */
	err = units_parse_u64(text, 0, UINT32_MAX - 1, &id);
	if (!err)
		*out = (uint32_t)id;
	return err;
}

int file_give_to_sudo_user(int fd)
{
	uint32_t uid, gid;

	if (geteuid() || getenv_id("SUDO_UID", &uid) ||
	    getenv_id("SUDO_GID", &gid))
		return 0;
	return fchown(fd, uid, gid) ? -errno : 0;
}

static int check_regular(mode_t mode)
{
	if (S_ISREG(mode))
		return 0;
	if (S_ISLNK(mode))
		return -ELOOP;
	return S_ISDIR(mode) ? -EISDIR : -EINVAL;
}

/* Opens the directory in which name, a plain file name, will be used. */
static int open_dir_for(const char *dir, const char *name)
{
	int fd;

	if (!*name || strchr(name, '/') || !strcmp(name, ".") ||
	    !strcmp(name, ".."))
		return -EINVAL;
	fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * O_EXCL says for certain that the file is ours to give away. That it may not
 * work (vfat, a squashing NFS server) does not make the file useless.
 */
static int create_file(int dirfd, const char *name, int flags)
{
	int fd = openat(dirfd, name, WRITE_FLAGS | O_CREAT | O_EXCL | flags,
			0644);

	if (fd < 0)
		return -errno;
	file_give_to_sudo_user(fd);
	return fd;
}

/* Opens what is there, else creates it. */
static int open_append(int dirfd, const char *name)
{
	int fd = -EAGAIN;

	for (int i = 0; i < OPEN_TRIES; i++) {
		fd = openat(dirfd, name, WRITE_FLAGS | O_APPEND);
		if (fd >= 0)
			return fd;
		/* A fifo without a reader, or a socket: not regular */
		if (errno == ENXIO)
			return -EINVAL;
		if (errno != ENOENT)
			return -errno;
		fd = create_file(dirfd, name, O_APPEND);
		if (fd != -EEXIST)
			break;
	}
	return fd;
}

/* Some file systems report a failed write only here. */
static int close_written(int fd, int err)
{
	if (close(fd) && errno != EINTR && !err)
		err = -errno;
	return err;
}

int file_append(const char *dir, const char *name, const void *text,
		size_t len)
{
	struct stat st;
	int fd, err;
	int dirfd = open_dir_for(dir, name);

	if (dirfd < 0)
		return dirfd;
	fd = open_append(dirfd, name);
	close(dirfd);
	if (fd < 0)
		return fd;
	err = fstat(fd, &st) ? -errno : check_regular(st.st_mode);
	if (!err)
		err = fd_write_all(fd, text, len, NULL);
	return close_written(fd, err);
}

/* Creates a file of a new name, which it writes into temp. */
static int create_temp(int dirfd, char *temp, size_t size)
{
	int fd = -EEXIST;

	for (int i = 0; i < TEMP_NAMES && fd == -EEXIST; i++) {
		snprintf(temp, size, ".interbench-%ld-%d.tmp", (long)getpid(),
			 i);
		fd = create_file(dirfd, temp, 0);
	}
	return fd;
}

static int replace_in(int dirfd, const char *name, const void *text,
		      size_t len)
{
	char temp[64];
	int err, fd = create_temp(dirfd, temp, sizeof(temp));

	if (fd < 0)
		return fd;
	err = close_written(fd, fd_write_all(fd, text, len, NULL));
	if (!err && renameat(dirfd, temp, dirfd, name))
		err = -errno;
	if (err)
		unlinkat(dirfd, temp, 0);
	return err;
}

int file_replace(const char *dir, const char *name, const void *text,
		 size_t len)
{
	struct stat st;
	int err = 0, dirfd = open_dir_for(dir, name);

	if (dirfd < 0)
		return dirfd;
	if (!fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		err = check_regular(st.st_mode);
	else if (errno != ENOENT)
		err = -errno;
	if (!err)
		err = replace_in(dirfd, name, text, len);
	close(dirfd);
	return err;
}
