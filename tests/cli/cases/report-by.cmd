# "per object / file / function": without a program all functions are of one unknown object, which has all of the cost.
tracelathe report --by object --csv --event Ticks "$GOLDEN/xray/fib-fdr.xray"
tracelathe report --csv "$GOLDEN/xray/fib-fdr.xray" 2>/dev/null | awk -F, 'NR > 1 { self += $6; calls += $8 } END { print self, calls }'
