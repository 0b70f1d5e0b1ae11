/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compilejob: tokens to nodes, symbols to a hash table, passes over both that
 * jump about in memory, until the CPU time of the job is used up.
 */
#include "engine/compilejob.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clk.h"
#include "base/fileio.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "base/units.h"

#define MAGIC UINT64_C(0x6a626f2d6269)	/* "ib-obj" */
#define MOST_BYTES (8 << 20)		/* of a file */
#define MOST_US (60 * 1000 * 1000)
#define NODES_MIB_LEAST 8
#define NODES_MIB_MOST 40
/* CPU time for which a compiler needs the most memory. */
#define LONG_US 200000
#define MIB ((size_t)1 << 20)
#define MOST_USES 16		/* of a symbol that are followed */

struct text {
	char *data;		/* ends with a NUL behind len */
	size_t len;
};

struct symbol {
	uint64_t hash;		/* 0: free place */
	uint32_t first, len;	/* in the source */
	uint32_t last_use;	/* number of a node + 1, 0: none */
	uint32_t nr_uses;
};

struct node {
	uint64_t value;
	uint32_t symbol;
	uint32_t previous;	/* use of the symbol, as in last_use */
	uint32_t kind;
	uint32_t depth;		/* of braces */
	uint64_t facts[8];	/* as much as compilers know of one */
};

struct compiler {
	struct text source;
	struct symbol *symbols;	/* hash table, a power of two of places */
	uint32_t nr_places;
	struct symbol **order;	/* by name, for the symbol table */
	struct node *nodes;	/* a ring */
	uint32_t max_nodes;
	uint32_t nr_nodes;	/* in use: up to max_nodes */
	uint32_t at;		/* where the next one goes */
	uint64_t code;		/* what came of it all so far */
};

struct object {
	uint64_t magic;
	uint64_t nr_words;
	uint64_t sum;		/* of the words behind */
};

bool compilejob_is(int argc, char **argv)
{
	return argc > 0 && (!strcmp(argv[0], COMPILEJOB_CC) ||
			    !strcmp(argv[0], COMPILEJOB_LD));
}

static int complain(const char *who, const char *what, int err)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s: %s: %s\n", who, what, strerror(-err));
	if (!sb.err)
		fd_write_all(STDERR_FILENO, sb.text, sb.len, NULL);
	strbuf_release(&sb);
	return 1;
}

/* A regular file, and no signal: all of it comes at once. */
static int read_all(int fd, struct text *text)
{
	ssize_t n = read(fd, text->data, text->len);

	if (n < 0)
		return -errno;
	return (size_t)n == text->len ? 0 : -EIO;
}

static int load_fd(int fd, struct text *text)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size > MOST_BYTES)
		return -EFBIG;
	text->len = (size_t)st.st_size;
	text->data = calloc(1, text->len + 1);
	return text->data ? read_all(fd, text) : -ENOMEM;
}

/* The whole file, text->data to be freed in any case: 0 or -errno. */
static int load_file(int dir_fd, const char *name, struct text *text)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC), err;

	text->data = NULL;
	text->len = 0;
	if (fd < 0)
		return -errno;
	err = load_fd(fd, text);
	close(fd);
	return err;
}

/*
 * A new file, as compilers make it. To truncate the old one would make some
 * file systems write at once.
 */
static int create(int dir_fd, const char *name)
{
	int fd;

	if (unlinkat(dir_fd, name, 0) && errno != ENOENT)
		return -errno;
	fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0644);
	return fd < 0 ? -errno : fd;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static struct symbol *find_symbol(struct compiler *cc, uint64_t hash,
				  uint32_t first, uint32_t len)
{
	uint32_t mask = cc->nr_places - 1, i = (uint32_t)hash & mask;
	const char *text = cc->source.data;

	/* Never full: a place for each byte, and a word takes two. */
	while (cc->symbols[i].hash) {
		struct symbol *s = &cc->symbols[i];

		if (s->hash == hash && s->len == len &&
		    !memcmp(text + s->first, text + first, len))
			return s;
		i = (i + 1) & mask;
	}
	cc->symbols[i].hash = hash;
	cc->symbols[i].first = first;
	cc->symbols[i].len = len;
	return &cc->symbols[i];
}

static struct node *new_node(struct compiler *cc)
{
	struct node *node = &cc->nodes[cc->at];

	if (cc->nr_nodes < cc->max_nodes)
		cc->nr_nodes++;
	if (++cc->at == cc->max_nodes)
		cc->at = 0;
	for (int i = 0; i < 8; i++)
		node->facts[i] = cc->code + cc->at;
	return node;
}

/* A name or a number, from `first` on: its end. */
static uint32_t take_word(struct compiler *cc, uint32_t first, uint32_t depth)
{
	const char *text = cc->source.data;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	uint32_t end = first;
	struct symbol *s;
	struct node *node;

	while (is_word(text[end]))
		hash = (hash ^ (unsigned char)text[end++]) *
		       UINT64_C(0x100000001b3);
	s = find_symbol(cc, hash | 1, first, end - first);
	node = new_node(cc);
	node->value = hash;
	node->symbol = (uint32_t)(s - cc->symbols);
	node->previous = s->last_use;
	node->kind = isdigit((unsigned char)text[first]) ? 'n' : 'w';
	node->depth = depth;
	s->last_use = (uint32_t)(node - cc->nodes) + 1;
	s->nr_uses++;
	return end;
}

static void take_sign(struct compiler *cc, char sign, uint32_t depth)
{
	struct node *node = new_node(cc);

	node->value = (unsigned char)sign;
	node->symbol = node->previous = 0;
	node->kind = 's';
	node->depth = depth;
}

static void parse(struct compiler *cc)
{
	const char *text = cc->source.data;
	uint32_t at = 0, depth = 0;

	while (at < cc->source.len) {
		char c = text[at];

		if (is_word(c)) {
			at = take_word(cc, at, depth);
			continue;
		}
		depth += c == '{';
		depth -= c == '}' && depth;
		if (!isspace((unsigned char)c))
			take_sign(cc, c, depth);
		at++;
	}
}

/* Along the uses of each symbol: from node to node through all of memory. */
static void follow_uses(struct compiler *cc)
{
	for (uint32_t i = 0; i < cc->nr_places; i++) {
		uint32_t use = cc->symbols[i].last_use;

		for (int n = 0; use && n < MOST_USES; n++) {
			struct node *node = &cc->nodes[use - 1];

			/* An old node may be a new one of another symbol. */
			if (node->symbol != i || node->kind == 's')
				break;
			node->value = hash_u64(node->value, node->facts[n % 8]);
			cc->code ^= node->value;
			use = node->previous;
		}
	}
}

/* Neighbours folded into each other, front to back. */
static void fold(struct compiler *cc)
{
	uint64_t value = cc->code;

	for (uint32_t i = 0; i < cc->nr_nodes; i++) {
		struct node *node = &cc->nodes[i];

		value = (value ^ node->value) * UINT64_C(0x9e3779b97f4a7c15);
		node->value += value >> 32;
	}
	cc->code = value;
}

static int by_uses(const void *a, const void *b)
{
	const struct symbol *x = *(struct symbol *const *)a;
	const struct symbol *y = *(struct symbol *const *)b;

	if (x->nr_uses != y->nr_uses)
		return x->nr_uses < y->nr_uses ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void sort_symbols(struct compiler *cc)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < cc->nr_places; i++)
		if (cc->symbols[i].hash)
			cc->order[nr++] = &cc->symbols[i];
	qsort(cc->order, nr, sizeof(struct symbol *), by_uses);
	for (uint32_t i = 0; i < nr; i++)
		cc->code = hash_u64(cc->code, cc->order[i]->hash);
}

static uint64_t cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000 +
	       (uint64_t)(ts.tv_nsec / NSEC_PER_USEC);
}

/*
 * Half of what seems to be left, by what the last ones took. Later ones are
 * slower, having more in memory: no more than twice as many as before.
 */
static uint64_t rounds_left(uint64_t us, uint64_t now, uint64_t took,
			    uint64_t last)
{
	uint64_t next = now < us ? (us - now) * last / (took + 1) / 2 + 1 : 0;

	return next < 2 * last ? next : 2 * last;
}

/*
 * Rounds until the time is used up. The clock is read a few times only:
 * to read it is a system call that a compiler would not make.
 */
static void work(struct compiler *cc, uint64_t us)
{
	uint64_t then = cpu_us(), now = then, rounds = 0, next = 1;

	while (now < us) {
		for (uint64_t i = 0; i < next; i++) {
			parse(cc);
			follow_uses(cc);
			if (rounds++ % 8 == 0) {
				sort_symbols(cc);
				fold(cc);
			}
		}
		now = cpu_us();
		next = rounds_left(us, now, now - then, next);
		then = now;
	}
}

static int compiler_init(struct compiler *cc, uint64_t us)
{
	uint64_t mib = NODES_MIB_LEAST +
		us * (NODES_MIB_MOST - NODES_MIB_LEAST) / LONG_US;

	if (mib > NODES_MIB_MOST)
		mib = NODES_MIB_MOST;
	cc->nr_places = 1024;
	while (cc->nr_places < cc->source.len)
		cc->nr_places *= 2;
	cc->max_nodes = (uint32_t)(mib * MIB / sizeof(struct node));
	cc->symbols = calloc(cc->nr_places, sizeof(*cc->symbols));
	cc->order = calloc(cc->nr_places, sizeof(struct symbol *));
	cc->nodes = malloc(cc->max_nodes * sizeof(*cc->nodes));
	return cc->symbols && cc->order && cc->nodes ? 0 : -ENOMEM;
}

static void compiler_release(struct compiler *cc)
{
	free(cc->source.data);
	free(cc->symbols);
	free(cc->order);
	free(cc->nodes);
}

static int write_words(int fd, const uint64_t *words, size_t nr)
{
	struct object head = { MAGIC, nr, 0 };
	int err;

	for (size_t i = 0; i < nr; i++)
		head.sum += words[i];
	err = fd_write_all(fd, &head, sizeof(head), NULL);
	if (!err)
		err = fd_write_all(fd, words, nr * sizeof(*words), NULL);
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* An object as large as its source, which nothing can make smaller. */
static int write_object(const struct compiler *cc, int dir_fd,
			const char *name)
{
	size_t nr = cc->source.len / sizeof(uint64_t) + 1;
	uint64_t *words = malloc(nr * sizeof(*words));
	struct rng rng;
	int fd, err;

	if (!words)
		return -ENOMEM;
	rng_init(&rng, cc->code);
	for (size_t i = 0; i < nr; i++)
		words[i] = rng_next(&rng);
	fd = create(dir_fd, name);
	err = fd < 0 ? fd : write_words(fd, words, nr);
	free(words);
	return err;
}

static int compile(int dir_fd, char **argv)
{
	struct compiler cc = { .code = 0 };
	uint64_t us;
	int err = units_parse_u64(argv[4], 0, MOST_US, &us);

	if (err)
		return complain(argv[0], argv[4], err);
	err = load_file(dir_fd, argv[2], &cc.source);
	if (err) {
		complain(argv[0], argv[2], err);
		goto out;
	}
	err = compiler_init(&cc, us);
	if (!err) {
		work(&cc, us);
		err = write_object(&cc, dir_fd, argv[3]);
	}
	if (err)
		complain(argv[0], argv[3], err);
out:
	compiler_release(&cc);
	return err ? 1 : 0;
}

/* NULL: it is none of ours, or not whole. */
static struct object *check_object(const struct text *text)
{
	struct object *head = (struct object *)(void *)text->data;
	const uint64_t *words;
	uint64_t sum = 0;

	if (!head || text->len < sizeof(*head) || head->magic != MAGIC ||
	    head->nr_words != (text->len - sizeof(*head)) / sizeof(uint64_t))
		return NULL;
	words = (const uint64_t *)(const void *)(head + 1);
	for (uint64_t i = 0; i < head->nr_words; i++)
		sum += words[i];
	return sum == head->sum ? head : NULL;
}

/* Appends the words to the output, moved to where they are then. */
static int relocate(struct object *head, int out, uint64_t *address)
{
	uint64_t *words = (uint64_t *)(void *)(head + 1);

	for (uint64_t i = 0; i < head->nr_words; i++)
		words[i] += *address + i;
	*address += head->nr_words;
	return fd_write_all(out, words,
			    (size_t)head->nr_words * sizeof(*words), NULL);
}

static int join(int dir_fd, const char *name, int out, uint64_t *address)
{
	struct text text;
	int err = load_file(dir_fd, name, &text);
	struct object *head = err ? NULL : check_object(&text);

	if (head)
		err = relocate(head, out, address);
	else if (!err)
		err = -EBADMSG;
	free(text.data);
	return err;
}

static int link_objects(int dir_fd, int argc, char **argv)
{
	const char *output = argv[argc - 1];
	uint64_t address = 0;
	int out = create(dir_fd, output), err = 0;

	if (out < 0)
		return complain(argv[0], output, out);
	for (int i = 2; i < argc - 1 && !err; i++) {
		err = join(dir_fd, argv[i], out, &address);
		if (err)
			complain(argv[0], argv[i], err);
	}
	if (close(out) && !err) {
		err = -errno;
		complain(argv[0], output, err);
	}
	return err ? 1 : 0;
}

int compilejob_main(int argc, char **argv)
{
	bool cc = !strcmp(argv[0], COMPILEJOB_CC);
	uint64_t dir_fd;

	/* Executed by a descriptor, it would be called by its number. */
	prctl(PR_SET_NAME, argv[0]);
	if (cc ? argc != 5 : argc < 3)
		return complain(argv[0], "arguments", -EINVAL);
	if (units_parse_u64(argv[1], 0, INT32_MAX, &dir_fd))
		return complain(argv[0], argv[1], -EBADF);
	return cc ? compile((int)dir_fd, argv)
		  : link_objects((int)dir_fd, argc, argv);
}
