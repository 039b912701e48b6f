# Calls of an instruction stream one by one, in its instructions. From small.c (golden/xtrace): fib(5) is 15 calls, 7 of which
# call twice: 15 * 10 + 7 * 7 = 199 instructions; sum is 6 + 40 * 4, count_up 5 + 40 * 6; fib(n) goes n - 1 deep.
# Needs: SQLite
trace=$GOLDEN/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin
elf=$GOLDEN/xtrace/small.elf
tracelathe dump --calls --json --binary $elf $trace >calls
jq -r .function calls | sort | uniq -c | sed 's/^ *//'
jq -c 'select(.depth == 1) | [.function, .end - .start]' calls
jq -s 'map(select(.function == "fib") | .depth) | [min, max]' -c calls
echo "each call is in its parent:"
jq -s -c 'INDEX(.id) as $all | map(select(.parent != null and .depth > 1) | $all[.parent | tostring] as $p |
	.start > $p.start and .end < $p.end and .depth == $p.depth + 1 and $p.function == "fib") | [length, all]' calls
echo "query has the same:"
tracelathe query --csv --binary $elf $trace \
	"select f.name, count(*), sum(c.duration) from calls c join functions f on f.id = c.function where c.depth > 0 group by 1 order by 1"
jq -s -r 'map(select(.depth > 0)) | group_by(.function)[] | [.[0].function, length, (map(.end - .start) | add)] | join(",")' calls
tracelathe query --csv --binary $elf $trace "select count(*) from calls where start >= 424 and \"end\" <= 500" | tail -n 1
jq -s 'map(select(.start >= 424 and .end != null and .end <= 500)) | length' calls
echo "filters:"
tracelathe dump --calls --json --binary $elf --function '^fib$' $trace | jq -r .function | sort | uniq -c | sed 's/^ *//'
tracelathe dump --calls --json --binary $elf --thread 7 $trace 2>&1 | sed "s,$GOLDEN/,,"
