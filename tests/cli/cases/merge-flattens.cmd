# A merged profile has call stacks only if all files have them. Outputs that depend on stacks tell that those of the log are
# left out, with status 1; a Callgrind file has none in any case, and paths that have to be estimated are told as such.
cp "$GOLDEN/xray/fib-fdr.xray" log
cp "$GOLDEN/callgrind/threads.out-01" cg
for to in json csv dot callgrind folded; do
	tracelathe merge --to $to log cg >out
	echo "$? $to"
done
# The totals are those of both files: of the log in ticks, of the Callgrind file in instructions.
tracelathe merge --to json log cg | grep -o '"total":.*'
tracelathe convert --to json log | grep -o '"total":.*'
tracelathe convert --to json cg | grep -o '"total":.*'
# All files without stacks, or all with stacks: nothing is lost.
cp "$GOLDEN/callgrind/threads.out-02" cg2
tracelathe merge --to json cg cg2 >out
echo "$? no stacks"
cp "$GOLDEN/xray/mt8-fdr.xray" log2
tracelathe merge --to csv log log2 >out
echo "$? stacks"
