#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mutate.sh PROGRAM [COUNT]: the command on mutants of the shared corpus, made by its own mutator: no signal, no crash,
# no timeout (the mutator's exit status), with memory limited.
set -eu
program=$(realpath "$1")
count=${2:-500}
shared=${TL_SHARED:-${TL_SOURCE_ROOT:-.}/../shared}
if [ ! -f "$shared/tools/mutate.py" ]; then
	echo "skipped: no shared corpus"
	exit 77
fi
cd "$shared/corpus/xray"
# The address sanitizer maps terabytes that it never touches.
memory=2000000 # KiB
if nm "$program" 2>/dev/null | grep -q __asan_init; then memory=30000000000; fi
# The command works at all: what follows would not tell.
"$program" report fib-fdr.xray >/dev/null
for command in report "dump --json" check timeline "convert --to xray"; do
	python3 "$shared/tools/mutate.py" run --kind binary --count $((count / 5)) --seed 12345 --timeout 20 \
		--mem-kib $memory \
		--cmd "$program $command {}" \
		fib-fdr.xray mt8-fdr.xray tail-fdr.xray args-fdr.xray custom-fdr.xray mig-fdr.xray \
		events-fdr-tscwrap.xray fib-basic.xray args-basic.xray v1-fib-fdr.xray v2-fib-fdr.xray \
		v3-args-fdr.xray v4-custom-fdr.xray
done
