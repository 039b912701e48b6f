# A timeline has a slice for each call of the profile, nests, and is cut by depth and by name. Expected: rec.truth's program
# calls deep 1920 times (counted from the list of addresses, tests/differential/pt_profile.py).
# Needs: Zydis zstd
exec 2>/dev/null # which binaries of this machine give no names
trace=$GOLDEN/intel_pt/rec.ret.pt
tracelathe timeline --to chrome --function '^deep$' $trace | python3 -c '
import json, sys
events = json.load(sys.stdin)["traceEvents"]
print("deep:", sum(e.get("name") == "deep" and e["ph"] in "BX" for e in events))'
for depth in 1 3 1000; do
	tracelathe timeline --to chrome --depth $depth $trace | python3 -c '
import json, sys
print(sum(e["ph"] in "BX" for e in json.load(sys.stdin)["traceEvents"]))'
done >counts
python3 - <<'EOF'
one, three, every = map(int, open("counts"))
print("cut by depth:", 0 < one < three < every)
EOF
tracelathe report --event Ir --json $trace | python3 -c '
import json, sys
functions = json.load(sys.stdin)["functions"]
print("all calls:", sum(f["calls"] + f["unfinished"] for f in functions) == int(open("counts").readlines()[2]))'
tracelathe timeline -o t.perfetto $trace; test -s t.perfetto && echo "perfetto"
