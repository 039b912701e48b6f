#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One system call or allocation fails, anywhere in the process: the right answer, or an error and status 1 or 2.

  inject.py PROGRAM INJECT.so ROOT MOST

For each command over one input of each format, and each kind of call (inject.c), at most MOST of the calls fail, each in
a run of its own; of the harmless kinds all calls fail once in a further run. What is judged: no signal; status 0 only
with the output of an undisturbed run; status 1 or 2 only with a word on
standard error; no half-written file and nothing left beside it.
"""
import os
import shutil
import subprocess
import sys
import tempfile

KINDS = ["malloc", "read", "mmap", "open", "stat", "fsync", "close", "rename", "short", "intr"]
# Failures that leave the result as it is: what has been read already, and calls that are tried again.
HARMLESS = {"short", "intr"}

GOLDEN = {
    "xray": ["xray/fib-fdr.xray", "--map", "xray/fib.instrmap-sym.yaml"],
    "basic": ["xray/fib-basic.xray"],
    "callgrind": ["callgrind/threads.out-01"],
    "intel-pt": ["intel_pt/tiny.pt", "--raw", "intel_pt/tiny.img@0x401000"],
    "perf": ["perf/threads.perf.data", "--sysroot", "intel_pt"],
    "xtrace": ["xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin", "xtrace/xtrace.20260101000000.0.hint9.xsnapshot.bin",
               "--binary", "xtrace/small.elf"],
}
COMMANDS = {
    "info": GOLDEN, "check": GOLDEN, "dump": GOLDEN, "report": GOLDEN, "tree": GOLDEN, "stacks": GOLDEN,
    "annotate": ["callgrind", "xtrace"], "annotate --asm": ["xtrace", "intel-pt"], "flame --svg": GOLDEN,
    "timeline": ["xray", "basic", "intel-pt", "perf"], "timeline --to chrome": ["xray"],
    "convert": GOLDEN, "convert --to pprof": ["xray", "callgrind"], "convert --to xray": ["xray"],
    "convert --to xtrace": ["xtrace"], "analyze": ["xtrace"], "slice --instructions 5..20": ["xtrace"],
    "dump --instructions": ["xtrace", "intel-pt"], "dump --blocks": ["intel-pt"],
    "report --jobs 2": ["xray", "intel-pt", "perf"], "merge": ["xray", "callgrind"],
    "convert --to tracelathe": ["callgrind"], "view --static": ["xray", "callgrind"],
}


class Bench:
    def __init__(self, program, library, root, most):
        self.program, self.library, self.most = program, library, most
        self.golden = os.path.join(root, "tests", "golden")
        self.folder = tempfile.mkdtemp()
        self.runs = self.failures = self.turn = 0

    def arguments(self, command, name):
        paths = [os.path.join(self.golden, part) if "/" in part else part for part in GOLDEN[name]]
        return [self.program] + command.split() + ["-o", "out"] + paths

    def run(self, arguments, wish):
        """Status, standard error, the output and whatever else is in the folder."""
        work = os.path.join(self.folder, "work")
        os.mkdir(work)
        environment = dict(os.environ, LD_PRELOAD=self.library, TL_INJECT=wish, LC_ALL="C",
                           TL_INJECT_COUNT=os.path.join(self.folder, "count"))
        done = subprocess.run(arguments, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, check=False)
        files = {}
        for entry in os.listdir(work):
            with open(os.path.join(work, entry), "rb") as file:
                files[entry] = file.read()
        shutil.rmtree(work)
        self.runs += 1
        return done.returncode, done.stderr, files

    def count(self, arguments):
        """An undisturbed run, and how many calls of each kind it has."""
        right = self.run(arguments, "count:")
        with open(os.path.join(self.folder, "count"), encoding="ascii") as file:
            return right, {kind: int(number) for kind, number in (line.split() for line in file)}

    def judge(self, right, got, kind):
        """What is wrong with a disturbed run, None: nothing."""
        status, words, files = got
        if status not in (0, 1, 2):
            return f"status {status}"
        extra = set(files) - {"out", "out.xsnapshot.bin"}
        if extra:
            return f"left behind: {extra}"
        if kind in HARMLESS and (status, files) != (right[0], right[2]):
            return f"status {status} instead of {right[0]}, or another output, after something harmless"
        if status == 2:
            return None if words else "status 2 without a word"
        if files == right[2]:
            return None if status >= right[0] else f"status {status} instead of {right[0]}"
        if status == 0:
            return "another answer with status 0"
        return None if words and words != right[1] else "another answer, and no word of why"

    def disturb(self, command, name):
        arguments = self.arguments(command, name)
        right, calls = self.count(arguments)
        if right[0] == 2:
            self.fail(command, name, "none", 0, "fails undisturbed: " + right[1].decode(errors="replace"))
            return
        for kind in KINDS:
            step = max(1, -(-calls[kind] // self.most))
            # Commands begin alike: each of them has other calls fail than the one before it.
            self.turn += 1
            numbers = list(range(1 + self.turn % step, calls[kind] + 1, step))
            for number in numbers + (["each"] if kind in HARMLESS else []):
                wrong = self.judge(right, self.run(arguments, f"{kind}:{number}"), kind)
                if wrong:
                    self.fail(command, name, kind, number, wrong)

    def fail(self, command, name, kind, number, wrong):
        self.failures += 1
        print(f"{command}, {name}, {kind} {number}: {wrong}")


def main():
    program, library, root, most = sys.argv[1:5]
    bench = Bench(os.path.abspath(program), os.path.abspath(library), root, int(most))
    try:
        for command, names in COMMANDS.items():
            for name in names:
                bench.disturb(command, name)
    finally:
        shutil.rmtree(bench.folder)
    print(f"{bench.runs} runs, {bench.failures} failures")
    return 1 if bench.failures or not bench.runs else 0


if __name__ == "__main__":
    sys.exit(main())
