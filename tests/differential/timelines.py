#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chrome timelines as their readers see them: times are doubles, ends are sums of doubles, and every slice of a track lies
inside or beside every other one. Slices begin at the tick that the trace says, counted from its first record."""
import json
import os
import sys
from fractions import Fraction

import common
from common import expect

GOLDEN = os.path.join(common.ROOT, "tests", "golden")
FOLDERS = (("xray", os.path.join(GOLDEN, "xray"), ".xray"), ("xray", common.CORPUS, ".xray"),
           ("xray", os.path.join(common.SHARED, "corpus", "defects", "xray"), ".xray"),
           ("intel-pt", os.path.join(GOLDEN, "intel_pt"), ".pt"))
NEVER = float("inf")


def slices_of(events):
    """Per track: begin and end of every slice, by the rules of the format."""
    tracks, open_ones = {}, {}
    for event in events:
        track = event["pid"], event["tid"]
        if event["ph"] == "X":
            tracks.setdefault(track, []).append((event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] == "B":
            open_ones.setdefault(track, []).append(event["ts"])
        elif event["ph"] == "E":
            tracks.setdefault(track, []).append((open_ones[track].pop(), event["ts"]))
    for track, begins in open_ones.items():
        tracks.setdefault(track, []).extend((begin, NEVER) for begin in begins)
    return tracks


def overlapping(slices):
    """A slice that begins inside another and ends behind it, None when all nest."""
    around = []
    for begin, end in sorted(slices, key=lambda s: (s[0], -s[1])):
        if end < begin:
            return begin, end
        while around and around[-1] <= begin:
            around.pop()
        if around and end > around[-1]:
            return begin, end
        around.append(end)
    return None


def exact_begins(text):
    """Where the slices begin: the decimals of the text, sorted."""
    events = json.loads(text, parse_float=Fraction, parse_int=Fraction)["traceEvents"]
    return sorted(event["ts"] for event in events if event["ph"] in ("B", "X"))


def compare_begins(what, trace, text, document):
    """Entries of the dump, in ticks from the first record on, to the picosecond or nanosecond that is written."""
    records = [r for r in common.dump(trace) if "tsc" in r]
    clock = [r["tsc"] for r in records if r["record"] in ("function", "new-cpu", "tsc-wrap")]
    other = document.get("otherData", {})
    origin = int(other.get("origin_ticks", 0))
    expect(what + ": origin", origin, min(clock))
    rate = int(other.get("ticks_per_second", 10 ** 9))
    digits = 10 ** 12 if 10 ** 9 % rate else 10 ** 9
    wanted, last = [], {}
    for r in records:
        if r["record"] not in ("function", "custom-event", "typed-event"):
            continue
        thread = r["process"], r["thread"]
        last[thread] = max(last.get(thread, 0), r["tsc"] - origin)
        if r.get("action", "").startswith("enter"):
            wanted.append(Fraction(last[thread] * digits // rate, digits // 10 ** 6))
    expect(what + ": begins", exact_begins(text), sorted(wanted))


def main():
    compared = 0
    for kind, folder, suffix in FOLDERS:
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        for name in names:
            trace = os.path.join(folder, name)
            if not name.endswith(suffix) or os.path.getsize(trace) > 600000:
                continue
            text = common.run("timeline", "--to", "chrome", trace, status=(0, 1, 2))
            if not text:
                continue # a profile of sums
            document = json.loads(text)
            tracks = slices_of(document["traceEvents"])
            for track, slices in tracks.items():
                expect("%s: track %s nests" % (name, track), overlapping(slices), None)
            if kind == "xray":
                expect(name + ": has slices", any(tracks.values()), True)
                compare_begins(name, trace, text, document)
            compared += 1
    common.finish(compared, "timelines")


main()
