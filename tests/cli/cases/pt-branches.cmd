# Branches that were taken: wherever an instruction of the listing is not followed by the one behind it in memory there is
# one. What begins, and what leaves the traced code, has one end only.
# Needs: Zydis
for name in tiny timed; do
	map=$GOLDEN/intel_pt/tiny.map
	tracelathe dump --branches --map $map $GOLDEN/intel_pt/$name.pt >$name.branches
	tracelathe dump --branches --json --map $map $GOLDEN/intel_pt/$name.pt >$name.json
	tracelathe dump --instructions --json --map $map $GOLDEN/intel_pt/$name.pt >$name.instructions
	python3 - $name <<'PYTHON'
import collections, json, re, sys

name = sys.argv[1]
instructions = [(int(i["ip"], 16), i["size"]) for i in map(json.loads, open(name + ".instructions")) if "ip" in i]
branches = list(map(json.loads, open(name + ".json")))
taken = [(int(b["from"], 16), int(b["to"], 16)) for b in branches if "from" in b and "to" in b]
# In their order; else only where tracing begins again, after a system call or an interrupt.
found = between = 0
for (ip, size), (then, _) in zip(instructions, instructions[1:]):
    if found < len(taken) and taken[found] == (ip, then):
        found += 1
    elif then != ip + size:
        between += 1
kinds = collections.Counter(b["branch"] for b in branches)
print(name, len(taken), found == len(taken), between <= kinds["begin"], sum("to" not in b for b in branches) == kinds["system"] + kinds["interrupt"],
      sorted(kinds.items()))
text = [line.split() for line in open(name + ".branches") if re.match(r"\s*(-|[0-9a-f]{16}) ", line)]
print([(f, t, k) for f, t, k, *_ in text] ==
      [("%016x" % int(b["from"], 16) if "from" in b else "-", "%016x" % int(b["to"], 16) if "to" in b else "-", b["branch"])
       for b in branches])
PYTHON
done
