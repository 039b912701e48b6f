# Every column that a table can be sorted by orders its rows: numbers from the largest on, as changes by their size, texts
# from the first on. The files are made by a formula; f6 is new, f0 is gone.
for n in 1 2 3 4; do
	echo "events: Ir Dr"
	for f in 0 1 2 3 4 5 6; do
		if [ $f$n != 04 ] && [ $f$n != 61 ]; then
			printf 'ob=lib%d.so\nfl=%s.c\nfn=f%d\n1 %d %d\n' $((f % 3)) "$(echo edcbafg | cut -c$((f + 1)))" $f \
				$((100 + (f * 37 + n * n * 11) % 50)) $((n * f))
			printf 'cfn=leaf\ncalls=%d 1\n1 %d 0\n' $((1 + (f * n * 7) % 5)) $((f * 3 + n))
		fi
	done
	printf 'fn=leaf\n1 60 0\n'
done | awk '/^events/ { n++ } { print >("p" n) }'
cat >check.py <<'PYTHON'
import csv, sys

column, kind, name = sys.argv[1:]
rows = [row for row in csv.DictReader(open("rows", encoding="utf-8")) if row["function"] != "(total)"]


def size(row):
    if column == "calls":
        return abs(int(row["calls:before"]) - int(row["calls:after"]))
    if column == "percent":  # what is new comes before all others
        change, before = abs(float(row["Ir:change"])), float(row["Ir:before"])
        return change / before if before else float("inf") if change else 0
    return abs(float(row[name] or 0))


values = [row[name] if kind == "text" else size(row) for row in rows]
print(column, len(rows), len(set(values)) > 1, values == sorted(values, reverse=kind != "text"))
PYTHON
echo spread
for column in deviation variation min median max mean outliers count; do
	tracelathe report --spread --csv --sort $column p1 p2 p3 p4 >rows && python3 check.py $column number $column
done
for column in function object file; do
	tracelathe report --spread --csv --sort $column p1 p2 p3 p4 >rows && python3 check.py $column text $column
done
echo diff
for column in change percent before after calls; do
	tracelathe diff --csv --event Ir --sort $column p1 p4 >rows; python3 check.py $column number Ir:$column
done
for column in function object file; do
	tracelathe diff --csv --event Ir --sort $column p1 p4 >rows; python3 check.py $column text $column
done
