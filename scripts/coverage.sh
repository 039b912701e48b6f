#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# coverage.sh [SUITE...]: how much of each room of src/, and of compat/, the tests of these suites execute, in lines and in
# branches as gcov counts them without optimization. Default: unit, cli, fault, fuzz, and those tests of other suites that are
# the only way through an interface (ONLY_WAYS); half an hour. Exit status 1 where a room is below the floor: LINES percent of
# its lines (default 95) or BRANCHES percent of its branches (default 85). build-coverage/report.txt lists what is missed.
set -eu
cd "$(dirname "$0")/.."
directory=build-coverage
# The drop-in libipt is a library of its own; a fleet, the recorders, the server of `view` and the process that asks servers
# of debuginfod are processes of their own.
ONLY_WAYS="libipt-twins
libipt-calls
situations-overflows-dropin
situations-errata-dropin
situations-clocks-dropin
fleet
fleet-usage
record
record-aarch64
emulate
emulate-aarch64
view-server
debuginfod"
suites=
for suite in "${@:-unit cli fault fuzz}"; do for name in $suite; do suites="$suites --suite $name"; done; done

# A function of which each caller has a copy counts once, as others do: without always_inline there are no copies.
CC=gcc scripts/build.sh $directory --buildtype=plain -Doptimization=0 -Db_coverage=true '-Dc_args=-Dalways_inline=__unused__'
find $directory -name '*.gcda' -delete
# shellcheck disable=SC2086
meson test -C $directory --no-rebuild --quiet --timeout-multiplier 4 $suites ||
	echo "coverage: tests failed; what they execute counts all the same" >&2
if [ $# = 0 ]; then
	# Those that this machine has.
	there=$(meson test -C $directory --list 2>/dev/null | sed 's/.* //' | grep -xF "$ONLY_WAYS" || true)
	# shellcheck disable=SC2086
	[ -z "$there" ] || meson test -C $directory --no-rebuild --quiet --timeout-multiplier 4 $there ||
		echo "coverage: tests failed; what they execute counts all the same" >&2
fi
python3 scripts/coverage.py $directory "${LINES:-95}" "${BRANCHES:-85}"
