# The call tree: path and inclusive ticks of each node, as `llvm-xray-19 stack -stack-format=flame` has them.
# Needs: YAML
tracelathe tree --top-down --csv --map "$GOLDEN/xray/fib.instrmap-sym.yaml" "$GOLDEN/xray/fib-fdr.xray" |
	awk -F, 'NR > 1 { path[NR - 2] = ($2 == "" ? "" : path[$2] ";") $3; print path[NR - 2], $7 }' | sort
