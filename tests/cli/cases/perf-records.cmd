# perf.data: records are counted and listed, expanded where they were compressed. The numbers are those of a loop over
# the headers (type, size) in Python; see tests/golden/perf/README.md.
# Needs: zstd
cd "$GOLDEN/perf"
for file in threads compressed; do
	tracelathe info $file.perf.data | sed -n '/^records/,/^first/p'
	tracelathe dump $file.perf.data | awk '{ print $2 }' | sort | uniq -c | sort -k2 | sed 's/^ *//'
done
tracelathe dump --json threads.perf.data | grep '"COMM"'
