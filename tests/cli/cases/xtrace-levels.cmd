# Instructions by exception level are those that the listing has, counted; and what does not go with them.
trace=$(echo "$GOLDEN"/xtrace/k1-core-el01/*.xinsndata.bin*)
tracelathe report --by level --csv "$trace" 2>/dev/null >levels
tracelathe dump --instructions "$trace" 2>/dev/null >listed
cat >compare.py <<'EOF'
import collections, csv, re
counts = collections.Counter(re.findall(r"^\d+ (EL\d) ", open("listed").read(), re.M))
rows = {row["level"]: int(row["Ir:self"]) for row in csv.DictReader(open("levels"))}
print(len(counts), {name: rows[name] - counts[name] for name in counts})
EOF
python3 compare.py
tracelathe report --by task --csv "$trace" 2>/dev/null | head -n 1
for words in "--interval 100 --by level" "--interval 100 --by trace" "--interval 100 --cycles" "--spread --interval 100"; do
	tracelathe report $words "$trace"; echo "status $?"
done
