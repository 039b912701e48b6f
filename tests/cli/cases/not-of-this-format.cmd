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
# A file of no format beside a trace is told as such, by those that read both as one input and by those that read each by itself; a text may be anything, and was
# taken for folded stacks that are damaged.
printf 'a;b 3\n' >a.folded; printf 'neither stacks nor a trace\n' >junk
for words in report stacks diff "merge --to folded"; do
	try $words a.folded junk 2>&1
done
