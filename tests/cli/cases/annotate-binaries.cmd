# "a repeated --binary: all are used": the code of a profile's object comes from the second of two files. Expected: what
# `objdump -d -M intel` shows of deep() in tests/golden/intel_pt/bin/rec, at the address less the load bias of rec.map.
# Needs: Zydis zstd
cd "$GOLDEN/intel_pt" || exit
tracelathe convert --to callgrind -o "$OLDPWD/profile" rec.ret.pt 2>/dev/null
tracelathe annotate --asm --csv --function '^deep$' --binary /bin/true --binary bin/rec@0x555555554000 "$OLDPWD/profile" |
	grep ',self,' | head -n 4 | cut -d, -f 1-3,9-
