# Every kind of line as a record: `dump --json` has the fields that stand in the line, under names of the format's
# specification, and the line's offset, which `grep -b` tells here; a call and a jump are one record with the line behind
# them. Text shows the same. Relative positions count from the last line of self cost (docs/formats/callgrind.md, A), and the
# callee's file is that of the last such line (B).
cat >out.1 <<'EOF'
# callgrind format
version: 1
creator: by hand
cmd: ./prog a b
part: 1
positions: instr line
events: Ir Dr
desc: Trigger: end

ob=(1) /bin/prog
fl=(1) prog.c
fn=(1) main
0x1000 10 5 2
+4 +1 7
fi=(2) inline.h
* 3 1
fe=(1)
cfn=(2) callee
calls=2 0x2000 20
0x1008 11 100 50
jump=3 0x1000 10
0x100c 12
jcnd=1/4 +8 +2
0x1010 13
gibberish here
fn=(2)
0x2000 20 100 50
totals: 213 103
EOF
tracelathe dump --json out.1 >lines 2>err
echo "status $?"
grep -b -n '' out.1 | cut -d: -f1,2 >places
python3 - <<'EOF'
import json
places = {int(line): int(offset) for line, offset in (row.split(":") for row in open("places"))}
texts = open("out.1").read().split("\n")
seen = set()
for line in open("lines"):
    fields = json.loads(line)
    number = fields.get("line")
    if number not in places or places[number] != fields["offset"]:
        print("wrong place:", line, end="")
    seen.add(number)
print("lines without a record:", [n for n in sorted(places) if n not in seen])
EOF
grep -E '"(cost|call|jump|name|lost|totals)"' lines
tracelathe dump out.1 2>/dev/null | grep -E 'cost|call|jump|lost'
cat err
