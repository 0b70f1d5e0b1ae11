/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strbuf: a growing text; always NUL-terminated once written to. */
#ifndef IB_BASE_STRBUF_H
#define IB_BASE_STRBUF_H

#include <stddef.h>

struct strbuf {
	char *text;	/* NULL while empty; owned */
	size_t len;
	size_t room;
	int err;	/* -ENOMEM once an append failed; later ones do nothing */
};

#define STRBUF_INIT { NULL, 0, 0, 0 }

void strbuf_release(struct strbuf *sb);
void strbuf_clear(struct strbuf *sb);
void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_adds(struct strbuf *sb, const char *s);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Appends s as one line, reversibly: backslash as \\, newline \n, tab \t,
 * carriage return \r, other control characters and bytes that are not valid
 * UTF-8 as \xNN. Everything else byte for byte.
 */
void strbuf_add_line_escaped(struct strbuf *sb, const char *s);

#endif
