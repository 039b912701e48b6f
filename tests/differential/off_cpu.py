#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""off_cpu.py TRACELATHE: times off the processors against perf script.

A program whose processes sleep and compute is recorded with SWITCH records and the tracepoint sched:sched_switch. What
perf script lists of them is summed up here: from each record of a leaving up to the next coming of that thread, by the
functions on the stack of the sample in front of it. The spans of the timeline are the times between, and its instants the
samples. Of a recording of all threads by the tracepoint alone, the times are those from prev_pid to next_pid.
"""
import collections
import json
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


def on_timeline(path):
    """Of timeline --to chrome: by thread the spans' begins and ends in nanoseconds, and the instants' times."""
    spans, instants, opened = collections.defaultdict(list), collections.defaultdict(list), {}
    first = None
    for event in json.loads(common.run("timeline", "--to", "chrome", path))["traceEvents"]:
        if "ts" not in event:
            continue
        at, tid = round(event["ts"] * 1000), event["tid"]
        first = at if first is None else first
        if event["ph"] == "i":
            instants[tid].append(at)
        elif event["ph"] == "B":
            opened[tid] = at
        elif event["ph"] == "E":
            spans[tid].append((opened.pop(tid), at))
        elif event["ph"] == "X":
            spans[tid].append((at, at + round(event["dur"] * 1000)))
    return spans, instants


def running(path):
    """The same of perf script, its first time being 0."""
    spans, instants, came = collections.defaultdict(list), collections.defaultdict(list), {}
    first = None
    for line in output("perf", "script", "-i", path, "--ns", "--show-switch-events", "-G", "-F", "tid,time,event").splitlines():
        head = re.match(r"\s*(\d+)\s+(\d+)\.(\d{9}):\s*(.*)$", line)
        if not head:
            continue
        tid, time, what = int(head[1]), int(head[2] + head[3]), head[4]
        if "SWITCH OUT" in what:
            if tid in came:
                spans[tid].append((came.pop(tid) - first, time - first))
            continue
        first = time if first is None else first
        if "SWITCH IN" in what:
            came[tid] = time
        else:
            instants[tid].append(time - first)
    return spans, instants


def by_tracepoint(path):
    """Nanoseconds and times off the processors, and how many leavings have no return before the next one."""
    sums, left, unreturned = [0, 0], {}, 0
    for line in output("perf", "script", "-i", path, "--ns", "-G", "-F", "time,event,trace").splitlines():
        head = re.match(r"\s*(\d+)\.(\d{9}):.*prev_pid=(\d+).*==>.*next_pid=(\d+)", line)
        time, previous, following = int(head[1] + head[2]), int(head[3]), int(head[4])
        if following and following in left:
            sums[0] += time - left.pop(following)
            sums[1] += 1
        if previous:
            unreturned += previous in left
            left[previous] = time
    return sums, unreturned


def tracepoint_alone(folder, program):
    path = os.path.join(folder, "all.data")
    if output("perf", "record", "-q", "-a", "-e", "sched:sched_switch", "-o", path, program) is None:
        print("perf cannot record all threads here")
        return
    wanted, unreturned = by_tracepoint(path)
    rows = common.report("--all", path)
    expect("all threads", [sum(int(row[name + ":self"]) for row in rows) for name in ("off-cpu", "off-cpu.switches")], wanted)
    done = subprocess.run([common.command(), "report", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    said = re.search(r"left a processor (\d+) did not", done.stderr)
    expect("leavings without a return", int(said[1]) if said else 0, unreturned)


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
        spans, instants = on_timeline(path)
        expect("spans", dict(spans), dict(running(path)[0]))
        expect("instants", dict(instants), dict(running(path)[1]))
        tracepoint_alone(folder, program)
        finish(wanted[""][1], "times off a processor")


main()
