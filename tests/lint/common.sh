# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# common.sh: what the lints share. Each runs in the top directory, prints what
# is wrong as file:line: text, and exits 0 (ok), 77 (skipped) or 1.

CC=${CC:-cc}
O=${O:-build}
INTERBENCH=${INTERBENCH:-./interbench}
FLAGS='-std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64'
FLAGS="$FLAGS -iquote include"
export CC O INTERBENCH FLAGS

skip()
{
	echo "$*"
	exit 77
}

need()
{
	command -v "$1" >/dev/null 2>&1 || skip "$1 is not installed"
}

# Objects that say something: not sanitized, not for the link-time optimizer.
need_objects()
{
	need objdump
	[ -e "$1" ] || { echo "$1: not built"; exit 1; }
	if objdump -h "$1" 2>&1 | grep -Eq 'gnu\.lto|asan_|not recognized'; then
		skip "$1 was built with LTO or a sanitizer"
	fi
}

product_c()
{
	ls interbench.c lib/*/*.c sims/*.c loads/*.c 2>/dev/null
}

headers()
{
	ls include/*.h include/*/*.h
}

test_c()
{
	ls tests/unit/*.[ch] tests/bench/*.[ch] tests/fuzz/*.[ch] \
		tests/t/root/*.c 2>/dev/null
}

scripts()
{
	find .ci contrib tests -type f ! -name '*.md' -exec \
		awk 'FNR == 1 && /^#!.*[\/ ](sh|bash)( |$)/ { print FILENAME }' \
		{} + | sort
}
