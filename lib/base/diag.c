/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diag: one line on stderr a message, in one write. */
#include "base/diag.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TOOL "interbench: "

/*
 * A name in a message may hold anything. Nothing in it shall move the cursor
 * or start a line: C0 and DEL become '?', and so does the UTF-8 form of C1.
 */
static void defuse(char *text)
{
	unsigned char *p = (unsigned char *)text;

	for (; *p; p++) {
		if (*p == '\n' || *p == '\t')
			*p = ' ';
		else if (*p < 0x20 || *p == 0x7f)
			*p = '?';
		else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
			p[0] = p[1] = '?';
	}
}

/* A text too long for one atomic write to a pipe is cut, visibly. */
static void say(const char *kind, const char *fmt, va_list args)
{
	char line[PIPE_BUF];
	const size_t room = sizeof(line) - 1;	/* for the newline */
	size_t head, len;
	int saved = errno;

	head = (size_t)snprintf(line, room, "%s%s", TOOL, kind);
	errno = saved;	/* for %m */
	if (vsnprintf(line + head, room - head, fmt, args) < 0)
		snprintf(line + head, room - head, "%s", fmt);
	len = strlen(line);
	if (len == room - 1)
		memcpy(line + len - 3, "...", 3);
	while (len > head && line[len - 1] == '\n')
		line[--len] = '\0';
	defuse(line + head);
	line[len++] = '\n';
	while (write(STDERR_FILENO, line, len) < 0 && errno == EINTR)
		;
	errno = saved;
}

void diag_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("", fmt, args);
	va_end(args);
}

void diag_note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("note: ", fmt, args);
	va_end(args);
}
