# "Said on stderr, exit 1: nothing matched a filter (--function, --thread, --time)"; a bad regular expression is the
# option's fault, not the file's.
# Needs: YAML
x=$GOLDEN/xray/fib-fdr.xray
cp "$x" log
cp "$GOLDEN/xray/fib.instrmap-sym.yaml" map.yaml
cp "$GOLDEN/callgrind/threads.out-01" cg
cp "$GOLDEN/intel_pt/timed.pt" pt
try()
{
	tracelathe "$@" >out
	echo "$? $*" | cut -c 1-70
}
exec 2>&1
for filter in '--thread 99' '--pid 99' '--cpu 99' '--time 5..6' '--time 5..' '--function nosuch' '--object nosuch'; do
	try report $filter --map map.yaml log
done
for command in dump timeline stacks tree 'flame --svg' convert; do
	try $command --thread 99 --map map.yaml log
done
try dump --function nosuch log
try timeline --function nosuch log
try report --function nosuch cg
try report --part 99 cg
try annotate --function nosuch cg
try diff --function nosuch cg cg
try merge --function nosuch cg cg
try report --function '(' log
try annotate --file '(' cg
try slice --trigger '(' pt
try diff --rename '(=x' cg cg
# What matches is not complained of.
try report --thread 1 --function . cg
