#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh WITH-REVERSED TRACELATHE: a command with the format of reversed.c can do with it what follows from its row.
set -u
command=$(realpath "$1")
without=$(realpath "$2")
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failed=0

# same WHAT EXPECTED ACTUAL
same()
{
	[ "$2" = "$3" ] && return
	printf '%s:\n  expected: %s\n  is:       %s\n' "$1" "$2" "$3"
	failed=1
}

printf '5 read<parse<main\n3 parse<main\n2 main\n10 read<parse<main\n7 write<main\n' >stacks.reversed

# Self: the cost of the lines that end with a function. Inclusive: of those that it is in.
same 'the function table' 'function,object,file,line,id,Samples:self,Samples:inclusive,calls
read,,,,,15,15,0
write,,,,,7,7,0
parse,,,,,3,18,0
main,,,,,2,27,0' "$("$command" report --csv stacks.reversed | tr -d '\r')"
same 'its stacks' 'main 2
main;parse 3
main;parse;read 15
main;write 7' "$("$command" stacks stacks.reversed)"
same 'by name, from a pipe' 'main 2' "$(echo '2 main' | "$command" stacks --format reversed -)"
same 'help' 1 "$("$command" help | grep -c '\<reversed\>')"
same 'completion' 1 "$("$command" help --completion bash | grep -c 'report:--format) words=".*\breversed"')"

# What is not in the row is not supported, and that is said with the name of the file.
unsupported()
{
	"$command" "$1" stacks.reversed >out 2>err
	same "exit status of $1" 2 $?
	same "$1" "tracelathe: stacks.reversed: $2" "$(cat err)"
}
unsupported dump 'this format has no records to show'
unsupported check 'this format has no rules to check'
unsupported info 'nothing can be said about files of this format'
unsupported timeline 'this format holds no times, so no timeline can be made of it'
unsupported slice 'traces of this format cannot be cut'
unsupported analyze 'this format holds no instructions and accesses that can be analyzed'
"$command" convert --to folded stacks.reversed >out
same 'convert --to folded: the exporter' 'main 2' "$(head -n 1 out)"

# record_word: damage counts lines.
printf '1 a<main\na<main\n' >damaged.reversed
same 'damage' 'tracelathe: damaged.reversed: line 0: a line does not begin with a cost; left it out' \
	"$("$command" stacks damaged.reversed 2>&1 >out)"

# Without the row the file is of no format.
"$without" report stacks.reversed >out 2>err
same 'without the row' 'tracelathe: stacks.reversed: offset 0x0: not a trace of any format that this build reads' "$(cat err)"
[ $failed -eq 0 ] && echo 'all as it should be'
exit $failed
