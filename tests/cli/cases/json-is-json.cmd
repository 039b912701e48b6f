# "--json: machine form of any report; one JSON object per line for dump and check". Held against Python's parser.
command -v python3 >/dev/null || { echo good; exit 0; }
mkdir out
for name in fib-fdr mt8-fdr custom-fdr args-fdr fib-basic; do
	for command in info check dump report tree "tree --top-down" "tree --bottom-up"; do
		tracelathe $command --json "$GOLDEN/xray/$name.xray" >"out/$command $name" 2>err
		[ $? -le 1 ] || { echo "$command $name"; cat err; }
	done
done
python3 - out/* <<'END' && echo good
import json, os, sys
for path in sys.argv[1:]:
    command = os.path.basename(path).split()[0]
    lines = open(path).read().split("\n")
    assert lines.pop() == "", path + ": no newline at the end"
    objects = [json.loads(line) for line in lines]
    assert all(isinstance(o, dict) for o in objects), path + ": not an object a line"
    assert command in ("dump", "check") or len(objects) == 1, "%s: %d objects" % (path, len(objects))
    assert command != "dump" or (len(objects) > 10 and all("offset" in o for o in objects)), path + ": no offset"
assert len(sys.argv) > 30
END
