#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs whose calls do not all return, recorded afresh: exceptions, longjmp, coroutines (live/throws.cpp, jumps.cpp,
coroutines.cpp). Each counts its calls, those that returned, and how deep its stack was at most. What must hold:

 - calls of a function are the program's;
 - a duration is known of those that returned, and of no other;
 - the stack is never deeper than the program's;
 - without the program all this holds but for the depth, and what is not certain is said (exit status 1)."""
import csv
import io
import json
import os
import tempfile

import common
from common import expect, fail
import live

# Nothing else has sleds; every call is kept.
OPTIONS = ["-O2", "-fxray-instruction-threshold=1000000", "-fxray-ignore-loops"]
# Whether the calls with a duration are just those that returned: in coroutines exits of one function come from several
# stacks, which the trace does not tell apart. And the exit status: of what is left in jumps, one part calls what its
# caller calls, too.
PROGRAMS = (("throws", "1000", True, 0), ("jumps", "300", True, 1), ("coroutines", "50", False, 1))


def split(counts):
    """Calls, those that returned, the deepest stack."""
    returned = {name.split(") ", 1)[1]: count for name, count in counts.items() if name.startswith("(returned)")}
    calls = {name: count for name, count in counts.items() if not name.startswith("(")}
    return calls, {name: returned.get(name, 0) for name in calls}, counts["(deepest)"]


def rows_of(trace, *options):
    """{function: (calls, calls of a known duration)}"""
    return {row["function"]: (int(row["calls"]), int(row["calls"]) - int(row["cut"]))
            for row in common.report(trace, *options)}


def depth_of(trace, *options):
    text = common.run("tree", "--top-down", "--csv", "--threshold", "0", *options, trace)
    return 1 + max(int(row["depth"]) for row in csv.DictReader(io.StringIO(text)))


def timeline_depth(trace, *options):
    """How many slices of one thread stand on each other in a Chrome timeline: complete ones, and begun ones."""
    document = json.loads(common.run("timeline", "--to", "chrome", *options, trace))
    deepest, ends = 0, {}
    slices = [event for event in document["traceEvents"] if event["ph"] == "X"]
    for event in sorted(slices, key=lambda event: (event["ts"], -event["dur"])):
        open_slices = ends.setdefault(event["tid"], [])
        while open_slices and open_slices[-1] <= event["ts"]:
            open_slices.pop()
        open_slices.append(event["ts"] + event["dur"])
        deepest = max(deepest, len(open_slices))
    return deepest


def compare(what, trace, program, counts, exact, status):
    calls, returned, deepest = split(counts)
    for options in (["--binary", program], ["--binary", program, "--jobs", "2"]):
        rows = rows_of(trace, *options)
        expect(what + ": calls", {name: row[0] for name, row in rows.items()}, calls)
        if exact:
            expect(what + ": calls with a duration", {name: row[1] for name, row in rows.items()}, returned)
        for name, row in rows.items():
            if row[1] > returned.get(name, 0):
                fail(what, name, "has", row[1], "durations, but", returned.get(name, 0), "calls returned")
    depth = depth_of(trace, "--binary", program)
    if depth > deepest:
        fail(what, "the stack is", depth, "deep, the program's was", deepest)
    if timeline_depth(trace, "--binary", program) > deepest:
        fail(what, "the timeline is deeper than the program's stack")
    # By numbers: no names, and nobody who knows the code.
    total = sum(row[0] for row in rows_of(trace).values())
    expect(what + ": calls without the program", total, sum(calls.values()))
    common.run("report", trace, status=(1,))
    common.run("report", "--binary", program, trace, status=(status,))
    if not status and depth_of(trace) <= deepest:
        fail(what, "the stack is no deeper without the program, so that this test proves nothing")


def compare_samples():
    """Recordings of the shared corpus: a loop that throws nests nothing, when the program is known."""
    folder = os.path.join(common.SHARED, "corpus", "defects", "xray")
    trace, program = os.path.join(folder, "shop.xray"), os.path.join(folder, "shop.elf")
    if not os.path.exists(trace):
        return
    text = common.run("stacks", "--binary", program, trace, status=(0,))
    nested = [line for line in text.splitlines() if "risky(int);" in line]
    expect("shop: what risky() calls, which calls nothing traced", nested[:3], [])
    expect("shop: risky()", rows_of(trace, "--binary", program)["risky(int)"], (1716, 0))
    trace, program = os.path.join(folder, "exc-19.xray"), os.path.join(folder, "exc.elf")
    with open(os.path.join(folder, "exc-19.0.cnt"), encoding="utf-8") as file:
        counts = [int(line.split()[1]) for line in file]
    calls = sorted(row[0] for name, row in rows_of(trace, "--binary", program).items() if "std::" not in name)
    expect("exc: calls", calls, sorted(counts))


def main():
    compare_samples()
    versions = [v for v in ("19", "14") if common.tool("clang++-" + v)]
    if not versions:
        common.skip("no clang")
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for version in versions:
            for program, rounds, exact, status in PROGRAMS:
                built = live.build(version, program, OPTIONS, folder)
                trace, counts = live.record(built, [rounds], "xray-fdr", live.FDR, folder) if built else (None, None)
                if trace:
                    compare("%s, clang %s" % (program, version), trace, built, counts, exact, status)
                    compared += 1
    common.finish(compared, "recordings")


if __name__ == "__main__":
    main()
