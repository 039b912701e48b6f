# `flame` writes one page, the same every time, that names the file and asks the network for nothing; a build without the
# page says so and exits with 2.
# Needs: YAML
trace="$GOLDEN/xray/fib-fdr.xray" map="$GOLDEN/xray/fib.instrmap-sym.yaml"
if ! tracelathe flame --map "$map" "$trace" >page.html 2>words; then
	grep -q 'built without the page' words && [ ! -s page.html ] || cat words
	exit 0
fi
tracelathe flame --map "$map" --jobs 2 -o again.html "$trace"
cmp page.html again.html
grep -q "<title>.*fib-fdr.xray – flame graph</title>" page.html || echo "no title"
# Addresses stand in licences, comments and names of XML; nothing is loaded from any.
grep -o -E '(src|href)="?https?:[^"]*|url\(https?:|@import|fetch\(|XMLHttpRequest' page.html
grep -c "default-src 'none'" page.html | grep -vx 1
tracelathe flame --map "$map" - <"$trace" | grep -q '<title>standard input' || echo "no standard input"
exit 0
