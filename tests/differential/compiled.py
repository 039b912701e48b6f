#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compiled.py TRACELATHE: code that a run-time compiler made, by the jitdump file that it wrote (compiled/jit.c).

Samples: each function has as many as in what `perf inject --jit` makes of the same recording, which is an input, too. Intel
PT: code that only a jitdump has is decoded as what was executed, by its functions.
"""
import collections
import os
import re
import struct
import subprocess
import tempfile

import common
import perf_writer
from common import expect, fail

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(common.ROOT, "tests", "golden", "intel_pt")
MONOTONIC = 1
count = 0


def call(*command, cwd=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=cwd, errors="replace")
    return done.returncode, done.stdout


def samples(path, *options, status=(0,)):
    """By function: samples, and where it is in the source."""
    global count
    count += 1
    rows = common.csv.DictReader(common.io.StringIO(common.run("report", "--csv", *options, path, status=status)))
    made = collections.Counter()
    for row in rows:
        made[row["function"].split("@")[0], row["file"], row["line"]] += int(row["samples:self"])
    return made


def compiled(of):
    """Without what the program and the kernel did beside."""
    return {key: value for key, value in of.items() if key[1] == "spin.jit"}


def perf_samples(path):
    done = subprocess.run(["perf", "script", "-i", path, "-F", "ip,sym"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True)
    return collections.Counter((line.split() or [""])[-1].split("@")[0] for line in done.stdout.splitlines())


def check_samples(folder, program):
    data, injected = os.path.join(folder, "perf.data"), os.path.join(folder, "injected.data")
    code, said = call("perf", "record", "-q", "-k", "mono", "-e", "cpu-clock", "-F", "4000", "-o", data, program, folder,
                      "20000000", cwd=folder)
    if code:
        print("perf cannot record here: samples are not compared:", said.strip()[-200:])
        return
    ours = compiled(samples(data))
    expect("functions and their lines", set(ours), {("first", "spin.jit", "10"), ("second", "spin.jit", "20"),
                                                    ("moved", "spin.jit", "30")})
    code, said = call("perf", "inject", "--jit", "-i", data, "-o", injected, cwd=folder)
    expect("perf inject", (code, said), (0, said))
    expect("what perf inject makes is read", compiled(samples(injected)), ours)
    theirs = perf_samples(injected)
    expect("samples of each function", {key[0]: value for key, value in ours.items()},
           {name: theirs[name] for name in ("first", "second", "moved")})
    lines = common.csv.DictReader(common.io.StringIO(common.run("annotate", "--csv", data, status=(0, 1))))
    by_line = {row["line"]: int(row["samples"]) for row in lines if row["file"] == "spin.jit" and row["kind"] == "self"}
    expect("samples of lines: those of loops", set(by_line) <= {"10", "11", "20", "21", "30", "31"} and
           by_line.get("11", 0) > 0, True)
    check_told(folder, data, program)


def check_told(folder, data, program):
    """Times of another clock, a file that is not there, one that is cut short."""
    other = os.path.join(folder, "other.data")
    call("perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "-o", other, program, folder, "1000000", cwd=folder)
    expect("another clock", "not of the clock of the records" in told(other), True)
    for name in os.listdir(folder):
        if name.startswith("jit-"):
            path = os.path.join(folder, name)
            os.truncate(path, os.path.getsize(path) - 20)
    expect("a record cut short", "is not there or is damaged" in told(data), True)
    for name in os.listdir(folder):
        if name.startswith("jit-"):
            os.remove(os.path.join(folder, name))
    expect("no file", "is not there or is damaged" in told(data), True)


def told(path):
    """What is said of a report with status 1."""
    global count
    count += 1
    done = subprocess.run([common.command(), "report", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("status of " + path, done.returncode, 1)
    return done.stderr


# ---- Intel PT ----


def dump_of(folder, pid, pieces):
    """A jitdump file with (time, address, name, code) of each piece."""
    path = os.path.join(folder, "jit-%d.dump" % pid)
    with open(path, "wb") as file:
        file.write(struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, pid, 0, 0))
        for index, (time, address, name, code) in enumerate(pieces):
            text = name.encode() + b"\0"
            file.write(struct.pack("<IIQIIQQQQ", 0, 56 + len(text) + len(code), time, pid, pid, address, address, len(code),
                                   index) + text + code)
    return path


def pt_file(folder, pieces, pid=7):
    with open(os.path.join(GOLDEN, "tiny.pt"), "rb") as file:
        trace = file.read()
    writer = perf_writer.Writer(per_cpu=False, timed=False, clock=MONOTONIC)
    writer.info()
    writer.comm(pid, pid, "tiny", time=1, execs=True)
    writer.mmap(pid, 0x500000, 0x1000, 0, dump_of(folder, pid, pieces), time=2)
    # Made executable only when the code was in it.
    writer.mmap(pid, 0x401000, 0x1000, 0, "//anon", time=60)
    writer.itrace_start(pid, pid, time=70)
    writer.auxtrace(trace, 0, 0, pid, perf_writer.NO_CPU)
    writer.aux(0, len(trace), 0, pid, pid, 10 ** 12)
    path = os.path.join(folder, "tiny.data")
    with open(path, "wb") as file:
        file.write(writer.file())
    return path


def check_pt(folder):
    global count
    with open(os.path.join(GOLDEN, "tiny.img"), "rb") as file:
        code = file.read()
    # Two functions side by side, compiled after the first one was something else.
    half = 0x117
    path = pt_file(folder, [(10, 0x401000, "was", bytes(64)), (50, 0x401000, "low", code[:half]),
                            (51, 0x401000 + half, "high", code[half:])])
    with open(os.path.join(GOLDEN, "tiny.truth"), encoding="utf-8") as file:
        wanted = int(re.search(r"^insns (\d+)$", file.read(), re.M)[1])
    listed = [int(line, 16) for line in common.run("dump", "--instructions", "--no-text", path, status=(0,)).splitlines()
              if re.match("[0-9a-f]{16}$", line)]
    expect("instructions", len(listed), wanted)
    rows = common.csv.DictReader(common.io.StringIO(common.run("report", "--csv", "--event", "Ir", path, status=(0, 1))))
    expect("by function", {row["function"]: int(row["Ir:self"]) for row in rows},
           {"low": sum(ip < 0x401000 + half for ip in listed), "high": sum(ip >= 0x401000 + half for ip in listed)})
    count += 2


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_pt(folder)
        program = os.path.join(folder, "jit")
        if common.tool("perf") and common.tool("gcc"):
            code, said = call("gcc", "-O1", "-o", program, os.path.join(HERE, "compiled", "jit.c"))
            expect("compiled", (code, said), (0, ""))
            check_samples(folder, program)
        else:
            print("no perf, or no gcc: samples are not compared")
    common.finish(count, "comparisons")


main()
