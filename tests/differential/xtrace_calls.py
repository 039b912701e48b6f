# SPDX-License-Identifier: Apache-2.0
"""Calls of instruction streams, one by one, against the instructions as a reader of our own gives them (xtrace_profile.py).

Functions without symbols are named after the address at which they were called, so the instruction with the number of a call's
begin stands at the address in its name; behind a return, the instruction behind the call goes on. Instructions of no inner call
are the self cost of the function table, whatever the number of threads that read."""
import collections
import glob
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import common
from common import expect
from xtrace_profile import instructions

MOST_BYTES = 4 << 20
FIRST_TOKEN = 0x09  # PCINST at EL0
RET_MASK, RET, CALLS = 0xFFFFFC1F, 0xD65F0000, ((0xFC000000, 0x94000000), (0xFFFFFC1F, 0xD63F0000))


def streams():
    """Directories with the streams of a trace, whose instruction files are small enough for a reader in Python."""
    for folder in sorted(glob.glob(os.path.join(common.SHARED, "corpus", "xtrace", "*")) +
                         glob.glob(os.path.join(common.ROOT, "tests", "golden", "xtrace")) +
                         glob.glob(os.path.join(common.ROOT, "tests", "golden", "xtrace", "*", ""))):
        for path in sorted(glob.glob(os.path.join(folder, "*xinsndata*"))):
            if os.path.getsize(path) <= MOST_BYTES and (not path.endswith(".zst") or shutil.which("zstd")):
                yield path


def content(path):
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dqc", path], stdout=subprocess.PIPE, check=True).stdout
    with open(path, "rb") as file:
        return file.read()


def calls_of(program, path, *options):
    done = subprocess.run([program, "dump", "--calls", "--json", *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(path + ": status", done.returncode in (0, 1), True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def starts_and_ends(path, calls, insns):
    """How many begins and how many ends could be held against the instructions."""
    begins = ends = 0
    for call in calls:
        at, end = call["start"], call["end"]
        if call.get("late") or not at or at >= len(insns) or not call["function"].startswith("0x"):
            continue
        by_call = any(insns[at - 1][2] & mask == value for mask, value in CALLS)
        if not by_call:
            continue
        expect("%s: address at %d" % (path, at), hex(insns[at][1]), call["function"])
        begins += 1
        # An exception may come right behind the return.
        if end is None or call.get("cut") or end >= len(insns) or insns[end][0] != insns[at][0] or insns[end - 1][2] & RET_MASK != RET:
            continue
        expect("%s: where the call of %d returns to" % (path, at), hex(insns[end][1]), hex(insns[at - 1][1] + 4))
        ends += 1
    return begins, ends


def selves(calls, count):
    """{function: [calls, instructions of no inner call]} of one stream."""
    sums, stack = collections.defaultdict(lambda: [0, 0]), []
    for call in calls:
        end = count if call["end"] is None else call["end"]
        del stack[call["depth"]:]
        sums[call["function"]][0] += not call.get("late")
        sums[call["function"]][1] += end - call["start"]
        if stack:
            sums[stack[-1]][1] -= end - call["start"]
        stack.append(call["function"])
    return {name: tuple(values) for name, values in sums.items()}


def compare(program, path):
    insns = instructions(content(path))
    calls = calls_of(program, path)
    begins, ends = starts_and_ends(path, calls, insns)
    done = subprocess.run([program, "report", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    table = collections.defaultdict(lambda: (0, 0))
    for row in json.loads(done.stdout)["functions"]:
        known = table[row["function"]]
        table[row["function"]] = (known[0] + row["calls"], known[1] + row["self"]["Ir"])
    expect(path + ": calls and self", selves(calls, len(insns)), dict(table))
    expect(path + ": with four threads", calls_of(program, path, "--jobs", "4") == calls, True)
    return begins, ends


def long_segment(program):
    """40,000 calls of one instruction without a snapshot between them: steps are handed over before the segment ends."""
    rounds = 40000
    loop = b"".join(struct.pack("<BQI", FIRST_TOKEN, pc, opcode) for pc, opcode in
                    ((0x1000, 0x94000002), (0x1008, 0xD65F03C0), (0x1004, 0x17FFFFFF)))  # BL +8; RET; B -4
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "xtrace.20260101000000.0.hint9.xinsndata.bin")
        with open(path, "wb") as file:
            file.write(loop * rounds)
        calls = calls_of(program, path)
    expect("calls of a long segment", [(c["start"], c["end"], c["depth"], c["function"]) for c in calls],
           [(0, None, 0, "0x1000")] + [(3 * i + 1, 3 * i + 2, 1, "0x1008") for i in range(rounds)])


def main():
    program, count, begins, ends = sys.argv[1], 0, 0, 0
    for path in streams():
        found = compare(program, path)
        count, begins, ends = count + 1, begins + found[0], ends + found[1]
    long_segment(sys.argv[1])
    expect("calls were held against instructions", begins > 100 and ends > 100, True)
    common.finish(count, "streams, %d begins and %d ends of calls" % (begins, ends))


if __name__ == "__main__":
    main()
