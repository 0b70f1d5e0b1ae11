#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# deps.sh: install what is missing to build, or to build and test.
#
# deps.sh build	what `make` needs
# deps.sh check	what `make check`, `make lint` and the sanitizers need as well
# deps.sh need	install nothing; exit 1 and say so if `make check` cannot run
#
# As root the distribution's package manager is run (apt, dnf, pacman, zypper);
# otherwise the command to type is printed. PM=dnf overrides the detection.
set -u

CC=${CC:-cc}
BUILD='make cc libc'
MUST='cmocka prove'
CHECK="$MUST sanitizers binutils ps setpriv shellcheck mandoc
clang-format clang-tidy cppcheck"

has()
{
	command -v "$1" >/dev/null 2>&1
}

# Compiles and links standard input.
links()
{
	# shellcheck disable=SC2086
	$CC -x c - -o /dev/null "$@" >/dev/null 2>&1
}

# Is it here? By command or by header, never by package name.
probe()
{
	case $1 in
	cc)	has "${CC%% *}" ;;
	libc)	printf '#include <pthread.h>\n#include <math.h>\n%s\n' \
			'int main(void) { return 0; }' | links -pthread -lm ;;
	cmocka)	printf '#include <%s>\n' stdarg.h stddef.h setjmp.h stdint.h \
			cmocka.h | sed '$a int main(void) { return 0; }' |
			links -lcmocka ;;
	sanitizers)
		for san in address,undefined thread; do
			echo 'int main(void) { return 0; }' |
				links -fsanitize=$san || return 1
		done ;;
	binutils) has objdump ;;
	*)	has "$1" ;;
	esac
}

is_clang()
{
	$CC --version 2>/dev/null | grep -qi clang
}

# What a thing is called there; nothing if there is no package for it.
package()
{
	case $PM:$1 in
	*:cc)		case $CC in *clang*) echo clang ;; *) echo gcc ;; esac ;;
	apt:libc)	echo libc6-dev ;;
	pacman:libc)	echo glibc ;;
	*:libc)		echo glibc-devel ;;
	apt:cmocka)	echo libcmocka-dev ;;
	pacman:cmocka)	echo cmocka ;;
	*:cmocka)	echo libcmocka-devel ;;
	dnf:prove)	echo perl-Test-Harness ;;
	*:prove)	echo perl ;;
	*:sanitizers)	sanitizer_packages ;;
	apt:ps | zypper:ps)	echo procps ;;
	*:ps)		echo procps-ng ;;
	*:setpriv)	echo util-linux ;;
	dnf:shellcheck | zypper:shellcheck)	echo ShellCheck ;;
	apt:clang-*)	echo "$1" ;;
	dnf:clang-*)	echo clang-tools-extra ;;
	pacman:clang-*)	echo clang ;;
	zypper:clang-*)	echo clang-tools ;;
	*)		echo "$1" ;;
	esac
}

sanitizer_packages()
{
	case $PM in
	apt)	if is_clang; then echo libclang-rt-dev; fi ;;
	dnf)	if is_clang; then echo compiler-rt
		else echo 'libasan libubsan libtsan'; fi ;;
	pacman)	if is_clang; then echo compiler-rt; fi ;;
	esac
}

detect()
{
	for pm in apt:apt-get dnf:dnf pacman:pacman zypper:zypper; do
		if has "${pm#*:}"; then
			echo "${pm%%:*}"
			return
		fi
	done
}

# The command, with $1 (sudo or nothing) before each part.
install_command()
{
	sudo=$1
	shift
	case $PM in
	apt)	printf '%sapt-get update && %s' "$sudo" "$sudo"
		printf 'apt-get install -y --no-install-recommends %s\n' "$*" ;;
	dnf)	printf '%sdnf install -y %s\n' "$sudo" "$*" ;;
	pacman)	printf '%spacman -Sy --needed --noconfirm %s\n' "$sudo" "$*" ;;
	zypper)	printf '%szypper --non-interactive install %s\n' "$sudo" "$*" ;;
	esac
}

# One command for all of them; if one name is unknown here, one by one.
install()
{
	export DEBIAN_FRONTEND=noninteractive
	echo "+ $(install_command '' "$@")"
	sh -c "$(install_command '' "$@")" && return
	for one; do
		sh -c "$(install_command '' "$one")" || echo "no $one here" >&2
	done
}

missing()
{
	list=
	for thing; do
		probe "$thing" || list="$list $thing"
	done
	echo "${list# }"
}

need()
{
	# shellcheck disable=SC2086
	gone=$(missing $MUST)
	[ -z "$gone" ] && exit 0
	echo "missing: $gone; run \`make check-deps\`" >&2
	exit 1
}

case ${1-} in
build)	wanted=$BUILD essential=$BUILD ;;
check)	wanted="$BUILD $CHECK" essential="$BUILD $MUST" ;;
need)	need ;;
*)	echo 'usage: contrib/deps.sh build|check|need' >&2
	exit 1 ;;
esac

# shellcheck disable=SC2086
gone=$(missing $wanted)
if [ -z "$gone" ]; then
	echo 'nothing to install: all that is needed is here'
	exit 0
fi
PM=${PM:-$(detect)}
packages=$(for thing in $gone; do package "$thing"; done | tr ' ' '\n' |
	sort -u | tr '\n' ' ')
packages=${packages% }
case $PM in
apt | dnf | pacman | zypper) ;;
*)	echo "missing: $gone; no package manager known here, install by hand" >&2
	exit 1 ;;
esac
if [ -z "$packages" ]; then
	echo "missing: $gone; no package is known for that, going on without" >&2
	exit 0
fi
if [ "$(id -u)" != 0 ]; then
	echo "missing: $gone; as root or with sudo, run:" >&2
	install_command 'sudo ' "$packages"
	exit 1
fi
# shellcheck disable=SC2086
install $packages
# shellcheck disable=SC2086
gone=$(missing $essential)
if [ -n "$gone" ]; then
	echo "still missing: $gone" >&2
	exit 1
fi
# shellcheck disable=SC2086
gone=$(missing $wanted)
[ -z "$gone" ] || echo "note: without $gone" >&2
