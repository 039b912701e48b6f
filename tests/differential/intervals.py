#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`analyze --interval N`: each row against the plain model's counts of those instructions; `--time`: instructions by
their TIME tokens. On the recordings of tests/golden/xtrace: a group of threads with TIME, and a core's."""
import csv
import io
import json
import os
import subprocess
import tempfile

import common
import xtrace_model as model
from common import expect, run

LENGTH, LINE, PAGE = 700, 64, 4096
# As USUAL_LEVELS of analyses.py, from docs/analyze.md: two caches are enough here.
TEXT = "L1D data size=1K ways=2 line=64 next=L2\nL2 unified size=2K ways=4 line=64 shared\n"
LEVELS = [("L1D", "d", False, 64, 2, 8, "L2", False, False), ("L2", "id", False, 64, 4, 8, None, True, False)]
compared = 0


def numbered(stream):
    """(number of the instruction, event) of what belongs to instructions."""
    number = -1
    for event in stream.events:
        number += event[0] == "i"
        if number >= 0:
            yield number, event


def rows_of(stream):
    """[{column: count}] by interval, of what needs no other stream."""
    count = len(stream.instructions())
    rows = [dict.fromkeys(("instructions", "user", "loads", "stores", "syscalls", "branches"), 0)
            for _ in range((count + LENGTH - 1) // LENGTH)]
    touched = [{"fetch": set(), "data": set()} for _ in rows]
    for number, event in numbered(stream):
        row, lines = rows[number // LENGTH], touched[number // LENGTH]
        if event[0] == "i":
            _, level, pc, opcode = event
            row["instructions"] += 1
            row["user"] += level == 0
            row["syscalls"] += opcode & 0xffe0001f == 0xd4000001
            # Where a branch led is known at the next instruction, with which it counts. ERET, SVC are none.
            if model.is_branch(opcode) and opcode >> 24 != 0xd4 and opcode & 0xffe00000 != 0xd6800000:
                rows[min(number + 1, count - 1) // LENGTH]["branches"] += 1
            lines["fetch"].update(model.units(pc, 4, LINE))
        elif event[0] == "a":
            row["stores" if event[1] else "loads"] += 1
            lines["data"].update(model.units(event[2], len(event[3]), LINE))
        elif event[0] == "z":
            row["stores"] += 1
            lines["data"].update(model.units(event[1] & ~63, 64, LINE))
    for row, lines in zip(rows, touched):
        for use, name in (("fetch", "fetched"), ("data", "data")):
            row["lines:" + name] = len(lines[use])
            row["pages:" + name] = len({line * LINE // PAGE for line in lines[use]})
    add_reuse(stream, rows)
    return rows


def add_reuse(stream, rows):
    for use in ("fetch", "data"):
        stack = []
        for row in rows:
            row.update({use + ":touches": 0, use + ":cold": 0, use + ":distances": 0})
        for number, event in numbered(stream):
            row = rows[number // LENGTH]
            if event[0] == "i":
                touch = ("fetch", event[2], 4)
            elif event[0] in "az":
                touch = ("data",) + ((event[2], len(event[3])) if event[0] == "a" else (event[1] & ~63, 64))
            else:
                continue
            for unit in model.units(touch[1], touch[2], LINE) if touch[0] == use else ():
                row[use + ":touches"] += 1
                if unit in stack:
                    row[use + ":distances"] += stack.index(unit)
                    stack.remove(unit)
                else:
                    row[use + ":cold"] += 1
                stack.insert(0, unit)


def add_caches(streams, rows):
    """Shared caches: in the order of TIME."""
    caches, fetched = model.Caches(LEVELS, len(streams)), [0] * len(streams)
    for of_stream in rows:
        for row in of_stream:
            row.update({"%s:%s" % (level[0], what): 0 for level in LEVELS for what in ("accesses", "misses")})
    for core, (use, _, address, size) in model.in_turn(streams):
        fetched[core] += use == "fetch"
        caches.counts = {}
        caches.touch(core, use, address, size)
        row = rows[core][(fetched[core] - 1) // LENGTH]
        for (_, level, _), (accesses, misses) in caches.counts.items():
            row[level + ":accesses"] += accesses
            row[level + ":misses"] += misses


def table(*args):
    return list(csv.DictReader(io.StringIO(run("analyze", "--csv", *args))))


def check_rows(name, streams, description):
    global compared
    wanted = [rows_of(stream) for stream in streams]
    add_caches(streams, wanted)
    paths = [stream.path for stream in streams]
    args = ["--footprint", "--reuse", "--branches", "--mix", "--syscalls", "--cache=" + description, "--interval",
            str(LENGTH), *paths]
    got = table(*args)
    flat = [(str(s.id), n, row) for s, of_stream in zip(streams, wanted) for n, row in enumerate(of_stream)]
    expect(name + ": rows", [(r["thread"], int(r["interval"]), int(r["first"])) for r in got],
           [(thread, n, n * LENGTH) for thread, n, _ in flat])
    for row, (thread, number, plain) in zip(got, flat):
        what = "%s, thread %s, interval %d" % (name, thread, number)
        expect(what, {column: int(row[column]) for column in plain}, plain)
        compared += 1
    # The classes are those of the mix of the part.
    for row in got[:4]:
        first = int(row["first"])
        part = json.loads(run("analyze", "--mix", "--json", "--thread", row["thread"], "--instructions",
                              "%d..%d" % (first, first + LENGTH), *paths))
        classes = {"class:" + r["class"]: r["all"] for r in part["classes"]}
        expect(name + ": classes", {k: int(v) for k, v in row.items() if k.startswith("class:") and v != "0"}, classes)
    whole = json.loads(run("analyze", "--json", *args))
    expect(name + ": JSON", [{k: str(v) for k, v in row.items()} for row in whole["intervals"]], got)
    expect(name + ": the other tables, too", {"classes", "footprint", "reuse", "cache", "branches"} <= set(whole), True)
    for level in LEVELS:
        total = sum(r["misses"] for r in whole["cache"] if r["level"] == level[0] and
                    (r["thread"] == "all" if len(streams) > 1 else True) and r["access"] == "all")
        if total:
            expect(name + ": misses of all intervals", sum(int(r[level[0] + ":misses"]) for r in got), total)


def check_part(streams):
    """Intervals of a part begin with it."""
    stream = streams[0]
    got = table("--footprint", "--interval", "100", "--instructions", "250..512", stream.path)
    expect("of a part", [(int(r["first"]), int(r["instructions"])) for r in got], [(250, 100), (350, 100), (450, 62)])


def check_time(streams):
    """Instructions with a TIME in the window, and those behind them without."""
    global compared
    times = sorted(event[1] for stream in streams for event in stream.events if event[0] == "t")
    for first, end in ((times[10], times[len(times) // 2]), (0, times[30]), (times[-20], None)):
        wanted = {}
        for stream in streams:
            time, count, numbers = {}, -1, []
            for event in stream.events:
                count += event[0] == "i"
                if event[0] == "t":
                    time.setdefault(count, event[1])
            last = None
            for number in range(count + 1):
                last = time.get(number, last)
                if first == 0 and last is None or last is not None and first <= last and (end is None or last < end):
                    numbers.append(number)
            if numbers:
                wanted[str(stream.id)] = (numbers[0], len(numbers))
        got = table("--footprint", "--interval", "1000000", "--time", "%d..%s" % (first, "" if end is None else end),
                    *[stream.path for stream in streams])
        expect("TIME %s..%s" % (first, end),
               {r["thread"]: (int(r["first"]), int(r["instructions"])) for r in got}, wanted)
        compared += 1


def refused(what, word, *args):
    done = subprocess.run([common.command(), "analyze", *args], capture_output=True, text=True, check=False)
    expect(what, (done.returncode, word in done.stderr), (2, True))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        description = os.path.join(scratch, "caches")
        with open(description, "w", encoding="ascii") as file:
            file.write(TEXT)
        for name in ("u4-thr-time", "k1-core-el01"):
            streams = [model.Stream(path) for path in model.unpack(name, scratch)]
            check_rows(name, streams, description)
            check_part(streams)
            if name.startswith("u4"):
                check_time(streams)
                refused("TIME with a unit", "whole", "--time", "1ms..2", streams[0].path)
        refused("no TIME", "TIME", "--time", "1..2", streams[0].path)
    common.finish(compared, "intervals")


if __name__ == "__main__":
    main()
