#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""perf_branches.py TRACELATHE: `dump --branches` lists the branches that `perf script --itrace=b` decodes, in its order.

On the small trace of tests/golden, with interrupts and CYC packets; coverage.py asks the same of a recorded program. What
the cycles are is read from the packets.
"""
import itertools
import json
import os
import re
import subprocess
import tempfile

import common
import perf_writer
from common import expect, fail

GOLDEN = os.path.join(common.ROOT, "tests", "golden", "intel_pt")
KINDS = {"call": "call", "indirect-call": "call", "jump": "jmp", "indirect-jump": "jmp", "conditional": "jcc",
         "return": "return", "begin": "tr strt", "interrupt": "async", "system": "syscall"}


def perf_branches(path, fields="+flags"):
    """(flags, from, to, name of from, name of to, instructions and cycles) of each; 0: none."""
    done = subprocess.run(["perf", "script", "-i", path, "--itrace=be", "-F", fields], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=True)
    made = []
    for row in done.stdout.splitlines():
        match = re.search(r"branches:\S*\s+(.*?)\s+([0-9a-f]+) (\S+) \(.*\) =>\s+([0-9a-f]+) (\S+) \(", row)
        if not match:
            fail("not a branch of perf:", row)
            continue
        flags = match[1].replace("tr end  ", "").strip()
        ipc = re.search(r"IPC: \S+ \((\d+)/(\d+)\)", row)
        made.append((flags, int(match[2], 16), int(match[4], 16), match[3], match[5], ipc and (int(ipc[1]), int(ipc[2]))))
    return made


def name(branch, side):
    if side + "_function" not in branch:
        return "[unknown]"
    return "%s+0x%x" % (branch[side + "_function"], branch.get(side + "_offset", 0))


def our_branches(path, *options):
    made = []
    for row in common.run("dump", "--branches", "--json", *options, path, status=(0,)).splitlines():
        branch = json.loads(row)
        cycles = (branch["instructions"], branch["cycles"]) if "cycles" in branch else None
        made.append((KINDS[branch["branch"]], int(branch.get("from", "0"), 16), int(branch.get("to", "0"), 16),
                     name(branch, "from"), name(branch, "to"), cycles))
    return made


def compare(path):
    """The number of branches that were compared; names differ where symbols have several."""
    ours, theirs = our_branches(path), perf_branches(path)
    expect("branches of " + path, [row[:3] for row in ours], [row[:3] for row in theirs])
    # A symbol has several names, and perf makes some of its own for procedure linkage tables.
    names = sum(a[3:5] == b[3:5] for a, b in zip(ours, theirs))
    expect("most names are perf's: %d of %d" % (names, len(theirs)), names >= 0.7 * len(theirs), True)
    lines = [re.split(r"  +", line.strip()) for line in common.run("dump", "--branches", path).splitlines()
             if not line.startswith("[process")]
    text = [(KINDS[row[2]], *(0 if part == "-" else int(part, 16) for part in row[:2])) for row in lines]
    expect("the same as text", text, [row[:3] for row in theirs])
    return len(theirs)


def write_tiny(folder):
    """The golden trace as perf.data, with a file that has its code."""
    code, path = os.path.join(folder, "tiny"), os.path.join(folder, "tiny.data")
    with open(os.path.join(GOLDEN, "tiny.img"), "rb") as image, open(code, "wb") as file:
        file.write(bytes(0x1000) + image.read() + bytes(0x800))
    with open(os.path.join(GOLDEN, "timed.pt"), "rb") as file:
        trace = file.read()
    cyc = 2
    writer = perf_writer.Writer(config=cyc, per_cpu=False, sample_type=perf_writer.IP | 8 | perf_writer.TID |
                                perf_writer.TIME | perf_writer.CPU | perf_writer.IDENTIFIER)
    writer.info()
    writer.comm(7, 7, "tiny", execs=True)
    writer.mmap(7, 0x401000, 0x1000, 0x1000, code)
    writer.itrace_start(7, 7)
    writer.auxtrace(trace, 0, 0, 7, perf_writer.NO_CPU)
    writer.aux(0, len(trace), 0, 7, 7, 10 ** 12)
    with open(path, "wb") as file:
        file.write(writer.file())
    return path


def check_cycles(path):
    """Each line with cycles has all those since the one before; the first CYC counts from a packet that is not there."""
    packets = [line.split() for line in common.run("dump", "--packets", os.path.join(GOLDEN, "timed.pt")).splitlines()]
    sums = list(itertools.accumulate([int(row[2], 16) for row in packets if row[1] == "cyc"][1:]))
    told = [row[5] for row in our_branches(path) if row[5]]
    # The second CYC begins the counting.
    reached = list(itertools.accumulate([cycles for _, cycles in told], initial=sums[0]))
    expect("cycles reach those of CYC packets", set(reached) - set(sums), set())
    expect("all but those behind the last branch", sums[-1] - reached[-1] <= sums[-1] - sums[-3], True)
    return told


def check_ipc(path, told):
    theirs = [row[5] for row in perf_branches(path, "+flags,+addr,+ipc") if row[5]]
    perf_rate = sum(row[0] for row in theirs) / sum(row[1] for row in theirs)
    our_rate = sum(row[0] for row in told) / sum(row[1] for row in told)
    expect("instructions per cycle of all, within 2 %%: %.3f %.3f" % (our_rate, perf_rate),
           abs(our_rate / perf_rate - 1) < 0.02, True)
    expect("most pairs are among perf's", sum(pair in theirs for pair in told) > 0.6 * len(told), True)


def check_filter(path, function):
    """--function: branches from or to it, and no others."""
    inside = re.compile(r"%s\+0x" % function)
    expect("branches of " + function, our_branches(path, "--function", "^%s$" % function),
           [row for row in our_branches(path) if inside.match(row[3]) or inside.match(row[4])])


def main():
    if not common.tool("perf"):
        common.skip("no perf")
    with tempfile.TemporaryDirectory() as folder:
        path = write_tiny(folder)
        count = compare(path)
        told = check_cycles(path)
        check_ipc(path, told)
    common.finish(count, "branches")


if __name__ == "__main__":
    main()
