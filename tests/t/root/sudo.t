#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sudo: what root makes under sudo belongs to who called it.
# shellcheck source=tests/t/lib.sh
. "${0%/*}/../lib.sh"

[ "$(id -u)" = 0 ] || skip_all 'needs root'

mkdir "$WORK/given" "$WORK/older"
: >"$WORK/older/$LOG"
SUDO_UID=65534 SUDO_GID=65533
export SUDO_UID SUDO_GID
start given --burn=work -W Audio -w None -t 1
given=$id
start older -W Audio -w None -t 1
older=$id
SUDO_UID=x SUDO_GID=-7
start garbage -W Audio -w None -t 1
garbage=$id

finish "$older" 60
is "$(stat -c %u:%g "$WORK/older/$LOG")" 0:0 'a log that was there keeps its owner'
like "$(cat "$WORK/older/$LOG")" "^None$TAB" '... and is written'
finish "$garbage" 60
is "$(stat -c %u:%g "$WORK/garbage/$LOG")" 0:0 'a SUDO_UID that is none is ignored'
finish "$given" 60
is "$(stat -c %u:%g "$WORK/given/$LOG")" 65534:65533 \
	'a new log is given to SUDO_UID and SUDO_GID'
if [ -e "$WORK/given/interbench.loops_per_ms" ]; then
	is "$(stat -c %u:%g "$WORK/given/interbench.loops_per_ms")" \
		65534:65533 'a saved calibration too'
else
	skip 'the calibration was not stable' 'a saved calibration too'
fi

plan
