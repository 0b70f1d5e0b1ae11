/* SPDX-License-Identifier: GPL-2.0-or-later */
/* units: numbers with units, read strictly and printed for people. Pure. */
#ifndef IB_BASE_UNITS_H
#define IB_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decimal integers: the whole string, no blanks, an optional sign where the
 * type has one. 0; -EINVAL not a number; -ERANGE outside [min, max]. *out is
 * written on success only. Independent of the locale.
 */
int units_parse_i64(const char *s, int64_t min, int64_t max, int64_t *out);
int units_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out);

/*
 * A duration: seconds, or with one of the suffixes s m h d ("30", "30s", "2m",
 * "1h", "3d"), whole numbers only. Result in ns. Errors as above.
 */
int units_parse_duration(const char *s, int64_t min_ns, int64_t max_ns,
			 int64_t *out_ns);

/*
 * A size: bytes, or with a suffix K M G T (powers of 1024; KiB is the same) or
 * KB MB GB TB (powers of 1000), whole numbers only. Errors as above.
 */
int units_parse_bytes(const char *s, uint64_t min, uint64_t max,
		      uint64_t *out);

/* "45 s", "2 min 05 s", "3 h 02 min", "4 d 03 h"; rounds up to seconds. */
void units_format_duration(char *buf, size_t size, int64_t ns);

/* "512 B", "9.2 MiB" ... */
void units_format_bytes(char *buf, size_t size, uint64_t bytes);

#endif
