# diff --flow: the same path is no difference, whatever the form of the trace (threads of perf.data: 50,210 and 50,559
# instructions, as `report` counts). Two vector lengths take other ways in the library: behind which instruction is the first line
# in which the listings of `dump` differ. What cannot be compared is said, status 2; what was not, status 1.
# Needs: Zydis zstd
ln -s "$GOLDEN" golden
u1=$(echo golden/xtrace/u1*/*insn*) u7=$(echo golden/xtrace/u7*/*insn*) threads=golden/perf/threads.perf.data
tracelathe diff --flow "$threads" "$threads"
echo "same: $?"
tracelathe diff --flow "$u1" "$u7"
echo "other ways: $?"
for file in "$u1" "$u7"; do tracelathe dump --instructions --json --no-text "$file" |
	sed 's/.*"pc":"\(0x[0-9a-f]*\)".*/\1/' >"$(basename "$(dirname "$file")")"; done
cmp u1-* u7-* | sed 's/.*line/line/'
tracelathe diff --flow --csv --top 1 "$u1" "$u7"
tracelathe diff --flow --json "$u1" "$u7" | sed 's/"differences".*"partings"/"partings"/' | cut -c1-420
# One of two threads, and a window that is too small.
tracelathe diff --flow "$threads" "$u1"
echo "two programs: $?"
tracelathe diff --flow --thread 100 "$threads" "$threads"
tracelathe diff --flow --window 10 --meet 1024 "$u1" "$u7" >small.txt
echo "small window: $?"
tail -n 2 small.txt
tracelathe diff --flow "$u1" "golden/xray/fib-fdr.xray"
echo "no instructions: $?"
tracelathe diff --flow --function main "$u1" "$u7"
echo "no filters by name: $?"
tracelathe diff --flow --by line "$u1" "$u7"
tracelathe diff --meet 4 "$u1" "$u7"
echo "only of --flow: $?"
