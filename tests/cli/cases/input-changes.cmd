# A mapped file that becomes shorter while it is read is told; no SIGBUS. The second log comes from a pipe, whose writer
# waits until the first one is open.
cp "$GOLDEN/xray/mt8-fdr.xray" log.xray
mkfifo pipe
tracelathe report --csv log.xray pipe >out &
exec 3>pipe
: >log.xray
cat "$GOLDEN/xray/fib-fdr.xray" >&3
exec 3>&-
wait $!
echo "status $?"
cat out
