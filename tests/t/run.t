#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: what a short run prints and leaves behind. All runs go at the same time.
# shellcheck source=tests/t/lib.sh
. "${0%/*}/lib.sh"

[ -r /proc/self/stat ] || skip_all 'no /proc'

# The CPUs we may use, "0-1" or "3,5": the first and the last.
cpus=$(sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' /proc/self/status)
first=${cpus%%[-,]*}
last=${cpus##*[-,]}

# watch ID FILE: "name allowed cpu" of all threads, as long as the run lasts; of
# the supervisor from the start if $from_start, else once it has children.
watch() {
	await 20 comm_is "${1%:*}" "$PROGRAM"
	while alive "$1"; do
		all=$(threads "$1")
		for thread in $all; do
			[ "$all" != "$thread" ] || [ "$from_start" ] || continue
			allowed=$(sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' \
				"/proc/$thread/status" 2>/dev/null)
			! stat_of "$thread" || [ -z "$allowed" ] ||
				echo "$(cat "/proc/$thread/comm") $allowed $cpu"
		done
		sleep 0.1
	done >>"$2" 2>/dev/null
}

# ran_ns PID: $ran, its CPU time as of its last switch.
ran_ns() {
	{ read -r ran _ <"/proc/$1/schedstat"; } 2>/dev/null
}

# until_state PID STATES: looks without pause.
until_state() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			for _ in 1 2 3 4 5 6 7 8 9 10; do
				stat_of "$1" || return 1
				case $state in [$2]) return 0 ;; esac
			done
		done
	done
	return 1
}

# stop_asleep PID: stops it in the sleep between two frames, so that the stall
# begins with a wake. One that had begun a frame is let go and caught again.
stop_asleep() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		until_state "$1" R || continue
		until_state "$1" S || continue
		ran_ns "$1"
		before=$ran
		now
		stop_from=$now
		kill -STOP "$1"
		await 1 until_state "$1" T || return 1
		now
		stopped=$now
		ran_ns "$1"
		[ "$((ran - before))" -ge 200000 ] || return 0
		kill -CONT "$1"
	done
	return 1
}

# hold_1s NAME: stops the task for 1.0 s in its window. "SHORTEST LONGEST" of
# what that was, in ms: the clock of now has steps of 10.
hold_1s() {
	await 20 named "$pid" ib-Video || return
	task=$found
	now
	sleep_until "$((now + 2600))"
	stop_asleep "$task" || return
	sleep 1.0
	now
	shortest=$((now - stopped - 10))
	kill -CONT "$task"
	before=$ran
	while ran_ns "$task" && [ "$((ran - before))" -lt 1000000 ]; do
		sleep 0.01
	done
	now
	echo "$shortest $((now - stop_from + 10))" >"$WORK/held"
}

# --- start everything ---

comment='run #1: 50%% "x"
newline, comma; %s%n'

# Where others use the CPUs too, its own misses would join those of the stall.
nice=
[ "$(id -u)" != 0 ] || nice='-B -20'
# shellcheck disable=SC2086
start stop -c -W Video -w None -t 4 --percentiles $nice
stop=$id
hold_1s &
helpers="$helpers $!"

start table -C 5 -I 10000 -W Custom -W Audio -w None -w Burn -L 1 -t 1 \
	--seed 7 -m "$comment"
table=$id

start few -c -C 1 -I 1000000 -W Custom -w None -t 1
few=$id

start games -c -W Gaming -W Audio -w None -t 1 --percentiles -B 1 -N 2
games=$id

from_start=
start one -u -W Audio -w Burn -t 1
one=$id
watch "$id" "$WORK/one.watch" &
helpers="$helpers $!"

mkdir "$WORK/link"
echo mine >"$WORK/mine"
ln -s ../mine "$WORK/link/$LOG"
start link -W Audio -w None -t 1
link=$id

(in_run closed "$INTERBENCH" -W Audio -w None -t 1) <&- >&- \
	2>"$WORK/closed.err" &
closed=$(id_of "$!")

full=
if [ -c /dev/full ]; then
	(in_run full "$INTERBENCH" -W Audio -w None -t 1) >/dev/full \
		2>"$WORK/full.err" </dev/null &
	full=$(id_of "$!")
fi

locale=$(locale -a 2>/dev/null | grep -Ei '^(de|pl|fr)_.*utf-?8' | head -1)
LC_ALL=${locale:-de_DE.UTF-8}
export LC_ALL
start comma -c -W Audio -w None -t 1
comma=$id
unset LC_ALL

readonly=
under=
mkdir "$WORK/readonly"
cp "$INTERBENCH" "$WORK/interbench"
chmod 755 "$WORK/interbench"
if [ "$(id -u)" != 0 ]; then
	chmod 555 "$WORK/readonly"
	readonly=yes
elif have setpriv; then
	readonly=yes
	under='setpriv --reuid 65534 --regid 65534 --clear-groups'
fi
if [ "$readonly" ]; then
	mine=$INTERBENCH
	INTERBENCH=$WORK/interbench
	start readonly -W Audio -w None -t 1
	readonly=$id
	INTERBENCH=$mine
fi

# What is saved and of no use: a note, and the run goes on.
for kind in number garbage truncated; do
	mkdir "$WORK/$kind"
	case $kind in
	number) echo 5 ;;
	garbage) head -c 300 "$WORK/interbench" ;;
	truncated) printf 'interbench calibration 1\nloops_per_ms: 12' ;;
	esac >"$WORK/$kind/interbench.loops_per_ms"
	cp "$WORK/$kind/interbench.loops_per_ms" "$WORK/$kind.saved"
done
under=
for kind in garbage truncated; do
	start "$kind" -c --burn=work -W Audio -w None -t 1
	eval "$kind=\$id"
done
start number -c --burn=work -W Audio -w None -t 1
number=$id
if have taskset; then
	under="taskset -c $last"
	start mask -b --burn=work -W Audio -w Burn -t 1
	mask=$id
	from_start=yes
	watch "$id" "$WORK/mask.watch" &
	helpers="$helpers $!"
	# shellcheck disable=SC2034
	under=
fi

# give_up ID DESCRIPTION: once it measures, there is no more to be seen. It may
# be through by then.
measures_or_ended() {
	named "$1" ib-Audio || ! alive "$1"
}
give_up() {
	await 60 measures_or_ended "${1%:*}"
	kill -TERM "${1%:*}" 2>/dev/null
	finish "$1" 30
	[ "$status" != 0 ] || status=143
	is "$status" 143 "$2"
}
# shellcheck disable=SC2154
give_up "$garbage" 'a calibration file of garbage is not fatal'
# shellcheck disable=SC2154
give_up "$truncated" 'nor is one that was cut off'

# --- the table ---

# wanted_status NAME: 2 if a row says that its cell is no good. On a machine
# that others use that may come.
wanted_status() {
	if grep -q "$TAB! \|${TAB}failed: " "$WORK/$1.out"; then
		echo 2
	else
		echo 0
	fi
}

# In all that was measured, numbers that have the right shape become words.
shape() {
	time='(-|>?[0-9]+\.[0-9]{3,6})'
	pct='(-|100|[0-9]{1,2}|[0-9]{1,2}\.[0-9]{1,6})'
	sed -E -e '/^Verdict/,$d' -e '/^CPUs: /d' \
		-e 's/^(Load set to) [0-9]+ /\1 N /' \
		-e 's/^(Using) [0-9]+ loops/\1 N loops/' \
		-e 's/^(Benchmarking kernel) [^ ]+ at datestamp [0-9]{12}$/\1 K at D/' \
		-e 's/(interbench) [0-9.]+[-+.a-z0-9]*$/\1 V/' \
		-e "s/${TAB}[~!(][^$TAB]*\$//" \
		-e "s/$TAB *$time \+\/- $time +$time$TAB$TAB *$pct$TAB *$pct\$/ ROW/" \
		"$WORK/$1.out"
}

columns="Load${TAB}Latency +/- SD (ms)  Max Latency   % Desired CPU  % Deadlines Met"

finish "$table" 60
is "$status" "$(wanted_status table)" 'a run exits 0'
is "$(err table)" '' 'a run says nothing on stderr'
is "$(shape table; echo .)" "Load set to N processors

Using N loops per ms, running every load for 1 seconds
Benchmarking kernel K at D
Comment: run #1: 50%% \"x\"\\nnewline, comma; %s%n
Method: wake direct, burn cpu (loops informative), seed 7, interbench V

--- Benchmarking simulated cpu of Audio in the presence of simulated ---
$columns
None ROW
Burn ROW

--- Benchmarking simulated cpu of Custom in the presence of simulated ---
$columns
None ROW
Burn ROW


." 'header, titles, columns and rows have the shape of the classic table'
like "$(out table)" '^Verdict: ' 'a verdict follows'
is "$(files table)" "$LOG" 'the log is the only file'
cp "$WORK/table/$LOG" "$WORK/log"
is "$(cat "$WORK/log"; echo .)" "$(sed '/^Verdict/,$d' "$WORK/table.out"; echo .)" \
	'the log is what was printed, without the verdict'

start again --output-dir ../table -W Audio -w None -t 1
again=$id

# --- single things ---

finish "$few" 60
is "$status" "$(wanted_status few)" 'a run with a single slot exits 0'
like "$(out few)" "^None$TAB *[0-9.]+ \+/- -  " 'one sample has no SD'
is "$(files few)" '' '-c writes no file'

finish "$games" 60
is "$status" "$(wanted_status games)" 'Gaming exits 0'
p='(-|[0-9]+\.[0-9]{3,6})'
like "$(out games)" "^None${TAB}[^$TAB]*$TAB$TAB *[0-9.]+($TAB$p){5}${TAB}-(${TAB}[~!].*)?\$" \
	'Gaming has no deadlines, and percentiles only'
like "$(out games)" "^None${TAB}[^$TAB]*$TAB$TAB *[^$TAB]+$TAB *[^$TAB]+($TAB$p){5}${TAB}[0-9]+${TAB}[0-9]+${TAB}-(${TAB}[~!].*)?\$" \
	'others have percentiles, Missed and Longest'
like "$(out games)" "${TAB}p50${TAB}p90${TAB}p95${TAB}p99${TAB}p99.9${TAB}Missed${TAB}Longest${TAB}Load work\$" \
	'... and the columns are named'
like "$(out games)" "${TAB}p50${TAB}p90${TAB}p95${TAB}p99${TAB}p99.9${TAB}Load work\$" \
	'... two less for Gaming'
like "$(out games)" '^--- .* of Audio nice 1 in the presence of simulated nice 2 ---$' \
	'the title tells both nice values'

finish "$one" 60
is "$status" "$(wanted_status one)" '-u exits 0'
like "$(out one)" '^Load set to 1 processors$' '-u: one load thread'
like "$(out one)" "^CPUs: $first allowed \(-u\)" '-u: the header says which CPU'
is "$(cut -d' ' -f2 "$WORK/one.watch" | sort -u)" "$first" \
	'-u: no thread may run elsewhere'
like "$(cat "$WORK/one.watch")" '^ib-burn/0 ' '... the burner looked at as well'
like "$(cat "$WORK/one.watch")" '^ib-Audio ' '... and the task'

finish "$link" 60
is "$status" "$(wanted_status link)" 'a log that cannot be is no failure'
is "$(cat "$WORK/mine")" mine 'a symbolic link as log is not followed'
like "$(err link)" "^interbench: note: no log: .*$LOG: ." '... a note says so'

finish "$closed" 60
is "$status" 0 'a run without stdin and stdout exits 0'
like "$(cat "$WORK/closed/$LOG")" "^None$TAB" '... and its log is complete'
is "$(err closed)" '' '... without a word'

if [ "$full" ]; then
	finish "$full" 60
	is "$status" 1 'stdout on a full disk exits 1'
	like "$(err full)" '^interbench: standard output: .' '... and says why'
	like "$(cat "$WORK/full/$LOG")" "^None$TAB" '... but the log is complete'
else
	skip 'no /dev/full' 'stdout on a full disk'
fi

finish "$comma" 60
unlike "$(grep "^None$TAB" "$WORK/comma.out")" , \
	"points, not commas, with LC_ALL=${locale:-de_DE.UTF-8}"
unlike "$(out comma)" '[0-9],[0-9]' '... nor in the verdict'

if [ "$readonly" ]; then
	finish "$readonly" 60
	is "$status" "$(wanted_status readonly)" \
		'a directory that cannot be written costs nothing'
	like "$(err readonly)" '^interbench: note: no log: .' '... but a note'
	is "$(wc -l <"$WORK/readonly.err")" 1 '... of one line'
	is "$(files readonly)" '' '... and no file'
else
	skip 'no setpriv to leave root with' 'a read-only directory'
fi

# --- calibration ---

finish "$number" 120
is "$status" "$(wanted_status number)" 'a calibration file of 0.31 is not fatal'
like "$(out number)" '^Method: .* burn work, ' '--burn=work is in the header'
if have taskset; then
	finish "$mask" 120
	is "$status" "$(wanted_status mask)" "on CPU $last, with calibration, exits 0"
	is "$(cut -d' ' -f2,3 "$WORK/mask.watch" | sort -u)" "$last $last" \
		'... no thread ran, or could have run, elsewhere'
	for thread in ib-burn/0 ib-Audio ib-keeper "$PROGRAM"; do
		like "$(cat "$WORK/mask.watch")" "^$thread " \
			"... $thread was looked at"
	done
	like "$(out mask)" '^Load set to 1 processors$' '... one load thread'
	if grep -q UNSTABLE "$WORK/mask.err"; then
		is "$(files mask)" "$LOG" 'an unstable calibration is not kept'
	else
		like "$(cat "$WORK/mask/interbench.loops_per_ms")" \
			'^loops_per_ms: [1-9]' 'the calibration is kept'
	fi
else
	skip 'no taskset' 'on one CPU'
fi

# --- the same seed, the second log ---

finish "$again" 60
is "$status" "$(wanted_status again)" 'a run with --output-dir exits 0'
like "$(out again)" '^Method: .*, seed 42, ' 'the seed is 42 if none is given'
is "$(files again)" '' '... makes nothing where it is'
is "$(cat "$WORK/table/$LOG"; echo .)" \
	"$(cat "$WORK/log"; sed '/^Verdict/,$d' "$WORK/again.out"; echo .)" \
	'... and appends to the log that is there'

# --- a stall of a second ---

finish "$stop" 60
is "$status" "$(wanted_status stop)" 'a run whose task was stopped exits 0'
if [ -s "$WORK/held" ]; then
	read -r shortest longest <"$WORK/held"
	# More than a few misses elsewhere: some may adjoin the stall.
	is "$(awk -F"$TAB" -v shortest="$shortest" -v longest="$longest" '
	$1 == "None" {
		n = split($2, words, / +/)
		max = words[n]
		quiet = $11 - $12 <= 5
		if ($12 < 0.06 * shortest - 3 ||
		    (quiet && $12 > 0.06 * longest + 3))
			print "Longest is " $12
		if (max < shortest - 20 || (quiet && max > longest + 20))
			print "Max is " max
	}' "$WORK/stop.out")" '' \
		"stopped for $shortest to $longest ms: so many frames missed, and such a wake"
	explain "$(grep "^None$TAB" "$WORK/stop.out")"
else
	skip 'the task was not caught asleep' 'stopped for a second'
fi

for kind in number garbage truncated; do
	like "$(err "$kind")" \
		'^interbench: note: .*/interbench.loops_per_ms is not used: .' \
		"a calibration file with a $kind: a note says it is not used"
	ok '... and with -c it stays as it was' \
		cmp "$WORK/$kind.saved" "$WORK/$kind/interbench.loops_per_ms"
done

unlike "$(cat "$WORK"/*.out)" '(^|[^a-z])-?(nan|inf)([^a-z]|$)' \
	'nothing is nan or inf'
unlike "$(cat "$WORK"/*.out "$WORK"/*.err)" '[0-9]e[-+][0-9]' \
	'nothing has an exponent'
ok 'and no run has left a process' await 2 nothing_left '[a-z]*'

plan
