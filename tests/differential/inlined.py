#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""inlined.py TRACELATHE: inlined functions of samples against llvm-symbolizer.

C and C++ programs of this machine's compilers are recorded by perf, and each sample's address, as perf script has it, is
given to llvm-symbolizer: the stacks of `stacks --inline` must be its chains, sample by sample. Without --inline the sums
are those of the symbols.
"""
import collections
import os
import subprocess
import tempfile

import common
from common import expect, fail, finish, skip

SOURCE = r"""
volatile unsigned long sink;
#define INLINE static inline __attribute__((always_inline))
#define OWN __attribute__((noinline))
INLINE void spin(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
INLINE void twice(unsigned long n) { spin(n); for (unsigned long i = 0; i < n; i++) sink ^= i; spin(n / 2); }
INLINE void deep(unsigned long n) { twice(n); sink++; twice(n / 3); }
OWN void own(unsigned long n) { deep(n); for (unsigned long i = 0; i < n; i++) sink -= i; }
OWN void other(unsigned long n) { spin(n); own(n); }
#ifdef __cplusplus
template <class T> struct Box {
	T held;
	INLINE void keep(T n) { for (T i = 0; i < n; i++) sink += (unsigned long)i; }
	OWN void put(T n) { keep(n); auto more = [n] { spin((unsigned long)n); }; more(); held = n; }
};
OWN static void boxes(unsigned long n) { Box<int> a; a.put((int)n); Box<long> b; b.put((long)n); }
#else
OWN static void boxes(unsigned long n) { spin(n); }
#endif
int main(void) { for (int i = 0; i < 16; i++) { other(1000000); boxes(1000000); } return 0; }
"""
# Addresses of a program that is not moved are those of its file.
BUILT = [("gcc", "c", "-O2 -g"), ("g++", "cc", "-O2 -gdwarf-4"), ("clang++-19", "cc", "-O2 -g"),
         ("g++", "cc", "-O1 -g -flto -gz")]


def output(*command, **kwargs):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **kwargs)
    return done.stdout if done.returncode == 0 else None


def sampled(path):
    """Addresses in the program, with how many samples each has."""
    found = collections.Counter()
    for line in (output("perf", "script", "-i", path, "-F", "ip,dso") or "").splitlines():
        address, dso = line.split(None, 1)
        if dso.endswith("/program)"):
            found[int(address, 16)] += 1
    return found


def chains(symbolizer, program, addresses):
    """The functions at each address, the outermost first."""
    asked = "".join("0x%x\n" % address for address in addresses)
    out = output(symbolizer, "--obj=" + program, "--inlines", "--no-debuginfod", "--output-style=LLVM", input=asked)
    answers = [block.splitlines()[::2] for block in out.strip().split("\n\n")]
    return [tuple(name.replace("'lambda'()", "{lambda()#1}") for name in reversed(names)) for names in answers]


def ours(path, *options):
    stacks = collections.Counter()
    for line in common.run("stacks", "--event", "samples", *options, path).splitlines():
        stack, count = line.rsplit(" ", 1)
        stacks[tuple(stack.split(";"))] += int(count)
    return stacks


def check(title, symbolizer, path, program):
    addresses = sampled(path)
    wanted, outermost = collections.Counter(), collections.Counter()
    for address, names in zip(addresses, chains(symbolizer, program, list(addresses))):
        if names[0] != "??":
            wanted[names] += addresses[address]
            outermost[names[:1]] += addresses[address]
    functions = {stack[0] for stack in wanted}
    for what, options, truth in (("--inline", ["--inline"], wanted), ("without", [], outermost)):
        got = {stack: count for stack, count in ours(path, *options).items() if stack[0] in functions}
        expect("%s: stacks %s" % (title, what), got, dict(truth))
    deepest = max((len(stack) for stack in wanted), default=0)
    if deepest < 3:
        fail(title, "has no function that was inlined into an inlined one")
    return sum(wanted.values())


def main():
    symbolizer, count = common.tool("llvm-symbolizer-19", "llvm-symbolizer-14"), 0
    if not symbolizer or not common.tool("perf"):
        skip("no perf or llvm-symbolizer here")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        for number, (compiler, kind, options) in enumerate(BUILT):
            source, program = (os.path.join(folder, name) for name in ("source." + kind, "program"))
            path = os.path.join(folder, "%d.data" % number)
            with open(source, "w", encoding="utf-8") as file:
                file.write(SOURCE)
            if not common.tool(compiler) or output(compiler, *options.split(), "-no-pie", "-o", program, source) is None:
                print("%s %s: cannot be built here" % (compiler, options))
                continue
            if output("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "-o", path, program) is None:
                skip("perf cannot record here")
            found = check("%s %s" % (compiler, options), symbolizer, path, program)
            print("%s %s: %d samples" % (compiler, options, found))
            count += found
    finish(count, "samples")


main()
