# Columns, events and patterns that are not there are told with those that are.
# Needs: YAML
cp "$GOLDEN"/xray/fib* .
try()
{
	tracelathe "$@" >/dev/null 2>"$OUT"
	echo "$* -> $?"
	cat "$OUT"
}
OUT=err
try report --sort nothing fib-fdr.xray
try report --event nothing fib-fdr.xray
try diff --sort nothing fib-fdr.xray fib-basic.xray
try diff --event nothing fib-fdr.xray fib-basic.xray
try diff --rename '(=x' fib-fdr.xray fib-basic.xray
try report --spread --by trace --sort nothing fib-fdr.xray fib-basic.xray
try report --spread --by trace --event nothing fib-fdr.xray fib-basic.xray
try report --idle nothing fib-fdr.xray
try report --idle '(' fib-fdr.xray
try tree --idle nothing fib-fdr.xray
# What waits is no cost of the first event: both together are what it was.
map=fib.instrmap-sym.yaml
tracelathe report --csv --map $map fib-fdr.xray >whole
tracelathe report --csv --map $map --idle '^fib' --event Ticks,Idle fib-fdr.xray >apart
head -n 1 apart
python3 - <<'PYTHON'
import csv
whole, apart = ({r["function"]: r for r in csv.DictReader(open(name))} for name in ("whole", "apart"))
key = [k for k in next(iter(whole.values())) if k.endswith("self")][0]
print(len(apart), all(int(apart[f]["Ticks:self"]) + int(apart[f]["Idle:self"]) == int(whole[f][key]) for f in whole))
print([f for f in apart if int(apart[f]["Idle:self"])], [f for f in apart if int(apart[f]["Ticks:self"])][:1])
PYTHON
