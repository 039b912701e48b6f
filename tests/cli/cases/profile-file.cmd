# A profile file is the profile (docs/formats/profile.md): each command says of it what it says of the input, which is the
# expected output, and what was damaged in the input is said again. A changed byte costs the rows of its block, is told with
# its offset, and is status 1; tables of sums, which the file has beside the lines, stay whole.
same() {
	tracelathe "$@" "$input" >direct 2>/dev/null
	first=$?
	tracelathe "$@" x.tlp >again 2>/dev/null
	[ "$first" = $? ] || echo "$input: $*: status"
	cmp direct again
}
for input in "$GOLDEN/callgrind/threads.out-01" "$GOLDEN/xray/mt8-fdr.xray" "$GOLDEN/xray/gap-hole.xray" \
	"$GOLDEN/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin"; do
	tracelathe convert --to tracelathe -o x.tlp "$input" 2>/dev/null
	same report --csv --all
	same report --json --threads
	same tree --csv
	same annotate --csv
	same convert --to folded
	tracelathe convert --to tracelathe -o y.tlp x.tlp 2>/dev/null
	cmp x.tlp y.tlp
	tracelathe check x.tlp 2>/dev/null
done
printf 'events: Ir Dr\nfl=a.c\nfn=f\n1 100 1\n2 5\ncfn=g\ncalls=3 7\n3 20 2\nfn=g\n7 20 2\n' >a.cg
tracelathe convert --to tracelathe -o x.tlp a.cg
tracelathe info --json x.tlp | jq -c '[.made_from, .parts, .events, .damaged_places, (.sections | map(.section))]'
tracelathe dump x.tlp | sed 's/^[^ ]* //; s/\(count [0-9]*\).*/\1/'
# The block of the costs of lines: its header is 40 bytes.
at=$(tracelathe dump --json x.tlp | jq 'select(.section == "lines").offset')
printf '\377' | dd of=x.tlp bs=1 seek=$((at + 41)) conv=notrunc status=none
tracelathe report --csv x.tlp 2>damage
echo "damaged: $?"
sed "s/$(printf 0x%x "$at")/AT/" damage
tracelathe convert --to json x.tlp 2>/dev/null | jq -c '.functions | map([.name, .self])'
tracelathe check x.tlp 2>/dev/null | cut -d : -f 2-
head -c $((at + 20)) x.tlp >cut.tlp
tracelathe report --csv cut.tlp >/dev/null 2>&1
echo "cut: $?"
tracelathe report --strict cut.tlp >/dev/null 2>&1
echo "strict: $?"
