# A coroutine and main() take turns by swapcontext() 20 times, each with a call of its own before: in_co() (0x4007a0) and
# in_main() (0x4007e4). Neither stack stands on the other: no path has both, and none is longer than ours, swapcontext(), setcontext().
# Needs: zstd
file=$GOLDEN/xtrace/coroutines/xtrace.20261122101042.0.hint9.xinsndata.bin.zst
tracelathe report --csv "$file" | cut -d, -f1,16- | grep -E '^0x4007(a0|e4),'
tracelathe stacks "$file" | grep -c '0x4007a0.*0x4007e4\|0x4007e4.*0x4007a0'
tracelathe stacks "$file" | awk '{ n = gsub(";", ";"); if (n > most) most = n } END { print most }'
tracelathe check "$file" && echo good
