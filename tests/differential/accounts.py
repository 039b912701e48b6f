#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The function table against the reference accountant of the shared corpus: calls, min, max, sum per function, and what
could not be accounted for. Compared in ticks, so that nothing is rounded.

"blocks of a thread in time order, one stack per thread; an exit closes every open frame above its entry; an exit without
entry is an orphan; frames open at the end are unfinished and not in calls" (docs/formats/xray.md, section 3).

One rule is stricter than the reference's: a call that is closed because a caller exited ended nobody knows when, so that
it is a call of the count but has no duration. Where a trace has such calls (`deduced` is not 0), the records as the
reference reads them are accounted for once more here, by that rule."""
import importlib.util
import os
import struct
import subprocess
import sys

import common
from common import CORPUS, SHARED, expect


def reference(path, *options):
    """What the reference says: {id: (calls, min, max, sum)}, (orphans, unfinished, deduced), and its whole text."""
    text = subprocess.run([sys.executable, os.path.join(SHARED, "tools", "xray_reference.py"), *options, path],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = text.splitlines()
    head = lines[0].split()
    rows = {}
    for line in lines[2:]:
        number, *values = line.split(",")
        rows[int(number)] = tuple(values)
    return rows, tuple(int(head[i]) for i in (3, 5, 7)), text


def blocks_of(path):
    """The records of a trace as the reference reads them: (thread, first TSC, [(action, function, TSC)])."""
    spec = importlib.util.spec_from_file_location("reference", os.path.join(SHARED, "tools", "xray_reference.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with open(path, "rb") as file:
        data = file.read()
    order = "<" if data[0] or data[2] else ">"
    version, kind = struct.unpack_from(order + "HH", data)
    size = struct.unpack_from(order + "Q", data, 16)[0]
    return module.read_fdr(data, version, order, size) if kind else module.read_basic(data, version)


def known_durations(path):
    """{id: (calls, min, max, sum, cut)}; min and max None where no call has a known duration."""
    durations, cut, stack, last = {}, {}, [], None
    for thread, _, records in blocks_of(path):
        if thread != last:
            stack, last = [], thread
        for action, function, tsc in records:
            if action in (0, 3):
                stack.append((function, tsc))
            elif function in [open_function for open_function, _ in stack]:
                while stack[-1][0] != function:
                    left = stack.pop()[0]
                    cut[left] = cut.get(left, 0) + 1
                durations.setdefault(function, []).append(tsc - stack.pop()[1])
    rows = {}
    for function in set(durations) | set(cut):
        known, left = durations.get(function, []), cut.get(function, 0)
        rows[function] = (len(known) + left, min(known, default=None), max(known, default=None), sum(known), left)
    return rows


def ours(path, *options):
    rows = {}
    for row in common.report(path, *options):
        if int(row["calls"]):
            rows[int(row["id"])] = tuple(row[column] for column in ("calls", "min", "max", "sum", "cut"))
    losses = common.report_json(path, *options).get("losses", {})
    return rows, tuple(losses.get(name) for name in ("orphan_exits", "unfinished", "deduced_exits"))


def rounded(rows):
    """As the reference prints times: six digits after the point."""
    return {k: (int(v[0]), *("%.6e" % float(t) for t in v[1:4])) for k, v in rows.items()}


def exact(rows):
    return {k: tuple(None if t == "" else int(t) for t in v) for k, v in rows.items()}


def compare(name):
    path = os.path.join(CORPUS, name + ".xray")
    wanted, wanted_losses, _ = reference(path, "--ticks")
    truth = common.oracle(name, "truth-account.csv")
    # The stored truth is what the reference still says: neither has changed behind our back.
    with open(truth, encoding="utf-8") as file:
        expect(name + ": the stored truth", reference(path)[2], file.read())
    for options in ([], ["--jobs", "2"], ["--exact"]):
        rows, losses = ours(path, *options)
        what = " ".join([name] + options)
        if not wanted_losses[2]:
            expect(what + ": functions", rounded(rows), rounded(wanted))
        expect(what + ": known durations", exact(rows), known_durations(path))
        expect(what + ": orphans, unfinished, deduced", losses, wanted_losses)


def main():
    common.need_whole_corpus()
    names = [name for name in common.corpus_traces() if common.oracle(name, "truth-account.csv")]
    for name in names:
        compare(name)
    common.finish(len(names), "traces")


if __name__ == "__main__":
    main()
