#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh LIST_FUNCTIONS STREAM_CALLS ASK GATE INTEL_PT_BLOCKS: run the examples on recordings whose numbers are known.
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

if [ "$SQLITE" = true ]; then
	"$3" "$work/out" 'SELECT name, calls, self, inclusive FROM functions ORDER BY name' >"$work/rows" || fail "ask: status $?"
	printf 'f\t3\t20\t20\nmain\t0\t10\t30\n' | cmp -s - "$work/rows" || fail "ask: $(cat "$work/rows")"
	"$3" "$work/out" 'DELETE FROM functions' 2>/dev/null && fail "ask: a statement that writes"
else
	"$3" "$work/out" 'SELECT 1' 2>/dev/null && fail "ask: a statement without SQLite"
fi

# Costs of f: 20 +- 1 before; 30 +- 1 after. Those of main do not change.
runs=
for run in 200 201 199 200 -- 300 301 299 300; do
	[ "$run" = -- ] || printf 'events: Ir\nfl=a.c\nfn=main\n1 1000\nfn=f\n9 %d\n' "$run" >"$work/run${#runs}"
	[ "$run" = -- ] && runs="$runs --" || runs="$runs $work/run${#runs}"
done
"$4" 40 $runs >"$work/grown"
[ $? -eq 3 ] || fail "gate: 50 % were not noticed"
grep -q '^+50.0 % (.*)  f$' "$work/grown" && [ "$(wc -l <"$work/grown")" -eq 1 ] || fail "gate: $(cat "$work/grown")"
"$4" 60 $runs || fail "gate: 50 % are not 60 %"

[ "$ZYDIS" = true ] || exit 0
# tiny.truth has the number of instructions that the program executed.
address=$(awk '!/^#/ { print $1; exit }' "$GOLDEN/intel_pt/tiny.map")
"$5" "$GOLDEN/intel_pt/tiny.pt" "$GOLDEN/intel_pt/tiny.img" "0x$address" >"$work/blocks" || fail "intel_pt_blocks: status $?"
grep -q " $(awk '/^insns/ { print $2 }' "$GOLDEN/intel_pt/tiny.truth") instructions, 0 errors" "$work/blocks" ||
	fail "intel_pt_blocks: $(cat "$work/blocks")"
