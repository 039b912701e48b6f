#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Perfetto traces as inputs: our exporter's files read back have the calls of the trace they were made of, to the rounding
of its times to ns; traces that protoc encodes from text, with what our exporter never writes, have what the text says."""
import os
import shutil
import subprocess
import tempfile
import zlib

import common
from common import expect

PROTO = """
syntax = "proto2";
message Trace { repeated Packet packet = 1; }
message Packet {
  optional Snapshot clock_snapshot = 6; optional uint64 timestamp = 8; optional uint32 sequence = 10; optional Event event = 11;
  optional Interned interned = 12; optional uint32 flags = 13; optional bool dropped = 42; optional bytes compressed = 50;
  optional uint32 clock = 58; optional Defaults defaults = 59; optional Track track = 60; optional bytes other = 900;
}
message Snapshot { repeated Clock clocks = 1; }
message Clock { optional uint32 id = 1; optional uint64 time = 2; optional bool incremental = 3; optional uint64 unit = 4; }
message Event {
  optional int32 type = 9; optional uint64 name_iid = 10; optional uint64 track = 11; optional string name = 23;
  optional int64 counter = 30; optional uint64 source = 34;
}
message Interned { repeated Name names = 2; repeated Source sources = 4; }
message Name { optional uint64 iid = 1; optional string name = 2; }
message Source { optional uint64 iid = 1; optional string file = 2; optional uint32 line = 4; }
message Defaults { optional Event event = 11; optional uint32 clock = 58; }
message Track { optional uint64 uuid = 1; optional string name = 2; optional Process process = 3; optional Thread thread = 4;
  optional uint64 parent = 5; }
message Process { optional int32 pid = 1; optional string name = 6; }
message Thread { optional int32 pid = 1; optional int64 tid = 2; optional string name = 5; }
"""

# Interned names, defaults, a clock of the sequence that counts up in units of 10 ns, a track described behind its events.
SEQUENCE = """
packet { sequence: 1 flags: 1 clock_snapshot { clocks { id: 6 time: 1000 } clocks { id: 64 time: 0 incremental: true unit: 10 } }
  defaults { clock: 64 event { track: 7 } } }
packet { sequence: 1 flags: 2 timestamp: 10 interned { names { iid: 1 name: "outer" } sources { iid: 3 file: "o.c" line: 12 } }
  event { type: 1 name_iid: 1 source: 3 } }
packet { sequence: 1 flags: 2 timestamp: 5 event { type: 1 name: "inner" } }
packet { sequence: 1 flags: 2 timestamp: 20 event { type: 2 } }
packet { sequence: 1 flags: 2 timestamp: 3 event { type: 3 name: "mark" } }
packet { sequence: 1 flags: 2 timestamp: 2 event { type: 4 counter: 5 track: 9 } }
packet { sequence: 1 flags: 2 timestamp: 10 event { type: 2 } }
packet { track { uuid: 7 parent: 8 thread { pid: 100 tid: 101 name: "worker" } } }
packet { track { uuid: 8 process { pid: 100 name: "prog" } } }
packet { other: "abc" }
"""
# Names are cleared, and without a state before, events that depend on it do not count.
CLEARED = """
packet { sequence: 5 flags: 2 timestamp: 1 event { type: 1 name_iid: 1 track: 1 } }
packet { sequence: 5 flags: 1 interned { names { iid: 1 name: "first" } } }
packet { sequence: 5 flags: 2 timestamp: 10 event { type: 1 name_iid: 1 track: 1 } }
packet { sequence: 5 flags: 2 timestamp: 20 event { type: 2 track: 1 } }
packet { sequence: 5 flags: 1 interned { names { iid: 1 name: "second" } } }
packet { sequence: 5 flags: 2 timestamp: 30 event { type: 1 name_iid: 1 track: 1 } }
packet { sequence: 5 flags: 2 timestamp: 70 event { type: 2 track: 1 } }
packet { sequence: 5 dropped: true }
"""


def protoc(folder, text):
    run = subprocess.run(["protoc", "--encode=Trace", "trace.proto"], cwd=folder, input=text.encode(), capture_output=True,
                         check=True)
    return run.stdout


def report(folder, data, *options):
    """Rows by function, and the exit status."""
    with open(os.path.join(folder, "x.pftrace"), "wb") as file:
        file.write(data)
    run = subprocess.run([common.command(), "report", "--csv", "--all", *options, "x.pftrace"], cwd=folder,
                         capture_output=True, text=True, check=False)
    return {row["function"]: row for row in common.csv.DictReader(common.io.StringIO(run.stdout))}, run.returncode


def column(rows, name):
    return {function: int(row[name]) for function, row in rows.items() if row[name] != ""}


def compare_sequence(folder):
    data = protoc(folder, SEQUENCE)
    rows, status = report(folder, data)
    expect("exit status", status, 0)
    expect("calls", column(rows, "calls"), {"outer": 1, "inner": 1})
    expect("durations", column(rows, "sum"), {"outer": 400, "inner": 200})
    expect("where outer is", (rows["outer"]["file"], rows["outer"]["line"]), ("o.c", "12"))
    rows, _ = report(folder, data, "--thread", "101", "--pid", "100")
    expect("functions of the thread", sorted(rows), ["inner", "outer"])
    packed = protoc(folder, 'packet { compressed: "%s" }' % "".join("\\%03o" % byte for byte in zlib.compress(data)))
    expect("the same, compressed", report(folder, packed)[0].keys(), report(folder, data)[0].keys())
    info = subprocess.run([common.command(), "info", "--json", "x.pftrace"], cwd=folder, capture_output=True, text=True,
                          check=False)
    expect("format", common.json.loads(info.stdout)["format"], "perfetto")
    return 7


def compare_cleared(folder):
    rows, status = report(folder, protoc(folder, CLEARED))
    expect("exit status of a trace that lost packets", status, 1)
    expect("calls of cleared names", column(rows, "calls"), {"first": 1, "second": 1})
    expect("durations of cleared names", column(rows, "sum"), {"first": 10, "second": 40})
    return 3


def compare_exported(folder):
    """Counts are the same; a sum of n durations may be off by n ns, as begins and ends are rounded down."""
    path = os.path.join(common.ROOT, "tests", "golden", "xray", "mt8-fdr.xray")
    subprocess.run([common.command(), "timeline", "--to", "perfetto", "-o", "t.pftrace", path], cwd=folder, check=True)
    with open(os.path.join(folder, "t.pftrace"), "rb") as file:
        rows, _ = report(folder, file.read(), "--seconds")
    text = subprocess.run([common.command(), "report", "--csv", "--all", "--seconds", path], cwd=folder, capture_output=True,
                          text=True, check=False).stdout
    wanted = {row["function"]: row for row in common.csv.DictReader(common.io.StringIO(text))}
    expect("calls of an exported trace", column(rows, "calls"), column(wanted, "calls"))
    for name, row in wanted.items():
        off = abs(float(row["sum"]) - float(rows[name]["sum"])) * 1e9
        expect("seconds of " + name, off <= int(row["calls"]) + 1, True)
    return 1 + len(wanted)


def main():
    if not shutil.which("protoc"):
        common.skip("no protoc (package protobuf-compiler)")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "trace.proto"), "w", encoding="utf-8") as file:
            file.write(PROTO)
        count = compare_sequence(folder) + compare_cleared(folder) + compare_exported(folder)
    common.finish(count, "comparisons")


if __name__ == "__main__":
    main()
