#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# faults: what goes wrong with a load is said in its row, and the run goes on.
# Options are words; some ids are used by eval only.
# shellcheck disable=SC2034,SC2086
# shellcheck source=tests/t/lib.sh
. "${0%/*}/../lib.sh"

[ "$(id -u)" = 0 ] || skip_all 'needs root'

mounts=
groups=
undo() {
	for mount in $mounts; do
		umount "$mount" 2>/dev/null || umount -l "$mount"
	done
	for group in $groups; do
		await 5 rmdir "$group" 2>/dev/null
	done
}
at_exit=undo

# mounted NAME OPTION...: on $WORK/NAME, where a run of that name starts.
mounted() {
	mkdir "$WORK/$1"
	target=$WORK/$1
	shift
	mount "$@" "$target" && mounts="$target $mounts"
}

# v1_group CONTROLLER NAME: $group, or fails.
v1_group() {
	hierarchy=$(awk -v c="$1" '$3 == "cgroup" && ("," $4 ",") ~ ("," c ",") {
		print $2; exit }' /proc/mounts)
	[ -n "$hierarchy" ] || return 1
	group=$hierarchy/interbench-test.$$.$2
	mkdir "$group" 2>/dev/null && groups="$groups $group"
}

# in_group FILE LIMIT: $under for start, from $group.
in_group() {
	echo "$2" >"$group/$1" || return 1
	under="sh $WORK/in.$nr_groups"
	echo "echo \$\$ >'$group/cgroup.procs' && exec \"\$@\"" \
		>"$WORK/in.$nr_groups"
	nr_groups=$((nr_groups + 1))
}
nr_groups=0

small='-c -t 1 -W Audio --percentiles'
row() {
	grep "^$2$TAB" "$WORK/$1.out"
}

# --- no disk, or little of it ---

mounted tiny -t tmpfs -o size=6m none &&
	start tiny -t 1 -W Audio -w None -w Read -w Write -w Compile && tiny=$id

mounted memory -t tmpfs -o size=64m none &&
	start memory -c -t 30 -W Audio -w Compile && memory=$id

if [ -n "${memory-}" ]; then
	await 40 named "${memory%:*}" ib-Audio
	sleep 1
	like "$(files memory)" '^interbench-tmp\.' 'scratch is where it should be'
	kill -INT "${memory%:*}"
	finish "$memory" 20
	is "$status" 130 'an interrupt ends a load that writes'
	is "$(files memory)" '' '... and removes what it wrote'
fi

mounted readonly -t tmpfs -o ro none && mkdir "$WORK/place" &&
	start readonly $small -w None -w Compile && readonly=$id &&
	mkdir "$WORK/elsewhere" && start elsewhere $small -w Read --io-size 8M \
		--scratch "$WORK/place" && elsewhere=$id

disk=
if truncate -s 100M "$WORK/image" && have mkfs.ext4 &&
	mkfs.ext4 -q "$WORK/image" 2>/dev/null &&
	mounted disk -o loop "$WORK/image"; then
	disk=$WORK/disk
	start full -c -t 4 -W Audio -w Write -w None --scratch "$disk" \
		--io-size 24M
	full=$id
fi

# --- namespaces ---

noproc=
nonet=
if have unshare && unshare -m true 2>/dev/null; then
	cat >"$WORK/noproc.sh" <<'END'
mount -t tmpfs none /proc && exec "$@"
END
	under="unshare -m sh $WORK/noproc.sh"
	start noproc $small -w None -w Hack -w Compile -w Read --io-size 8M
	noproc=$id
	under='unshare -n'
	start nonet $small -w Hack
	nonet=$id
	under=
fi

# --- what others do to it ---

start worker -c -t 2 -W Audio -w Hack -w None
worker=$id
worker_pid=$pid
start vanish -c -t 3 -W Audio -w Read --io-size 16M
vanish=$id

if [ -n "$disk" ]; then
	if await 40 named "${full%:*}" ib-Audio && sleep 2 &&
		dd if=/dev/zero of="$disk/fill" bs=1M 2>/dev/null; then
		:
	fi
fi
if await 40 named "$worker_pid" ib-hack/0; then
	await 20 named "$worker_pid" ib-Audio
	sleep 1
	named "$worker_pid" ib-hack/0 && kill -KILL "$found"
fi
if await 40 named "${vanish%:*}" ib-Audio; then
	rm -rf "$WORK"/vanish/interbench-tmp.*
fi

finish "$worker" 60
is "$status" 2 'a load that lost a worker makes the exit status 2'
like "$(row worker Hack)" "$TAB! load: worker .* was killed by signal 9|skipped: " \
	'... says so in its row'
like "$(row worker None)" '\+/- ' '... and the next row is measured'

finish "$vanish" 60
is "$status" 0 'removing the scratch directory of a run does it no harm'
is "$(files vanish)" '' '... and it leaves nothing'

if [ -n "$disk" ]; then
	finish "$full" 60
	is "$status" 2 'a disk that fills up makes the exit status 2'
	like "$(row full Write)" "$TAB! .*(left on the scratch disk|no space)" \
		'... is said in the row'
	like "$(row full None)" '\+/- ' '... and the next row is measured'
	rm -f "$disk/fill"
	is "$(files disk)" 'lost+found' '... and nothing is left on it'
	text=$("$INTERBENCH" --plan -W Audio -w Write --scratch "$disk")
	like "$text" "${TAB}skip: .* free, too little for " \
		'--plan says that a small disk is too small'
else
	skip 'no loop mount here' 'a disk that fills up'
fi

if [ -n "${tiny-}" ]; then
	finish "$tiny" 60
	is "$status" 2 'what was named and is skipped makes the exit status 2'
	like "$(row tiny None)" '\+/- ' 'on a tiny tmpfs None needs nothing'
	for load in Read Write; do
		like "$(row tiny $load)" 'skipped: .*tmpfs, which is memory' \
			"... and $load is skipped"
	done
	like "$(row tiny Compile)" '\+/- |skipped: .* free, too little for' \
		'... what is no measure of disks makes do with little, or not'
	is "$(files tiny)" "$LOG" '... and nothing is left'
fi

if [ -n "${readonly-}" ]; then
	finish "$readonly" 60
	like "$(row readonly Compile)" 'skipped: .*Read-only file system' \
		'a read-only directory is the reason of a skip'
	finish "$elsewhere" 60
	like "$(row elsewhere Read)" "\+/- .*device|skipped: .*memory" \
		'--scratch is used instead'
	is "$(files place)" '' '... and left empty'
fi

# --- limits ---

memory_of_200=
v1_group memory hack && in_group memory.limit_in_bytes 200M &&
	start hack $small -w Hack -L 30 && memory_of_200=$id
memory_of_256=
v1_group memory memload && in_group memory.limit_in_bytes 256M &&
	start memload -c -t 2 -W Audio --percentiles -w Memload \
		--scratch "$WORK" && memory_of_256=$id
oom=
v1_group memory oom && in_group memory.limit_in_bytes 64M &&
	start oom -c -t 2 -W Audio -w eat -w None --load-cmd \
		'eat=while :; do tail /dev/zero; done' && oom=$id
few_pids=
v1_group pids pids && in_group pids.max 40 &&
	start pids $small -w Hack -w Process -w Compile --scratch "$WORK" &&
	few_pids=$id
cat >"$WORK/files.sh" <<'END'
ulimit -n 64 && exec "$@"
END
under="sh $WORK/files.sh"
start few_files $small -w Hack -w Process -L 30
few_files=$id
under=

for run in few_files few_pids memory_of_200 memory_of_256; do
	eval "id=\$$run"
	if [ -z "$id" ]; then
		skip 'no such cgroup can be made here' "$run"
		continue
	fi
	case $run in
	few_files) name=few_files ;;
	few_pids) name=pids ;;
	memory_of_200) name=hack ;;
	*) name=memload ;;
	esac
	finish "$id" 60
	case $status in
	0 | 2) tap ok "$run: it ends" ;;
	*) is "$status" '0 or 2' "$run: it ends" ;;
	esac
	for load in Hack Process Compile Memload; do
		[ -n "$(row $name $load)" ] || continue
		like "$(row $name $load)" "[1-9].*/s|skipped: " \
			"... $load fits, or says why not"
		unlike "$(row $name $load)" "$TAB! (load|out of memory)" \
			'... and does not break'
	done
	ok '... nothing is left' await 3 nothing_left $name
done

if [ -n "$noproc" ]; then
	finish "$noproc" 60
	is "$status" 0 'it works without /proc'
	for load in None Hack Compile Read; do
		like "$(row noproc $load)" '\+/- ' "... $load"
	done
	finish "$nonet" 60
	like "$(row nonet Hack)" '\+/- ' 'Hack needs no network'
else
	skip 'no namespaces here' 'without /proc, without network'
fi

if [ -n "$oom" ]; then
	finish "$oom" 60
	is "$status" 2 'an OOM kill makes the exit status 2'
	like "$(row oom eat)" "$TAB! .*oom_kill count \+[1-9]" \
		'... and is said in the row'
	like "$(row oom None)" '\+/- ' '... and the next row is measured'
else
	skip 'no memory cgroup can be made here' 'an OOM kill'
fi

plan
