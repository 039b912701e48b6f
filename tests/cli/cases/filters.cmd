# "--thread ID, --time FROM..TO ... filters, the same everywhere": the rows of one thread are those that --threads shows of
# it; all of the time is as no window; a window before the first record's end holds less.
trace=$GOLDEN/xray/mt8-fdr.xray
tracelathe report --csv --threads "$trace" >all
for thread in $(cut -d, -f6 all | sed 1d | sort -un); do
	tracelathe report --csv --threads --thread $thread "$trace" | sed 1d | sort >one
	awk -F, -v t=$thread '$6 == t' all | sort | cmp - one
	echo "$(wc -l <one)" >>rows
done
wc -l <rows
tracelathe report --csv "$trace" >whole
tracelathe report --csv --time 0..3600 "$trace" | cmp - whole
tracelathe report --csv --time .. "$trace" | cmp - whole
tracelathe report --csv --time ..10us "$trace" 2>/dev/null | cmp -s - whole && echo "a window that cuts nothing"
true
