# "blocks of a thread in time order, one stack per thread; an exit closes every open frame above its entry; an exit without
# entry is an orphan; frames open at the end are unfinished and not in calls"; "t[n/2], t[floor(.9n)], t[floor(.99n)]".
# id, calls, min, median, p90, p99, max and sum in ticks, and the losses, of an independent reader in Python.
# All calls of 6 and 7 of tail-fdr are left by longjmp and throw (deduced): nobody knows when, so they have no duration.
for name in args-fdr custom-fdr events-fdr-tscwrap fib-basic fib-fdr fib-fdr-wrap mt-basic mt8-fdr tail-fdr typed-fdr; do
	echo $name
	tracelathe report --csv --sort id "$GOLDEN/xray/$name.xray" 2>/dev/null | awk -F, 'NR > 1 && $8' | cut -d, -f5,8-14
	tracelathe report --json "$GOLDEN/xray/$name.xray" 2>/dev/null |
		sed 's/.*"orphan_exits":\([0-9]*\),"deduced_exits":\([0-9]*\),"unfinished":\([0-9]*\).*/orphans \1 unfinished \3 deduced \2/'
done
