# Calls from one function to another, in seconds (%.6e), as `llvm-xray-19 graph -e sum` has them. (A function's calls of
# itself are left out here, as llvm-xray counts every level of recursion; so is the call of main, from outside.)
# Needs: YAML
map=$GOLDEN/xray/fib.instrmap-sym.yaml
hz=$(tracelathe report --json "$GOLDEN/xray/fib-fdr.xray" | sed 's/.*"frequency":\([0-9]*\).*/\1/')
tracelathe tree --callers --csv --map "$map" "$GOLDEN/xray/fib-fdr.xray" |
	awk -F, -v hz="$hz" 'NR > 1 && $1 != $2 { printf "%s,%s,%.6e\n", $1, $2, $4 / hz }' | sort
