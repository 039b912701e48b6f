#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program is recorded afresh, in several forms, and decoding must give the addresses it was seen at.
#   record.sh RECORDER AGREE PROGRAM
set -u
recorder=$1 agree=$2 program=$3
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0

# record NAME OPTIONS...: the whole of the small program, the start of a dynamically linked one
record()
{
	name=$1
	shift
	for what in "$program" "-n 12000 /bin/true"; do
		# shellcheck disable=SC2086 # the words of $what are words
		"$recorder" -o "$work/$name" "$@" $what >"$work/log" 2>&1
		case $? in
		0) ;;
		77) echo "skipped: $(cat "$work/log")"; exit 77 ;;
		*) cat "$work/log"; exit 1 ;;
		esac
		if grep -q "does not say all" "$work/log"; then
			cat "$work/log"
			status=1
		fi
		"$agree" "$work/$name" || status=1
	done
}

record compressed --psb 700
record plain --no-compression --psb 4096
record timed --time --interrupt 611
record cycles --cycles --long-tnt --psb 1500 --interrupt 977
# A list that does not fit must be seen.
printf 'xxxxxxxx' >>"$work/cycles.ips"
if "$agree" "$work/cycles" >/dev/null; then
	echo "a longer list went unnoticed"
	status=1
fi
exit $status
