/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk: a stack of directories. The deepest are open; the others are opened
 * again as ".." of the one below, if that is still the one we came from.
 */
#include "engine/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_FLAGS \
	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
#define STAT_FLAGS (AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT)
/* Names sorted at once; a larger directory is done in parts. */
#define MOST_NAMES 65536
#define DEEPEST 20000

/* Names behind each other, each with its NUL. */
struct names {
	char *text;
	size_t len, room;
	size_t nr;
};

struct level {
	int fd;			/* -1: closed for now */
	dev_t dev;
	ino_t ino;
	struct names dirs;	/* still to be entered */
	size_t at;		/* the next of them in dirs.text */
};

struct walker {
	walk_entry_fn *entry;
	void *arg;
	dev_t dev;		/* of the file system */
	struct level *levels;
	size_t depth, room;
	size_t max_open;	/* levels with a descriptor */
};

static bool names_add(struct names *names, const char *name)
{
	size_t len = strlen(name) + 1;

	if (names->room - names->len < len) {
		size_t room = 2 * names->room + len + 256;
		char *text = realloc(names->text, room);

		if (!text)
			return false;
		names->text = text;
		names->room = room;
	}
	memcpy(names->text + names->len, name, len);
	names->len += len;
	names->nr++;
	return true;
}

static void names_clear(struct names *names)
{
	names->len = names->nr = 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in order; they point into names->text. NULL: none, or no memory. */
static char **names_sort(struct names *names)
{
	char **list = calloc(names->nr + 1, sizeof(*list)), *at = names->text;

	if (!list)
		return NULL;
	for (size_t i = 0; i < names->nr; i++) {
		list[i] = at;
		at += strlen(at) + 1;
	}
	qsort(list, names->nr, sizeof(*list), compare);
	return list;
}

static int visit(struct walker *w, struct level *level, const char *name)
{
	struct stat st;

	if (fstatat(level->fd, name, &st, STAT_FLAGS))
		return 0;
	/* Without memory for its name it is left out. */
	if (S_ISDIR(st.st_mode) && st.st_dev == w->dev)
		names_add(&level->dirs, name);
	return w->entry(w->arg, level->fd, name, &st);
}

static int visit_names(struct walker *w, struct level *level,
		       struct names *names)
{
	char **list = names_sort(names);
	int err = 0;

	for (size_t i = 0; list && i < names->nr && !err; i++)
		err = visit(w, level, list[i]);
	free(list);
	names_clear(names);
	return err;
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* All entries of a directory that was just opened. */
static int list(struct walker *w, struct level *level)
{
	struct names names = { NULL, 0, 0, 0 };
	int fd = openat(level->fd, ".", OPEN_FLAGS), err = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!err && (entry = readdir(dir))) {
		if (is_dots(entry->d_name) || !names_add(&names, entry->d_name))
			continue;
		if (names.nr == MOST_NAMES)
			err = visit_names(w, level, &names);
	}
	if (!err)
		err = visit_names(w, level, &names);
	closedir(dir);
	free(names.text);
	return err;
}

static struct level *new_level(struct walker *w)
{
	if (w->depth == w->room) {
		size_t room = 2 * w->room + 16;
		struct level *more = realloc(w->levels, room * sizeof(*more));

		if (!more)
			return NULL;
		w->levels = more;
		w->room = room;
	}
	memset(&w->levels[w->depth], 0, sizeof(w->levels[0]));
	return &w->levels[w->depth++];
}

/* Closes the highest that is open once there are too many. */
static void save_fd(struct walker *w)
{
	struct level *level;

	if (w->depth <= w->max_open)
		return;
	level = &w->levels[w->depth - w->max_open - 1];
	if (level->fd >= 0)
		close(level->fd);
	level->fd = -1;
}

/* Enters an open directory of ours to close: 0, or what entry() said. */
static int enter(struct walker *w, int fd)
{
	struct stat st;
	struct level *level;

	if (fstat(fd, &st) || st.st_dev != w->dev || w->depth >= DEEPEST ||
	    !(level = new_level(w))) {
		close(fd);
		return 0;
	}
	level->fd = fd;
	level->dev = st.st_dev;
	level->ino = st.st_ino;
	save_fd(w);
	return list(w, level);
}

/* Opens the level above again. If it is not there any more, all is over. */
static void reopen(struct walker *w, const struct level *below)
{
	struct level *level = &w->levels[w->depth - 2];
	struct stat st;

	level->fd = openat(below->fd, "..", OPEN_FLAGS);
	if (level->fd < 0 || fstat(level->fd, &st) ||
	    st.st_dev != level->dev || st.st_ino != level->ino) {
		for (size_t i = 0; i < w->depth - 1; i++)
			w->levels[i].at = w->levels[i].dirs.len;
	}
}

static void leave(struct walker *w)
{
	struct level *level = &w->levels[w->depth - 1];

	if (w->depth > 1 && level[-1].fd < 0 && level->fd >= 0)
		reopen(w, level);
	if (level->fd >= 0)
		close(level->fd);
	free(level->dirs.text);
	w->depth--;
}

static int step(struct walker *w)
{
	struct level *level = &w->levels[w->depth - 1];
	const char *name = level->dirs.text + level->at;
	int fd;

	if (level->at == level->dirs.len) {
		leave(w);
		return 0;
	}
	level->at += strlen(name) + 1;
	fd = openat(level->fd, name, OPEN_FLAGS);
	return fd < 0 ? 0 : enter(w, fd);
}

int walk_tree(const char *root, uint32_t max_fds, walk_entry_fn *entry,
	      void *arg)
{
	/* One more is open while a directory is listed, one is on its way. */
	struct walker w = { .entry = entry, .arg = arg,
			    .max_open = max_fds > 4 ? max_fds - 2 : 2 };
	int fd = open(root, OPEN_FLAGS), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		err = -errno;
		close(fd);
		return err;
	}
	w.dev = st.st_dev;
	err = enter(&w, fd);
	while (w.depth && !err)
		err = step(&w);
	while (w.depth)
		leave(&w);
	free(w.levels);
	return err;
}
