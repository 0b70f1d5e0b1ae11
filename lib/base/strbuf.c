/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strbuf: a growing text, and how foreign text is made one safe line. */
#include "base/strbuf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64

void strbuf_release(struct strbuf *sb)
{
	free(sb->text);
	*sb = (struct strbuf)STRBUF_INIT;
}

/* The error stays: the text that was lost is still missing somewhere. */
void strbuf_clear(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->text)
		sb->text[0] = '\0';
}

/* Makes room for extra more bytes and the NUL. */
static bool reserve(struct strbuf *sb, size_t extra)
{
	size_t room = sb->room ? sb->room : FIRST_ROOM;
	char *text;

	if (sb->err)
		return false;
	if (extra < sb->room - sb->len)
		return true;
	/* below half of the address space doubling cannot overflow */
	if (extra >= SIZE_MAX / 2 - sb->len)
		goto no_memory;
	while (room - sb->len <= extra)
		room *= 2;
	text = realloc(sb->text, room);
	if (!text)
		goto no_memory;
	sb->text = text;
	sb->room = room;
	return true;

no_memory:
	sb->err = -ENOMEM;
	return false;
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	if (!reserve(sb, len))
		return;
	if (len)
		memcpy(sb->text + sb->len, data, len);
	sb->len += len;
	sb->text[sb->len] = '\0';
}

void strbuf_adds(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0) {
		/* above INT_MAX bytes: as good as out of memory */
		sb->err = -ENOMEM;
		return;
	}
	if (!reserve(sb, (size_t)len))
		return;
	va_start(ap, fmt);
	vsnprintf(sb->text + sb->len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	sb->len += (size_t)len;
}

/*
 * Bytes of the well-formed sequence at s (Unicode 15, table 3-7), 0 if there
 * is none: no overlong forms, no surrogates, nothing above U+10FFFF. The NUL
 * at the end of s is no continuation byte, so a cut sequence stops there.
 */
static size_t utf8_len(const unsigned char *s)
{
	unsigned char lo = 0x80, hi = 0xbf;
	size_t len, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		lo = 0xa0;
	else if (s[0] == 0xed)
		hi = 0x9f;
	else if (s[0] == 0xf0)
		lo = 0x90;
	else if (s[0] == 0xf4)
		hi = 0x8f;
	if (s[1] < lo || s[1] > hi)
		return 0;
	for (i = 2; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

/* C0, DEL, and C1 (U+0080 to U+009F), which terminals obey too. */
static bool is_control(const unsigned char *s)
{
	return s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0);
}

static const char *short_escape(unsigned char c)
{
	switch (c) {
	case '\\':
		return "\\\\";
	case '\n':
		return "\\n";
	case '\t':
		return "\\t";
	case '\r':
		return "\\r";
	default:
		return NULL;
	}
}

void strbuf_add_line_escaped(struct strbuf *sb, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t len, i;

	/* an empty text is a text too */
	strbuf_add(sb, "", 0);
	for (; *p; p += len) {
		const char *esc = short_escape(*p);

		len = utf8_len(p);
		if (esc) {
			strbuf_adds(sb, esc);
		} else if (len && !is_control(p)) {
			strbuf_add(sb, p, len);
		} else {
			len = len ? len : 1;
			for (i = 0; i < len; i++)
				strbuf_addf(sb, "\\x%02x", p[i]);
		}
	}
}
