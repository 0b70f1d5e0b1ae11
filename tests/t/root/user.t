#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# user: somebody without any privilege measures, and is told what he may not.
# shellcheck source=tests/t/lib.sh
. "${0%/*}/../lib.sh"

[ "$(id -u)" = 0 ] || skip_all 'needs root'
have setpriv || skip_all 'no setpriv'
as_user='setpriv --reuid 65534 --regid 65534 --clear-groups
	--inh-caps=-all --bounding-set=-all'
# shellcheck disable=SC2086
$as_user true || skip_all 'setpriv cannot do it here'
if have prlimit; then
	as_user="prlimit --rtprio=0:0 --nice=0:0 --memlock=65536:65536 $as_user"
fi

cp "$INTERBENCH" "$WORK/interbench"
chmod 755 "$WORK/interbench"
INTERBENCH=$WORK/interbench
under=$as_user

# slack NAME TASK: once the task has been seen to be asleep in its slots.
slack() {
	await 20 named "$pid" "$2" || return
	await 10 slack_is_1 "$found"
	cat "/proc/$found/timerslack_ns" >"$WORK/$1.slack"
}

slack_is_1() {
	[ "$(cat "/proc/$1/timerslack_ns" 2>/dev/null)" = 1 ]
}

mkdir "$WORK/plain"
chown 65534:65534 "$WORK/plain"
start plain -W Audio -w None -w Burn -t 1
plain=$id
slack plain ib-Audio &
helpers="$helpers $!"
policies=
while alive "$plain"; do
	for thread in $(threads "$plain"); do
		! stat_of "$thread" || policies="$policies $policy"
	done
	sleep 0.1
done
finish "$plain" 60
case $status in
0 | 2) tap ok 'a run without privileges' ;;
*) is "$status" 0 'a run without privileges' ;;
esac
is "$(err plain)" '' '... says nothing on stderr'
like "$(out plain)" "^Burn$TAB *[0-9.]+ \+/- " '... has its rows'
is "$(stat -c %u "$WORK/plain/$LOG")" 65534 '... and its log'
is "$(printf '%s\n' "$policies" | tr ' ' '\n' | sort -u | tr -d '\n')" 0 \
	'... and no real-time thread'
if [ -e /proc/self/timerslack_ns ]; then
	is "$(cat "$WORK/plain.slack")" 1 'the timer slack of the task is 1 ns'
else
	skip 'no /proc/PID/timerslack_ns' 'timer slack'
fi

# refused NAME ERE ARGUMENT...
refused() {
	name=$1
	wanted=$2
	shift 2
	mkdir "$WORK/$name"
	chown 65534:65534 "$WORK/$name"
	now
	begin=$now
	start "$name" "$@"
	finish "$id" 30
	now
	is "$status" 1 "$*: exit status 1"
	like "$(err "$name")" "$wanted" '... names the option and why'
	is "$(wc -l <"$WORK/$name.err")" 1 '... in one line'
	is "$(out "$name")$(files "$name")" '' '... prints and makes nothing'
	ok '... and does not start anything first' \
		test "$((now - begin))" -lt 4000
	ok '... and leaves no process' await 1 nothing_left "$name"
}
refused fifo '^interbench: -r: SCHED_FIFO .*\(errno 1\)' -r
refused nice '^interbench: -N -5: .*\(errno 1?[13]\)' -N -5
refused bench '^interbench: -B -5: .*\(errno 1?[13]\)' -B -5 -W Audio

plan
