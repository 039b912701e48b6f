#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh LIST_FUNCTIONS STREAM_CALLS [INTEL_PT_BLOCKS]: run the examples on recordings whose numbers are known.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
fail()
{
	echo "$1" >&2
	exit 1
}

# By hand: f costs 20 in 3 calls, main 10 and those.
printf 'events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=3 9\n2 20\nfn=f\n9 20\n' >"$work/out"
"$1" "$work/out" | tr -s ' ' >"$work/list" || fail "list_functions: status $?"
grep -qx ' 3 20 20 f' "$work/list" || fail "list_functions: f is missing"
grep -qx ' 0 10 30 main' "$work/list" || fail "list_functions: main is missing"
"$1" "$work/none" 2>/dev/null && fail "list_functions: a file that is not there"

# The trace has as many calls as list_functions counts.
calls=$("$2" "$GOLDEN/xray/fib-fdr.xray" | grep -vc unfinished)
sum=$("$1" "$GOLDEN/xray/fib-fdr.xray" | awk 'NR > 1 { sum += $1 } END { print sum }')
[ "$calls" = "$sum" ] || fail "stream_calls: $calls calls, not $sum"

[ $# -eq 3 ] || exit 0
# tiny.truth has the number of instructions that the program executed.
address=$(awk '!/^#/ { print $1; exit }' "$GOLDEN/intel_pt/tiny.map")
"$3" "$GOLDEN/intel_pt/tiny.pt" "$GOLDEN/intel_pt/tiny.img" "0x$address" >"$work/blocks" || fail "intel_pt_blocks: status $?"
grep -q " $(awk '/^insns/ { print $2 }' "$GOLDEN/intel_pt/tiny.truth") instructions, 0 errors" "$work/blocks" ||
	fail "intel_pt_blocks: $(cat "$work/blocks")"
