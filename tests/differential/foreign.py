#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles of other tools against independent readers: foreign.py TRACELATHE

What our exporters write of XRay recordings, and files made here at random, are read by a few lines of Python over its json
module, and again by the command: functions, calls and times are the same.
"""
import collections
import csv
import decimal
import glob
import json
import os
import random
import subprocess
import tempfile

from common import CORPUS, command, expect, finish


def run(*words):
    return subprocess.run([command(), *words], stdout=subprocess.PIPE, check=False).stdout.decode()


def rows(text):
    return csv.DictReader(text.splitlines())


def table(path, event="Ticks"):
    """Function -> self, inclusive, calls."""
    return {row["function"]: (int(row[event + ":self"]), int(row[event + ":inclusive"]), int(row["calls"] or 0))
            for row in rows(run("report", "--csv", path))}


# ---- Chrome's trace events: complete events nest by their times -----------------------------------------------


def ns(microseconds):
    return int((microseconds * 1000).to_integral_value(rounding="ROUND_HALF_UP"))


def chrome_model(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file, parse_float=decimal.Decimal, parse_int=decimal.Decimal)["traceEvents"]
    threads = collections.defaultdict(list)
    for order, event in enumerate(events):
        if event["ph"] in "XBE":
            threads[event["pid"], event["tid"]].append((event["ts"], order, event))
    self_, inclusive, calls = collections.Counter(), collections.Counter(), collections.Counter()
    for spans in threads.values():
        closed = []
        open_ = []
        for ts, order, event in sorted(spans, key=lambda span: span[:2]):
            if event["ph"] == "X":
                closed.append((ns(ts), -ns(ts + event["dur"]), order, event["name"]))
            elif event["ph"] == "B":
                open_.append((ns(ts), order, event["name"]))
            else:
                begin, begun, name = open_.pop()
                closed.append((begin, -ns(ts), begun, name))
        # A call that did not end has no duration to compare.
        if open_:
            return None
        stack = []
        for begin, end, _, name in sorted(closed):
            while stack and stack[-1][0] <= begin:
                stack.pop()
            length = -end - begin
            calls[name] += 1
            self_[name] += length
            if stack:
                self_[stack[-1][1]] -= length
            if all(name != other for _, other in stack):
                inclusive[name] += length
            stack.append((-end, name))
    return {name: (self_[name], inclusive[name], calls[name]) for name in calls}


def make_chrome(path, seed):
    """Calls that nest, as complete events in any order."""
    source = random.Random(seed)
    events = []

    def call(begin, end, depth, thread):
        events.append({"ph": "X", "pid": 1, "tid": thread, "name": "f%d" % source.randrange(9), "ts": begin / 1000,
                       "dur": (end - begin) / 1000, "args": {"name": "no", "x": [{}]}})
        at = begin + source.randrange(1, 50)
        while depth < 6 and at + 20 < end:
            until = at + source.randrange(10, max(11, (end - at) // 2))
            call(at, until, depth + 1, thread)
            at = until + source.randrange(1, 200)

    for thread in range(3):
        call(10 * thread, 200000, 0, thread)
    source.shuffle(events)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)


# ---- speedscope: samples ---------------------------------------------------------------------------------------


def speedscope_model(path):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    stacks = collections.Counter()
    for profile in data["profiles"]:
        for sample, weight in zip(profile["samples"], profile["weights"]):
            stacks[";".join(data["shared"]["frames"][frame]["name"] for frame in sample)] += weight
    return stacks


def folded_model(text):
    stacks = collections.Counter()
    for line in text.splitlines():
        stack, count = line.rsplit(" ", 1)
        stacks[stack] += int(count)
    return stacks


def main():
    count = 0
    recordings = sorted(glob.glob(os.path.join(CORPUS, "*.xray")), key=os.path.getsize)[:6]
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "x.json")
        for seed in range(5):
            make_chrome(path, seed)
            count += expect("calls at random, seed %d" % seed, table(path), chrome_model(path))
        for recording in recordings:
            what = os.path.basename(recording)
            run("timeline", "--to", "chrome", "-o", path, recording)
            if os.path.exists(path):
                wanted = {row["function"]: int(row["calls"]) for row in rows(run("report", "--csv", recording))}
                have = table(path)
                model = chrome_model(path)
                if model:
                    count += expect(what + " as Chrome's events, read again", have, model)
                expect(what + ": calls", {name: values[2] for name, values in have.items()}, wanted)
                os.unlink(path)
            run("convert", "--to", "folded", "-o", os.path.join(work, "x.folded"), recording)
            folded = run("stacks", recording)
            count += expect(what + " as folded stacks, read again", run("stacks", os.path.join(work, "x.folded")), folded)
            run("convert", "--to", "speedscope", "-o", os.path.join(work, "x.speedscope.json"), recording)
            count += expect(what + " for speedscope, read again",
                            folded_model(run("stacks", os.path.join(work, "x.speedscope.json"))),
                            +speedscope_model(os.path.join(work, "x.speedscope.json")))
    finish(count, "comparisons")


main()
