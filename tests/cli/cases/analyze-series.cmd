# A row for each 500 instructions (--interval) is what the listing has in them: lines and pages by a model in Python; classes of
# instructions and touches of fetched lines add up to the instructions, touches of data are the accesses; tests/golden/xtrace/README.md knows of 45 system calls.
trace=$(echo "$GOLDEN"/xtrace/u2-sys-vl128/*.xinsndata.bin*)
tracelathe dump --instructions "$trace" 2>/dev/null >listed
for what in mix reuse footprint syscalls; do
	tracelathe analyze --$what --interval 500 --csv "$trace" 2>/dev/null >$what.csv; echo "$what: status $?"
done
cat >compare.py <<'EOF'
import csv, re
tables = {name: list(csv.DictReader(open(name + ".csv"))) for name in ("mix", "reuse", "footprint", "syscalls")}
lines = [line for line in open("listed") if re.match(r"\d+ .*EL\d 0x", line)]
parts = [lines[i:i + 500] for i in range(0, len(lines), 500)]
for name, rows in tables.items():
    print(name, [int(row["instructions"]) - len(part) for row, part in zip(rows, parts)], len(rows) - len(parts))
print("classes:", all(sum(int(n) for c, n in row.items() if c.startswith("class:")) == int(row["instructions"])
                      for row in tables["mix"]))
print("touches:", [int(row["fetch:touches"]) - int(row["instructions"]) for row in tables["reuse"]])
print("system calls:", sum(int(row["syscalls"]) for row in tables["syscalls"]))
for row, part in zip(tables["footprint"], parts):
    pcs = [int(re.search(r"EL\d (0x[0-9a-f]+)", line)[1], 16) for line in part]
    data = {byte for line in part for at, size in re.findall(r"[LS]:(0x[0-9a-f]+)/(\d+)", line)
            for byte in range(int(at, 16), int(at, 16) + int(size))}
    wanted = [len({pc >> 6 for pc in pcs}), len({a >> 6 for a in data}), len({pc >> 12 for pc in pcs}), len({a >> 12 for a in data})]
    print([int(row[c]) - w for c, w in zip(("lines:fetched", "lines:data", "pages:fetched", "pages:data"), wanted)])
print("data:", [int(row["data:touches"]) - sum(len(re.findall(r"[LS]:0x", line)) for line in part)
                for row, part in zip(tables["reuse"], parts)])
EOF
python3 compare.py
# The columns of each table, in order, and the rows of a counter add up to what one row of all has; lines are touched again in other rows.
pair="$GOLDEN/xtrace/xtrace.20260101000001.0.hint9.xinsndata.bin $GOLDEN/xtrace/xtrace.20260101000001.1.hint9.xinsndata.bin"
for what in reuse footprint syscalls branches sharing; do
	tracelathe analyze --$what --interval 20 --csv $pair 2>/dev/null >parts.csv
	tracelathe analyze --$what --interval 1000000 --csv $pair 2>/dev/null >all.csv
	head -n 1 parts.csv
	python3 - <<'EOF'
import csv
parts, whole = (list(csv.DictReader(open(name + ".csv"))) for name in ("parts", "all"))
same = [column for column in whole[0] if column not in ("thread", "interval", "first")
        and sum(int(row[column]) for row in parts) == sum(int(row[column]) for row in whole)]
print(len(parts), "rows for", len(whole), "add up:", len(same), "of", len(whole[0]) - 3)
EOF
done
