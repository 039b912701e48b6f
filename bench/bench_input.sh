#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench_input.sh GEN_XRAY GEN_CALLGRIND TRACELATHE: the generated log is free of faults and has the calls it was asked for;
# the self costs of the generated profile are those of its own totals: line, and no name is one that it did not define.
set -eu
trap 'rm -f bench-input.xray bench-input.callgrind' EXIT
# Calls that were written, those of them that are not ended, and the depth of the deepest.
for shape in regular:60000:11 random200:50000:65 random100000:50000:65 threads1000:380000:11 deep20000:70000:20001 bursts:50000:11; do
	"$1" 100000 "${shape%%:*}" >bench-input.xray
	"$3" check bench-input.xray
	"$3" query --csv bench-input.xray "SELECT count(*), sum(end IS NULL), max(depth) FROM calls" | awk -F, -v shape="$shape" '
		BEGIN { split(shape, wanted, ":") }
		NR == 2 { print wanted[1], $0; exit !($1 >= 0.8 * wanted[2] && $1 <= 1.5 * wanted[2] && $2 == 0 && $3 + 1 <= wanted[3]) }'
done
"$2" 50000 >bench-input.callgrind
"$3" report --json bench-input.callgrind >bench-input.json
totals=$(sed -n 's/^totals: //p' bench-input.callgrind)
sums=$(python3 -c 'import json; r = json.load(open("bench-input.json")); print(*[r["total"][e] for e in r["events"]])')
rm -f bench-input.json
[ "$totals" = "$sums" ] || { echo "totals $totals are not $sums"; exit 1; }
