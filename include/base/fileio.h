/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fileio: whole small files and whole writes. */
#ifndef IB_BASE_FILEIO_H
#define IB_BASE_FILEIO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Reads at most size - 1 bytes of the file and ends them with NUL. Returns the
 * length, or -errno; a longer file is cut, not an error.
 */
ssize_t file_read(const char *path, char *buf, size_t size);

/* The first number of a file such as /sys/.../cpu_capacity: 0 or -errno. */
int file_read_i64(const char *path, int64_t *out);

/*
 * Writes all of it. 0 or -errno; -EINTR if a signal came and *stop is not 0
 * by then (stop may be NULL: interruptions are then retried for ever).
 */
int fd_write_all(int fd, const void *buf, size_t len,
		 const volatile int *stop);

/*
 * Appends text to the regular file name in dir with one write, creating it
 * (0644) if needed; never follows a symbolic link. 0 or -errno.
 */
int file_append(const char *dir, const char *name, const void *text,
		size_t len);

/* Replaces the file by text at once (temporary name, then rename). */
int file_replace(const char *dir, const char *name, const void *text,
		 size_t len);

/*
 * Under sudo as root: gives a file that we created to the user behind it.
 * Nothing otherwise. 0 or -errno.
 */
int file_give_to_sudo_user(int fd);

#endif
