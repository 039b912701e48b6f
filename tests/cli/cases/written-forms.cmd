# Every form that a trace is written in holds the calls and ticks that the trace has: those of a loop of its own over the
# records of an FDR log of version 5 (docs/formats/xray.md 2; a stack per thread) in Python, beside which each form is read
# as its own specification says.
trace=$GOLDEN/xray/mt8-fdr.xray
for form in folded speedscope pprof csv callgrind cachegrind; do
	tracelathe convert --to $form -o out.$form $trace 2>>err
done
for form in chrome perfetto; do
	tracelathe timeline --to $form -o out.$form $trace 2>>err
done
cat >naive.py <<'EOF'
import collections, struct
def read(path):
    """By path of ids: calls; by thread and path: ticks with the path on the stack."""
    with open(path, "rb") as file:
        data = file.read()
    calls, ticks = collections.Counter(), collections.Counter()
    threads, at = collections.defaultdict(lambda: [[], 0]), 32
    while at < len(data):
        if data[at] & 1:
            kind, body = data[at] >> 1, data[at + 1:at + 16]
            if kind == 0:
                name = struct.unpack_from("<i", body)[0]
                thread = threads[name]
            elif kind in (2, 3):
                time = struct.unpack_from("<Q", body, 2 if kind == 2 else 0)[0]
            at += 16
            continue
        word, delta = struct.unpack_from("<II", data, at)
        at, time = at + 8, time + delta
        stack, last = thread
        if stack:
            ticks[name, tuple(stack)] += time - last
        thread[1] = time
        if word >> 1 & 7 == 0:
            stack.append(word >> 4)
            calls[tuple(stack)] += 1
        else:
            assert stack.pop() == word >> 4
    return calls, ticks
def fields(data):
    """Protocol Buffers, "Encoding": (number, value) with bytes for what has a length."""
    at = 0
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size
        else:
            size = {1: 8, 5: 4}[key & 7]
            yield key >> 3, int.from_bytes(data[at:at + size], "little")
            at += size
def packed(data):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    return values
EOF
cat >compare.py <<'EOF'
import collections, csv, gzip, json, re, sys
from naive import fields, packed, read
calls, ticks_of = read(sys.argv[1])
ticks = collections.Counter()
for (thread, path), cost in ticks_of.items():
    ticks[path] += cost
ticks = +ticks
by_function, calls_of = collections.Counter(), collections.Counter()
for path, cost in ticks.items():
    by_function["#%d" % path[-1]] += cost
for path, count in calls.items():
    calls_of["#%d" % path[-1]] += count
def names(path):
    return tuple("#%d" % function for function in path)
def same(form, have, want):
    print(form, "equal" if have == want else "differs")
with open(sys.argv[1], "rb") as file:
    hertz = int.from_bytes(file.read(16)[8:], "little")
def same_time(form, have, want):
    """Nanoseconds, rounded."""
    wrong = [path for path in want.keys() | have.keys() if abs(have[path] - want[path] * 1e9 / hertz) > 1]
    print(form, "differs in %d paths" % len(wrong) if wrong else "equal")
def thread_of(text):
    return int(text.split()[-1])
by_thread = collections.Counter({(thread, names(path)): cost for (thread, path), cost in ticks_of.items()})
def same_total(form, have, want):
    """Each thread's cost of a path is rounded by itself."""
    wrong = [path for path in want.keys() | have.keys() if abs(have[path] - want[path] * 1e9 / hertz) > 9]
    print(form, "differs in %d paths" % len(wrong) if wrong else "equal")
paths = collections.Counter({names(path): cost for path, cost in ticks.items()})
print("calls:", sum(calls.values()))

have = collections.Counter()
for line in open("out.folded"):
    path, cost = line.rsplit(" ", 1)
    have[tuple(path.split(";"))] += int(cost)
same("folded", have, paths)

scope, have = json.load(open("out.speedscope")), collections.Counter()
frames = [frame["name"] for frame in scope["shared"]["frames"]]
for profile in scope["profiles"]:
    for stack, weight in zip(profile["samples"], profile["weights"]):
        path, at = tuple(frames[i] for i in stack), thread_of(profile["name"])
        have[at, path] += weight
same_time("speedscope", have, by_thread)

message = open("out.pprof", "rb").read()
message = gzip.decompress(message) if message[:2] == b"\x1f\x8b" else message
texts, functions, locations, samples = [], {}, {}, []
for number, value in fields(message):
    if number == 6:
        texts.append(value.decode())
    elif number == 5:
        function = dict(fields(value))
        functions[function[1]] = function[2]
    elif number == 4:
        location = dict(fields(value))
        locations[location[1]] = dict(fields(location[4]))[1]
    elif number == 2:
        sample = dict(fields(value))
        samples.append((packed(sample[1]), packed(sample[2])))
types = [texts[dict(fields(value))[1]] for number, value in fields(message) if number == 1]
counts, times = collections.Counter(), collections.Counter()
for where, values in samples:
    path = tuple(texts[functions[locations[i]]] for i in reversed(where))
    counts[path] += values[types.index("calls")]
    times[path] += values[types.index("time")]
same("pprof calls", +counts, collections.Counter({names(path): count for path, count in calls.items()}))
same_total("pprof time", times, paths)

rows = list(csv.DictReader(open("out.csv")))
same("csv", ({r["function"]: int(r["Ticks:self"]) for r in rows}, {r["function"]: int(r["calls"]) for r in rows}),
     ({name: by_function[name] for name in calls_of}, dict(calls_of)))

have = collections.Counter()
known, skip = {}, False
for line in open("out.callgrind"):
    line = line.rstrip("\n")
    found = re.match(r"fn=(\(\d+\))(?: (.*))?$", line)
    if found:
        if found.group(2):
            known[found.group(1)] = found.group(2)
        function = known[found.group(1)]
    elif (found := re.match(r"c?fn=(\(\d+\)) (.*)$", line)):
        known[found.group(1)] = found.group(2)
    elif line.startswith("calls="):
        skip = True
    elif re.match(r"[-+*\d]", line):
        if not skip:
            have[function] += int(line.split()[-1])
        skip = False
same("callgrind", +have, by_function)

have = collections.Counter()
for line in open("out.cachegrind"):
    if line.startswith("fn="):
        function = line[3:].rstrip("\n")
    elif line[0].isdigit():
        have[function] += int(line.split()[1])
same("cachegrind", +have, by_function)

events = [e["name"] for e in json.load(open("out.chrome"))["traceEvents"] if e["ph"] in "BX"]
same("chrome", collections.Counter(events), calls_of)

begins = 0
for number, packet in fields(open("out.perfetto", "rb").read()):
    for inner, event in fields(packet):
        begins += inner == 11 and dict(fields(event)).get(9) == 1
same("perfetto", begins, sum(calls.values()))
EOF
python3 compare.py $trace
# A log rewritten as any version has the same functions, and so has that one rewritten as version 5. (Of version 2, which has
# no processes, the thread stands for the process: as version 5 it would be the log of a program that forked.)
tracelathe report --csv $trace >wanted 2>>err
again()
{
	tracelathe convert --to xray --xray-version $1 -o $3 $2 && tracelathe report --csv $3 2>>err | cmp - wanted && echo "$3"
}
for version in 1 2 3 4 5 basic; do
	again $version $trace version-$version
done
for version in 1 3 4 5 basic; do
	again 5 version-$version back-from-$version
done
cat err
