/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blockdev: st_dev where that is a device; else the mount point's line in
 * /proc/self/mountinfo, described in proc_pid_mountinfo(5).
 */
#include "sys/blockdev.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fileio.h"

#define SECTOR_BYTES 512	/* of the statistics, whatever the disk's */
#define OVERLAYS_MAX 4		/* one upon the other */

/* What one line of mountinfo says. */
struct mount {
	unsigned int id;
	struct blockdev dev;
	char *type;
	char *source;
	char *options;		/* of the file system, not of the mount */
};

/* The word at *rest, which moves behind it; NULL at the end. */
static char *next_word(char **rest)
{
	return strsep(rest, " \n");
}

/* Blanks, commas and backslashes are written as \040 and so on. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' &&
		    from[2] >= '0' && from[2] <= '7' && from[3] >= '0' &&
		    from[3] <= '7') {
			*to = (char)((from[1] - '0') * 64 +
				     (from[2] - '0') * 8 + (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* "36 25 0:31 /subvolume /mnt rw shared:1 - btrfs /dev/sda1 rw,ssd" */
static bool parse_mount(char *line, struct mount *m)
{
	char *tail = strstr(line, " - ");

	if (!tail || sscanf(line, "%u %*u %u:%u", &m->id, &m->dev.major,
			    &m->dev.minor) != 3)
		return false;
	tail += strlen(" - ");
	m->type = next_word(&tail);
	m->source = next_word(&tail);
	m->options = next_word(&tail);
	if (!m->options)
		return false;
	unescape(m->source);
	return true;
}

/* "M:m" of a file such as /sys/class/block/sda1/dev. */
static int read_numbers(const char *file, struct blockdev *dev)
{
	char text[64];

	if (file_read(file, text, sizeof(text)) < 0 ||
	    sscanf(text, "%u:%u", &dev->major, &dev->minor) != 2)
		return -ENOENT;
	return 0;
}

/* The device of that name if there is no node, as in many containers. */
static int by_class(const char *root, const char *path, struct blockdev *dev)
{
	char file[3 * PATH_MAX], real[PATH_MAX];
	const char *name;

	snprintf(file, sizeof(file), "%s%s", root, path);
	/* /dev/mapper/home is a symbolic link to ../dm-3 */
	name = strrchr(realpath(file, real) ? real : path, '/');
	snprintf(file, sizeof(file), "%s/sys/class/block%s/dev", root,
		 name ? name : "/");
	return read_numbers(file, dev);
}

/* Whether the source of a mount, "/dev/sda1", is a device; which one. */
static int by_source(const char *root, char *source, struct blockdev *dev)
{
	char path[2 * PATH_MAX];
	struct stat st;

	if (source[0] != '/')
		return -ENOENT;
	/* "/dev/sda:/dev/sdb" is how bcachefs puts it */
	source[strcspn(source, ":")] = '\0';
	snprintf(path, sizeof(path), "%s%s", root, source);
	if (stat(path, &st) || !S_ISBLK(st.st_mode))
		return by_class(root, source, dev);
	dev->major = major(st.st_rdev);
	dev->minor = minor(st.st_rdev);
	return 0;
}

/* The number behind "mnt_id:" of an open file; st_dev is not enough: btrfs
 * gives each subvolume one of its own, that no mount has. */
static bool mount_id(const char *root, int fd, unsigned int *id)
{
	char path[PATH_MAX], text[1024];
	const char *at;

	snprintf(path, sizeof(path), "%s/proc/self/fdinfo/%d", root, fd);
	if (file_read(path, text, sizeof(text)) < 0)
		return false;
	at = strstr(text, "mnt_id:");
	return at && sscanf(at, "mnt_id: %u", id) == 1;
}

static bool is_of(const struct mount *m, const unsigned int *id,
		  const struct blockdev *dev)
{
	if (id)
		return m->id == *id;
	return m->dev.major == dev->major && m->dev.minor == dev->minor;
}

/*
 * The line of the mount that has this id, or if that is NULL this st_dev; *m
 * points into it. To be freed, NULL if there is none.
 */
static char *find_mount(const char *root, const unsigned int *id,
			const struct blockdev *dev, struct mount *m)
{
	char path[PATH_MAX], *line = NULL;
	size_t size = 0;
	bool found = false;
	FILE *in;

	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	in = fopen(path, "re");
	if (!in)
		return NULL;
	while (!found && getline(&line, &size, in) > 0)
		found = parse_mount(line, m) && is_of(m, id, dev);
	fclose(in);
	if (found)
		return line;
	free(line);
	return NULL;
}

/* "a\\,b" is what overlay made of, or was given for, "a,b". */
static void drop_backslashes(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (from[0] == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	*to = '\0';
}

static int open_below(const char *root, const char *path)
{
	char file[2 * PATH_MAX];
	int fd;

	snprintf(file, sizeof(file), "%s%s", root, path);
	fd = open(file, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -ENOENT : fd;
}

/*
 * The directory of "upperdir=" among the options, opened, or -ENOENT: a
 * container does not see what it is made of.
 */
static int open_upper(const char *root, char *options)
{
	static const char key[] = "upperdir=";
	char *word;
	int fd;

	while ((word = strsep(&options, ",")))
		if (!strncmp(word, key, strlen(key)))
			break;
	/* One that is relative was so to whoever mounted it. */
	if (!word || word[strlen(key)] != '/')
		return -ENOENT;
	word += strlen(key);
	unescape(word);
	fd = open_below(root, word);
	if (fd >= 0)
		return fd;
	drop_backslashes(word);
	return open_below(root, word);
}

static bool has_stat(const char *root, const struct blockdev *dev)
{
	uint64_t in, out;

	return !blockdev_bytes(root, dev, &in, &out);
}

/*
 * One step: 0 if *dev is the device; 1 if *upper is an open directory of an
 * overlay to go on with; or -errno.
 */
static int step(const char *root, int fd, struct blockdev *dev, int *upper)
{
	unsigned int id;
	bool has_id = mount_id(root, fd, &id);
	struct mount m;
	struct stat st;
	char *line;
	int err;

	if (fstat(fd, &st))
		return -errno;
	dev->major = major(st.st_dev);
	dev->minor = minor(st.st_dev);
	/* 0 is for what has no device, network block devices included. */
	if (dev->major)
		return has_stat(root, dev) ? 0 : -ENOENT;
	line = find_mount(root, has_id ? &id : NULL, dev, &m);
	if (!line)
		return -ENOENT;
	if (!strcmp(m.type, "overlay")) {
		*upper = open_upper(root, m.options);
		err = *upper < 0 ? *upper : 1;
	} else if (m.dev.major) {
		*dev = m.dev;
		err = 0;
	} else {
		err = by_source(root, m.source, dev);
	}
	free(line);
	return err;
}

int blockdev_of(const char *root, int fd, struct blockdev *dev)
{
	int at = fd, err = 1;

	for (int i = 0; err == 1 && i < OVERLAYS_MAX; i++) {
		int upper = -1;

		err = step(root, at, dev, &upper);
		if (at != fd)
			close(at);
		at = upper;
	}
	if (err != 1)
		return err;
	close(at);
	return -ENOENT;
}

/* "reads merged SECTORS ms writes merged SECTORS ..." */
static int parse_stat(const char *text, uint64_t *nr_read, uint64_t *nr_written)
{
	unsigned long long in, out;

	if (sscanf(text, "%*u %*u %llu %*u %*u %*u %llu", &in, &out) != 2)
		return -ENOENT;
	*nr_read = in * SECTOR_BYTES;
	*nr_written = out * SECTOR_BYTES;
	return 0;
}

/* The same behind "8 1 sda1": for where /sys is not mounted. */
static int from_diskstats(const char *root, const struct blockdev *dev,
			  uint64_t *nr_read, uint64_t *nr_written)
{
	char line[512];
	int err = -ENOENT;
	FILE *in;

	snprintf(line, sizeof(line), "%s/proc/diskstats", root);
	in = fopen(line, "re");
	if (!in)
		return -ENOENT;
	while (err && fgets(line, sizeof(line), in)) {
		unsigned int nr_major, nr_minor;
		int len = 0;

		if (sscanf(line, "%u %u %*s%n", &nr_major, &nr_minor, &len) ==
			    2 && len && nr_major == dev->major &&
		    nr_minor == dev->minor)
			err = parse_stat(line + len, nr_read, nr_written);
	}
	fclose(in);
	return err;
}

int blockdev_bytes(const char *root, const struct blockdev *dev,
		   uint64_t *nr_read, uint64_t *nr_written)
{
	char path[PATH_MAX], text[512];

	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u/stat", root,
		 dev->major, dev->minor);
	if (file_read(path, text, sizeof(text)) > 0)
		return parse_stat(text, nr_read, nr_written);
	return from_diskstats(root, dev, nr_read, nr_written);
}
