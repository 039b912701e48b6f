# Instructions of a range, each with exception level, PC, symbol, opcode and what it touched; opcodes as in small.elf
# (objdump -d), accesses as in the tokens of the stream.
file=$GOLDEN/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin
tracelathe dump --instructions --no-text --ordinals 0..6 --binary "$GOLDEN/xtrace/small.elf" "$file"
tracelathe dump --instructions --no-text --ordinals 0..6 "$file" | head -n 2
tracelathe dump --instructions --no-text --json --ordinals 4..6 --binary "$GOLDEN/xtrace/small.elf" "$file"
tracelathe dump --instructions --no-text --pcs 0x400120..0x400124 "$file" | wc -l
tracelathe dump --instructions --no-text --between 1..2 "$file" | wc -l
