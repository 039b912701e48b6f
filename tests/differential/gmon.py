#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gmon.out: programs compiled with -pg here, linked at a fixed and at any address, have the counts of calls that they
counted themselves, and the times of functions that gprof prints."""
import os
import re
import shutil
import subprocess
import tempfile

import common
from common import expect

PROGRAM = r"""
#include <stdio.h>
volatile unsigned long sink, leaf_calls, fib_calls;
__attribute__((noinline)) void leaf(int n) { leaf_calls++; for (int i = 0; i < n; i++) sink += i * 7; }
__attribute__((noinline)) int fib(int n) { fib_calls++; leaf(20); return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) void busy(void) { for (int i = 0; i < 30000; i++) leaf(1500); }
int main(void) { fib(20); busy(); printf("leaf %lu\nfib %lu\nbusy 1\n", leaf_calls, fib_calls); return 0; }
"""
RUNS = 5  # at most: a program that shares its processor with others may end before its first sample
FLAT = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+([\d.]+)\s+(?:(\d+)\s+[\d.]+\s+[\d.]+\s+)?(\w+)$")


def run(folder, *args):
    return subprocess.run(args, cwd=folder, capture_output=True, text=True, check=False)


def flat(folder):
    text = run(folder, "gprof", "-b", "-p", "program", "gmon.out").stdout
    rows = (FLAT.match(line) for line in text.splitlines())
    return {row.group(3): (float(row.group(1)), int(row.group(2) or 0)) for row in rows if row}


def ours(folder, name="gmon.out"):
    text = run(folder, common.command(), "report", "--csv", "--all", "--binary", "program", name).stdout
    return {row["function"]: (int(row["time:self"]) / 1e9, int(row["calls"]), int(row["time:inclusive"]) / 1e9)
            for row in common.csv.DictReader(common.io.StringIO(text))}


def compare(folder, *options):
    built = run(folder, "gcc", "-pg", "-g", "-O1", *options, "-o", "program", "program.c")
    if built.returncode:
        common.skip("gcc cannot build a program with -pg: " + built.stderr[:200])
    for _ in range(RUNS):
        counted = run(folder, os.path.join(folder, "program")).stdout.split()
        counted = dict(zip(counted[::2], map(int, counted[1::2])))
        wanted, got = flat(folder), ours(folder)
        if any(seconds for seconds, _ in wanted.values()):
            break
    for name, calls in counted.items():
        expect("calls of %s, counted by the program" % name, got.get(name, (0, -1))[1], calls)
    for name, (seconds, calls) in wanted.items():
        expect("seconds of " + name, abs(got.get(name, (-1, 0))[0] - seconds) <= 0.0051, True)
        if calls and name != "fib":  # of recursive functions gprof prints the calls from outside
            expect("calls of %s, as gprof has them" % name, got[name][1], calls)
    # A sample in code that counts no calls, as the stub that leads to mcount, is of nobody's callees.
    total = sum(seconds for name, (seconds, calls, _) in got.items() if calls or name == "main")
    # Without a sample main costs nothing and has no caller: no row.
    expect("main costs all", abs(got.get("main", (0, 0, 0))[2] - total) < 1e-6, True)
    # gprof writes the callers of a sum of files by their first addresses.
    run(folder, "gprof", "-s", "program", "gmon.out")
    expect("a sum of one file", ours(folder, "gmon.sum"), got)
    return len(counted) + len(wanted) + 1


def main():
    if not shutil.which("gcc") or not shutil.which("gprof"):
        common.skip("no gcc or no gprof (package binutils)")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "program.c"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        count = compare(folder, "-no-pie") + compare(folder, "-pie", "-fPIE")
    common.finish(count, "comparisons")


if __name__ == "__main__":
    main()
