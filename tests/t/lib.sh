# SPDX-License-Identifier: GPL-2.0-or-later
# lib: TAP, a work directory of its own, runs in the background. To be sourced.
# shellcheck shell=sh disable=SC2034,SC2016

set -u
# What is killed shall leave no core; not every shell can say so.
# shellcheck disable=SC3045
ulimit -c 0 2>/dev/null || :

INTERBENCH=${INTERBENCH:-./interbench}
case $INTERBENCH in
/*) ;;
*) INTERBENCH=$PWD/$INTERBENCH ;;
esac

# As the kernel cuts it.
PROGRAM=$(printf %.15s "${INTERBENCH##*/}")

TAB=$(printf '\t')
LOG=$(uname -r | tr / _).log

# --- TAP ---

nr_tests=0

# tap OK-OR-NOT DESCRIPTION
tap() {
	nr_tests=$((nr_tests + 1))
	printf '%s %d - %s\n' "$1" "$nr_tests" "$2"
}

# Text as comments.
explain() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

# ok DESCRIPTION COMMAND...: the command succeeds.
ok() {
	ok_text=$1
	shift
	if "$@"; then
		tap ok "$ok_text"
	else
		tap 'not ok' "$ok_text"
		explain "failed: $*"
	fi
}

# is GOT WANTED DESCRIPTION
is() {
	if [ "$1" = "$2" ]; then
		tap ok "$3"
	else
		tap 'not ok' "$3"
		explain "got:
$1
wanted:
$2"
	fi
}

# like TEXT ERE DESCRIPTION: a line of the text matches.
like() {
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		tap ok "$3"
	else
		tap 'not ok' "$3"
		explain "no line matches $2:
$1"
	fi
}

# unlike TEXT ERE DESCRIPTION: no line of the text matches.
unlike() {
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		tap 'not ok' "$3"
		explain "a line matches $2:
$1"
	else
		tap ok "$3"
	fi
}

# skip WHY DESCRIPTION
skip() {
	tap ok "$2 # SKIP $1"
}

skip_all() {
	printf '1..0 # SKIP %s\n' "$1"
	exit 0
}

# At the end of a test: as many as there were.
plan() {
	printf '1..%d\n' "$nr_tests"
}

have() {
	command -v "$1" >/dev/null 2>&1
}

# --- work directory and cleaning up ---

WORK=$(mktemp -d "${TMPDIR:-/tmp}/interbench-test.XXXXXX") || exit 1
# Other users have to reach the directory of their run.
chmod 711 "$WORK"
helpers=
at_exit=

# Pids of our runs, by the mark in their environment: runs whose name has this
# prefix. A zombie has no environment any more.
marked() {
	grep -lz "^IB_TEST_RUN=$WORK/$1" /proc/[0-9]*/environ 2>/dev/null |
		sed 's|/proc/\([0-9]*\)/.*|\1|'
}

# Ends what this test started and nothing else.
clean_up() {
	trap - EXIT
	trap '' HUP INT TERM PIPE
	for clean_pid in $helpers; do
		kill "$clean_pid"
	done 2>/dev/null
	for _ in 1 2 3; do
		for clean_pid in $(marked ''); do
			kill -KILL "$clean_pid" 2>/dev/null
		done
	done
	eval "$at_exit"
	rm -rf "$WORK"
}

trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

# --- time ---

# $now in ms, without a fork.
now() {
	read -r now _ </proc/uptime
	now=${now%.*}${now#*.}0
}

# await SECONDS COMMAND...: until it succeeds; fails at the deadline.
await() {
	now
	await_limit=$((now + $1 * 1000))
	shift
	until "$@"; do
		now
		[ "$now" -lt "$await_limit" ] || return 1
		sleep 0.03
	done
}

# sleep_until MS: as told by now.
sleep_until() {
	now
	[ "$now" -ge "$1" ] || sleep "$((($1 - now) / 1000)).$(
		printf %03d "$((($1 - now) % 1000))")"
}

# --- processes ---

# stat_of PID: $state, $parent, $cpu, $rtprio, $policy and $born of it, or of
# a thread given as PID/task/TID.
stat_of() {
	{ read -r stat_line <"/proc/$1/stat"; } 2>/dev/null || return 1
	# shellcheck disable=SC2086
	set -- ${stat_line##*) }
	state=$1 parent=$2 born=${20}
	cpu=${37} rtprio=${38} policy=${39}
}

# id_of PID: PID:BORN, which no other process will ever be.
id_of() {
	stat_of "$1" && echo "$1:$born"
}

# alive ID-or-PID. A zombie has ended, whoever may be slow to fetch it.
alive() {
	stat_of "${1%:*}" || return 1
	case $1 in
	*:*) [ "$born" = "${1#*:}" ] || return 1 ;;
	esac
	[ "$state" != Z ] && [ "$state" != X ]
}

ended() {
	! alive "$1"
}

# comm_is PID NAME
comm_is() {
	{ read -r comm <"/proc/$1/comm"; } 2>/dev/null && [ "$comm" = "$2" ]
}

# $children of a process. The list of the kernel is optional.
children_of() {
	children=
	if [ -e "/proc/$$/task/$$/children" ]; then
		for list in /proc/"$1"/task/*/children; do
			some=
			{ read -r some <"$list"; } 2>/dev/null
			children="$children $some"
		done
		return
	fi
	for list in /proc/[0-9]*; do
		stat_of "${list#/proc/}" || continue
		[ "$parent" != "$1" ] || children="$children ${list#/proc/}"
	done
}

# $kids: all descendants of a process.
descend() {
	kids=
	while [ "$#" -gt 0 ]; do
		children_of "$1"
		shift
		# shellcheck disable=SC2086
		set -- "$@" $children
		kids="$kids $children"
	done
}

# named PID NAME: $found is the descendant of that name.
named() {
	descend "$1"
	for found in $kids; do
		! comm_is "$found" "$2" || ! alive "$found" || return 0
	done
	return 1
}

# threads ID: its threads and those of all descendants, as PID/task/TID.
threads() {
	descend "${1%:*}"
	for process in ${1%:*} $kids; do
		for thread in /proc/"$process"/task/*; do
			! [ -e "$thread" ] || echo "${thread#/proc/}"
		done
	done
}

# --- runs of the program ---

# Signals as a terminal would leave them: a shell makes its background ignore
# some, and who runs the tests may ignore others. $signals may be another one.
defaults='$SIG{$_} = "DEFAULT" for qw(INT QUIT HUP PIPE TERM);'
execute='exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";'
DEFAULTS="$defaults $execute"
IGNORE_HUP="$defaults \$SIG{HUP} = 'IGNORE'; $execute"
IGNORE_PIPE="$defaults \$SIG{PIPE} = 'IGNORE'; $execute"
# in_run NAME COMMAND...: in the directory of the run, marked.
in_run() {
	run_dir=$WORK/$1
	shift
	[ -d "$run_dir" ] || mkdir "$run_dir" || return
	cd "$run_dir" || return
	IB_TEST_RUN=$run_dir
	export IB_TEST_RUN
	exec "$@"
}

# start NAME ARGUMENT...: the program in the background, under the command
# $under if there is one; $pid and $id are those of it. Output goes to NAME.out
# and NAME.err, beside the directory NAME that it runs in.
start() {
	run=$1
	shift
	# shellcheck disable=SC2086
	(in_run "$run" perl -e "${signals:-$DEFAULTS}" ${under:-} \
		"$INTERBENCH" "$@") \
		>"$WORK/$run.out" 2>"$WORK/$run.err" </dev/null &
	pid=$!
	id=$(id_of "$pid")
}

# finish ID SECONDS: $status, or "hung" if it had to be killed.
finish() {
	if await "$2" ended "$1"; then
		wait "${1%:*}"
		status=$?
	else
		kill -KILL "${1%:*}"
		wait "${1%:*}"
		status=hung
	fi
}

# Output of a run.
out() {
	cat "$WORK/$1.out"
}

err() {
	cat "$WORK/$1.err"
}

# Files that a run left in its directory.
files() {
	ls -A "$WORK/$1"
}

# nothing_left RUN ID...: none of the run, and none of these.
nothing_left() {
	[ -z "$(marked "$1\$")" ] || return 1
	shift
	for left; do
		ended "$left" || return 1
	done
}
