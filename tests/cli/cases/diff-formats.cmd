# Files of two formats are compared by what both tell, and it is said which: instructions (1,000 and 900, written by hand),
# time (2 and 3 samples of 5,000 ns; ticks of XRay in ns are those of `report`), else calls.
# Needs: YAML
sample() { printf 'prog 100 1.0: %s %s: \n\t1000 %s+0x0 (prog)\n\n' "$2" "$1" "$3"; }
{ sample instructions:u 700 f; sample instructions:u 300 main; } >i.txt
{ sample task-clock 5000 fib; sample task-clock 5000 fib; sample task-clock 5000 main; sample task-clock 5000 main
sample task-clock 5000 main; } >t.txt
printf 'events: Ir Dr\nfl=a.c\nfn=main\n1 400 9\ncfn=fib\ncalls=3 9\n1 500 1\nfn=fib\n9 500 1\n' >c.out
map=$GOLDEN/xray/fib.instrmap-sym.yaml xray=$GOLDEN/xray/fib-fdr.xray
ln -s "$xray" x.xray
tracelathe diff i.txt c.out
echo "instructions: $?"
tracelathe diff --csv --map-after "$map" t.txt x.xray >time.csv
echo "time: $?"
head -n 1 time.csv
awk -F, '$1 == "fib" || $1 == "main" { print $1, $6 }' time.csv
# Ticks as ns, by awk's arithmetic.
tracelathe report --csv --map "$map" x.xray | awk -F, 'NR > 1 { printf "%s %.0f\n", $1, $6 * 1e9 / HZ }' HZ="$(
	tracelathe info --json x.xray | sed 's/.*"cycle_frequency":\([0-9]*\).*/\1/')" | sort >wanted
awk -F, 'NR > 1 && $7 != 0 { print $1, $7 }' time.csv | sort | diff wanted - && echo "as in the report"
tracelathe diff --csv --map-after "$map" c.out x.xray >calls.csv
echo "calls: $?"
tracelathe report --csv --map "$map" x.xray | awk -F, 'NR > 1 { print $1, $8 }' | sort >wanted
awk -F, 'NR > 1 && $7 != 0 { print $1, $7 }' calls.csv | sort | diff wanted - && echo "as in the report"
# Samples count no calls.
tracelathe diff i.txt x.xray
echo "nothing: $?"
