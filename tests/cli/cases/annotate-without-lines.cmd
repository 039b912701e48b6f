# A trace without a program has no lines, which is said; a program's code is looked for where --asm asks for it.
# Needs: YAML
tracelathe annotate "$GOLDEN/xray/fib-fdr.xray"
tracelathe annotate --asm --map "$GOLDEN/xray/fib.instrmap-sym.yaml" --function '^leafwork$' "$GOLDEN/xray/fib-fdr.xray"
cd "$GOLDEN/xray"
tracelathe annotate --asm --binary README.md fib-fdr.xray
echo $?
