# Analyses of two threads (golden/xtrace, two.c): each line that a thread loses is an invalidation of the other one's, a miss
# that shares follows a loss, and each form has the same numbers.
one=$GOLDEN/xtrace/xtrace.20260101000001.0.hint9.xinsndata.bin
two=$GOLDEN/xtrace/xtrace.20260101000001.1.hint9.xinsndata.bin
for line in 64 16; do
	tracelathe analyze --sharing --json --line $line $one $two >sharing
	jq -c '[.sharing[0].lost == .sharing[1].invalidations, .sharing[1].lost == .sharing[0].invalidations,
		(.sharing | map(.true + .false <= .lost) | all), (.sharing | map(.true + .false) | add) == (.shared_lines | map(.true + .false) | add),
		(.sharing | map(.cold + .evicted + .true + .false <= .loads + .stores) | all),
		(.shared_lines | map(.true + .false) | . == (sort | reverse)), (.shared_lines | map(.threads) | unique)]' sharing
	tracelathe analyze --sharing --csv --line $line $one $two >table
	tail -n +2 table | cut -d, -f1-5 >rows
	jq -r '.shared_lines[] | [.line, .threads, .invalidations, .true, .false] | join(",")' sharing | cmp - rows && wc -l <rows
done
# Lines of 16 bytes are shared falsely no more than lines of 64: here not at all.
jq '.sharing | map(.false) | add' sharing
tracelathe analyze --sharing --csv --top 1 $one $two | wc -l
tracelathe analyze --sharing $one $two | sed -n '/^thread/,/^$/p'
tracelathe analyze --sharing $one $two | awk '/^Lines/ { on = 1 } on' | wc -l
tracelathe analyze --sharing $one 2>&1 | sed "s,$GOLDEN/,,"
echo "dependences:"
tracelathe analyze --dependences --json $one $two >dependences
jq -c '[.dependences[] | .thread + " " + .kind] | unique' dependences
# Of 16 * 2^n instructions together, more can run at once, and no chain is longer than its window.
jq -c '.parallelism | group_by(.thread)[] | [.[0].thread, (map(.chains) | . == (sort | reverse)), (map(.instructions) | unique | length),
	(map(.chains <= .instructions and .parallelism == (.instructions / .chains * 100 | round) / 100) | all), map(.window)]' dependences
jq -c '.dependences | group_by(.thread + .kind)[] | [.[0].thread, .[0].kind, .[-1].up_to]' dependences
# Touches of lines of 64 bytes are the accesses of L1D.
tracelathe analyze --sharing --cache --json $one $two | jq -c '[.sharing[] | .loads, .stores] ==
	[.cache[] | select(.level == "L1D" and .thread != "all" and (.access == "load" or .access == "store")) | .accesses]'
echo "caches with prefetchers and stores that are followed:"
cat >mine.cfg <<'TEXT'
L1I instruction size=1K ways=2 prefetch=next next=L2
L1D data size=256 ways=2 write=back prefetch=stride next=L2
L2  size=1K ways=4 policy=plru inclusive
TEXT
tracelathe analyze --cache=mine.cfg --json $one >caches
jq -c '[.cache_traffic[] | [.level, .prefetched > 0, .useful <= .prefetched]], (.cache_traffic[1].written >= .cache_traffic[2].written)' caches
tracelathe analyze --cache=mine.cfg $one | awk '/^Written/ { on = 1 } on && $2 ~ /^L/ { print $2, $3, $4, $5 }' >text
jq -r '.cache_traffic[] | [.level, .written, .prefetched, .useful] | join(" ")' caches | cmp - text && echo same
# Without a prefetcher and "write=" the table is not there; what misses is asked of the next level.
sed 's/ prefetch=[a-z]*//; s/ write=[a-z]*//' mine.cfg >plain.cfg
tracelathe analyze --cache=plain.cfg --json $one | jq -c 'keys, ([.cache[] | select(.level != "L2" and .access != "load" and .access != "store") | .misses] | add) ==
	([.cache[] | select(.level == "L2" and .access == "all") | .accesses] | add)'
