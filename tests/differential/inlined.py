#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""inlined.py TRACELATHE: inlined functions of samples against llvm-symbolizer.

C and C++ programs of this machine's compilers are recorded by perf, and each sample's address, as perf script has it, is
given to llvm-symbolizer: the stacks of `stacks --inline` must be its chains, sample by sample. Without --inline the sums
are those of the symbols.
"""
import collections
import csv
import io
import os
import re
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


# Functions that are local to a file have no mangled name in g++'s debug information, but are in namespaces and types.
NAMESPACES = r"""
volatile unsigned long sink;
#define INLINE static inline __attribute__((always_inline))
#define OWN __attribute__((noinline))
namespace alpha {
namespace { INLINE void hidden(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; } }
namespace beta {
INLINE void local(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink ^= i; hidden(n); }
namespace { struct Kept { INLINE void keep(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink -= i; local(n); } }; }
}
namespace { template <class T> struct Box { INLINE void put(T n) { for (T i = 0; i < n; i++) sink += 3; beta::Kept::keep(n); } }; }
OWN void outer(unsigned long n) { Box<unsigned long>::put(n); }
}
INLINE void plain(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += 7; }
namespace delta { OWN void other(unsigned long n) { plain(n); } }
int main(void) { for (int i = 0; i < 16; i++) { alpha::outer(1000000); delta::other(1000000); } return 0; }
"""
HIDDEN = "(anonymous namespace)::"
QUALIFIED = {"hidden": "alpha::" + HIDDEN + "hidden", "local": "alpha::beta::local", "keep": "alpha::beta::" + HIDDEN + "Kept::keep",
             "put": "alpha::" + HIDDEN + "Box<unsigned long>::put", "plain": "plain", "outer": "alpha::outer", "other": "delta::other"}
SCOPES = {"hidden": "alpha::" + HIDDEN[:-2], "local": "alpha::beta", "keep": "alpha::beta::" + HIDDEN + "Kept",
          "put": "alpha::" + HIDDEN + "Box<unsigned long>", "plain": "(global)", "outer": "alpha", "other": "delta"}


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


def plain_types(name):
    """g++ has names of types in an order of its own."""
    return name.replace("long unsigned int", "unsigned long")


def short(name):
    """The function's own name: llvm-symbolizer has no more of those without a mangled one, and all of the others."""
    return re.split(r"::", name.split("(unsigned long)")[0])[-1]


def check_namespaces(title, symbolizer, path, program):
    """Names with all that is around them, by hand; samples by llvm-symbolizer."""
    addresses = sampled(path)
    wanted, scopes, outermost = collections.Counter(), collections.Counter(), collections.Counter()
    for address, names in zip(addresses, chains(symbolizer, program, list(addresses))):
        names = [short(name) for name in names]
        if all(name in QUALIFIED for name in names):
            wanted[";".join(QUALIFIED[name] for name in names)] += addresses[address]
            scopes[SCOPES[names[-1]]] += addresses[address]
            outermost[QUALIFIED[names[-1]].split("::")[0] if "::" in QUALIFIED[names[-1]] else "(global)"] += addresses[address]
    got = collections.Counter()
    for stack, count in ours(path, "--inline").items():
        stack = [plain_types(name).split("(unsigned long)")[0] for name in stack]
        if all(name in QUALIFIED.values() for name in stack):
            got[";".join(stack)] += count
    expect(title + ": namespaces of inlined functions", dict(got), dict(wanted))
    expect(title + ": each of them", {name.rsplit(";", 1)[-1] for name in wanted} >= set(QUALIFIED.values()) - {"alpha::outer", "delta::other"},
           True)
    # Of main and of the library there are samples, too: what is neither counts as (global).
    for unit, truth in (("class", scopes), ("namespace", outermost)):
        rows = csv.DictReader(io.StringIO(common.run("report", "--csv", "--inline", "--by", unit, path)))
        rows = {plain_types(row[unit]): int(row["samples:self"]) for row in rows}
        expect("%s: --by %s" % (title, unit), {name: rows.get(name) for name in truth if name != "(global)"},
               {name: count for name, count in truth.items() if name != "(global)"})
    return sum(wanted.values())


def recorded(folder, name, compiler, kind, options, source):
    """A recording of a program; None: it cannot be built here."""
    text, program, path = (os.path.join(folder, file) for file in ("source." + kind, "program", name + ".data"))
    with open(text, "w", encoding="utf-8") as file:
        file.write(source)
    if not common.tool(compiler) or output(compiler, *options.split(), "-no-pie", "-o", program, text) is None:
        print("%s %s: cannot be built here" % (compiler, options))
        return None
    if output("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "-o", path, program) is None:
        skip("perf cannot record here")
    return path, program


def main():
    symbolizer, count = common.tool("llvm-symbolizer-19", "llvm-symbolizer-14"), 0
    if not symbolizer or not common.tool("perf"):
        skip("no perf or llvm-symbolizer here")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        for number, (compiler, kind, options) in enumerate(BUILT):
            for source, against in ((SOURCE, check), (NAMESPACES, check_namespaces)):
                made = recorded(folder, str(number), compiler, kind, options, source) if against is check or kind == "cc" else None
                if made:
                    found = against("%s %s" % (compiler, options), symbolizer, *made)
                    print("%s %s: %d samples" % (compiler, options, found))
                    count += found
    finish(count, "samples")


if __name__ == "__main__":
    main()
