# "Ticks of different clocks have no exact sum": the file whose clock is another one than that of those before is named, and
# nothing is written. (Byte 8 of the header is the lowest of the frequency.)
cp "$GOLDEN/xray/fib-fdr.xray" one
(head -c 8 "$GOLDEN/xray/args-fdr.xray"; printf "\001"; tail -c +10 "$GOLDEN/xray/args-fdr.xray") >other
tracelathe merge -o sum one other
echo "status $?"
tracelathe report --csv @- <<'LIST' | head -n 1
one
other
LIST
ls sum 2>&1
