#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# loads: each of them works and proves it, or says why it cannot.
# Options are words, commands are for another shell.
# shellcheck disable=SC2016,SC2086
# shellcheck source=tests/t/lib.sh
. "${0%/*}/lib.sh"

# Small: it is about being there, not about speed.
small='-c -t 1 -W Audio --percentiles --io-size 32M --mem-size 32M --io-rate 50MB'

names=$("$INTERBENCH" --list | sed -n '/^Loads/,$s/^  \([A-Za-z_]*\) .*/\1/p' |
	grep -vx -e Custom -e Command)
ok 'there are loads' test -n "$names"
# What a sanitizer needs for itself is more than the group of Memload may have.
[ -z "${INTERBENCH_SAN-}" ] ||
	names=$(printf '%s\n' "$names" | grep -vx Memload)

# Several at once, each with some of them: a share of the time.
nr=0
for load in $names; do
	part=$((nr % 4))
	eval "part_$part=\"\${part_$part-} -w $load\""
	nr=$((nr + 1))
done
mkdir "$WORK/other"
ids=
for part in 0 1 2 3; do
	eval "loads=\$part_$part"
	# shellcheck disable=SC2154
	start "part$part" $small --scratch-other ../other $loads
	ids="$ids $id"
done

start command $small -w mine -w fails -w gone -w deaf -w many \
	--load-cmd 'mine=while :; do :; done' \
	--load-cmd 'fails=exec 2>&1; sleep 2; echo oh; exit 7' \
	--load-cmd 'gone=/nonexistent/program' \
	--load-cmd "deaf=trap '' TERM INT HUP; (while :; do :; done)" \
	--load-cmd 'many=(setsid sleep 1000 &); i=0; while [ $i -lt 9000 ]; do i=$((i + 1)); done'
command=$id

start classic $small -w Compile --compile=classic
classic=$id

# Whatever it is: work, or a reason.
works="(.*${TAB}[1-9][0-9]*(\.[0-9]+)? [kMG]?[a-zA-Z-]+/s.*|.*${TAB}0\.[0-9]*[1-9][0-9]* .*/s.*|skipped: .+|.*load starved.*)"
part=0
for run in $ids; do
	finish "$run" 170
	case $status in
	0 | 2) tap ok "run $part ends" ;;
	*) is "$status" '0 or 2' "run $part ends" ;;
	esac
	is "$(files "part$part")" '' '... and leaves no file'
	ok '... and no process' await 3 nothing_left "part$part"
	eval "loads=\$part_$part"
	for load in $loads; do
		[ "$load" != -w ] || continue
		case $load in
		None) continue ;;
		esac
		like "$(out "part$part")" "^$load$TAB$works" \
			"$load works, or has a reason"
		unlike "$(out "part$part")" "^$load$TAB.*$TAB! load" \
			'... and does not break'
	done
	part=$((part + 1))
done
is "$(files other)" '' 'nothing is left in the other directory'

finish "$command" 170
is "$status" 2 'a command that fails makes its row invalid'
like "$(out command)" "^mine$TAB.* [1-9].*cpu-ms/s" 'a command is a load'
like "$(out command)" "^fails$TAB.*$TAB! load: .*status 7" \
	'... one that fails within the window is not'
like "$(out command)" "^gone$TAB.*$TAB! load: .*status 127" \
	'... nor is one that does not exist'
like "$(out command)" "^deaf$TAB.* [1-9].*cpu-ms/s" \
	'... one that hears no signal is ended as well'
like "$(out command)" "^many$TAB.*cpu-ms/s" \
	'... and one that starts others in sessions of their own'
ok '... and nothing of them is left' await 3 nothing_left command

finish "$classic" 170
like "$(out classic)" "^Compile$TAB(.* [1-9].*B/s.*Burn.*Write.*Read|skipped: )" \
	'the classic Compile is Burn, Write and Read'
is "$(files classic)" '' '... and leaves nothing'

# --- what was asked for wrongly ---

# refused TEXT ARGUMENT...
refused() {
	wanted=$1
	shift
	start refused -c "$@"
	finish "$id" 20
	is "$status" 1 "refused: $*"
	like "$(err refused)" "$wanted" '... in these words'
	is "$(out refused)" '' '... and nothing else'
}

refused '^interbench: --scratch /nonexistent: No such file' \
	--scratch /nonexistent
refused '^interbench: --scratch /dev/null: Not a directory' --scratch /dev/null
refused '^interbench: --scratch-other /nonexistent: No such file' \
	--scratch-other /nonexistent
refused '^interbench: --load-cmd burn=x: the name is taken' --load-cmd burn=x
refused '^interbench: -w Command: needs --load-cmd' -w Command
refused '^interbench: --io-size 1.5G: not a size' --io-size 1.5G
refused '^interbench: --io-rate 0: out of range 1M..1024T, none' --io-rate 0
refused '^interbench: --compile gcc: unknown \(known: real, classic\)' \
	--compile gcc

# --- what --plan says of it ---

plan_text=$("$INTERBENCH" --plan -W Audio -w IO_other -w Write --io-budget 1G \
	--scratch "$WORK" --io-size 32M -t 10)
like "$plan_text" "^[0-9]+${TAB}Audio${TAB}IO_other${TAB}10 s${TAB}skip: needs --scratch-other DIR" \
	'--plan says what would be skipped, and why'
like "$plan_text" '^Loads: [0-9]+ CPUs, [0-9]+ processes, [0-9]+ files each' \
	'... and what loads may use'

plan
