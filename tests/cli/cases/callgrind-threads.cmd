# "several files given together are parts of one run"; threads.out is empty, the others say totals: 332 and 774 (grep).
# --thread chooses. Self costs by callgrind_reference.py; inclusive ones by hand: fib 42 + 844, even 26 + 26 + 65 + 57.
tracelathe report --csv "$GOLDEN"/callgrind/threads.out "$GOLDEN"/callgrind/threads.out-0* >table
awk -F, 'NR > 1 { self += $6 } END { print self }' table
for thread in 1 2 3; do
	tracelathe report --csv --thread $thread "$GOLDEN"/callgrind/threads.out-0* 2>err |
		awk -F, 'NR > 1 { self += $6 } END { print self + 0 }'
	sed 's/.*: //' err
done
awk -F, '$1 == "even" || $1 == "odd" || $1 ~ "^fib" { print $1, $6, $7, $8 }' table | sort
tracelathe check "$GOLDEN"/callgrind/threads.out "$GOLDEN"/callgrind/threads.out-01
echo "check: $?"
tracelathe report "$GOLDEN"/callgrind/threads.out 2>err
echo "empty: $? $(grep -c 'FILE-01' err)"
