# `diff --flame` is one flame graph of both files: frames of the second, in the colours of change; --svg, --icicle and
# --width ask for it as well. A trace is no different from itself: the colour of all its frames is that of no change.
# Needs: YAML
map=$GOLDEN/xray/fib.instrmap-sym.yaml
a=$GOLDEN/xray/fib-fdr.xray b=$GOLDEN/xray/fib-fdr-wrap.xray
tracelathe diff --svg --map "$map" "$a" "$b" >ab.svg
tracelathe diff --flame --svg --map "$map" "$a" "$b" | cmp - ab.svg
grep -o 'fib-fdr-wrap.xray since .*fib-fdr.xray</title>' ab.svg | sed 's|since .*/fib|since fib|'
grep -c '^before ' ab.svg | grep -vx 0 | wc -l
tracelathe diff --svg --map "$map" "$a" "$a" | grep -o 'height="17" fill="[^"]*"' | sort -u
tracelathe diff --flame --by arc "$a" "$b"
echo "status $?"
if tracelathe diff --flame --map "$map" "$a" "$b" >page.html 2>words; then
	grep -q '"diff":true' page.html || echo "no difference in the page"
else
	grep -q 'built without the page' words || cat words
fi
