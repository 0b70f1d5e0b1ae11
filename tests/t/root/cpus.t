#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cpus: CPU numbers that do not begin at 0, and CPUs that are away.
# shellcheck source=tests/t/lib.sh
. "${0%/*}/../lib.sh"

[ "$(id -u)" = 0 ] || skip_all 'needs root'
cpus=$(sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' /proc/self/status)
last=${cpus##*[-,]}
[ "$last" != 0 ] || skip_all 'there is only one CPU'

group=
online=
restore() {
	[ -z "$online" ] || echo 1 >"$online"
	[ -z "$group" ] || await 5 rmdir "$group" 2>/dev/null
}
# shellcheck disable=SC2034
at_exit=restore

# --- a cpuset of the last CPU only ---

mount=$(awk '$3 == "cgroup" && ("," $4 ",") ~ /,cpuset,/ { print $2; exit }' \
	/proc/mounts)
prefix=cpuset.
[ -e "$mount/cpuset.cpus" ] || prefix=
if [ -n "$mount" ] && mkdir "$mount/interbench-test.$$" 2>/dev/null; then
	group=$mount/interbench-test.$$
	cat "$mount/${prefix}mems" >"$group/${prefix}mems"
	echo "$last" >"$group/${prefix}cpus"
	cat >"$WORK/inside" <<END
echo \$\$ >'$group/cgroup.procs' && exec "\$@"
END
	under="sh $WORK/inside"
else
	explain 'no cpuset of version 1: taskset instead'
	under="taskset -c $last"
fi
start set -c -W Audio -w Burn -t 1
ran_on=
while alive "$id"; do
	for thread in $(threads "$id"); do
		! stat_of "$thread" || ! comm_is "$thread" ib-burn/0 ||
			ran_on="$ran_on $cpu"
	done
	sleep 0.1
done
finish "$id" 60
case $status in
0 | 2) tap ok "on CPU $last only" ;;
*) is "$status" 0 "on CPU $last only" ;;
esac
like "$(out set)" '^Load set to 1 processors$' '... one load thread by default'
like "$(out set)" "^CPUs: $last allowed, " '... the header says which CPU'
is "$(printf '%s\n' "$ran_on" | tr ' ' '\n' | sort -u | tr -d '\n')" "$last" \
	'... and the burner ran there'

# --- without the last CPU ---

under=
switch=/sys/devices/system/cpu/cpu$last/online
nr=$(grep -c '^processor' /proc/cpuinfo)
if [ "$(cat "$switch" 2>/dev/null)" = 1 ] && echo 0 2>/dev/null >"$switch"; then
	online=$switch
	start away -c -W Audio -w Burn -t 1
	away=$id
	start two -c -L 2 -W Audio -w Burn -t 1 -u
	two=$id
	finish "$away" 60
	away=$status
	finish "$two" 60
	echo 1 >"$switch"
	case $away in
	0 | 2) tap ok "with CPU $last offline" ;;
	*) is "$away" 0 "with CPU $last offline" ;;
	esac
	like "$(out away)" "^Load set to $((nr - 1)) processors\$" \
		'... as many load threads as are left'
	case $status in
	0 | 2) tap ok '... -u as well' ;;
	*) is "$status" 0 '... -u as well' ;;
	esac
	is "$(cat "$switch")" 1 '... and it is online again'
	[ "$(cat "$switch")" != 1 ] || online=
else
	skip "CPU $last cannot be switched off" "with CPU $last offline"
fi
ok 'no run has left a process' await 1 nothing_left '[a-z]*'

plan
