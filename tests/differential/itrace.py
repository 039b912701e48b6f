#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""itrace.py TRACELATHE: Intel PT as `perf script` decodes it, letter by letter of --itrace (docs/compared.md).

A program of recursion, calls by pointer and tail calls is recorded by `record --how emulate`. Calls and returns (`c`, `r`) are
the same in the same order, and calls of each function as many as `dump --calls` has; each packet (`d`) is at its offset with its
kind; each instruction is on the stack that perf has for it (`g`). Branches of a recording with CYC have perf's cycles (`A`).
"""
import collections
import json
import os
import re
import struct
import subprocess
import tempfile

import common
from common import expect

PROGRAM = r"""
volatile unsigned long sink;
#define OWN __attribute__((noinline))
OWN void leaf(int n) { for (int i = 0; i < n; i++) sink += i; }
OWN void last(int n) { leaf(n); sink++; }
OWN void tail(int n) { sink ^= 1; last(n + 1); }
OWN int fib(int n) { if (n < 2) { leaf(n); return n; } int a = fib(n - 1); tail(n); return a + fib(n - 2); }
OWN int one(int n) { return fib(n) + 1; }
OWN int two(int n) { leaf(2 * n); return n; }
int (*volatile each[])(int) = { one, two, fib, one };
int main(void) { int sum = 0; for (int i = 0; i < 4; i++) sum += each[i](i + 3); return sum == 0; }
"""
# Of the program itself: names of the library have aliases, of which each tool shows another.
OWN = ("main", "leaf", "last", "tail", "fib", "one", "two")


def recorded(folder):
    source, program, path = (os.path.join(folder, name) for name in ("program.c", "program", "program.data"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    subprocess.run([common.tool("cc"), "-O2", "-g", "-static", "-o", program, source], check=True)
    done = subprocess.run([common.command(), "record", "--how", "emulate", "-o", path, "--", program], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        common.skip("nothing was recorded: " + done.stderr.strip())
    return path


def perf(path, *options):
    return subprocess.run(["perf", "script", "-i", path, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True, text=True).stdout


def in_json(*command):
    return [json.loads(line) for line in common.run(*command, "--json").splitlines()]


def calls(path):
    """`c` and `r`; what has one end alone begins or ends the trace, as a system call does."""
    found = [(int(a, 16), int(b, 16), target, int(offset, 16)) for a, b, target, offset in
             re.findall(r"branches:\S*\s+([0-9a-f]+) .*=>\s+([0-9a-f]+) (\S+)\+(0x\w+)", perf(path, "--itrace=cre"))]
    theirs = [(a, b) for a, b, _, _ in found if a and b]
    rows = in_json("dump", "--branches", path)
    ours = [(int(row["from"], 16), int(row["to"], 16)) for row in rows if row.get("branch") in ("call", "indirect-call", "return")]
    expect("calls and returns in their order", ours == theirs, True)
    expect("some calls", len(theirs) > 200, True)
    # `last` is jumped to.
    begun = collections.Counter(row["function"] for row in in_json("dump", "--calls", path))
    count = collections.Counter(target for a, b, target, offset in found if a and b and not offset)
    expect("calls by function", {name: begun[name] for name in OWN if name != "last"}, {name: count[name] for name in OWN if name != "last"})


def packets(path):
    """`d`: perf calls both lengths of TNT by one name."""
    theirs = [(int(at, 16), name.lower()) for at, name in re.findall(r"^\.  ([0-9a-f]{8}):  .{48} ?(\S+)", perf(path, "-D"), re.M)]
    ours = [(int(at, 16), name.replace("tnt.8", "tnt").replace("tnt.64", "tnt")) for at, name in
            re.findall(r"^([0-9a-f]{16})  (\S+)", common.run("dump", "--packets", path), re.M)]
    # The file has the trace in multiples of 8 bytes.
    while ours and ours[-1][1] == "pad":
        ours.pop()
    expect("packets", [pair for pair in zip(ours, theirs) if pair[0] != pair[1]], [])
    expect("as many packets", (len(ours), len(ours) > 100), (len(theirs), True))


def stacks(path):
    """`g`, of each instruction below main: stack -> instructions."""
    theirs, ours = collections.Counter(), collections.Counter()
    for block in perf(path, "--itrace=i1ige", "-F", "ip,sym").split("\n\n"):
        names = [line.split()[1] for line in block.strip().splitlines() if len(line.split()) > 1]
        if "main" in names:
            theirs[";".join(reversed(names[:names.index("main") + 1]))] += 1
    for line in common.run("stacks", "--event", "Ir", path).splitlines():
        stack, count = line.rsplit(" ", 1)
        if ";main" in stack:
            ours["main" + stack.split(";main", 1)[1]] += int(count)
    expect("stacks", dict(ours), dict(theirs))
    expect("some stacks", len(theirs) > 15, True)


def cycles(folder):
    """
    `A`, instructions per cycle of branches, of a recording of tests/golden/perf whose event is made to say that it has CYC. The
    first count begins before the trace, which perf takes as it is; of instructions only those between the same branches agree,
    since perf counts up to the branch whose packet came with the cycles.
    """
    path = os.path.join(folder, "cycles.data")
    with open(os.path.join(common.ROOT, "tests", "golden", "perf", "threads.perf.data"), "rb") as file:
        data = bytearray(file.read())
    config = struct.unpack_from("<Q", data, 24)[0] + 8
    data[config] |= 1 << 1
    with open(path, "wb") as file:
        file.write(data)
    theirs = [(int(ip, 16), int(count), int(cycles)) for ip, count, cycles in
              re.findall(r"^ *([0-9a-f]+) .*IPC: [\d.]+ \((\d+)/(\d+)\)", perf(path, "--itrace=bA", "-F", "ip,sym,ipc"), re.M)][1:]
    done = subprocess.run([common.command(), "dump", "--branches", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode:
        print("no cycles: this machine does not have the code of the recording")
        return 0
    ours = [(int(row["from"], 16), row["instructions"], row["cycles"]) for row in map(json.loads, done.stdout.splitlines())
            if "cycles" in row]
    expect("cycles of branches", [row[2] for row in ours], [row[2] for row in theirs])
    both = [(mine[1], other[1]) for before, mine, others_before, other in zip(ours, ours[1:], theirs, theirs[1:])
            if before[0] == others_before[0] and mine[0] == other[0]]
    # In a loop perf's branch may be that of another round.
    apart = [pair for pair in both if pair[0] != pair[1]]
    expect("instructions between the same branches", (len(apart) <= len(both) // 100, len(both) > 50), (True, True))
    return 1


def main():
    if not all(map(common.tool, ("perf", "cc", "qemu-x86_64"))):
        common.skip("there is no perf, no compiler or no qemu-x86_64")
    with tempfile.TemporaryDirectory() as folder:
        path = recorded(folder)
        calls(path)
        packets(path)
        stacks(path)
        compared = 3 + cycles(folder)
    common.finish(compared, "letters of --itrace compared with perf")


if __name__ == "__main__":
    main()
