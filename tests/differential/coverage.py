#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""coverage.py TRACELATHE: how often code ran, by `convert --to lcov|edges|drcov|bolt|llvm-profile`.

Two programs, recorded with `record --how emulate`. One counts itself as gcov wants it: lines and functions have gcov's
counts, edges and blocks those that perf script decodes. The other is optimised: llvm-profgen makes the same sample
profile of the same branches, llvm-bolt and clang take what we write, and what they build computes the same.
"""
import collections
import csv
import io
import os
import re
import struct
import subprocess
import sys
import tempfile

import common
import perf_branches
from common import expect, fail

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = "20"
checked = []


def call(*command, cwd=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=cwd, errors="replace")
    if done.returncode:
        fail(" ".join(command), "exits with", done.returncode, done.stdout[-500:])
    return done.stdout


def record(folder, program, *arguments):
    path = program + ".data"
    call(common.command(), "record", "--how", "emulate", "-o", path, "--", program, *arguments, cwd=folder)
    return path


def convert(to, path, *options):
    return common.run("convert", "--to", to, *options, path, status=(0,), text=False)


def same(what, got, wanted):
    checked.append(what)
    expect(what, got, wanted)


# ---- gcov ----


def lcov_of(path, program, source):
    """Lines with their counts, functions with their counts."""
    lines, functions, here = {}, {}, False
    for row in convert("lcov", path, "--object", "/%s$" % os.path.basename(program)).decode().splitlines():
        key, _, value = row.partition(":")
        if key == "SF":
            here = value.endswith(source)
        elif here and key == "DA":
            line, count = value.split(",")
            lines[int(line)] = int(count)
        elif here and key == "FNDA":
            count, name = value.split(",", 1)
            functions[name] = int(count)
    return lines, functions


def gcov_of(folder, program, source):
    lines, functions = {}, {}
    for row in call("gcov", "-t", "-b", "-c", source + "da", cwd=folder).splitlines():
        line = re.match(r"\s*(\d+\*?|#####):\s*(\d+):", row)
        function = re.match(r"function (\S+) called (\d+)", row)
        if line and int(line[2]):
            lines[int(line[2])] = int(line[1].rstrip("*")) if line[1][0] != "#" else 0
        elif function:
            functions[function[1]] = int(function[2])
    return lines, functions


def check_lines(folder, program, path):
    with open(os.path.join(HERE, "covered", "lines.c"), encoding="utf-8") as file:
        text = [""] + file.read().splitlines()
    lines, functions = lcov_of(path, program, "lines.c")
    gcov_lines, gcov_functions = gcov_of(folder, program, "lines.gc")
    both = sorted(set(lines) & set(gcov_lines))
    same("lines as gcov counts them", [(n, lines[n]) for n in both], [(n, gcov_lines[n]) for n in both])
    same("functions as gcov counts them", {name: functions.get(name) for name in gcov_functions}, gcov_functions)
    # gcov counts a function at its name, the debug information at its braces; nothing else may differ.
    for number in set(lines) ^ set(gcov_lines):
        if number < len(text) and not re.match(r"\s*[{}]|static|int main|\s*(case|default)", text[number]):
            fail("line", number, "has only one count:", lines.get(number), gcov_lines.get(number))
    if len(both) < 20:
        fail("only", len(both), "lines were compared")


# ---- perf ----


def perf_edges(path):
    """The branches perf decodes, by their addresses; returns and exits of the trace have no other end."""
    edges = collections.Counter()
    for row in call("perf", "script", "-i", path, "--itrace=be").splitlines():
        match = re.search(r"branches:\S*\s+([0-9a-f]+) .*=>\s+([0-9a-f]+) ", row)
        if match:
            edges[(int(match[1], 16), int(match[2], 16))] += 1
    return edges


def module_biases(path):
    """Where drcov says that objects begin, and its blocks as (address, size)."""
    data = convert("drcov", path)
    head, _, rest = data.partition(b"BB Table: ")
    count, _, table = rest.partition(b" bbs\n")
    rows = re.findall(r"^ *(\d+), 0x(\w+), 0x(\w+), 0x\w+, (.*)$", head.decode(), re.M)
    bases = {int(number): int(base, 16) for number, base, _, _ in rows}
    expect("size of the table of blocks", len(table), int(count) * 8)
    blocks = [struct.unpack_from("<IHH", table, at) for at in range(0, len(table), 8)]
    return {name: int(base, 16) for _, base, _, name in rows}, [(bases[m] + start, size) for start, size, m in blocks]


def check_perf(path):
    if not common.tool("perf"):
        print("no perf: edges and blocks are not compared")
        return
    bases, blocks = module_biases(path)
    edges = collections.Counter()
    for row in csv.DictReader(io.StringIO(convert("edges", path).decode())):
        if row["kind"] in ("not-taken", "system"):
            continue
        edges[(int(row["from"], 16) + bases[row["from_object"]], int(row["to"], 16) + bases[row["to_object"]])] += \
            int(row["count"])
    same("edges as perf decodes them", dict(edges),
         {edge: count for edge, count in perf_edges(path).items() if edge in edges or 0 not in edge})
    same("branches in their order", perf_branches.compare(path) > 1000, True)
    perf_branches.check_filter(path, "main")
    executed = {int(ip, 16) for ip in call("perf", "script", "-i", path, "--itrace=i1i", "-F", "ip").split()}
    starts = sorted(blocks)
    covered = {ip for ip in executed if any(start <= ip < start + size for start, size in near(starts, ip))}
    same("every executed instruction is in a block", executed - covered, set())
    same("every block was executed", [block for block in blocks if block[0] not in executed], [])


def near(starts, ip):
    low, high = 0, len(starts)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if starts[middle][0] <= ip else (low, middle)
    return starts[max(low - 1, 0):low]


# ---- LLVM ----


def unsymbolized(bolt, base):
    """The branches as llvm-profgen reads them: ranges that ran, then branches, from the first code segment on."""
    ranges, branches = collections.Counter(), collections.Counter()
    for row in bolt.decode().splitlines():
        kind, start, end, count = row.split()[:4]
        if int(start, 16):
            (branches if kind == "B" else ranges)[(int(start, 16) - base, int(end, 16) - base)] += int(count)
    return "".join(["%d\n" % len(ranges), *("%x-%x:%d\n" % (*key, n) for key, n in ranges.items()),
                    "%d\n" % len(branches), *("%x->%x:%d\n" % (*key, n) for key, n in branches.items())])


def sample_lines(text):
    """The lines of each function that have a count. Heads are ours: llvm-profgen does not see calls from outside."""
    functions, name = {}, None
    for row in text.splitlines():
        if not row.startswith(" "):
            name = row.split(":")[0]
            functions[name] = [row.split(":")[1]]
        elif not re.search(r": (\S+:)?0$", row.rstrip()):
            functions[name].append(row.rstrip())
    return functions


def check_profgen(folder, program, bolt, profile):
    if not common.tool("llvm-profgen-19"):
        print("no llvm-profgen-19: sample profiles are not compared")
        return
    segments = re.findall(r"LOAD\s+\S+ (0x\w+) \S+ \S+ \S+ (\S*)\s*(\S*)", call("readelf", "-lW", program))
    base = next(int(address, 16) for address, *flags in segments if "E" in flags)
    with open(os.path.join(folder, "ranges"), "w", encoding="utf-8") as file:
        file.write(unsymbolized(bolt, base))
    call("llvm-profgen-19", "--unsymbolized-profile=ranges", "--binary=" + program, "--format=text",
         "--output=profgen", cwd=folder)
    with open(os.path.join(folder, "profgen"), encoding="utf-8") as file:
        same("the profile that llvm-profgen makes", sample_lines(profile.decode()), sample_lines(file.read()))


def check_bolt(folder, program, wanted):
    if not common.tool("llvm-bolt-19"):
        print("no llvm-bolt-19: it is not run")
        return
    said = call("llvm-bolt-19", program, "-o", "bolted", "-pa", "-p", "branches", "-reorder-blocks=ext-tsp",
                "-reorder-functions=hfsort", cwd=folder)
    share = re.search(r"mismatching disassembled function contents: \d+ \(([\d.]+)%\)", said)
    # Those of the procedure linkage table, which the bolt has no blocks of.
    if not share or float(share[1]) > 1:
        fail("llvm-bolt does not follow the branches:", said[-800:])
    same("what the bolted program computes", call(os.path.join(folder, "bolted"), ROUNDS), wanted)


def check_clang(folder, source, wanted):
    call("llvm-profdata-19", "merge", "--sample", "profile", "-o", "merged", cwd=folder)
    said = call("clang++-19", "-O2", "-g", "-fprofile-sample-use=profile", "-o", "rebuilt", source, cwd=folder)
    same("what clang says of the profile", said, "")
    same("what the rebuilt program computes", call(os.path.join(folder, "rebuilt"), ROUNDS), wanted)


def check_llvm(folder):
    program, source = os.path.join(folder, "work"), os.path.join(HERE, "covered", "work.cpp")
    call("clang++-19", "-O2", "-g", "-fdebug-info-for-profiling", "-Wl,--emit-relocs", "-o", program, source)
    path = record(folder, program, ROUNDS)
    wanted = call(program, ROUNDS)
    outputs = {}
    for name, to in (("branches", "bolt"), ("profile", "llvm-profile")):
        outputs[name] = convert(to, path, "--object", "/work$")
        with open(os.path.join(folder, name), "wb") as file:
            file.write(outputs[name])
    check_profgen(folder, program, outputs["branches"], outputs["profile"])
    check_bolt(folder, program, wanted)
    check_clang(folder, source, wanted)


# ---- what is missing is told ----


def check_told(path, program):
    call("strip", "--strip-debug", program)
    done = subprocess.run([common.command(), "convert", "--to", "lcov", path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    same("status without lines", done.returncode, 1)
    same("they are named", bool(re.search("no lines for the code of .*/lines: it has no debug", done.stderr)), True)
    done = subprocess.run([common.command(), "convert", "--to", "bolt", "--object", "^nowhere$", path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    same("an object that did not run", (done.returncode, "--object matches no object" in done.stderr), (2, True))


def main():
    if not common.tool("qemu-x86_64") or not common.tool("gcov"):
        common.skip("no qemu-x86_64, or no gcov")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "lines")
        call("gcc", "-O0", "-g", "--coverage", "-o", program, os.path.join(HERE, "covered", "lines.c"), cwd=folder)
        path = record(folder, program, "500")
        check_lines(folder, program, path)
        check_perf(path)
        check_told(path, program)
        if common.tool("clang++-19"):
            check_llvm(folder)
        else:
            print("no clang++-19: profiles for it are not tried")
    common.finish(len(checked), "comparisons")


main()
