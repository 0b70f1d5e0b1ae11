/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calibfile: the saved calibration, tied to CPU, kernel and build. */
#include "engine/calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/strbuf.h"
#include "base/units.h"

#define FILE_NAME "interbench.loops_per_ms"
#define MAGIC "interbench calibration "
#define FORMAT "1"

#define FILE_MAX 4096
#define VALUE_SIZE 160
/* A thousand loops a ns: nothing that was ever measured */
#define LOOPS_MAX UINT64_C(1000000000)

/* One line each, "name: value", in this order. */
enum field {
	FIELD_LOOPS,
	FIELD_P10,
	FIELD_P90,
	FIELD_STABLE,
	FIELD_CPU,
	FIELD_MICROCODE,
	FIELD_KERNEL,
	FIELD_BUILD,
	NR_FIELDS,
};

/* other: what is said if the value differs from that of this machine. */
static const struct {
	const char *name, *other;
} fields[NR_FIELDS] = {
	[FIELD_LOOPS] = { "loops_per_ms", NULL },
	[FIELD_P10] = { "p10", NULL },
	[FIELD_P90] = { "p90", NULL },
	[FIELD_STABLE] = { "stable", NULL },
	[FIELD_CPU] = { "cpu", "made on another CPU" },
	[FIELD_MICROCODE] = { "microcode", "made with another microcode" },
	[FIELD_KERNEL] = { "kernel", "made on another kernel" },
	[FIELD_BUILD] = { "build", "made by another build" },
};

struct saved {
	char value[NR_FIELDS][VALUE_SIZE];
};

/* Where the caller wants the reason to be. */
struct reason {
	char *text;	/* may be NULL */
	size_t size;
};

__attribute__((format(printf, 3, 4)))
static int refuse(const struct reason *why, int err, const char *fmt, ...)
{
	va_list args;

	if (!why->text)
		return err;
	va_start(args, fmt);
	vsnprintf(why->text, why->size, fmt, args);
	va_end(args);
	return err;
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Copies up to the end of the line, without blanks at both ends. */
static void copy_value(char *to, const char *from)
{
	size_t len;

	from += strspn(from, " \t");
	len = strcspn(from, "\n");
	while (len && (from[len - 1] == ' ' || from[len - 1] == '\t'))
		len--;
	if (len > VALUE_SIZE - 1)
		len = VALUE_SIZE - 1;
	memcpy(to, from, len);
	to[len] = '\0';
	for (; *to; to++)
		if (is_control(*to))
			*to = '?';
}

/* The value of the first line "key  : value" in the style of cpuinfo. */
static bool find_info(const char *text, const char *key, char *value)
{
	size_t len = strlen(key);

	while (*text) {
		const char *colon = text + len;

		if (!strncmp(text, key, len)) {
			colon += strspn(colon, " \t");
			if (*colon == ':') {
				copy_value(value, colon + 1);
				return *value;
			}
		}
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return false;
}

/* x86 and others; mips; powerpc; riscv; arm; and where all are silent */
static void describe_cpu(struct saved *here, const struct utsname *uts)
{
	static const char *const keys[] = {
		"model name", "cpu model", "cpu", "uarch", "CPU part",
	};
	char info[FILE_MAX], *value = here->value[FIELD_CPU];

	/* The block of the first CPU is enough; without /proc it is empty. */
	file_read("/proc/cpuinfo", info, sizeof(info));
	if (!find_info(info, "microcode", here->value[FIELD_MICROCODE]))
		copy_value(here->value[FIELD_MICROCODE], "unknown");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (find_info(info, keys[i], value))
			return;
	copy_value(value, uts->machine);
}

/* Fills in what a saved value must have in common with this machine. */
static int describe_host(struct saved *here)
{
	struct utsname uts;

	if (uname(&uts))
		return -errno;
	describe_cpu(here, &uts);
	copy_value(here->value[FIELD_KERNEL], uts.release);
	copy_value(here->value[FIELD_BUILD], IB_VERSION " " IB_BUILD);
	return 0;
}

/* Opens without following, waiting or touching a device more than needed. */
static int open_saved(const char *dir)
{
	int fd, err, dirfd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dirfd < 0)
		return -errno;
	fd = openat(dirfd, FILE_NAME,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	err = -errno;
	close(dirfd);
	return fd < 0 ? err : fd;
}

/* Reads at most size bytes of a regular file: the length or -errno. */
static ssize_t read_regular(int fd, char *buf, size_t size)
{
	struct stat st;
	size_t len = 0;
	ssize_t n = 1;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	while (len < size && n) {
		n = read(fd, buf + len, size - len);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			len += (size_t)n;
	}
	return (ssize_t)len;
}

/* The text of the file, NUL at its end: 0, or -errno with the reason. */
static int read_saved(const char *dir, char *text, const struct reason *why)
{
	ssize_t len;
	int fd = open_saved(dir);

	if (fd == -ENOENT)
		return refuse(why, fd, "there is none");
	/* A symbolic link; a socket */
	if (fd == -ELOOP || fd == -ENXIO)
		return refuse(why, -EINVAL, "not a regular file");
	if (fd < 0)
		return refuse(why, fd, "not readable: %s", strerror(-fd));
	len = read_regular(fd, text, FILE_MAX);
	close(fd);
	if (len == -EINVAL)
		return refuse(why, -EINVAL, "not a regular file");
	if (len < 0)
		return refuse(why, (int)len, "not readable: %s",
			      strerror((int)-len));
	if (!len)
		return refuse(why, -EINVAL, "empty");
	if (len == FILE_MAX)
		return refuse(why, -EINVAL, "too long for a calibration");
	text[len] = '\0';
	for (ssize_t i = 0; i < len; i++)
		if (is_control(text[i]) && text[i] != '\n')
			return refuse(why, -EINVAL, "binary garbage");
	return 0;
}

/* What 0.31 wrote: digits and nothing else. */
static bool is_bare_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && text[digits + strspn(text + digits, " \n")] == '\0';
}

/* Checks the first line and moves *text behind it. */
static int check_magic(const char **text, const struct reason *why)
{
	const char *s = *text;

	if (is_bare_number(s))
		return refuse(why, -EINVAL,
			      "a bare number, as interbench 0.31 wrote it");
	if (strncmp(s, MAGIC, strlen(MAGIC)))
		return refuse(why, -EINVAL, "not a calibration");
	s += strlen(MAGIC);
	if (strncmp(s, FORMAT "\n", strlen(FORMAT "\n")))
		return refuse(why, -ESTALE, "of another format");
	*text = s + strlen(FORMAT "\n");
	return 0;
}

/* Takes "name: value\n" at *text apart and moves *text behind it. */
static int split_line(char *value, const char *name, const char **text)
{
	const char *s = *text;
	size_t len = strlen(name);

	if (strncmp(s, name, len) || s[len] != ':' || s[len + 1] != ' ')
		return -EINVAL;
	s += len + 2;
	len = strcspn(s, "\n");
	if (!len || len > VALUE_SIZE - 1 || s[len] != '\n')
		return -EINVAL;
	memcpy(value, s, len);
	value[len] = '\0';
	*text = s + len + 1;
	return 0;
}

static int split(struct saved *saved, const char *text,
		 const struct reason *why)
{
	int err = check_magic(&text, why);

	if (err)
		return err;
	for (int i = 0; i < NR_FIELDS; i++) {
		err = split_line(saved->value[i], fields[i].name, &text);
		if (err)
			return refuse(why, err, "damaged: no %s",
				      fields[i].name);
	}
	if (*text)
		return refuse(why, -EINVAL, "damaged: more than expected");
	return 0;
}

static int parse_loops(const char *text, uint64_t *out)
{
	return units_parse_u64(text, 1, LOOPS_MAX, out) ? -EINVAL : 0;
}

static int parse_numbers(struct calibration *cal, const struct saved *saved,
			 const struct reason *why)
{
	const char *stable = saved->value[FIELD_STABLE];

	if (parse_loops(saved->value[FIELD_LOOPS], &cal->loops_per_ms) ||
	    parse_loops(saved->value[FIELD_P10], &cal->p10) ||
	    parse_loops(saved->value[FIELD_P90], &cal->p90))
		return refuse(why, -EINVAL, "damaged: not a number of loops");
	if (cal->p10 > cal->loops_per_ms || cal->loops_per_ms > cal->p90)
		return refuse(why, -EINVAL, "damaged: p10 <= p50 <= p90 fails");
	cal->stable = !strcmp(stable, "yes");
	if (!cal->stable && strcmp(stable, "no"))
		return refuse(why, -EINVAL, "damaged: stable is yes or no");
	return 0;
}

static int compare_host(const struct saved *saved, const struct reason *why)
{
	struct saved here = { 0 };
	int err = describe_host(&here);

	if (err)
		return refuse(why, err, "no uname: %s", strerror(-err));
	for (int i = 0; i < NR_FIELDS; i++)
		if (fields[i].other &&
		    strcmp(saved->value[i], here.value[i]))
			return refuse(why, -ESTALE, "%s: %s, here: %s",
				      fields[i].other, saved->value[i],
				      here.value[i]);
	return 0;
}

int calibrate_load(struct calibration *cal, const char *dir, char *why,
		   size_t why_size)
{
	const struct reason reason = { why, why_size };
	struct calibration found = { 0 };
	struct saved saved = { 0 };
	char text[FILE_MAX + 1];
	int err;

	if (why && why_size)
		why[0] = '\0';
	err = read_saved(dir, text, &reason);
	if (!err)
		err = split(&saved, text, &reason);
	if (!err)
		err = parse_numbers(&found, &saved, &reason);
	if (!err)
		err = compare_host(&saved, &reason);
	if (!err && !found.stable)
		err = refuse(&reason, -ESTALE, "it was not stable");
	if (!err)
		*cal = found;
	return err;
}

int calibrate_save(const struct calibration *cal, const char *dir)
{
	struct strbuf sb = STRBUF_INIT;
	struct saved here = { 0 };
	int err = describe_host(&here);

	if (err)
		return err;
	snprintf(here.value[FIELD_LOOPS], VALUE_SIZE, "%" PRIu64,
		 cal->loops_per_ms);
	snprintf(here.value[FIELD_P10], VALUE_SIZE, "%" PRIu64, cal->p10);
	snprintf(here.value[FIELD_P90], VALUE_SIZE, "%" PRIu64, cal->p90);
	copy_value(here.value[FIELD_STABLE], cal->stable ? "yes" : "no");
	strbuf_adds(&sb, MAGIC FORMAT "\n");
	for (int i = 0; i < NR_FIELDS; i++)
		strbuf_addf(&sb, "%s: %s\n", fields[i].name, here.value[i]);
	err = sb.err;
	if (!err)
		err = file_replace(dir, FILE_NAME, sb.text, sb.len);
	strbuf_release(&sb);
	return err;
}
