# "Pid record: not in version 1" (docs/formats/xray.md, section 5): the process of its threads is unknown, and no process has
# the number 0.
tracelathe report --by process --csv "$GOLDEN/xray/v1-buffers.xray" 2>&1 | cut -d, -f1
tracelathe convert --to json "$GOLDEN/xray/v1-buffers.xray" | jq -c '[.parts[].process] | unique'
tracelathe convert --to json "$GOLDEN/xray/fib-fdr.xray" | jq -c '[.parts[].process] | unique'
# Where all tell it, nothing else is.
tracelathe report --by process --csv "$GOLDEN/xray/fib-fdr.xray" | cut -d, -f1
