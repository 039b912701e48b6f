# An instruction stream as a profile. The numbers follow from small.c, counted by hand on its disassembly: fib(5) is 15
# calls, of which 7 go on (15 * 10 + 7 * 7 instructions); sum goes round 40 times (6 + 40 * 4), count_up too (5 + 40 * 6).
# Code without a binary is named after where it was called.
file=$GOLDEN/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin
tracelathe report --csv --binary "$GOLDEN/xtrace/small.elf" --event Ir "$file" | sed 's|,[^,]*/|,|'
tracelathe stacks --binary "$GOLDEN/xtrace/small.elf" "$file"
tracelathe report --csv --event Loads,StoreBytes "$file" | cut -d, -f1,6-
tracelathe report --csv --jobs 1 "$file" >one
tracelathe report --csv --jobs 2 "$file" | cmp - one && echo same
