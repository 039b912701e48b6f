#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Samples of programs beside those of samples.py, recorded here, against perf and against what the programs do.

  sampled.py TRACELATHE

Programs of 32 bits, of Go and of Rust: the stacks that they are known to have, by frame pointers as perf script lists them, and by
copies of the stack. Recordings that perf inject wrote anew have the same stacks. What this machine cannot build or record is left
out, and said.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

TRACELATHE = os.path.abspath(sys.argv[1])
HOME = os.environ.get("HOME", "/")

# Nothing of a C library, so that none of 32 bits is needed.
SMALL = r"""
volatile unsigned long sink;
__attribute__((noinline)) void leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void middle(unsigned long n) { leaf(n); sink++; }
__attribute__((noinline)) void outer(int depth, unsigned long n) { if (depth) outer(depth - 1, n); else middle(n); sink++; }
__attribute__((used)) void run(void) { for (int i = 0; i < 40; i++) { leaf(500000); outer(3, 1000000); } }
__asm__(".globl _start\n_start:\n\tcall run\n\tmov $1,%eax\n\txor %ebx,%ebx\n\tint $0x80\n");
"""
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


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def record(path, *options):
    done = run("perf", "record", "-q", "-o", path, *options)
    return done.returncode == 0 and os.path.exists(path) and os.path.getsize(path)


def stacks(path):
    """The stacks as we have them: "outer;inner" -> cost."""
    found = collections.Counter()
    for line in run(TRACELATHE, "stacks", path).stdout.splitlines():
        stack, cost = line.rsplit(" ", 1)
        found[stack] += int(cost)
    return found


def perf_stacks(path):
    """The same by perf script."""
    found = collections.Counter()
    listed = run("perf", "script", "-i", path, "-F", "period,ip,sym", "--no-inline").stdout
    for block in listed.split("\n\n"):
        lines = block.strip().splitlines()
        if len(lines) > 1:
            frames = [line.split(None, 1)[1].strip() for line in lines[1:] if int(line.split()[0], 16)]
            found[";".join(reversed(frames))] += int(lines[0].strip().rstrip(":"))
    return found


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
        program = compile_with(folder, kind, SMALL, ".c", "gcc", "-m32", "-O1", "-g", "-fno-pie", "-no-pie", "-nostdlib", "-static",
                               "-fasynchronous-unwind-tables", "-fno-optimize-sibling-calls", option, "-o", "{program}", "{source}")
        path = os.path.join(folder, kind + ".data")
        graph = "fp" if kind == "pointers" else "dwarf,4096"
        if not program or not record(path, "-e", "cpu-clock:u", "-F", "2000", "--call-graph", graph, "--", program):
            return
        by_kind[kind] = stacks(path)
        whole = sum(cost for stack, cost in by_kind[kind].items() if stack in known)
        if whole < 0.98 * sum(by_kind[kind].values()) or not all(by_kind[kind][stack] for stack in known):
            fail("32 bits, %s: %s" % (kind, by_kind[kind].most_common(4)))
    if by_kind["pointers"] != perf_stacks(os.path.join(folder, "pointers.data")):
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
    return failures != 0


sys.exit(main())
