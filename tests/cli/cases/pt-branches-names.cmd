# Taken branches with the functions of both ends: calls of deep() are as many as its first instruction stands in the recorder's
# own list (rec.ips.zst); text and JSON have the same branches; a filter leaves those that begin or end in it.
# Needs: Zydis zstd
trace=$GOLDEN/intel_pt/rec.ret.pt
tracelathe dump --branches --function '^deep$' "$trace" 2>/dev/null >text; echo "status $?"
tracelathe dump --branches --json --function '^deep$' "$trace" 2>/dev/null >lines; echo "status $?"
zstd -dqc $GOLDEN/intel_pt/rec.ips.zst | od -An -v -w8 -t x8 >ips
cat >compare.py <<'EOF'
import json
text = [line.split(None, 3) for line in open("text")]
rows = [json.loads(line) for line in open("lines")]
ips = [int(line, 16) for line in open("ips")]
entry = {int(row["to"], 16) for row in rows if row.get("to_function") == "deep" and row.get("to_offset") == 0 and row["branch"] == "call"}
print(len(entry), sum(row["branch"] == "call" and int(row["to"], 16) in entry for row in rows) - sum(ip in entry for ip in ips))
print(len(rows) - len(text), all("deep" in (row.get("from_function"), row.get("to_function")) for row in rows))
def place(row, end):
    return "%s+0x%x" % (row[end + "_function"], row[end + "_offset"])
print(all([int(t[0], 16), int(t[1], 16), t[2]] == [int(r["from"], 16), int(r["to"], 16), r["branch"]] and
          t[3].strip() == place(r, "from") + " => " + place(r, "to") for t, r in zip(text, rows) if len(t) > 3 and "from" in r))
EOF
python3 compare.py
