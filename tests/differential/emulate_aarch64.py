#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""emulate_aarch64.py TRACELATHE: AArch64 programs recorded with `tracelathe record --how emulate` on another machine.

Programs that count their own calls, and are left in every way: the command that `record` ends with reports the same counts, and
`check` finds no fault: it computes what instructions do by itself. Programs of the shared corpus: the instructions and tokens
that a newer QEMU, which tells plugins registers and values, has recorded of them."""
import csv
import glob
import io
import os
import shutil
import subprocess
import sys
import tempfile

import common
import record
import sve_forms
import xtrace_model as model
from common import expect, fail

HERE = os.path.dirname(os.path.abspath(__file__))
TRIPLET = "aarch64-linux-gnu"
HINT_9 = 0xd503213f
# Pairs of the corpus and their programs.
PAIRS = (("u1-recur-vl128", "p1_recur"), ("u2-sys-vl128", "p2_sys"), ("u3-simd-vl128", "p3_simd"))


def build(folder, source, *options):
    program = os.path.join(folder, os.path.basename(source).split(".")[0])
    compiler = "g++" if source.endswith((".cc", ".cpp")) else "gcc"
    subprocess.run(["%s-%s" % (TRIPLET, compiler), "-w", "-O2", *options, "-o", program, os.path.join(HERE, source), "-pthread"],
                   check=True)
    return program


def run(folder, program, *arguments, status=0, cpu=None):
    """What the program printed, what was said of the recording, the arguments for `report`."""
    for path in glob.glob(os.path.join(folder, "recording*")) + glob.glob(os.path.join(folder, "counts.*")):
        os.remove(path)
    done = subprocess.run([common.command(), "record", "--how", "emulate", "-o", "recording", "--", program, *arguments],
                          cwd=folder, env=dict(os.environ, COUNTS=os.path.join(folder, "counts"),
                                               **({"QEMU_CPU": cpu} if cpu else {})),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    lines = done.stderr.strip().split("\n")
    expect("status of " + os.path.basename(program), done.returncode, status)
    expect("no parts left", os.path.exists(os.path.join(folder, "recording.parts")), False)
    if not lines[-1].startswith("tracelathe report "):
        fail("last line", lines)
        return done.stdout, lines, []
    return done.stdout, lines[1:-1], lines[-1].split()[2:]


def calls(folder, arguments, unfinished):
    """By name; `unfinished`: with the calls that never ended."""
    done = subprocess.run([common.command(), "report", "--csv", *arguments], cwd=folder, stdout=subprocess.PIPE, text=True)
    found = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        name = row["function"].split("(")[0].split(".")[0]
        found[name] = found.get(name, 0) + int(row["calls"]) + (int(row["unfinished"] or 0) if unfinished else 0)
    return found


def check_left(folder):
    """longjmp, exceptions, coroutines, signals; the counts are what the program prints."""
    for name in ("longjmps.c", "throws.cc", "coroutines.c", "signals.c"):
        for shape in (["-static"], []) if common.LONG or name == "longjmps.c" else (["-static"],):
            program = build(folder, "xtrace_live/" + name, *shape)
            printed, lines, arguments = run(folder, program)
            counts = {line.split()[0]: int(line.split()[1]) for line in printed.splitlines()}
            # A coroutine that another one goes on with is left more than once.
            found = calls(folder, arguments, False)
            what = " ".join([name, *shape])
            expect(what + ": counters", len(counts) > 2, True)
            expect(what + ": calls", {function: found.get(function) for function in counts}, counts)
            expect(what + ": nothing is missing", lines, [])
            done = subprocess.run([common.command(), "check", arguments[-1]], cwd=folder, stdout=subprocess.PIPE, text=True)
            expect(what + ": check", (done.returncode, done.stdout), (0, ""))


def check_processes(folder):
    """Threads, a forked process, a thousand functions: the counts of all processes."""
    program = build(folder, "recorded/program.c", "-static")
    _, lines, arguments = run(folder, program, status=3)
    sums = {}
    for counts in record.read_counts(folder).values():
        for name, count in counts.items():
            sums[name] = sums.get(name, 0) + count
    # The child returns through calls of its parent, in which it begins.
    for name in ("main", "fork_here"):
        sums.pop(name)
    found = calls(folder, arguments, True)
    expect("threads and processes: calls", {name: found.get(name) for name in sums}, sums)
    expect("streams: ten threads of two processes", sum(name.endswith(".bin") for name in arguments), 10)
    expect("nothing is missing", lines, [])


def printed_counts(printed):
    sums = {"before": 0, "after": 0}
    for line in printed.splitlines():
        name, count = line.split()
        if name in sums:
            sums[name] += int(count)
    return sums


def check_executed(folder):
    """Programs that others execute, in the processes of both: each is read with the code that it has at the same addresses."""
    for name, text in (("script", "#!./other last\n"), ("garbage", "no program\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(os.path.join(folder, name), 0o755)
    program = build(folder, "emulated/executes.c", "-static")
    shutil.copy(program, os.path.join(folder, "other"))
    printed, lines, arguments = run(folder, program, status=3)
    others = [line.split("tracelathe report ")[1].split() for line in lines if "was executed, too" in line]
    expect("executed: one program besides", len(others), 1)
    expect("executed: statuses", [line for line in printed.splitlines() if line.startswith("status")],
           ["status 0", "status 4", "status 4"])
    found = [calls(folder, command, True) for command in [arguments, *others]]
    sums = {name: sum(of.get(name, 0) for of in found) for name in ("before", "after")}
    expect("executed: calls of all programs", sums, printed_counts(printed))
    expect("executed: calls of the script's interpreter", found[-1].get("before"), 5)
    expect("executed: another machine's program is told", [line.split(": ", 2)[2] for line in lines if "is not" in line],
           ["/bin/true is not recorded: no AArch64 program, or one that runs with other rights"])
    for path in arguments + others[0]:
        if path.endswith(".bin"):
            done = subprocess.run([common.command(), "check", path], cwd=folder, stdout=subprocess.PIPE, text=True)
            expect("executed: check " + path, (done.returncode, done.stdout), (0, ""))


def check_faults(folder):
    program = os.path.join(folder, "program")
    for fault, status in (("kill", 137), ("segv", 139), ("_exit", 7), ("close", 3)):
        _, lines, arguments = run(folder, program, fault, status=status)
        said = any("did not end by exit()" in line for line in lines)
        expect("fault %s: told" % fault, said, fault in ("kill", "segv"))
        # It ends behind a system call, which is written.
        counts = max(record.read_counts(folder).values(), key=len)
        found = calls(folder, arguments, True)
        expect("fault %s: calls" % fault, found.get("leaf", 0) >= counts["leaf"], True)


def check_refusal(folder):
    """A QEMU that takes the arguments, and does not load the plugin."""
    tools = os.path.join(folder, "tools")
    os.mkdir(tools)
    with open(os.path.join(tools, "qemu-aarch64"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexit 42\n")
    os.chmod(os.path.join(tools, "qemu-aarch64"), 0o755)
    env = dict(os.environ, PATH=tools + ":" + os.environ["PATH"], XDG_CACHE_HOME=os.path.join(folder, "cache"))
    done = subprocess.run([common.command(), "record", "--how", "emulate", os.path.join(folder, "program")], env=env, cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("a deaf QEMU is refused", (done.returncode, "known program" in done.stderr), (2, True))


def between_hints(events):
    """What was recorded between two instructions `hint #9`, which are not in it."""
    marks = [at for at, event in enumerate(events) if event[0] == "i" and event[3] == HINT_9]
    return events[marks[0] + 1:marks[1]] if len(marks) > 1 else []


# Store exclusive, one register or two.
def is_exclusive(opcode):
    return opcode & 0x3fe00000 == 0x08000000 or opcode & 0xbfe00000 == 0x88200000


def kinds(events):
    """How many of each token; of accesses the bytes, as a vector is one access or two. A newer QEMU tells a load of each
    store exclusive, which is none of the program's."""
    counts, exclusive = {}, False
    for event in events:
        if event[0] == "i":
            exclusive = is_exclusive(event[3])
        if exclusive and event[:2] == ("a", 0):
            continue
        if event[0] in "sz":
            key = event[:2] if event[0] == "s" else "z"
            counts[key] = counts.get(key, 0) + 1
        elif event[0] == "a":
            counts[event[:2]] = counts.get(event[:2], 0) + len(event[3])
    return counts


def check_corpus(folder):
    for pair, name in PAIRS:
        program = os.path.join(folder, name)
        shutil.copy(os.path.join(model.PAIRS, "elf", name), program)
        _, _, arguments = run(folder, program, cpu="cortex-a72")
        mine = between_hints(canonical(folder, arguments).events)
        (theirs,) = [model.Stream(path) for path in glob.glob(os.path.join(model.PAIRS, pair, "*.xinsndata.bin"))]
        wanted = [event for event in theirs.events if event[0] != "x"]
        expect(pair + ": instructions", [event[2:4] for event in mine if event[0] == "i"],
               [event[2:4] for event in wanted if event[0] == "i"])
        expect(pair + ": tokens", kinds(mine), kinds(wanted))


def canonical(folder, arguments):
    """The recording's first stream, by the name that the reader in Python wants."""
    streams = [argument for argument in arguments if argument.endswith("xinsndata.bin")]
    path = os.path.join(folder, "xtrace.1.0.hint9.xinsndata.bin")
    for suffix in ("xinsndata", "xsnapshot"):
        shutil.copy(os.path.join(folder, streams[0].replace("xinsndata", suffix)), path.replace("xinsndata", suffix))
    return model.Stream(path)


SVE = "max,sve-default-vector-length=%d" % sve_forms.BYTES


def check_vectors(folder):
    """Loads and stores of SVE: what the manual says that each form accesses, and the values that memory has there."""
    source = os.path.join(folder, "vectors.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(sve_forms.program())
    program = build(folder, source, "-static", "-march=armv8.6-a+sve2+f64mm")
    printed, lines, arguments = run(folder, program, cpu=SVE)
    memory, edge = map(int, printed.split())
    events = between_hints(canonical(folder, arguments).events)
    starts = [at for at, event in enumerate(events) if event[0] == "i"] + [len(events)]
    rows = sve_forms.LOADS + sve_forms.STORES
    rows += tuple((text, [(edge - memory + i, 1) for i in range(count)]) for text, count in sve_forms.FAULTING)
    expect("vectors: instructions", len(starts) - 1, len(rows))
    for (text, accesses), start, end in zip(rows, starts, starts[1:]):
        found = [(event[1], event[2] - memory, len(event[3])) for event in events[start + 1:end]]
        expect(text, found, [(int(text.startswith("st")), *access) for access in accesses])
    contents = {at: (at * 7 + (at >> 8)) & 0xff for at in range(4096)}
    for event in events:
        if event[0] == "a" and not event[1] and event[2] < edge:
            at = event[2] - memory + 1024
            expect("loaded from %d" % at, list(event[3]), [contents[at + i] for i in range(len(event[3]))])
    expect("vectors: nothing is missing", lines, [])
    done = subprocess.run([common.command(), "check", arguments[-1]], cwd=folder, stdout=subprocess.PIPE, text=True)
    expect("vectors: check", (done.returncode, done.stdout), (0, ""))


# A newer QEMU, told of each access, lets a first-fault load end behind its first element: `slen` takes more rounds there.
FIRST_FAULTS = range(0x400860, 0x4008b0)


def check_vectors_of_corpus(folder):
    program = os.path.join(folder, "p8_sve")
    shutil.copy(os.path.join(model.PAIRS, "elf", "p8_sve"), program)
    _, _, arguments = run(folder, program, cpu=SVE)
    mine = between_hints(canonical(folder, arguments).events)
    (theirs,) = [model.Stream(path) for path in glob.glob(os.path.join(model.PAIRS, "u8-sve-vl256", "*.xinsndata.bin"))]
    outside, inside = [[], []], [{}, {}]
    for events, kept, loaded in zip((mine, theirs.events), outside, inside):
        is_inside = False
        for event in events:
            if event[0] == "i":
                is_inside = event[2] in FIRST_FAULTS
            if event[0] == "a" and is_inside:
                loaded[event[2]] = event[3]
            elif event[0] in "ia" and not is_inside:
                kept.append(event[2:4] if event[0] == "i" else event[1:4])
    expect("p8_sve: instructions and accesses", outside[0], outside[1])
    expect("p8_sve: what first-fault loads read", {at: inside[0].get(at) for at in inside[1]}, inside[1])


def main():
    sys.argv[1:] = [os.path.abspath(path) for path in sys.argv[1:]]
    plugin = os.path.join(os.path.dirname(common.command()), "emulator", "libtracelathe-emulate-aarch64.so")
    if not os.path.exists(plugin):
        common.skip("no plugin beside the command")
    if not common.tool("qemu-aarch64"):
        common.skip("no qemu-aarch64")
    if not common.tool(TRIPLET + "-gcc") or not common.tool(TRIPLET + "-g++"):
        common.skip("no compiler for AArch64")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache-of-tests")
        check_left(folder)
        check_processes(folder)
        check_executed(folder)
        check_vectors(folder)
        check_faults(folder)
        check_refusal(folder)
        if common.WHOLE:
            check_corpus(folder)
            check_vectors_of_corpus(folder)
    common.finish(1, "round of programs emulated")


if __name__ == "__main__":
    main()
