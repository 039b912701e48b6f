#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chrome timelines as their readers see them: times are doubles, ends are sums of doubles, and every slice of a track lies
inside or beside every other one. Slices begin at the tick that the trace says, counted from its first record."""
import json
import os
import struct
import subprocess
import tempfile
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


def log_of(path, process, frequency, wall, first, calls):
    """An FDR log of one thread: (id, begin, end) in ticks, one after the other, and the wall clock at its first TSC."""
    def metadata(kind, data):
        return bytes([kind << 1 | 1]) + data.ljust(15, b"\0")
    body = metadata(0, struct.pack("<i", 2)) + metadata(4, struct.pack("<QI", wall // 10 ** 6, wall % 10 ** 6))
    body += metadata(9, struct.pack("<i", process)) + metadata(2, struct.pack("<HQ", 0, first))
    at = first
    for number, begin, end in calls:
        body += struct.pack("<II", number << 4, begin - at) + struct.pack("<II", 1 << 1 | number << 4, end - begin)
        at = end
    with open(path, "wb") as file:
        file.write(struct.pack("<HHIQQQ", 5, 1, 3, frequency, 16384, 0) + metadata(7, struct.pack("<Q", len(body))) + body)
    return path


def microseconds(*args):
    """{(process, name): begin} of the slices of a timeline, from the first record of all."""
    events = json.loads(common.run("timeline", "--to", "chrome", *args))["traceEvents"]
    return {(e["pid"], e["name"]): round(e["ts"], 3) for e in events if e["ph"] in "XB"}


def several(folder):
    """Logs on one clock: of one machine by their TSC, of others by their wall clocks, and what cannot be compared refused."""
    epoch = 1700000000 * 10 ** 6
    one, two, three, four = (os.path.join(folder, n) for n in ("1", "2", "3", "4"))
    log_of(one, 1, 10 ** 9, epoch, 5000, [(1, 5000, 6000), (2, 9000, 9500)])
    log_of(two, 2, 10 ** 9, epoch + 7, 12000, [(3, 12000, 13000), (1, 15000, 16000)])
    wanted = {(1, "#1"): 0, (1, "#2"): 4, (2, "#3"): 7, (2, "#1"): 10}
    expect("one TSC", microseconds(one, two), wanted)
    expect("one TSC, the other way round", microseconds(two, one), wanted)
    # A wall clock that is 3 us off changes nothing: the TSC is the same.
    log_of(two, 2, 10 ** 9, epoch + 10, 12000, [(3, 12000, 13000), (1, 15000, 16000)])
    expect("one TSC, wall clocks off", microseconds(one, two), wanted)
    expect("a window from the first record of all", microseconds("--time", "6us..8us", one, two), {(2, "#3"): 7})
    # Another machine: started later, twice as fast.
    log_of(three, 3, 2 * 10 ** 9, epoch + 20, 700, [(4, 700, 800), (5, 2700, 2800)])
    wanted.update({(3, "#4"): 20, (3, "#5"): 21})
    got = microseconds(three, one, two)
    expect("another machine", set(got), set(wanted))
    expect("another machine: to a microsecond", [k for k in wanted if abs(got[k] - wanted[k]) > 1], [])
    expect("another machine: exact within a log", round(got[3, "#5"] - got[3, "#4"], 3), 1)
    for what, wall, first, told in (("from the start of a machine", 5 * 10 ** 6, 700, "counts from the start of a machine"),
                                    ("no wall clock", 0, 700, "no wall clock")):
        log_of(four, 4, 10 ** 9, wall, first, [(1, first, first + 100)])
        done = subprocess.run([common.command(), "timeline", "-o", os.path.join(folder, "out"), one, four], stderr=subprocess.PIPE, text=True)
        expect(what, (done.returncode, told in done.stderr, four in done.stderr), (2, True, True))
    log_of(four, 1, 10 ** 9, epoch, 9000, [(1, 9000, 9100)])
    done = subprocess.run([common.command(), "timeline", "-o", os.path.join(folder, "out"), one, four], stderr=subprocess.PIPE, text=True)
    expect("one thread twice", (done.returncode, "a thread of the same process" in done.stderr), (2, True))
    return 8


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
    with tempfile.TemporaryDirectory() as folder:
        compared += several(folder)
    common.finish(compared, "timelines")


main()
