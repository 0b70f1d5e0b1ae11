#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cli: what makes no sense is refused in one line; what only informs does only that.
# shellcheck source=tests/t/lib.sh
. "${0%/*}/lib.sh"

NEWLINE='
'

mkdir "$WORK/cli"
: >"$WORK/file"

# --- runs whose output is not wanted to the end, meanwhile ---

# closed RUN SIGNALS ARGUMENT...: to a pipe nobody reads. RUN.status
closed() {
	name=$1
	shift
	{
		await 20 test -e "$WORK/$name.closed"
		signals=$1
		shift
		(in_run "$name" perl -e "$signals" "$INTERBENCH" "$@") \
			2>"$WORK/$name.err"
		echo "$?" >"$WORK/$name.status"
	} | {
		exec <&-
		: >"$WORK/$name.closed"
		await 40 test -s "$WORK/$name.status"
	}
}
closed pipe "$DEFAULTS" -c -W Audio -w Burn -t 1 &
pipe=$!
{
	(in_run head perl -e "$DEFAULTS" "$INTERBENCH" -c -W Audio -w None -t 1) \
		2>"$WORK/head.err"
	echo "$?" >"$WORK/head.status"
} | head -1 >"$WORK/head.out" &
head=$!

# quick ARGUMENT...: to its end, at once. $status, cli.out, cli.err.
quick() {
	(in_run cli timeout -k 1 10 "$INTERBENCH" "$@") \
		>"$WORK/cli.out" 2>"$WORK/cli.err" </dev/null
	status=$?
}

# has TEXT WORD
has() {
	case $1 in
	*"$2"*) return 0 ;;
	esac
	return 1
}

# refused OPTION VALUE ARGUMENT...: both stand in the one line on stderr.
# Without forks, as far as possible: there are many.
refused() {
	option=$1
	value=$2
	shift 2
	now
	begin=$now
	quick "$@"
	now
	line='' more=''
	{
		IFS= read -r line
		IFS= read -r more
	} <"$WORK/cli.err"
	wrong=
	[ "$status" = 1 ] || wrong="exit status $status"
	[ "$((now - begin))" -lt 4000 ] || wrong="$wrong, slow"
	[ ! -s "$WORK/cli.out" ] || wrong="$wrong, prints on stdout"
	[ -n "$line" ] && [ -z "$more" ] || wrong="$wrong, not one line"
	has "$line" "$option" || wrong="$wrong, no $option"
	has "$line" "$value" || wrong="$wrong, no '$value'"
	for file in "$WORK/cli"/*; do
		[ ! -e "$file" ] || wrong="$wrong, makes $file"
	done
	text=$*
	! has "$text" "$NEWLINE" || text='a value of two lines'
	is "$wrong" '' "refused: $text"
	[ -z "$wrong" ] || explain "$(err cli)"
}

# --- numbers and durations ---
for value in abc 0 -5 '' ' ' 1.5 5x 0x10 1e3 ' 5' '5 ' 5s5 367d \
	99999999999999999999 999999999999h; do
	refused -t "$value" -t "$value"
done
refused --time abc --time abc
refused --time abc --time=abc
refused -t 366d -t 366d -W Audio -w None
refused -t 366d -t 366d --plan
for value in -1 0 99999999 abc '' 100001 1.5 4294967297; do
	refused -L "$value" -L "$value"
done
for value in 50 -21 x '' 20 1.0; do
	refused -B "$value" -B "$value"
	refused -N "$value" -N "$value"
done
for value in 0 -1 x 1000000000001 18446744073709551617; do
	refused -l "$value" -l "$value"
done
for value in x -1 '' 18446744073709551616; do
	refused --seed "$value" --seed="$value"
done
for value in 0 101 -1 x; do
	refused -C "$value" -C "$value" -I 1000
done
for value in 99 60000001 -1 x; do
	refused -I "$value" -C 50 -I "$value"
done
refused -t 'a' -t 'a
b'

# --- what belongs together, and what does not ---
refused '-C 50' -I -C 50
refused '-I 1000' -C -I 1000
refused '--custom-cpu 50' --custom-interval --custom-cpu=50
refused '-l 5' '--burn cpu' -l 5 --burn=cpu
refused --list --plan --list --plan
refused -W Custom -W Custom
refused -w Custom -w Custom
refused '-W X' -r -r -W X
refused '-W Gaming' -r -r -W Gaming

# --- words ---
refused -W Burn -W Burn
refused -W nothing -W nothing
refused -W Vidio -W Vidio
refused 'nearest is' Video -W Vidio
refused -w nothing -w nothing
refused -w Audio -w Audio
refused -w Gaming -w Gaming
refused -w '' -w ''
refused -x nothing -x nothing
refused -X nothing -X nothing
refused -X Burn -X Burn
refused 'nothing to run' task -X all
refused 'nothing to run' load -x all
refused 'nothing to run' load -W Video -w Video
refused 'nothing to run' task -W Audio -X Audio
refused --burn foo --burn=foo
refused --wake foo --wake=foo
refused --wake Direct --wake=Direct
refused --progress foo --progress=foo
refused stray operand stray
refused stray operand run stray
refused run operand run run
refused stray operand -- stray
refused stray operand -c stray -t 1

# --- options that do not exist, and values that are missing ---
refused --nosuch option --nosuch
refused --percentil '' --percentiels
refused -z option -z
refused -z option -cz
refused -t missing -t
refused --time missing --time
refused -m missing -m
refused --help '' --help=x
refused --plan '' --plan=3
refused --lo ambiguous --lo
refused -1 option -1

# --- places ---
refused --output-dir /nonexistent --output-dir /nonexistent -W Audio -w None
refused --output-dir /nonexistent --output-dir=/nonexistent
refused --output-dir "$WORK/file" --output-dir "$WORK/file"
refused --output-dir '' --output-dir=

ok 'nothing that was refused has left a process' await 2 nothing_left cli

# --- what only informs ---
for word in --help -h --version --list --plan; do
	quick "$word"
	is "$status" 0 "$word exits 0"
	is "$(err cli)$(files cli)" '' "$word says nothing on stderr, makes no file"
	ok "$word prints" test -s "$WORK/cli.out"
done
quick --version
like "$(out cli)" '^interbench [0-9]+\.[0-9]+' '--version is name and version'
quick --help
for word in loops load-threads time bench-nice load-nice uniprocessor \
	benchmark console realtime custom-cpu custom-interval comment load \
	exclude-load bench exclude-bench help version load-cmd compile memload \
	mem-size scratch scratch-other io-size io-rate io-budget; do
	like "$(out cli)" "(^|[ ,])--$word( |=|\$)" "--help tells of --$word"
done
quick --list
for word in Audio Video X Gaming Custom None Burn Write Read Ring Compile \
	Memload Hack Process Ctar Xtar List IO_other Dbench Command; do
	like "$(out cli)" "^ +$word +[^ ]" "--list tells of $word"
done

cells=$(for task in Audio Video X Gaming; do
	for load in None Video X Burn Write Read Compile Memload; do
		[ "$task" = "$load" ] || echo "$task $load"
	done
done)
quick --plan
is "$(grep -E "^[0-9]+$TAB" "$WORK/cli.out" | cut -f 2,3 --output-delimiter=' ')" \
	"$cells" '--plan names every cell of a run without options'
quick --plan -C 5 -I 1000 -W custom -W AUDIO -w bUrN -w None -t 90
is "$(grep -E "^[0-9]+$TAB" "$WORK/cli.out" | cut -f 1-4 --output-delimiter=' ')" \
	'1 Audio None 1 min 30 s
2 Audio Burn 1 min 30 s
3 Custom None 1 min 30 s
4 Custom Burn 1 min 30 s' '--plan of named ones, case ignored'
quick --plan -W X -w None -t 11
like "$(out cli)" "^1${TAB}X${TAB}None${TAB}20 s$TAB" \
	'X is rounded up to whole sweeps of 10 s'
quick --plan -W Audio -w None -t 2d
like "$(out cli)" '^Time: about 2 d ' 'a duration of days keeps its meaning'
quick run --plan -W all -w all -x Burn -X X
is "$status" 0 '"run" may stand in front; all, and what is excluded'
unlike "$(grep -E "^[0-9]+$TAB" "$WORK/cli.out")" "$TAB(Burn|Custom)$TAB|${TAB}X$TAB(None|Video)" \
	'all leaves out what is excluded, and Custom without its numbers'

# --- standard output that does not take it ---
if [ -c /dev/full ]; then
	for word in --help --version --list --plan; do
		(in_run cli "$INTERBENCH" "$word") >/dev/full 2>"$WORK/cli.err"
		is "$?" 1 "$word to a full disk exits 1"
		like "$(err cli)" 'standard output: .' "$word to a full disk says so"
	done
else
	skip 'no /dev/full' 'to a full disk'
fi

closed help "$DEFAULTS" --help
is "$(cat "$WORK/help.status")" 141 '--help to a closed pipe ends by SIGPIPE'
closed ignored "$IGNORE_PIPE" --help
is "$(cat "$WORK/ignored.status")" 1 \
	'--help to a closed pipe, SIGPIPE ignored, exits 1'
like "$(err ignored)" 'standard output: .' '... and says why'

wait "$pipe"
is "$(cat "$WORK/pipe.status")" 141 'a run into a closed pipe exits 141'
ok '... and leaves no process' await 1 nothing_left pipe
is "$(files pipe)" '' '... and no file'
wait "$head"
is "$(cat "$WORK/head.status")" 141 'a run into head -1 exits 141'
like "$(out head)" '^Load set to [0-9]+ processors$' '... which got its line'
ok '... and leaves no process' await 1 nothing_left head
is "$(files head)" '' '... and no file'

is "$(files cli)" '' 'no file was made by anything else'

plan
