#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# threads.sh: what works with several threads at once under clang's ThreadSanitizer, in build-threads: the server of
# `view` with many clients, the command's cases, reports of a log of many buffers by four threads, and profiles of
# instruction streams and of Intel PT, whose segments threads fold in any order. A race of two ends the program
# that has it with status 66, which its test does not expect. Part of `make check-long`.
set -eu
cd "$(dirname "$0")/.."
directory=build-threads
program=$directory/tracelathe
CC=clang-19 CXX=clang++-19 TARGETS="tracelathe bench/gen_xray" scripts/build.sh $directory -Db_sanitize=thread \
	-Db_lundef=false -Doptimization=1
TSAN_OPTIONS=exitcode=66
export TSAN_OPTIONS

python3 tests/web/view_server.py "$program"
tests/cli/run.sh "$program"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
$directory/bench/gen_xray 1500000 >"$work/log.xray"
for question in "report" "report --exact" stacks "dump --calls" "dump --json" info check "flame -o -" "timeline -o -" \
	"timeline --to chrome -o -"; do
	for jobs in 1 4; do
		# The words of a question are arguments.
		# shellcheck disable=SC2086
		"$program" $question --jobs $jobs "$work/log.xray" >"$work/$jobs" 2>"$work/words" || {
			cat "$work/words"
			exit 1
		}
	done
	cmp "$work/1" "$work/4" || { echo "$question: four threads answer otherwise than one"; exit 1; }
done

# Which segments are folded again depends on the order in which threads come to them: the answer does not.
for trace in tests/corpus/xtrace/*/*.xinsndata.bin tests/corpus/intel-pt/rec.*.pt ../shared/corpus/xtrace/*/*.xinsndata.bin; do
	[ -e "$trace" ] || continue
	"$program" report --csv --all --jobs 1 "$trace" >"$work/1" 2>"$work/words" || [ $? -eq 1 ]
	for round in 1 2 3 4 5; do
		"$program" report --csv --all --jobs 4 "$trace" >"$work/4" 2>"$work/words" || [ $? -eq 1 ] || {
			cat "$work/words"
			exit 1
		}
		cmp "$work/1" "$work/4" || { echo "$trace: four threads answer otherwise than one, round $round"; exit 1; }
	done
done
echo "no race"
