# Profiling mode after exceptions and longjmp: ticks are signed, and a negative time is none. The calls are those that the
# program's own counters say (25,496 of thrower, 8,968 of leap, 4 of worker, 1 of main, 2,000 of each of the six others); no
# figure is negative or 2^63 - 1; what is unknown is told, and the exit status says it. Of 138 paths 86 have negative
# ticks: counted in the bytes of the file by a script of a few lines.
trace=$GOLDEN/xray/exc-prof.xray
tracelathe report --csv "$trace" >rows 2>err
echo "status $?"
cut -d, -f1,8 rows | sort
grep -c "negative ticks" err
head -n 1 err | sed "s,$GOLDEN/,,"
cut -d, -f6,7 rows | grep -e - -e 9223372036854775807
tracelathe check "$trace" | grep -c "negative ticks"
tracelathe dump --json "$trace" | grep -c '"ticks":-'
for command in report tree stacks "convert --to json" timeline; do
	tracelathe $command "$trace" >out 2>/dev/null
	echo "$command: status $?"
done
