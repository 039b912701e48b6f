# --quick: what the packets say, added up: targets are the TIP and TIP.PGE packets with an address, outcomes those of the TNT
# packets, as the listing of packets has them.
# Needs: Zydis
cat >count.py <<'EOF'
import collections, json, sys
sums = collections.Counter({"Targets": 0, "Taken": 0, "NotTaken": 0})
for line in sys.stdin:
    fields = line.split()
    if len(fields) > 2 and fields[1].startswith("tnt"):
        sums["Taken"] += fields[2].count("!")
        sums["NotTaken"] += fields[2].count(".")
    elif len(fields) > 1 and fields[1] in ("tip", "tip.pge"):
        sums["Targets"] += 1
have = json.load(open(sys.argv[1]))["total"]
print(sum(sums.values()) > 100, {name: have[name] - sums[name] for name in sums})
EOF
for trace in tiny timed; do
	tracelathe report --quick --json "$GOLDEN/intel_pt/$trace.pt" >$trace.json; echo "status $?"
	tracelathe dump --packets "$GOLDEN/intel_pt/$trace.pt" | python3 count.py $trace.json
done
tracelathe convert --to edges --quick "$GOLDEN/intel_pt/tiny.pt" 2>&1 | sed "s,$GOLDEN/,,"
