#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From vectors to slices: `analyze --bbv`, a k-means of our own in the place of SimPoint, and `slice --simpoints`. What each
slice executes is cut out of its stream by xtrace_model.py, from its own intervals; programs run under qemu-aarch64 where
there is one. Streams: those of tests/golden/xtrace, of one thread and of several, whose vectors are clustered together."""
import csv
import io
import json
import os
import random
import shutil
import struct
import subprocess
import tempfile

import common
import emulators
import xtrace_model as model
from common import expect, run

QEMU = os.environ.get("QEMU_AARCH64") or shutil.which("qemu-aarch64")
compared = 0


def distance(a, b):
    return sum((a.get(key, 0) - b.get(key, 0)) ** 2 for key in set(a) | set(b))


def mean(vectors):
    keys = {key for vector in vectors for key in vector}
    return {key: sum(vector.get(key, 0) for vector in vectors) / len(vectors) for key in keys}


def clusters(vectors, count):
    """[(interval, cluster, weight)]: of each cluster the vector nearest to its middle, as SimPoint chooses."""
    normed = [{key: value / sum(vector.values()) for key, value in vector.items()} for vector in vectors]
    middles = random.Random(13).sample(normed, count)
    for _ in range(20):
        member = [min(range(count), key=lambda c, v=vector: (distance(v, middles[c]), c)) for vector in normed]
        groups = [[normed[n] for n in range(len(normed)) if member[n] == c] for c in range(count)]
        middles = [mean(group) if group else middles[c] for c, group in enumerate(groups)]
    found = []
    for c in range(count):
        mine = [n for n in range(len(normed)) if member[n] == c]
        if mine:
            best = min(mine, key=lambda n, m=middles[c]: (distance(normed[n], m), n))
            found.append((best, c, len(mine) / len(normed)))
    return found


def vectors_of(text):
    """What SimPoint reads: ":block:count" apart by blanks, behind T."""
    return [{int(part.split(":")[1]): int(part.split(":")[2]) for part in line[1:].split()}
            for line in text.splitlines()]


class Part(model.Stream):
    """A slice, whose name has no thread."""

    def __init__(self, path):
        self.path, self.id = path, 0
        with open(path, "rb") as file:
            self.data = file.read()
        self.snapshots = self.read_snapshots(path.replace("xinsndata", "xsnapshot"))
        self.events = list(self.decode())


def places_of(stream):
    """(instruction, snapshot number): where the snapshots are."""
    found, number = [], 0
    for event in stream.events:
        if event[0] == "x":
            found.append((number, event[1]))
        number += event[0] == "i"
    return found


def intervals_of(streams, interval):
    """(stream, number of its first instruction, {address: instructions}), one stream behind the other."""
    found = []
    for stream in streams:
        first = 0
        for vector in model.blocks(stream, interval or None)[1]:
            found.append((stream, first, vector))
            first += sum(vector.values())
    return found


def check_vectors(what, args, text, intervals):
    """Blocks have the same number in all threads: the table says which address it is."""
    table = list(csv.DictReader(io.StringIO(run(*args, "--csv"))))
    addresses = {int(row["block"]): int(row["address"], 16) for row in table}
    expect(what + ": a number is an address", len(set(addresses.values())), len(addresses))
    expect(what + ": vectors", [{addresses[block]: count for block, count in vector.items()} for vector in vectors_of(text)],
           [vector for _, _, vector in intervals])
    expect(what + ": threads of intervals", {int(row["interval"]): row["thread"] for row in table},
           {number: str(stream.id) for number, (stream, _, _) in enumerate(intervals)})


def check_slices(name, streams, interval, warmup, scratch):
    global compared
    option = ["--interval", str(interval)] if interval else []
    what = "%s, intervals %s, warm-up %d" % (name, interval, warmup)
    paths = [stream.path for stream in streams]
    intervals = intervals_of(streams, interval)
    text = run("analyze", "--bbv", *option, *paths)
    check_vectors(what, ["analyze", "--bbv", *option, *paths], text, intervals)
    chosen = clusters(vectors_of(text), 3)
    points, weights, folder = (os.path.join(scratch, n) for n in ("program.simpoints", "program.weights", "slices"))
    with open(points, "w", encoding="ascii") as file:
        file.writelines("%d %d\n" % (number, cluster) for number, cluster, _ in chosen)
    with open(weights, "w", encoding="ascii") as file:
        file.writelines("%g %d\n" % (weight, cluster) for _, cluster, weight in chosen)
    args = ["slice", "--simpoints", points, "--weights", weights, "--warmup", str(warmup), *option]
    table = json.loads(run(*args, "--json", "-o", folder, *paths))
    expect(what + ": CSV says the same", [{k: v for k, v in row.items()} for row in
                                          csv.DictReader(io.StringIO(run(*args, "--csv", "-o", folder, *paths)))],
           [{k: "%g" % v if k == "weight" else "" if v is None else str(v) for k, v in row.items()}
            for row in table["simpoints"]])
    wanted = []
    for number, cluster, weight in sorted(chosen):
        stream, first, vector = intervals[number]
        begin, snapshot = [p for p in places_of(stream) if p[0] <= max(first - warmup, 0)][-1]
        wanted.append({"cluster": cluster, "interval": number, "weight": float("%g" % weight), "thread": stream.id,
                       "first": first, "instructions": sum(vector.values()), "before": first - begin,
                       "snapshot": snapshot, "file": "simpoint.%d.xinsndata.bin" % cluster})
    expect(what + ": table", table["simpoints"], wanted)
    for row in wanted:
        part = Part(os.path.join(folder, row["file"]))
        stream = intervals[row["interval"]][0]
        begin = row["first"] - row["before"]
        expect(what + ": what the slice executes", part.instructions(),
               stream.instructions()[begin:row["first"] + row["instructions"]])
        expect(what + ": the slice's first snapshot", part.snapshots[0]["x"], stream.snapshots[row["snapshot"]]["x"])
        compared += 1
    return args, wanted


def check_programs(name, streams, args, wanted, scratch):
    """The same slices as programs: each comes to its end."""
    global compared
    folder = os.path.join(scratch, "programs")
    paths = [stream.path for stream in streams]
    table = json.loads(run(*args, "--to", "elf", "--json", "-o", folder, *paths))["simpoints"]
    expect(name + ": programs", [row["file"] for row in table], ["simpoint.%d.elf" % row["cluster"] for row in wanted])
    for row in table:
        (stream,) = [stream for stream in streams if stream.id == row["thread"]]
        program = os.path.join(folder, row["file"])
        with open(program, "rb") as file:
            expect(name + ": a program for AArch64", struct.unpack_from("<4s14xH", file.read(20)), (b"\x7fELF", 183))
        if QEMU and max(stream.snapshots[row["snapshot"]]["x"][31:]) >> 47 == 0:
            expect(name + ": ends well", emulators.run([QEMU, "-cpu", "max", program]).returncode, 0)
            compared += 1


def common_intervals(streams, interval):
    """[[instructions of each stream before which the interval begins], ...] and the vectors: all instructions in the order
    of their TIME, which is that of the one before where one has none; cut where as many were executed."""
    merged, blocks = [], []
    for number, stream in enumerate(streams):
        time, timed, mine, start, expected = -1, True, [], None, None
        for event in stream.events:
            if event[0] == "i":
                _, level, pc, opcode = event
                start = pc if start is None or (pc, level) != expected else start
                expected, timed = (pc + 4, level), False
                mine.append([time, number, len(mine), start])
                start = None if model.is_branch(opcode) else start
            elif event[0] == "t" and not timed:
                time, timed = event[1], True
                mine[-1][0] = time
        merged += mine
    merged.sort(key=lambda item: item[:3])
    begins, vectors, at, done, end = [[0] * len(streams)], [{}], [0] * len(streams), 0, interval
    for n, (time, number, _, start) in enumerate(merged):
        if n and (time, number) != tuple(merged[n - 1][:2]) and merged[n - 1][0] >= 0 and done >= end:
            begins.append(list(at))
            vectors.append({})
            end += ((done - end) // interval + 1) * interval
        vectors[-1][start] = vectors[-1].get(start, 0) + 1
        at[number] += 1
        done += 1
    return begins + [at], vectors


def check_together(name, streams, interval, warmup, scratch):
    """Intervals of all threads by their common time, and slices of each thread of one, which are a program together."""
    global compared
    what = "%s, intervals of %d together" % (name, interval)
    paths = [stream.path for stream in streams]
    option = ["--together", "--interval", str(interval)]
    begins, wanted = common_intervals(streams, interval)
    text = run("analyze", "--bbv", *option, *paths)
    table = list(csv.DictReader(io.StringIO(run("analyze", "--bbv", *option, "--csv", *paths))))
    addresses = {int(row["block"]): int(row["address"], 16) for row in table}
    expect(what + ": vectors", [{addresses[block]: count for block, count in vector.items()} for vector in vectors_of(text)],
           wanted)
    expect(what + ": of all threads", {row["thread"] for row in table}, {"all"})
    rows = csv.DictReader(io.StringIO(run("analyze", "--mix", "--syscalls", *option, "--csv", *paths)))
    got = {(int(row["thread"]), int(row["interval"])): (int(row["first"]), int(row["instructions"])) for row in rows}
    parts = {(stream.id, n): (begins[n][i], begins[n + 1][i] - begins[n][i])
             for i, stream in enumerate(streams) for n in range(len(wanted))}
    expect(what + ": counters", {key: got.get(key, (part[0], 0)) for key, part in parts.items()}, parts)
    chosen = [(n, cluster, 0.5) for cluster, n in enumerate((1, len(wanted) // 2))]
    points, weights, folder = (os.path.join(scratch, n) for n in ("together.simpoints", "together.weights", "together"))
    with open(points, "w", encoding="ascii") as file:
        file.writelines("%d %d\n" % (number, cluster) for number, cluster, _ in chosen)
    with open(weights, "w", encoding="ascii") as file:
        file.writelines("%g %d\n" % (weight, cluster) for _, cluster, weight in chosen)
    told = json.loads(run("slice", "--simpoints", points, "--weights", weights, "--warmup", str(warmup), *option, "--json",
                          "-o", folder, *paths))
    expect(what + ": weight", told["weight"], 1)
    rows = [(n, cluster, stream, parts[stream.id, n]) for n, cluster, _ in chosen for stream in streams if parts[stream.id, n][1]]
    expect(what + ": slices", [(r["interval"], r["cluster"], r["thread"], r["first"], r["instructions"], r["file"])
                               for r in told["simpoints"]],
           [(n, cluster, stream.id, *part, "xtrace.simpoint-%d.%d.hint9.xinsndata.bin" % (cluster, stream.id))
            for n, cluster, stream, part in rows])
    for row, (_, _, stream, part) in zip(told["simpoints"], rows):
        begin = part[0] - row["before"]
        expect(what + ": what a slice executes", Part(os.path.join(folder, row["file"])).instructions(),
               stream.instructions()[begin:part[0] + part[1]])
        compared += 1
    for cluster in (0, 1):
        files = [os.path.join(folder, row["file"]) for row in told["simpoints"] if row["cluster"] == cluster]
        # What other threads stored before their slices begin is told at most, and is no violation.
        checked = subprocess.run([common.command(), "check", "--json", *files], capture_output=True, text=True, check=False)
        expect(what + ": check", (checked.returncode, [row for row in map(json.loads, checked.stdout.splitlines()) if not row.get("note")]),
               (0, []))
        program = os.path.join(scratch, "together.elf")
        run("slice", "--to", "elf", "-o", program, *files)
        if QEMU:
            expect(what + ": one program ends well", emulators.run([QEMU, "-cpu", "max", program]).returncode, 0)
            compared += 1


def main():
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("u1-recur-vl128", "u2-sys-vl128", "u3-simd-vl128", "u4-thr-time"):
            streams = [model.Stream(path) for path in model.unpack(name, scratch)]
            there = os.path.join(scratch, name)
            # From snapshot to snapshot; of 100 user instructions, most of which begin at none.
            if sum(len(stream.snapshots) for stream in streams) >= 3:
                check_slices(name, streams, 0, 0, there)
            args, wanted = check_slices(name, streams, 100, 150, there)
            check_programs(name, streams, args, wanted, there)
            if name == "u4-thr-time":
                for interval, warmup in ((1000, 0), (333, 200), (1, 0)):
                    check_together(name, streams, interval, warmup, there)
            # The cut of one thread, of several that are there.
            if len(streams) > 1:
                last = streams[-1]
                chosen = intervals_of([last], 100)
                expect(name + ": vectors of one thread", run("analyze", "--bbv", "--interval", "100", "--thread",
                       str(last.id), *[stream.path for stream in streams]).count("T:"), len(chosen))
                expect(name + ": threads that have a point", len({row["thread"] for row in wanted}), len(streams))
    common.finish(compared, "slices")


if __name__ == "__main__":
    main()
