# A part of a trace begins at a PSB, ends before one, and decodes by itself: its instructions are a part of the list. The
# whole is had when the window is; nothing is had that was not asked for by more than the distance between two PSB.
# Needs: Zydis zstd
options="--cpuid-0x15.eax 2 --cpuid-0x15.ebx 176 --mtc-freq 3 --nom-freq 32 --tsc-hz 1000000000"
trace=$GOLDEN/intel_pt/rec.time.pt
tracelathe slice $options --time ..1000 -o whole.pt $trace && cmp whole.pt $trace && echo "whole"
tracelathe slice $options --time 170us..180us -o part.pt $trace && echo "part"
zstd -dqc $GOLDEN/intel_pt/rec.ips.zst | od -An -v -w8 -t x8 | tr -d ' ' >all
tracelathe dump --instructions --no-text --map $GOLDEN/intel_pt/rec.map part.pt >some
python3 - $trace <<'EOF'
import sys
whole, part = open(sys.argv[1], "rb").read(), open("part.pt", "rb").read()
psb = bytes.fromhex("0282" * 8)
at = whole.find(part)
print("begins at a PSB:", part.startswith(psb), "ends at one:", at + len(part) == len(whole) or whole.startswith(psb, at + len(part)))
every, some = open("all").read().split(), [line.strip() for line in open("some") if line[0] != "["]
first = next(i for i in range(len(every)) if every[i] == some[0] and every[i:i + len(some)] == some)
# A tick is an instruction here, with 2000 for each of the system calls.
print("has instructions of the window:", 0 < len(some) < len(every), first < 110000 < first + len(some))
EOF
tracelathe slice $options --trigger '^even$' --before 1us -o trigger.pt $trace
tracelathe dump --instructions --no-text --map $GOLDEN/intel_pt/rec.map trigger.pt | grep -c 5555555551b2 | sed 's/^[1-9].*/even is in it/'
cp $trace trace.pt
tracelathe slice $options --trigger '^none$' $trace 2>&1 | sed "s,$GOLDEN,GOLDEN,"
tracelathe slice --trigger '^even$' $GOLDEN/intel_pt/rec.ret.pt 2>&1 | sed "s,$GOLDEN,GOLDEN,"
tracelathe slice --time 1ms.. trace.pt 2>&1
tracelathe slice trace.pt 2>&1
tracelathe slice --snapshots 1..2 trace.pt 2>&1
echo "status $?"
