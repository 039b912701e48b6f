# "--json: machine form of any report; one JSON object per line for dump and check". Held against Python's parser.
command -v python3 >/dev/null || { echo good; exit 0; }
mkdir out
for name in fib-fdr mt8-fdr custom-fdr args-fdr fib-basic; do
	for command in info check dump report tree "tree --top-down" "tree --bottom-up"; do
		tracelathe $command --json "$GOLDEN/xray/$name.xray" >"out/$command $name" 2>err
		[ $? -le 1 ] || { echo "$command $name"; cat err; }
	done
done
# info and check as CSV have what they have as JSON.
mkdir csv
for path in out/info* out/check*; do
	name=${path##* }
	command=${path#out/}
	tracelathe ${command%% *} --csv "$GOLDEN/xray/$name.xray" >"csv/${path#out/}" 2>err
done
tracelathe check --csv "$GOLDEN/callgrind/../../../fuzz/corpus/callgrind/odd.out" >"csv/check odd" 2>err
tracelathe check --json "$GOLDEN/callgrind/../../../fuzz/corpus/callgrind/odd.out" >"out/check odd" 2>err
python3 - out/* <<'END' && echo good
import csv, json, os, sys

def facts(value, path=""):
    if not isinstance(value, (dict, list)):
        return [[path, {True: "true", False: "false", None: ""}.get(value, str(value)) if isinstance(value, (bool, type(None))) else str(value)]]
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    return [row for key, inner in pairs for row in facts(inner, path + "." * bool(path) + str(key))]

def rows(objects):
    columns = list(dict.fromkeys(key for o in objects for key in o)) or ["rule", "offset", "text"]
    return [columns] + [[facts(o[c])[0][1] if c in o else "" for c in columns] for o in objects]

for path in sys.argv[1:]:
    command = os.path.basename(path).split()[0]
    lines = open(path).read().split("\n")
    assert lines.pop() == "", path + ": no newline at the end"
    objects = [json.loads(line) for line in lines]
    if command in ("info", "check"):
        with open(path.replace("out/", "csv/", 1), newline="") as file:
            found = list(csv.reader(file))
        numbers = [json.loads(line, parse_float=str) for line in lines]
        wanted = rows(numbers) if command == "check" else [["fact", "value"]] + facts(numbers[0])
        assert found == wanted, "%s: %s" % (path, [(a, b) for a, b in zip(found, wanted) if a != b][:3])
    assert all(isinstance(o, dict) for o in objects), path + ": not an object a line"
    assert command in ("dump", "check") or len(objects) == 1, "%s: %d objects" % (path, len(objects))
    assert command != "dump" or (len(objects) > 10 and all("offset" in o for o in objects)), path + ": no offset"
assert len(sys.argv) > 30
END
