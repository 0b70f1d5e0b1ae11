/* SPDX-License-Identifier: GPL-2.0-or-later */
/* units: numbers with units, read strictly and printed for people. */
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clk.h"

#define MINUTE 60
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* Decimal digits at s; *end: behind them. *big: more than 64 bits. */
static uint64_t read_digits(const char *s, const char **end, bool *big)
{
	uint64_t n = 0;

	*big = false;
	for (; *s >= '0' && *s <= '9'; s++) {
		uint64_t digit = (uint64_t)(*s - '0');

		if (__builtin_mul_overflow(n, UINT64_C(10), &n) ||
		    __builtin_add_overflow(n, digit, &n))
			*big = true;
	}
	*end = s;
	return n;
}

int units_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	const char *end;
	bool big;
	uint64_t n = read_digits(s, &end, &big);

	if (end == s || *end)
		return -EINVAL;
	if (big || n < min || n > max)
		return -ERANGE;
	*out = n;
	return 0;
}

int units_parse_i64(const char *s, int64_t min, int64_t max, int64_t *out)
{
	bool minus = *s == '-';
	/* -INT64_MIN is no int64_t, hence the unsigned detour */
	uint64_t limit = (uint64_t)INT64_MAX + minus, n;
	int64_t value;
	int err;

	if (*s == '-' || *s == '+')
		s++;
	err = units_parse_u64(s, 0, limit, &n);
	if (err)
		return err;
	value = minus ? (int64_t)(0 - n) : (int64_t)n;
	if (value < min || value > max)
		return -ERANGE;
	*out = value;
	return 0;
}

/* Seconds that a suffix stands for; 0: none such. */
static int64_t suffix_seconds(const char *suffix)
{
	if (!*suffix)
		return 1;
	if (suffix[1])
		return 0;
	switch (*suffix) {
	case 's':
		return 1;
	case 'm':
		return MINUTE;
	case 'h':
		return HOUR;
	case 'd':
		return DAY;
	}
	return 0;
}

int units_parse_duration(const char *s, int64_t min_ns, int64_t max_ns,
			 int64_t *out_ns)
{
	const char *end;
	bool big;
	uint64_t n = read_digits(s, &end, &big);
	int64_t seconds = suffix_seconds(end), ns;

	if (end == s || !seconds)
		return -EINVAL;
	if (big || __builtin_mul_overflow(n, seconds * NSEC_PER_SEC, &ns))
		return -ERANGE;
	if (ns < min_ns || ns > max_ns)
		return -ERANGE;
	*out_ns = ns;
	return 0;
}

/* 0: no such suffix. */
static uint64_t suffix_bytes(const char *s)
{
	static const char letters[] = "KMGT";
	const char *at = *s ? strchr(letters, *s) : NULL;
	uint64_t base = 1024, n = 1;

	if (!*s)
		return 1;
	if (!at || (s[1] && strcmp(s + 1, "B") && strcmp(s + 1, "iB")))
		return 0;
	if (!strcmp(s + 1, "B"))
		base = 1000;
	for (const char *letter = letters; letter <= at; letter++)
		n *= base;
	return n;
}

int units_parse_bytes(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	const char *end;
	bool big;
	uint64_t n = read_digits(s, &end, &big);
	uint64_t unit = suffix_bytes(end), bytes;

	if (end == s || !unit)
		return -EINVAL;
	if (big || __builtin_mul_overflow(n, unit, &bytes))
		return -ERANGE;
	if (bytes < min || bytes > max)
		return -ERANGE;
	*out = bytes;
	return 0;
}

void units_format_duration(char *buf, size_t size, int64_t ns)
{
	int64_t s = ns / NSEC_PER_SEC + (ns % NSEC_PER_SEC > 0);

	if (s < 0)
		s = 0;
	if (s < MINUTE)
		snprintf(buf, size, "%" PRId64 " s", s);
	else if (s < HOUR)
		snprintf(buf, size, "%" PRId64 " min %02" PRId64 " s",
			 s / MINUTE, s % MINUTE);
	else if (s < DAY)
		snprintf(buf, size, "%" PRId64 " h %02" PRId64 " min",
			 s / HOUR, s % HOUR / MINUTE);
	else
		snprintf(buf, size, "%" PRId64 " d %02" PRId64 " h",
			 s / DAY, s % DAY / HOUR);
}

void units_format_bytes(char *buf, size_t size, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	unsigned int u = 0, shift = 10;
	uint64_t tenths;

	if (bytes < 1024) {
		snprintf(buf, size, "%" PRIu64 " B", bytes);
		return;
	}
	while (units[u + 1] && bytes >> shift >= 1024) {
		u++;
		shift += 10;
	}
	/* rounded to the nearest tenth, without a float and its locale */
	tenths = (bytes >> shift) * 10 +
		 (((bytes & ((UINT64_C(1) << shift) - 1)) * 10 +
		   (UINT64_C(1) << (shift - 1))) >> shift);
	if (tenths == 10240 && units[u + 1]) {
		u++;
		tenths = 10;
	}
	snprintf(buf, size, "%" PRIu64 ".%" PRIu64 " %ciB", tenths / 10,
		 tenths % 10, units[u]);
}
