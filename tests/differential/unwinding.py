#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stacks by call frame information: rows and whole stacks against libdw, and against frame pointers.

  unwinding.py rows CFI_LIBDW
  unwinding.py stacks TRACELATHE UNWIND_LIBDW

rows: of libraries of this machine, and of those of cross compilers where they are installed.
stacks: of programs that are compiled and recorded here with `perf record --call-graph dwarf`: C++ with exceptions, signal
handlers, the linkage table, the vdso; tables only in a debug file; copies that are too short. Skips where perf cannot record.
"""
import csv
import io
import glob
import os
import re
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <unistd.h>
volatile unsigned long sink;
#define NI __attribute__((noinline))
NI void leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
NI void middle(unsigned long n) { leaf(n); sink++; }
NI void recurse(int depth, unsigned long n) { if (depth) recurse(depth - 1, n); else middle(n); sink++; }
NI void thrower(int d) { if (!d) throw std::runtime_error("x"); thrower(d - 1); sink++; }
NI void catcher(int n) { for (int i = 0; i < n; i++) try { thrower(10); } catch (const std::exception &e) { sink += e.what()[0]; } }
NI void handler(int) { leaf(30000); sink++; }
NI void signals(int n) { for (int i = 0; i < n; i++) { raise(SIGUSR1); sink++; } }
NI int compare(const void *a, const void *b) { sink++; return *(const int *)a - *(const int *)b; }
NI void sorting(int n) { static int v[10000]; while (n--) { for (int &x : v) x = rand(); qsort(v, 10000, sizeof(int), compare); } }
NI void variable(unsigned long n) { char *p = (char *)__builtin_alloca(n % 100 + 16); memset(p, 1, 16); leaf(n); sink += p[3]; }
NI void aligned(unsigned long n) { alignas(64) volatile char b[256]; b[n & 255] = 1; leaf(n); sink += b[0]; }
NI void clocks(int n) { timespec t; for (int i = 0; i < n; i++) { clock_gettime(CLOCK_MONOTONIC, &t); sink += t.tv_nsec; } }
NI void kernel(int n) { for (int i = 0; i < n; i++) sink += getppid(); }
int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], 0, 10) : 0;
	signal(SIGUSR1, handler);
	leaf(n); middle(n); recurse(60, n); catcher(n / 2000); signals(n / 30000); sorting(n / 1000000);
	variable(n); aligned(n); clocks(n / 10); kernel(n / 100);
}
"""

# In C and without .eh_frame for its own code: there are only the tables that debuggers have.
DEBUGGED = r"""
#include <stdlib.h>
volatile unsigned long sink;
__attribute__((noinline)) void leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void recurse(int depth, unsigned long n) { if (depth) recurse(depth - 1, n); else leaf(n); sink++; }
int main(int argc, char **argv) { recurse(30, strtoul(argv[argc - 1], NULL, 10)); return 0; }
"""

# Code that no table describes, behind a function that one does: its page is taken away before each call, so that the kernel is
# entered by its first instruction.
BARE = r"""
#include <stdlib.h>
#include <sys/mman.h>
__asm__(".text\n.p2align 12\n.globl before, bare\n.type before,@function\n.type bare,@function\n"
        "before: .cfi_startproc\n.skip 4095, 0x90\nret\n.cfi_endproc\n.size before, .-before\n"
        "bare: ret\n.size bare, .-bare\n.p2align 12\n");
void bare(void);
__attribute__((noinline)) void touch(unsigned long n) { while (n--) { madvise((void *)bare, 4096, MADV_DONTNEED); bare(); } }
int main(int argc, char **argv) { touch(strtoul(argv[argc - 1], NULL, 10)); return 0; }
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


def must(command, folder):
    done = run(command, cwd=folder)
    if done.returncode:
        skip("%s: %s" % (" ".join(command), done.stderr.strip()))


def rows(tool):
    wanted = ["/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
              "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "/usr/lib32/libc.so.6",
              "/usr/aarch64-linux-gnu/lib/libc.so.6", "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1"]
    files = [name for name in wanted if os.path.exists(name)] or glob.glob("/usr/lib/*/libc.so.6")
    if not files:
        skip("no library is here")
    done = run([tool] + files)
    print(done.stdout, end="")
    if done.returncode:
        fail("rows differ")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "program.c"), "w", encoding="utf-8") as file:
            file.write(DEBUGGED)
        if run(["gcc", "-g", "-gz", "-O2", "-fno-asynchronous-unwind-tables", "-shared", "-fPIC", "-o", "program", "program.c"],
               cwd=folder).returncode:
            return
        run(["objcopy", "-R", ".eh_frame", "-R", ".eh_frame_hdr", "program"], cwd=folder)
        done = run([tool, os.path.join(folder, "program")])
        print(done.stdout, end="")
        if done.returncode:
            fail("rows of a compressed .debug_frame differ")


def record(folder, program, title, size="16384", count="6000000"):
    path = os.path.join(folder, title + ".data")
    done = run(["perf", "record", "-q", "-N", "-e", "cpu-clock", "-F", "2500", "--call-graph", "dwarf," + size, "-o", path, "--",
                program, count], env=dict(os.environ, HOME=folder))
    if done.returncode or not os.path.exists(path):
        skip("perf cannot record here: " + (done.stderr.strip().splitlines() or ["no word"])[-1])
    return path


def sums(tracelathe, path, *options):
    """Of report: (inclusive samples by function, all samples, what was said)."""
    done = run([tracelathe, "report", "--csv", "--all", *options, path])
    inclusive, total = {}, 0
    for row in csv.DictReader(io.StringIO(done.stdout)):
        columns = [key for key in row if key.startswith("samples:")]
        name = row["function"].split("(")[0]
        inclusive[name] = inclusive.get(name, 0) + int(row["samples:inclusive"])
        total += int(row["samples:self"])
        assert len(columns) == 2
    return inclusive, total, done.stderr


def check_libdw(unwind, title, path, *program):
    done = run([unwind, path, *program])
    print("%s: %s" % (title, done.stdout), end="")
    if done.returncode:
        fail("%s: stacks differ %s" % (title, done.stderr))


def check_whole(tracelathe, title, path, callers):
    """Most samples are below main, and hardly a stack is said to lack something; callers have what they call."""
    inclusive, total, said = sums(tracelathe, path)
    for line in said.splitlines():
        # A process may be in exec, or in what the linker puts at the start and end of each library, which no table describes.
        told = re.search(r"(\d+) of (\d+) stacks", line)
        if told and 100 * int(told.group(1)) > int(told.group(2)):
            fail("%s: %s" % (title, line))
    # What the dynamic linker did comes before main, and after the last instruction of it: on a loaded machine a good part.
    if 100 * inclusive.get("main", 0) < 50 * total:
        fail("%s: main has %d of %d samples" % (title, inclusive.get("main", 0), total))
    for name in callers:
        if not inclusive.get(name):
            fail("%s: no stack has %s" % (title, name))


def check_bare(tracelathe, path):
    """Code without a table is itself, not the function before it; its callers are by the frame pointer, which is said."""
    inclusive, _, said = sums(tracelathe, path)
    if not inclusive.get("bare") or inclusive.get("before"):
        fail("code without a table: %s of bare, %s of what stands before it" % (inclusive.get("bare"), inclusive.get("before")))
    if inclusive.get("main", 0) < inclusive.get("bare", 0) or "by the frame pointer, and may lack a caller" not in said:
        fail("code without a table: main has %s; %s" % (inclusive.get("main"), said))


def check_moved(tracelathe, path, program):
    """A program that is no longer where it ran is given: the same profile; another one is not used, which is said."""
    before = sums(tracelathe, path)
    os.rename(program, program + ".moved")
    after = sums(tracelathe, path, "--binary", program + ".moved")
    if after != before:
        fail("moved program: %s" % after[2])
    _, _, said = sums(tracelathe, path, "--binary", "/bin/sh")
    if "/bin/sh was not used: the recording has no program of its build id" not in said:
        fail("another program: %s" % said)


def stacks(tracelathe, unwind):
    if run(["sh", "-c", "command -v perf && command -v g++ && command -v objcopy"]).returncode:
        skip("no perf, g++ or objcopy here")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        for name, text in (("program.cc", PROGRAM), ("debugged.c", DEBUGGED), ("bare.c", BARE)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        must(["g++", "-O2", "-g", "-o", "plain", "program.cc"], folder)
        must(["g++", "-O0", "-g", "-o", "framed", "program.cc"], folder)
        must(["gcc", "-O2", "-g", "-fno-asynchronous-unwind-tables", "-fno-optimize-sibling-calls", "-o", "debugged",
              "debugged.c"], folder)
        must(["objcopy", "--only-keep-debug", "debugged", "debugged.debug"], folder)
        must(["strip", "--remove-section=.note.gnu.build-id", "debugged"], folder)
        must(["objcopy", "--add-gnu-debuglink=debugged.debug", "debugged"], folder)
        callers = ["recurse", "middle", "catcher", "handler", "signals", "sorting", "clocks", "kernel"]
        for name in ("plain", "framed"):
            path = record(folder, os.path.join(folder, name), name)
            check_libdw(unwind, name, path, *([os.path.join(folder, name)] if name == "framed" else []))
            check_whole(tracelathe, name, path, callers)
        path = record(folder, os.path.join(folder, "debugged"), "debugged", count="100000000")
        check_libdw(unwind, "debug file", path)
        check_whole(tracelathe, "debug file", path, ["recurse"])
        must(["gcc", "-O0", "-g", "-o", "bare", "bare.c"], folder)
        check_bare(tracelathe, record(folder, os.path.join(folder, "bare"), "bare", count="200000"))
        path = record(folder, os.path.join(folder, "plain"), "short", size="512")
        _, total, said = sums(tracelathe, path)
        if "stacks" not in said or "end with the bytes that were copied" not in said or not total:
            fail("short copies: %s" % said)
        path = os.path.join(folder, "plain.data")
        check_moved(tracelathe, path, os.path.join(folder, "plain"))
        _, _, said = sums(tracelathe, path)
        if "end in %s, without their callers" % os.path.join(folder, "plain") not in said:
            fail("no program: %s" % said)


if sys.argv[1] == "rows":
    rows(os.path.abspath(sys.argv[2]))
else:
    stacks(os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3]))
sys.exit(failures != 0)
