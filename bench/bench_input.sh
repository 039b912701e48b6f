#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench_input.sh GEN_XRAY TRACELATHE: the generated log is free of faults and has the calls it was asked for.
set -eu
"$1" 100000 >bench-input.xray
trap 'rm -f bench-input.xray' EXIT
"$2" check bench-input.xray
"$2" report --csv bench-input.xray | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{ calls += $column["calls"]; open += $column["unfinished"] }
	END { printf "%d calls, %d unfinished\n", calls, open; exit !(calls > 50000 && calls < 70000 && open == 0) }'
