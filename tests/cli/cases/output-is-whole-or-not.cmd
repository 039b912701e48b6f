# "-o FILE, written atomically": a failed run leaves the old file; --strict stops at the first fault, which is no result.
head -c 3000 "$GOLDEN/xray/fib-fdr.xray" >cut.xray
echo old >out
tracelathe report --csv --strict -o out cut.xray 2>err
echo "status $?"
cat out
[ -s err ] || echo "nothing said"
tracelathe report --csv -o out cut.xray 2>err
echo "status $?"
grep -c '^function,object,' out
[ -s err ] || echo "nothing said"
ls -A | tr '\n' ' '
