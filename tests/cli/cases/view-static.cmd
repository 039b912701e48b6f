# "--static writes one page without a server": what it has in it are the numbers of `report` and the calls of `dump --calls`.
tracelathe view --static -o page.html $GOLDEN/xray/mt8-fdr.xray
tracelathe report --json --threshold 0 $GOLDEN/xray/mt8-fdr.xray >report.json
tracelathe dump --calls --json $GOLDEN/xray/mt8-fdr.xray >calls.json
python3 - <<'PYTHON'
import base64, json, re, zlib

page = open("page.html", encoding="utf-8").read()
script = lambda name: re.search(r'<script id="%s"[^>]*>(.*?)</script>' % name, page, re.S).group(1)
answers = json.loads(script("answers"))
report = json.load(open("report.json"))
profile = answers["/api/profile?file=0"]
columns = profile["functions"]
shown = sorted(zip(columns["name"], columns["calls"], columns["self"][0], columns["inclusive"][0]))
wanted = sorted((f["function"], f["calls"], f["self"]["Ticks"], f["inclusive"]["Ticks"]) for f in report["functions"])
print("functions", shown == wanted, len(shown))


def numbers(data):
    found, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7f) << shift
        shift += 7
        if not byte & 0x80:
            found.append(value)
            value = shift = 0
    return found


tracks = answers["/api/state"]["files"][0]["tracks"]
names = [f["name"] for f in json.loads(script("calls-0"))["functions"]]
calls = []
for number, track in enumerate(tracks):
    data = zlib.decompress(base64.b64decode(script("calls-0-%d" % number)))
    at, parts = 16, []
    for column in range(4):
        size = int.from_bytes(data[4 * column:4 * column + 4], "little")
        parts.append(numbers(data[at:at + size]))
        at += size
    start = 0
    for delta, duration, function in zip(parts[0], parts[1], parts[3]):
        start += delta
        calls.append((track["thread"], start, duration - 1 if duration else None, names[function]))
origin = answers["/api/state"]["files"][0]["origin"]
told = []
for call in map(json.loads, open("calls.json")):
    if "start" in call:
        told.append((call["thread"], call["start"] - origin, None if call["end"] is None else call["end"] - call["start"], call["function"]))
print("calls", sorted(calls, key=str) == sorted(told, key=str), len(calls))
PYTHON
tracelathe view --static $GOLDEN/xray/mt8-fdr.xray -o page.html nothing.xray
echo $?
# What is missing in the trace is missing in the page: it is told, as of a report.
head -c 3000 $GOLDEN/xray/fib-fdr.xray >cut.xray
tracelathe view --static -o cut.html cut.xray
echo $?
