# Words for files that are no trace, of another format than the first one, or empty. A stream of instructions that was
# cut between two tokens is told by its snapshots.
cp "$GOLDEN"/xray/fib-fdr.xray xray
cp "$GOLDEN"/callgrind/threads.out-01 threads.out-01
: >threads.out
: >empty
cp "$GOLDEN/xtrace/small.elf" elf
x=xtrace.20260101000000.0.hint9
cp "$GOLDEN/xtrace/$x.xsnapshot.bin" .
exec 2>&1
for files in elf empty threads.out 'xray threads.out-01' 'threads.out-01 xray' 'threads.out-01 threads.out'; do
	tracelathe report $files >/dev/null
	echo "status $?"
done
for size in 0 32 1000000; do
	head -c $size "$GOLDEN/xtrace/$x.xinsndata.bin" >$x.xinsndata.bin
	tracelathe report $x.xsnapshot.bin >/dev/null
	echo "status $?"
done
