#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`analyze --cache` with policies, prefetchers and written lines against a plain model: a way is a dictionary, a set a list of
them. Streams: those of tests/golden/xtrace; two threads share a level."""
import json
import os
import tempfile

import common
import xtrace_model as model
from common import expect, run

WORD = (1 << 64) - 1
compared = 0

# Small, so that lines are dropped all the time. (name, side, line, ways, sets, next, and the settings).
CONFIGS = {
    "fifo": [("I", "i", 32, 2, 8, "U", {"policy": "fifo"}), ("D", "d", 32, 4, 4, "U", {"policy": "fifo"}),
             ("U", "id", 64, 4, 16, None, {"policy": "fifo"})],
    "random": [("I", "i", 32, 3, 8, "U", {"policy": "random", "seed": 7}), ("D", "d", 32, 4, 4, "U", {"policy": "random"}),
               ("U", "id", 64, 4, 16, None, {"policy": "random", "seed": 99, "inclusive": True})],
    "plru": [("I", "i", 32, 2, 8, "U", {"policy": "plru"}), ("D", "d", 32, 4, 4, "U", {"policy": "plru"}),
             ("U", "id", 64, 8, 8, None, {"policy": "plru", "inclusive": True})],
    "rrip": [("I", "i", 32, 4, 8, "U", {"policy": "rrip"}), ("D", "d", 32, 4, 4, "U", {"policy": "rrip"}),
             ("U", "id", 64, 8, 8, None, {"policy": "rrip"})],
    "prefetch": [("I", "i", 64, 2, 8, "U", {"prefetch": "next"}), ("D", "d", 32, 4, 8, "U", {"prefetch": "stride"}),
                 ("U", "id", 64, 4, 32, None, {"prefetch": "next", "policy": "plru"})],
    "back": [("I", "i", 32, 2, 8, "U", {}), ("D", "d", 32, 2, 4, "U", {"write": "back"}),
             ("U", "id", 64, 4, 8, "S", {"inclusive": True}), ("S", "id", 128, 4, 8, None, {"shared": True})],
    "through": [("I", "i", 32, 2, 8, "U", {}), ("D", "d", 32, 4, 4, "U", {"write": "through", "policy": "rrip"}),
                ("U", "id", 64, 4, 4, "S", {"write": "back", "prefetch": "next"}),
                ("S", "id", 64, 4, 8, None, {"shared": True, "inclusive": True, "policy": "fifo"})],
}


def text_of(config):
    sides = {"i": "instruction", "d": "data", "id": "unified"}
    lines = []
    for name, side, line, ways, sets, after, settings in config:
        words = [name, sides[side], "size=%d" % (line * ways * sets), "ways=%d" % ways, "line=%d" % line]
        words += ["next=" + after] if after else []
        words += [key if value is True else "%s=%s" % (key, value) for key, value in settings.items()]
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


class Level:
    """A cache: ways are {"line", "dirty", "ahead", "mark", "since"} or None."""

    def __init__(self, row):
        self.name, self.side, self.size, self.ways, self.count, self.after, self.settings = row
        self.sets = [[None] * self.ways for _ in range(self.count)]
        self.policy = self.settings.get("policy", "lru")
        self.state, self.clock, self.strides = self.settings.get("seed", 1), 0, {}

    def random(self):
        self.state = self.state + 0x9e3779b97f4a7c15 & WORD
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & WORD
        z = (z ^ z >> 27) * 0x94d049bb133111eb & WORD
        return z ^ z >> 31

    def find(self, line):
        return next((way for way in self.sets[line % self.count] if way and way["line"] == line), None)

    def touched(self, way, ways, hit):
        self.clock += 1
        if self.policy == "lru" or not hit:
            way["since"] = self.clock
        if self.policy == "rrip":
            way["mark"] = 0 if hit else 2
        if self.policy == "plru":
            way["mark"] = 1
            if all(other and other["mark"] for other in ways):
                for other in ways:
                    other["mark"] = int(other is way)

    def place(self, ways):
        """The number of the way that a new line takes."""
        if None in ways:
            return ways.index(None)
        if self.policy in ("lru", "fifo"):
            return min(range(self.ways), key=lambda n: ways[n]["since"])
        if self.policy == "random":
            return self.random() % self.ways
        if self.policy == "plru":
            return next((n for n in range(self.ways) if not ways[n]["mark"]), 0)
        while all(way["mark"] < 3 for way in ways):
            for way in ways:
                way["mark"] += 1
        return next(n for n in range(self.ways) if ways[n]["mark"] >= 3)


class Machine:
    def __init__(self, config, cores):
        shared = {row[0]: Level(row) for row in config if row[6].get("shared")}
        self.cores = [{row[0]: shared.get(row[0]) or Level(row) for row in config} for _ in range(cores)]
        self.writes = any("write" in row[6] for row in config)
        after = {row[5] for row in config}
        self.first = [row[0] for row in config if row[0] not in after]
        self.counts, self.traffic = {}, {(c, row[0]): [0, 0, 0] for c in range(cores) for row in config}

    def access(self, core, use, pc, address, size):
        for name in self.first:
            level = self.cores[core][name]
            if ("i" if use == "fetch" else "d") in level.side:
                for unit in model.units(address, size, level.size):
                    self.demand(core, level, use, pc, unit)

    def demand(self, core, first, use, pc, unit):
        level, address = first, unit * first.size
        while level:
            line = address // level.size
            way = level.find(line)
            count = self.counts.setdefault((core, level.name, use), [0, 0])
            count[0] += 1
            count[1] += way is None
            if way:
                self.traffic[core, level.name][2] += way["ahead"]
                way["ahead"] = False
                level.touched(way, level.sets[line % level.count], True)
            else:
                self.fill(core, level, line, False)
            kind = level.settings.get("prefetch")
            if kind == "next" and not way:
                self.ahead(core, level, line + 1)
            if kind == "stride" and use != "fetch":
                self.stride(core, level, pc, line)
            level = None if way else self.cores[core].get(level.after)
        if use == "store" and self.writes:
            way = first.find(unit)
            if way and first.settings.get("write") != "through":
                way["dirty"] = True
            else:
                self.write_on(core, first, unit * first.size)

    def fill(self, core, level, line, ahead):
        ways = level.sets[line % level.count]
        number = level.place(ways)
        gone = ways[number]
        way = ways[number] = {"line": line, "dirty": False, "ahead": ahead, "mark": 0, "since": 0}
        level.touched(way, ways, False)
        if gone:
            dirty = gone["dirty"]
            if level.settings.get("inclusive"):
                dirty |= self.forget(core, level, gone["line"] * level.size)
            if dirty:
                self.write_on(core, level, gone["line"] * level.size)

    def ahead(self, core, level, line):
        if not level.find(line):
            self.traffic[core, level.name][1] += 1
            self.fill(core, level, line, True)

    def stride(self, core, level, pc, line):
        slot = pc // 4 % 64
        known = level.strides.get(slot)
        if not known or known["pc"] != pc:
            level.strides[slot] = {"pc": pc, "line": line, "stride": 0, "sure": 0}
            return
        stride = line - known["line"]
        if stride:
            known["sure"] = known["sure"] + 1 if stride == known["stride"] else 0
            known["stride"], known["line"] = stride, line
            if known["sure"] >= 2:
                self.ahead(core, level, line + stride)

    def forget(self, core, behind, address):
        """Lines of the levels in front that are in one of `behind`."""
        dirty = False
        for levels in self.cores if behind.settings.get("shared") else [self.cores[core]]:
            for level in levels.values():
                at = level
                while at and at is not behind:
                    at = levels.get(at.after)
                if at is None or level is behind:
                    continue
                for unit in model.units(address, behind.size, level.size):
                    ways = level.sets[unit % level.count]
                    for number, way in enumerate(ways):
                        if way and way["line"] == unit:
                            ways[number] = None
                            if way["dirty"]:
                                dirty = True
                                self.traffic[core, level.name][0] += 1
        return dirty

    def write_on(self, core, level, address):
        if not self.writes:
            return
        self.traffic[core, level.name][0] += 1
        after = self.cores[core].get(level.after)
        if not after:
            return
        way = after.find(address // after.size)
        if way and after.settings.get("write") != "through":
            way["dirty"] = True
        else:
            self.write_on(core, after, address)


def check(name, streams, folder):
    global compared
    for kind, config in CONFIGS.items():
        path = os.path.join(folder, kind + ".cfg")
        with open(path, "w", encoding="ascii") as file:
            file.write(text_of(config))
        machine, pcs = Machine(config, len(streams)), {}
        for core, (use, _, address, size) in model.in_turn(streams):
            if use == "fetch":
                pcs[core] = address
            machine.access(core, use, pcs.get(core, 0), address, size)
        got = json.loads(run("analyze", "--json", "--cache=" + path, *[s.path for s in streams]))
        what = "%s, %s" % (name, kind)
        expect(what, {(r["thread"], r["level"], r["access"]): [r["accesses"], r["misses"]] for r in got["cache"]
                      if r["access"] != "all" and r["thread"] != "all"},
               {(str(streams[key[0]].id), *key[1:]): value for key, value in machine.counts.items()})
        if kind in ("prefetch", "back", "through"):
            expect(what + ": traffic", {(r["thread"], r["level"]): [r["written"], r["prefetched"], r["useful"]]
                                        for r in got["cache_traffic"]},
                   {(str(streams[key[0]].id), key[1]): value for key, value in machine.traffic.items()})
            expect(what + ": there is any", any(sum(v) for v in machine.traffic.values()), True)
        else:
            expect(what + ": no traffic", "cache_traffic" in got, False)
        compared += 1


def main():
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("u1-recur-vl128", "u3-simd-vl128", "u4-thr-time"):
            check(name, [model.Stream(path) for path in model.unpack(name, scratch)], os.path.join(scratch, name))
    common.finish(compared, "results")


if __name__ == "__main__":
    main()
