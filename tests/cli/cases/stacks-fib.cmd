# "folded stacks, self cost (sums to the total)": self worked out of `llvm-xray-19 stack -stack-format=flame`, whose values
# are inclusive: that of a stack less those of its extensions by one frame.
# Needs: YAML
tracelathe stacks --map "$GOLDEN/xray/fib.instrmap-sym.yaml" "$GOLDEN/xray/fib-fdr.xray" | sort
