#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that leave and switch stacks in every way (longjmp, C++ exceptions, coroutines, signals), and count their own
calls: recorded by qemu-aarch64 as instruction streams, their profiles have these calls, and no path that the programs do
not have. Needed: a qemu-aarch64 that loads plugins (Debian's qemu-user 7.2 does, qemu-user-static does not) and a compiler
for it (g++-aarch64-linux-gnu), or what QEMU_AARCH64 and AARCH64_CC name."""
import os
import re
import shutil
import tempfile

import common
import emulators

FOLDER = os.path.join(common.ROOT, "tests", "differential", "xtrace_live")
QEMU = os.environ.get("QEMU_AARCH64") or shutil.which("qemu-aarch64")
CC = os.environ.get("AARCH64_CC") or shutil.which("aarch64-linux-gnu-gcc")
FLAGS = os.environ.get("AARCH64_CFLAGS", "-O2").split()
CXX = os.environ.get("AARCH64_CXX") or shutil.which("aarch64-linux-gnu-g++")

# Which counted function, or main, may stand on which; what a function calls last may stand in its place.
CALLS = {
    "longjmps.c": "main round_trip middle leaf | round_trip dig leaf | dig dig leaf | middle middle leaf",
    "throws.cc": "main loop after | loop nest handled after | nest nest thrower handled cleaned",
    "coroutines.c": "main by_ucontext by_switch by_longjmp home | by_ucontext home | by_switch home | by_longjmp home |"
                    "u_task u_yield work | u_yield work | s_task_entry s_task s_yield work | s_task s_yield work |"
                    "s_yield work | j_task j_yield work | j_yield work",
    "signals.c": "main attempt calm | attempt raises touches calm | raises on_usr1 on_usr2 calm | touches on_segv calm |"
                 "on_usr1 deep_in calm | on_usr2 on_usr1 calm | deep_in deep_in calm",
}


def run_or_skip(args, what):
    done = emulators.run(args)
    if done.returncode:
        common.skip("%s: %s" % (what, (done.stderr or done.stdout).strip()[:300]))
    return done.stdout


def plain(name):
    return re.sub(r"[(.].*", "", name)


def check_calls(name, program, stream, counters):
    got = {}
    for row in common.report("--binary", program, stream):
        got[plain(row["function"])] = got.get(plain(row["function"]), 0) + int(row["calls"])
    common.expect(name + " calls", {n: got.get(n, 0) for n in counters}, counters)


def check_paths(name, program, stream):
    allowed = {}
    for line in CALLS[name].split("|"):
        caller, *callees = line.split()
        allowed[caller] = set(callees)
    known = set(allowed).union(*allowed.values())
    for line in common.run("stacks", "--binary", program, stream).splitlines():
        path = [n for n in map(plain, line.rsplit(" ", 1)[0].split(";")) if n in known]
        for caller, callee in zip(path, path[1:]):
            if callee not in allowed.get(caller, ()):
                common.fail(name, "has", callee, "called by", caller, "in", line[:200])
                return


def record(name, scratch, plugin):
    program, folder = os.path.join(scratch, name.split(".")[0]), os.path.join(scratch, name + ".d")
    compiler = CXX if name.endswith(".cc") else CC
    run_or_skip([compiler, *FLAGS, "-static", "-o", program, os.path.join(FOLDER, name)], "no " + name)
    os.mkdir(folder)
    prefix = os.path.join(folder, "xtrace.20260101000000.0.hint9.")
    stream = prefix + "xinsndata.bin"
    told = run_or_skip([QEMU, "-plugin", plugin + ",out=" + prefix, program], "no plugin in this qemu-aarch64")
    counters = {line.split()[0]: int(line.split()[1]) for line in told.splitlines()}
    if not common.expect(name + " has counters", bool(counters), True):
        return 0
    check_calls(name, program, stream, counters)
    check_paths(name, program, stream)
    return len(counters)


def main():
    if not QEMU:
        common.skip("no qemu-aarch64")
    if not CC or not CXX:
        common.skip("no compiler for AArch64")
    compared = 0
    with tempfile.TemporaryDirectory() as scratch:
        plugin = os.path.join(scratch, "recorder.so")
        run_or_skip(["gcc", "-O2", "-shared", "-fPIC", "-o", plugin, os.path.join(FOLDER, "recorder.c")], "no recorder")
        for name in CALLS:
            compared += record(name, scratch, plugin)
    common.finish(compared, "functions with counters")


main()
