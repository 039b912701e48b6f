#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles of sums against the same run recorded with --separate-callers, whose names are stacks: what a function
costs while it is on the stack is the sum over all names that have it, once a name.

"inclusive(f) = min(self(f) + costs of its calls to other functions, cost of the whole cycle)" (docs/formats/callgrind.md,
rule J): both are upper bounds, and nearly always one is exact."""
import collections
import os
import re
import subprocess
import tempfile

import common
from common import SHARED, expect, fail

DEFECTS = os.path.join(SHARED, "corpus", "defects", "callgrind")
FULL = ("--separate-callers=100", "--separate-recs=50")
compared = 0


def stack_of(name):
    """["f", "g", "h"] of "f'2'g'h": a number right behind the function is its level of recursion, not a caller."""
    parts = name.split("'")
    return parts[:1] + (parts[2:] if len(parts) > 1 and parts[1].isdigit() else parts[1:])


def truth(path):
    """{name: inclusive cost} by the stacks of a profile."""
    sums = collections.Counter()
    for row in common.report(path):
        for name in set(stack_of(row["function"])):
            sums[name] += int(row["Ir:self"])
    return sums


def inclusive(path):
    """{name: inclusive cost} of functions whose name is there once; levels of recursion are left out."""
    rows = collections.defaultdict(list)
    for row in common.report(path):
        if not re.search(r"'\d+$", row["function"]):
            rows[row["function"]].append(int(row["Ir:inclusive"]))
    return {name: costs[0] for name, costs in rows.items() if len(costs) == 1}


def compare(what, plain, full, least):
    """All functions at least as costly as in truth, and so many of them exactly."""
    global compared
    wanted, got = truth(full), inclusive(plain)
    names = [name for name in wanted if name in got]
    below = [name for name in names if got[name] < wanted[name]]
    exact = sum(got[name] == wanted[name] for name in names)
    expect(what + ": functions below the truth", below[:3], [])
    if exact < least * len(names) or len(names) < 20:
        fail(what, "%d of %d functions are exact" % (exact, len(names)))
    print("%s: %d of %d functions exact" % (what, exact, len(names)))
    compared += 1


def corpus():
    for name in ("sq", "tm"):
        plain, full = (os.path.join(DEFECTS, "ctx_%s_%s.out" % (name, kind)) for kind in ("plain", "full"))
        compare(name, plain, full, 1)
        stacks(name, plain, full)


def folded(path, status):
    """{(root, ..., leaf): self cost}"""
    stacks = collections.Counter()
    for line in common.run("stacks", path, status=(status,)).splitlines():
        stack, cost = line.rsplit(" ", 1)
        stacks[tuple(stack.split(";"))] += int(cost)
    return stacks


def stacks(what, plain, full):
    """Complete names are the stacks; estimated ones leave every function its self cost, and are told."""
    global compared
    wanted, selves, got = collections.Counter(), collections.Counter(), collections.Counter()
    for row in common.report(full):
        wanted[tuple(reversed(stack_of(row["function"])))] += int(row["Ir:self"])
    expect(what + ": stacks by name", folded(full, 0), +wanted)
    for row in common.report(plain):
        selves[row["function"]] += int(row["Ir:self"])
    for stack, cost in folded(plain, 1).items():
        got[stack[-1]] += cost
    expect(what + ": self costs of estimated stacks", got, +selves)
    tree = common.json.loads(common.run("tree", "--top-down", "--json", full, status=(0,)))["nodes"]
    expect(what + ": the tree", sum(node["self"]["Ir"] for node in tree), sum(wanted.values()))
    compared += 1


def trees_agree():
    """`tree` says what `report` says."""
    path = os.path.join(DEFECTS, "ctx_sq_plain.out")
    rows = {(r["function"], r["object"], r["file"]): r["Ir:inclusive"] for r in common.report(path)}
    for function in common.json.loads(common.run("tree", "--json", path))["functions"]:
        key = function["function"], function["object"], function["file"]
        expect("tree and report: " + key[0], str(function["inclusive"]["Ir"]), rows[key])


# ---- recorded afresh -------------------------------------------------------------------------------------------

# A recursive-descent calculator over a generated text, functions that call each other through a table, and a sort with
# a comparison function: cycles that are entered in several places, left in others, and cross calls of equal functions.
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
static const char *at;
static long expression(void);
static long spent;
static void burn(int n) { for (int i = 0; i < n; i++) spent += i ^ n; }
static long number(void) { long v = 0; while (*at >= '0' && *at <= '9') v = v * 10 + *at++ - '0'; burn(3); return v; }
static long call(void) { at++; long v = expression(); at++; burn(5); return v; }
static long factor(void) { return *at == '(' ? call() : number(); }
static long term(void) { long v = factor(); while (*at == '*') { at++; v = (v * factor()) % 1000003; } return v; }
static long expression(void) { long v = term(); while (*at == '+') { at++; v += term(); } burn(2); return v; }
static int compare(const void *a, const void *b) { burn(1); return *(const int *)a - *(const int *)b; }
static int ping(int n), pong(int n), pang(int n);
static int (*const table[])(int) = { ping, pong, pang };
static int ping(int n) { burn(n); return n <= 0 ? 0 : table[n % 3](n - 1); }
static int pong(int n) { burn(2 * n); return n <= 0 ? 1 : pang(n - 2) + 1; }
static int pang(int n) { burn(7); return n <= 0 ? 2 : ping(n - 1) + pong(n - 3); }
static void generate(char **to, int depth)
{
	if (depth == 0) { *to += sprintf(*to, "%d", rand() % 100); return; }
	*(*to)++ = '(';
	generate(to, depth - 1);
	*(*to)++ = depth % 2 ? '*' : '+';
	generate(to, depth - 1);
	*(*to)++ = ')';
}
int main(void)
{
	static char text[1 << 16];
	static int numbers[300];
	char *to = text;

	generate(&to, 8);
	*to = 0;
	at = text;
	printf("%ld\n", expression());
	for (int i = 0; i < 300; i++)
		numbers[i] = rand() % 1000;
	qsort(numbers, 300, sizeof(int), compare);
	for (int i = 0; i < 9; i++)
		spent += table[i % 3](i);
	printf("%d %ld\n", numbers[7], spent);
	return 0;
}
"""


def record(folder, name, program, *options):
    """A profile of a program that is given the same surroundings each time. None: valgrind cannot do it."""
    path = os.path.join(folder, name)
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + path, *options, *program],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"PATH": os.environ["PATH"]})
    return path if done.returncode == 0 and os.path.exists(path) and os.path.getsize(path) else None


def programs(folder):
    source, program = os.path.join(folder, "calc.c"), os.path.join(folder, "calc")
    if common.tool("cc", "gcc"):
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run([common.tool("cc", "gcc"), "-g", "-O1", "-fno-inline", "-o", program, source], check=True)
        yield "calc", [program]
    if common.tool("dash"):
        # Without a fork: a child would write its own profile to the same file.
        yield "dash", ["dash", "-c", "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)); eval 'x=$1'; fi; }; f 9; for i in 1 2; do eval 'f 2'; done"]


def fresh():
    if not common.tool("valgrind"):
        print("no valgrind: nothing is recorded afresh")
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, program in programs(folder):
            plain, full = record(folder, name + ".out", program), record(folder, name + ".all", program, *FULL)
            if plain and full:
                compare(name + ", recorded afresh", plain, full, 0.97)
                stacks(name + ", recorded afresh", plain, full)


def main():
    if os.path.isdir(DEFECTS):
        corpus()
        trees_agree()
    fresh()
    if not compared:
        common.skip("neither the shared corpus nor valgrind")
    common.finish(compared, "profiles")


main()
