#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What we write, read by the tools it is for: callgrind_annotate, go tool pprof, protoc, jq. Each must find the totals
and counts of the function table."""
import json
import os
import re
import subprocess
import tempfile

import common
from common import expect, fail

ROOT = common.ROOT
compared = 0


def tool_says(args, **options):
    """The output of another tool; None (and a failure) when it does not accept its input."""
    global compared
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    if done.returncode:
        fail(" ".join(args[:3]), "refuses:", done.stderr.decode("utf-8", "replace").strip()[:300])
        return None
    compared += 1
    return done.stdout.decode("utf-8", "replace")


class Trace:
    def __init__(self, path, binary):
        self.path = path
        self.options = ["--binary", binary] if binary else []
        rows = common.report(path, *self.options)
        self_column = next(name for name in rows[0] if name.endswith(":self"))
        self.self_of = {}
        for row in rows:
            self.self_of[row["function"]] = self.self_of.get(row["function"], 0) + int(row[self_column])
        self.total = sum(self.self_of.values())
        self.calls = sum(int(row["calls"]) for row in rows)
        self.entries = self.calls + sum(int(row["unfinished"] or 0) for row in rows)
        self.events = sum(record["record"] in ("custom-event", "typed-event") for record in common.dump(path))
        self.frequency = common.report_json(path)["frequency"]
        self.threads = {(r["process"], r["thread"]) for r in common.dump(path) if r["record"] == "function"}

    def convert(self, form, folder):
        out = os.path.join(folder, "out." + form)
        common.run("convert", "--to", form, *self.options, "-o", out, self.path)
        return out

    def timeline(self, form, folder):
        out = os.path.join(folder, "timeline." + form)
        common.run("timeline", "--to", form, *self.options, "-o", out, self.path)
        return out


def expect_time(what, got, samples, trace):
    """A sum in nanoseconds: exact where a tick is one, else each sample may have been rounded."""
    exact = trace.total * 10**9 / trace.frequency
    if abs(got - exact) > (0 if trace.frequency == 10**9 else samples):
        fail("%s is %s ns instead of %s ns" % (what, got, exact))


def folded(trace, folder):
    with open(trace.convert("folded", folder), encoding="utf-8") as file:
        lines = file.read().splitlines()
    shaped = [re.match(r"[^;]+(?:;[^;]+)* (\d+)$", line) for line in lines]
    expect("folded: lines of another shape", [l for l, m in zip(lines, shaped) if not m], [])
    expect("folded: sum", sum(int(m.group(1)) for m in shaped if m), trace.total)
    stacks = common.run("stacks", *trace.options, trace.path).splitlines()
    expect("stacks: the same as folded", stacks, lines)


def callgrind(trace, folder):
    if not common.tool("callgrind_annotate"):
        return
    text = tool_says(["callgrind_annotate", "--threshold=100", trace.convert("callgrind", folder)])
    if text is None:
        return
    total = re.search(r"^\s*([\d,]+)(?: \(100.0%\))?\s+PROGRAM TOTALS", text, re.M)
    if not total:
        fail("callgrind_annotate shows no totals")
        return
    expect("callgrind_annotate: total", int(total.group(1).replace(",", "")), trace.total)
    # "Ir  file:function [object]"
    shown = {}
    for number, name in re.findall(r"^\s*([\d,]+)(?: \([ \d.]+%\))?\s+[^:\n]*:(.+?)(?: \[[^]]*\])?$", text, re.M):
        shown[name] = shown.get(name, 0) + int(number.replace(",", ""))
    wanted = {name: value for name, value in trace.self_of.items() if value}
    expect("callgrind_annotate: self cost", {k: v for k, v in shown.items() if v and k in wanted}, wanted)


def pprof(trace, folder):
    if not common.tool("go"):
        return
    out = trace.convert("pprof", folder)
    environment = dict(os.environ, HOME=folder, PPROF_TMPDIR=folder)
    text = tool_says(["go", "tool", "pprof", "-raw", out], env=environment)
    if text is None:
        return
    # "Samples:\ncalls/count ticks/count\n    1  100: 3 2 1"
    types = re.search(r"^Samples:\n(.+)$", text, re.M).group(1).split()
    rows = [[int(n) for n in m.split()] for m in re.findall(r"^\s+(\d[\d ]*): ", text, re.M)]
    sums = {name.split("/")[0]: sum(row[i] for row in rows if len(row) == len(types)) for i, name in enumerate(types)}
    expect("pprof: calls", sums.get("calls"), trace.calls)
    expect_time("pprof: self time", sums.get("time", 0), len(rows), trace)
    expect("pprof: every function is named", [name for name in trace.self_of if name not in text], [])


def speedscope(trace, folder):
    out = trace.convert("speedscope", folder)
    if common.tool("jq"):
        text = tool_says(["jq", "-c", "[.profiles[].weights[]] | [add, length]", out])
        if text is not None:
            expect_time("speedscope: self time", *json.loads(text), trace)
        text = tool_says(["jq", "([.profiles[].samples[][]] | max) < (.shared.frames | length)", out])
        if text is not None:
            expect("speedscope: frames are in the table", text.strip(), "true")


def data_forms(trace, folder):
    if not common.tool("jq"):
        return
    tool_says(["jq", "-e", ".", trace.convert("json", folder)])
    for command in ("report", "info", "tree"):
        out = os.path.join(folder, command)
        common.run(command, "--json", *trace.options, "-o", out, trace.path)
        tool_says(["jq", "-e", ".", out])
    lines = os.path.join(folder, "dump")
    common.run("dump", "--json", "-o", lines, trace.path)
    text = tool_says(["jq", "-s", "map(select(.record == \"function\")) | length", lines])
    with open(lines, encoding="utf-8") as file:
        wanted = sum('"record":"function"' in line for line in file)
    if text is not None:
        expect("dump: functions by jq", int(text), wanted)


def chrome(trace, folder):
    if not common.tool("jq"):
        return
    text = tool_says(["jq", "-c", """
        (if type == "array" then . else .traceEvents end)
        | map(select(.ph == "B" or .ph == "X" or .ph == "E" or .ph == "i" or .ph == "I"))
        | { begin: map(select(.ph == "B" or .ph == "X")) | length,
            instant: map(select(.ph == "i" or .ph == "I")) | length,
            shape: all(.[]; (.pid | type) == "number" and (.tid | type) == "number" and (.ts | type) == "number"),
            threads: map([.pid, .tid]) | unique | length }""", trace.timeline("chrome", folder)])
    if text is not None:
        found = json.loads(text)
        expect("chrome: calls", found["begin"], trace.entries)
        expect("chrome: events", found["instant"], trace.events)
        expect("chrome: numbers are numbers", found["shape"], True)
        expect("chrome: threads", found["threads"], len(trace.threads))


# The few fields that we count, numbered as in Perfetto's published protos (trace_packet.proto, track_event.proto).
PERFETTO = """syntax = "proto2";
message Trace { repeated TracePacket packet = 1; }
message TracePacket { optional uint64 timestamp = 8; optional TrackEvent track_event = 11;
                      optional TrackDescriptor track_descriptor = 60; }
message TrackEvent { optional int32 type = 9; optional uint64 track_uuid = 11; }
message TrackDescriptor { optional uint64 uuid = 1; optional Thread thread = 4; }
message Thread { optional int32 pid = 1; optional int32 tid = 2; }
"""


def perfetto(trace, folder):
    if not common.tool("protoc"):
        return
    with open(os.path.join(folder, "trace.proto"), "w", encoding="utf-8") as file:
        file.write(PERFETTO)
    with open(trace.timeline("perfetto", folder), "rb") as file:
        text = tool_says(["protoc", "--proto_path=" + folder, "--decode=Trace", "trace.proto"], stdin=file)
    if text is None:
        return
    # TYPE_SLICE_BEGIN 1, TYPE_SLICE_END 2, TYPE_INSTANT 3
    kinds = [len(re.findall(r"^    type: %d$" % kind, text, re.M)) for kind in (1, 2, 3)]
    expect("perfetto: calls", kinds[0], trace.entries)
    if kinds[1] > kinds[0]:
        fail("perfetto: %d ends of %d calls" % (kinds[1], kinds[0]))
    expect("perfetto: events", kinds[2], trace.events)
    threads = set(re.findall(r"thread \{\s+pid: (\d+)\s+tid: (\d+)", text))
    expect("perfetto: threads", {(int(p), int(t)) for p, t in threads}, trace.threads)


def traces():
    """One of our own recordings, and larger ones of the shared corpus where it is present."""
    seeds = os.path.join(ROOT, "fuzz", "corpus", "xray")
    yield os.path.join(seeds, "tail-fdr.xray"), None
    yield os.path.join(seeds, "custom-fdr.xray"), None
    yield os.path.join(seeds, "fib-fdr-emutsc.xray"), None
    for name in ("mt8-fdr", "fib-fdr-wrap", "args-basic", "typed-fdr"):
        path = os.path.join(common.CORPUS, name + ".xray")
        if os.path.exists(path):
            yield path, common.binary_of(name)


def main():
    for path, binary in traces():
        print("--", os.path.basename(path))
        trace = Trace(path, binary)
        with tempfile.TemporaryDirectory() as folder:
            for check in (folded, callgrind, pprof, speedscope, data_forms, chrome, perfetto):
                check(trace, folder)
    common.finish(compared, "outputs read by other tools")


main()
