/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opt_table: the one table of options. What getopt_long accepts, --help, the
 * ranges and the exclusions are all made from it. Only opts.c uses it.
 */
#ifndef IB_PLAN_OPT_TABLE_H
#define IB_PLAN_OPT_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Options without a letter; above every char. */
enum opt_key {
	KEY_VERSION = 256,
	KEY_QUICK,
	KEY_PERCENTILES,
	KEY_SEED,
	KEY_WAKE,
	KEY_BURN,
	KEY_OUTPUT_DIR,
	KEY_LIST,
	KEY_PLAN,
	KEY_PROGRESS,
	KEY_LOAD_CMD,
	KEY_COMPILE,
	KEY_MEMLOAD,
	KEY_MEM_SIZE,
	KEY_SCRATCH,
	KEY_SCRATCH_OTHER,
	KEY_IO_SIZE,
	KEY_IO_RATE,
	KEY_IO_BUDGET,
};

struct opt;

/* How a value is read: set() writes the field; 0 or -errno, then invalid. */
struct opt_kind {
	int (*set)(const struct opt *opt, void *field, const char *value);
	const char *invalid;
};

struct opt {
	int key;		/* letter, or enum opt_key */
	const char *name;	/* long */
	const char *arg;	/* its value in --help; NULL: takes none */
	const char *bare;	/* the value may be left out and is then this */
	const struct opt_kind *kind;
	size_t field;		/* offset in struct options */
	size_t has;		/* of the bool that says it was given, or 0 */
	int64_t min;		/* actions: the action */
	uint64_t max;
	const char *range;	/* min..max in words, if not plain numbers */
	const char *example;
	const char *const *choices;	/* in the order of their enum */
	int needs;		/* key of an option that must be there too */
	int against;		/* key of one that must not be there, ... */
	const char *against_value;	/* ... or not with this value */
	const char *group;	/* heading, on the first of a group */
	const char *help;
	const char *standard;	/* the default in --help */
};

/* Room for the rows, for arrays beside the table. */
#define OPT_TABLE_MAX 64

/* In the order of --help. */
extern const struct opt opt_table[];
extern const size_t opt_table_nr;

/* NULL: no such key. */
const struct opt *opt_table_find(int key);

/* Room for what is allowed, in words. */
#define OPT_RANGE_LEN 96

/*
 * Into buf, of OPT_RANGE_LEN bytes: "1..100000", "known: cpu, work", or ""
 * where anything goes. Returns buf.
 */
const char *opt_range_text(char *buf, const struct opt *opt);

#endif
