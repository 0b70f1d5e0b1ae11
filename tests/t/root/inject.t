#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# inject: delays of known length are seen as just that.
# shellcheck source=tests/t/lib.sh
. "${0%/*}/../lib.sh"

[ "$(id -u)" = 0 ] || skip_all 'needs root'
INJECT=${INTERBENCH_INJECT:-${0%/*}/../../../build/tests/t/root/inject}
case $INJECT in
/*) ;;
*) INJECT=$PWD/$INJECT ;;
esac
[ -x "$INJECT" ] || skip_all "$INJECT is not built"

# The high weight: nothing but the hog shall keep the task waiting. Even so, a
# hypervisor or an interrupt may take the CPU just when the hog leaves it.
for try in 1 2 3 4; do
	(in_run inject "$INJECT" -C 1 -I 1000 -u -t 2 -W Custom -w None -B -20) \
		>"$WORK/inject.out" 2>&1 </dev/null
	status=$?
	explain "try $try:
$(out inject)"
	[ "$status" = 1 ] || break
done
if [ "$status" = 2 ]; then
	skip 'it could not be tried' 'injected delays'
else
	is "$status" 0 'a wake in a delay is late by the rest of it, and less than 1 ms'
fi

plan
