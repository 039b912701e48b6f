#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`analyze --branches` and parts (`--instructions`, `--snapshots`, `--level`, `--warmup`) against plain models: branches by
their encodings, predictors as docs/analyze.md describes them, with the history as a list. Streams: those of
tests/golden/xtrace."""
import csv
import io
import json
import math
import os
import random
import struct
import tempfile

import common
import xtrace_model as model
from common import expect, run

compared = 0

SMALL = """# small, so that branches meet each other
B bimodal entries=16
G gshare entries=64 history=5
L gshare entries=1K history=40   # longer than the index
T tage tables=4 entries=16 base=32 history=40
O tage tables=1 entries=8 base=8 history=9
W tage tables=1 entries=1K history=4
F btb entries=12 ways=3
S stack entries=2
"""


class Counters:
    """Two bits each, from "weakly not taken" on."""

    def __init__(self, entries):
        self.values = [1] * entries

    def learn(self, index, taken):
        said = self.values[index] >= 2
        self.values[index] = min(self.values[index] + 1, 3) if taken else max(self.values[index] - 1, 0)
        return said == taken


class Bimodal:
    def __init__(self, entries):
        self.counters = Counters(entries)

    def sees(self, branch):
        return branch["kind"] == "conditional"

    def predict(self, branch):
        return self.counters.learn(branch["pc"] // 4 % len(self.counters.values), branch["taken"])


class Gshare(Bimodal):
    def __init__(self, entries, length):
        super().__init__(entries)
        self.length, self.history = length, []

    def predict(self, branch):
        bits = sum(1 << n for n, taken in enumerate(self.history[:self.length]) if taken)
        right = self.counters.learn((branch["pc"] // 4 ^ bits) % len(self.counters.values), branch["taken"])
        self.history = [branch["taken"]] + self.history[:self.length]
        return right


class Tage(Bimodal):
    def __init__(self, tables, entries, base, longest):
        super().__init__(base)
        self.entries, self.history = entries, []
        self.lengths = [longest] if tables == 1 else [int(4 * (longest / 4) ** (n / (tables - 1)) + 0.5)
                                                      for n in range(tables)]
        self.tables = [[None] * entries for _ in range(tables)]
        self.seen = 0

    def folded(self, length, width):
        value = 0
        for n, taken in enumerate(self.history[:length]):
            value ^= taken << n % width
        return value

    def predict(self, branch):
        place, taken = branch["pc"] // 4, branch["taken"]
        width = self.entries.bit_length() - 1
        at = [(place ^ place >> width ^ self.folded(length, width)) % self.entries for length in self.lengths]
        tags = [(place ^ self.folded(length, 11) ^ self.folded(length, 10) << 1) % 2048 for length in self.lengths]
        hits = [n for n in range(len(at)) if self.tables[n][at[n]] and self.tables[n][at[n]][0] == tags[n]]
        base = place % len(self.counters.values)
        saying = [self.counters.values[base] >= 2] + [self.tables[n][at[n]][1] >= 0 for n in hits]
        if hits:
            entry = self.tables[hits[-1]][at[hits[-1]]]
            if saying[-1] != saying[-2]:
                entry[2] = min(entry[2] + 1, 3) if saying[-1] == taken else max(entry[2] - 1, 0)
            entry[1] = min(entry[1] + 1, 3) if taken else max(entry[1] - 1, -4)
        else:
            self.counters.learn(base, taken)
        if saying[-1] != taken:
            longer = range(hits[-1] + 1 if hits else 0, len(at))
            free = [n for n in longer if not self.tables[n][at[n]] or not self.tables[n][at[n]][2]]
            if free:
                self.tables[free[0]][at[free[0]]] = [tags[free[0]], 0 if taken else -1, 0]
            else:
                for n in longer:
                    self.tables[n][at[n]][2] -= 1
        self.seen += 1
        if self.seen % (1 << 18) == 0:
            for table in self.tables:
                for entry in filter(None, table):
                    entry[2] //= 2
        self.history = [taken] + self.history[:max(self.lengths)]
        return saying[-1] == taken


class Btb:
    def __init__(self, entries, ways):
        self.sets, self.ways = [[] for _ in range(entries // ways)], ways

    def sees(self, branch):
        return branch["taken"] and branch["kind"] != "return"

    def predict(self, branch):
        stack = self.sets[branch["pc"] // 4 % len(self.sets)]
        right = (branch["pc"], branch["target"]) in stack
        stack[:] = [(branch["pc"], branch["target"])] + [e for e in stack if e[0] != branch["pc"]]
        del stack[self.ways:]
        return right


class Stack:
    def __init__(self, entries):
        self.entries, self.calls = entries, []

    def sees(self, branch):
        if branch["kind"].startswith("call"):
            self.calls = (self.calls + [branch["pc"] + 4])[-self.entries:]
        return branch["kind"] == "return"

    def predict(self, branch):
        return bool(self.calls) and self.calls.pop() == branch["target"]


def usual():
    return {"BIM": Bimodal(16384), "GSH": Gshare(16384, 14), "TAGE": Tage(6, 1024, 4096, 128), "BTB": Btb(2048, 4),
            "RAS": Stack(16)}


def small():
    return {"B": Bimodal(16), "G": Gshare(64, 5), "L": Gshare(1024, 40), "T": Tage(4, 16, 32, 40), "O": Tage(1, 8, 8, 9),
            "W": Tage(1, 1024, 4096, 4), "F": Btb(12, 3), "S": Stack(2)}


def signed(value, bits):
    return (value & (1 << bits) - 1) - (value >> bits - 1 & 1) * (1 << bits)


def kind_of(opcode):
    """(kind, offset) by the manual's encodings; None: no branch."""
    if opcode & 0x7c000000 == 0x14000000:
        return "call" if opcode >> 31 else "jump", 4 * signed(opcode, 26)
    if opcode & 0xff000000 == 0x54000000 or opcode & 0x7e000000 == 0x34000000:
        return "conditional", 4 * signed(opcode >> 5, 19)
    if opcode & 0x7e000000 == 0x36000000:
        return "conditional", 4 * signed(opcode >> 5, 14)
    if opcode & 0xfe000000 == 0xd6000000:
        names = {0: "jump-register", 1: "call-register", 2: "return"}
        return (names[opcode >> 21 & 3], None) if opcode >> 21 & 7 < 3 else None
    return None


def branches(stream):
    """Every branch with its number: where the next instruction of its level is, or TARGET_B, tells where it led."""
    found, number = [], -1
    for event in stream.events:
        if event[0] == "i":
            number += 1
            last = found[-1] if found and "next" not in found[-1] else None
            if last:
                last["next"] = event[2] if event[1] == last["el"] else None
            kind = kind_of(event[3])
            if kind:
                found.append({"number": number, "el": event[1], "pc": event[2], "kind": kind[0], "offset": kind[1]})
        elif event[0] == "s" and event[1] == 0x2b and found and found[-1]["number"] == number:
            found[-1]["token"] = event[2]
    for branch in found:
        following = branch.get("next")
        branch["taken"] = True
        if branch["kind"] == "conditional":
            branch["target"] = branch["pc"] + branch["offset"]
            branch["known"] = following in (branch["pc"] + 4, branch["target"])
            branch["taken"] = following != branch["pc"] + 4
        elif branch["offset"] is not None:
            branch["target"], branch["known"] = branch["pc"] + branch["offset"], True
        else:
            branch["target"] = branch.get("token", following)
            branch["known"] = branch["target"] is not None
    return found


def entropy(counts):
    whole = sum(counts)
    return -sum(count / whole * math.log2(count / whole) for count in counts if count)


def simulate(stream, predictors, counts, simulated):
    """(by predictor [branches, misses], by branch). `counts` and `simulated` say which branches do."""
    totals, sites = {name: [0, 0] for name in predictors}, {}
    for branch in branches(stream):
        if not simulated(branch):
            continue
        missed = {}
        if branch["known"]:
            missed = {name: not p.predict(branch) for name, p in predictors.items() if p.sees(branch)}
        if not counts(branch):
            continue
        site = sites.setdefault((branch["pc"], branch["el"]), {"kind": branch["kind"], "executions": 0, "taken": 0,
                                                               "unknown": 0, "targets": {}, "missed": {}})
        site["executions"] += 1
        site["unknown"] += not branch["known"]
        if branch["known"] and branch["taken"]:
            site["taken"] += 1
            site["targets"][branch["target"]] = site["targets"].get(branch["target"], 0) + 1
        for name, wrong in missed.items():
            totals[name][0] += 1
            totals[name][1] += wrong
            site["missed"][name] = site["missed"].get(name, 0) + wrong
    return totals, sites


def check(what, stream, option, predictors, args=(), counts=lambda branch: True, simulated=lambda branch: True):
    global compared
    names = list(predictors)
    totals, sites = simulate(stream, predictors, counts, simulated)
    got = json.loads(run("analyze", option, "--json", *args, stream.path))
    expect(what + ": predictors", {row["predictor"]: [row["branches"], row["misses"]] for row in got["predictors"]}, totals)
    wanted = {}
    for (pc, el), site in sites.items():
        known = site["executions"] - site["unknown"]
        parts = ([site["taken"], known - site["taken"]] if site["kind"] == "conditional" else
                 list(site["targets"].values())) if known else []
        wanted[pc, el] = [site["kind"], site["executions"], site["taken"], site["unknown"], len(site["targets"]),
                          abs(round(entropy(parts), 3)) if parts else 0, *[site["missed"].get(n, 0) for n in names]]
    expect(what + ": branches", {(int(r["address"], 16), r["el"]): [
        r["kind"], r["executions"], r["taken"], r["unknown"], r["targets"], round(r["entropy"], 3),
        *[r[n + ":misses"] for n in names]] for r in got["branches"]}, wanted)
    for row in got["branches"]:
        targets = sites[int(row["address"], 16), row["el"]]["targets"]
        if targets:
            expect(what + ": most frequent target", targets.get(int(row["target"], 16)), max(targets.values()))
    kinds = {}
    for site in sites.values():
        kind = kinds.setdefault(site["kind"], [0, 0, 0])
        for n, key in enumerate(("executions", "taken", "unknown")):
            kind[n] += site[key]
    expect(what + ": kinds", {r["kind"]: [r["executions"], r["taken"], r["unknown"]] for r in got["branch_kinds"]}, kinds)
    table = list(csv.DictReader(io.StringIO(run("analyze", option, "--csv", *args, stream.path))))
    expect(what + ": CSV", [(r["address"], r["executions"]) for r in table],
           [(r["address"], str(r["executions"])) for r in got["branches"]])
    compared += 1


def check_parts(name, stream, config):
    """Parts of a stream: what counts is chosen; the state comes from the warm-up."""
    numbers = [branch["number"] for branch in branches(stream)]
    # Bounds that are branches: one more or less is seen.
    first, end = numbers[len(numbers) // 3], numbers[2 * len(numbers) // 3] + 1
    for warmup in (0, first - numbers[len(numbers) // 4], 10 * end):
        check("%s, part with warm-up %d" % (name, warmup), stream, "--branches=" + config, small(),
              ("--instructions", "%d..%d" % (first, end), "--warmup", str(warmup)),
              lambda b: first <= b["number"] < end and known_within(stream, b, end),
              lambda b: max(first - warmup, 0) <= b["number"] < end and known_within(stream, b, end))


def known_within(stream, branch, end):
    """The last instruction's outcome would be seen behind the part: direct jumps and TARGET_B tell it, else it is unknown."""
    if branch["number"] == end - 1 and branch["kind"] == "conditional":
        branch["known"] = False
    return True


class Made(model.Stream):
    """Conditional branches of a dozen places, some as a pattern, most by chance: long enough that all counters saturate."""

    def __init__(self, path, count):
        chance, self.events, self.path = random.Random(5), [], path
        for n in range(count):
            place = chance.randrange(12)
            taken = n // 3 % 2 == place % 2 if place < 4 else chance.random() < (0.02, 0.98, 0.3, 0.7)[place % 4]
            pc = 0x400000 + 0x104 * place
            self.events += [("i", 0, pc, 0x54000080), ("i", 0, pc + (16 if taken else 4), 0xd503201f)]
        with open(path, "wb") as file:
            for _, _, pc, opcode in self.events:
                file.write(struct.pack("<BQI", 9, pc, opcode))


def check_counts(name, stream):
    """Mix, footprint and caches of a part are those of the events in it."""
    global compared
    places, number = [], 0
    for event in stream.events:
        if event[0] == "x":
            places.append(number)
        number += event[0] == "i"
    ranges = [(("--instructions", "100..900"), 100, 900, None)]
    if len(places) > 2:
        ranges.append((("--snapshots", "1..2"), places[1], places[2], None))
    for level in sorted({e[1] for e in stream.instructions()}):
        ranges.append((("--level", str(level)), 0, number, level))
    for args, first, end, level in ranges:
        part = Part(stream, first, end, level)
        what = "%s %s" % (name, " ".join(args))
        got = json.loads(run("analyze", "--mix", "--footprint", "--reuse", "--cache", "--json", *args, stream.path))
        levels = [sum(e[1] == el for e in part.instructions()) for el in range(4)]
        expect(what + ": mix", [sum(r["el%d" % el] for r in got["opcodes"]) for el in range(4)], levels)
        wanted = model.footprint([part], 64)
        row = [r for r in got["footprint"] if r["unit"] == "line"][-1]
        expect(what + ": footprint", tuple(row[k] for k in ("fetched", "loaded", "stored", "data", "all")), wanted)
        for access in ("instruction", "data"):
            expect(what + ": reuse of " + access,
                   sum(r["touches"] for r in got["reuse"] if r["access"] == access),
                   sum(model.reuse(part, 64, access == "instruction").values()))
        # The caches hold what other levels touched, too.
        if level is None:
            caches = model.Caches(USUAL, 1)
            for use, _, address, size in model.touches(part):
                caches.touch(0, use, address, size)
            expect(what + ": caches", {(r["level"], r["access"]): [r["accesses"], r["misses"]] for r in got["cache"]
                                       if r["access"] != "all"},
                   {key[1:]: value for key, value in caches.counts.items()})
        compared += 1


USUAL = [
    ("L1I", "i", False, 64, 4, 256, "L2", False, False), ("L1D", "d", False, 64, 4, 256, "L2", False, False),
    ("L2", "id", False, 64, 8, 1024, "L3", False, False), ("L3", "id", False, 64, 16, 1024, None, True, False),
    ("ITLB", "i", True, 4096, 32, 1, "L2TLB", False, False), ("DTLB", "d", True, 4096, 32, 1, "L2TLB", False, False),
    ("L2TLB", "id", True, 4096, 4, 256, None, False, False),
]


class Part(model.Stream):
    """Events of instructions first..end-1 of a level."""

    def __init__(self, stream, first, end, level):
        self.events, number, take = [], -1, False
        for event in stream.events:
            if event[0] == "i":
                number += 1
                take = first <= number < end and level in (None, event[1])
            if take and event[0] in "iaz":
                self.events.append(event)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        config = os.path.join(scratch, "small.cfg")
        with open(config, "w", encoding="ascii") as file:
            file.write(SMALL)
        check("made", Made(os.path.join(scratch, "xtrace.1.0.hint9.xinsndata.bin"), 6000), "--branches=" + config, small())
        names = ["u1-recur-vl128", "u2-sys-vl128", "k1-core-el01"] + (["u3-simd-vl128"] if common.LONG else [])
        for name in names:
            (path,) = model.unpack(name, scratch)
            stream = model.Stream(path)
            check(name + ", usual", stream, "--branches", usual())
            check(name + ", small", stream, "--branches=" + config, small())
            check_counts(name, stream)
            if name.startswith("u1"):
                check_parts(name, stream, config)
    common.finish(compared, "results")


if __name__ == "__main__":
    main()
