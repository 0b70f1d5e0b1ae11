/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strbuf_test: growth, errors, escaping. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static void an_unused_buffer_owns_nothing(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	assert_null(sb.text);
	strbuf_clear(&sb);
	strbuf_release(&sb);
	assert_null(sb.text);
}

static void adding_nothing_makes_an_empty_text(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_add(&sb, NULL, 0);
	assert_string_equal(sb.text, "");
	strbuf_release(&sb);
	strbuf_add_line_escaped(&sb, "");
	assert_string_equal(sb.text, "");
	strbuf_release(&sb);
}

static void text_of_any_length_is_kept_and_terminated(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		char c = (char)('a' + i % 26);

		strbuf_add(&sb, &c, 1);
		assert_int_equal(sb.len, i + 1);
		assert_true(sb.room > sb.len);
		assert_int_equal(sb.text[sb.len], 0);
	}
	for (i = 0; i < sb.len; i++)
		assert_int_equal(sb.text[i], 'a' + i % 26);
	assert_int_equal(sb.err, 0);
	strbuf_release(&sb);
}

static void formatted_text_fits_at_every_length(void **state)
{
	int width;

	(void)state;
	for (width = 0; width < 300; width++) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_adds(&sb, "<");
		strbuf_addf(&sb, "%*s%d", width, "", 7);
		strbuf_adds(&sb, ">");
		assert_int_equal(sb.len, width + 3);
		assert_string_equal(sb.text + width + 1, "7>");
		strbuf_release(&sb);
	}
}

static void bytes_may_hold_nul(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_add(&sb, "a\0b", 3);
	assert_int_equal(sb.len, 3);
	assert_memory_equal(sb.text, "a\0b\0", 4);
	strbuf_release(&sb);
}

static void clearing_keeps_the_room(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	size_t room;

	(void)state;
	strbuf_adds(&sb, "something");
	room = sb.room;
	strbuf_clear(&sb);
	assert_int_equal(sb.len, 0);
	assert_int_equal(sb.room, room);
	assert_string_equal(sb.text, "");
	strbuf_release(&sb);
}

static void an_error_sticks_and_keeps_the_text_before_it(void **state)
{
	/* volatile: the compiler must not see that the length is absurd */
	volatile size_t absurd = SIZE_MAX;
	struct strbuf sb = STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++, absurd = SIZE_MAX / 2) {
		strbuf_adds(&sb, "kept");
		strbuf_add(&sb, "x", absurd);
		assert_int_equal(sb.err, -ENOMEM);
		strbuf_adds(&sb, "later");
		strbuf_addf(&sb, "%d", 1);
		strbuf_add_line_escaped(&sb, "\n");
		assert_string_equal(sb.text, "kept");
		strbuf_clear(&sb);
		assert_int_equal(sb.err, -ENOMEM);
		strbuf_release(&sb);
		assert_int_equal(sb.err, 0);
	}
}

static const struct {
	const char *name, *in, *out;
} escapes[] = {
	{ "plain", "run #1: 50%% \"x\", ~", "run #1: 50%% \"x\", ~" },
	{ "short ones", "a\\b\nc\td\re", "a\\\\b\\nc\\td\\re" },
	{ "looks escaped", "\\n\\x41", "\\\\n\\\\x41" },
	{ "C0 and DEL", "\001\033[2J\177", "\\x01\\x1b[2J\\x7f" },
	{ "2, 3, 4 bytes", "\u00e4\u20ac\U0001f600", "\u00e4\u20ac\U0001f600" },
	{ "first of each", "\u00a0\u0800\U00010000",
	  "\u00a0\u0800\U00010000" },
	{ "last of each", "\u07ff\uffff\xf4\x8f\xbf\xbf",
	  "\u07ff\uffff\xf4\x8f\xbf\xbf" },
	{ "beside surrogates", "\xed\x9f\xbf\xee\x80\x80",
	  "\xed\x9f\xbf\xee\x80\x80" },
	{ "C1", "\xc2\x80\xc2\x85\xc2\x9b\xc2\x9f\xc2\xa0",
	  "\\xc2\\x80\\xc2\\x85\\xc2\\x9b\\xc2\\x9f\xc2\xa0" },
	{ "stray continuation", "a\x80z\xbf", "a\\x80z\\xbf" },
	{ "overlong 2", "\xc0\xaf\xc1\xbf", "\\xc0\\xaf\\xc1\\xbf" },
	{ "overlong 3", "\xe0\x9f\xbf", "\\xe0\\x9f\\xbf" },
	{ "overlong 4", "\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf" },
	{ "surrogate", "\xed\xa0\x80\xed\xbf\xbf",
	  "\\xed\\xa0\\x80\\xed\\xbf\\xbf" },
	{ "above U+10FFFF", "\xf4\x90\x80\x80\xf5\xff",
	  "\\xf4\\x90\\x80\\x80\\xf5\\xff" },
	{ "cut 2", "a\xc3", "a\\xc3" },
	{ "cut 3", "a\xe2\x82", "a\\xe2\\x82" },
	{ "cut 4", "a\xf0\x9f\x98", "a\\xf0\\x9f\\x98" },
	{ "cut, then text", "\xe2\x82zz", "\\xe2\\x82zz" },
	{ "lead, then lead", "\xc3\xc3\xa4", "\\xc3\xc3\xa4" },
};

static void a_line_is_escaped_as_documented(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(escapes); i++) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_add_line_escaped(&sb, escapes[i].in);
		if (strcmp(sb.text, escapes[i].out))
			fail_msg("%s: got <%s>", escapes[i].name, sb.text);
		strbuf_release(&sb);
	}
}

/* The inverse, written from the documentation. */
static void unescape(char *to, const char *s)
{
	static const char from[] = "\\ntr", into[] = "\\\n\t\r";

	for (; *s; to++) {
		if (*s != '\\') {
			*to = *s++;
		} else if (s[1] == 'x') {
			char hex[3] = { s[2], s[3], 0 };

			*to = (char)strtoul(hex, NULL, 16);
			s += 4;
		} else {
			assert_non_null(strchr(from, s[1]));
			*to = into[strchr(from, s[1]) - from];
			s += 2;
		}
	}
	*to = '\0';
}

static void check_reversible(const char *in)
{
	struct strbuf sb = STRBUF_INIT;
	char back[64];
	const char *p;

	strbuf_add_line_escaped(&sb, in);
	for (p = sb.text; *p; p++)
		assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
	unescape(back, sb.text);
	assert_string_equal(back, in);
	strbuf_release(&sb);
}

static void escaping_any_bytes_can_be_undone(void **state)
{
	char in[16];
	uint32_t rng = 42;
	size_t i, k;

	(void)state;
	for (i = 0; i < 0x10000; i++) {
		snprintf(in, sizeof(in), "%c%c.", (int)(i >> 8), (int)i & 0xff);
		check_reversible(in);
	}
	for (i = 0; i < 20000; i++) {
		for (k = 0; k < sizeof(in) - 1; k++) {
			rng = rng * 1664525 + 1013904223;
			in[k] = (char)(1 + (rng >> 24) % 255);
		}
		in[k] = '\0';
		check_reversible(in);
	}
}

static size_t encode(char *s, unsigned int cp)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t len = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
	size_t i;

	for (i = len - 1; i; i--, cp >>= 6)
		s[i] = (char)(0x80 | (cp & 0x3f));
	s[0] = (char)(lead[len] | cp);
	s[len] = '\0';
	return len;
}

static void every_character_that_is_no_control_stays(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	unsigned int cp;
	char in[8];

	(void)state;
	for (cp = 0x80; cp <= 0x10ffff; cp++) {
		size_t len = encode(in, cp);
		bool kept = cp >= 0xa0 && (cp < 0xd800 || cp > 0xdfff);

		strbuf_clear(&sb);
		strbuf_add_line_escaped(&sb, in);
		if (sb.len != (kept ? len : 4 * len))
			fail_msg("U+%04X: %s", cp, sb.text);
	}
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unused_buffer_owns_nothing),
		cmocka_unit_test(adding_nothing_makes_an_empty_text),
		cmocka_unit_test(text_of_any_length_is_kept_and_terminated),
		cmocka_unit_test(formatted_text_fits_at_every_length),
		cmocka_unit_test(bytes_may_hold_nul),
		cmocka_unit_test(clearing_keeps_the_room),
		cmocka_unit_test(an_error_sticks_and_keeps_the_text_before_it),
		cmocka_unit_test(a_line_is_escaped_as_documented),
		cmocka_unit_test(escaping_any_bytes_can_be_undone),
		cmocka_unit_test(every_character_that_is_no_control_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
