#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# realtime: -r puts the task in real time, below threaded interrupts, and no
# CPU-bound thread beside it.
# shellcheck source=tests/t/lib.sh
. "${0%/*}/../lib.sh"

[ "$(id -u)" = 0 ] || skip_all 'needs root'
if have chrt && ! chrt -f 1 true 2>/dev/null; then
	skip_all 'SCHED_FIFO is not to be had here'
fi

# watch ID FILE: "name policy priority threads" of all threads, all the time;
# threads: how many the run had at that look.
watch() {
	await 20 comm_is "${1%:*}" "$PROGRAM"
	while alive "$1"; do
		all=$(threads "$1")
		nr=$(printf '%s\n' "$all" | wc -l)
		for thread in $all; do
			stat_of "$thread" && read -r comm <"/proc/$thread/comm" &&
				echo "$comm $policy $rtprio $nr"
		done
		sleep 0.1
	done >>"$2" 2>/dev/null
}

# -L: so many that they take all of the CPUs.
start rt -c -r -W Audio -w None -w Burn -L 4 -t 1
rt=$id
watch "$id" "$WORK/rt.watch" &
helpers="$helpers $!"
start work -c -r --burn=work -W Video -w None -t 1
work=$id
watch "$id" "$WORK/work.watch" &
helpers="$helpers $!"

finish "$rt" 60
case $status in
0 | 2) tap ok '-r runs' ;;
*) is "$status" 0 '-r runs' ;;
esac
like "$(out rt)" \
	'^--- Benchmarking simulated cpu of Audio real time in the presence of simulated ---$' \
	'the title says real time'
like "$(out rt)" "^Load${TAB}Latency \+/- SD \(us\)  Max Latency " \
	'times are in us'
like "$(out rt)" "^None$TAB *[0-9]+\.[0-9]{3,6} \+/- " 'a row of them'
finish "$work" 120
case $status in
0 | 2) tap ok '-r --burn=work runs' ;;
*) is "$status" 0 '-r --burn=work runs' ;;
esac

is "$(awk '$3 > 49' "$WORK"/*.watch | sort -u)" '' 'nothing is above FIFO 49'
like "$(cat "$WORK/rt.watch")" '^ib-Audio 1 [1-9]' 'Audio is FIFO'
like "$(cat "$WORK/work.watch")" '^ib-Video 1 [1-9]' 'Video is FIFO'
like "$(cat "$WORK/rt.watch")" '^ib-burn/3 0 0 ' 'a burner is not'
is "$(grep '^ib-burn/' "$WORK/rt.watch" | grep -v '^ib-burn/[0-9]* 0 0 ' |
	sort -u)" '' 'no burner ever is'
# Alone and FIFO it is only for the moment between two cells.
ok 'a supervisor that calibrates is not' test \
	"$(grep -c "^$PROGRAM 1 .* 1\$" "$WORK/work.watch")" -le 1
like "$(cat "$WORK/work.watch")" "^$PROGRAM 0 0 1\$" \
	'... and was looked at while it did'
ok 'no run has left a process' await 1 nothing_left '[a-z]*'

plan
