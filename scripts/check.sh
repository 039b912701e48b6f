#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `make check` proves: every test passes with gcc and again under the sanitizers, and two clangs agree that the
# code is free of warnings. The last line is "N passed, N failed", the sum of all test runs (a build counts as one);
# what failed is named above it, since the end is all that many logs keep.
set -u
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
passed=0 failed=0 skipped=0 named=
# The tests' limits of time are those of a quiet machine: one that others load gets as much more as has to share it now, and
# at least three times as much, as it may be loaded later, and as more tests run at once than there are cores.
patience=$(awk -v cores="$(nproc)" '{ n = int($1 / cores) + 3; print (n > 6 ? 6 : n) }' /proc/loadavg 2>/dev/null || echo 3)
# Many tests wait for much of their time, for a process, a signal, a limit of time: others run then.
processes=$((2 * jobs))

build_failed() {
	echo "check: $1 does not build" >&2
	failed=$((failed + 1))
	named="$named
$1 does not build"
}

# build DIRECTORY [MESON-SETUP-OPTION...]; the compiler is $CC.
build() {
	echo "== build $1 ($CC)"
	JOBS=$jobs scripts/build.sh "$@"
}

# results DIRECTORY: how many tests of the last run passed, were skipped and failed; then, a line each, the failed ones
# with the last words of each.
results() {
	python3 - "$1" <<'PYTHON'
import json, sys
with open(f"{sys.argv[1]}/meson-logs/check.json") as log:
    tests = [json.loads(line) for line in log]
passed = sum(test["result"] in ("OK", "EXPECTEDFAIL") for test in tests)
skipped = sum(test["result"] == "SKIP" for test in tests)
print(passed, skipped, len(tests) - passed - skipped)
for test in tests:
    if test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP"):
        said = (test.get("stdout", "") + "\n" + test.get("stderr", "")).strip().splitlines()
        print(f"{sys.argv[1]}: {test['name']}: {test['result']}", *said[-4:], sep="\n  ")
PYTHON
}

# run_tests DIRECTORY [MESON-TEST-OPTION...]
run_tests() {
	directory=$1
	echo "== test $directory"
	shift
	# A run that stops before its first test must not be counted by the log of the one before.
	rm -f "$directory/meson-logs/check.json"
	meson test -C "$directory" --no-suite long "$@" --logbase check --no-rebuild --num-processes "$processes" --print-errorlogs \
		--timeout-multiplier "$patience" ||
		echo "check: tests failed in $directory" >&2
	if [ ! -s "$directory/meson-logs/check.json" ]; then
		build_failed "$directory (no test ran)"
		return
	fi
	results "$directory" >"$directory/meson-logs/check.results"
	read -r ok skip bad <"$directory/meson-logs/check.results"
	passed=$((passed + ok)) skipped=$((skipped + skip)) failed=$((failed + bad))
	[ "$bad" -eq 0 ] || named="$named
$(sed 1d "$directory/meson-logs/check.results")"
}

export CC CXX
# Hundreds of test programs hold the library: a quick linker spares most of the time that linking them takes.
if command -v mold >/dev/null; then export CC_LD=mold CXX_LD=mold; fi
CC=gcc CXX=g++
# What damages inputs (suite damage) is for the sanitizers, which see more of it.
if build build; then run_tests build --no-suite damage; else build_failed build; fi

for version in 14 19; do
	CC=clang-$version CXX=clang++-$version
	if ! command -v $CC >/dev/null; then
		echo "== no $CC here"
		skipped=$((skipped + 1))
	# For the warnings alone no code needs to be made: the older one is asked as for a machine of 32 bits.
	elif WARNINGS=$([ $version = 14 ] && echo 32 || echo 64) build build-clang$version -Doptimization=0 -Ddebug=false; then
		passed=$((passed + 1))
	else
		build_failed build-clang$version
	fi
done

CC=gcc CXX=g++
# A leak, a data race on free, or undefined behaviour ends the test with a status that no test expects. What is undefined
# ends in an illegal instruction, whose place AddressSanitizer names: the words of the other way, why it is undefined, are
# 12 megabytes of data in each program, which are looked through for pointers whenever one of many thousand processes ends.
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:exitcode=99:allocator_may_return_null=1:handle_sigill=1
# Differential tests leave out what repeats the same accesses to memory on more bytes (tests/differential/common.py).
export TL_SMALL=1
# Lines for the places, but no types and variables, and little optimization: what is checked is the same, and translating it
# takes half the time. The other builds are asked for warnings.
if build build-asan -Db_sanitize=address,undefined -Doptimization=1 -Dwerror=false \
	'-Dc_args=-g1 -fno-sanitize-recover=all -fsanitize-undefined-trap-on-error'; then
	# What reads our sources alone (suite layers), and programs that have no sanitizer (suite fresh), have been asked once.
	run_tests build-asan --no-suite layers --no-suite fresh
else
	build_failed build-asan
fi

line="$passed passed, $failed failed"
[ $skipped -eq 0 ] || line="$line, $skipped skipped"
[ -z "$named" ] || echo "
== failed$named"
echo
echo "$line"
[ $failed -eq 0 ]
