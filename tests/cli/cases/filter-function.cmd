# "--function REGEX ... filters, the same everywhere": the stacks that go through ack. Its calls and its inclusive ticks
# are those of `llvm-xray-19 account` and of "main;ack" in `llvm-xray-19 stack`; a pattern that is none is bad usage.
# Needs: YAML
trace=$GOLDEN/xray/fib-fdr.xray
map=$GOLDEN/xray/fib.instrmap-sym.yaml
tracelathe report --csv --function '^ack$' --map "$map" "$trace" | grep '^ack,' | cut -d, -f1,7,8
tracelathe report --csv --function '^(ack|main)$' --map "$map" "$trace" | grep -c -E '^(fib|sortpart|leafwork),'
tracelathe report --function '[' "$trace" >/dev/null 2>err
echo "status $? $(grep -c 'regular expression' err)"
