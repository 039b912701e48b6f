# What cannot be asked of a format is told, and nothing is written.
log=$GOLDEN/xray/args-fdr.xray profile=$GOLDEN/callgrind/threads.out-01
try() { tracelathe "$@" >out; echo "status $?, $(wc -c <out) bytes" >&2; }
try report --instructions 1..5 $log 2>&1 | sed "s,$GOLDEN/,,"
for words in "report --time 1..2" "report --cpu 1" "slice --instructions 1..5" "slice --function main" "timeline" "convert --to yaml" \
	"convert --to drcov" "slice --part 77"; do
	try $words $profile 2>&1 | sed "s,$GOLDEN/,,"
done
# Standard input is read once: a check or a profile of it is one reading.
tracelathe report --csv - <$profile >once; tracelathe report --csv $profile | cmp - once && echo "the same"
tracelathe stacks - <$profile >once 2>/dev/null; tracelathe stacks $profile 2>/dev/null | cmp - once && echo "the same stacks"
