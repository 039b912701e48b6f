#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD-DIRECTORY: record a small C++ program with XRay and show what tracelathe makes of it.
set -eu
cd "$(dirname "$0")/../.."
here=examples/demo
build=$1
tracelathe=$build/tracelathe
out=$build/demo
cxx=
for candidate in clang++-19 clang++-14 clang++; do
	if command -v $candidate >/dev/null; then cxx=$candidate; break; fi
done
[ -n "$cxx" ] || { echo "demo: no clang++ found (make deps installs one)" >&2; exit 1; }

show() { printf '\n$ %s\n' "$*"; }

mkdir -p "$out"
rm -f "$out"/demo.* "$out"/timeline.*
show $cxx -O2 -g1 -fxray-instrument $here/demo.cpp -o "$out/demo" -pthread
$cxx -O2 -g1 -fxray-instrument $here/demo.cpp -o "$out/demo" -pthread

show "XRAY_OPTIONS=xray_logfile_base=$out/demo. $out/demo"
# On a machine that does not tell the rate of its clock XRay says so, and stamps nanoseconds instead.
XRAY_OPTIONS=xray_logfile_base=$out/demo. "$out/demo" 2>"$out/stderr" || { cat "$out/stderr" >&2; exit 1; }
for log in "$out"/demo.*; do [ -f "$log" ] && break; done
[ -f "$log" ] || { cat "$out/stderr" >&2; echo "demo: no log was written" >&2; exit 1; }
mv "$log" "$out/demo.xray"
log=$out/demo.xray
chmod 644 "$log"
echo "$log: $(wc -c <"$log") bytes"

show tracelathe report --binary "$out/demo" "$log"
"$tracelathe" report --binary "$out/demo" "$log"

show tracelathe tree --top-down --binary "$out/demo" "$log" '| head -n 30'
"$tracelathe" tree --top-down --binary "$out/demo" "$log" >"$out/tree.txt"
head -n 30 "$out/tree.txt"

show tracelathe timeline --binary "$out/demo" -o "$out/timeline.perfetto" "$log"
"$tracelathe" timeline --binary "$out/demo" -o "$out/timeline.perfetto" "$log"
echo "The timeline is in $out/timeline.perfetto: open it at https://ui.perfetto.dev (it stays on your machine)."
echo "More: tracelathe help, and for this log: $tracelathe info $log"
