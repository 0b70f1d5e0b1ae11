#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# clock: with a clock of 4 ms nothing is measured.
# shellcheck source=tests/t/lib.sh
. "${0%/*}/../lib.sh"

have "${CC:-cc}" || skip_all 'no compiler'
[ -z "${INTERBENCH_SAN:-}" ] || skip_all 'a sanitizer wants to be loaded first'
LD_TRACE_LOADED_OBJECTS=1 "$INTERBENCH" --version | grep -q libc ||
	skip_all 'the program is static'

cat >"$WORK/shim.c" <<'END'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *ts)
{
	int ret = (int)syscall(SYS_clock_gettime, id, ts);

	if (!ret && id == CLOCK_MONOTONIC)
		ts->tv_nsec -= ts->tv_nsec % 4000000;
	return ret;
}
END
"${CC:-cc}" -shared -fPIC -o "$WORK/shim.so" "$WORK/shim.c" ||
	skip_all 'the shim does not compile'

under="env LD_PRELOAD=$WORK/shim.so"
start coarse -W Audio -w None -t 1
finish "$id" 30
is "$status" 1 'a clock of 4 ms is refused'
like "$(err coarse)" '^interbench: CLOCK_MONOTONIC .*coarse' '... in words'
is "$(wc -l <"$WORK/coarse.err")" 1 '... of one line'
is "$(out coarse)$(files coarse)" '' '... and nothing is printed or made'
ok '... or left running' await 1 nothing_left coarse

plan
