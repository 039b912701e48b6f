#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""uftrace.py TRACELATHE: directories of uftrace against uftrace itself.

Programs that are compiled here are recorded: threads, fork, exec, recursion, C++ with exceptions, longjmp, arguments and
results. Calls, total and self times of each function are those of `uftrace report` without the kernel's events, and every
record is that of `uftrace dump`. A child's part of a call that its parent began is no call here; uftrace counts it.
"""
import collections
import json
import os
import re
import subprocess
import tempfile

import common
from common import expect, fail, finish, skip

C = r"""
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
volatile long sink;
static jmp_buf back;
__attribute__((noinline)) long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) double scale(double x, const char *text, long n) { sink += text[0] + n; return x * 2; }
__attribute__((noinline)) void leaf(long n) { for (long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void jump(int depth) { if (depth) jump(depth - 1); else longjmp(back, 1); sink++; }
__attribute__((noinline)) void *worker(void *arg) { leaf(100); sink += fib(6); return arg; }
int main(int argc, char **argv)
{
	pthread_t threads[3];
	if (argc > 1) { leaf(50); return 0; }
	for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
	if (!setjmp(back)) jump(3);
	sink += (long)scale(1.5, "some text", fib(5));
	if (!fork()) { leaf(7); fib(3); _exit(0); }
	wait(NULL);
	if (!fork()) { execl(argv[0], argv[0], "again", NULL); _exit(1); }
	wait(NULL);
	leaf(3);
	return 0;
}
"""
CXX = r"""
#include <stdexcept>
#include <string>
namespace shapes {
struct base { virtual ~base() {} virtual int area(int n) = 0; };
struct square : base { __attribute__((noinline)) int area(int n) override { if (n > 8) throw std::runtime_error("large"); return n * n; } };
template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }
}
__attribute__((noinline)) static int deep(shapes::base &b, int n) { return n > 9 ? b.area(n) : deep(b, n + 1) + 1; }
int main()
{
	shapes::square s;
	int sum = 0;
	for (int i = 0; i < 5; i++) sum += shapes::twice(s.area(i));
	try { deep(s, 4); } catch (const std::exception &) { sum++; }
	sum += (int)shapes::twice(1.5);
	return sum > 0 ? 0 : 1;
}
"""
# Calls that go on in a child, or do not come back: uftrace ends them in the child, too, and calls what longjmp() left <0>.
GO_ON = {"fork", "vfork", "execl", "_exit", "wait", "longjmp", "_setjmp", "setjmp", "__sigsetjmp", "jump", "<0>"}
RECORDINGS = [
    ("c", C, "gcc", ["-pg"], []),
    ("c-fentry", C, "gcc", ["-pg", "-mfentry"], []),
    ("c-instrument", C, "gcc", ["-finstrument-functions"], []),
    ("c-fixed", C, "gcc", ["-pg", "-no-pie"], []),
    ("c-arguments", C, "gcc", ["-pg"], ["-A", "fib@arg1", "-R", "fib@retval", "-A", "scale@fparg1/64,arg1/s,arg2", "-R", "scale@retval/f64"]),
    ("c-automatic", C, "gcc", ["-pg", "-g"], ["-a"]),
    ("c-shallow", C, "gcc", ["-pg"], ["-D", "3"]),
    ("cxx", CXX, "g++", ["-pg"], []),
]


def output(*command, cwd=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, check=False)
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def nanoseconds(text, unit):
    return float(text) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]


def their_report(path):
    """By function: calls, total and self time in nanoseconds, as uftrace rounds them."""
    rows = {}
    for line in output("uftrace", "report", "--no-pager", "--no-event", "-d", path).splitlines():
        row = re.match(r"\s+([\d.]+) (ns|us|ms|s)\s+([\d.]+) (ns|us|ms|s)\s+(\d+)\s+(\S.*)$", line)
        if row:
            rows[row[6]] = (int(row[5]), nanoseconds(row[1], row[2]), nanoseconds(row[3], row[4]))
    return rows


def plain(name):
    """uftrace leaves out the parameters and template arguments of C++ functions, and the type before such."""
    return re.sub(r"<.*>", "", re.sub(r"\(.*\)( const)?$", "", name)).split(" ")[-1]


def compare_report(title, path):
    theirs, ours = their_report(path), collections.defaultdict(lambda: [0, 0, 0])
    for row in common.report("--all", path):
        mine = ours[plain(row["function"])]
        mine[0] += int(row["calls"])
        mine[1] += int(row["Ticks:inclusive"])
        mine[2] += int(row["Ticks:self"])
    count = 0
    for name, (calls, total, _) in theirs.items():
        if name in GO_ON:
            continue
        count += 1
        if not expect("%s: calls of %s" % (title, name), ours[plain(name)][0], calls):
            continue
        # Three decimals of a unit; recursion is counted once on both sides.
        if abs(ours[plain(name)][1] - total) > max(1, total * 0.001):
            fail(title, "total of", name, "is", ours[plain(name)][1], "instead of", total)
    for name, mine in ours.items():
        if name not in map(plain, theirs) and mine[0] and name not in GO_ON:
            fail(title, "uftrace does not report", name)
    return count


def their_records(path):
    """Per thread: (kind, time, address, depth)."""
    records = collections.defaultdict(list)
    for line in output("uftrace", "dump", "--no-pager", "--no-event", "-d", path).splitlines():
        row = re.match(r"\s*(\d+)\.(\d{9})\s+(\d+): \[(entry|exit )\] .*\(([0-9a-f]+)\) depth: (\d+)$", line)
        if row:
            records[int(row[3])].append((row[4].strip(), int(row[1] + row[2]), int(row[5], 16), int(row[6])))
    return records


def our_records(path):
    records = collections.defaultdict(list)
    for line in common.run("dump", "--json", path).splitlines():
        row = json.loads(line)
        if row["record"] in ("entry", "exit"):
            records[row["thread"]].append((row["record"], row["time"], int(row["address"], 16), row["depth"]))
    return records


def main():
    if not common.tool("uftrace") or not common.tool("gcc"):
        skip("no uftrace or gcc here")
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for title, text, compiler, flags, options in RECORDINGS:
            source = os.path.join(folder, title + (".cc" if compiler == "g++" else ".c"))
            program, path = os.path.join(folder, title), os.path.join(folder, title + ".uftrace")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            if not common.tool(compiler) or output(compiler, "-O1", *flags, "-o", program, source, "-lpthread") is None:
                print(title, "cannot be compiled here")
                continue
            if output("uftrace", "record", "--no-pager", "--no-event", *options, "-d", path, program) is None:
                print(title, "cannot be recorded here")
                continue
            # With -D uftrace reports a call that a child has from its parent, main, as one more.
            if "-D" not in options:
                compare_report(title, path)
            theirs, ours = their_records(path), our_records(path)
            expect(title + ": records", dict(ours), dict(theirs))
            count += sum(len(list) for list in theirs.values())
    if not count:
        skip("uftrace cannot record here")
    finish(count, "records")


main()
