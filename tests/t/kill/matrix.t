#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# matrix: every process of a run gets every signal, early, amid and late.
#
# With the word "quick" only a few of them, for make check.
#
# Each scenario is a run of two cells in a subshell of the background. It says
# what went wrong in NAME.wrong, or nothing.
case $0 in
*/kill/*) dir=${0%/*}/.. ;;
*) dir=${0%/*} ;;
esac
# shellcheck source=tests/t/lib.sh
. "$dir/lib.sh"

[ -r /proc/self/stat ] || skip_all 'no /proc'

# From the first sight of the task: it waits 1 s for the load to settle, runs
# about 1 s unmeasured, then the window of 3 s.
MIDDLE_MS=3000
END_MS=4300

# A busy machine can make a signal late for its moment: then there was nothing
# to see, and the scenario is skipped.
MISSED='the signal came too late to change anything'

# The program needs milliseconds, and promises 1 s. What is slower is told of;
# what takes as long as this did not come from a busy machine.
LIMIT_MS=10000
SLOW='not within'

number_of() {
	case $1 in
	HUP) echo 1 ;;
	INT) echo 2 ;;
	QUIT) echo 3 ;;
	KILL) echo 9 ;;
	SEGV) echo 11 ;;
	PIPE) echo 13 ;;
	TERM) echo 15 ;;
	esac
}

wrong() {
	echo "$*" >>"$WORK/$name.wrong"
}

rows() {
	grep -E "^(None|Video|X|Burn|Write)$TAB" "$1" 2>/dev/null
}

# The log is what was printed; nothing else is there.
check_files() {
	left=$(files "$name" | grep -vxF "$LOG")
	[ -z "$left" ] || wrong "left behind: $left"
	[ ! -e "$WORK/$name/$LOG" ] ||
		[ "$(rows "$WORK/$name/$LOG")" = "$(rows "$WORK/$name.out")" ] ||
		wrong 'the log lacks rows, or has others'
}

# Once the supervisor has ended, nothing is left.
check_gone() {
	now
	begun=$now
	while ! nothing_left "$name" "$@"; do
		now
		if [ "$now" -ge "$((begun + LIMIT_MS))" ]; then
			for left in $(marked "$name\$"); do
				wrong "$SLOW $LIMIT_MS ms: the end of $left $(cat "/proc/$left/comm")"
			done
			return
		fi
		sleep 0.05
	done
	slow 1000 'the end of all processes'
}

# slow MS WHAT: tell of it, since $begun, if it took longer.
slow() {
	now
	[ "$now" -le "$((begun + $1))" ] ||
		echo "$2 took $((now - begun)) ms" >>"$WORK/$name.slow"
}

# wait_for MOMENT NAME: until the task of that name is there, and the moment.
wait_for() {
	await 40 named "$pid" "$2" || return
	now
	case $1 in
	middle) sleep_until "$((now + MIDDLE_MS))" ;;
	end) sleep_until "$((now + END_MS))" ;;
	esac
}

has_row() {
	rows "$WORK/$name.out" | grep -q "^$1$TAB"
}

# The processes of the run as of now: $before.
note_all() {
	descend "$pid"
	before=
	for kid in $kids; do
		before="$before $(id_of "$kid")"
	done
}

# --- the supervisor ---

# At the end: of the second cell, so that there is a row to be kept.
reach_supervisor() {
	await 20 comm_is "$pid" "$PROGRAM" || return
	case $1 in
	start) return 0 ;;
	end) await 40 has_row None || return ;;
	esac
	wait_for "$1" ib-Audio
}

hit_supervisor() {
	start "$name" -W Audio -w None -w Burn -L 1 -t 3
	reach_supervisor "$2" || wrong 'never came to that point'
	note_all
	kill "-$1" "$pid" 2>/dev/null || wrong "$MISSED"
	finish "$id" 15
	# shellcheck disable=SC2086
	check_gone $before
	[ "$status" != 0 ] || { wrong "$MISSED" && return; }
	[ "$status" = $((128 + $(number_of "$1"))) ] ||
		wrong "exit status $status"
	check_files
	case $1 in
	KILL | QUIT) return ;;
	esac
	wanted=0
	[ "$2" != end ] || wanted=1
	nr=$(rows "$WORK/$name/$LOG" | wc -l)
	[ "$nr" -le "$wanted" ] || wrong "$MISSED"
	[ "$nr" -ge "$wanted" ] || wrong "$nr rows in the log, not $wanted"
}

# --- the others ---

# reach WHO MOMENT: $victim
reach() {
	case $2 in
	start) await 20 named "$pid" "$1" ;;
	*) wait_for "$2" ib-Audio && named "$pid" "$1" ;;
	esac
	reached=$?
	victim=$found
	return "$reached"
}

# The rest of the run goes on, and the exit status tells.
check_rest() {
	finish "$id" 120
	case $status in
	2 | "${1:-2}") ;;
	*) wrong "exit status $status" ;;
	esac
	check_gone
	check_files
	[ "$(rows "$WORK/$name.out" | wc -l)" = 2 ] || wrong 'not two rows'
	rows "$WORK/$name.out" | tail -1 | grep -q "^[^$TAB]*$TAB *[-0-9.]* +/- " ||
		wrong 'the next row has no numbers'
}

# check_row REGEX MS [LIMIT]: a row like that; slow if not that soon after $now.
check_row() {
	begun=$now
	row_by=$((begun + ${3:-$LIMIT_MS}))
	while now && ! rows "$WORK/$name.out" | grep -q .; do
		if [ "$now" -ge "$row_by" ]; then
			wrong "$SLOW $((row_by - begun)) ms: a row"
			return
		fi
		sleep 0.05
	done
	slow "$2" 'the row'
	rows "$WORK/$name.out" | head -1 | grep -Eq "$1" && return
	if rows "$WORK/$name.out" | head -1 | grep -Eq "$TAB(!|failed)"; then
		wrong "row: $(rows "$WORK/$name.out" | head -1)"
	else
		wrong "$MISSED"
	fi
}

# shoot WHO SIGNAL MOMENT
shoot() {
	reach "$1" "$3" || wrong 'never came to that point'
	now
	kill "-$2" "$victim" 2>/dev/null || wrong "$MISSED"
	now
}

hit_task() {
	start "$name" -W Audio -w None -w Burn -L 1 -t 3
	shoot ib-Audio "$1" "$2"
	case $1-$2 in
	STOP-start)	# before it is ready, or just after
		check_row "^None$TAB(failed: task was not ready|.*>)" 75000 75000
		check_rest 0
		;;
	STOP-*)	# it is ended, and its slots count as missed
		check_row "^None$TAB.* >[0-9.]+$TAB" 15000 20000
		ended "$victim" || wrong 'the task was not ended'
		check_rest 0
		;;
	*)
		check_row "^None${TAB}failed: task died: it was killed by signal $(
			number_of "$1") " 1000
		check_rest
		;;
	esac
}

hit_load() {
	start "$name" -W Audio -W Video -w Burn -L 1 -t 3
	shoot ib-burn "$1" "$2"
	case $1 in
	STOP) check_row "^Burn$TAB.*$TAB! load .*stopped by signal " 2000 ;;
	*) check_row "^Burn$TAB.*$TAB! load died: it was killed by signal $(
		number_of "$1") " 1000 ;;
	esac
	check_rest
}

hit_keeper() {
	start "$name" -W Audio -W Video -w Burn -L 1 -t 3
	shoot ib-keeper "$1" "$2"
	case $1-$2 in
	STOP-start)	# before it has started the load, or after
		check_row "^Burn$TAB(failed: load was not ready|.*$TAB! load )" \
			75000 75000
		;;
	STOP-*) check_row "^Burn$TAB.*$TAB! load did not end" 15000 20000 ;;
	*) check_row "^Burn$TAB.*$TAB! load died" 1000 ;;
	esac
	check_rest
}

# A load that writes: its directory goes with the run, whoever dies.
hit_disk() {
	start "$name" -W Audio -w Write -L 1 -t 3 --io-size 16M
	wait_for "$2" ib-Audio || wrong 'never came to that point'
	case $1 in
	JANITOR)
		named "$pid" ib-janitor || wrong 'no janitor'
		kill -KILL "$found"
		set -- INT "$2"
		;;
	esac
	note_all
	kill "-$1" "$pid" 2>/dev/null || wrong "$MISSED"
	finish "$id" 15
	[ "$status" = "$((128 + $(number_of "$1")))" ] || wrong "$MISSED"
	# shellcheck disable=SC2086
	check_gone $before
	check_files
}

# Even if nobody is left to do it, the next run does.
all_killed() {
	start "$name" -W Audio -w Write -L 1 -t 3 --io-size 16M
	wait_for middle ib-Audio || wrong 'never came to that point'
	named "$pid" ib-janitor || wrong 'no janitor'
	note_all
	kill -KILL "$found" "$pid" 2>/dev/null || wrong "$MISSED"
	finish "$id" 15
	# shellcheck disable=SC2086
	check_gone $before
	ls -d "$WORK/$name"/interbench-tmp.* >/dev/null 2>&1 ||
		wrong 'nothing was left, so nothing is tried'
	start "$name" -W Audio -w Write -L 1 -t 1 --io-size 16M
	finish "$id" 40
	check_gone
	check_files
}

# --- what is special ---

# nohup: a hang-up that was ignored stays ignored.
nohup_stays() {
	# shellcheck disable=SC2034
	signals=$IGNORE_HUP
	start "$name" -W Audio -w None -t 3
	wait_for middle ib-Audio || wrong 'never came to that point'
	kill -HUP "$pid"
	finish "$id" 40
	[ "$status" = 0 ] || wrong "exit status $status"
	check_gone
	check_files
}

# Two signals that arrive together, as timeout(1) and a log-out send them, are
# one: the log is written.
together_is_once() {
	start "$name" -W Audio -w Burn -w None -L 1 -t 3
	await 40 has_row None || wrong 'never came to that point'
	note_all
	kill -STOP "$pid"
	kill -INT "$pid"
	kill -TERM "$pid"
	kill -CONT "$pid"
	finish "$id" 15
	case $status in	# the later of two handlers runs first
	130 | 143) ;;
	*) wrong "exit status $status" ;;
	esac
	grep -q stopped "$WORK/$name.err" || wrong 'it had no words'
	[ "$(rows "$WORK/$name/$LOG" | wc -l)" = 1 ] || wrong 'no row in the log'
	# shellcheck disable=SC2086
	check_gone $before
	check_files
}

# A second one while the program waits for a keeper that does not answer.
second_kills() {
	start "$name" -W Audio -w Burn -L 1 -t 3
	wait_for middle ib-Audio || wrong 'never came to that point'
	named "$pid" ib-keeper || wrong 'no keeper'
	keeper=$found
	note_all
	kill -STOP "$keeper"
	kill -INT "$pid"
	sleep 0.6
	kill -TERM "$pid" 2>/dev/null || wrong "$MISSED"
	finish "$id" 15
	kill -CONT "$keeper" 2>/dev/null
	[ "$status" = 143 ] || wrong "exit status $status"
	# shellcheck disable=SC2086
	check_gone $before
	check_files
}

# A supervisor that sleeps through a second of the window misses nothing.
stop_and_go() {
	start "$name" -W Audio -w None -t 3
	wait_for middle ib-Audio || wrong 'never came to that point'
	kill -STOP "$pid"
	sleep 1
	kill -CONT "$pid"
	finish "$id" 40
	[ "$status" = 0 ] || wrong "exit status $status"
	has_row None || wrong 'no row'
	check_gone
	check_files
}

# --- all of it ---

scenario() {
	name=$1
	shift
	"$@"
}

# add NAME DESCRIPTION COMMAND...
names=
nr_jobs=0
batch=
long=
add() {
	names="$names $1"
	echo "$2" >"$WORK/$1.text"
	name=$1
	shift 2
	scenario "$name" "$@" &
	helpers="$helpers $!"
	case $name in
	*STOP-start)
		long="$long $!"
		return
		;;
	esac
	batch="$batch $!"
	nr_jobs=$((nr_jobs + 1))
	[ "$((nr_jobs % 10))" != 0 ] || wait_batch
}

wait_batch() {
	# shellcheck disable=SC2086
	wait $batch
	batch=
}

# hit WHO SIGNALS MOMENTS
hit() {
	for signal in $2; do
		for moment in $3; do
			add "$1-$signal-$moment" "$1 gets $signal, $moment" \
				"hit_$1" "$signal" "$moment"
		done
	done
}

if [ "${1-}" = quick ]; then
	hit supervisor TERM end
	hit supervisor 'INT KILL' middle
	hit supervisor HUP start
	hit task KILL middle
	hit load KILL middle
	hit keeper TERM start
	add second 'a second signal kills at once' second_kills
	add together 'two signals at once are one' together_is_once
	hit disk KILL middle
	add all 'supervisor and janitor are killed' all_killed
else
	# These wait for a deadline of a minute.
	hit task STOP start
	hit keeper STOP start
	hit supervisor 'INT TERM HUP PIPE QUIT KILL' 'start middle end'
	hit task 'TERM KILL SEGV' 'start middle end'
	hit task STOP 'middle end'
	hit load 'TERM KILL STOP' 'start middle end'
	hit keeper 'TERM KILL' 'start middle end'
	hit keeper STOP 'middle end'
	hit disk 'INT TERM KILL JANITOR' 'start middle end'
	add all 'supervisor and janitor are killed' all_killed
	add nohup 'nohup: HUP stays ignored' nohup_stays
	add second 'a second signal kills at once' second_kills
	add together 'two signals at once are one' together_is_once
	add stop 'the supervisor is stopped for a second and goes on' stop_and_go
fi
wait_batch
# shellcheck disable=SC2086
[ -z "$long" ] || wait $long

for name in $names; do
	text=$(cat "$WORK/$name.text")
	if grep -qxF "$MISSED" "$WORK/$name.wrong" 2>/dev/null; then
		skip "$MISSED" "$text"
		continue
	fi
	is "$(cat "$WORK/$name.wrong" 2>/dev/null)" '' "$text"
	[ ! -e "$WORK/$name.wrong" ] ||
		explain "$(out "$name"; err "$name")"
	[ ! -e "$WORK/$name.slow" ] ||
		explain "slow: $(cat "$WORK/$name.slow")"
done
ok 'nothing is left of any run' nothing_left '.*'

plan
