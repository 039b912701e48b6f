# "--seconds"; calls, min, median, p90, p99, max, sum as `llvm-xray-19 account -f csv` has them (%.6e).
# Needs: YAML
tracelathe report --csv --seconds --sort id --map "$GOLDEN/xray/fib.instrmap-sym.yaml" "$GOLDEN/xray/fib-fdr.xray" |
	awk -F, 'NR > 1 { printf "%s,%d,%d,%.6e,%.6e,%.6e,%.6e,%.6e,%.6e\n", $1, $5, $8, $9, $10, $11, $12, $13, $14 }'
