# A file that was cut is told by what its writer ends it with: totals: (Callgrind), summary: (Cachegrind, xdebug), and a
# last line that has an end. Every cut of these is told but where only the blank line behind xdebug's summary is missing.
# What says less than the truth may be trusted is a remark of check, and no damage.
printf 'desc: I1 cache: x\ncmd: a\nevents: Ir\nfl=a.c\nfn=main\n1 10\n2 12\nsummary: 22\n' >cachegrind
printf 'version: 1\ncreator: xdebug 3.2.0\ncmd: a.php\npart: 1\n\nevents: Time\n\nfn={main}\n1 1417\n\nsummary: 5233\n\n' >xdebug
printf '# callgrind format\ncreator: callgrind-3\npart: 1\nevents: Ir\nsummary: 10\nfn=main\n1 10\ntotals: 10\n' >callgrind
for file in cachegrind xdebug callgrind; do
	size=$(wc -c <$file) at=1
	while [ $at -lt $size ]; do
		head -c $at $file >cut
		tracelathe report cut >table 2>words && [ $((size - at)) -gt 1 ] && echo "$file cut at $at of $size: not a word"
		[ -s words ] || [ $((size - at)) = 1 ] || echo "$file cut at $at: no words"
		at=$((at + 1))
	done
	tracelathe report --csv $file
done
head -c $(($(wc -c <cachegrind) - 4)) cachegrind >cut
tracelathe check cut
echo "check: $?"
printf 'events: Ir\nfn=main\n1 10\ncfn=f\ncalls=1 9\n1 39\nfn=f\n9 40\n' >cheap
tracelathe check cheap
echo "check: $?"
tracelathe check --json cheap
