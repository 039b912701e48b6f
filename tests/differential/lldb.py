#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lldb.py TRACELATHE [LIBIPT_FOLDER]: trace bundles of LLDB, against the truth of the corpus and against LLDB itself.

The bundles are written here, as LLDB's schema has them. With LIBIPT_FOLDER LLDB decodes with our libipt.so.2, too.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import common
import perf_writer as pw
import pt_corpus
from common import expect, fail
from pt_corpus import CORPUS

OURS = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
PROGRAMS = ("true", "sh", "rec", "sig")
compared = {"truth": 0, "lldb": 0}


def modules(name):
    """What was loaded where, by the corpus's map."""
    lowest = {}
    with open(os.path.join(CORPUS, name + ".map"), encoding="utf-8") as file:
        for line in file:
            fields = line.split()
            path = " ".join(fields[3:-1])
            if line[0] == "#" or path.startswith("["):
                continue
            start = int(fields[0], 16) - int(fields[-1], 16)
            lowest[path] = min(start, lowest.get(path, start))
    return [{"systemPath": path, "file": os.path.join(CORPUS, path), "loadAddress": hex(start)} for path, start in lowest.items()]


def process(number, name, trace, **more):
    return {"pid": number, "threads": [{"tid": number, "iptTrace": trace}], "modules": modules(name), **more}


def write(folder, processes, **more):
    path = os.path.join(folder, "trace.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"cpuInfo": {"family": 6, "model": 142, "stepping": 10, "vendor": "GenuineIntel"}, **more,
                   "processes": processes, "type": "intel-pt"}, file, indent=2)
    return path


def executed(path):
    """{thread: addresses} of dump --instructions"""
    threads, now = {}, None
    for line in common.run("dump", "--instructions", "--no-text", path).splitlines():
        head = re.match(r"\[process \d+, thread (\d+)", line)
        if head:
            now = threads.setdefault(int(head.group(1)), [])
        elif re.match(r"[0-9a-f]{16}", line):
            now.append(int(line[:16], 16))
    return threads


def truth(name):
    packed = subprocess.run(["zstd", "-dcq", os.path.join(CORPUS, name + ".ips.zst")], stdout=subprocess.PIPE, check=True).stdout
    return [ip for (ip,) in struct.iter_unpack("<Q", packed)]


def against_truth(folder):
    for name in PROGRAMS:
        for variant in common.some(("time", "cyc", "ret")):
            trace = "%s.%s.pt" % (name, variant)
            shutil.copy(os.path.join(CORPUS, trace), folder)
            path = write(folder, [process(7, name, trace)])  # a path below the bundle
            if executed(path) != {7: truth(name)}:
                fail("a bundle of", trace, "gives other instructions")
            compared["truth"] += 1
    # Two processes, whose code is at the same addresses; names of functions are those of each.
    path = write(folder, [process(1, "rec", "rec.time.pt"), process(2, "sig", os.path.join(CORPUS, "sig.time.pt"))],
                 tscPerfZeroConversion={"timeMult": 1 << 20, "timeShift": 20, "timeZero": "0x10"})
    expect("two processes", {t: len(ips) for t, ips in executed(path).items()}, {1: len(truth("rec")), 2: len(truth("sig"))})
    info = json.loads(common.run("info", "--json", path))
    expect("a frequency of one tick a nanosecond", info["frequency"], 1000000000)
    expect("threads", [[t["tid"] for t in p["threads"]] for p in info["processes"]], [[1], [2]])
    rows = {(row["function"], row["thread"]): int(row["Ir:self"]) for row in common.report("--threads", path)}
    alone = {row["function"]: int(row["Ir:self"]) for row in common.report(
        "--threads", write(folder, [process(1, "rec", "rec.time.pt")]))}
    expect("functions of the first", {f: c for (f, thread), c in rows.items() if thread == "1"}, alone)
    expect("check", common.run("check", path), "")
    compared["truth"] += 1


def trace(name, variant):
    with open(os.path.join(CORPUS, "%s.%s.pt" % (name, variant)), "rb") as file:
        return file.read()


def processors(folder, cpus, variant="time", more=(), change=lambda record: record, **members):
    """A bundle of two programs that take turns on processors, as `process trace start --per-cpu-tracing` makes it."""
    writer = pw.Writer(sample_type=pw.TID | pw.TIME, mult=3, shift=2, zero=10 ** 9)
    machine = pw.Machine(writer, cpus)
    threads = [((100, 101), "rec"), ((200, 201), "sh"), *more]
    for i, who, part, later in pw.turns([(who, pw.slices(trace(name, variant))) for who, name in threads]):
        machine.run((i + (who[0] == 200)) % cpus, who, part, later)
    listed = []
    for cpu in range(cpus):
        writer.data = b""
        for time, _, where, before, after in sorted(machine.records):
            if where == cpu:
                writer.switch_wide(cpu, 10 ** 9 + time * 3 // 4, before, after)
        for name, data in (("%d.pt" % cpu, machine.buffers[cpu]), ("%d.switches" % cpu, change(writer.data))):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        listed.append({"id": cpu, "iptTrace": "%d.pt" % cpu, "contextSwitchTrace": "%d.switches" % cpu})
    known = [{"pid": who[0], "threads": [{"tid": who[1]}], "modules": modules(name)} for who, name in threads[:2]]
    members.setdefault("tscPerfZeroConversion", {"timeMult": 3, "timeShift": 2, "timeZero": str(10 ** 9)})
    return write(folder, known, cpus=listed, **members)


def by_processor(folder):
    wanted = {101: truth("rec"), 201: truth("sh")}
    for cpus in common.some((2, 1, 3)):
        for variant in ("time", "irq"):
            path = processors(folder, cpus, variant)
            expect("%d processors, %s" % (cpus, variant), executed(path), wanted)
            compared["truth"] += 1
    path = processors(folder, 2)
    rows = {row["thread"]: 0 for row in common.report("--threads", path)}
    for row in common.report("--threads", path):
        rows[row["thread"]] += int(row["Ir:self"])
    expect("report", rows, {str(tid): len(ips) for tid, ips in wanted.items()})
    expect("info", [(c["cpu"], c["bytes"] > 0) for c in json.loads(common.run("info", "--json", path))["cpus"]], [(0, True), (1, True)])
    expect("check", common.run("check", path), "")

    # "threads of unrelated processes will also be traced": they are told, and cost nothing else.
    path = processors(folder, 2, more=[((300, 300), "sig")])
    expect("a process that is not described", executed(path), wanted)
    done = subprocess.run([common.command(), "report", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("it is told", (done.returncode, "processes that the bundle does not describe" in done.stderr), (1, True))

    # Damage: records cut short anywhere, no records, no clock.
    for at in common.some((0, 1, 40, 47, 200)):
        path = processors(folder, 1, change=lambda data, at=at: data[:at])
        code = subprocess.run([common.command(), "report", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        expect("switches cut at %d" % at, code in (0, 1, 2), True)
    done = subprocess.run([common.command(), "report", processors(folder, 1, tscPerfZeroConversion=None)], stderr=subprocess.PIPE)
    expect("no clock", (done.returncode, b"tscPerfZeroConversion" in done.stderr), (2, True))
    compared["truth"] += 2


def refused(folder):
    """What is missing is told, and costs its own; what is not a bundle is refused at its byte."""
    lost = process(1, "rec", "nowhere.pt")
    path = write(folder, [lost, process(2, "sig", "sig.time.pt")])
    done = subprocess.run([common.command(), "report", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect("a missing trace", (done.returncode, b"nowhere.pt" in done.stderr, bool(done.stdout)), (1, True, True))
    unknown = process(2, "sig", "sig.time.pt")
    unknown["modules"][0]["file"] = "/no/such/file"
    done = subprocess.run([common.command(), "report", write(folder, [unknown])], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect("a missing module", (done.returncode, b"/no/such/file" in done.stderr), (1, True))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for at in range(1, len(text) - 2, max(len(text) // (13 if common.SMALL else 40), 1)):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text[:at] if at % 2 else text[:at] + "\0" + text[at + 1:])
        code = subprocess.run([common.command(), "check", "--format", "lldb", path], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode
        if code not in (0, 1, 2):
            fail("a damaged description ends with", code)
    compared["truth"] += 1


def listed(lldb, path, libipt=None):
    """The addresses that LLDB lists; None: it cannot load the bundle."""
    env = dict(os.environ, LD_LIBRARY_PATH=libipt) if libipt else dict(os.environ)
    out = path + ".list"
    done = subprocess.run([lldb, "-b", "-o", "trace load " + path, "-o",
                           "thread trace dump instructions --raw --forwards --count 100000000 --file " + out],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, cwd=os.path.dirname(path))
    if done.returncode or not os.path.exists(out):
        return None
    with open(out, encoding="utf-8", errors="replace") as file:
        found = [int(word, 16) for word in re.findall(r"^ *\d+: (0x[0-9a-f]{16})", file.read(), re.M)]
    os.unlink(out)
    return found


def against_lldb(folder):
    lldbs = [path for path in map(shutil.which, ("lldb-22", "lldb-21", "lldb-20", "lldb-19", "lldb")) if path]
    path = write(folder, [process(7, "rec", "rec.time.pt")])
    lldb = next((name for name in lldbs if listed(name, path) is not None), None)
    if not lldb:
        print("skipped: no lldb here that loads bundles with Intel PT (that of LLVM 19 ends in `trace load`)")
        return
    for name in PROGRAMS:
        path = write(folder, [process(7, name, name + ".time.pt")])
        ips = executed(path)[7]
        for libipt in (None, OURS) if OURS else (None,):
            if listed(lldb, path, libipt) != ips:
                fail("%s lists other instructions of %s%s" % (lldb, name, " with our libipt" if libipt else ""))
            compared["lldb"] += 1
    # Of a bundle of two processes it shows the last.
    path = processors(folder, 2)
    expect("by processor, as LLDB", listed(lldb, path) == executed(path)[201], True)
    compared["lldb"] += 1


def main():
    common.need_whole_corpus()
    with tempfile.TemporaryDirectory() as folder:
        against_truth(folder)
        by_processor(folder)
        refused(folder)
        against_lldb(folder)
    print("%(truth)d bundles equal to truth, %(lldb)d to lldb" % compared)
    common.finish(compared["truth"], "bundles")


main()
