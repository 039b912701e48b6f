# Code that is not there is told once for each object, with what it cost; the rest is shown, and the exit status is 1. The
# map without the lines of one file stands for a file that was not found.
# Needs: Zydis zstd
cp -r $GOLDEN/intel_pt/rec.ret.pt $GOLDEN/intel_pt/rec.img.zst $GOLDEN/intel_pt/bin .
grep -v 'libc.so' $GOLDEN/intel_pt/rec.map >rec.map
tracelathe report --csv rec.ret.pt 2>/dev/null | sed -n 's/^\(deep\|main\),.*/\1/p' | sort
tracelathe report rec.ret.pt >/dev/null 2>err; echo "status $?"
grep -c 'no code at' err
sed 's/0x[0-9a-f]*/ADDRESS/g; s/[0-9][0-9]*/N/g; q' err
tracelathe report --strict rec.ret.pt >/dev/null 2>err; echo "status $?"
sed 's/0x[0-9a-f]*/ADDRESS/g' err
