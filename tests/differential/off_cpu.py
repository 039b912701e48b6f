#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""off_cpu.py TRACELATHE: times off the processors against perf script.

A program whose processes sleep and compute is recorded with SWITCH records and the tracepoint sched:sched_switch. What
perf script lists of them is summed up here: from each record of a leaving up to the next coming of that thread, by the
functions on the stack of the sample in front of it.
"""
import collections
import os
import re
import subprocess
import tempfile

import common
from common import expect, fail, finish, skip

SOURCE = r"""
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
volatile long sink;
/* A system call of its own: in libraries without frame pointers its caller is lost. */
__attribute__((noinline)) void nap(long ms)
{
	struct timespec t = { 0, ms * 1000000 };
#ifdef __x86_64__
	long number = 35;
	__asm__ volatile("syscall" : "+a"(number) : "D"(&t), "S"(0L) : "rcx", "r11", "memory");
#else
	nanosleep(&t, NULL);
#endif
	sink++;
}
__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void reap(void) { while (wait(NULL) > 0) sink++; }
int main(void)
{
	for (int child = 0; child < 3; child++)
		if (!fork()) {
			for (int i = 0; i < 6; i++) { work(1000000); nap(2 + child); }
			_exit(0);
		}
	nap(5);
	reap();
	return 0;
}
"""
NAMES = ("nap", "work", "reap", "main")


def output(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def theirs(path):
    """By function, with "" for all: [nanoseconds, times]."""
    sums = collections.defaultdict(lambda: [0, 0])
    stack, left, tid = {}, {}, None
    for line in output("perf", "script", "-i", path, "--ns", "--show-switch-events", "-F", "comm,tid,time,event,ip,sym").splitlines():
        head = re.match(r"\s*\S+\s+(\d+)\s+(\d+)\.(\d{9}):\s*(.*)$", line)
        if not head:
            frame = re.match(r"\s+[0-9a-f]+ (\S+)", line)
            if frame and tid is not None:
                stack[tid].add(frame.group(1))
            continue
        thread, time, what = int(head[1]), int(head[2] + head[3]), head[4]
        tid = None
        if what.startswith("sched:"):
            tid = thread
            stack[tid] = set()
        elif "SWITCH OUT" in what:
            left[thread] = time
        elif "SWITCH IN" in what and thread in left:
            time -= left.pop(thread)
            for name in stack.pop(thread, set()) | {""}:
                sums[name][0] += time
                sums[name][1] += 1
    return sums


def main():
    if not common.tool("perf") or not common.tool("gcc"):
        skip("no perf or gcc here")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        source, program, path = (os.path.join(folder, name) for name in ("source.c", "program", "off.data"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        if output("gcc", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o", program, source) is None or \
           output("perf", "record", "-q", "-e", "sched:sched_switch", "--switch-events", "-g", "-o", path, program) is None:
            skip("perf cannot record the tracepoint sched:sched_switch here")
        wanted = theirs(path)
        rows = common.report("--all", path)
        both = ("off-cpu", "off-cpu.switches")
        total = [sum(int(row[name + ":self"]) for row in rows) for name in both]
        expect("all", total, wanted[""])
        for name in NAMES:
            row = next((row for row in rows if row["function"] == name), None)
            expect(name, [int(row[column + ":inclusive"]) for column in both] if row else [0, 0], wanted[name])
        if wanted["main"][0] < 3 * 6 * 2000000:
            fail("the naps took", wanted["main"], "only")
        finish(wanted[""][1], "times off a processor")


main()
