# before, after and change of each function are what `report` says of the two traces (which other tools have checked).
# Needs: YAML
map=$GOLDEN/xray/fib.instrmap-sym.yaml
a=$GOLDEN/xray/fib-fdr.xray b=$GOLDEN/xray/fib-fdr-wrap.xray
self() { tracelathe report --csv --map "$map" "$1" | awk -F, 'NR > 1 { print $1, $6 }' | sort; }
self "$a" >before
self "$b" >after
join -a 1 -a 2 -e 0 -o 0,1.2,2.2 before after | awk '{ print $1, $2, $3, $3 - $2 }' >wanted
tracelathe diff --csv --map "$map" "$a" "$b" | awk -F, 'NR > 1 { print $1, $6, $7, $8 }' | sort | diff wanted -
# Sorted by the size of the change; what is gone is said so; what did not change is left out.
tracelathe diff --map "$map" "$a" "$b"
# A trace is no different from itself.
tracelathe diff "$a" "$a" 2>/dev/null
