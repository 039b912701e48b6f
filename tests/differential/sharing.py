#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`analyze --sharing` against a plain MESI: each core has a dictionary of its lines. Streams: a group of threads of
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


class Core:
    def __init__(self):
        self.state = {}  # line -> "M", "E", "S"
        self.gone = {}  # line -> [bytes that others wrote since it was lost, function that took it]
        self.counts = dict.fromkeys(("loads", "stores", "cold", "true", "false", "upgrades", "invalidations", "lost",
                                     "transfers"), 0)


class Mesi:
    def __init__(self, cores, size):
        self.cores, self.size = [Core() for _ in range(cores)], size
        self.pairs, self.invalidations, self.users = {}, {}, {}

    def access(self, number, use, address, size, function):
        for line in model.units(address, size, self.size):
            # Of lines longer than 64 bytes, parts are told apart that are 64 in a line.
            own = {byte // max(1, self.size // 64) for byte in
                   range(max(address, line * self.size), min(address + size, (line + 1) * self.size))}
            self.touch(number, line, use == "store", own, function)

    def touch(self, number, line, store, own, function):
        core, others = self.cores[number], [c for n, c in enumerate(self.cores) if n != number]
        holders = [other for other in others if line in other.state]
        core.counts["stores" if store else "loads"] += 1
        self.users.setdefault(line, set()).add(number)
        if line not in core.state:
            if line in core.gone:
                written, writer = core.gone.pop(line)
                kind = "true" if written & own else "false"
                core.counts[kind] += 1
                pair = self.pairs.setdefault((line, writer, function), {"true": 0, "false": 0})
                pair[kind] += 1
            else:
                core.counts["cold"] += 1
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


def check(name, streams, functions_of, args=()):
    global compared
    for size in (64, 16, 256):
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
        check_refused(made[0], scratch)
        streams = [model.Stream(path) for path in model.unpack("u4-thr-time", scratch)]
        check("u4-thr-time", streams, lambda pc: None)
    common.finish(compared, "lines")


main()
