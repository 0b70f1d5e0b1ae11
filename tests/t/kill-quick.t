#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kill-quick: a few of the many kills of kill/matrix.t.
exec sh "${0%/*}/kill/matrix.t" quick
