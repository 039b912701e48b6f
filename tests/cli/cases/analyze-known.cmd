# Analyses of a trace whose program can be read (golden/xtrace/small.c): fib(5) makes 15 calls, 7 of them with a call
# below each half; sum() and count_up() go 40 times round; writev has two vectors of 6 bytes and writes 12; openat finds
# nothing; there is no system call 9999.
trace=$GOLDEN/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin
elf=$GOLDEN/xtrace/small.elf
echo "blocks entered 40 times in all, less the first or last round:"
tracelathe analyze --blocks --csv --binary $elf $trace |
	awk -F, '$5 == 39 { print $8 " " $5 } $8 == "fib" && $5 == 15 { calls++ } END { print "fib: " calls " blocks, 15 times" }'
tracelathe analyze --syscalls $trace | sed 's/= [0-9]*$/= PID/; s/0x[0-9a-f]*/ADDRESS/g'
echo "instructions, by blocks, vectors, intervals and records:"
tracelathe analyze --blocks --csv $trace | awk -F, 'NR > 1 { sum += $6 } END { print sum }'
tracelathe analyze --bbv $trace | tr ' ' '\n' | awk -F: '{ sum += $3 } END { print sum }'
tracelathe analyze --bbv --interval 100 $trace | awk -F'[: ]' '{ sum = 0; for (i = 3; i <= NF; i += 3) sum += $i; print sum }'
tracelathe convert --to champsim $trace | wc -c | awk '{ print $1 / 64 }'
tracelathe convert --to jsonl $trace | wc -l
tracelathe convert --to tarmac $trace | grep -c ' IT '
# The mean of nothing is not there; all analyses in one JSON object.
tracelathe analyze --footprint --reuse --cache --syscalls --blocks --json $trace | jq -c 'keys'
