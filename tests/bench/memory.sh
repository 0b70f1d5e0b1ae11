#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# memory: proportional set size of all processes of a cell of 10 000 slots/s
set -eu
bin=${INTERBENCH:-./interbench}

"$bin" -c -W Custom -w None -C 1 -I 100 -t 30 >/dev/null &
pid=$!
trap 'kill "$pid" 2>/dev/null || :' EXIT

# the process and all below it
tree() {
	echo "$1"
	tr ' ' '\n' <"/proc/$1/task/$1/children" | while read -r child; do
		tree "$child"
	done
}

sleep 10
total=0
for p in $(tree "$pid"); do
	kb=$(awk '/^Pss:/ { print $2 }' "/proc/$p/smaps_rollup" || echo 0)
	total=$((total + kb))
done
echo "memory: 30 s cell at 10000 slots/s: $((total / 1024)) MiB in all"
