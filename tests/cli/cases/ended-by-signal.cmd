# A command that a signal ends leaves nothing behind, and whoever waits for it sees the signal. It waits for its input
# at a pipe, behind which its output is open already (merge opens one file after the other).
mkfifo pipe
for signal in INT TERM HUP; do
	env --default-signal=INT,TERM,HUP tracelathe merge -o out "$GOLDEN/xray/fib-fdr.xray" pipe &
	exec 3>pipe
	kill -s $signal $!
	wait $! 2>/dev/null
	echo "$(kill -l $?)"
	exec 3>&-
	ls -A | tr '\n' ' '
done
# What was to be ignored is ignored.
(trap '' HUP; exec tracelathe merge -o out --to csv "$GOLDEN/xray/fib-fdr.xray" pipe) &
exec 3>pipe
kill -s HUP $!
cat "$GOLDEN/xray/fib-basic.xray" >&3
exec 3>&-
wait $!
echo "status $?"
# SIGXFSZ: the limit on the size of files shows as an error. 32 KiB are room for the counters of a build that has some.
(ulimit -f 64; tracelathe dump -o out "$GOLDEN/xray/mt8-fdr.xray")
echo "status $?"
ls -A | tr '\n' ' '
