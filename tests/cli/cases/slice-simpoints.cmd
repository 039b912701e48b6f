# Slices that SimPoint's files name. Vectors from snapshot to snapshot: interval N is the part from snapshot N to N+1, byte for
# byte. Then intervals of 300 instructions: 3 is 900..1199, and with 100 before it the slice begins at or before 800. Files
# that are wrong, or not of each other, are told by line; weights that are not 1 in all are told, too (status 1). Of two
# threads, 0 with 2 snapshots and 1 with 3, intervals 0 and 1 are of the first, 2 to 4 of the second; of thread 1 alone 0 to 2.
u1=xtrace.20251120130000.0.hint9
for kind in xinsndata xsnapshot; do
	zstd -dq "$GOLDEN"/xtrace/u1-recur-vl128/$u1.$kind.bin.zst -o $u1.$kind.bin
done
printf '1 4\n3 0\n' >points
printf '0.25 4\n0.75 0\n' >weights
tracelathe slice --simpoints points --weights weights -o slices $u1.xinsndata.bin; echo $?
tracelathe slice --snapshots 1..2 -o plain.xinsndata.bin $u1.xinsndata.bin
cmp plain.xinsndata.bin slices/simpoint.4.xinsndata.bin && cmp plain.xsnapshot.bin slices/simpoint.4.xsnapshot.bin && echo same
tracelathe slice --simpoints points --weights weights --interval 300 --warmup 100 --csv -o slices $u1.xinsndata.bin; echo $?
tracelathe slice --simpoints points --weights weights --interval 300 --to elf --json -o programs $u1.xinsndata.bin; echo $?
ls programs
pair="$GOLDEN/xtrace/xtrace.20260101000001.0.hint9.xinsndata.bin $GOLDEN/xtrace/xtrace.20260101000001.1.hint9.xinsndata.bin"
printf '1 4\n3 0\n' >points
tracelathe slice --simpoints points --weights weights -o threads $pair; echo $?
tracelathe slice --thread 0 --snapshots 1..2 -o t0.xinsndata.bin $pair
tracelathe slice --thread 1 --snapshots 1..2 -o t1.xinsndata.bin $pair
cmp t0.xinsndata.bin threads/simpoint.4.xinsndata.bin && cmp t1.xinsndata.bin threads/simpoint.0.xinsndata.bin && echo same
printf '1 4\n2 0\n' >points
tracelathe slice --thread 1 --simpoints points --weights weights -o thread $pair; echo $?
cmp t1.xinsndata.bin thread/simpoint.4.xinsndata.bin && echo same
printf '5 4\n2 0\n' >points
tracelathe slice --simpoints points --weights weights -o none $pair; echo $?
printf '1 4\n3 0\n' >points
try() { tracelathe slice "$@" -o none $u1.xinsndata.bin; echo $?; }
printf '0.25 4\n0.7 0\n' >less
tracelathe slice --simpoints points --weights less -o slices $u1.xinsndata.bin >/dev/null; echo $?
printf '1 4\n99 0\n' >beyond
try --simpoints beyond --weights weights
printf '0.25 4\n0.75 1\n' >others
try --simpoints points --weights others
printf '0.25 4\n0.75 0\n0 7\n' >more
try --simpoints points --weights more
printf '1 4\n2 4\n' >twice
try --simpoints twice --weights weights
printf '0.25 4 1\n' >words
try --simpoints points --weights words
printf '1.25 4\n0.75 0\n' >large
try --simpoints points --weights large
printf '1 4\n1.5 0\n' >half
try --simpoints half --weights weights
printf '\n' >empty
try --simpoints empty --weights weights
try --simpoints absent --weights weights
try --simpoints points
try --simpoints points --weights weights --snapshots 0..1
try --weights weights
try --json
try --together
tracelathe slice --simpoints points --weights weights $u1.xinsndata.bin; echo $?
cp "$GOLDEN"/xray/fib-fdr.xray .
tracelathe slice --simpoints points --weights weights -o slices fib-fdr.xray; echo $?
test -e none || echo none
