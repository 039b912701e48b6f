#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which program ran. Every trace of the corpus with every program of the corpus: what llvm-xray extracted from a program
says whether it can be the one that ran; where it cannot, that is told and no name of it is used. Then several files, a
folder of them, a stripped one, and shared objects."""
import os
import re
import struct
import subprocess
import sys
import tempfile

import common
from common import CORPUS, expect

BIN = os.path.join(CORPUS, "bin")
NEEDS = {"enter": ("function-enter", "log-args-enter"), "exit": ("function-exit", "tail-exit"),
         "tail-exit": ("tail-exit",), "enter-arg": ("log-args-enter",)}
ENTRY = re.compile(r"- \{ id: (\d+), .*?kind: ([a-z-]+)")


def sleds_of(program):
    """Function id to kinds of its sleds, as llvm-xray has them; None where it cannot read the program."""
    path = os.path.join(BIN, program + ".instrmap.yaml")
    if not os.path.exists(path):
        return None
    sleds = {}
    with open(path, encoding="utf-8") as file:
        for number, kind in ENTRY.findall(file.read()):
            sleds.setdefault(int(number), set()).add(kind)
    return sleds


def can_be(sleds, uses):
    return all(number in sleds and sleds[number] & set(NEEDS[action]) for number, action in uses)


def told(*args):
    done = subprocess.run([common.command(), "report", "--csv", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    return done.returncode, done.stdout, done.stderr


def every_pair(programs):
    compared = 0
    for name in common.corpus_traces():
        trace = os.path.join(CORPUS, name + ".xray")
        uses = {(r["id"], r["action"]) for r in common.dump(trace) if r["record"] == "function"}
        plain = told(trace)
        for program, sleds in programs.items():
            path = os.path.join(BIN, program + ".elf")
            status, rows, errors = told("--binary", path, trace)
            what = "%s with %s" % (name, program)
            refuted = "is not the program that ran" in errors
            expect(what + ": refuted", refuted, not can_be(sleds, uses))
            if refuted:
                expect(what + ": no name of it is used", rows == plain[1], True)
                expect(what + ": status", status, 1)
            else:
                expect(what + ": status", status, plain[0])
            for command in ("dump", "timeline") if not common.SMALL or compared % 4 == 0 else ():
                text = common.run(command, "--binary", path, "-o", "/dev/null", trace, status=(0, 1)) or ""
                expect(what + ": " + command, text, "")
            compared += 1
    return compared


def extracted():
    """`extract --yaml` of each program, byte for byte what `llvm-xray extract --symbolize` printed of it."""
    compared = 0
    for name in sorted(os.listdir(BIN)):
        if not name.endswith(".instrmap-sym.yaml"):
            continue
        with open(os.path.join(BIN, name), encoding="utf-8") as file:
            text = common.run("extract", "--yaml", os.path.join(BIN, name.split(".")[0] + ".elf"))
            expect(name, text, file.read())
        compared += 1
    return compared


def several(programs, folder):
    """The right program among others, first or last, or in a folder."""
    name = "mt8-fdr"
    trace, right = os.path.join(CORPUS, name + ".xray"), common.binary_of(name)
    uses = {(r["id"], r["action"]) for r in common.dump(trace) if r["record"] == "function"}
    wrong = [os.path.join(BIN, p + ".elf") for p, sleds in programs.items() if not can_be(sleds, uses)]
    alone = told("--binary", right, trace)
    for order in ([right, *wrong], [*wrong, right]):
        status, rows, errors = told(*[word for path in order for word in ("--binary", path)], trace)
        expect("several: names", rows == alone[1], True)
        expect("several: told", errors.count("is not the program that ran"), len(wrong))
    for path in [right, *wrong]:
        os.symlink(path, os.path.join(folder, os.path.basename(path)))
    with open(os.path.join(folder, "README"), "w", encoding="utf-8") as file:
        file.write("no program\n")
    status, rows, errors = told("--binary", folder, trace)
    expect("folder: functions", len(rows.splitlines()), len(alone[1].splitlines()))
    expect("folder: named", "#" in rows, False)
    expect("folder: status", (status, errors), (0, ""))
    os.remove(os.path.join(folder, os.path.basename(right)))
    status, rows, errors = told("--binary", folder, trace)
    expect("folder without it: status", status, 1)
    expect("folder without it: told", "no file in this folder can be the program that ran" in errors, True)
    stripped = os.path.join(folder, "stripped")
    if common.tool("strip") and not subprocess.run(["strip", "-o", stripped, right]).returncode:
        status, rows, errors = told("--binary", stripped, trace)
        expect("stripped: status", status, 1)
        expect("stripped: told", "stripped" in errors, True)
    return 4


def metadata(kind, data):
    return bytes([kind << 1 | 1]) + data.ljust(15, b"\0")


def trace_of(calls):
    """An FDR log, version 5, of one thread: enter and exit of each id."""
    body = metadata(0, struct.pack("<i", 2)) + metadata(4, struct.pack("<QI", 1, 2)) + metadata(9, struct.pack("<i", 1))
    body += metadata(2, struct.pack("<HQ", 0, 1000))
    for number in calls:
        body += struct.pack("<II", number << 4, 10) + struct.pack("<II", 1 << 1 | number << 4, 10)
    return struct.pack("<HHIQQQ", 5, 1, 3, 10 ** 9, 16384, 0) + metadata(7, struct.pack("<Q", len(body))) + body


def objects(folder):
    """Ids of shared objects have the object's number in their upper bits: 0 is the program."""
    clang = common.tool("clang-19")
    if not clang:
        return 0
    source = os.path.join(folder, "o.c")
    built = []
    for name, options in (("prog", ["-DMAIN"]), ("one.so", ["-shared", "-fPIC"]), ("two.so", ["-shared", "-fPIC"])):
        with open(source, "w", encoding="utf-8") as file:
            count = {"prog": 5, "one.so": 2, "two.so": 3}[name]
            for i in range(count):
                file.write("__attribute__((xray_always_instrument, noinline)) int %s_%d(int x) { return x + %d; }\n"
                           % (name[:3], i, i))
            file.write("#ifdef MAIN\nint main(void) { return pro_0(0); }\n#endif\n")
        path = os.path.join(folder, name)
        # The sleds are wanted, not the runtime: the program is never run.
        done = subprocess.run([clang, "-O1", "-g", "-fxray-instrument", "-fno-xray-link-deps", *options, "-o", path, source],
                              stderr=subprocess.PIPE)
        if done.returncode:
            print("skipped: shared objects:", done.stderr.decode("utf-8", "replace").strip()[:200])
            return 0
        built.append(path)
    trace = os.path.join(folder, "objects.xray")
    with open(trace, "wb") as file:
        file.write(trace_of([1, 2, 5, 1 << 24 | 1, 1 << 24 | 3, 2 << 24 | 1, 2 << 24 | 2]))
    given = [word for path in built for word in ("--binary", path)]
    status, rows, errors = told(*given, trace)
    # Object 1 has a third function: it can be two.so only, though that is given later.
    names = {line.split(",")[4]: line.split(",")[0] for line in rows.splitlines()[1:]}
    expect("objects: names", names, {"1": "pro_0", "2": "pro_1", "5": "pro_4", str(1 << 24 | 1): "two_0",
                                     str(1 << 24 | 3): "two_2", str(2 << 24 | 1): "one_0", str(2 << 24 | 2): "one_1"})
    expect("objects: status", (status, errors), (0, ""))
    status, rows, errors = told("--binary", built[0], trace)
    expect("objects without files: status", status, 1)
    expect("objects without files: told", "functions of a shared object have no names" in errors, True)
    return 2


def main():
    common.need_whole_corpus()
    programs = {name[:-len(".elf")]: sleds_of(name[:-len(".elf")])
                for name in sorted(os.listdir(BIN) if os.path.isdir(BIN) else ()) if name.endswith(".elf")}
    programs = {name: sleds for name, sleds in programs.items() if sleds}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as place:
        compared = extracted() + every_pair(programs) + several(programs, folder) + objects(place)
    common.finish(compared, "traces with programs")


main()
