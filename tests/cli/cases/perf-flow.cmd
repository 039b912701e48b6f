# Intel PT in a perf.data file, with the code found below --sysroot: instructions, packets and calls are those that the
# recorder counted (rec.ips.zst, rec.truth); calls of deep as in pt-timeline; code in a listing is objdump's.
# Needs: Zydis
golden=$GOLDEN/intel_pt
cp $GOLDEN/../corpus/intel-pt/rec.time.perf.data perf.data
zstd -dqc $golden/rec.img.zst >img
grep -v '^#' $golden/rec.map | while read -r address size at file offset; do
	mkdir -p "root/$(dirname $file)"
	dd if=img of=root/$file bs=4096 conv=notrunc skip=$((0x$at / 4096)) seek=$((0x$offset / 4096)) \
		count=$((0x$size / 4096)) 2>/dev/null
done
cp $golden/bin/rec root/bin/rec
zstd -dqc $golden/rec.ips.zst | od -An -v -w8 -t x8 | tr -d ' ' >wanted
insns=$(sed -n 's/^insns \([0-9]*\)$/\1/p' $golden/rec.truth)
tracelathe dump --instructions --no-text --sysroot root perf.data | grep -v '^\[' | cmp - wanted && echo "all instructions"
tracelathe check --sysroot root perf.data && echo "nothing is wrong"
tracelathe dump --packets --json perf.data | python3 -c '
import collections, json, sys
have = collections.Counter(json.loads(line).get("packet") for line in sys.stdin)
with open(sys.argv[1]) as file:
    words = next(line for line in file if line.startswith("variant time")).split()
wanted = dict(zip(words[2::2], map(int, words[3::2])))
names = {"tip": "tip", "fup": "fup", "psb": "psb", "pge": "tip.pge", "pgd": "tip.pgd", "mtc": "mtc", "tsc": "tsc"}
print("packets that differ:", [name for name, packet in names.items() if have[packet] != wanted[name]])
' $golden/rec.truth
exec 2>err # which binaries give no names
tracelathe report --sysroot root --event Ir --csv perf.data | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
print("sum:", sum(int(r["Ir:self"]) for r in rows) == int(sys.argv[1]), "deep:", [r["calls"] for r in rows if r["function"] == "deep"])
' "$insns"
echo "threads:" $(tracelathe report --threads --csv --sysroot root perf.data | tail -n +2 | awk -F, '{ print $6 }' | sort -u)
tracelathe report --thread 1 --csv --sysroot root perf.data | wc -l
tracelathe timeline --to chrome --function '^deep$' --sysroot root perf.data | python3 -c '
import json, sys
events = json.load(sys.stdin)["traceEvents"]
print("deep:", sum(e.get("name") == "deep" and e["ph"] in "BX" for e in events))'
# A part is a perf.data file of its own whose instructions are a part of the list, and the window is in it.
tracelathe slice --time ..1000 --sysroot root -o whole.data perf.data
tracelathe dump --instructions --no-text --sysroot root whole.data | grep -v '^\[' | cmp - wanted && echo "the whole"
tracelathe slice --time 170us..180us --sysroot root -o part.data perf.data
tracelathe dump --instructions --no-text --sysroot root part.data | grep -v '^\[' >some
python3 - <<'EOF'
every, some = open("wanted").read().split(), open("some").read().split()
first = next(i for i in range(len(every)) if every[i] == some[0] and every[i:i + len(some)] == some)
print("part:", 0 < len(some) < len(every), first < 110000 < first + len(some))
EOF
# Instructions with their costs, without --binary.
objdump -d --no-show-raw-insn -M intel $golden/bin/rec >listing
tracelathe annotate --asm --csv --function '^(deep|odd|even)$' --sysroot root perf.data >rows
python3 - <<'EOF'
import csv, re
base = 0x555555555000 - 0x1000
listing = {int(a, 16): op for a, op in re.findall(r"^ +([0-9a-f]+):\t(\w+)", open("listing").read(), re.M)}
same = {"je": "jz", "jne": "jnz"}
rows = [r for r in csv.DictReader(open("rows")) if r["kind"] == "self"]
wrong = [r for r in rows if r["code"].split()[0] != same.get(op := listing[int(r["address"], 16) - base], op)]
print(sorted({r["function"] for r in rows}), len(rows) > 20, wrong)
EOF
# The options of Intel PT hold for a perf.data file as well.
exec 2>&1
for model in 6/85 none 6/x 0/0; do
	tracelathe dump --instructions --no-text --cpu-model $model --sysroot root perf.data | grep -v '^\[' | cmp -s - wanted &&
		echo "--cpu-model $model: all instructions"
done
for model in 6/x 0/0; do
	tracelathe dump --instructions --cpu-model $model --sysroot root perf.data
	echo "status $?"
done
# Cut in the AUX data: what is left is decoded.
head -c 14000 perf.data >cut.data
tracelathe dump --instructions --no-text --sysroot root cut.data >lines 2>cut.err
echo "status $?"
grep -v '^\[' lines >some
echo $(head -c "$(wc -c <some)" wanted | cmp - some && [ -s some ] && echo "the first instructions")
cat cut.err
