#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# quota: a CPU quota limits what is usable, and throttling spoils a cell.
# shellcheck source=tests/t/lib.sh
. "${0%/*}/../lib.sh"

[ "$(id -u)" = 0 ] || skip_all 'needs root'

# A hierarchy with the cpu controller: $mount, $version.
find_mount() {
	version=1
	mount=$(awk '$3 == "cgroup" && ("," $4 ",") ~ /,cpu,/ { print $2; exit }' \
		/proc/mounts)
	[ -z "$mount" ] || return 0
	version=2
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] && grep -qw cpu "$mount/cgroup.controllers"
}

find_mount || skip_all 'no hierarchy with the cpu controller'

disable=
groups=
remove_groups() {
	for group in $groups; do
		await 5 rmdir "$group" 2>/dev/null
	done
	[ -z "$disable" ] || echo -cpu >"$mount/cgroup.subtree_control"
}
# shellcheck disable=SC2034
at_exit=remove_groups

if [ "$version" = 2 ] && ! grep -qw cpu "$mount/cgroup.subtree_control"; then
	echo +cpu >"$mount/cgroup.subtree_control" ||
		skip_all 'the cpu controller cannot be enabled'
	disable=yes
fi

# make_group NAME US: of quota in each 100 ms. $group
make_group() {
	group=$mount/interbench-test.$$.$1
	mkdir "$group" || return
	groups="$groups $group"
	if [ "$version" = 1 ]; then
		echo 100000 >"$group/cpu.cfs_period_us" &&
			echo "$2" >"$group/cpu.cfs_quota_us"
	else
		echo "$2 100000" >"$group/cpu.max"
	fi || return
	cat >"$WORK/in_$1" <<END
echo \$\$ >'$group/cgroup.procs' && exec "\$@"
END
}

nr_throttled() {
	sed -n 's/^nr_throttled //p' "$1/cpu.stat"
}

make_group one 100000 || skip_all "no group can be made in $mount"
under="sh $WORK/in_one"
start one -c -W Audio -w None -t 1
one=$id

# Little enough that even on a busy machine it does not last.
make_group few 10000
few_group=$group
# shellcheck disable=SC2034
under="sh $WORK/in_few"
start few -c -W Audio -w Burn -L 4 -t 2
few=$id

finish "$one" 60
case $status in
0 | 2) tap ok "with a quota of one CPU (version $version)" ;;
*) is "$status" 0 "with a quota of one CPU (version $version)" ;;
esac
like "$(out one)" '^Load set to 1 processors$' '... one load thread by default'
like "$(out one)" '^CPUs: .*, quota of 1\.00' '... the header says so'

finish "$few" 120
throttled=$(nr_throttled "$few_group")
if [ "$throttled" -gt 10 ]; then
	like "$(out few)" "^Burn$TAB.*$TAB! .*throttled" \
		"throttled in $throttled periods: the row says so"
	is "$status" 2 '... and so does the exit status'
else
	skip 'nothing was throttled' 'a throttled cell'
fi
like "$(out few)" '^Load set to 4 processors$' '-L is taken as it is'
ok 'no run has left a process' await 1 nothing_left '[a-z]*'

plan
