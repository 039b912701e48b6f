# Logs of one machine keep their ticks on one timeline: the first slices are as far apart as the first function records
# (chrome counts from the first of all, in microseconds), and each log has as many slices as alone.
exec 2>/dev/null # functions have no names
for name in mt8-fdr args-fdr; do
	tracelathe timeline --to chrome -o $name.json $GOLDEN/xray/$name.xray
	tracelathe dump --json $GOLDEN/xray/$name.xray >$name.records
done
tracelathe timeline --to chrome -o both.json $GOLDEN/xray/mt8-fdr.xray $GOLDEN/xray/args-fdr.xray
frequency=$(tracelathe info --json $GOLDEN/xray/mt8-fdr.xray | jq .cycle_frequency)
python3 - $frequency <<'PYTHON'
import json, sys

frequency = int(sys.argv[1])
NAMES = "mt8-fdr", "args-fdr"


def slices(name):
    return [e for e in json.load(open(name + ".json"))["traceEvents"] if e["ph"] in "BX"]


records = {name: [r for r in map(json.loads, open(name + ".records")) if r["record"] == "function"] for name in NAMES}
first = {name: min(r["tsc"] for r in records[name]) for name in NAMES}
both = slices("both")
print("slices:", len(both) == sum(len(slices(name)) for name in NAMES))
origin = min(first.values())
for name in NAMES:
    thread = min(records[name], key=lambda r: r["tsc"])["thread"]
    at = min(e["ts"] for e in both if e["tid"] == thread)
    print(name, abs(at - (first[name] - origin) * 1e6 / frequency) < 0.01)
PYTHON
