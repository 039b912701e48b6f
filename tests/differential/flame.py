#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flame graphs of the shared corpus: estimated paths of Callgrind profiles add up to the corpus' own truth, and paths of
traces are those of `stacks`, which the other tests hold against llvm-xray.

"What is left out is summed ..., so that every total stays what it is" (src/export/flame/frame_prune.c)."""
import collections
import csv
import json
import os
import re
import subprocess
import xml.dom.minidom

import common
from common import SHARED, expect

CORPUS = os.path.join(SHARED, "corpus", "callgrind")
# Outside the grammar (tests/differential/callgrind.py, BY_HAND): refused, or with sums of their own.
NOT_COMPARED = {"lsprofcalltree_floats.out", "ranges.out", "huge.out", "no_events.out", "empty.out"}
compared = 0


def data(*args):
    page = common.run("flame", *args)
    found = re.search(r'<script id="profile" type="application/json">(.*?)</script>', page, re.S)
    return json.loads(found.group(1)) if found else None


def paths(graph):
    """{path without the root: self cost of the first event}"""
    names = [graph["texts"][n] for n in graph["functions"]["name"]]
    path = {0: ()}
    for frame in range(1, len(graph["frames"]["parent"])):
        path[frame] = path[graph["frames"]["parent"][frame]] + (names[graph["frames"]["function"][frame]],)
    sums = collections.Counter()
    for frame, cost in zip(graph["cells"]["frame"], graph["cells"]["self"][0]):
        sums[path[frame]] += cost
    return {p: cost for p, cost in sums.items() if cost > 0}


def check_sums(path, row):
    global compared
    name = os.path.basename(path)
    wanted = dict(zip(row["events"].split(), map(int, row["self_sum_over_parts"].split())))
    for options in ([], ["--threshold", "5"]):
        graph = data(path, *options)
        got = {event["name"]: sum(costs) for event, costs in zip(graph["events"], graph["cells"]["self"])}
        expect(name + ": sums of frames", {event: got.get(event) for event in wanted}, wanted)
        compared += 1
    xml.dom.minidom.parseString(common.run("flame", "--svg", path, text=False))


def check_folder(folder):
    with open(os.path.join(folder, "truth.tsv"), encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            path = os.path.join(folder, row["file"])
            if row["file"] not in NOT_COMPARED and os.path.exists(path) and os.path.getsize(path):
                check_sums(path, row)


def check_trace(name):
    global compared
    path = os.path.join(common.CORPUS, name + ".xray")
    wanted = collections.Counter()
    for line in common.run("stacks", path).splitlines():
        stack, cost = line.rsplit(" ", 1)
        wanted[tuple(stack.split(";"))] += int(cost)
    # Deep recursion is cut in the page alone.
    if max(map(len, wanted), default=0) <= 500:
        expect(name + ": paths", paths(data(path, "--threshold", "0")), dict(wanted))
        compared += 1


def main():
    common.need_whole_corpus()
    if subprocess.run([common.command(), "flame", os.path.join(CORPUS, "ls_default.out")], stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode > 1:
        common.skip("built without the page (no npm)")
    check_folder(CORPUS)
    check_folder(os.path.join(CORPUS, "hand"))
    for name in common.corpus_traces():
        check_trace(name)
    common.finish(compared, "graphs")


main()
