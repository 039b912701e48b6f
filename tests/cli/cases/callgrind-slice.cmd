# A part of a Callgrind profile is a profile: its total is what its own file states (`grep ^summary:` of each thread's file), or
# the sum by hand of the lines of a part.
cp "$GOLDEN/callgrind/threads.out-01" "$GOLDEN/callgrind/threads.out-02" .
grep -h ^summary: threads.out-01 threads.out-02
for thread in 1 2 3; do
	tracelathe slice --thread $thread -o t$thread threads.out-01 threads.out-02
	echo "status $?"
done
for thread in 1 2; do
	tracelathe report --json t$thread | jq -c '[.format, .total.Ir]'
	tracelathe check t$thread
done
printf '# callgrind format\npart: 1\nevents: Ir\nfn=f\n1 2\n2 3\ntotals: 5\npart: 2\nevents: Ir\nfn=f\n1 70\nfn=g\n5 7\ntotals: 77\n' >two
tracelathe slice --part 2 two -o second
tracelathe report --csv second | cut -d, -f1,7
tracelathe slice --function f two
echo "status $?"
tracelathe slice --snapshots 1..2 two
echo "status $?"
