# "if --binary is not given and the functions are unnamed, report prints a hint on stderr once; never for csv or json".
# Needs: YAML
trace=$GOLDEN/xray/fib-fdr.xray
tracelathe report "$trace" >text
tracelathe report --csv "$trace" >csv
tracelathe report --json "$trace" >json
tracelathe report --map "$GOLDEN/xray/fib.instrmap-sym.yaml" "$trace" >named
grep -c '#[1-5]$' text
grep -o -w -E 'main|fib|ack|sortpart|leafwork' named | sort -u | tr '\n' ' '
# Nor when a map is given, though it names nothing.
sed 's/, *function-name: *[^,}]*//' "$GOLDEN/xray/fib.instrmap-sym.yaml" >nameless.yaml
tracelathe report --map nameless.yaml "$trace" >nameless
grep -c '#[1-5]$' nameless
