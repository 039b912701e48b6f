#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""brstack.py TRACELATHE: branch records of samples against perf script.

No processor is needed: perf.data files are composed here, with random branches in a program of this machine's compiler.
`dump --json` must have the branches that `perf script -F brstack` has, and `stacks --branch-stack` their sums from
function to function, by the symbols of nm.
"""
import bisect
import collections
import os
import random
import re
import struct
import subprocess
import tempfile

import common
from common import expect, finish, skip

SOURCE = """
int one(int n) { return n * 3; }
int two(int n) { return one(n) + n; }
int three(int n) { return two(n) - 7; }
int main(int n, char **words) { (void)words; return three(n) + two(n); }
"""
MMAP, SAMPLE = 1, 9
IP, TID, TIME, BRANCHES, IDENTIFIER = 1, 2, 4, 1 << 11, 1 << 16
ATTR_BYTES, PID = 96, 4242


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True).stdout


def record(kind, body):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<IHH", kind, 2, 8 + len(body)) + body


def mapped(path):
    name = path.encode() + b"\0"
    trailer = struct.pack("<IIQQ", PID, PID, 1, 77)
    return record(MMAP, struct.pack("<IIQQQ", PID, PID, 0x400000, 0x10000, 0) + name + b"\0" * (-len(name) % 8) + trailer)


def sample(time, branches):
    body = struct.pack("<QQIIQQ", 77, branches[0][0], PID, PID, time, len(branches))
    return record(SAMPLE, body + b"".join(struct.pack("<QQQ", *branch) for branch in branches))


def compose(path, program, samples):
    """A file of one event whose branch_sample_type is any branch (1 << 3)."""
    attr = struct.pack("<IIQQQQQIIQQQ", 0, ATTR_BYTES, 0, 1, IP | TID | TIME | BRANCHES | IDENTIFIER, 0, 1 << 18, 0, 0, 0, 0, 1 << 3)
    attr += b"\0" * (ATTR_BYTES - len(attr))
    data = mapped(program) + b"".join(sample(10 + i, branches) for i, branches in enumerate(samples))
    ids = 104 + ATTR_BYTES + 16
    header = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, ATTR_BYTES + 16, 104, ATTR_BYTES + 16, ids + 8, len(data), 0, 0)
    with open(path, "wb") as file:
        file.write(header + b"\0" * (104 - len(header)) + attr + struct.pack("<QQ", ids, 8) + struct.pack("<Q", 77) + data)


def symbols(program):
    """The beginnings of the functions with code, and their names."""
    rows = [line.split() for line in output("nm", "-S", program).splitlines()]
    return sorted((int(row[0], 16), int(row[1], 16), row[3]) for row in rows if len(row) == 4 and row[2] in "tT")


def name_at(table, address):
    at = bisect.bisect(table, (address, 1 << 64, "")) - 1
    return table[at][2] if at >= 0 and address < table[at][0] + table[at][1] else None


def perf_branches(path):
    """Of perf script: the branches of each sample as (from, to, mispredicted or None)."""
    said = {"M": True, "P": False, "-": None}
    for line in output("perf", "script", "-i", path, "-F", "brstack").splitlines():
        found = re.findall(r"(0x[0-9a-f]+)/(0x[0-9a-f]+)/([MP-])/", line)
        if found:
            yield [(int(a, 16), int(b, 16), said[c]) for a, b, c in found]


def check(title, path, table):
    theirs = list(perf_branches(path))
    ours = [[(int(b["from"], 16), int(b["to"], 16), b.get("mispredicted")) for b in row["branch_stack"]]
            for row in common.dump(path) if "branch_stack" in row]
    expect(title + ": branches of each sample", ours, theirs)
    sums = {"branches": collections.Counter(), "mispredicted": collections.Counter()}
    for one in (branch for stack in theirs for branch in stack):
        edge = ";".join(name_at(table, address) for address in one[:2])
        sums["branches"][edge] += 1
        sums["mispredicted"][edge] += one[2] is True
    for event, wanted in sums.items():
        got = dict(line.rsplit(" ", 1) for line in common.run("stacks", "--branch-stack", "--event", event, path).splitlines())
        expect("%s: %s" % (title, event), {edge: int(count) for edge, count in got.items()},
               {edge: count for edge, count in wanted.items() if count})
    rows = {row["function"]: int(row["branches:self"]) for row in common.report("--branch-stack", "--all", path)}
    targets = collections.Counter()
    for edge, count in sums["branches"].items():
        targets[edge.split(";")[1]] += count
    expect(title + ": targets", {name: count for name, count in rows.items() if count}, dict(targets))
    return sum(map(len, theirs))


def main():
    if not common.tool("perf") or not common.tool("gcc") or not common.tool("nm"):
        skip("no perf, gcc or nm here")
    chance, count = random.Random(4711), 0
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "source.c"), os.path.join(folder, "program")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        output("gcc", "-O1", "-fno-inline", "-no-pie", "-static", "-nostartfiles", "-Wl,-e,main", "-o", program, source)
        table = symbols(program)
        places = [address for start, size, _ in table for address in range(start, start + size)]
        for most in (1, 16, 32):
            samples = [[(chance.choice(places), chance.choice(places), chance.choice((0, 1, 2)) | chance.randrange(1000) << 4)
                        for _ in range(chance.randint(1, most))] for _ in range(150)]
            path = os.path.join(folder, "%d.data" % most)
            compose(path, program, samples)
            count += check("up to %d branches" % most, path, table)
    finish(count, "branches")


main()
