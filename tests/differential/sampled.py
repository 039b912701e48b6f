#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Samples of programs and events beside those of samples.py, recorded here, against perf and against what the programs do.

  sampled.py TRACELATHE

Programs of 32 bits, of Go and of Rust: the stacks that they are known to have, by frame pointers as perf script lists them, and by
copies of the stack. Recordings that perf inject wrote anew have the same stacks. Fields of tracepoints are those that perf script
prints, control groups those of perf report. What this machine cannot build or record is left out, and said.
"""
import collections
import csv
import json
import os
import re
import shutil
import sys
import tempfile

import perf_stacks
from perf_stacks import SMALL, SMALL_OPTIONS, record, run

TRACELATHE = os.path.abspath(sys.argv[1])
HOME = os.environ.get("HOME", "/")

GO = r"""
package main
//go:noinline
func leaf(n int) int { s := 0; for i := 0; i < n; i++ { s += i ^ s }; return s }
type shape struct{ sides int }
//go:noinline
func (s *shape) area(n int) int { a := leaf(n); return a + s.sides }
func main() { s := &shape{4}; sum := 0; for i := 0; i < 60; i++ { sum += s.area(2000000) }; println(sum) }
"""
RUST = r"""
use std::hint::black_box;
trait Shape { fn area(&self, n: u64) -> u64; }
struct Square;
#[inline(never)] fn leaf(n: u64) -> u64 { let mut s = 1u64; for i in 0..n { s = black_box(s ^ (i + s)); } s }
impl Shape for Square { #[inline(never)] fn area(&self, n: u64) -> u64 { black_box(leaf(n)) + 1 } }
fn main() {
    let shape: Box<dyn Shape> = black_box(Box::new(Square));
    let mut sum = 0u64;
    for _ in 0..60 { sum = sum.wrapping_add(shape.area(1_000_000)); }
    println!("{}", sum);
}
"""

failures = 0


def fail(text):
    global failures
    print("FAILED:", text)
    failures += 1


def stacks(path):
    return perf_stacks.stacks(TRACELATHE, path)


def share(found, pattern):
    """How much of all costs is in stacks that a pattern matches."""
    total = sum(found.values())
    return sum(cost for stack, cost in found.items() if re.search(pattern, stack)) / total if total else 0


def compile_with(folder, name, text, suffix, *command):
    source, program = os.path.join(folder, name + suffix), os.path.join(folder, name)
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    if not shutil.which(command[0]):
        print("left out: no %s here" % command[0])
        return None
    done = run(*[word.format(program=program, source=source) for word in command], cwd=folder,
               env=dict(os.environ, HOME=HOME, GOCACHE=os.path.join(folder, "gocache"), GO111MODULE="off"))
    if done.returncode:
        print("left out: %s: %s" % (name, done.stderr.strip()[-200:]))
        return None
    return program


def small_programs(folder):
    """Frame pointers as perf has them; a program without them, by its call frame information, has the same stacks."""
    known = {"_start;run;leaf", "_start;run;outer;outer;outer;outer;middle;leaf"}
    by_kind = {}
    for kind, option in (("pointers", "-fno-omit-frame-pointer"), ("copies", "-fomit-frame-pointer")):
        program = compile_with(folder, kind, SMALL, ".c", "gcc", "-m32", *SMALL_OPTIONS, option, "-o", "{program}", "{source}")
        path = os.path.join(folder, kind + ".data")
        graph = "fp" if kind == "pointers" else "dwarf,4096"
        if not program or not record(path, "-e", "cpu-clock:u", "-F", "2000", "--call-graph", graph, "--", program):
            return
        by_kind[kind] = stacks(path)
        whole = sum(cost for stack, cost in by_kind[kind].items() if stack in known)
        if whole < 0.98 * sum(by_kind[kind].values()) or not all(by_kind[kind][stack] for stack in known):
            fail("32 bits, %s: %s" % (kind, by_kind[kind].most_common(4)))
    if by_kind["pointers"] != perf_stacks.perf_stacks(os.path.join(folder, "pointers.data")):
        fail("32 bits: other stacks than perf's: %s" % by_kind["pointers"].most_common(4))
    injected(folder, "pointers")
    injected(folder, "copies")


def injected(folder, name):
    path, anew = os.path.join(folder, name + ".data"), os.path.join(folder, name + ".injected")
    if run("perf", "inject", "-b", "-i", path, "-o", anew).returncode:
        print("left out: perf inject")
    elif stacks(path) != stacks(anew):
        fail("perf inject: %s has other stacks" % name)


def languages(folder):
    go = compile_with(folder, "gopher", GO, ".go", "go", "build", "-o", "{program}", "{source}")
    rust = compile_with(folder, "crab", RUST, ".rs", "rustc", "-O", "-g", "-C", "force-frame-pointers=yes", "-o", "{program}", "{source}")
    # A function of Go that calls none has no frame, so that frame pointers lack its caller.
    for program, graph, pattern in (
            (go, "fp", r"runtime\.main;main\.main;(main\.\(\*shape\)\.area;)?main\.leaf$"),
            (go, "dwarf,8192", r"runtime\.main;main\.main;main\.\(\*shape\)\.area;main\.leaf$"),
            (rust, "fp", r"main;.*crab::main;(<crab::Square as crab::Shape>::area;)?crab::leaf$"),
            (rust, "dwarf,8192", r"_start;.*main;.*crab::main;(<crab::Square as crab::Shape>::area;)?crab::leaf$")):
        if not program:
            continue
        path = program + "." + graph[:2]
        if not record(path, "-e", "cpu-clock:u", "-F", "2000", "--call-graph", graph, "--", program):
            print("left out: perf cannot record", program)
            continue
        ours = stacks(path)
        if share(ours, pattern) < 0.9:
            fail("%s, %s: %s" % (os.path.basename(program), graph, ours.most_common(4)))


def words(text):
    """Names and values of what perf prints of a tracepoint, as "a=1 b=x" or "a: 0x1, b: 0x2"."""
    return dict(re.findall(r"(\w+)(?:=|: )([^\s,]+)", text))


def tracepoints(folder):
    path = os.path.join(folder, "tracepoints.data")
    if not record(path, "-e", "sched:sched_process_exec", "-e", "sched:sched_switch", "-e", "syscalls:sys_enter_openat", "--",
                  "sh", "-c", "ls / >/dev/null; sleep 0.01"):
        print("left out: no tracepoints here")
        return
    theirs, events = [], collections.Counter()
    for line in run("perf", "script", "-i", path, "--ns", "-F", "time,event,trace").stdout.splitlines():
        seconds, rest, event, text = re.match(r"\s*(\d+)\.(\d{9}):\s+([\w:]+):\s+(.*)$", line).groups()
        theirs.append((int(seconds + rest), words(text)))
        events[event] += 1
    totals = json.loads(run(TRACELATHE, "report", "--json", path).stdout)["total"]
    for event, count in events.items():
        if totals.get(event + ".samples") != count:
            fail("tracepoints: %s samples of %s, perf has %d" % (totals.get(event + ".samples"), event, count))
    ours = [json.loads(line) for line in run(TRACELATHE, "dump", "--json", path).stdout.splitlines()]
    ours = [(record["time"], record.get("fields")) for record in ours if record["record"] == "SAMPLE"]
    if not ours or sorted(time for time, _ in ours) != sorted(time for time, _ in theirs):
        fail("tracepoints: %d samples, perf has %d, or of other times" % (len(ours), len(theirs)))
    compared = 0
    for (time, fields), (_, wanted) in zip(sorted(ours, key=lambda row: row[0]), sorted(theirs, key=lambda row: row[0])):
        for name, value in wanted.items():
            # A state is a letter in perf's text, and files may have blanks in their names.
            if not fields or name not in fields or name == "prev_state":
                continue
            have = fields[name]
            if isinstance(have, int):
                same = have == int(value, 0)
            elif have.startswith("0x") and value.startswith("0x"):
                same = int(have, 16) == int(value, 16)
            else:
                same = have == value
            compared += 1
            if not same:
                fail("tracepoints: at %d %s is %s, perf has %s" % (time, name, have, value))
    if compared < len(ours):
        fail("tracepoints: %d fields of %d samples" % (compared, len(ours)))


def cgroups(folder, program):
    """Two groups of our own, each with a program in it."""
    with open("/proc/mounts", encoding="utf-8") as file:
        mounts = [line.split()[1] for line in file if line.split()[2] == "cgroup2"]
    groups = [os.path.join(mounts[0], "tracelathe-%d-%s" % (os.getpid(), name)) for name in "ab"] if mounts and program else []
    path = os.path.join(folder, "cgroups.data")
    try:
        for group in groups:
            os.mkdir(group)
        script = "for group in %s; do sh -c \"echo \\$\\$ >$group/cgroup.procs && exec %s\"; done" % (" ".join(groups), program)
        done = bool(groups) and record(path, "--all-cgroups", "-e", "cpu-clock:u", "-F", "2000", "--", "sh", "-c", script)
    except OSError:
        done = False
    finally:
        for group in groups:
            if os.path.isdir(group):
                os.rmdir(group)
    if not done:
        print("left out: no control groups here")
        return
    theirs = {}
    for line in run("perf", "report", "-i", path, "--stdio", "--sort", "cgroup", "-F", "sample,period,cgroup", "-t", ",").stdout.splitlines():
        found = re.match(r"\s*(\d+)\s*,\s*(\d+)\s*,(\S+)", line)
        if found:
            theirs[found.group(3)] = (int(found.group(2)), int(found.group(1)))
    ours = collections.defaultdict(lambda: [0, 0])
    profile = json.loads(run(TRACELATHE, "convert", "--to", "json", "-o", "-", path).stdout)
    groups_of = [re.search(r"^Cgroup: (.*)$", part["header"], re.M) for part in profile["parts"]]
    for context in profile["contexts"]:
        group = groups_of[context["part"]]
        for event in range(2):
            ours[group.group(1) if group else ""][event] += context["self"][event]
    if {group: tuple(costs) for group, costs in ours.items() if any(costs)} != theirs or len(theirs) < 2:
        fail("control groups: %s, perf has %s" % (dict(ours), theirs))
    rows = csv.DictReader(run(TRACELATHE, "report", "--by", "cgroup", "--csv", path).stdout.splitlines())
    rows = {row["cgroup"]: tuple(int(row[key]) for key in row if key.endswith(":self")) for row in rows}
    if rows != theirs:
        fail("report --by cgroup: %s, perf has %s" % (rows, theirs))


def main():
    if run("sh", "-c", "command -v perf && command -v gcc").returncode:
        print("skipped: no perf or gcc here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        program = compile_with(folder, "native", SMALL, ".c", "gcc", "-O1", "-fno-pie", "-no-pie", "-nostdlib", "-static", "-o",
                               "{program}", "{source}")
        if not program or not record(os.path.join(folder, "first.data"), "-e", "cpu-clock:u", "--", program):
            print("skipped: perf cannot record here")
            return 77
        small_programs(folder)
        languages(folder)
        tracepoints(folder)
        cgroups(folder, program)
    return failures != 0


sys.exit(main())
