# Instructions have their text from the opcodes of the trace, without a binary. Expected: what aarch64-linux-gnu-objdump -d
# says of count_up in small.elf, with numbers in decimal; all of it the same as from the binary itself.
# Needs: LLVM
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
# A log as text, with instructions 16 KiB apart; the words are those of the log.
cat >far.log <<'EOF'
0, 0x400000, 0x52800020, "mov w0, #1"
0, 0x400004, 0x14000fff, "b 0x404000"
0, 0x404000, 0x52800040, "mov w0, #2"
0, 0x404004, 0xd65f03c0, "ret"
EOF
tracelathe annotate --asm --csv far.log | grep self | cut -d, -f3,9-
