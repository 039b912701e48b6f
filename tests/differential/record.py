#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record.py TRACELATHE: programs that count their own calls, recorded with `tracelathe record`, report the same counts.

Then faults: what a killed, crashed or full recording has is read, and what it lacks is said."""
import csv
import glob
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile

import common
from common import expect, fail

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded")
RUNTIME = os.path.join(os.path.dirname(common.command()), "recorder", "libtracelathe-record.so")

CALLS = ["-finstrument-functions"]
FENTRY = ["-pg", "-mfentry"]
PATCH = ["-fpatchable-function-entry=5"]
XRAY = ["-fxray-instrument"]
# recorder, options of the compiler, compilers
KINDS = [("calls", CALLS, ("gcc", "clang-14", "clang-19")),
         ("calls", FENTRY, ("gcc", "clang-19")),
         ("patch", PATCH, ("gcc", "clang-14", "clang-19")),
         ("xray", XRAY, ("clang-14", "clang-19")),
         ("xray-fdr", XRAY, ("clang-19",))]
SHAPES = (["-O2"], ["-O0"], ["-O2", "-no-pie", "-fno-pie"])
TURNS = ("coroutines.c", "generators.cpp")
# What compilers and libraries add of their own, and what they give no symbol.
OTHERS = re.compile(r"^(_ZNSt.*|_start|_init|_fini|__.*|_GLOBAL__.*|frame_dummy|register_tm_clones|deregister_tm_clones|.*broom.*|std::.*|"
                    r"void std::.*|.*__gnu_cxx.*|operator .*|.*std::.*|main|.*promise_type.*|numbers\b.*|generator\b.*|"
                    r"\[program\+0x\w+\]|#\d+|begin_signals|end_signals|fault|write_counts)$")


def build(folder, compiler, source, options):
    plus = {"gcc": "g++"}.get(compiler, compiler.replace("clang", "clang++"))
    program = os.path.join(folder, "program")
    done = subprocess.run([plus if source.endswith(".cpp") else compiler, "-w", "-g1", *options, "-o", program,
                           os.path.join(HERE, source), "-pthread", "-ldl"], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        fail("%s does not compile with %s %s: %s" % (source, compiler, options, done.stderr[:500]))
    return program if not done.returncode else None


def read_counts(folder):
    """Of each process, by the name of the function."""
    counts = {}
    for path in glob.glob(os.path.join(folder, "counts.*")):
        with open(path, encoding="utf-8") as file:
            counts[int(path.rsplit(".", 1)[1])] = {
                name: int(count) for count, name in (line.rstrip("\n").split(" ", 1) for line in file)}
    return counts


def record(folder, program, *arguments, options=(), status=3, written=True):
    """Run it; the names of the logs, the lines on stderr, the counts of each process."""
    for name in glob.glob(os.path.join(folder, "log*")) + glob.glob(os.path.join(folder, "counts*")):
        os.remove(name)
    log = os.path.join(folder, "log")
    done = subprocess.run([common.command(), "record", "-o", log, *options, "--", program, *arguments], cwd=folder,
                          env=dict(os.environ, COUNTS=os.path.join(folder, "counts")), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", timeout=300)
    lines = done.stderr.strip().split("\n")
    expect("exit status of %s %s" % (options, arguments), done.returncode, status)
    counts = read_counts(folder)
    logs = [path for path in sorted(glob.glob(log + "*")) if not path.endswith(".map")]
    expect("last line", lines[-1].startswith("tracelathe report "), written)
    expect("no parts left", os.path.exists(log + ".parts"), False)
    return logs, lines, counts


def calls_of(log):
    found = {}
    for row in common.report(log):
        calls = int(row["calls"] or 0) + int(row["unfinished"] or 0)
        if calls and not OTHERS.match(row["function"]):
            found[row["function"]] = found.get(row["function"], 0) + calls
    return found


def process_of(log):
    return int(re.search(r"process: (\d+)", common.run("info", log)).group(1))


def strip_parameters(names):
    return {re.sub(r"\(.*\)$", "", name) if not name.startswith(("int shop", "long shop")) else name: count
            for name, count in names.items()}


def compare(what, logs, counts, orphans=(0,)):
    """`orphans`: how many returns without a call there may be; None: any, as stacks take turns."""
    expect(what + ": processes", len(logs), len(counts))
    for log in logs:
        mine = counts.get(process_of(log))
        if expect(what + ": the process has counts", mine is not None, True):
            mine = {name: count for name, count in mine.items() if name != "main"}
            expect(what + ": calls", strip_parameters(calls_of(log)), strip_parameters(mine))
        if common.tool("llvm-xray-19"):
            expect(what + ": llvm-xray reads it",
                   subprocess.run(["llvm-xray-19", "convert", "-f", "yaml", "-o", "/dev/null", log],
                                  stderr=subprocess.DEVNULL).returncode, 0)
        losses = common.report_json(log).get("losses", {})
        if orphans:
            expect(what + ": orphan exits", losses.get("orphan_exits") in orphans, True)


def check_sum(what, logs, counts):
    """The command that `record` ends with reads the logs of all processes as one profile."""
    done = subprocess.run([common.command(), "report", "--csv", *logs], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(what + ": all processes in one report: " + done.stderr[-200:], done.returncode in (0, 1), True)
    expect(what + ": leaf in all processes", sum(int(row["calls"]) for row in csv.DictReader(io.StringIO(done.stdout))
                                                 if row["function"] == "leaf"), sum(c.get("leaf", 0) for c in counts.values()))


def check_kind(folder, how, options, compiler, shape):
    what = " ".join([how, compiler, *options, *shape])
    flags = [*options, *shape] + (["-fxray-instruction-threshold=1", "-DENDS_WITHOUT_SIGNALS"] if options == XRAY else [])
    plugin = os.path.join(folder, "plugin.so")
    # XRay of clang 14 and 19 knows no shared objects, and patching happens before they are loaded.
    takes_plugins = options in (CALLS, FENTRY)
    if takes_plugins:
        subprocess.run([compiler, *options, "-O2", "-shared", "-fPIC", "-o", plugin, os.path.join(HERE, "plugin.c")],
                       check=True)
    program = build(folder, compiler, "program.c", flags)
    if program:
        logs, _, counts = record(folder, program, "", *([plugin] if takes_plugins else []), options=("--how", how))
        if how != "xray-fdr":
            compare(what, logs, counts)
            check_sum(what, logs, counts)
        else:
            # LLVM's own recorder writes one log, and drops what signal handlers call while it is busy itself: threads alone.
            logs, _, counts = record(folder, program, "quiet", options=("--how", how))
            compare(what, logs, counts)
    program = build(folder, compiler, "throws.cpp", flags)
    if program and how != "xray-fdr":
        logs, _, counts = record(folder, program, options=("--how", how))
        compare(what + " throws", logs, counts)


def check_turns(folder, how, options, compiler, shape, sources):
    """Coroutines on stacks of their own, and those of the language."""
    flags = [*options, *shape] + (["-fxray-instruction-threshold=1", "-DENDS_WITHOUT_SIGNALS"] if options == XRAY else [])
    for source in sources:
        if source.endswith(".cpp") and compiler == "clang-14":
            continue  # It knows them only with a library of its own.
        program = build(folder, compiler, source, flags + (["-std=c++20"] if source.endswith(".cpp") else []))
        if program and how != "xray-fdr":
            logs, _, counts = record(folder, program, options=("--how", how))
            compare(" ".join([how, compiler, source, *shape]), logs, counts, orphans=None)


def static_options():
    """What pkg-config says of the run-time, with the archive of this build."""
    text = open(os.path.join(os.path.dirname(common.command()), "meson-private", "tracelathe-record-static.pc"),
                encoding="utf-8").read()
    words = re.search(r"^Libs: (.*)", text, re.M).group(1).split()
    return [RUNTIME.replace(".so", "-static.a") if word.startswith("-ltracelathe") else word
            for word in words if not word.startswith("-L")]


def check_static(folder):
    """A static program has the run-time linked, as nothing can be preloaded."""
    for compiler, how, options in (("gcc", "calls", CALLS), ("gcc", "calls", FENTRY), ("gcc", "patch", PATCH),
                                   ("clang-19", "xray", XRAY)):
        if not common.tool(compiler):
            continue
        for source in ("coroutines.c", "throws.cpp"):
            program = build(folder, compiler, source, ["-static", *options, *static_options()])
            if program:
                logs, _, counts = record(folder, program, options=("--how", how))
                compare("static %s %s %s" % (compiler, how, source), logs, counts, orphans=None)


def check_faults(folder, program, how):
    """A log of every end; the status is that of the program, as a shell has it."""
    options = ("--how", how)
    ends = (("kill", 137), ("abort", 134), ("segv", 139), ("_exit", 7), ("exec", 0), ("close", 3), ("thousand", 3))
    for fault, status in common.some(ends):
        logs, _, counts = record(folder, program, fault, options=options, status=status)
        compare("%s, fault %s" % (how, fault), logs, counts)
        text = subprocess.run([common.command(), "report", logs[0]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
        said = "did not end by exit()" in text.stderr
        expect("%s, fault %s: a process that did not end is told" % (how, fault), said, fault not in ("close", "thousand"))
        expect("%s, fault %s: status of report" % (how, fault), text.returncode, 0)
    logs, lines, _ = record(folder, program, "full", options=options)
    expect(how + ", full: record says so", any("could not be written: File too large" in line for line in lines), True)
    done = subprocess.run([common.command(), "report", logs[0]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(how + ", full: report says so", ("could not write all records" in done.stderr, done.returncode), (True, 1))


def levels_of(profile):
    """Calls of each function; levels of a recursion are functions of their own: f'2."""
    executed = {}
    for row in common.report(profile):
        function = re.sub(r"'\d+$", "", row["function"])
        executed[function] = executed.get(function, 0) + int(row["calls"] or 0)
    return executed


def check_callgrind(folder, program):
    """valgrind writes at the end of a process: what is not there then is told. Calls are those of the counters."""
    for fault, status in common.some((("exec", 2), ("abort", 134), ("kill", 137), ("thousand", 3))) + (
            (("close", 3), ("_exit", 7), ("segv", 139)) if common.LONG else ()):
        name = "callgrind, fault %s: " % fault
        logs, lines, counts = record(folder, program, fault, options=("--how", "callgrind"), status=status,
                                     written=fault != "exec")
        expect(name + "a profile that is missing is told", any("has no profile" in line for line in lines), fault == "exec")
        if fault == "exec":
            continue
        named = lines[-1].split()[2:]
        expect(name + "profiles", (len(logs), sorted(named) == logs), (len(counts), True))
        executed = levels_of(named[0])
        # Those of the process that was started, which counted all of its calls but those of its child. Valgrind has no call of a handler.
        own = max(counts.values(), key=len)
        for function in ("main", "on_signal", "deep_in_handler"):
            own.pop(function, None)
        expect(name + "calls", {function: executed.get(function, 0) for function in own}, own)
    logs, lines, _ = record(folder, program, "full", options=("--how", "callgrind"))
    expect("callgrind, full: record says that the end is missing", any("end of the profile is missing" in line for line in lines), True)
    done = subprocess.run([common.command(), "report", logs[0]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    expect("callgrind, full: report says that the end is missing", (done.returncode, "its end is missing" in done.stderr), (1, True))


def check_refusals(folder, program):
    def said(*arguments):
        done = subprocess.run([common.command(), "record", *arguments], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        return done.returncode, done.stdout + done.stderr
    elevated = os.path.join(folder, "elevated")
    shutil.copy(program, elevated)
    os.chmod(elevated, 0o4755)
    status, text = said(elevated)
    expect("set-user-id", (status, "set-user-id" in text), (2, True))
    status, text = said(os.path.join(folder, "nowhere"))
    expect("no such program", status, 2)
    status, text = said("--how", "calls", "--function", "leaf", program)
    expect("functions cannot be chosen", (status, "cannot be chosen" in text), (2, True))
    status, text = said("--list", program)
    expect("list", (status, re.findall(r"^(?:yes|no) +(\S+)", text, re.M)[:2]), (0, ["xray", "calls"]))


def check_choice(folder, how, options, compiler):
    program = build(folder, compiler, "program.c", ["-O2", *options])
    if not program:
        return
    logs, _, counts = record(folder, program, options=("--how", how, "--function", "^(leaf|short_77.)$"))
    for log in logs:
        expect("%s --function" % how, calls_of(log), {name: count for name, count in counts[process_of(log)].items()
                                                      if re.match("^(leaf|short_77.)$", name)})
    expect("%s --function: any" % how, len(logs) > 0, True)


def check_room_before_entries(folder):
    """Room that begins before the entry of a function is left alone, and told; the program does what it does."""
    source = os.path.join(folder, "before.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("__attribute__((noinline)) int f(int x) { __asm__ volatile(\"\"); return x + 1; }\n"
                   "int main(void) { return f(f(1)); }\n")
    for room in ("5,2", "7,2"):
        program = os.path.join(folder, "before")
        subprocess.run(["gcc", "-O1", "-fpatchable-function-entry=" + room, "-o", program, source], check=True)
        done = subprocess.run([common.command(), "record", "--how", "patch", "-o", program + ".xray", program],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(room + ": status of the program", done.returncode, 3)
        expect(room + ": told", "2 functions were not recorded" in done.stderr, True)
    program = os.path.join(folder, "behind")
    subprocess.run(["gcc", "-O1", "-fcf-protection", *PATCH, "-o", program, source], check=True)
    logs, _, _ = record(folder, program, options=("--how", "patch"))
    expect("room behind a landing pad", calls_of(logs[0]), {"f": 2})


def check_fortran(folder):
    """Procedures of a module, by each way that gfortran has."""
    for how, options in common.some((("patch", PATCH), ("calls", CALLS), ("calls", FENTRY))):
        program = os.path.join(folder, "fortran")
        subprocess.run(["gfortran", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", *options, "-J" + folder, "-o", program,
                        os.path.join(HERE, "counted.f90")], check=True)
        done = subprocess.run([common.command(), "record", "--how", how, "-o", program + ".xray", program], cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect("Fortran: status", done.returncode, 0)
        leaves, steps = map(int, done.stdout.split())
        found = {row["function"]: int(row["calls"]) for row in common.report(program + ".xray")}
        expect("Fortran %s %s" % (how, options), [found.get("__counted_MOD_" + name) for name in ("leaf", "step")],
               [leaves, steps])


def check_rust(folder):
    """Threads and panics of Rust, whose compiler has room at entries as an unstable option since 1.81."""
    program = os.path.join(folder, "rust")
    done = subprocess.run(["rustc", "-O", "-Zpatchable-function-entry=5", "-o", program,
                           os.path.join(HERE, "counted.rs")], env=dict(os.environ, RUSTC_BOOTSTRAP="1"), stderr=subprocess.PIPE,
                          text=True)
    if done.returncode:
        print("without Rust: " + done.stderr[:200])
        return
    done = subprocess.run([common.command(), "record", "--how", "patch", "-o", program + ".xray", program],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("Rust: status", done.returncode, 0)
    found = {row["function"]: int(row["calls"]) + int(row["unfinished"] or 0) for row in common.report(program + ".xray")}
    expect("Rust: calls", [found.get("counted::" + name) for name in ("leaf", "step", "fail")], list(map(int, done.stdout.split())))


def check_stripped(folder):
    """Without its names the run-time of XRay cannot be found: basic mode, which needs none, is taken, and said."""
    program = os.path.join(folder, "stripped")
    subprocess.run(["clang-19", "-O1", *XRAY, "-fxray-instruction-threshold=1", "-s", "-o", program,
                    os.path.join(common.ROOT, "bench", "recorded_calls.c")], check=True)
    done = subprocess.run([common.command(), "record", "-o", program + ".xray", program, "1000"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    expect("stripped: basic mode is said", (done.returncode, done.stderr.startswith("tracelathe record: xray-basic: ")), (0, True))
    # main, and a tenth of the calls before those that are timed
    expect("stripped: calls", sorted(int(row["calls"]) for row in common.report(program + ".xray")), [1, 1100])


def check_limits(folder, program):
    """--depth, --threshold and --ring leave out what they say."""
    logs, _, counts = record(folder, program, options=("--depth", "2"))
    found = calls_of(logs[0])
    expect("--depth 2: main and what it calls", (found.get("all"), found.get("run_threads")), (1, None))
    logs, lines, _ = record(folder, program, options=("--ring", "1"))
    done = subprocess.run([common.command(), "report", logs[0]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("--ring 1", done.returncode in (0, 1) and os.path.getsize(logs[0]) <= 18 << 20, True)
    logs, _, counts = record(folder, program, options=("--threshold", "10s"))
    expect("--threshold 10s", calls_of(logs[0]).get("leaf") if logs else None, None)
    # Two calls take more than a second, and the one around them.
    logs, _, counts = record(folder, program, "slow", options=("--threshold", "1s"))
    expect("counted", [list(counts.values())[0].get(name) for name in ("slow", "sleeper", "leaf")], [1, 40, 4000])
    expect("--threshold 1s", calls_of(logs[0]), {"slow": 1, "sleeper": 2})
    check_ring(folder, program)


def check_ring(folder, program):
    """A thousand functions one after the other, 200 times: a ring has the last of these calls, and no others."""
    for size in common.some((1, 2, 3, 8)):
        logs, lines, _ = record(folder, program, "rounds", options=("--ring", str(size)))
        found = calls_of(logs[0])
        calls = [found.get("short_%03d" % number, 0) for number in range(1000)]
        rounds, first = min(calls), 1000 - sum(calls) % 1000
        what = "--ring %d: " % size
        expect(what + "the calls are the last ones", calls, [rounds] * first + [rounds + 1] * (1000 - first))
        # 16 bytes a call; one of its eight windows is the one that is written, whose old records are gone, and each has a head.
        held = 16 * sum(calls)
        expect(what + "how many of them", held == 16 * 200000 if size == 8 else (size << 20) * 7 / 8 - 2048 < held <= size << 20, True)
        expect(what + "it is said", any("the ring kept the last records only" in line for line in lines), size < 8)


def main():
    if os.uname().machine != "x86_64":
        common.skip("only x86-64 is recorded here")
    if not os.path.exists(RUNTIME):
        common.skip("no run-time beside the command")
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        # No run-time of a recorder has a sanitizer: what one compiler makes of each kind of log is enough there.
        for how, options, compilers in common.some(KINDS, 2):
            for compiler in compilers[-1:] if common.SMALL else compilers:
                if not common.tool(compiler):
                    print("without %s, which is not here" % compiler)
                    continue
                for shape in SHAPES if common.LONG else [SHAPES[done % len(SHAPES)]]:
                    check_kind(folder, how, options, compiler, shape)
                    check_turns(folder, how, options, compiler, shape, TURNS if common.LONG else [TURNS[done % 2]])
                    done += 1
        if not common.SMALL:
            check_static(folder)
        check_fortran(folder) if common.tool("gfortran") else print("without gfortran")
        check_rust(folder) if common.tool("rustc") else print("without rustc")
        program = build(folder, "gcc", "program.c", ["-O2", *CALLS])
        check_faults(folder, program, "calls")
        check_callgrind(folder, program) if common.tool("valgrind") else print("without valgrind")
        check_refusals(folder, program)
        check_limits(folder, program)
        check_choice(folder, "patch", PATCH, "gcc")
        check_room_before_entries(folder)
        if common.tool("clang-19"):
            check_stripped(folder)
            check_choice(folder, "xray", XRAY + ["-fxray-instruction-threshold=1"], "clang-19")
            check_faults(folder, build(folder, "clang-19", "program.c", ["-O2", *XRAY, "-fxray-instruction-threshold=1"]), "xray")
        if common.LONG:
            check_faults(folder, build(folder, "gcc", "program.c", ["-O2", *PATCH]), "patch")
    common.finish(done, "kinds of programs recorded")


if __name__ == "__main__":
    main()
