# Instructions with their costs come from the bytes that were decoded, wherever the program was loaded and without
# --binary. Expected: what objdump says stands in the file of a PIE, at the address less that of the map (rec.map).
# Needs: Zydis zstd
trace=$GOLDEN/intel_pt/rec.ret.pt
objdump -d --no-show-raw-insn -M intel $GOLDEN/intel_pt/bin/rec >listing
tracelathe annotate --asm --csv --function '^(deep|odd|even)$' $trace 2>/dev/null >rows
python3 - "$GOLDEN/intel_pt/rec.map" <<'EOF'
import csv, re, sys
with open(sys.argv[1]) as file:
    base = next(int(f[0], 16) - int(f[4], 16) for f in map(str.split, file) if len(f) == 5 and f[3] == "bin/rec")
listing = {int(a, 16): op for a, op in re.findall(r"^ +([0-9a-f]+):\t(\w+)", open("listing").read(), re.M)}
same = {"je": "jz", "jne": "jnz"}
rows = [r for r in csv.DictReader(open("rows")) if r["kind"] == "self"]
wrong = [r for r in rows if r["code"].split()[0] != same.get(op := listing[int(r["address"], 16) - base], op)]
print(sorted({r["function"] for r in rows}), len(rows) > 20, wrong)
EOF
# A file that was put where nothing ran is told.
tracelathe report --top 1 --binary $GOLDEN/intel_pt/bin/rec@0x1000 $trace 2>err >/dev/null
echo "status $?"
grep -o "no code of .*" err | sed "s|$GOLDEN|GOLDEN|"
