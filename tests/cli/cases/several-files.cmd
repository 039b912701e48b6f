# "Several files are one input where the format has it so (... one XRay log per process)": the calls are those of the two
# truth-account.csv added up by hand: fib 233 + 1918, ack 20 + 20, leafwork 1 + 1, sortpart 54 + 54, main 1 + 0. What
# tells of one file says that it does.
# Needs: YAML
map=$GOLDEN/xray/fib.instrmap-sym.yaml
tracelathe report --csv --map "$map" "$GOLDEN/xray/fib-fdr.xray" "$GOLDEN/xray/fib-fdr-wrap.xray" | cut -d, -f1,8 | sort
tracelathe info "$GOLDEN/xray/fib-fdr.xray" "$GOLDEN/xray/fib-fdr-wrap.xray" 2>/dev/null
echo "status $?"
tracelathe report "$GOLDEN/xray/fib-fdr.xray" missing 2>&1
echo "status $?"

# what stops a strict reading is told of the file it is in
printf 'events: Ir\nfn=a\n1 5\n' >one.out
printf 'events: Ir\nfn=a\n1 5\nno such line\n' >two.out
tracelathe report --strict one.out two.out 2>&1
echo "status $?"
