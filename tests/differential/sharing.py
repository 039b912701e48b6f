#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`analyze --sharing` against a plain MESI: each core has a dictionary of its lines, and with --cache lists of the lines in
each set of its levels, which are then the ones that coherence leaves there. Streams: a group of threads of
tests/golden/xtrace, and made ones whose functions are those of small.elf."""
import csv
import io
import json
import os
import random
import struct
import subprocess
import tempfile

import common
import xtrace_model as model
from common import expect, run

ELF = os.path.join(model.GOLDEN, "small.elf")
compared = 0

# Small levels, least recently used out first: (name, side, bytes of a line, ways, sets, next, words). The lines of the first are
# those of --line.
CACHES = {
    "own": [("I", "instruction", 64, 2, 4, "U", ""), ("D", "data", 64, 2, 2, "U", ""), ("U", "unified", 64, 3, 3, "S", ""),
            ("S", "unified", 128, 4, 4, None, "shared")],
    "inclusive": [("I", "instruction", 64, 2, 4, "S", ""), ("D", "data", 64, 3, 2, "S", ""),
                  ("S", "unified", 256, 2, 2, None, "shared inclusive")],
}


class Level:
    def __init__(self, row):
        self.name, self.side, self.size, self.ways, _, self.after, self.words = row
        self.sets = [[] for _ in range(row[4])]  # the youngest last

    def of(self, address):
        return self.sets[address // self.size % len(self.sets)]

    def has(self, address):
        return address // self.size in self.of(address)

    def remove(self, address):
        if self.has(address):
            self.of(address).remove(address // self.size)


class Caches:
    def __init__(self, config, cores):
        shared = {row[0]: Level(row) for row in config if "shared" in row[6]}
        self.cores = [[shared.get(row[0]) or Level(row) for row in config] for _ in range(cores)]
        self.counts = {}

    def way(self, core, use):
        """The levels that an access asks, one after the other."""
        levels = {level.name: level for level in self.cores[core]}
        level = next(x for x in self.cores[core] if x.side in ("unified", "instruction" if use == "fetch" else "data"))
        while level:
            yield level
            level = levels.get(level.after)

    def own(self, core):
        return [level for level in self.way(core, "load") if "shared" not in level.words]

    def access(self, core, use, address, size):
        first = next(self.way(core, use))
        for unit in model.units(address, size, first.size):
            self.demand(core, use, unit * first.size)

    def demand(self, core, use, address):
        for level in self.way(core, use):
            hit = level.has(address)
            count = self.counts.setdefault((core, level.name, use), [0, 0])
            count[0] += 1
            count[1] += not hit
            level.remove(address)
            if len(level.of(address)) == level.ways:
                gone = level.of(address).pop(0) * level.size
                if "inclusive" in level.words:
                    for before in (x for c in self.cores for x in c if x is not level):
                        for at in range(gone, gone + level.size, before.size):
                            before.remove(at)
            level.of(address).append(address // level.size)
            if hit:
                return


class Core:
    def __init__(self):
        self.state = {}  # line -> "M", "E", "S"
        self.gone = {}  # line -> [bytes that others wrote since it was lost, function that took it]
        self.counts = dict.fromkeys(("loads", "stores", "cold", "evicted", "true", "false", "upgrades", "invalidations", "lost",
                                     "transfers"), 0)


class Mesi:
    def __init__(self, cores, size, caches=None):
        self.cores, self.size, self.caches = [Core() for _ in range(cores)], size, caches
        self.pairs, self.invalidations, self.users = {}, {}, {}

    def access(self, number, use, address, size, function):
        for line in model.units(address, size, self.size):
            # Of lines longer than 64 bytes, parts are told apart that are 64 in a line.
            own = {byte // max(1, self.size // 64) for byte in
                   range(max(address, line * self.size), min(address + size, (line + 1) * self.size))}
            if self.caches:
                self.forget_evicted(line)
            self.touch(number, line, use == "store", own, function)

    def forget_evicted(self, line):
        for number, core in enumerate(self.cores):
            if line in core.state and not any(level.has(line * self.size) for level in self.caches.own(number)):
                del core.state[line]

    def touch(self, number, line, store, own, function):
        core, others = self.cores[number], [c for n, c in enumerate(self.cores) if n != number]
        holders = [other for other in others if line in other.state]
        core.counts["stores" if store else "loads"] += 1
        had = number in self.users.setdefault(line, set())
        self.users[line].add(number)
        if line not in core.state:
            if line in core.gone:
                written, writer = core.gone.pop(line)
                kind = "true" if written & own else "false"
                core.counts[kind] += 1
                pair = self.pairs.setdefault((line, writer, function), {"true": 0, "false": 0})
                pair[kind] += 1
            else:
                core.counts["evicted" if had else "cold"] += 1
            for other in holders:
                core.counts["transfers"] += other.state[line] == "M"
                other.state[line] = "S"
            core.state[line] = "S" if holders else "E"
        elif store and core.state[line] == "S" and holders:
            core.counts["upgrades"] += 1
        if store:
            for other in holders:
                del other.state[line]
                other.gone[line] = [set(), function]
                other.counts["lost"] += 1
                for level in self.caches.own(self.cores.index(other)) if self.caches else ():
                    level.remove(line * self.size)
                core.counts["invalidations"] += 1
                self.invalidations[line] = self.invalidations.get(line, 0) + 1
            core.state[line] = "M"
            for other in others:
                if line in other.gone:
                    other.gone[line][0] |= own


def functions():
    """{name: address} of the functions in small.elf, from its symbol table."""
    with open(ELF, "rb") as file:
        data = file.read()
    (start,), (size, count) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQII2Q", data, start + n * size) for n in range(count)]
    found = {}
    for section in (s for s in sections if s[1] == 2):
        names = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 24):
            name, info, _, _, value, _ = struct.unpack_from("<IBBHQQ", data, at)
            if info & 15 == 2 and value:
                found[data[names + name:data.index(b"\0", names + name)].decode()] = value
    return found


class Made(model.Stream):
    """Loads and stores by chance at a few lines, each with its TIME."""

    def __init__(self, path, seed, times, places):
        chance, self.events, self.path = random.Random(seed), [], path
        self.id = int(os.path.basename(path).split(".")[2])
        data = b""
        for time in times:
            name, pc = chance.choice(places)
            store, size = chance.random() < 0.4, chance.choice((1, 2, 4, 8, 16))
            address = 0x10000 + chance.randrange(0, 600, 1 if chance.random() < 0.2 else 8)
            self.events += [("i", 0, pc, 0xd503201f), ("t", time), ("a", int(store), address, b"\0" * size), ("f", name)]
            token = (size.bit_length() - 1) << 4 | (0x0a if store else 0x02)
            data += struct.pack("<BQIBQBQ", 9, pc, 0xd503201f, 7, time, token, address) + b"\0" * size
        with open(path, "wb") as file:
            file.write(data)


def check(name, streams, functions_of, args=(), sizes=(64, 16, 256)):
    global compared
    for size in sizes:
        mesi, pcs = Mesi(len(streams), size), {}
        for core, (use, _, address, length) in model.in_turn(streams):
            if use == "fetch":
                pcs[core] = address
            else:
                mesi.access(core, use, address, length, functions_of(pcs.get(core)))
        paths = [s.path for s in streams]
        got = json.loads(run("analyze", "--sharing", "--json", "--line", str(size), *args, *paths))
        what = "%s, lines of %d" % (name, size)
        expect(what, {row["thread"]: {k: v for k, v in row.items() if k != "thread"} for row in got["sharing"]},
               {str(s.id): core.counts for s, core in zip(streams, mesi.cores)})
        expect(what + ": lines", {(int(r["line"], 16) // size, r["writer"], r["function"]):
                                  [r["threads"], r["invalidations"], r["true"], r["false"]] for r in got["shared_lines"]},
               {(line, writer, function): [len(mesi.users[line]), mesi.invalidations[line], pair["true"], pair["false"]]
                for (line, writer, function), pair in mesi.pairs.items()})
        order = [r["true"] + r["false"] for r in got["shared_lines"]]
        expect(what + ": most first", order, sorted(order, reverse=True))
        table = csv.DictReader(io.StringIO(run("analyze", "--sharing", "--csv", "--line", str(size), *args, *paths)))
        expect(what + ": CSV", [r["line"] for r in table], [r["line"] for r in got["shared_lines"]])
        compared += len(mesi.pairs)


def check_caches(name, streams, folder):
    """Lines that go by themselves, and the misses of caches out of which lines are taken."""
    global compared
    for kind, config in CACHES.items():
        path, caches = os.path.join(folder, "caches.cfg"), Caches(config, len(streams))
        with open(path, "w", encoding="ascii") as file:
            for level, side, line, ways, sets, after, words in config:
                print(level, side, words, "size=%d ways=%d line=%d" % (line * ways * sets, ways, line),
                      "next=" + after if after else "", file=file)
        mesi = Mesi(len(streams), 64, caches)
        for core, (use, _, address, length) in model.in_turn(streams):
            if use != "fetch":
                mesi.access(core, use, address, length, None)
            caches.access(core, use, address, length)
        got = json.loads(run("analyze", "--sharing", "--cache=" + path, "--json", *[s.path for s in streams]))
        what = "%s, caches %s" % (name, kind)
        expect(what, {row["thread"]: {k: v for k, v in row.items() if k != "thread"} for row in got["sharing"]},
               {str(s.id): core.counts for s, core in zip(streams, mesi.cores)})
        expect(what + ": levels", {(r["thread"], r["level"], r["access"]): [r["accesses"], r["misses"]] for r in got["cache"]
                                   if r["access"] != "all" and r["thread"] != "all"},
               {(str(streams[core].id), level, use): count for (core, level, use), count in caches.counts.items()})
        for kind_of_miss in ("evicted", "lost") if name == "made" else ("evicted",):
            expect("%s: any %s" % (what, kind_of_miss), any(core.counts[kind_of_miss] for core in mesi.cores), True)
        compared += 1
    refused = subprocess.run([common.command(), "analyze", "--sharing", "--line", "32", "--cache=" + path,
                              *[s.path for s in streams]], capture_output=True, text=True, check=False)
    expect(name + ": other lines", (refused.returncode, "of the size of --line" in refused.stderr), (2, True))


def check_refused(stream, folder):
    """One stream shares with none; without TIME the order is said to be a guess (status 1)."""
    done = subprocess.run([common.command(), "analyze", "--sharing", stream.path], capture_output=True, text=True, check=False)
    expect("one stream", (done.returncode, "2 to 64 threads" in done.stderr), (2, True))
    paths = []
    for number in range(2):
        paths.append(os.path.join(folder, "xtrace.9.%d.hint9.xinsndata.bin" % number))
        with open(paths[-1], "wb") as file:
            file.write(struct.pack("<BQIBQQ", 9, 0x400000, 0xd503201f, 0x32, 0x1000, number))
    done = subprocess.run([common.command(), "analyze", "--sharing", *paths], capture_output=True, text=True, check=False)
    expect("without TIME", (done.returncode, "an estimate" in done.stderr), (1, True))


def main():
    places = [(name, pc) for name, pc in functions().items() if name in ("fib", "sum", "count_up")]
    expect("functions of small.elf", len(places), 3)
    names = {pc: name for name, pc in places}
    with tempfile.TemporaryDirectory() as scratch:
        order = list(range(1, 3001))
        random.Random(3).shuffle(order)
        made = [Made(os.path.join(scratch, "xtrace.7.%d.hint9.xinsndata.bin" % n), n, sorted(order[n::3]), places)
                for n in range(3)]
        check("made", made, names.get, ("--binary", ELF))
        check_caches("made", made, scratch)
        check_refused(made[0], scratch)
        streams = [model.Stream(path) for path in model.unpack("u4-thr-time", scratch)]
        check("u4-thr-time", streams, lambda pc: None)
        check_caches("u4-thr-time", streams, scratch)
    common.finish(compared, "lines")


if __name__ == "__main__":
    main()
