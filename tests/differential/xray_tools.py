#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts and costs of call stacks against `llvm-xray stack`, on recordings whose threads all begin in one buffer."""
import collections
import os
import re
import shutil
import subprocess

import common
from common import expect, skip

GOLDEN = os.path.join(common.ROOT, "tests", "golden", "xray")
compared = 0


def names_of(symbols):
    """{how llvm-xray shows a function of a map in YAML: its name}"""
    with open(symbols, encoding="utf-8") as file:
        rows = re.findall(r"function: 0x0*([0-9A-Fa-f]+),.*function-name: '?([^',}]*[^',} ])", file.read())
    return {"@(%s)" % address.lower(): name for address, name in rows}


def theirs(tool, trace, symbols, kind):
    names = names_of(symbols)
    done = subprocess.run([tool, "stack", "--all-stacks", "--aggregation-type=" + kind, "--stack-format=flame",
                           "--instr_map=" + symbols, trace], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    stacks = collections.Counter()
    for line in done.stdout.decode().splitlines():
        path, number = line.rsplit(" ", 1)
        stacks[";".join(names.get(f, f) for f in path.rstrip(";").split(";")[1:])] += int(number)
    return dict(stacks)


def ours(trace, symbols, *options):
    rows = [line.rsplit(" ", 1) for line in common.run("stacks", "--map", symbols, *options, trace).splitlines()]
    return [(path, int(number)) for path, number in rows]


def main():
    global compared
    tool = shutil.which("llvm-xray-19") or shutil.which("llvm-xray")
    if not tool:
        skip("there is no llvm-xray")
    for name in ("fib-fdr", "fib-basic"):
        trace = os.path.join(GOLDEN, name + ".xray")
        symbols = os.path.join(GOLDEN, "fib.instrmap-sym.yaml")
        counts = theirs(tool, trace, symbols, "count")
        rows = ours(trace, symbols, "--count")
        expect(name + ": calls of stacks", dict(rows), counts)
        expect(name + ": some stacks", len(counts) > 10, True)
        # "only N stacks, those that were called most first"
        top = ours(trace, symbols, "--count", "--top", "7")
        expect(name + ": calls of the top stacks", [number for _, number in top], sorted(counts.values(), reverse=True)[:7])
        expect(name + ": the top stacks", all(counts.get(path) == number for path, number in top), True)
        costs = dict(ours(trace, symbols))
        longest = ours(trace, symbols, "--top", "5")
        expect(name + ": the longest stacks", [number for _, number in longest], sorted(costs.values(), reverse=True)[:5])
        compared += 3
    common.finish(compared, "lists of stacks compared with llvm-xray's")


if __name__ == "__main__":
    main()
