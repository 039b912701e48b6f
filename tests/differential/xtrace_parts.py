#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles of parts of instruction streams (--instructions, --snapshots, --time, --level), by interval, exception level and
task, against the walk of xtrace_profile.py, in which each instruction and each call goes to a bin of its own."""
import collections
import csv
import glob
import io
import json
import os
import struct
import subprocess
import tempfile

import common
import xtrace_profile as profile
from common import expect, run

compared = 0


class Binned(profile.Walk):
    """A walk whose counts are kept by bin; `bins` has that of each instruction, None: it does not count."""

    def __init__(self, symbols, entries, bins):
        super().__init__(symbols, entries)
        self.bins, self.at = bins, 0
        self.cost = collections.defaultdict(lambda: collections.defaultdict(lambda: [0] * 6))
        self.incl = collections.defaultdict(lambda: collections.defaultdict(lambda: [0] * 6))
        self.entered = collections.defaultdict(collections.Counter)

    def bin(self):
        return self.bins[self.at]

    def push(self, function, back, origin, called, handler=False):
        super().push(function, back, origin, called, handler)
        if called and self.bin() is not None:
            self.entered[self.bin()][function] += 1

    def spend(self, el, pc, accesses):
        number = self.bin()
        self.at += 1
        if number is None:
            return
        cost = [1, 0, 0, 0, 0, el > 0]
        for store, size in accesses:
            cost[2 if store else 1] += 1
            cost[4 if store else 3] += size
        for function in {frame.function for frame in self.stack}:
            self.incl[number][function] = [a + b for a, b in zip(self.incl[number][function], cost)]
        top = self.stack[-1].function
        self.cost[number][top] = [a + b for a, b in zip(self.cost[number][top], cost)]


def walk(stream, bins):
    symbols = profile.Symbols(None)
    first = profile.Walk(symbols, [])
    first.run(stream)
    binned = Binned(symbols, sorted(first.met), bins)
    binned.run(stream)
    return binned


def table(walked, number):
    """{(name, object): [calls, self, inclusive]} of what the part has."""
    rows = {}
    for function in set(walked.incl[number]) | set(walked.entered[number]):
        name = "0x%x" % function[1] if function[1] else "[unknown]"
        rows[name, "kernel" if function[2] else ""] = [walked.entered[number][function], walked.cost[number][function],
                                                      walked.incl[number][function]]
    return rows


EVENTS = ("Ir", "Loads", "Stores", "LoadBytes", "StoreBytes", "IrKernel")


def numbers(row, what):
    return [int(row.get("%s:%s" % (event, what), 0)) for event in EVENTS]


def ours(path, *options):
    return list(csv.DictReader(io.StringIO(run("report", "--csv", path, *options))))


def as_table(rows):
    return {(row["function"], row["object"]): [int(row["calls"]), numbers(row, "self"), numbers(row, "inclusive")]
            for row in rows}


def compare_part(what, path, stream, bins, *options):
    global compared
    walked = walk(stream, bins)
    for jobs in ("1", "2"):
        expect("%s %s" % (what, " ".join(options)), as_table(ours(path, *options, "--jobs", jobs)), table(walked, 0))
    lines = collections.Counter()
    for line in json.loads(run("convert", "--to", "json", path, *options))["lines"]:
        lines[profile.address(line["at"]["address"])] += line["self"][0]
    wanted = collections.Counter(insn[1] for insn, number in zip(stream, bins) if number is not None)
    expect("%s %s lines" % (what, " ".join(options)), dict(lines), dict(wanted))
    compared += len(lines)


def compare_jumps(what, path, stream, first, end):
    """Conditional branches: executed and taken count with the branch, also if what it led to is outside."""
    options = ("--instructions", "%d..%d" % (first, end))
    executed, taken = collections.Counter(), collections.Counter()
    for insn, behind in list(zip(stream, stream[1:] + [None]))[first:end]:
        kind, target = profile.flow(insn[1], insn[2])
        if kind != "conditional":
            continue
        executed[insn[1]] += 1
        taken[insn[1]] += bool(behind and behind[0] == insn[0] and behind[1] == target and target != insn[1] + 4)
    for jump in json.loads(run("convert", "--to", "json", path, *options))["jumps"]:
        if jump["conditional"]:
            at = profile.address(jump["from"]["address"])
            expect("%s %s jump 0x%x" % (what, options[1], at), (jump["executed"], jump["taken"]), (executed[at], taken[at]))


def compare_bins(what, path, stream, bins, rows_of, *options):
    global compared
    walked = walk(stream, bins)
    for jobs in ("1", "2"):
        got = rows_of(ours(path, *options, "--jobs", jobs))
        wanted = {number: table(walked, number) for number in set(bins) - {None}}
        for number in sorted(set(got) | set(wanted), key=str):
            expect("%s %s bin %s" % (what, options[0], number), got.get(number), wanted.get(number))
            compared += 1


def by_interval(rows):
    kept = collections.defaultdict(list)
    for row in rows:
        kept[int(row["interval"])].append(row)
    return {number: as_table(some) for number, some in kept.items()}


def compare_units(what, path, bins, stream, by, names, *more):
    """Rows of levels and tasks: self cost, and calls."""
    walked = walk(stream, bins)
    wanted = {}
    for number in set(bins) - {None}:
        cost = [sum(column) for column in zip(*walked.cost[number].values())] or [0] * 6
        wanted[names(number)] = [sum(walked.entered[number].values()), cost]
    got = {row[by]: [int(row["calls"]), numbers(row, "self")] for row in ours(path, "--by", by, *more)}
    expect("%s --by %s" % (what, by), got, wanted)


# ---- what the options choose, from the bytes ----

def tokens(data):
    """(number of the instruction, token, place) of every token that is not SVCRET or ALLGPR."""
    at, number = 0, -1
    while at < len(data):
        token = data[at]
        number += token & 7 == 1
        yield number, token, at
        if token & 7 == 1:
            at += 13 if token >> 3 & 7 else 5
        elif token & 7 == 2:
            at += 9 + (1 << (token >> 4))
        elif token == 0x24:
            at += 9 + 16 * struct.unpack_from("<Q", data, at + 1)[0]
        else:
            at += 257 if token == 0x0C else 9


def times(data):
    """TIME of each instruction: of its first access, or of the one before."""
    found, count = {}, 0
    for number, token, at in tokens(data):
        count = number + 1
        if token == 0x07:
            found.setdefault(number, struct.unpack_from("<Q", data, at + 1)[0])
    late, out = None, []
    for number in range(count):
        late = found.get(number, late)
        out.append(late)
    return out


def tasks(data, stream):
    """The thread of the kernel that each instruction runs in: what MSR SP_EL0 wrote before it."""
    told = {number: struct.unpack_from("<Q", data, at + 1)[0] for number, token, at in tokens(data)
            if token == 0x0B and stream[number][2] & ~31 == 0xD5184100}
    told = {number: value for number, value in told.items() if value >> 63}
    now = told[min(told)] if told else -1
    out = []
    for number in range(len(stream)):
        out.append(now)
        now = told.get(number, now)
    return out


def snapshots(path):
    """Total instructions before each snapshot, as `dump --snapshots` shows what the file says."""
    text = run("dump", "--snapshots", "--json", path)
    return [json.loads(line)["total"] for line in text.splitlines()] if text else []


def ranged(count, first, end):
    return [0 if first <= i < end else None for i in range(count)]


def compare_tasks(name, path, data, stream, *more):
    kind = "core" if any(insn[0] for insn in stream) else "thread"
    compare_units(name, path, tasks(data, stream), stream, "task",
                  lambda task: "task 0x%x" % task if task >= 0 else "%s %s" % (kind, path.split(".")[-4]), *more)


def several_tasks(path, data, stream, folder):
    """The same trace, but every second thread of the kernel that it tells is another one."""
    changed, count = bytearray(data), 0
    for number, token, at in tokens(data):
        if token == 0x0B and stream[number][2] & ~31 == 0xD5184100 and data[at + 8] >> 7:
            count += 1
            changed[at + 2] ^= 0x10 * (count % 2)
    expect("the trace tells tasks", count > 2, True)
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, "wb") as file:
        file.write(changed)
    partner = path.replace("xinsndata", "xsnapshot")
    if os.path.exists(partner):
        os.symlink(os.path.abspath(partner), copy.replace("xinsndata", "xsnapshot"))
    return copy, bytes(changed)


def told_at_ends(path, data, stream, folder):
    """The same trace with a snapshot behind each instruction that tells a task: it is the last one of its segment."""
    out, places, told = bytearray(), [], False
    every = list(tokens(data))
    for (number, token, at), (_, _, after) in zip(every, every[1:] + [(0, 0, len(data))]):
        if token & 7 == 1 and told:
            places.append((len(out), number))
            out += struct.pack("<BQI", token | 8, stream[number][1], stream[number][2])
        else:
            out += data[at:after]
        told = told and token & 7 not in (1, 4) and token != 0x1B or \
            token == 0x0B and stream[number][2] & ~31 == 0xD5184100 and data[at + 8] >> 7 == 1
    expect("tasks are told at the ends of segments", len(places) > 2, True)
    copy = os.path.join(folder, os.path.basename(path))
    os.makedirs(os.path.dirname(copy))
    with open(copy, "wb") as file:
        file.write(out)
    with open(copy.replace("xinsndata", "xsnapshot"), "wb") as file:
        file.write(struct.pack("<IIQ3B5x", 0x31525458, 0, 1, 0, 1, 0))
        for place, number in places:
            user = sum(insn[0] == 0 for insn in stream[:number])
            file.write(struct.pack("<4Q1384xQ", 0, place, user, number, 128))
    shown = run("dump", "--snapshots", "--json", copy)
    expect("snapshots where tasks are told", [json.loads(line)["stream_offset"] for line in shown.splitlines()],
           [place for place, _ in places])
    return copy, bytes(out)


def compare_stream(name, path):
    data = open(path, "rb").read()
    stream = profile.instructions(data)
    count = len(stream)
    third = count // 3
    only = ("--thread", path.split(".")[-4])
    for first, end in ((third, 2 * third), (third + 1, third + 2), (0, 7), (count - 5, count)):
        compare_part(name, path, stream, ranged(count, first, end), "--instructions", "%d..%d" % (first, end), *only)
        compare_jumps(name, path, stream, first, end)
    levels = {insn[0] for insn in stream}
    for level in sorted(levels):
        compare_part(name, path, stream, [0 if i[0] == level else None for i in stream], "--level", str(level), *only)
    compare_units(name, path, [i[0] for i in stream], stream, "level", lambda level: "EL%d" % level)
    chosen = [0 if i[0] == 0 and third <= n < 2 * third else None for n, i in enumerate(stream)]
    if 0 in chosen:
        compare_part(name, path, stream, chosen, "--level", "0", "--instructions", "%d..%d" % (third, 2 * third), *only)
    for length in (third + 11, 97) if count < 20000 else (third + 11,):
        compare_bins(name, path, stream, [i // length for i in range(count)], by_interval, "--interval", str(length), *only)
    length = 50
    bins = [(i - third) // length if third <= i < 2 * third else None for i in range(count)]
    compare_bins(name, path, stream, bins, by_interval, "--interval", str(length), "--instructions",
                 "%d..%d" % (third, 2 * third), *only)
    compare_tasks(name, path, data, stream)
    if len(levels) > 1:
        with tempfile.TemporaryDirectory() as folder:
            copy, changed = several_tasks(path, data, stream, folder)
            compare_tasks(name + " of several tasks", copy, changed, stream)
            for jobs in ("1", "2"):
                compare_tasks(name + " told at ends, jobs " + jobs,
                              *told_at_ends(copy, changed, stream, os.path.join(folder, jobs)), stream, "--jobs", jobs)
    late = times(data)
    if any(late):
        known = sorted(t for t in late if t is not None)
        low, high = known[len(known) // 4], known[len(known) // 2]
        first = next(i for i, t in enumerate(late) if t is not None and t >= low)
        end = next(i for i, t in enumerate(late) if t is not None and t >= high)
        compare_part(name, path, stream, ranged(count, first, end), "--time", "%d..%d" % (low, high), *only)
    before = snapshots(path)
    if len(before) > 2:
        bins = ranged(count, before[1] - before[0], before[2] - before[0])
        compare_part(name, path, stream, bins, "--snapshots", "1..2", *only)


def refused(*words):
    tool = subprocess.run([common.command(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(" ".join(words[:1] + words[2:]) + " is refused", (tool.returncode, tool.stdout), (2, ""))
    return tool.stderr


def compare_refusals(path):
    for options in (("--instructions", "1000000000..1000000001"), ("--snapshots", "100000..100001"), ("--level", "3"),
                    ("--interval", "5", "--by", "level"), ("--interval", "5", "--by", "task"), ("--time", "0.5..1")):
        refused("report", path, *options)
    expect("a trace that is no profile", "counts, and this is none" in
           refused("convert", path, "--to", "jsonl", "--instructions", "0..5"), True)
    other = os.path.join(common.ROOT, "tests", "golden", "callgrind", "threads.out-01")
    expect("another format", "no numbers of instructions" in refused("report", other, "--level", "0"), True)


def main():
    paths = sorted(glob.glob(os.path.join(profile.CORPUS, "*", "*.xinsndata.bin")))
    if common.WHOLE and not common.LONG:
        paths = [p for p in paths if os.path.basename(os.path.dirname(p))[:2] in common.some(("u2", "k1", "u4"))]
    for path in paths:
        compare_stream(os.path.basename(os.path.dirname(path)), path)
    compare_refusals(paths[0])
    common.finish(compared, "lines and tables compared")


if __name__ == "__main__":
    main()
