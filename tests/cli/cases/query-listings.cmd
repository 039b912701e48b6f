# Tables of what a trace holds line by line (docs/query.md) have the rows of the listings: `dump --json` is the expected
# value, line by line; sums and windows of calls are held against `dump --calls`.
# Needs: SQLite
trace=$GOLDEN/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin
log=$GOLDEN/xray/custom-fdr.xray
tracelathe dump --json $log >log.records
tracelathe dump --calls --json $log >log.calls
tracelathe dump --json $GOLDEN/intel_pt/timed.pt >pt.records
tracelathe dump --instructions --json $trace >instructions
for table in records calls instants functions; do
	tracelathe query --json $log "select * from $table" >log.$table.rows
done
tracelathe query --json $GOLDEN/intel_pt/timed.pt "select * from records" >pt.records.rows
tracelathe query --json $trace "select * from instructions" >instructions.rows
tracelathe query --json $log "select f.name, count(*) as n, sum(c.duration) as ticks from calls c join functions f on f.id = c.function
	where c.depth > 0 group by f.name order by ticks desc" >groups.rows
tracelathe query --json $log "select min(offset) as first, max(offset) as last, count(*) as n from records where offset > 1300 and offset < 2000" >window.rows
python3 - <<'PYTHON'
import collections, json


def lines(name):
    return [json.loads(line) for line in open(name, encoding="utf-8")]


def rows(name):
    found = json.load(open(name + ".rows", encoding="utf-8"))
    return found["rows"] if isinstance(found, dict) else found


def same(what, have, wanted):
    print(what, len(wanted), "same" if have == wanted else "%r is not %r" % (have[:3], wanted[:3]))


log = lines("log.records")
same("records", [(r["offset"], r["kind"], r["thread"], r["cpu"], r["time"], json.loads(r["json"])) for r in rows("log.records")],
     [(r["offset"], r["record"], r.get("thread"), r.get("cpu"), r.get("tsc"), r) for r in log])
same("packets", [(r["offset"], r["kind"], json.loads(r["json"])) for r in rows("pt.records")],
     [(r["offset"], r["packet"], r) for r in lines("pt.records") if "packet" in r])
same("instants", [(r["thread"], r["time"], r["name"]) for r in rows("log.instants")],
     [(r["thread"], r["tsc"], "custom event") for r in log if r["record"] == "custom-event"])
names = {r["id"]: r["name"] for r in rows("log.functions")}
calls = lines("log.calls")
same("calls", sorted((r["thread"], r["start"], r["end"], r["depth"], names[r["function"]]) for r in rows("log.calls")),
     sorted((c["thread"], c["start"], c["end"], c["depth"], c["function"]) for c in calls))
groups = collections.defaultdict(lambda: [0, 0])
for call in calls:
    if call["depth"] > 0:
        groups[call["function"]][0] += 1
        groups[call["function"]][1] += call["end"] - call["start"]
same("groups", [(r["name"], r["n"], r["ticks"]) for r in rows("groups")],
     sorted(((name, *sums) for name, sums in groups.items()), key=lambda g: -g[2]))
window = [r["offset"] for r in log if 1300 < r["offset"] < 2000]
same("window", [tuple(r.values()) for r in rows("window")], [(window[0], window[-1], len(window))])
listed = lines("instructions")
same("instructions", [(r["ordinal"], r["address"], r["text"]) for r in rows("instructions")],
     [(i["ordinal"], int(i["pc"], 16), i["text"]) for i in listed if "ordinal" in i])
PYTHON
