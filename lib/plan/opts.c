/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opts: from argv and the table of options to a struct, or to one message. */
#include "plan/opts.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clk.h"
#include "base/nearest.h"
#include "plan/opt_table.h"

#define DEFAULT_NS (30 * NSEC_PER_SEC)
#define QUICK_NS (6 * NSEC_PER_SEC)
#define DEFAULT_SEED 42
#define DEFAULT_IO_RATE UINT64_C(500000000)
#define DEFAULT_IO_BUDGET UINT64_C(100000000000)

/* "--custom-interval" and a value, quoted. */
#define SPELLED_LEN (24 + NEAREST_QUOTE_LEN)
#define ALLOWED_LEN OPT_RANGE_LEN
#define SHORTS_LEN (2 * OPT_TABLE_MAX + 3)

struct given {
	const char *value;	/* the last one */
	bool seen;
	bool by_long;
};

struct parse {
	struct options *o;
	char *why;
	size_t why_size;
	size_t nr_operands;
	struct given given[OPT_TABLE_MAX];	/* as opt_table[] */
};

static __attribute__((format(printf, 2, 3))) int
fail(struct parse *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->why, p->why_size, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int fail_word(struct parse *p, const char *word, const char *text)
{
	char quoted[NEAREST_QUOTE_LEN];

	nearest_quote(quoted, sizeof(quoted), word);
	return fail(p, "%s: %s", quoted, text);
}

static struct given *given_of(struct parse *p, const struct opt *opt)
{
	return &p->given[opt - opt_table];
}

/* "-t abc" or "--time abc": the option as it was typed. */
static const char *spell(char buf[static SPELLED_LEN], const struct opt *opt,
			 const struct given *given)
{
	char quoted[NEAREST_QUOTE_LEN] = "";

	if (given->value)
		nearest_quote(quoted, sizeof(quoted), given->value);
	if (given->by_long || opt->key >= KEY_VERSION)
		snprintf(buf, SPELLED_LEN, "--%s%s%s", opt->name,
			 given->value ? " " : "", quoted);
	else
		snprintf(buf, SPELLED_LEN, "-%c%s%s", opt->key,
			 given->value ? " " : "", quoted);
	return buf;
}

/* The same with brackets and an example, to be put after something. */
static const char *allowed_text(char buf[static ALLOWED_LEN],
				const struct opt *opt)
{
	char range[ALLOWED_LEN];

	buf[0] = '\0';
	if (*opt_range_text(range, opt))
		snprintf(buf, ALLOWED_LEN, " (%.60s%s%s)", range,
			 opt->example ? ", e.g. " : "",
			 opt->example ? opt->example : "");
	return buf;
}

static int bad_value(struct parse *p, const struct opt *opt, int err)
{
	char spelled[SPELLED_LEN], text[ALLOWED_LEN];

	spell(spelled, opt, given_of(p, opt));
	if (err == -ERANGE)
		return fail(p, "%s: out of range %s", spelled,
			    opt_range_text(text, opt));
	if (err == -EINVAL)
		return fail(p, "%s: %s%s", spelled, opt->kind->invalid,
			    allowed_text(text, opt));
	return fail(p, "%s: %s", spelled, strerror(-err));
}

static int take(struct parse *p, const struct opt *opt, bool by_long,
		const char *value)
{
	struct given *given = given_of(p, opt);
	int err;

	if (!value)
		value = opt->bare;
	*given = (struct given){ value, true, by_long };
	err = opt->kind->set(opt, (char *)p->o + opt->field, value);
	if (err)
		return bad_value(p, opt, err);
	if (opt->has)
		*(bool *)((char *)p->o + opt->has) = true;
	return 0;
}

static int take_operand(struct parse *p, const char *word)
{
	if (p->nr_operands++ == 0 && !strcmp(word, "run"))
		return 0;
	return fail_word(p, word, "unexpected operand");
}

/* "--lo: ambiguous (--load, --loops)" */
static int ambiguous(struct parse *p, const char *quoted, const char *start)
{
	char list[128] = "";
	size_t len = 0;

	for (size_t i = 0; i < opt_table_nr && len < sizeof(list); i++)
		if (!strncmp(opt_table[i].name, start, strlen(start)))
			len += (size_t)snprintf(list + len, sizeof(list) - len,
						"%s--%s", len ? ", " : "",
						opt_table[i].name);
	return fail(p, "%s: ambiguous (%s)", quoted, list);
}

/* A long option that getopt_long took for none or for several. */
static int bad_long(struct parse *p, const char *word)
{
	const char *names[OPT_TABLE_MAX], *near;
	char name[48], quoted[NEAREST_QUOTE_LEN];
	bool begins = false;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="),
		 word + 2);
	for (size_t i = 0; i < opt_table_nr; i++) {
		names[i] = opt_table[i].name;
		begins |= !strncmp(names[i], name, strlen(name));
	}
	nearest_quote(quoted, sizeof(quoted), word);
	if (begins)
		return ambiguous(p, quoted, name);
	near = nearest_name(name, names, opt_table_nr);
	if (near)
		return fail(p, "%s: no such option; nearest is --%s", quoted,
			    near);
	return fail(p, "%s: no such option (see --help)", quoted);
}

/* word: the element of argv; key: what getopt found in it, 0 if nothing. */
static int bad_option(struct parse *p, const char *word, int key)
{
	char letter[] = { '-', (char)key, '\0' };

	if (!key)
		return bad_long(p, word);
	if (opt_table_find(key))
		return fail_word(p, word, "takes no value");
	return fail_word(p, letter, "no such option (see --help)");
}

static int missing_value(struct parse *p, const char *word, int key)
{
	const struct opt *opt = opt_table_find(key);
	struct given given = { NULL, true, !strncmp(word, "--", 2) };
	char spelled[SPELLED_LEN], text[ALLOWED_LEN];

	spell(spelled, opt, &given);
	if (*allowed_text(text, opt))
		return fail(p, "%s: value missing%s", spelled, text);
	return fail(p, "%s: %s missing", spelled, opt->arg);
}

/*
 * What getopt_long wants. The leading '-': operands in their place, argv is
 * not reordered; ':': a missing value is told apart.
 */
static void getopt_tables(char shorts[static SHORTS_LEN],
			  struct option longs[static OPT_TABLE_MAX + 1])
{
	*shorts++ = '-';
	*shorts++ = ':';
	for (size_t i = 0; i < opt_table_nr; i++) {
		const struct opt *opt = &opt_table[i];
		int has_arg = opt->bare ? optional_argument :
			      opt->arg ? required_argument : no_argument;

		longs[i] = (struct option){ opt->name, has_arg, NULL,
					    opt->key };
		if (opt->key >= KEY_VERSION)
			continue;
		*shorts++ = (char)opt->key;
		if (opt->arg)
			*shorts++ = ':';
	}
	*shorts = '\0';
	longs[opt_table_nr] = (struct option){ NULL, 0, NULL, 0 };
}

static bool ends_parsing(const struct options *o)
{
	return o->action == OPTS_HELP || o->action == OPTS_VERSION;
}

static int dispatch(struct parse *p, char **argv, int key, bool by_long)
{
	switch (key) {
	case 1:
		return take_operand(p, optarg);
	case '?':
		return bad_option(p, argv[optind - 1], optopt);
	case ':':
		return missing_value(p, argv[optind - 1], optopt);
	}
	return take(p, opt_table_find(key), by_long, optarg);
}

static int read_words(struct parse *p, int argc, char **argv)
{
	char shorts[SHORTS_LEN];
	struct option longs[OPT_TABLE_MAX + 1];
	int err = 0;

	getopt_tables(shorts, longs);
	opterr = 0;
	optind = 0;	/* start afresh, inner state too */
	while (!err && !ends_parsing(p->o)) {
		int index = -1;
		int key = getopt_long(argc, argv, shorts, longs, &index);

		if (key == -1)
			break;
		err = dispatch(p, argv, key, index >= 0);
	}
	if (err || ends_parsing(p->o))
		return err;
	for (int i = optind; i < argc && !err; i++)	/* behind "--" */
		err = take_operand(p, argv[i]);
	return err;
}

static int check_needs(struct parse *p, const struct opt *opt)
{
	const struct opt *other = opt_table_find(opt->needs);
	char spelled[SPELLED_LEN], wanted[SPELLED_LEN];
	struct given given = { NULL, true, given_of(p, opt)->by_long };

	if (given_of(p, other)->seen)
		return 0;
	return fail(p, "%s: needs %s as well",
		    spell(spelled, opt, given_of(p, opt)),
		    spell(wanted, other, &given));
}

static int check_against(struct parse *p, const struct opt *opt)
{
	const struct opt *other = opt_table_find(opt->against);
	const struct given *given = given_of(p, other);
	char spelled[SPELLED_LEN], clash[SPELLED_LEN];

	if (!given->seen)
		return 0;
	if (opt->against_value && strcmp(given->value, opt->against_value))
		return 0;
	return fail(p, "%s: contradicts %s",
		    spell(spelled, opt, given_of(p, opt)),
		    spell(clash, other, given));
}

static int check_together(struct parse *p)
{
	int err = 0;

	for (size_t i = 0; i < opt_table_nr && !err; i++) {
		if (!p->given[i].seen)
			continue;
		if (opt_table[i].needs)
			err = check_needs(p, &opt_table[i]);
		if (!err && opt_table[i].against)
			err = check_against(p, &opt_table[i]);
	}
	return err;
}

static void imply(struct options *o)
{
	if (o->has_loops)
		o->burn = BURN_WORK;
	if (!o->has_time)
		o->time_ns = o->quick ? QUICK_NS : DEFAULT_NS;
}

int opts_parse(struct options *o, int argc, char **argv, char *why,
	       size_t why_size)
{
	struct parse p = { .o = o, .why = why, .why_size = why_size };
	int err;

	*o = (struct options){
		.seed = DEFAULT_SEED, .output_dir = ".",
		.io_rate = DEFAULT_IO_RATE, .io_budget = DEFAULT_IO_BUDGET,
	};
	err = read_words(&p, argc, argv);
	if (!err && !ends_parsing(o))
		err = check_together(&p);
	imply(o);
	return err;
}

void opts_release(struct options *o)
{
	free(o->loads.names);
	free(o->excluded_loads.names);
	free(o->sims.names);
	free(o->excluded_sims.names);
	free(o->commands.names);
	*o = (struct options){ .action = OPTS_RUN };
}

#define HELP_COLUMN 29
#define HELP_WIDTH 79

/* Words from column HELP_COLUMN on; the cursor is in column at. */
static void print_wrapped(FILE *out, int at, const char *text)
{
	while (*text) {
		int len = (int)strcspn(text, " ");

		if (at > HELP_COLUMN && at + 1 + len > HELP_WIDTH) {
			fputc('\n', out);
			at = 0;
		}
		if (at < HELP_COLUMN)
			at += fprintf(out, "%*s", HELP_COLUMN - at, "");
		else
			at += fprintf(out, " ");
		at += fprintf(out, "%.*s", len, text);
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

/* "  -t, --time T" */
static int print_spellings(FILE *out, const struct opt *opt)
{
	const char *arg = opt->arg ? opt->arg : "";
	const char *before = opt->bare ? "[=" : opt->arg ? " " : "";
	const char *after = opt->bare ? "]" : "";

	if (opt->key < KEY_VERSION)
		return fprintf(out, "  -%c, --%s%s%s%s", opt->key, opt->name,
			       before, arg, after);
	return fprintf(out, "      --%s%s%s%s", opt->name, before, arg, after);
}

static void print_opt(FILE *out, const struct opt *opt)
{
	char range[ALLOWED_LEN], text[320];
	bool ranged = *opt_range_text(range, opt) && !opt->choices;
	int at;

	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s", opt->help,
		 ranged || opt->standard ? " (" : "", ranged ? range : "",
		 ranged && opt->standard ? "; " : "",
		 opt->standard ? "default: " : "",
		 opt->standard ? opt->standard : "",
		 ranged || opt->standard ? ")" : "");
	at = print_spellings(out, opt);
	if (at >= HELP_COLUMN) {
		fputc('\n', out);
		at = 0;
	}
	print_wrapped(out, at, text);
}

void opts_help(FILE *out)
{
	fputs("Usage: interbench [run] [option]...\n"
	      "\n"
	      "Measures how late simulated interactive tasks wake, run and "
	      "finish while\n"
	      "background loads use the machine.\n", out);
	for (size_t i = 0; i < opt_table_nr; i++) {
		if (opt_table[i].group)
			fprintf(out, "\n%s:\n", opt_table[i].group);
		print_opt(out, &opt_table[i]);
	}
}

bool opts_nth(size_t i, const char **long_name, int *short_name)
{
	if (i >= opt_table_nr)
		return false;
	*long_name = opt_table[i].name;
	*short_name = opt_table[i].key < KEY_VERSION ? opt_table[i].key : 0;
	return true;
}
