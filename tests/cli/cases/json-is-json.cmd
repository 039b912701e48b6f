# "--json: machine form of any report; one JSON object per line for dump and check". Held against Python's parser.
command -v python3 >/dev/null || { echo good; exit 0; }
cat >read.py <<'END'
import json, sys
lines = sys.stdin.read().split("\n")
assert lines.pop() == "", "no newline at the end"
objects = [json.loads(line) for line in lines]
assert all(isinstance(o, dict) for o in objects), "not an object a line"
one = sys.argv[1] not in ("dump", "check")
assert not one or len(objects) == 1, "%d objects" % len(objects)
assert sys.argv[1] != "dump" or (len(objects) > 10 and all("offset" in o for o in objects)), "no offset"
END
for name in fib-fdr mt8-fdr custom-fdr args-fdr fib-basic; do
	for command in info check dump report tree "tree --top-down" "tree --bottom-up"; do
		tracelathe $command --json "$GOLDEN/xray/$name.xray" >out 2>err
		[ $? -le 1 ] || { echo "$command $name"; cat err; }
		python3 read.py $command <out || echo "$command $name"
	done
done
echo good
