# Snapshots 1 and 2 of the core stream, cut out as a pair, put together with what is before and behind: the whole again.
k1=$GOLDEN/xtrace/k1-core-el01
whole=xtrace.20251120130000.0.hint9
zstd -dq "$k1"/$whole.xinsndata.bin.zst -o $whole.xinsndata.bin
zstd -dq "$k1"/$whole.xsnapshot.bin.zst -o $whole.xsnapshot.bin
for part in 0..1 1..3 3..; do
	tracelathe slice --snapshots $part $whole.xinsndata.bin -o $part.xinsndata.bin
	tracelathe info $part.xinsndata.bin | grep -E 'snapshots:|instructions:|damaged'
	tracelathe check $part.xinsndata.bin && echo good
done
cat 0..1.xinsndata.bin 1..3.xinsndata.bin 3...xinsndata.bin | cmp - $whole.xinsndata.bin && echo whole
# Re-encoded it is the same, both files.
tracelathe convert --to xtrace $whole.xinsndata.bin -o again.xinsndata.bin
cmp again.xinsndata.bin $whole.xinsndata.bin && cmp again.xsnapshot.bin $whole.xsnapshot.bin && echo same
# Instructions by number; the first is told with its PC. ALLGPR goes with the instruction behind it.
tracelathe slice --instructions 110..112 $whole.xinsndata.bin -o few.xinsndata.bin --snapshot-output few
tracelathe dump few.xinsndata.bin | cut -c1-60
