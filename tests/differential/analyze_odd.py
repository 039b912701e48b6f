#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`analyze` with odd parameters against the plain models of the other tests: caches, predictors, lines and pages by chance, sets
that are no power of two, more ways than sets, intervals of one instruction, two ranges at once, lists of names with lines that are none; and what is refused. Streams:
recordings of tests/golden/xtrace that the models were not made on (threads that wait for each other, handlers of signals, SVE)."""
import json
import os
import random
import subprocess
import tempfile

import branches
import cache_policies
import common
import dependences
import intervals
import sharing
import xtrace_model as model
from common import expect, run

compared = 0
POLICIES = ("lru", "fifo", "random", "plru", "rrip")


# ---- caches ----

def made_caches(chance):
    """A row as cache_policies.py has them for each level: one or two first levels of caches, and perhaps of TLBs, above others."""
    def settings(writes, last):
        found = {"policy": chance.choice(POLICIES)}
        found.update({"seed": chance.choice((1, 3, 1 << 30))} if found["policy"] == "random" else {})
        found.update({"prefetch": chance.choice(("next", "stride"))} if chance.random() < 0.4 else {})
        found.update({"write": chance.choice(("back", "through"))} if writes and chance.random() < 0.6 else {})
        found.update({"inclusive": True} if chance.random() < 0.3 else {})
        found.update({"shared": True} if last and chance.random() < 0.5 else {})
        return found

    def geometry(least):
        line = least << chance.randrange(3)
        ways = chance.choice((1, 2, 3, 5, 7, 16, 33, 70))
        return line, ways, chance.choice((1, 2, 3, 4, 7, 11, 24))

    writes, rows = chance.random() < 0.5, []
    below, least = chance.randrange(3), chance.choice((16, 32, 64, 512))
    names = ["L%d" % (2 + n) for n in range(below)]
    first = [("I", "i"), ("D", "d")] if chance.random() < 0.7 else [("L1", "id")]
    lines = [geometry(least) for _ in first]
    for (name, side), shape in zip(first, lines):
        rows.append((name, side, *shape, names[0] if names else None, settings(writes, not names)))
    least = max(shape[0] for shape in lines)
    for n, name in enumerate(names):
        shape = geometry(least)
        least = shape[0]
        rows.append((name, "id", *shape, names[n + 1] if n + 1 < below else None, settings(writes, n + 1 == below)))
    return rows


def check_caches(name, streams, folder, count):
    global compared
    path, chance = os.path.join(folder, "caches.cfg"), random.Random(name)
    touches = list(model.in_turn(streams))
    for number in range(count):
        config = made_caches(chance)
        text = cache_policies.text_of(config)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        machine, pcs = cache_policies.Machine(config, len(streams)), {}
        for core, (use, _, address, size) in touches:
            if use == "fetch":
                pcs[core] = address
            machine.access(core, use, pcs.get(core, 0), address, size)
        got = json.loads(run("analyze", "--json", "--cache=" + path, *[s.path for s in streams]))
        what = "%s, caches %d:\n%s" % (name, number, text)
        expect(what, {(r["thread"], r["level"], r["access"]): [r["accesses"], r["misses"]] for r in got["cache"]
                      if r["access"] != "all" and r["thread"] != "all" and r["accesses"]},
               {(str(streams[key[0]].id), *key[1:]): value for key, value in machine.counts.items()})
        if "cache_traffic" in got:
            expect(what + ": traffic", {(r["thread"], r["level"]): [r["written"], r["prefetched"], r["useful"]]
                                        for r in got["cache_traffic"]},
                   {(str(streams[key[0]].id), key[1]): value for key, value in machine.traffic.items()})
        compared += 1


# ---- branches ----

def made_predictors(chance):
    """(text, models)."""
    def power(most):
        return 1 << chance.randrange(most)

    lines, models = [], {}
    for number in range(chance.randrange(1, 7)):
        name, kind = "P%d" % number, chance.choice(("bimodal", "gshare", "tage", "btb", "stack"))
        if kind == "bimodal":
            entries = power(12)
            words, models[name] = "entries=%d" % entries, branches.Bimodal(entries)
        elif kind == "gshare":
            entries, history = power(12), chance.choice((1, 2, 11, 33, 63, 64))
            words, models[name] = "entries=%d history=%d" % (entries, history), branches.Gshare(entries, history)
        elif kind == "tage":
            tables, entries, base = chance.randrange(1, 17), 2 << chance.randrange(9), power(10)
            history = chance.choice((4, 5, 7, 64, 129, 1000, 2048))
            words = "tables=%d entries=%d base=%d history=%d" % (tables, entries, base, history)
            models[name] = branches.Tage(tables, entries, base, history)
        elif kind == "btb":
            ways = chance.choice((1, 2, 3, 5, 17))
            entries = ways * chance.choice((1, 2, 3, 6, 41))
            words, models[name] = "entries=%d ways=%d" % (entries, ways), branches.Btb(entries, ways)
        else:
            entries = chance.choice((1, 2, 3, 7, 1000))
            words, models[name] = "entries=%d" % entries, branches.Stack(entries)
        lines.append("%s %s %s\n" % (name, kind, words))
    return "".join(lines), models


def check_branches(name, stream, folder, count):
    global compared
    path, chance = os.path.join(folder, "branches.cfg"), random.Random(name)
    whole = len(stream.instructions())
    for number in range(count):
        text, models = made_predictors(chance)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        first = chance.randrange(whole) if number % 2 else 0
        end = chance.randrange(first + 1, whole + 1) if number % 2 else whole
        warmup = chance.choice((0, 1, 100, whole)) if number % 2 else 0
        part = ("--instructions", "%d..%d" % (first, end), "--warmup", str(warmup)) if number % 2 else ()
        branches.check("%s, predictors %d %s:\n%s" % (name, number, part, text), stream, "--branches=" + path, models, part,
                       lambda b: first <= b["number"] < end and (end == whole or branches.known_within(stream, b, end)),
                       lambda b: max(first - warmup, 0) <= b["number"] < end and
                       (end == whole or branches.known_within(stream, b, end)))
        compared += 1


# ---- ranges ----

def times_of(stream):
    """Of each instruction the TIME that it is as late as; None: before all."""
    times, last = [], None
    for event in stream.events:
        if event[0] == "i":
            times.append(last)
            first = True
        elif event[0] == "t" and first:
            times[-1] = last = event[1]
            first = False
    return times


class Chosen(model.Stream):
    """The events of those instructions of a stream that a set of numbers has."""

    def __init__(self, stream, numbers):
        self.events, self.id, self.path, number = [], stream.id, stream.path, -1
        for event in stream.events:
            number += event[0] == "i"
            if number in numbers and event[0] in "iaz":
                self.events.append(event)


def places_of(stream):
    """The first instruction behind each snapshot."""
    places, number = [], 0
    for event in stream.events:
        if event[0] == "x":
            places.append(number)
        number += event[0] == "i"
    return places + [number]


def made_part(chance, streams):
    """Options, and the numbers that all of them choose, of each stream."""
    args, sets = [], [set(range(len(s.instructions()))) for s in streams]
    if chance.random() < 0.7:
        first = chance.randrange(1500)
        end = first + chance.choice((1, 2, 300, 5000))
        args += ["--instructions", "%d..%d" % (first, end)]
        sets = [numbers & set(range(first, end)) for numbers in sets]
    if chance.random() < 0.6:
        first = chance.randrange(3)
        end = first + chance.randrange(1, 4)
        args += ["--snapshots", "%d..%d" % (first, end)]
        for numbers, stream in zip(sets, streams):
            places = places_of(stream)
            last = len(places) - 1
            numbers &= set(range(places[min(first, last)], places[min(end, last)]))
    if len(streams) > 1 and chance.random() < 0.6:
        first = chance.randrange(2000)
        end = first + chance.choice((1, 50, 900, 10000))
        args += ["--time", "%d..%d" % (first, end)]
        for numbers, stream in zip(sets, streams):
            times = times_of(stream)
            numbers &= {n for n in numbers if first <= (0 if times[n] is None else times[n]) < end}
    if chance.random() < 0.4:
        level = chance.randrange(2)
        args += ["--level", str(level)]
        for numbers, stream in zip(sets, streams):
            numbers &= {n for n, event in enumerate(stream.instructions()) if event[1] == level}
    return args, sets


def check_ranges(name, streams, count):
    """Footprint, mix and distances of parts that several options choose."""
    global compared
    chance, paths = random.Random(name), [s.path for s in streams]
    for _ in range(count):
        args, sets = made_part(chance, streams)
        line, page = 1 << chance.randrange(4, 14), 1 << chance.randrange(4, 33)
        page = max(line, page)
        what = "%s %s, line %d, page %d" % (name, " ".join(args), line, page)
        args += ["--line", str(line), "--page", str(page)]
        done = subprocess.run([common.command(), "analyze", "--footprint", "--mix", "--reuse", "--json", *args, *paths],
                              capture_output=True, text=True, check=False)
        if not any(sets):
            expect(what + ": nothing is there", done.returncode, 2)
            continue
        if not expect(what + ": is done", done.returncode, 0):
            print(done.stderr)
            continue
        got, parts = json.loads(done.stdout), [Chosen(s, numbers) for s, numbers in zip(streams, sets)]
        expect(what + ": mix", sum(r["all"] for r in got["opcodes"]), sum(map(len, sets)))
        for unit, size in (("line", line), ("page", page)):
            for part in parts:
                rows = [r for r in got["footprint"] if r["unit"] == unit and r["thread"] == str(part.id)]
                expect("%s: %ss of thread %d" % (what, unit, part.id),
                       tuple(rows[-1][k] for k in ("fetched", "loaded", "stored", "data", "all")) if rows else (0,) * 5,
                       model.footprint([part], size))
        for part in parts:
            for access in ("instruction", "data"):
                expect("%s: touches of %s of thread %d" % (what, access, part.id),
                       sum(r["touches"] for r in got["reuse"] if r["thread"] == str(part.id) and r["access"] == access),
                       sum(model.reuse(part, line, access == "instruction").values()))
        compared += 1


# ---- the rest ----

def check_calls(name, stream):
    """A result is the call's own if EL0 resumes behind it, and not in a signal's handler."""
    global compared
    numbered = stream.instructions()
    own = {n for n, (call, behind) in enumerate(zip(numbered, numbered[1:])) if behind[2] == call[2] + 4}
    got = json.loads(run("analyze", "--syscalls", "--json", stream.path))["syscalls"]
    expect(name + ": system calls", [(c["instruction"], c["between"], c["number"], c["result"] and int(c["result"], 16))
                                     for c in got], [(c[0], c[1], c[2][0], c[4] if c[0] in own else None) for c in model.system_calls(stream)])
    compared += len(got)


def check_intervals(name, streams, folder):
    """Of one instruction, of a prime number, and longer than the trace."""
    path = os.path.join(folder, "two.cfg")
    with open(path, "w", encoding="ascii") as file:
        file.write(intervals.TEXT)
    for intervals.LENGTH in (1, 331, 1 << 40):
        intervals.check_rows("%s, intervals of %d" % (name, intervals.LENGTH), streams, path)


HOSTILE = (b"", b"zzzz T nothex", b"%x0000000 T too_long" % (1 << 60), b"-1 T negative", b"%x", b"%x T", b"%x T ", b"%x \0 T nul",
           b"\xff\xfe\x00", b"%x TT two_letters", b"  %x T behind_blanks", b"%x U undefined", b"                 U undefined",
           b"0x%x T prefixed", b"%x D data", b"%x A absolute", b"0000000000000000 A percpu", b"%x T" + b"\t" * 5000, b"\r")


def check_names(stream, folder):
    """A kernel's names between lines that are none, which change nothing: each instruction is the last name's that is not
    behind it; what is a page behind the last name has none."""
    global compared
    executed, chance = [event[2] for event in stream.instructions()], random.Random(13)
    kernel = sorted({pc for pc in executed if pc >> 48})
    starts = sorted(chance.sample(kernel, 40))
    path = os.path.join(folder, "System.map")
    for hostile in (False, True):
        lines = [b"%016x %c name_%x" % (start, chance.choice(b"tTwW"), start) for start in starts]
        for line in HOSTILE * 3 if hostile else ():
            lines.insert(chance.randrange(1, len(lines)), line.replace(b"%x", b"%x" % (chance.choice(kernel) | 1)))
        with open(path, "wb") as file:
            file.write(b"\n".join(lines) + b"\n" * (not hostile))
        wanted = {}
        for pc in executed:
            before = [start for start in starts if start <= pc]
            name = "name_%x" % before[-1] if before and pc < starts[-1] + 4096 else "[unknown]"
            wanted[name] = wanted.get(name, 0) + 1
        got = json.loads(run("analyze", "--cache", "--json", "--binary", path, stream.path))["cache_functions"]
        expect("names, %s" % ("hostile" if hostile else "plain"), {r["function"]: r["instructions"] for r in got}, wanted)
        compared += len(got)


REFUSED_CACHES = (
    ("L size=3000 ways=4", "a multiple of ways"), ("L size=128 ways=4", "a multiple of ways"),
    ("L size=0 ways=1", "from 1 on"), ("L size=64K ways=0", "from 1 on"), ("L size=64K ways=4 line=48", "a power of two"),
    ("L size=64K ways=4 line=8", "a power of two"), ("L size=16E ways=4", "from 1 on"), ("L ways=4", "size"),
    ("L size=99999999999999999999 ways=1", "from 1 on"), ("L size=-64 ways=1", "from 1 on"),
    ("L size=1G ways=1 line=16 next=L", "further down"), ("L size=4K ways=1 next=M", "no level"),
    ("L size=4K ways=1 policy=mru", "a policy is"), ("L size=4K ways=1 policy=random seed=0", "a seed is"),
    ("L size=4K ways=1\nL size=4K ways=1", "was there already"), ("", "no cache"), ("# L size=4K ways=1", "no cache"),
)
REFUSED_PREDICTORS = (
    ("B bimodal entries=0", "from 1 to"), ("B bimodal entries=3", "a power of two"), ("B bimodal", "entries is needed"),
    ("G gshare entries=64 history=0", "from 1 to"), ("G gshare entries=64 history=65", "1 to 64"),
    ("T tage tables=0 entries=16 history=40", "from 1 to"), ("T tage tables=17 entries=16 history=40", "1 to 16 tables"),
    ("T tage tables=4 entries=1 history=40", "two entries"), ("T tage tables=4 entries=16 history=3", "4 to 2048"),
    ("F btb entries=12 ways=5", "a multiple of its ways"), ("F btb entries=4 ways=5", "a multiple of its ways"),
    ("S stack entries=0", "from 1 to"), ("S stack entries=1G", "from 1 to"), ("S heap entries=1", "its kind"), ("", "no predictor"),
)
REFUSED_OPTIONS = (
    (("--interval", "0"), "from 1 on"), (("--interval", "-1"), "from 1 on"), (("--interval", str(1 << 64)), "from 1 on"),
    (("--line", "0"), "from 1 on"), (("--line", "8"), "power of two"), (("--line", "48"), "power of two"),
    (("--page", "0"), "from 1 on"), (("--page", "3000"), "power of two"), (("--page", "64", "--line", "128"), "at least as long"), (("--top", "0"), "from 1"),
    (("--thread", "77"), "no such thread"), (("--level", "4"), "0|1|2|3"), (("--level", "2"), "no instructions"),
    (("--instructions", "5..5"), "ends before it begins"), (("--instructions", "99999999.."), "no instructions"),
    (("--snapshots", "77..78"), "no such snapshot"), (("--time", "5ms..6ms"), "no unit"),
    (("--instructions", "0..10", "--snapshots", "2..3"), "no instructions"), (("--together",), "need --interval"),
    (("--warmup", str(1 << 64), "--instructions", "5..6"), "a number"),
)


def check_refusals(path, folder):
    global compared
    config = os.path.join(folder, "refused.cfg")
    for option, rows in (("--cache=" + config, REFUSED_CACHES), ("--branches=" + config, REFUSED_PREDICTORS)):
        for text, word in rows:
            with open(config, "w", encoding="ascii") as file:
                file.write(text + "\n")
            intervals.refused("%s %s" % (option[:5], text), word, option, path)
            compared += 1
    for args, word in REFUSED_OPTIONS:
        intervals.refused(" ".join(args), word, "--footprint", *args, path)
        compared += 1


def main():
    few = 3 if common.SMALL else 40 if common.LONG else 10
    with tempfile.TemporaryDirectory() as scratch:
        names = ("futexes", "jumps", "scalable", "jit", "remap", "crypto")
        found = {name: [model.Stream(path) for path in model.unpack(name, scratch)] for name in names}
        for name, streams in found.items():
            folder = os.path.join(scratch, name)
            check_caches(name, streams, folder, few)
            check_branches(name, streams[0], folder, few)
            check_ranges(name, streams, few)
            check_calls(name, streams[0])
            program = dependences.memory_of(streams[0])
            dependences.check(name, streams[0].path, program, ("memory",))
            dependences.check(name + ", a part", streams[0].path, program[7:1008], ("memory",), ("--instructions", "7..1008"))
        sharing.check("futexes", found["futexes"], lambda pc: None, (), (16, 128, 4096, 1 << 20))
        sharing.check_caches("futexes", found["futexes"], scratch)
        check_intervals("futexes", found["futexes"], scratch)
        check_intervals("jumps", found["jumps"], scratch)
        (path,) = model.unpack("k1-core-el01", scratch)
        check_names(model.Stream(path), scratch)
        check_ranges("k1-core-el01", [model.Stream(path)], few)
        check_refusals(found["jumps"][0].path, scratch)
    common.finish(compared, "results")


if __name__ == "__main__":
    main()
