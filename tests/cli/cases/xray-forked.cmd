# Four logs of a program that forked three times: what children inherited counts once, whatever the order, and is told. The
# calls are those of the counters that each process printed at its end, without what it had inherited: work 76 in the
# parent, 68 - 34, 97 - 42 and 144 - 55 in its children; parent 4, child 3, main 1. The same log twice is refused.
logs=$GOLDEN/xray/forky
for order in "0 1 2 3" "3 2 1 0" "1 3 0 2"; do
	files=$(for i in $order; do echo $logs-$i.xray; done)
	tracelathe report --csv $files 2>err | cut -d, -f5,8,15 | sort >rows
	tracelathe merge --to csv $files 2>/dev/null >merged.$(echo $order | tr -d ' ')
done
cat rows
sed "s,$GOLDEN/,," err
tracelathe report $logs-?.xray 2>/dev/null | head -n 1
cmp merged.0123 merged.3210
cmp merged.0123 merged.1302
tracelathe report $logs-0.xray $logs-1.xray $logs-0.xray 2>&1 >/dev/null | sed "s,$GOLDEN/,,"
tracelathe merge $logs-0.xray $logs-0.xray 2>&1 >/dev/null | sed "s,$GOLDEN/,,"
cp $logs-0.xray copy.xray
tracelathe report $logs-0.xray copy.xray >/dev/null 2>&1
echo "status $?"
tracelathe report --csv copy.xray $logs-?.xray 2>/dev/null | cut -d, -f5,8,15 | sort | cmp - rows
printf 'version: 1\nevents: Ir\nfn=a\n1 1\n' >one.callgrind
cp one.callgrind two.callgrind
tracelathe report one.callgrind two.callgrind 2>&1 >/dev/null
