#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ordinal_windows.py TRACELATHE: windows of instruction numbers in `view` and `query`, of streams of xtrace without TIME.

What ran in a window is counted one by one: by the walk of xtrace_profile.py, which reads tokens and follows calls by itself,
and knows after each instruction which functions are on the stack.
"""
import collections
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

import common
from common import expect
from xtrace_profile import Symbols, Walk, instructions

sys.path.insert(0, os.path.join(common.ROOT, "tests", "web"))
from viewing import View  # noqa: E402  (tests/web is not on the path)

NAMES = ("u1-recur-vl128", "u2-sys-vl128", "u3-simd-vl128", "u7-recur-vl2048", "u8-sve-vl256")
PIXELS = 16000
WINDOWS = 5


def name_of(function):
    """A function without symbols is called by the address that was called."""
    return hex(function[1])


class Recorder(Walk):
    """Keeps what is on the stack at each instruction, and each frame from its begin to its end."""

    def __init__(self, symbols, entries):
        super().__init__(symbols, entries)
        self.at, self.tops, self.stacks, self.frames = 0, [], [], []
        self.selves = collections.Counter()  # by number of the frame

    def push(self, function, back, origin, called, handler=False):
        super().push(function, back, origin, called, handler)
        self.stack[-1].number = len(self.frames)
        self.frames.append([self.at, -1, len(self.stack) - 1, name_of(function)])

    def pop(self, finished=True):
        number = self.stack[-1].number
        super().pop(finished)
        if self.at < self.count:
            self.frames[number][1] = self.at

    def spend(self, el, pc, accesses):
        self.tops.append(name_of(self.stack[-1].function))
        self.selves[self.stack[-1].number] += 1
        self.stacks.append(frozenset(name_of(frame.function) for frame in self.stack))
        self.at += 1

    def run(self, stream):
        self.count = len(stream)
        super().run(stream)


def walked(stream):
    symbols = Symbols(None)
    first = Walk(symbols, [])
    first.run(stream)
    recorder = Recorder(symbols, sorted(first.met))
    recorder.run(stream)
    return recorder


def profile(recorder, start, end):
    """{function: (self, inclusive)} of the instructions from `start` to before `end`."""
    own = collections.Counter(recorder.tops[start:end])
    whole = collections.Counter(name for names in recorder.stacks[start:end] for name in names)
    return {name: (own[name], count) for name, count in whole.items()}


def of_view(answer):
    functions = answer["functions"]
    return {name: (functions["self"][0][i], functions["inclusive"][0][i]) for i, name in enumerate(functions["name"])
            if functions["inclusive"][0][i]}


def rows(path, sql):
    done = subprocess.run([common.command(), "query", "--json", path, sql], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(sql, (done.returncode, done.stderr), (0, ""))
    found = json.loads(done.stdout)
    return [tuple(row.values()) if isinstance(row, dict) else tuple(row) for row in found]


def windows_of(count, chance):
    yield 0, count
    yield 0, 1
    yield count - 1, count
    for _ in range(WINDOWS):
        start = chance.randrange(count)
        yield start, min(count, start + chance.choice((1, 2, 10, 100, 1000)))


def compare(path, stream, chance):
    recorder, count = walked(stream), len(stream)
    asked = list(windows_of(count, chance))
    with View(common.command(), path) as view:
        file = view.ready()["files"][0]
        expect(path + ": clock", (file["clock"], file["frequency"], file["origin"]), ("instructions", 0, 0))
        for start, end in asked:
            what = "%s: %d to %d" % (path, start, end)
            answer = view.json("/api/profile", **{"from": start, "to": end})
            expect(what + ": instructions", answer["events"][0]["total"], end - start)
            expect(what + ": functions", of_view(answer), profile(recorder, start, end))
            shown = view.window(tracks=0, **{"from": start, "to": end}, pixels=PIXELS)[0]
            wanted = sorted((a, b, depth) for a, b, depth, _ in recorder.frames if a < end and (b < 0 or b >= start))
            expect(what + ": calls", sorted(zip(map(int, shown["start"]), map(int, shown["end"]), shown["depth"])), wanted)
    for start, end in asked:
        what = "%s: query of %d to %d" % (path, start, end)
        expect(what + ": instructions", rows(path, "SELECT ordinal, address FROM instructions WHERE ordinal >= %d AND ordinal < %d "
                                             "ORDER BY ordinal" % (start, end)), [(i, stream[i][1]) for i in range(start, end)])
        wanted = [(a, None if b < 0 else b, depth, name, recorder.selves[i]) for i, (a, b, depth, name) in enumerate(recorder.frames)
                  if start <= a < end]
        found = rows(path, 'SELECT start, "end", depth, name, self FROM calls WHERE start >= %d AND start < %d' % (start, end))
        expect(what + ": calls", sorted(found, key=str), sorted(wanted, key=str))
        accesses = [(i, size) for i in range(start, end) for _, size in stream[i][4]]
        expect(what + ": accesses", rows(path, "SELECT ordinal, size FROM accesses WHERE ordinal BETWEEN %d AND %d" %
                                         (start, end - 1)), accesses)
    return 5 * len(asked)


def main():
    chance, compared = random.Random(17), 0
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            for packed in sorted(glob.glob(os.path.join(common.ROOT, "tests", "golden", "xtrace", name, "*xinsndata.bin.zst"))):
                path = os.path.join(folder, name + "." + os.path.basename(packed)[:-4])
                if not common.tool("zstd"):
                    continue
                subprocess.run(["zstd", "-dqo", path, packed], check=True)
                with open(path, "rb") as file:
                    data = file.read()
                compared += compare(path, instructions(data), chance)
    common.finish(compared, "windows of instruction numbers")


if __name__ == "__main__":
    main()
