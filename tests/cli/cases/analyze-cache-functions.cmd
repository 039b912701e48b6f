# Caches by function: instructions of fib, count_up and sum are counted by hand in xtrace-profile; each instruction is one
# access to L1I; what misses in L1I or L1D goes to L2; the function with most misses is first; --top keeps the first rows.
# The sums over functions are those of the levels.
trace=$GOLDEN/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin
elf=$GOLDEN/xtrace/small.elf
tracelathe analyze --cache --csv --binary $elf $trace >functions
head -n 1 functions | cut -d, -f1-7,16
awk -F, 'NR > 1 { print $16 ": " $1; if ($2 != $1) print "fetches: " $2; if ($6 != $3 + $5) print "L2: " $6
	sum = $3 + $5 + $7 + $9 + $11 + $13 + $15; if (NR > 2 && sum > last) print "order"; last = sum }' functions
tracelathe analyze --cache --csv --top 2 --binary $elf $trace | cmp - functions 2>&1 | grep -c EOF
tracelathe analyze --cache --csv --top 2 --binary $elf $trace | wc -l
tracelathe analyze --cache --top 1 --binary $elf $trace | awk '/Caches and TLBs by function/ { on = 1 } on' | wc -l
tracelathe analyze --cache --csv $trace >levels
awk -F, 'FNR == NR { code += $3; data += $5; pages += $13; next } $2 == "L1I" { code -= $6 } $2 == "L1D" && $3 == "all" { data -= $6 }
	$2 == "DTLB" && $3 == "all" { pages -= $6 } END { print code, data, pages }' functions levels
