/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nearest: the known name next to a word, and the word fit for a message. */
#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"

#define MAX_LEN 40		/* longer words are near to nothing */
#define MIN_PREFIX 3
#define FAR (2 * MAX_LEN)

/* ASCII only: the same in every locale. */
static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b)
{
	return fold(a) == fold(b);
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Row i of the table of distances, from rows i - 1 (up) and i - 2 (up2). */
static void next_row(unsigned int *row, const unsigned int *up,
		     const unsigned int *up2, const char *a, size_t i,
		     const char *b, size_t len_b)
{
	row[0] = (unsigned int)i;
	for (size_t j = 1; j <= len_b; j++) {
		row[j] = up[j - 1] + !same(a[i - 1], b[j - 1]);
		row[j] = least(row[j], least(up[j], row[j - 1]) + 1);
		if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
		    same(a[i - 2], b[j - 1]))
			row[j] = least(row[j], up2[j - 2] + 1);
	}
}

/*
 * Edits from a to b: letters replaced, added, removed, or neighbours swapped
 * (optimal string alignment: nothing is edited twice).
 */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][MAX_LEN + 1];
	size_t len_a = strlen(a), len_b = strlen(b);

	if (len_a > MAX_LEN || len_b > MAX_LEN)
		return FAR;
	for (size_t j = 0; j <= len_b; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= len_a; i++)
		next_row(rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3], a,
			 i, b, len_b);
	return rows[len_a % 3][len_b];
}

static bool begins(const char *name, const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!same(name[i], word[i]))
			return false;
	return len >= MIN_PREFIX;
}

const char *nearest_name(const char *word, const char *const *names,
			 size_t nr)
{
	size_t len = strlen(word);
	/* the first distance that is too far */
	size_t best = ((len < MAX_LEN ? len : MAX_LEN) + 1) / 3 + 1;
	const char *name = NULL;

	for (size_t i = 0; i < nr; i++) {
		unsigned int d = distance(word, names[i]);

		if (begins(names[i], word, len))
			d = least(d, 1);
		if (d < best) {
			best = d;
			name = names[i];
		}
	}
	return name;
}

/* Where to cut text of at least n bytes so that no character is split. */
static size_t cut_at(const char *text, size_t n)
{
	while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

void nearest_quote(char *buf, size_t size, const char *word)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_add_line_escaped(&sb, word);
	if (sb.err)
		snprintf(buf, size, "?");
	else if (sb.len == 0)
		snprintf(buf, size, "''");
	else if (sb.len < size || size < sizeof("..."))
		snprintf(buf, size, "%s", sb.text);
	else
		snprintf(buf, size, "%.*s...",
			 (int)cut_at(sb.text, size - sizeof("...")), sb.text);
	strbuf_release(&sb);
}
