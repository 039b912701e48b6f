# How often code ran is how often it stands in the recorder's own list of all instructions (rec.ips.zst): each edge is two
# addresses that follow each other in it, and drcov's blocks are the addresses of it and no others.
# Needs: Zydis zstd
exec 2>err # of which objects there is no file
trace=$GOLDEN/intel_pt/rec.ret.pt
zstd -dqc $GOLDEN/intel_pt/rec.ips.zst | od -An -v -w8 -t x8 >ips
tracelathe convert --to edges -o edges.csv $trace; echo "status $?"
tracelathe convert --to drcov -o blocks.drcov $trace; echo "status $?"
tracelathe convert --to edges --object /rec$ --function '^deep$' -o deep.csv $trace; echo "status $?"
tracelathe convert --to bolt --object /rec$ -o rec.bolt $trace; echo "status $?"
cat >compare.py <<'EOF'
import collections, csv, re, sys
ips = [int(line, 16) for line in open("ips")]
with open(sys.argv[1]) as file:
    maps = [f for f in map(str.split, file) if len(f) == 5]
base = next(int(f[0], 16) - int(f[4], 16) for f in maps if f[3] == "bin/rec")
def rows(name):
    for row in csv.DictReader(open(name)):
        for end in "from", "to":
            row[end] = int(row[end], 16) + (base if row[end + "_object"].endswith("bin/rec") else 0)
        yield row
steps = collections.Counter(zip(ips, ips[1:]))
have = collections.Counter()
for row in rows("edges.csv"):
    have[row["from"], row["to"]] += int(row["count"])
print("edges:", len(have) > 1000, [edge for edge in have if have[edge] != steps[edge]])
sources = {edge[0] for edge in have}
print("left out:", [edge for edge in steps if edge[0] in sources and edge not in have])
deep = list(rows("deep.csv"))
print("deep:", all("deep" in (r["from_function"], r["to_function"]) for r in deep),
      sum(int(r["count"]) for r in deep if r["kind"] == "call" and r["to_function"] == "deep"))
data = open("blocks.drcov", "rb").read()
head, _, body = data.partition(b" bbs\n")
modules = [int(m, 16) for m in re.findall(rb"^ *\d+, 0x([0-9a-f]+)", head, re.M)]
blocks = [(modules[int.from_bytes(body[i + 6:i + 8], "little")] + int.from_bytes(body[i:i + 4], "little"),
           int.from_bytes(body[i + 4:i + 6], "little")) for i in range(0, len(body), 8)]
print("blocks:", len(blocks) == int(head.split()[-1]))
ran, covered = set(ips), set()
for start, size in blocks:
    covered.update(range(start, start + size))
print("outside:", len(ran - covered), "begins that did not run:", len([b for b in blocks if b[0] not in ran]),
      "twice:", sum(size for _, size in blocks) - len(covered))
# The runs of a branch file hold each instruction as often as it ran.
counts, inside = collections.Counter(ips), collections.Counter()
addresses = sorted(ran)
for line in open("rec.bolt"):
    kind, *fields = line.split()
    if kind in "fF":
        first, last = (int(f, 16) + base for f in fields[:2])
        for ip in addresses[addresses.index(first):addresses.index(last) + 1]:
            inside[ip] += int(fields[2])
end = max(inside)
print("runs:", len(inside) > 50, [hex(ip - base) for ip in addresses if base <= ip <= end and inside[ip] != counts[ip]])
EOF
python3 compare.py $GOLDEN/intel_pt/rec.map
tracelathe convert --to bolt --object none $trace; echo "status $?"
tracelathe convert --to edges --object '(' $trace; echo "status $?"
sed "s|$GOLDEN|GOLDEN|" err | sort -u
