# Descriptors 0 to 2 closed at the start: no file becomes one of them, so that no message goes into the output and no
# output into the input.
head -c 3000 "$GOLDEN/xray/fib-fdr.xray" >cut.xray
cp cut.xray before.xray
tracelathe report --csv cut.xray >right 2>/dev/null
echo "status $?"
tracelathe report --csv -o out cut.xray <&- >&- 2>&-
echo "status $?"
cmp out right
tracelathe report --csv cut.xray <&- 2>&- >out
echo "status $?"
cmp out right
echo old >out
tracelathe report --csv cut.xray <&- >&- 2>err
echo "status $?"
cat err
tracelathe report - <&-
echo "status $?"
tracelathe --version >&-
echo "status $?"
cmp cut.xray before.xray
