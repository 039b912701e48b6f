# Records as YAML (docs/formats/xray.md, 11) hold each function record and event of the log, with its time, thread and
# payload; read again, they report what the log reports. The expected lines are those of the log's own records.
# Needs: YAML
exec 2>/dev/null # one log is cut
for name in args-fdr tail-fdr custom-fdr typed-fdr mt8-fdr fib-basic; do
	log=$GOLDEN/xray/$name.xray
	tracelathe convert --to yaml -o $name.yaml $log
	tracelathe dump --json $log >$name.log
	tracelathe dump --json $name.yaml >$name.again
	tracelathe report --csv $log >$name.report
	tracelathe report --csv $name.yaml | cmp - $name.report || echo "$name: another report"
	tracelathe convert --to xray -o $name.xray $name.yaml
	tracelathe report --csv $name.xray | cmp - $name.report || echo "$name: another report of the log"
	python3 - $name <<'PYTHON'
import base64, json, re, sys

name = sys.argv[1]
KINDS = {"enter": "function-enter", "exit": "function-exit", "tail-exit": "function-tail-exit", "enter-arg": "function-enter-arg"}


def records(path):
    found = []
    for record in map(json.loads, open(path)):
        key = record.get("tsc"), record.get("thread")
        if record["record"] == "function":
            found.append(key + (KINDS[record["action"]], record["id"], record.get("args", []), ""))
        elif record["record"] in ("custom-event", "typed-event"):
            found.append(key + (record["record"], record.get("event_type", 0), [], record["bytes"]))
    return found


def payload(text):
    found = re.match(r'!!binary "(.*)"', text)
    return (base64.b64decode(found.group(1)) if found else text.strip("'").encode()).hex()


written = []
for line in open(name + ".yaml", encoding="utf-8"):
    if not line.startswith("  - "):
        continue
    fields = dict(re.findall(r"([\w-]+): (\[.*?\]|'[^']*'|!!binary \"[^\"]*\"|[^,}]*?)(?=,| })", line))
    kind = fields["kind"]
    event = kind.endswith("event")
    arguments = [int(n) for n in re.findall(r"\d+", fields.get("args", ""))]
    written.append((int(fields["tsc"]), int(fields["thread"]), kind, int(fields["type" if event else "func-id"]), arguments,
                    payload(fields["data"]) if event else ""))
log = records(name + ".log")
# Threads one after the other, each in its own order.
print(name, len(written), sorted(written, key=lambda r: r[1]) == sorted(log, key=lambda r: r[1]),
      sorted(records(name + ".again"), key=lambda r: r[1]) == sorted(log, key=lambda r: r[1]))
PYTHON
done
