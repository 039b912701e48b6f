# SPDX-License-Identifier: Apache-2.0
"""xtrace read and analyzed as plainly as can be, from the published text and docs/analyze.md alone: the oracle of the
analyses. Slow and short: lists where the program has trees."""
import glob
import os
import shutil
import struct
import subprocess

from common import ROOT, SHARED, skip

PAIRS = os.path.join(SHARED, "corpus", "xtrace")
GOLDEN = os.path.join(ROOT, "tests", "golden", "xtrace")


class Stream:
    """Events of a stream: ("i", el, pc, opcode), ("a", store, address, data), ("z", address), ("t", time),
    ("s", token, value), ("v", [(base, length)]), and ("x", number) where a snapshot was taken."""

    def __init__(self, path):
        self.path = path
        self.id = int(os.path.basename(path).split(".")[2])
        with open(path, "rb") as file:
            self.data = file.read()
        self.snapshots = self.read_snapshots(path.replace("xinsndata", "xsnapshot"))
        self.events = list(self.decode())

    @staticmethod
    def read_snapshots(path):
        with open(path, "rb") as file:
            data = file.read()
        bits = struct.unpack_from("<Q", data, len(data) - 8)[0]
        length, predicate = bits // 8, (bits // 64 + 15) // 16 * 16
        size = 288 + 32 * length + 17 * predicate + length * length + 88 + 8
        found = []
        for at in range(24, len(data), size):
            file_number, index, user, total = struct.unpack_from("<4Q", data, at)
            found.append({"offset": index, "user": user, "total": total,
                          "x": struct.unpack_from("<32Q", data, at + 32)})
        return found

    def decode(self):
        data, at, pc = self.data, 0, 0
        offsets = {snapshot["offset"]: number for number, snapshot in enumerate(self.snapshots)}
        while at < len(data):
            if at in offsets:
                yield ("x", offsets[at])
            token = data[at]
            kind = token & 7
            if kind == 1 and token >> 3 & 7:
                pc, opcode = struct.unpack_from("<QI", data, at + 1)
                yield ("i", token >> 6, pc, opcode)
                at += 13
            elif kind == 1:
                pc, opcode = pc + 4, struct.unpack_from("<I", data, at + 1)[0]
                yield ("i", token >> 6, pc, opcode)
                at += 5
            elif kind == 2:
                size = 1 << (token >> 4)
                yield ("a", token >> 3 & 1, struct.unpack_from("<Q", data, at + 1)[0], data[at + 9:at + 9 + size])
                at += 9 + size
            elif token == 0x24:
                count = struct.unpack_from("<Q", data, at + 1)[0]
                yield ("v", [struct.unpack_from("<QQ", data, at + 9 + 16 * i) for i in range(count)])
                at += 9 + 16 * count
            elif token == 0x0c:
                yield ("g", struct.unpack_from("<32Q", data, at + 1))
                at += 257
            else:
                value = struct.unpack_from("<Q", data, at + 1)[0]
                yield {0x07: ("t", value), 0x23: ("z", value)}.get(token, ("s", token, value))
                at += 9

    def instructions(self):
        return [event for event in self.events if event[0] == "i"]


def unpack(name, scratch):
    """A recording of our own, unpacked into the folder of its name below `scratch`: the paths of its streams."""
    if not shutil.which("zstd"):
        skip("no zstd to unpack the recordings with")
    there = os.path.join(scratch, name)
    os.mkdir(there)
    for path in glob.glob(os.path.join(GOLDEN, name, "*.zst")):
        subprocess.run(["zstd", "-q", "-d", path, "-o", os.path.join(there, os.path.basename(path)[:-4])], check=True)
    return sorted(glob.glob(os.path.join(there, "*.xinsndata.bin")))


def pairs():
    """(name, streams) of every pair or group of the corpus."""
    for folder in sorted(glob.glob(os.path.join(PAIRS, "[uk][0-9]-*"))):
        yield os.path.basename(folder), [Stream(path) for path in sorted(glob.glob(folder + "/*.xinsndata.bin"))]


def truth(name, stream):
    """What the collector wrote down as text: [(el, pc, opcode)], [(store, address, size, value)]."""
    instructions, accesses = [], []
    with open(os.path.join(PAIRS, name, "truth.%d.txt" % stream.id), encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[0] in "LS":
                accesses.append((words[0] == "S", int(words[1], 16), int(words[2]), int(words[3], 16)))
            else:
                instructions.append((int(words[0]), int(words[1], 16), int(words[2], 16)))
    return instructions, accesses


def touches(stream):
    """("fetch" | "load" | "store", el, address, size) of every fetch and access; DC ZVA stores 64 bytes."""
    level = 0
    for event in stream.events:
        if event[0] == "i":
            level = event[1]
            yield ("fetch", level, event[2], 4)
        elif event[0] == "a":
            yield ("store" if event[1] else "load", level, event[2], len(event[3]))
        elif event[0] == "z":
            yield ("store", level, event[1] & ~63, 64)


def units(address, size, unit):
    return range(address // unit, (address + size - 1) // unit + 1)


def footprint(streams, unit, level=None):
    """(fetched, loaded, stored, data, all) units; a page counts by the lines in it that were touched."""
    found = {"fetch": set(), "load": set(), "store": set()}
    for stream in streams:
        for use, el, address, size in touches(stream):
            if level is None or level == el:
                found[use].update(units(address, size, unit))
    data = found["load"] | found["store"]
    return tuple(len(part) for part in (found["fetch"], found["load"], found["store"], data, data | found["fetch"]))


def reuse(stream, line, fetches):
    """{distance: touches}, with None for first touches: an LRU stack as a list."""
    stack, histogram = [], {}
    for use, _, address, size in touches(stream):
        if (use == "fetch") != fetches:
            continue
        for unit in units(address, size, line):
            distance = stack.index(unit) if unit in stack else None
            if distance is not None:
                del stack[distance]
            stack.insert(0, unit)
            histogram[distance] = histogram.get(distance, 0) + 1
    return histogram


def in_turn(streams):
    """(stream number, touch) of all streams: in the order of TIME tokens. What follows a TIME comes when it is the
    least; what is before the first comes at time 0, streams in their order."""
    pieces = []
    for number, stream in enumerate(streams):
        time, piece, level, first = 0, [], 0, True
        for event in stream.events:
            if event[0] == "t":
                # A first TIME of 0 is not later than any other stream's beginning.
                if not (first and event[1] == 0):
                    pieces.append((time, number, piece))
                    time, piece = event[1], []
                first = False
            elif event[0] == "i":
                level = event[1]
                piece.append((number, ("fetch", level, event[2], 4)))
            elif event[0] == "a":
                piece.append((number, ("store" if event[1] else "load", level, event[2], len(event[3]))))
            elif event[0] == "z":
                piece.append((number, ("store", level, event[1] & ~63, 64)))
        pieces.append((time, number, piece))
    for _, _, piece in sorted(pieces, key=lambda p: p[:2]):
        yield from piece


def by_turns(streams, turn=1000):
    """The same of streams without TIME: so many instructions each, the one that had the fewest next."""
    lists, ends, at, counts = [], [], [0] * len(streams), [0] * len(streams)
    for stream in streams:
        lists.append(list(touches(stream)))
        ends.append([n for n, event in enumerate(lists[-1]) if event[0] == "fetch"] + [len(lists[-1])])
    while any(at[n] < len(lists[n]) for n in range(len(streams))):
        number = min((n for n in range(len(streams)) if at[n] < len(lists[n])), key=lambda n: (counts[n], n))
        last = [n for n in range(len(streams)) if at[n] < len(lists[n])] == [number]
        counts[number] = min(counts[number] + turn, len(ends[number]) - 1)
        end = len(lists[number]) if last else ends[number][counts[number]]
        for event in lists[number][at[number]:end]:
            yield number, event
        at[number] = end


class Caches:
    """Levels: (name, side, tlb, bytes of a line, ways, sets, next, shared, inclusive)."""

    def __init__(self, levels, cores):
        self.levels = levels
        self.sets = {(level[0], None if level[7] else core): [[] for _ in range(level[5])]
                     for level in levels for core in range(cores)}
        self.counts = {}
        self.by_name = {level[0]: level for level in levels}
        self.cores = cores
        nexts = {level[6] for level in levels}
        self.first = [level for level in levels if level[0] not in nexts]

    def touch(self, core, use, address, size):
        for level in self.first:
            if use == "fetch" and "i" in level[1] or use != "fetch" and "d" in level[1]:
                for unit in units(address, size, level[3]):
                    self.line(level, core, use, unit * level[3])

    def line(self, level, core, use, address):
        name, _, _, line, ways, sets, after, shared, inclusive = level
        unit = address // line
        stack = self.sets[name, None if shared else core][unit % sets]
        hit = unit in stack
        count = self.counts.setdefault((core, name, use), [0, 0])
        count[0] += 1
        count[1] += not hit
        if hit:
            stack.remove(unit)
        elif len(stack) == ways:
            gone = stack.pop()
            if inclusive:
                self.forget(level, gone * line, line)
        stack.insert(0, unit)
        if not hit and after:
            self.line(self.by_name[after], core, use, address)

    def forget(self, behind, address, size):
        for level in self.levels:
            at = level
            while at and at is not behind:
                at = self.by_name.get(at[6])
            if at is None or level is behind:
                continue
            for core in range(self.cores):
                for unit in units(address, size, level[3]):
                    stack = self.sets[level[0], None if level[7] else core][unit % level[5]]
                    if unit in stack:
                        stack.remove(unit)


def is_branch(opcode):
    """The ends of basic blocks: encodings by the manual's groups, one by one."""
    return any(opcode & mask == bits for mask, bits in (
        (0x7c000000, 0x14000000), (0xff000000, 0x54000000), (0x7e000000, 0x34000000), (0x7e000000, 0x36000000),
        (0xfe000000, 0xd6000000), (0xff000000, 0xd4000000)))


def blocks(stream, interval=None):
    """({address: [executions, instructions, length]}, [{address: instructions}] by interval). Intervals: from snapshot
    to snapshot, or so many user instructions."""
    table, vectors, vector = {}, [], {}
    start = expected = level = None
    length = user = 0
    for event in stream.events:
        if event[0] == "x" and not interval and vector:
            vectors.append(vector)
            vector = {}
        if event[0] != "i":
            continue
        _, el, pc, opcode = event
        if interval and el == 0 and user and user % interval == 0 and vector:
            vectors.append(vector)
            vector = {}
        if start is None or pc != expected or el != level:
            if start is not None:
                close(table, start, length)
            start, length, level = pc, 0, el
        length += 1
        user += el == 0
        expected = pc + 4
        vector[start] = vector.get(start, 0) + 1
        if is_branch(opcode):
            close(table, start, length)
            start = None
    if start is not None:
        close(table, start, length)
    if vector:
        vectors.append(vector)
    return table, vectors


def close(table, start, length):
    row = table.setdefault(start, [0, 0, 0])
    row[0] += 1
    row[1] += length
    row[2] = max(row[2], length)


def system_calls(stream):
    """[instruction, user instructions between, [x8, x0..x5], vectors, result or None]."""
    calls, number, user, last = [], 0, 0, 0
    for event in stream.events:
        if event[0] == "i":
            if event[3] & 0xffe0001f == 0xd4000001:
                calls.append([number, user - last, [], [], None])
                last = user + (event[1] == 0)
            number += 1
            user += event[1] == 0
        elif event[0] == "v":
            calls[-1][3] = event[1]
        elif event[0] == "s" and event[1] == 0x13:
            calls[-1][2].append(event[2])
        elif event[0] == "s" and event[1] == 0x1b and calls and calls[-1][4] is None:
            calls[-1][4] = event[2]
    return calls
