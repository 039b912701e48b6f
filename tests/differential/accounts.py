#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The function table against the reference accountant of the shared corpus: calls, min, max, sum per function, and what
could not be accounted for. Compared in ticks, so that nothing is rounded.

"blocks of a thread in time order, one stack per thread; an exit closes every open frame above its entry; an exit without
entry is an orphan; frames open at the end are unfinished and not in calls" (docs/formats/xray.md, section 3)."""
import os
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


def ours(path, *options):
    rows = {}
    for row in common.report(path, *options):
        if int(row["calls"]):
            rows[int(row["id"])] = tuple(row[column] for column in ("calls", "min", "max", "sum"))
    losses = common.report_json(path, *options).get("losses", {})
    return rows, tuple(losses.get(name) for name in ("orphan_exits", "unfinished", "deduced_exits"))


def rounded(rows):
    """As the reference prints times: six digits after the point."""
    return {k: (int(v[0]), *("%.6e" % float(t) for t in v[1:])) for k, v in rows.items()}


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
        expect(what + ": functions", rounded(rows), rounded(wanted))
        expect(what + ": orphans, unfinished, deduced", losses, wanted_losses)


def main():
    names = [name for name in common.corpus_traces() if common.oracle(name, "truth-account.csv")]
    for name in names:
        compare(name)
    common.finish(len(names), "traces")


main()
