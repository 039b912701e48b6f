# Filters that leave nothing of a trace leave its trees empty; a trace has call stacks, so none says that it has none.
# Needs: YAML
cp "$GOLDEN/xray/fib-fdr.xray" log
cp "$GOLDEN/xray/fib.instrmap-sym.yaml" map.yaml
exec 2>&1
for kind in --top-down --bottom-up; do
	tracelathe tree $kind --function nosuch --map map.yaml log
	echo "$? $kind"
	tracelathe tree $kind --csv --thread 99 --map map.yaml log
	echo "$? $kind --csv"
done
# A profile of costs has no call stacks, whatever is left of it.
printf 'events: Ir\nfn=a\n1 5\n' >sums
tracelathe tree --top-down sums
echo "$? sums"
