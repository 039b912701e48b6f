#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`diff --flow`, against the addresses that a program stopped at when it was recorded instruction by instruction
(examples/pt-recorder): "all up to the first difference is the same", "behind what is passed over it is the same again". In
two layouts of the address space, with damage, and for pairs of xtrace.

  flows.py TRACELATHE PT_RECORDER PROGRAM"""
import json
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile

import common
from common import expect, fail, run

compared = 0
PATH = "ababrabab5abbabrrabababbaab3" * 3


def move_mappings():
    """The room for the stack moves all mappings."""
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 30, hard))


def record(recorder, program, path, base, options=(), moved=False):
    done = subprocess.run([recorder, *options, "-o", base, program, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, preexec_fn=move_mappings if moved else None)
    if done.returncode or not os.path.exists(base + ".pt"):
        common.skip("the program is not recorded: " + done.stdout)
    return base + ".pt"


def executed(trace):
    """Offsets in the program's file, in order."""
    maps = []
    with open(trace[:-3] + ".map", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                start, size, _, _, offset = line.split()
                maps.append((int(start, 16), int(start, 16) + int(size, 16), int(offset, 16)))
    with open(trace[:-3] + ".ips", "rb") as file:
        data = file.read()
    return [next(offset + ip - start for start, end, offset in maps if start <= ip < end)
            for (ip,) in struct.iter_unpack("<Q", data)]


def first_difference(a, b):
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def flow(what, before, after, *options, wanted=0):
    process = subprocess.run([common.command(), "diff", "--flow", "--json", *options, before, after],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(what + ": status", (process.returncode, process.stderr if wanted == 0 else ""), (wanted, ""))
    return json.loads(process.stdout)["streams"][0]


def offset_of(spot):
    return int(spot["offset"], 16)


def check(what, got, a, b):
    """Follow the differences through both lists."""
    global compared
    i = j = same = 0
    for d in got["differences"]:
        length = d["ordinal"]["before"] - i
        expect(what + ": as far on both sides", d["ordinal"]["after"] - j, length)
        expect("%s: the same up to %d" % (what, i + length), a[i:i + length] == b[j:j + length], True)
        i, j, same = i + length, j + length, same + length
        expect("%s: differs at %d" % (what, i), a[i:i + 1] != b[j:j + 1], True)
        for side, path, at in (("before", a, i), ("after", b, j)):
            if d["next"][side]:
                expect("%s: %s goes on" % (what, side), offset_of(d["next"][side]), path[at])
            if at:
                expect("%s: last of %s" % (what, side), offset_of(d["last"][side]), path[at - 1])
        i += d["instructions"]["before"]
        j += d["instructions"]["after"]
    expect(what + ": the same to the end", a[i:] == b[j:], True)
    expect(what + ": common", got["same"], same + len(a) - i)
    expect(what + ": instructions", got["instructions"], {"before": len(a), "after": len(b)})
    expect(what + ": parts", got["parts"], len(got["differences"]))
    expect(what + ": places", sum(p["times"] for p in got["partings"]), got["parts"] + got["missing"])
    compared += 1


def names(stack):
    return [spot["function"] for spot in stack]


def check_paths(recorder, program, folder):
    base = record(recorder, program, PATH, os.path.join(folder, "base"))
    a = executed(base)
    edits = {"insert": PATH[:20] + "ba" + PATH[20:], "delete": PATH[:31] + PATH[35:], "replace": PATH.replace("r", "b", 1),
             "loop": PATH.replace("5", "9", 1), "start": "b" + PATH, "end": PATH + "ab", "many": PATH.replace("bb", "bab")}
    for name, path in edits.items():
        other = record(recorder, program, path, os.path.join(folder, name))
        got = flow(name, base, other)
        check(name, got, a, executed(other))
        expect(name + ": first", got["differences"][0]["ordinal"]["before"], first_difference(a, executed(other)))
        check(name + " back", flow(name, other, base), executed(other), a)
        if name == "loop":
            expect("stack of a loop", names(got["stack"]), ["rounds", "digit", "walk", "begin", "_start"])
    return base, a


def check_layouts(recorder, program, folder, base, a):
    moved = record(recorder, program, PATH, os.path.join(folder, "moved"), moved=True)
    with open(base[:-3] + ".ips", "rb") as one, open(moved[:-3] + ".ips", "rb") as two:
        expect("another layout", one.read(8) != two.read(8), True)
    check("layouts", flow("layouts", base, moved), a, executed(moved))
    for option in ("--time", "--no-compression", "--cycles"):
        other = record(recorder, program, PATH, os.path.join(folder, "form" + option), [option])
        check(option, flow(option, base, other), a, executed(other))
    other = record(recorder, program, PATH, os.path.join(folder, "often"), ["--interrupt", "37", "--psb", "512"])
    check("packets between", flow("often", base, other), a, executed(other))


def check_damage(recorder, program, folder, base, a):
    # A path that does not repeat itself, so that there is one place to go on at.
    path = "".join(random.Random(7).choices("ab123456789r", k=600))
    whole = record(recorder, program, path, os.path.join(folder, "whole"), ["--psb", "256"])
    with open(whole, "rb") as file:
        data = bytearray(file.read())
    damaged = os.path.join(folder, "whole.damaged.pt")
    data[len(data) // 2:len(data) // 2 + 40] = b"\xff" * 40
    with open(damaged, "wb") as file:
        file.write(data)
    got = flow("damaged", whole, damaged, wanted=1)
    expect("damage is missing", (got["missing"] > 0, got["parts"]), (True, 0))
    expect("what is left", got["instructions"]["after"] > len(executed(whole)) // 2, True)
    cut = os.path.join(folder, "base.cut.pt")
    with open(base, "rb") as file:
        data = file.read()
    for size in range(16, len(data), max(len(data) // 7, 1)):
        with open(cut, "wb") as file:
            file.write(data[:size])
        process = subprocess.run([common.command(), "diff", "--flow", "--json", base, cut], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        expect("cut at %d" % size, process.returncode in (0, 1), True)
        got = json.loads(process.stdout)["streams"][0]
        first = got["differences"][0]
        expect("cut at %d: the rest" % size, first["ordinal"]["before"] + first["instructions"]["before"], len(a))


def check_xtrace():
    """The same code recorded with two vector lengths takes other ways in the library; by what `dump` lists."""
    golden = os.path.join(common.ROOT, "tests", "golden", "xtrace")
    paths = [next(os.path.join(golden, name, file) for file in sorted(os.listdir(os.path.join(golden, name)))
                  if "xinsndata" in file) for name in ("u1-recur-vl128", "u7-recur-vl2048")]
    lists = []
    for path in paths:
        lines = run("dump", "--instructions", "--no-text", "--json", path).splitlines()
        lists.append([int(json.loads(line)["pc"], 16) for line in lines])
    check("xtrace", flow("xtrace", *paths), *lists)


def check_xtrace_damage(folder):
    """A stream that is cut, or has a byte that begins no token: what is not known is said, the rest is counted."""
    name = "xtrace.20260101000000.0.hint9.xinsndata.bin"
    whole = os.path.join(common.ROOT, "tests", "golden", "xtrace", name)
    total = len(run("dump", "--instructions", "--no-text", "--json", whole).splitlines())
    with open(whole, "rb") as file:
        data = file.read()
    for what, changed in (("cut", data[:len(data) * 2 // 3]), ("bytes", data[:4000] + b"\xff" * 9 + data[4009:])):
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(changed)
        rest = len(run("dump", "--instructions", "--no-text", "--json", path).splitlines())
        process = subprocess.run([common.command(), "diff", "--flow", "--json", whole, path], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        got = json.loads(process.stdout)["streams"][0]
        expect("xtrace, %s: instructions" % what, got["instructions"], {"before": total, "after": rest})
        expect("xtrace, %s: first" % what, got["differences"][0]["ordinal"]["before"] <= rest, True)
        if what == "bytes":
            expect("xtrace, bytes: told", (process.returncode, "tracelathe: " + path in process.stderr), (1, True))
        else:
            expect("xtrace, cut: parts", got["parts"], 1)


def main():
    recorder, program = sys.argv[2:]
    check_xtrace()
    with tempfile.TemporaryDirectory() as folder:
        base, a = check_paths(recorder, program, folder)
        check_layouts(recorder, program, folder, base, a)
        check_damage(recorder, program, folder, base, a)
        check_xtrace_damage(folder)
    if not compared:
        fail("nothing was compared")
    common.finish(compared, "pairs of executions")


if __name__ == "__main__":
    main()
