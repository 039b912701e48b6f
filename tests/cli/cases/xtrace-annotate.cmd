# Instructions have their text from the opcodes of the trace, without a binary. Expected: what aarch64-linux-gnu-objdump -d
# says of count_up in small.elf, with numbers in decimal; all of it the same as from the binary itself.
file=$GOLDEN/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin
tracelathe annotate --asm --csv --function '^0x400194$' "$file" | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    if row["kind"] == "self":
        print(row["address"], row["code"])'
codes() {
	tracelathe annotate --asm --csv "$@" | python3 -c '
import csv, sys
print(sorted((row["address"], row["code"]) for row in csv.DictReader(sys.stdin) if row["kind"] == "self"))'
}
codes "$file" >without
codes --binary "$GOLDEN/xtrace/small.elf" "$file" | cmp - without && echo same
