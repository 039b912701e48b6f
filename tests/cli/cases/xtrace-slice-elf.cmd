# A program of snapshots 1 and 2: executable, ELF, AArch64 (183). What cannot be one says why, and leaves no file.
u2=xtrace.20251120130000.0.hint9
k1=core
zstd -dq "$GOLDEN"/xtrace/u2-sys-vl128/$u2.xinsndata.bin.zst -o $u2.xinsndata.bin
zstd -dq "$GOLDEN"/xtrace/u2-sys-vl128/$u2.xsnapshot.bin.zst -o $u2.xsnapshot.bin
tracelathe slice --snapshots 1..3 --to elf -o slice.elf $u2.xinsndata.bin && test -x slice.elf && echo executable
od -An -tu1 -j18 -N2 slice.elf
tracelathe slice --to elf -o part.xinsndata.bin $u2.xinsndata.bin; echo $?
tracelathe slice --instructions 5.. --to elf -o none.elf $u2.xinsndata.bin; echo $?
tracelathe slice --snapshots 9.. --to elf -o none.elf $u2.xinsndata.bin; echo $?
zstd -dq "$GOLDEN"/xtrace/k1-core-el01/$u2.xinsndata.bin.zst -o $k1.xinsndata.bin
zstd -dq "$GOLDEN"/xtrace/k1-core-el01/$u2.xsnapshot.bin.zst -o $k1.xsnapshot.bin
tracelathe slice --to elf -o none.elf $k1.xinsndata.bin; echo $?
test -e none.elf || echo none
# Intel PT has no data to run with.
cp "$GOLDEN"/intel_pt/rec.time.pt .
tracelathe slice --time 0..1s --to elf -o none.elf rec.time.pt; echo $?
# Two threads are one program; one that has no snapshot 8 is left out, which is told, with status 1.
for file in "$GOLDEN"/xtrace/u4-thr-time/*.zst; do zstd -dq "$file" -o thread.$(basename "$file" .zst); done
tracelathe slice --to elf -o threads.elf thread.*.xinsndata.bin && test -x threads.elf && echo executable
tracelathe slice --snapshots 8..9 --to elf -o one.elf thread.*.xinsndata.bin; echo $?
