# The first access of a good trace says that it is 8 bytes further (0x492100 to 0x492108 at offset 0x3c; X1 + X3 is the former):
# the rule that is broken, by name, with what was expected; then all rules with their sections, of which one is broken once.
u3=$GOLDEN/xtrace/u3-simd-vl128
whole=xtrace.20251120130000.0.hint9
zstd -dq "$u3"/$whole.xinsndata.bin.zst -o $whole.xinsndata.bin
zstd -dq "$u3"/$whole.xsnapshot.bin.zst -o $whole.xsnapshot.bin
tracelathe check $whole.xinsndata.bin && echo good
chmod u+w $whole.xinsndata.bin
printf '\010' | dd of=$whole.xinsndata.bin bs=1 seek=$((0x3c)) conv=notrunc 2>dd.txt
tracelathe check $whole.xinsndata.bin
tracelathe check --json $whole.xinsndata.bin | sed 's/"file":"[^"]*"/"file":""/'
tracelathe check --rules $whole.xinsndata.bin
