#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""emulate.py TRACELATHE PT_RECORDER PERF_RUNS CHECK [LIBIPT]: programs recorded with `tracelathe record --how emulate`.

Small programs: the recording has the instructions that single steps see (examples/pt-recorder), by our reader, Debian's
libipt and perf script. Programs that count their own calls: each function's entry was executed as often. Faults: the
recording of a killed program opens, the status is the program's, what is missing is told. A QEMU that behaves otherwise
than the plugin expects is refused.

EMULATE_ROUNDS=N repeats the counting programs, whose signals come at other places each time, and has one that throws
thousands of exceptions.
"""
import collections
import csv
import glob
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import common
from common import expect, fail

HERE = os.path.dirname(os.path.abspath(__file__))
BARE = ["-O1", "-w", "-nostdlib", "-static", "-no-pie", "-fno-pie", "-fno-stack-protector", "-fcf-protection=none"]
ROUNDS = int(os.environ.get("EMULATE_ROUNDS", "0"))
PLUGIN = os.path.join(os.path.dirname(common.command()), "emulator", "libtracelathe-emulate.so")
CHECK_SOURCE = os.path.join(common.ROOT, "src", "record", "emulation", "check.c")
AUXTRACE = 71


def compile_program(folder, source, options):
    program = os.path.join(folder, os.path.basename(source).split(".")[0])
    compiler = "g++" if source.endswith(".cpp") else "gcc"
    subprocess.run([compiler, *options, "-o", program, os.path.join(HERE, source)], check=True)
    return program


def record(folder, program, *arguments, status=0, env=None, stdin=None):
    """The recording, and the lines that were said of it."""
    output = os.path.join(folder, "recording")
    done = subprocess.run([common.command(), "record", "--how", "emulate", "-o", output, "--", program, *arguments],
                          cwd=folder, env=env, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", timeout=300)
    expect("status of %s %s" % (os.path.basename(program), " ".join(arguments)), done.returncode, status)
    lines = done.stderr.strip().split("\n")
    expect("last line", lines[-1], "tracelathe report " + output)
    expect("no parts left", os.path.exists(output + ".parts"), False)
    return output, lines[1:-1], done.stdout


def runs(path):
    """A list of (instructions, hash, errors), a thread each."""
    text = subprocess.run([sys.argv[3], path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [(int(line.split()[-3]), line.split()[-2], int(line.split()[-1])) for line in text.splitlines()]


def packets_of(path):
    """The packets of the first thread, as they lie in the perf.data file."""
    with open(path, "rb") as file:
        data = file.read()
    at, size = struct.unpack_from("<QQ", data, 40)
    end = at + size
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == AUXTRACE:
            room = struct.unpack_from("<Q", data, at + 8)[0]
            return data[at + length:at + length + room]
        at += length
    return b""


def perf_addresses(path):
    """The addresses perf script decodes, and its errors; None: no perf."""
    if not common.tool("perf"):
        return None
    done = subprocess.run(["perf", "script", "-i", path, "--itrace=i1ie", "-F", "ip"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    expect("errors of perf", "error" in done.stdout + done.stderr, False)
    return [int(line, 16) for line in done.stdout.split()]


def single_steps(folder, program):
    """What the program does, one step after the other: count and hash, and the list of addresses."""
    base = os.path.join(folder, "steps")
    done = subprocess.run([sys.argv[2], "-o", base, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 77 or "cannot trace" in done.stderr:
        common.skip("this machine does not let programs be traced")
    with open(base + ".truth", encoding="utf-8") as file:
        truth = dict(line.split(" ", 1) for line in file.read().splitlines() if " " in line)
    with open(base + ".ips", "rb") as file:
        data = file.read()
    return int(truth["insns"]), truth["hash"], list(struct.unpack("<%dQ" % (len(data) // 8), data))


def compare_with_steps(folder, program, status, rewrites=False):
    name = os.path.basename(program)
    count, truth, steps = single_steps(folder, program)
    path, lines, _ = record(folder, program, status=status)
    expect(name + ": nothing is missing", lines, [])
    expect(name + ": our reader", runs(path), [(count, truth, 0)])
    addresses = perf_addresses(path)
    if addresses is not None:
        expect(name + ": perf script", addresses, steps)
    if len(sys.argv) > 5 and not rewrites:
        trace = os.path.join(folder, "trace.pt")
        with open(trace, "wb") as file:
            file.write(packets_of(path))
        base = os.path.join(folder, "steps")
        done = subprocess.run([sys.argv[5], trace, base + ".map", base + ".img"], stdout=subprocess.PIPE, text=True)
        expect(name + ": libipt", done.stdout.split("\n")[0], "%d %s" % (count, truth))
    return steps


def check_known(folder):
    """The program that a QEMU is tried with: what the command expects of it is what single steps show."""
    steps = compare_with_steps(folder, sys.argv[4], 42, rewrites=True)
    value = 0xcbf29ce484222325
    for ip in steps:
        value = (((value << 5 | value >> 59) & (1 << 64) - 1) ^ ip - steps[0]) * 0x9e3779b97f4a7c15 & (1 << 64) - 1
    with open(CHECK_SOURCE, encoding="utf-8") as file:
        text = file.read()
    expect("instructions of the known program", int(re.search(r"INSTRUCTIONS = (\d+)", text).group(1)), len(steps))
    expect("hash of the known program", int(re.search(r"known_hash = UINT64_C\((\w+)\)", text).group(1), 16), value)


def check_refusal(folder):
    """A QEMU without the plugin, and one that takes other ways, are refused."""
    real = shutil.which("qemu-x86_64")
    for name, script in (("deaf", 'shift 2; exec %s "$@"' % real), ("other", "exit 42")):
        tools = os.path.join(folder, name)
        os.mkdir(tools)
        with open(os.path.join(tools, "qemu-x86_64"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n%s\n" % script)
        os.chmod(os.path.join(tools, "qemu-x86_64"), 0o755)
        env = dict(os.environ, PATH=tools + ":" + os.environ["PATH"], XDG_CACHE_HOME=os.path.join(folder, "cache"))
        done = subprocess.run([common.command(), "record", "--how", "emulate", "/bin/true"], env=env, cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(name + " QEMU is refused", (done.returncode, "QEMU is tried with" in done.stderr), (2, True))
    expect("no refusal is remembered", glob.glob(os.path.join(folder, "cache", "tracelathe", "*")), [])


# ---- programs that count their own calls ----

SHAPES = (["-O2", "-no-pie", "-fno-pie"], ["-O0", "-no-pie", "-fno-pie", "-static"])


def entries(path, program):
    """How often the entries of the program's functions were executed, by all processes."""
    symbols = {}
    for line in subprocess.run(["nm", "-C", program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        address, kind, name = (line.split(None, 2) + ["", "", ""])[:3]
        if kind in ("t", "T"):
            symbols["%x" % int(address, 16)] = name
    text = subprocess.run([sys.argv[3], "-l", path], stdout=subprocess.PIPE, check=True).stdout
    found = {}
    # A few hundred thousand different lines "THREAD ADDRESS" among millions.
    for line, count in collections.Counter(text.split(b"\n")).items():
        name = symbols.get(line.split(b" ")[-1].decode())
        if name:
            found[name] = found.get(name, 0) + count
    return found


def counted(folder):
    """What all processes counted."""
    sums = {}
    for path in glob.glob(os.path.join(folder, "counts.*")):
        with open(path, encoding="utf-8") as file:
            for line in file:
                count, name = line.rstrip("\n").split(" ", 1)
                sums[name] = sums.get(name, 0) + int(count)
        os.remove(path)
    sums.pop("plug", None)
    return sums


def calls(path, _):
    """What report counts, also where a signal comes between a call and the first instruction of what it calls."""
    found = {}
    for row in common.report(path):
        count = int(row["calls"] or 0) + int(row["unfinished"] or 0)
        name = row["function"]
        for name in {name, re.sub(r"\(.*\)$", "", name)}:
            found[name] = found.get(name, 0) + count
    return found


def expect_calls(what, path, program, counts, by):
    executed = by(path, program)
    expect("%s: calls by %s" % (what, by.__name__), {name: executed.get(name) for name in counts}, counts)


def compare_counts(folder, program, *arguments, status=3, by=entries):
    """The lines that were said of the recording."""
    what = " ".join([os.path.basename(program), *arguments])
    counted(folder)
    path, lines, _ = record(folder, program, *arguments, status=status,
                            env=dict(os.environ, COUNTS=os.path.join(folder, "counts")))
    counts = counted(folder)
    expect_calls(what, path, program, counts, by)
    if "fork_here" in counts and not arguments[0]:
        # A child goes on in what was open when it was forked, which is open in both processes.
        own = {name: count for name, count in counts.items() if name not in ("main", "fork_here")}
        expect_calls(what, path, program, own, calls)
    expect(what + ": any", len(counts) > 2, True)
    expect(what + ": errors", sum(errors for _, _, errors in runs(path)), 0)
    return path, lines


def check_counts(folder):
    plugin = os.path.join(folder, "plugin.so")
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", plugin, os.path.join(HERE, "recorded", "plugin.c")], check=True)
    for shape in SHAPES:
        program = compile_program(folder, "recorded/program.c", ["-w", *shape, "-pthread", "-ldl"])
        for _ in range(ROUNDS or 1):
            path, lines = compare_counts(folder, program, "", *([plugin] if "-static" not in shape else []))
            expect("nothing is missing", lines, [])
        if "-static" not in shape:
            perf_addresses(path)
            check_faults(folder, program)
    program = compile_program(folder, "recorded/coroutines.c", ["-w", "-O2", "-no-pie", "-fno-pie", "-pthread"])
    compare_counts(folder, program)
    compare_counts(folder, program, by=calls)
    if not ROUNDS:
        return
    program = compile_program(folder, "recorded/throws.cpp", ["-w", "-O2", "-no-pie", "-fno-pie", "-pthread"])
    # A hundred million instructions.
    _, lines = compare_counts(folder, program, by=calls)
    expect("exceptions: nothing is missing", lines, [])


def check_mark(folder):
    """Times are the emulator's, by whatever way they come: instructions are shown first, and that is said."""
    program = compile_program(folder, "emulated/calls.c", BARE)
    path, _, _ = record(folder, program, status=33)
    kept, merged = os.path.join(folder, "kept.tlp"), os.path.join(folder, "merged.tlp")
    common.run("convert", "--to", "tracelathe", "-o", kept, path)
    # Recordings of one machine count ticks of one rate, so that they have a sum.
    path, _, _ = record(folder, program, status=33)
    common.run("merge", "-o", merged, kept, path)
    for file in (path, kept, merged):
        said = json.loads(common.run("report", "--json", file))
        expect("events of " + file, (said["events"], said.get("emulated")), (["Ir", "Ticks"], True))
        text = common.run("report", file)
        expect("said of " + file, "\nan emulator ran the program: times are the emulator's\n" in text, True)
        expect("flame of " + file, "An emulator ran the program" in common.run("flame", file), True)


def check_faults(folder, program):
    faults = [("kill", 137), ("segv", 139), ("exec", 0), ("close", 3)]
    for fault, status in faults + ([("abort", 134), ("_exit", 7), ("thousand", 3)] if ROUNDS else []):
        _, lines = compare_counts(folder, program, fault, status=status)
        said = any("did not end by exit()" in line for line in lines)
        expect("fault %s: a process that did not end is told" % fault, said, fault in ("kill", "abort", "segv"))
    path, lines, _ = record(folder, program, "full", status=3, env=dict(os.environ, COUNTS=os.path.join(folder, "counts")))
    expect("full: told", any("could not be written to its end: File too large" in line for line in lines), True)
    expect("full: what is there is read", sum(errors for _, _, errors in runs(path)), 0)


def check_run(folder):
    """Standard streams, arguments and a script by its interpreter's process; what another program executes is recorded."""
    with open(os.path.join(folder, "in"), "w+", encoding="utf-8") as file:
        file.write("what stands in the file\n")
        file.seek(0)
        _, lines, text = record(folder, "/bin/cat", stdin=file)
    expect("cat", (text, lines), ("what stands in the file\n", []))
    script = os.path.join(folder, "script")
    with open(script, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh -e\necho $1 $0\nexit 5\n")
    os.chmod(script, 0o755)
    path, lines, text = record(folder, "/bin/sh", "-c", "%s one; echo $?" % script)
    expect("a script", (text, lines), ("one %s\n5\n" % script, []))
    expect("processes", len({row[0] for row in processes(path)}), 2)
    _, lines, _ = record(folder, "/bin/sh", "-c", "%s; true" % make_foreign(folder), status=1)
    expect("a program that is not recorded is told", any("is not recorded" in line for line in lines), True)


LUA = """local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local s = 0
for i = 1, 100000 do s = s + i % 7 end
print(s, fib(20))
"""
JAVASCRIPT = """function hot(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s; }
let t = 0;
for (let i = 0; i < 300; i++) t += hot(2000);
console.log(t);
"""


def check_compilers(folder):
    """Compilers at run time write over code that was executed: no gap in what is decoded of it."""
    for tool, text, printed in (("luajit", LUA, "300000\t6765\n"), ("node", JAVASCRIPT, "1799100\n")):
        if not common.tool(tool):
            print("without %s, which is not here" % tool)
        elif tool == "luajit" or ROUNDS:
            script = os.path.join(folder, "script." + tool)
            with open(script, "w", encoding="utf-8") as file:
                file.write(text)
            path, lines, out = record(folder, shutil.which(tool), script)
            expect(tool + ": output, what is missing", (out, lines), (printed, []))
            expect(tool + ": check", subprocess.run([common.command(), "check", path], stdout=subprocess.PIPE).stdout, b"")
            perf_addresses(path)


def instructions_of(path, status):
    """Of the functions of compiled/jit.c, which move, and how often they were called; what was said."""
    found = {}
    done = subprocess.run([common.command(), "report", "--csv", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("status of report", done.returncode, status)
    for row in csv.DictReader(io.StringIO(done.stdout)):
        if row["object"] == path:
            name = row["function"].split("@")[0]
            total = found.get(name, (0, 0))
            found[name] = (total[0] + int(row["Ir:self"]), total[1] + int(row["calls"]))
    return found, done.stderr


def check_names(folder):
    """Code of a run-time compiler has its names by what it wrote down, kept beside the recording."""
    program = compile_program(folder, "compiled/jit.c", ["-O1"])
    # mov, ret, and two instructions a round; each ran once.
    known = {name: (2 * rounds + 2, 1) for name, rounds in (("first", 3000), ("second", 2000), ("moved", 1000))}
    for where, kept in ((folder, "jit-%s.dump"), ("-", "perf-%s.map")):
        path, lines, _ = record(folder, program, where, "1000")
        process = processes(path)[0][0]
        side = "%s.%s" % (path, kept % process)
        original = os.path.join(folder if where != "-" else "/tmp", kept % process)
        with open(original, "rb") as file, open(side, "rb") as copy:
            expect(kept + ": is kept", copy.read(), file.read())
        os.remove(original)
        expect(kept + ": nothing is missing", lines, [])
        expect(kept + ": instructions and calls by name", instructions_of(path, 0), (known, ""))
        os.remove(side)
        found, said = instructions_of(path, 1)
        expect(kept + ": without it no name is known, which is said",
               (set(found) & set(known), "it was made at run time" in said), (set(), True))
        os.mkdir(side)
        said = instructions_of(path, 1)[1]
        expect(kept + ": one that cannot be read is said", (side in said, "is another user's, or no regular file" in said),
               (True, True))
        os.rmdir(side)


def make_foreign(folder):
    """A set-user-id program: it may not run with the plugin."""
    path = os.path.join(folder, "elevated")
    shutil.copy("/bin/true", path)
    if os.getuid() == 0:
        os.chown(path, 1, 1)
    os.chmod(path, 0o4755)
    return path


def processes(path):
    text = subprocess.run([sys.argv[3], path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line.split() for line in text.splitlines()]


def main():
    sys.argv[1:] = [os.path.abspath(path) for path in sys.argv[1:]]
    if os.uname().machine != "x86_64":
        common.skip("only x86-64 is emulated here")
    if not os.path.exists(PLUGIN):
        common.skip("no plugin beside the command")
    if not common.tool("qemu-x86_64"):
        common.skip("no qemu-x86_64")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache-of-tests")
        listed = common.run("record", "--list", "/bin/true")
        if not re.search(r"^yes +emulate", listed, re.M):
            fail("the emulator is refused:", listed)
            common.finish(0, "programs")
        check_known(folder)
        for name, status in common.some((("signals", 56), ("calls", 33), ("rewrites", 52))):
            compare_with_steps(folder, compile_program(folder, "emulated/%s.c" % name, BARE), status,
                               rewrites=name == "rewrites")
        check_refusal(folder)
        check_mark(folder)
        check_counts(folder)
        check_run(folder)
        check_names(folder)
        # Neither the emulator nor what runs in it has a sanitizer.
        if not common.SMALL:
            check_compilers(folder)
    common.finish(1, "round of programs emulated")


if __name__ == "__main__":
    main()
