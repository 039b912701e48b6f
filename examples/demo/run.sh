#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD-DIRECTORY: record a small C++ program and show what tracelathe makes of it.
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
rm -rf "$out"/demo.* "$out"/timeline.*
show $cxx -O2 -g1 -fxray-instrument $here/demo.cpp -o "$out/demo" -pthread
$cxx -O2 -g1 -fxray-instrument $here/demo.cpp -o "$out/demo" -pthread

show tracelathe record -o "$out/demo.xray" "$out/demo"
"$tracelathe" record -o "$out/demo.xray" "$out/demo"
log=$out/demo.xray
echo "$log: $(wc -c <"$log") bytes"

show tracelathe report "$log"
"$tracelathe" report "$log"

show tracelathe tree --top-down "$log" '| head -n 30'
"$tracelathe" tree --top-down "$log" >"$out/tree.txt"
head -n 30 "$out/tree.txt"

show tracelathe timeline -o "$out/timeline.perfetto" "$log"
"$tracelathe" timeline -o "$out/timeline.perfetto" "$log"
echo "The timeline is in $out/timeline.perfetto: open it at https://ui.perfetto.dev (it stays on your machine)."

# A build without the parts of the page writes the picture.
page=$out/demo.html
show tracelathe flame -o "$page" "$log"
"$tracelathe" flame -o "$page" "$log" 2>/dev/null || { page=$out/demo.svg; "$tracelathe" flame --svg -o "$page" "$log"; }
echo "The flame graph is in $page"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then xdg-open "$page" >/dev/null 2>&1 & fi
echo "More: tracelathe help, and for this log: $tracelathe info $log"
