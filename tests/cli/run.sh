#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM [K/N | CASE...]: run the command as people do and hold it against exact words: every case, every N-th
# from the K-th on (so that N tests share them), or those that are named.
#
# A case is cases/NAME.cmd, a shell script that runs in an empty directory with `tracelathe` on its PATH and GOLDEN
# naming tests/golden; its first comment says what it proves and where the expected words come from. A line "# Needs: zstd
# Zydis" names parts that the program may be built without, or LLVM, which it may not find; the case is then left out.
# NAME.out and NAME.err are its exact output (absent: none), NAME.status its exit status (absent: 0).
set -u
[ -x "${1-}" ] || { echo "run.sh: ${1-nothing} is not a program" >&2; exit 99; }
program=$(realpath "$1")
shift
cd "$(dirname "$0")" || exit 99

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
if [ -n "${MESON_EXE_WRAPPER-}" ]; then
	# A program of another machine (scripts/cross.sh).
	printf '#!/bin/sh\nexec %s %s "$@"\n' "$MESON_EXE_WRAPPER" "$program" >"$work/bin/tracelathe"
	chmod +x "$work/bin/tracelathe"
else
	ln -s "$program" "$work/bin/tracelathe"
fi
GOLDEN=$(realpath ../golden)
PATH=$work/bin:$PATH
LC_ALL=C
XDG_CONFIG_HOME=$work/run/config # of each case alone
export GOLDEN PATH LC_ALL XDG_CONFIG_HOME
unset NO_COLOR

failed=0
count=0
left_out=0
lacking=$(tracelathe --version | sed -n 's/^built without //p')
# A64 instructions have their text from LLVM's library, which is looked for when it is needed.
echo '0, 0x1000, 0xd503201f, "nop"' >"$work/nop"
case $(tracelathe dump "$work/nop") in *.inst*) lacking="$lacking${lacking:+, }LLVM" ;; esac

# same WHAT EXPECTED-FILE ACTUAL-FILE
same()
{
	[ -f "$2" ] && expected=$2 || expected=/dev/null
	cmp -s "$expected" "$3" && return 0
	echo "$name: $1 differs"
	diff -u "$expected" "$3" | head -n 40
	return 1
}

# lacks CASE: whether this build has not what the case needs.
lacks()
{
	for part in $(sed -n 's/^# Needs: //p' "$1"); do
		case $lacking in *"$part"*) return 0 ;; esac
	done
	return 1
}

run_case()
{
	name=$1
	if lacks "$2"; then
		left_out=$((left_out + 1))
		return
	fi
	mkdir "$work/run"
	(cd "$work/run" && sh "$2" >../out 2>../err </dev/null)
	echo $? >"$work/status"
	[ -f "cases/$name.status" ] || echo 0 >"$work/none"
	ok=0
	same output "cases/$name.out" "$work/out" || ok=1
	same "standard error" "cases/$name.err" "$work/err" || ok=1
	if [ -f "cases/$name.status" ]; then
		same status "cases/$name.status" "$work/status" || ok=1
	else
		same status "$work/none" "$work/status" || ok=1
	fi
	rm -rf "$work/run"
	count=$((count + 1))
	failed=$((failed + ok))
}

# every_nth K N
every_nth()
{
	at=0
	for file in cases/*.cmd; do
		[ $((at % $2 + 1)) -ne "$1" ] || run_case "$(basename "$file" .cmd)" "$PWD/$file"
		at=$((at + 1))
	done
}

if [ $# -eq 0 ]; then
	every_nth 1 1
elif expr "$1" : '[0-9]*/[0-9]*$' >/dev/null; then
	every_nth "${1%/*}" "${1#*/}"
else
	for name in "$@"; do
		run_case "$name" "$PWD/cases/$name.cmd"
	done
fi
[ $left_out -eq 0 ] || echo "$left_out cases left out, as this program lacks $lacking"
echo "$count cases, $failed failed"
[ "$failed" -eq 0 ] && [ "$count" -gt 0 ]
