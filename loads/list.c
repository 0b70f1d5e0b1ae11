/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list: what a long recursive listing of the root file system does. */
#include "load.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/walk.h"

#define ROOT "/"
#define MOST_FDS 64
#define SPARE_FDS 16
/* Entries between two updates of the counter. */
#define BATCH 64
#define BUFFER_LEN (64 * 1024)
#define LINE_LEN (NAME_MAX + PATH_MAX + 128)

extern const struct load load_list;

struct listing {
	struct load_ctx *ctx;
	uint64_t nr;		/* entries of this round */
	size_t len;		/* of what would be printed */
	char text[BUFFER_LEN];
};

static char type_letter(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return 'd';
	case S_IFLNK:
		return 'l';
	case S_IFCHR:
		return 'c';
	case S_IFBLK:
		return 'b';
	case S_IFIFO:
		return 'p';
	case S_IFSOCK:
		return 's';
	}
	return '-';
}

static void format_mode(char *text, mode_t mode)
{
	static const char letters[] = "rwxrwxrwx";

	text[0] = type_letter(mode);
	for (int i = 0; i < 9; i++)
		text[1 + i] = '-';
	for (int i = 0; i < 9; i++)
		if (mode & (mode_t)(0400 >> i))
			text[1 + i] = letters[i];
	text[10] = '\0';
}

static void format_time(char *text, size_t size, time_t t)
{
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(text, size, "%F %H:%M", &tm))
		text[0] = '\0';
}

static void format_target(char *text, size_t size, int dir_fd,
			  const char *name)
{
	ssize_t n = readlinkat(dir_fd, name, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
}

/* A line as ls -l has it; the buffer is as good as a terminal. */
static void format_line(struct listing *l, int dir_fd, const char *name,
			const struct stat *st)
{
	char mode[11], when[32], target[PATH_MAX] = "";
	int n;

	if (BUFFER_LEN - l->len < LINE_LEN)
		l->len = 0;
	format_mode(mode, st->st_mode);
	format_time(when, sizeof(when), st->st_mtime);
	if (S_ISLNK(st->st_mode))
		format_target(target, sizeof(target), dir_fd, name);
	n = snprintf(l->text + l->len, BUFFER_LEN - l->len,
		     "%s %3ju %5ju %5ju %9jd %s %s%s%s\n", mode,
		     (uintmax_t)st->st_nlink, (uintmax_t)st->st_uid,
		     (uintmax_t)st->st_gid, (intmax_t)st->st_size, when, name,
		     target[0] ? " -> " : "", target);
	if (n > 0 && (size_t)n < BUFFER_LEN - l->len)
		l->len += (size_t)n;
}

static int on_entry(void *arg, int dir_fd, const char *name,
		    const struct stat *st)
{
	struct listing *l = arg;

	if (load_stopped(l->ctx))
		return -EINTR;
	format_line(l, dir_fd, name, st);
	if (++l->nr % BATCH == 0)
		load_count(l->ctx, 0, BATCH);
	return 0;
}

static int list_once(struct listing *l, uint32_t max_fds)
{
	int err;

	l->nr = 0;
	err = walk_tree(ROOT, max_fds, on_entry, l);
	load_count(l->ctx, 0, l->nr % BATCH);
	/* Else we would go round and round and do nothing. */
	if (!err && !l->nr)
		err = -ENOENT;
	if (err && err != -EINTR)
		snprintf(l->ctx->why, sizeof(l->ctx->why),
			 "the files in " ROOT " could not be listed: %s",
			 strerror(-err));
	return err;
}

static int setup(struct load_ctx *ctx)
{
	snprintf(ctx->note, sizeof(ctx->note),
		 "the file system of " ROOT ", no other");
	return 0;
}

static int run(struct load_ctx *ctx)
{
	struct listing l = { .ctx = ctx };
	uint32_t max_fds = MOST_FDS;
	int err = 0;

	if (ctx->params->max_files < MOST_FDS + SPARE_FDS)
		max_fds = ctx->params->max_files > SPARE_FDS
				  ? ctx->params->max_files - SPARE_FDS : 0;
	while (!err && !load_stopped(ctx))
		err = list_once(&l, max_fds);
	return err == -EINTR ? 0 : err;
}

const struct load load_list = {
	.name = "list",
	.title = "List",
	.help = "a long recursive listing of the root file system",
	.unit = "files",
	.flags = LOAD_CONTEST,
	.setup = setup,
	.run = run,
};
