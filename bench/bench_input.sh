#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench_input.sh GEN_XRAY GEN_CALLGRIND TRACELATHE: the generated log is free of faults and has the calls it was asked for;
# the self costs of the generated profile are those of its own totals: line, and no name is one that it did not define.
set -eu
trap 'rm -f bench-input.xray bench-input.callgrind' EXIT
"$1" 100000 >bench-input.xray
"$3" check bench-input.xray
"$3" report --csv bench-input.xray | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{ calls += $column["calls"]; open += $column["unfinished"] }
	END { printf "%d calls, %d unfinished\n", calls, open; exit !(calls > 50000 && calls < 70000 && open == 0) }'
"$2" 50000 >bench-input.callgrind
"$3" report --json bench-input.callgrind >bench-input.json
totals=$(sed -n 's/^totals: //p' bench-input.callgrind)
sums=$(python3 -c 'import json; r = json.load(open("bench-input.json")); print(*[r["total"][e] for e in r["events"]])')
rm -f bench-input.json
[ "$totals" = "$sums" ] || { echo "totals $totals are not $sums"; exit 1; }
