# Custom events with the meaning that --decode tells, in dump, timeline and query: the program wrote "step #N" and more
# (snprintf of "step #%d \"q\"\t\xff end"), 17 bytes for N below 10. "An event of another size is shown by its bytes, and
# that is told with the offset of the first one (exit 1)": from N = 10 on there are 18 bytes.
# Needs: SQLite
cp "$GOLDEN/xray/custom-fdr.xray" log
log=log
word='custom:step=struct:s4 word,pad2,s2 n,s8 rest,u8 last'
tracelathe dump --decode "$word" "$log" >text
echo "status $?"
grep -c 'custom-event .* step word="step" n="[0-9] " rest=' text
grep -c 'custom-event .* size=18 data="step #' text
tracelathe dump --json --decode "$word" "$log" 2>/dev/null | jq -c 'select(.event) | [.event, .values.word, .values.n, .values.last]' | sort | uniq -c | head -n 3
tracelathe query --csv --decode custom:step=text "$log" "SELECT count(*), count(DISTINCT payload ->> 'value') FROM instants WHERE name = 'step'"
tracelathe timeline --to chrome --decode "custom:step=struct:pad5,x8 sharp,pad" "$log" | grep -c '"name":"step","args":{"sharp":"0x23"}'
tracelathe dump --decode custom=texts "$log"
echo "status $?"
tracelathe dump --decode custom "$log"
echo "status $?"
tracelathe report --decode custom=text "$log" 2>&1 | head -n 1
