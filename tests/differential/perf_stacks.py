# SPDX-License-Identifier: Apache-2.0
"""Stacks of recordings of samples, as we have them and as perf script lists them; shared by tests of perf.data."""
import collections
import os
import subprocess

# Nothing of a C library, so that none of 32 bits is needed.
SMALL = r"""
volatile unsigned long sink;
__attribute__((noinline)) void leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void middle(unsigned long n) { leaf(n); sink++; }
__attribute__((noinline)) void outer(int depth, unsigned long n) { if (depth) outer(depth - 1, n); else middle(n); sink++; }
__attribute__((used)) void run(void) { for (int i = 0; i < 40; i++) { leaf(500000); outer(3, 1000000); } }
__asm__(".globl _start\n_start:\n\tcall run\n\tmov $1,%eax\n\txor %ebx,%ebx\n\tint $0x80\n");
"""
# How it is compiled: with an entry for each instruction in its call frame information, and no call left out.
SMALL_OPTIONS = ("-O1", "-g", "-fno-pie", "-no-pie", "-nostdlib", "-static", "-fasynchronous-unwind-tables", "-fno-optimize-sibling-calls")


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=more.pop("check", False), **more)


def record(path, *options):
    done = run("perf", "record", "-q", "-o", path, *options)
    return done.returncode == 0 and os.path.exists(path) and os.path.getsize(path)


def stacks(tracelathe, path, *options):
    """The stacks as we have them: "outer;inner" -> cost."""
    found = collections.Counter()
    for line in run(tracelathe, "stacks", *options, path).stdout.splitlines():
        stack, cost = line.rsplit(" ", 1)
        found[stack] += int(cost)
    return found


def perf_stacks(path, event=None):
    """The same by perf script; of one event, or of all."""
    found = collections.Counter()
    listed = run("perf", "script", "-i", path, "-F", "event,period,ip,sym", "--no-inline").stdout
    # Stacks end with an empty line; samples without one have a line each.
    whole = "\n\n" in listed
    for block in listed.split("\n\n") if whole else listed.splitlines():
        lines = block.strip().splitlines()
        if not lines:
            continue
        period, name, *rest = lines[0].split()
        frames = [line.split(None, 1) for line in (lines[1:] if whole else [" ".join(rest)])]
        frames = [frame[1].strip() for frame in frames if int(frame[0], 16)]
        if event in (None, name.rstrip(":")):
            found[";".join(reversed(frames))] += int(period)
    return found
