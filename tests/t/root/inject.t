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

# The task is real-time too: nothing but the hog keeps it waiting.
(in_run inject "$INJECT" -C 1 -I 1000 -u -t 2 -W Custom -w None -r) \
	>"$WORK/inject.out" 2>&1 </dev/null
status=$?
explain "$(out inject)"
if [ "$status" = 2 ]; then
	skip 'it could not be tried' 'injected delays'
else
	is "$status" 0 'a wake in a delay comes after it, within 1 ms of its end'
fi

plan
