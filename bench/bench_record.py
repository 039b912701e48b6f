# SPDX-License-Identifier: Apache-2.0
"""What recording costs, beside others that do the same in the same run.

Instrumented programs: nanoseconds of processor time that a call (its entry and its exit) takes the thread that makes it, and the
bytes that the recording has of it; beside uftrace and LLVM's flight data recorder. uftrace writes its file in another process,
whose time is not in that.

Any program: processor time of the whole run, all processes, beside the program alone, QEMU without a plugin and callgrind;
instructions are those of our recording."""
import json
import os
import re
import resource
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# LLVM's recorder has room for 256 MB.
CALLS = 6000000
FENTRY = ["-pg", "-mfentry"]
PATCHABLE = ["-fpatchable-function-entry=5"]
XRAY = ["-fxray-instrument", "-fxray-instruction-threshold=1"]
# What a program is built with, and the recorders that are compared: ours, others.
INSTRUMENTED = (
    ("-finstrument-functions", "gcc", ["-finstrument-functions"], "calls", ("uftrace",)),
    ("-pg -mfentry", "gcc", FENTRY, "calls", ("uftrace",)),
    ("-fpatchable-function-entry", "gcc", PATCHABLE, "patch", ("uftrace -P .",)),
    ("-fxray-instrument", "clang-19", XRAY, "xray", ("xray-fdr",)),
)
LOOP = "s = 0\nfor i in range(600000):\n    s += i * i % 7\nprint(s)\n"


# ---- calls ----

def bytes_below(path):
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def one_call(command, folder, recording, runs):
    """Least nanoseconds of a call, bytes of a call; None: it could not be recorded."""
    least, size = None, 0
    for _ in range(runs):
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        found = re.search(r"^\d+\.\d+$", done.stdout, re.M)
        path = os.path.join(folder, recording)
        if done.returncode or not found or not os.path.exists(path):
            return None
        least = min(float(found.group(0)), least or float("inf"))
        size = bytes_below(path)
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    return least, size / (CALLS * 1.1)


def recorders(program, how, built, others):
    """Pairs of a name and a command."""
    yield "tracelathe --how " + how, [program, "record", "-o", "recording", "--how", how, "--", built, str(CALLS)]
    for other in others:
        if other == "xray-fdr":
            yield "LLVM's recorder", [program, "record", "-o", "recording", "--how", other, "--", built, str(CALLS)]
        elif shutil.which("uftrace"):
            name, *options = other.split()
            yield other, [name, "record", *options, "--no-libcall", "-d", "recording", built, str(CALLS)]


def bench_calls(program, folder, options):
    print("\n%-28s %-24s %8s %8s %8s" % ("a call, recorded", "", "ns", "bytes", "x ours"))
    for name, compiler, flags, how, others in INSTRUMENTED:
        if not shutil.which(compiler):
            print("%-28s skipped: no %s" % (name, compiler))
            continue
        built = os.path.join(folder, "recorded_calls")
        subprocess.run([compiler, "-O2", "-w", *flags, "-o", built, os.path.join(HERE, "recorded_calls.c")], check=True)
        ours = None
        for recorder, command in recorders(program, how, built, () if options.no_peers else others):
            cost = one_call(command, folder, "recording", options.runs)
            if cost is None:
                print("%-28s %-24s  not recorded" % (name, recorder))
                continue
            ours = ours or cost[0]
            print("%-28s %-24s %8.1f %8.1f %8.2f" % (name, recorder, *cost, cost[0] / ours), flush=True)


# ---- whole programs ----

def processor_seconds(command, folder):
    """Of the command and of all that it waited for; None: it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return None if done.returncode else after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least_seconds(command, folder, runs):
    times = [processor_seconds(command, folder) for _ in range(runs)]
    return None if None in times else min(times)


def instructions(program, folder):
    done = subprocess.run([program, "report", "--json", "recording"], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)["total"]["Ir"]


def programs(folder):
    """Names and commands: a loop of calls, a compiler, an interpreter."""
    subprocess.run(["gcc", "-O2", "-o", "loop", os.path.join(HERE, "recorded_calls.c")], cwd=folder, check=True)
    yield "loop of calls", ["./loop", "60000000"]
    compiler = subprocess.run(["gcc", "-print-prog-name=cc1"], stdout=subprocess.PIPE, text=True).stdout.strip()
    if os.path.exists(compiler):
        subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-I%s/include" % ROOT, "-I%s/src" % ROOT, "-E", "-o", "body.i",
                        os.path.join(ROOT, "src", "callgrind", "reader", "body_lines.c")], cwd=folder, check=True)
        yield "cc1 -O1", [compiler, "-quiet", "-O1", "-std=gnu11", "body.i", "-o", "body.s"]
    with open(os.path.join(folder, "loop.py"), "w", encoding="utf-8") as file:
        file.write(LOOP)
    yield "python3", ["/usr/bin/python3", "-S", "loop.py"]


def why_not(program, how, command):
    """What `record --list` says of a way that the machine or the program does not have."""
    lines = subprocess.run([program, "record", "--list", "--", *command], stdout=subprocess.PIPE, text=True).stdout.splitlines()
    at = [number for number, line in enumerate(lines) if line.split()[:2] == ["no", how]]
    return lines[at[0] + 1].strip() if at else "the program or its recording failed"


def bench_emulation(program, folder, options):
    print("\n%-16s %-24s %8s %10s %8s %8s" % ("a run", "", "cpu s", "M instr/s", "x ours", "x alone"))
    for name, command in programs(folder):
        ours = least_seconds([program, "record", "--how", "emulate", "-o", "recording", "--", *command], folder, options.runs)
        if ours is None:
            print("%-16s not recorded: %s" % (name, why_not(program, "emulate", command)))
            continue
        rows = [("alone", command), ("qemu-x86_64", ["qemu-x86_64", *command]), ("tracelathe --how emulate", None)]
        if shutil.which("valgrind") and not options.no_peers:
            rows.append(("callgrind", ["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=callgrind.out", *command]))
        count, alone = instructions(program, folder), None
        for row, what in rows:
            seconds = least_seconds(what, folder, options.runs if row != "callgrind" else 1) if what else ours
            if seconds is None:
                continue
            alone = alone or max(seconds, 1e-3)
            print("%-16s %-24s %8.3f %10.0f %8.2f %8.1f" % (name, row, seconds, count / max(seconds, 1e-3) / 1e6, seconds / ours,
                                                         seconds / alone), flush=True)


def bench_record(build, _, options):
    program = os.path.join(build, "tracelathe")
    if os.uname().machine != "x86_64":
        print("\nskipped: recorders are timed on x86-64")
        return
    with tempfile.TemporaryDirectory(dir=build) as folder:
        bench_calls(program, folder, options)
        bench_emulation(program, folder, options)
