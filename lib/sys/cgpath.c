/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgpath: from /proc/self/cgroup and mountinfo to a directory. */
#include "sys/cgpath.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/units.h"

/* Whether the comma-separated list has the word. */
static bool list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += len)
		if ((at == list || at[-1] == ',') &&
		    (!at[len] || at[len] == ','))
			return true;
	return false;
}

/* Where word i of words apart by blanks begins, or NULL. */
static const char *word_at(const char *line, int i)
{
	while (line && i--) {
		line = strchr(line, ' ');
		line = line ? line + 1 : NULL;
	}
	return line;
}

static bool copy_word(char *to, size_t size, const char *from)
{
	size_t len = from ? strcspn(from, " ") : 0;

	if (!len || len >= size)
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

/* "4:cpu,cpuacct:/a/b" or "0::/a/b" */
static bool use_path(char *line, struct cgpath *at)
{
	char *list = strchr(line, ':');
	char *path = list ? strchr(list + 1, ':') : NULL;

	if (!path)
		return false;
	*path++ = '\0';
	list++;
	if (at->v2 ? *list != '\0' : !list_has(list, at->controller))
		return false;
	snprintf(at->path, sizeof(at->path), "%s",
		 strcmp(path, "/") ? path : "");
	return true;
}

/* A container may see only a part of the tree, mounted as its root. */
static void cut_top(char *path, const char *top)
{
	size_t len = strcmp(top, "/") ? strlen(top) : 0;

	/* "/a/bc" is not below "/a/b" */
	if (!strncmp(path, top, len) && (!path[len] || path[len] == '/'))
		memmove(path, path + len, strlen(path + len) + 1);
}

/* "36 25 0:31 /mnt-root /mount opts - cgroup cgroup rw,cpu" */
static bool use_mount(char *line, struct cgpath *at)
{
	const char *tail = strstr(line, " - ");
	char type[16], top[PATH_MAX], opts[256];

	if (!tail || !copy_word(type, sizeof(type), tail + 3) ||
	    strcmp(type, at->v2 ? "cgroup2" : "cgroup"))
		return false;
	if (!at->v2 &&
	    (!copy_word(opts, sizeof(opts), word_at(tail + 3, 2)) ||
	     !list_has(opts, at->controller)))
		return false;
	if (!copy_word(top, sizeof(top), word_at(line, 3)) ||
	    !copy_word(at->mount, sizeof(at->mount), word_at(line, 4)))
		return false;
	cut_top(at->path, top);
	return true;
}

/* Offers each line of the file until one is used: 0, or -ENOENT. */
static int find_line(const char *name, struct cgpath *at,
		     bool (*use)(char *line, struct cgpath *at))
{
	char file[PATH_MAX], *line = NULL;
	size_t size = 0;
	bool used = false;
	FILE *in;

	snprintf(file, sizeof(file), "%s%s", at->root, name);
	in = fopen(file, "re");
	if (!in)
		return -errno;
	while (!used && getline(&line, &size, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		used = use(line, at);
	}
	free(line);
	fclose(in);
	return used ? 0 : -ENOENT;
}

int cgpath_find(struct cgpath *at, const char *root, const char *controller,
		bool v2)
{
	int err;

	memset(at, 0, sizeof(*at));
	at->root = root;
	at->controller = controller;
	at->v2 = v2;
	err = find_line("/proc/self/cgroup", at, use_path);
	if (err)
		return err;
	return find_line("/proc/self/mountinfo", at, use_mount);
}

bool cgpath_up(struct cgpath *at)
{
	char *slash = strrchr(at->path, '/');

	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

int cgpath_file(const struct cgpath *at, const char *knob, char *path,
		size_t size)
{
	int len = snprintf(path, size, "%s%s%s%s%s", at->root, at->mount,
			   at->path, *knob ? "/" : "", knob);

	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

ssize_t cgpath_read(const struct cgpath *at, const char *knob, char *text,
		    size_t size)
{
	char file[PATH_MAX];
	int err = cgpath_file(at, knob, file, sizeof(file));

	return err ? err : file_read(file, text, size);
}

int cgpath_read_u64(const struct cgpath *at, const char *knob, uint64_t *out)
{
	char text[64];
	ssize_t len = cgpath_read(at, knob, text, sizeof(text));

	if (len < 0)
		return (int)len;
	text[strcspn(text, "\n")] = '\0';
	if (strcmp(text, "max"))
		return units_parse_u64(text, 0, UINT64_MAX, out);
	*out = UINT64_MAX;
	return 0;
}
