#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""xray_live.py TRACELATHE: account, convert and fdr-dump of the llvm-xray that is installed, on the recordings in the tree.

Other tests hold all recordings of the corpus against what an llvm-xray has once said of them; here its options are given."""
import csv
import io
import json
import os
import re
import subprocess
import tempfile

import common
from common import expect

GOLDEN = os.path.join(common.ROOT, "tests", "golden", "xray")
TOOL = common.tool("llvm-xray-19", "llvm-xray")
KINDS = {"enter": "function-enter", "exit": "function-exit", "tail-exit": "function-tail-exit", "enter-arg": "function-enter-arg"}
count = 0


def theirs(*words, text=True):
    done = subprocess.run([TOOL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=text)
    expect("llvm-xray " + " ".join(words[:2]), done.returncode, 0)
    return done.stdout


def trace_of(name):
    return os.path.join(GOLDEN, name + ".xray")


def map_of(name):
    return os.path.join(GOLDEN, re.split("8?-", name)[0] + ".instrmap-sym.yaml")


def program_of(name):
    """The corpus has it; that in the tree has one of them."""
    return os.path.join(common.CORPUS, "bin", re.split("8?-", name)[0] + ".elf")


def frequency(path):
    return json.loads(common.run("info", "--json", path, status=(0, 1)))["cycle_frequency"]


def accounts(name):
    """account --format=csv, --instr_map: all columns in ticks. It rounds to seven digits, and multiplies by no exact number."""
    global count
    path, rate = trace_of(name), frequency(trace_of(name))
    rows = {row["funcid"]: row for row in csv.DictReader(io.StringIO(theirs("account", "-k", "-d", "--format=csv", path)))}
    mine = {row["id"]: row for row in common.report("--map", map_of(name), path) if int(row["calls"])}
    expect(name + ": functions", sorted(mine), sorted(rows))
    for number, row in rows.items():
        expect("%s: calls of %s" % (name, number), mine[number]["calls"], row["count"])
        for key, ours in (("min", "min"), ("median", "median"), ("90%ile", "p90"), ("99%ile", "p99"), ("max", "max"), ("sum", "sum")):
            wanted, got = float(row[key]) * rate, int(mine[number][ours])
            if abs(wanted - got) > max(0.5, 1e-6 * got):
                common.fail(name, "function", number, key, "is", got, "instead of", wanted)
    text = theirs("account", "-k", "-d", "--format=text", path)
    expect(name + ": --format=text has as many", int(re.match(r"Functions with latencies: (\d+)", text)[1]), len(mine))
    count += 1


def instr_map(name):
    """account, convert and graph --instr_map of a program: the names of its functions."""
    global count
    program, path = program_of(name), trace_of(name)
    rows = {row["funcid"]: row["function"] for row in
            csv.DictReader(io.StringIO(theirs("account", "-k", "-d", "--format=csv", "--instr_map=" + program, path)))}
    mine = {row["id"]: row["function"] for row in common.report("--binary", program, path) if int(row["calls"])}
    expect(name + ": account --instr_map", mine, rows)
    graph = theirs("graph", "-k", "-d", "--vertex-label=count", "--instr_map=" + program, "-o", "-", path)
    ours = common.run("convert", "--to", "dot", "--threshold", "0", "--labels", "calls", "--binary", program, path)
    expect(name + ": graph --instr_map", sorted(set(re.findall(r'^\tf\d+ \[label="([^"\\]*)', ours, re.M))),
           sorted(set(re.findall(r'label="\{([^|]*)\|', graph)) - {"F0"}))
    count += 2


def functions_of(text):
    return [re.sub(r"\s+", " ", line) for line in text.splitlines() if "kind: function" in line]


def as_theirs(row, symbolized):
    """A function record as `llvm-xray convert --output-format=yaml` has it."""
    args = " args: [ %s ]," % ", ".join(map(str, row["args"])) if row["args"] else ""
    name = row["name"] if symbolized else str(row["id"])
    return " - { type: 0, func-id: %d, function: %s,%s cpu: %d, thread: %d, process: %d, kind: %s, tsc: %d, data: '' }" % (
        row["id"], name, args, row["cpu"], row["thread"], row["process"], KINDS[row["action"]], row["tsc"])


def unquoted(lines):
    return [re.sub(r"function: '([^']*)'", r"function: \1", line) for line in lines]


def conversions(name):
    """convert --sort, --symbolize, --no-demangle, --instr_map: each record, in the order of time."""
    global count
    path, program = trace_of(name), program_of(name)
    forms = [((), ("--order", "file")), (("--sort",), ())]
    if os.path.exists(program):
        forms.append((("--sort", "--symbolize", "--instr_map=" + program), ("--binary", program)))
        forms.append((("--sort", "--symbolize", "--no-demangle", "--instr_map=" + program), ("--no-demangle", "--binary", program)))
    for options, ours in forms:
        named = "--symbolize" in options
        wanted = unquoted(functions_of(theirs("convert", "--output-format=yaml", *options, path)))
        rows = [row for row in common.dump(*ours, path) if row["record"] == "function"]
        mine = [as_theirs(row, named) for row in rows]
        # Records of one time come in any order in llvm-xray.
        if "--sort" in options:
            times = [int(re.search(r"tsc: (\d+)", line)[1]) for line in wanted]
            expect("%s: %s: the order" % (name, options), [row["tsc"] for row in rows], times)
            mine, wanted = sorted(mine), sorted(wanted)
        expect("%s: convert %s" % (name, " ".join(options)), mine, wanted)
        count += 1


def raw(name, folder):
    """convert --output-format=raw is right of logs without buffers alone: of others it keeps the header, and writes such records."""
    global count
    theirs_is, ours_is = (os.path.join(folder, tool + ".xray") for tool in ("theirs", "ours"))
    theirs("convert", "--output-format=raw", "--output=" + theirs_is, trace_of(name))
    common.run("convert", "--to", "xray", "-o", ours_is, trace_of(name))
    keys = ("action", "id", "thread", "process", "cpu", "tsc", "args")
    rows = [[tuple(map(str, map(row.get, keys))) for row in common.dump(path) if row["record"] == "function"]
            for path in (trace_of(name), theirs_is, ours_is)]
    expect(name + ": raw", rows[1], rows[0])
    expect(name + ": our raw", rows[2], rows[0])
    expect(name + ": our raw, read by llvm-xray", functions_of(theirs("convert", "--sort", "--output-format=yaml", ours_is)),
           functions_of(theirs("convert", "--sort", "--output-format=yaml", trace_of(name))))
    count += 1


def nested(events):
    """Depth, name, begin and end of each call of B and E, by thread."""
    stacks, calls = {}, []
    for event in events:
        stack = stacks.setdefault(event["tid"], [])
        if event["ph"] == "B":
            stack.append((event["name"], event["ts"]))
        elif stack:
            begun = stack.pop()
            calls.append((str(event["tid"]), len(stack), *begun, event["ts"]))
    return calls


def trace_events(name):
    """convert --output-format=trace_event: calls with their times, in microseconds of the clock's own beginning there."""
    global count
    path = trace_of(name)
    document = json.loads(theirs("convert", "--sort", "--symbolize", "--output-format=trace_event", path))
    their_calls = [(thread, depth, int(function.lstrip("#")), float(begin), float(end)) for thread, depth, function, begin, end in
                   nested(document["traceEvents"])]
    rate = frequency(path)
    rows = [json.loads(line) for line in common.run("dump", "--calls", "--json", path).splitlines()]
    mine = [(str(row["thread"]), row["depth"], int(row["function"].lstrip("#")), row["start"], row["end"]) for row in rows
            if row["end"] is not None]
    expect(name + ": calls", sorted(row[:3] for row in mine), sorted(row[:3] for row in their_calls))
    # ... and ours as Chrome reads it are these calls.
    chrome = json.loads(common.run("timeline", "--to", "chrome", path))
    slices = [row for row in chrome["traceEvents"] if row["ph"] == "X"]
    first = min(row[3] for row in mine)
    for what, theirs_is, ours_is in (
            ("times", sorted(row[3] for row in their_calls), [tsc * 1e6 / rate for tsc in sorted(row[3] for row in mine)]),
            ("ends", sorted(row[4] for row in their_calls), [tsc * 1e6 / rate for tsc in sorted(row[4] for row in mine)]),
            ("slices", sorted(row["ts"] for row in slices), [(tsc - first) * 1e6 / rate for tsc in sorted(row[3] for row in mine)])):
        expect("%s: as many %s" % (name, what), len(theirs_is), len(ours_is))
        expect("%s: %s" % (name, what), [pair for pair in zip(theirs_is, ours_is) if abs(pair[0] - pair[1]) > 2e-3], [])
    count += 1


# What fdr-dump prints -> the record, and a value of it.
DUMPED = (
    (r"<Buffer: size = (\d+) bytes>", "buffer-extents", "size"), (r"<Thread ID: (\d+)>", "new-buffer", "thread"),
    (r"<Wall Time: seconds = (\d+)\.\d+>", "wall-clock", "seconds"), (r"<PID: (\d+)>", "pid", "process"),
    (r"<CPU: id = (\d+), tsc = \d+>", "new-cpu", "cpu"), (r"<TSC Wrap: base = (\d+)>", "tsc-wrap", "tsc"),
    (r"<Function (?:Enter|Tail Exit|Exit|Enter With Arg): #(\d+) delta", "function", "id"),
    (r"<Call Argument: data = (\d+)", "argument", None), (r"<End of Buffer>", "end-of-buffer", None),
    (r"<Custom Event: tsc = \+(\d+)", "custom-event", None), (r"<Typed Event", "typed-event", None),
)


def dumped(text):
    rows = []
    for line in text.splitlines():
        for form, name, key in DUMPED:
            match = re.match(form, line.strip(" -"))
            if match:
                rows.append((name, int(match[1]) if key else None))
                break
    return rows


def dumps(name):
    """fdr-dump: each record in the order of the file; arguments are records of their own there."""
    global count
    wanted = dumped(theirs("fdr-dump", trace_of(name)))
    mine = []
    for row in common.dump("--order", "file", trace_of(name)):
        key = dict((kind, key) for _, kind, key in DUMPED).get(row["record"], "")
        if key == "":
            continue
        mine.append((row["record"], row[key] if key else None))
        mine += [("argument", None) for _ in row.get("args", ())]
    expect(name + ": fdr-dump", mine, wanted)
    expect(name + ": some records", len(wanted) > 20, True)
    count += 1


def verified(folder):
    """fdr-dump --verify: a log that it refuses is one that check refuses; a sound one passes both."""
    global count
    with open(trace_of("fib-fdr"), "rb") as file:
        sound = file.read()
    # Kinds of metadata records in the first buffer that its grammar has in this order (FDR version 5).
    changes = {"sound": sound, "no wall clock": sound[:64] + bytes([9 << 1 | 1]) + sound[65:],
               "no thread": sound[:48] + bytes([4 << 1 | 1]) + sound[49:], "cut": sound[:-5],
               "a kind that is not known": sound[:80] + bytes([60 << 1 | 1]) + sound[81:]}
    for what, data in changes.items():
        path = os.path.join(folder, "changed.xray")
        with open(path, "wb") as file:
            file.write(data)
        statuses = [subprocess.run(command + [path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0
                    for command in ([TOOL, "fdr-dump", "--verify"], [common.command(), "check"])]
        expect("--verify: " + what, statuses, [what != "sound"] * 2)
        count += 1


def main():
    if not TOOL:
        common.skip("there is no llvm-xray")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("fib-fdr", "fib-basic"):
            accounts(name)
        for name in ("fib-fdr", "tail-fdr", "args-fdr"):
            if os.path.exists(program_of(name)):
                instr_map(name)
        for name in ("fib-fdr", "args-fdr", "tail-fdr", "fib-basic"):
            conversions(name)
        for name in ("fib-basic", "mt-basic"):
            raw(name, folder)
        for name in ("fib-fdr", "fib-basic"):
            trace_events(name)
        for name in ("fib-fdr", "args-fdr", "mt8-fdr", "tail-fdr", "forky-1"):
            dumps(name)
        verified(folder)
    common.finish(count, "answers compared with llvm-xray's")


if __name__ == "__main__":
    main()
