# Profiles that other tools write, by hand, in every operation: a calls b twice; self cost a 3, b 5 and c 7 below b. Each
# format's own words are those of docs/formats; sums and offsets are counted by hand.
printf 'a 3\na;b 5\nbad\na;b;c 7\n' >a.folded
printf '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},{"name":"b"},{"name":"c"}]},"profiles":[{"type":"sampled","name":"p","unit":"none","startValue":0,"endValue":15,"samples":[[0],[0,1],[0,1,2]],"weights":[3,5,7]}]}\n' >a.speedscope.json
printf '[{"ph":"B","name":"a","pid":1,"tid":2,"ts":0},{"ph":"B","name":"b","pid":1,"tid":2,"ts":3},{"ph":"X","name":"c","pid":1,"tid":2,"ts":8,"dur":7},{"ph":"E","pid":1,"tid":2,"ts":15},{"ph":"E","pid":1,"tid":2,"ts":15}]\n' >a.chrome.json
printf 'p 1 1.0: 3 x: \n\t1 a (o)\n\np 1 2.0: 5 x: \n\t2 b (o)\n\t1 a (o)\n\np 1 3.0: 7 x: \n\t3 c (o)\n\t2 b (o)\n\t1 a (o)\n\n' >a.script
tracelathe convert --to pprof -o a.pprof a.speedscope.json
tracelathe timeline --to perfetto -o a.perfetto a.chrome.json
# gmon.out, version 1: a histogram of 4 bins over 0x1000 to 0x1040 at 100 Hz (3, 0, 0 and 5 ticks), and an arc.
python3 -c '
import struct, sys
out = b"gmon" + struct.pack("<I12x", 1)
out += b"\0" + struct.pack("<QQII15sc4H", 0x1000, 0x1040, 4, 100, b"seconds", b"s", 3, 0, 0, 5)
out += b"\1" + struct.pack("<QQI", 0x1008, 0x1030, 2)
sys.stdout.buffer.write(out)' >a.gmon
for file in a.folded a.speedscope.json a.chrome.json a.script a.pprof a.perfetto a.gmon; do
	echo "== $file"
	tracelathe report --csv $file 2>/dev/null
	echo "report $?"
	tracelathe info --json $file 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["format"])'
	tracelathe check $file
	echo "check $?"
	tracelathe dump $file 2>/dev/null | head -n 3
	tracelathe dump --json $file 2>/dev/null | python3 -c 'import json, sys; print(len([json.loads(l) for l in sys.stdin]))'
	tracelathe report --csv --time 1us..9us $file 2>time.err | cut -d, -f1,6,7; cat time.err
	tracelathe report --cpu 1 $file
done 2>&1
tracelathe report --strict a.folded; echo "status $?"
tracelathe check --json a.folded
# Rewritten as pprof it is the same; a part of it is damage, at the field that is cut.
tracelathe convert --to pprof -o b.pprof a.pprof && gzip -cd a.pprof >one && gzip -cd b.pprof | cmp - one && echo same
tracelathe convert --to pprof --xray-version 3 -o c.pprof a.pprof; echo "status $?"
head -c 13 one >cut.pprof
tracelathe check cut.pprof; echo "status $?"
tracelathe stacks cut.pprof; echo "status $?"
head -c 85 a.gmon >cut.gmon
tracelathe check cut.gmon; echo "status $?"
tracelathe report --csv cut.gmon; echo "status $?"
tracelathe report --binary a --binary b a.gmon; echo "status $?"
tracelathe report --binary a a.gmon; echo "status $?"
