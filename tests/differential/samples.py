#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Samples in perf.data, against `perf script`: recorded here, of programs that are compiled here.

  samples.py TRACELATHE

For each recording: the number of samples and the sum of periods of each event are those of perf; so are samples of each
function by itself and with its callees, and each whole stack. perf names a caller by its return address, which may be in
the function behind; where the address before it is in another function by `nm`, ours is right, and the test says how often.
The tables `samples` and `stacks` of `query` have what perf script lists.
Skips where perf cannot record.
"""
import collections
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TRACELATHE = os.path.abspath(sys.argv[1])

PROGRAM = r"""
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
volatile unsigned long sink;
__attribute__((noinline)) void leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void middle(unsigned long n) { leaf(n); sink++; }
__attribute__((noinline)) void recurse(int depth, unsigned long n)
{ if (depth) recurse(depth - 1, n); else middle(n); sink++; }
__attribute__((noinline, noreturn)) void last(unsigned long n) { middle(n); _exit(0); }
__attribute__((noinline)) void kernel(int n) { for (int i = 0; i < n; i++) sink += (unsigned long)getppid(); }
__attribute__((noinline)) void tail(unsigned long n) { last(n); }
int main(int argc, char **argv)
{
	unsigned long n = strtoul(argv[1], NULL, 10);
	leaf(n); middle(n); recurse(20, n); kernel((int)(n / 400));
	if (argc < 3) {
		for (int i = 0; i < 4; i++) {
			pid_t child = fork();
			if (!child && i % 2) execl(argv[0], argv[0], argv[1], "child", NULL);
			if (!child) tail(n);
		}
		while (wait(NULL) > 0);
	}
	return 0;
}
"""

failures = 0


def fail(text):
    global failures
    print("FAILED:", text)
    failures += 1


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def skip(text):
    print("skipped:", text)
    sys.exit(77)


# A frame is (name, object); perf's names of one address differ where it has several symbols, so that each side's names
# are brought to those that nm lists at the same address.
class Names:
    def __init__(self):
        self.first = {}

    def learn(self, path):
        """Of each object: every name -> the first name at its address."""
        at = {}
        for tables in (["nm"], ["nm", "-D"]):
            for line in run(tables + [path]).stdout.splitlines():
                fields = line.split()
                if len(fields) == 3 and fields[1] in "tTwWiI":
                    at.setdefault(int(fields[0], 16), set()).add(fields[2].split("@")[0])
        self.join(os.path.basename(path), at)

    def learn_kernel(self):
        at = {}
        with open("/proc/kallsyms", encoding="ascii", errors="replace") as file:
            for line in file:
                fields = line.split()
                if len(fields) == 3 and fields[1] in "tTwW":
                    at.setdefault(fields[0], set()).add(fields[2])
        self.join("[kernel.kallsyms]", at)

    def join(self, base, at):
        for names in at.values():
            for name in names:
                self.first[base, name] = min(names)

    def one(self, name, path):
        base = os.path.basename(path)
        if name.endswith("@plt"):
            return name, base
        name = name.split("@")[0]
        return self.first.get((base, name), name), base


def perf_samples(path):
    """Of perf script: (event, period, [(symbol, object, address)], innermost first)."""
    done = run(["perf", "script", "-i", path, "-F", "comm,tid,time,event,period,ip,sym,dso", "--show-kernel-path"])
    # Stacks end with an empty line; samples without one have a line each.
    blocks = done.stdout.split("\n\n")
    for block in blocks if len(blocks) > 2 else done.stdout.split("\n"):
        lines = [line for line in block.split("\n") if line.strip()]
        if not lines:
            continue
        head = re.search(r":\s+(\d+)\s+(\S+):\s*(.*)$", lines[0])
        frames = []
        for line in lines[1:] or [head.group(3)]:
            frame = re.match(r"\s*([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)\s*$", line)
            # Null addresses end a chain of frame pointers.
            if int(frame.group(1), 16):
                frames.append((frame.group(2), frame.group(3)))
        yield head.group(2), int(head.group(1)), frames


def known(frame):
    """Whether both sides can name it: it has a symbol in the program, or is of the kernel. _init, which has no size and stands
    before the linkage table, is for perf also what stands behind it."""
    return frame[1] in ("program", "[kernel.kallsyms]") and not frame[0].startswith("[") and frame[0] != "_init" \
        and not frame[0].endswith("@plt")


def perf_sums(path, names):
    self_cost, inclusive = collections.Counter(), collections.Counter()
    total = samples = 0
    for _, period, frames in perf_samples(path):
        frames = [names.one(*frame) for frame in frames]
        self_cost[frames[0]] += period
        for frame in set(frames):
            inclusive[frame] += period
        total += period
        samples += 1
    return self_cost, inclusive, total, samples


def our_sums(path, names):
    done = run([TRACELATHE, "report", "--csv", "--all", path])
    self_cost, inclusive = collections.Counter(), collections.Counter()
    samples = 0
    for row in csv.DictReader(io.StringIO(done.stdout)):
        columns = [key for key in row if key.endswith(":self")]
        frame = names.one(row["function"], row["object"])
        self_cost[frame] += int(row[columns[0]])
        inclusive[frame] += int(row[columns[0].replace(":self", ":inclusive")])
        samples += int(row[columns[1]])
    return self_cost, inclusive, sum(self_cost.values()), samples


# Callers that end with their call, which perf does not see, and the functions behind them, which it takes for them.
ENDING_WITH_CALLS = {"tail", "last"}
BEHIND_THEM = {"kernel", "main"}


def compare(title, path, names):
    theirs, ours = perf_sums(path, names), our_sums(path, names)
    if theirs[2:] != ours[2:]:
        fail("%s: periods and samples %s, perf %s" % (title, ours[2:], theirs[2:]))
    for kind, mine, other in (("self", ours[0], theirs[0]), ("inclusive", ours[1], theirs[1])):
        for frame in sorted(set(filter(known, list(mine) + list(other)))):
            if kind == "inclusive" and frame[0] in ENDING_WITH_CALLS | BEHIND_THEM:
                continue
            if mine[frame] != other[frame]:
                fail("%s: %s of %s is %d, perf %d" % (title, kind, frame[0], mine[frame], other[frame]))
    # perf takes some of the linkage table for _init.
    for frame, cost in theirs[0].items():
        if frame[1] == "program" and frame[0].endswith("@plt") and ours[0][frame] < cost:
            fail("%s: self of %s is %d, perf %d" % (title, frame[0], ours[0][frame], cost))
    print("%s: %d samples, %d functions equal" % (title, ours[3], len([f for f in ours[0] if known(f)])))
    return ours


def ask(path, sql):
    return [tuple(row.values()) for row in json.loads(run([TRACELATHE, "query", "--json", path, sql]).stdout or "[]")]


def tables(title, path):
    """Samples one by one as perf has them; their stacks sum up to the inclusive costs of the report."""
    theirs = []
    for line in run(["perf", "script", "-i", path, "-G", "--ns", "-F", "tid,time,event,period"]).stdout.splitlines():
        found = re.match(r"\s*(\d+)\s+(\d+)\.(\d{9}):\s+(\d+)\s+(\S+):", line)
        if found:
            thread, seconds, rest, period, event = found.groups()
            theirs.append((int(seconds + rest), int(thread), event, int(period)))
    ours = ask(path, "SELECT time, thread, event, period FROM samples")
    if not theirs or sorted(ours) != sorted(theirs):
        fail("%s: the table has %d samples, perf %d, or others" % (title, len(ours), len(theirs)))
    if [row[0] for row in ours] != sorted(row[0] for row in ours):
        fail("%s: samples are not in the order of time" % title)
    summed = ask(path, "SELECT f.id, sum(period) FROM (SELECT DISTINCT stack, function FROM stacks) "
                       "JOIN samples USING (stack) JOIN functions f ON f.id = function GROUP BY f.id ORDER BY 1")
    wanted = ask(path, "SELECT id, inclusive FROM functions ORDER BY 1")
    if summed != wanted:
        fail("%s: stacks sum up to %s, the report has %s" % (title, summed[:5], wanted[:5]))


def record(folder, program, options, title, count="3000000"):
    path = os.path.join(folder, title + ".data")
    done = run(["perf", "record", "-q", "-o", path] + options + ["--", program, count], env=dict(os.environ, HOME=folder))
    if done.returncode or not os.path.exists(path):
        skip("perf cannot record here: " + (done.stderr.strip().splitlines() or ["no word"])[-1])
    return path


def code(title, path, program):
    """By instruction: the code is found by what the recording says, at the path of the map, or by its build id in perf's
    cache where the file is another by now, and is that of --binary."""
    def annotated(*more):
        return run([TRACELATHE, "annotate", "--asm", "--csv", *more, path]).stdout

    wanted = annotated("--binary", program)
    rows = [row for row in csv.DictReader(io.StringIO(wanted)) if row["object"] == program]
    if not rows or not all(row["code"] for row in rows):
        fail("%s: %d rows of code by --binary" % (title, len(rows)))
    ours = annotated()
    if [line for line in ours.splitlines() if program in line] != [line for line in wanted.splitlines() if program in line]:
        fail("%s: another code than that of --binary: %s" % (title, ours[:500]))
    os.rename(program, program + ".away")
    shutil.copy("/bin/true", program)
    if annotated() != ours:
        fail("%s: another code where the file is in the cache only" % title)
    os.rename(program + ".away", program)


def main():
    if run(["sh", "-c", "command -v perf && command -v gcc && command -v nm"]).returncode:
        skip("no perf, gcc or nm here")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        source, program = os.path.join(folder, "program.c"), os.path.join(folder, "program")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        run(["gcc", "-O1", "-g", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer",
             "-fno-optimize-sibling-calls", "-o", program, source], check=True)
        names = Names()
        names.learn(program)
        names.learn_kernel()
        path = record(folder, program, ["-e", "cpu-clock", "-F", "4000", "-g"], "stacks")
        ours = compare("frame pointers", path, names)
        if "without SQLite" not in run([TRACELATHE, "query", path, "SELECT 1"]).stderr:
            tables("frame pointers", path)
        tail, last = (ours[1][name, "program"] for name in ("tail", "last"))
        # A sample may hit the first instructions of last, which has no frame yet: one of ten, or two of few (250 us each).
        if not last or last > tail or (10 * last < 9 * tail and tail - last > 500000):
            fail("only tail calls last, by its last instruction: %d against %d" % (tail, last))
        compare("no stacks", record(folder, program, ["-e", "cpu-clock", "-F", "4000"], "flat"), names)
        # A directory: each thread of perf writes the records of some processors to a file of its own.
        compare("threads", record(folder, program, ["-e", "cpu-clock", "-F", "4000", "-g", "--threads"], "threads"), names)
        # Packed, perf leaves out the build id that the kernel's names are found by.
        compare("threads, packed", record(folder, program, ["-e", "cpu-clock:u", "-F", "4000", "-g", "-z", "--threads"],
                                          "packed"), names)
        code("code", path, program)
        compare("fixed period", record(folder, program, ["-e", "cpu-clock", "-c", "400000", "-g"], "period"), names)
    return failures != 0


sys.exit(main())
