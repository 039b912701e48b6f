#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs whose stacks take turns, or whose frames are left by jumps, recorded afresh by examples/pt-recorder: each counts
its own calls, and how deep it stacks them, and the report must agree: every count exactly, and no stack deeper.

  pt_stacks.py TRACELATHE PT_RECORDER PROGRAM..."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import common
import perf_writer
from common import expect, fail

WAYS = ("ucontext", "ret", "jump", "tail", "inline", "call", "setjmp", "altstack", "preempt")
RUNS = [("switching", way, ("robin", "random", "deep")[i % 3]) for i, way in enumerate(WAYS)]
RUNS += [("switching", "ret", "pair"), ("switching", "ucontext", "random")]
RUNS += [("leaving", way) for way in ("outer", "every", "some", "signal")]
RUNS += [("throwing", way) for way in ("far", "near", "clean", "again")]


def record(recorder, program, options, arguments, folder):
    """The trace, and what the program counted."""
    base, counts = os.path.join(folder, "run"), os.path.join(folder, "counts")
    done = subprocess.run([recorder, *options, "-o", base, program, *arguments, counts], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode or not os.path.exists(counts):
        fail("%s %s is not recorded: %s" % (program, " ".join(arguments), done.stdout))
        return None, {}
    with open(counts, encoding="utf-8") as file:
        return base + ".pt", {name: int(count) for name, count in (line.split() for line in file)}


def plain(name):
    """work(int, int) of C++ is work."""
    return name.split("(")[0]


def depth_of(stack, functions):
    return sum(plain(frame) in functions for frame in stack.split(";"))


def check_run(what, trace, counts, *options):
    deepest = counts.pop("deepest")
    report = common.report_json(trace, *options)
    calls = {}
    for row in report["functions"]:
        calls[plain(row["function"])] = row["calls"] + row.get("unfinished", 0)
    expect(what + ": calls", {name: calls.get(name, 0) for name in counts}, counts)
    stacks = [line.rsplit(None, 1)[0] for line in common.run("stacks", "--event", "Ir", *options, trace).splitlines()]
    depth = max(depth_of(stack, counts) for stack in stacks)
    expect("%s: deepest stack, %d, at most %d" % (what, depth, deepest), depth <= deepest, True)
    total = sum(row["self"]["Ir"] for row in report["functions"])
    expect(what + ": instructions", total, report["total"]["Ir"])


def file_offsets(program):
    """A function from an address of a program (ELF, 64 bits, little-endian) to the offset in its file."""
    with open(program, "rb") as file:
        elf = file.read()
    table, = struct.unpack_from("<Q", elf, 32)
    entry_size, count = struct.unpack_from("<HH", elf, 54)
    segments = []
    for i in range(count):
        kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", elf, table + i * entry_size)
        if kind == 1:  # PT_LOAD
            segments.append((address, size, offset))
    return lambda at: next((offset + at - address for address, size, offset in segments
                            if address <= at < address + size), None)


def check_nameless(what, trace, program, counts, folder):
    """The same without the program's file: functions are called by their entries, which nm knows."""
    listing = subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    entries = {name: int(address, 16) for address, _, name in
               (line.split() for line in listing.splitlines() if len(line.split()) == 3)}
    calls = {}
    for row in common.report_json(trace, "--sysroot", folder)["functions"]:
        if "+0x" in row["function"]:
            offset = int(row["function"].rstrip("]").split("+")[1], 16)
            calls[offset] = row["calls"] + row.get("unfinished", 0)
    offset_of = file_offsets(program)
    got = {name: calls.get(offset_of(entries[name]), 0) for name in counts if counts[name]}
    expect(what + " without names: calls", got, {name: count for name, count in counts.items() if count})


def check_perf(what, base):
    """perf script decodes the same packets to the addresses that were stepped through, without an error."""
    process, writer = 1234, perf_writer.Writer(per_cpu=False, timed=False)
    with open(base + ".pt", "rb") as file:
        trace = file.read()
    with open(base + ".ips", "rb") as file:
        steps = [ip for ip, in struct.iter_unpack("<Q", file.read())]
    writer.info()
    writer.comm(process, process, "recorded", time=1, execs=True)
    with open(base + ".map", encoding="utf-8") as file:
        for line in file:
            if line[0] != "#":
                address, size, offset = (int(word, 16) for word in line.split()[:3])
                writer.mmap(process, address, size, offset, base + ".img", time=2)
    writer.itrace_start(process, process, time=3)
    writer.auxtrace(trace, 0, 0, process, perf_writer.NO_CPU)
    writer.aux(0, len(trace), 0, process, process, 10 ** 12)
    with open(base + ".data", "wb") as file:
        file.write(writer.file())
    done = subprocess.run(["perf", "script", "-i", base + ".data", "--itrace=i1ie", "-F", "ip"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    errors = [line for line in (done.stdout + done.stderr).splitlines() if "error" in line]
    if expect(what + ": errors of perf", errors[:3], []):
        expect(what + ": perf script", [int(line, 16) for line in done.stdout.split()], steps)


def check_sample():
    """The corpus' recording of coroutines, whose counts stand beside it."""
    folder = os.path.join(common.SHARED, "corpus", "defects", "intel-pt")
    if not os.path.exists(os.path.join(folder, "r_uctx.pt")):
        print("skipped: the sample of coroutines is not here")
        return 0
    with open(os.path.join(folder, "r_uctx.cnt"), encoding="utf-8") as file:
        counts = {name: int(count) for name, count in (line.split() for line in file)}
    # co calls work to a depth of 3, 5, 7, and 9, which calls yield or leaf: uctx.c.
    counts["deepest"] = 1 + 10 + 1
    check_run("r_uctx", os.path.join(folder, "r_uctx.pt"), counts, "--map", os.path.join(folder, "r_uctx.map"),
              "--binary", os.path.join(folder, "uctx.elf") + "@0x555555554000")
    return 1


def main():
    recorder, programs = sys.argv[2], {os.path.basename(path): path for path in sys.argv[3:]}
    compared = check_sample()
    with tempfile.TemporaryDirectory() as folder:
        for name, *arguments in common.some(RUNS):
            program = programs.get("pt-" + name)
            if not program:
                continue
            trace, counts = record(recorder, program, ["--time"] if compared % 2 else [], arguments, folder)
            if trace:
                check_run(" ".join([name, *arguments]), trace, counts)
                if name != "throwing" and shutil.which("nm"):
                    check_nameless(" ".join([name, *arguments]), trace, program, counts, folder)
                # Jumps out of recursions and out of handlers: perf 6.1 needs the stack of returns to be emptied.
                if name == "leaving" and common.tool("perf"):
                    check_perf(" ".join([name, *arguments]), trace[:-len(".pt")])
                compared += 1
    common.finish(compared, "recordings")


main()
