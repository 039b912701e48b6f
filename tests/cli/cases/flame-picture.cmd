# `flame --svg` is a picture without scripts, the same every time; --icicle turns it; --threads keeps threads apart. What
# is expected follows from report: main calls fib, whose frames are as wide as report says.
# Needs: YAML
trace="$GOLDEN/xray/fib-fdr.xray" map="$GOLDEN/xray/fib.instrmap-sym.yaml"
tracelathe flame --svg --map "$map" -o a.svg "$trace"
tracelathe flame --svg --map "$map" --jobs 2 "$trace" >b.svg
cmp a.svg b.svg
head -c 41 a.svg
echo
grep -c '<script' a.svg
tracelathe report --csv --map "$map" "$trace" | cut -d, -f1 | tail -n +2 | sort >reported
# Every function of the report is in the picture's titles, and the other way round.
sed -n 's/.*<g><title>//p' a.svg | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' | grep -v '^all$' | sort -u | cmp - reported
tracelathe flame --svg --icicle --map "$map" "$trace" | cmp -s - a.svg || echo "an icicle is another picture"
tracelathe flame --svg --width 600 --map "$map" "$trace" | grep -o 'width="600" height'
tracelathe flame --svg --threads --map "$GOLDEN/xray/mt.instrmap-sym.yaml" "$GOLDEN/xray/mt8-fdr.xray" | grep -c '<title>thread '
tracelathe flame --svg --threshold x "$trace"
echo "status $?"
tracelathe flame --svg --event Ir "$trace"
echo "status $?"
