#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run each libFuzzer target for FUZZ_SECONDS (default 600), one after the other. New inputs are kept in
# build-fuzz/corpus/TARGET, what crashes in build-fuzz/crashes. FUZZ_TARGETS names some targets only.
set -eu
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-600}
if command -v clang-19 >/dev/null; then version=19; else version=14; fi
export CC=clang-$version CXX=clang++-$version

[ -f build-fuzz/build.ninja ] || meson setup build-fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false \
	-Dbuildtype=debugoptimized -Dc_args='-fsanitize=fuzzer-no-link -fno-sanitize-recover=all' >build-fuzz.log 2>&1 || {
	cat build-fuzz.log >&2
	exit 1
}
rm -f build-fuzz.log
ninja -C build-fuzz fuzz-targets
# Short stacks of allocations and a small quarantine: three times the executions a second.
export ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=4
mkdir -p build-fuzz/crashes
status=0
for target in ${FUZZ_TARGETS:-build-fuzz/fuzz/libfuzzer_*}; do
	name=${target##*libfuzzer_}
	case $name in *.p) continue ;; esac
	mkdir -p "build-fuzz/corpus/$name"
	seeds=fuzz/corpus/$name
	[ -d "$seeds" ] || seeds=fuzz/corpus/${name%%_*}
	# Long enough for several buffers, short enough for ten thousand executions a second.
	length=2048
	[ "$name" != xray_fold ] || length=640
	# A snapshot alone has 1424 bytes.
	case $name in xtrace_*) length=4096 ;; esac
	dictionary=
	for part in $name ${name%%_*} ${name##*_}; do
		[ -n "$dictionary" ] || [ ! -f "fuzz/dictionaries/$part.dict" ] || dictionary=-dict=fuzz/dictionaries/$part.dict
	done
	echo "== $name, $seconds s"
	# No dictionary is no argument.
	# shellcheck disable=SC2086
	"build-fuzz/fuzz/libfuzzer_$name" -max_total_time="$seconds" -max_len=$length -timeout=10 \
		-rss_limit_mb=2048 -print_final_stats=1 $dictionary -artifact_prefix=build-fuzz/crashes/"$name"- \
		"build-fuzz/corpus/$name" "$seeds" 2>"build-fuzz/$name.log" || {
		status=1
		echo "fuzz: $name found something:" >&2
	}
	grep -E '^stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)|^SUMMARY|ERROR: |Test unit' \
		"build-fuzz/$name.log" || true
done
exit $status
