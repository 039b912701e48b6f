# "FILE may be - (stdin) or compressed, recognised by content": the same report whatever way the bytes come.
# Needs: zstd xz lz4
trace=$GOLDEN/xray/mt8-fdr.xray
tracelathe report --csv "$trace" >plain
cat "$trace" | tracelathe report --csv - | cmp - plain
tracelathe report --csv - <"$trace" | cmp - plain
gzip -c "$trace" | tracelathe report --csv - | cmp - plain
for tool in zstd xz lz4; do
	command -v $tool >/dev/null || continue
	$tool -c "$trace" >packed 2>/dev/null && tracelathe report --csv packed | cmp - plain
done
# "Same input, any thread count: byte-identical output."
tracelathe report --csv --jobs 1 "$trace" | cmp - plain
tracelathe report --csv --jobs 7 "$trace" | cmp - plain
tracelathe report --csv -o file "$trace" && cmp file plain
wc -l <plain
