#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`analyze --dependences` against a plain model. Registers and windows: a made program of a few encodings, whose operands are
known as it is made. Memory: that program, and recordings of tests/golden/xtrace."""
import json
import os
import random
import struct
import tempfile

import common
import xtrace_model as model
from common import expect, run

compared = 0


def make(path, count):
    """[(registers read, registers written, addresses loaded, addresses stored)]; the file has the same."""
    chance, program, data, pc = random.Random(11), [], b"", 0x400000
    for _ in range(count):
        d, n, m = (chance.randrange(12) for _ in range(3))
        address = 0x10000 + chance.randrange(0, 400, chance.choice((1, 4, 8)))
        kind = chance.randrange(7)
        access = b""
        if kind == 0:  # ADD Xd, Xn, Xm
            opcode, row = 0x8b000000 | m << 16 | n << 5 | d, ({n, m}, {d}, [], [])
        elif kind == 1:  # ADDS Xd, Xn, Xm: NZCV, too
            opcode, row = 0xab000000 | m << 16 | n << 5 | d, ({n, m}, {d, "flags"}, [], [])
        elif kind == 2:  # MOVZ Xd, #0
            opcode, row = 0xd2800000 | d, (set(), {d}, [], [])
        elif kind == 3:  # B.EQ +4
            opcode, row = 0x54000020, ({"flags"}, set(), [], [])
        elif kind in (4, 5):  # LDR Xd, [Xn]
            opcode, row = 0xf9400000 | n << 5 | d, ({n}, {d}, [(address, 8)], [])
            access = struct.pack("<BQQ", 0x32, address, 0)
        else:  # STR Xd, [Xn]
            opcode, row = 0xf9000000 | n << 5 | d, ({n, d}, set(), [], [(address, 8)])
            access = struct.pack("<BQQ", 0x3a, address, 0)
        program.append(row)
        data += struct.pack("<BQI", 9, pc, opcode) + access
        pc += 4
    with open(path, "wb") as file:
        file.write(data)
    return program


def memory_of(stream):
    """The same of a recording, without registers."""
    program = []
    for event in stream.events:
        if event[0] == "i":
            program.append((set(), set(), [], []))
        elif event[0] == "a":
            program[-1][3 if event[1] else 2].append((event[2], len(event[3])))
        elif event[0] == "z":
            program[-1][3].append((event[1] & ~63, 64))
    return program


def parts(accesses):
    """Each access as its 8 bytes."""
    return [list(model.units(address, size, 8)) for address, size in accesses]


def distances(program, registers):
    """{bucket's first distance, or None: reads}."""
    made, found = {}, {}
    for number, (reads, writes, loads, stores) in enumerate(program):
        for wanted in [[read] for read in reads] if registers else parts(loads):
            before = [made[what] for what in wanted if what in made]
            bucket = 1 << ((number - max(before)).bit_length() - 1) if before else None
            found[bucket] = found.get(bucket, 0) + 1
        for what in writes if registers else [part for access in parts(stores) for part in access]:
            made[what] = number
    return found


def chains(program, window):
    """The sum of the longest chains of all windows."""
    total = 0
    for first in range(0, len(program), window):
        depth, longest = {}, 0
        for reads, writes, loads, stores in program[first:first + window]:
            before = list(reads) + [("m", part) for access in parts(loads) for part in access]
            mine = 1 + max([depth.get(what, 0) for what in before], default=0)
            for what in list(writes) + [("m", part) for access in parts(stores) for part in access]:
                depth[what] = mine
            longest = max(longest, mine)
        total += longest
    return total


def check(what, path, program, kinds, args=()):
    global compared
    got = json.loads(run("analyze", "--dependences", "--json", *args, path))
    for kind in kinds:
        rows = {r["from"]: r["reads"] for r in got["dependences"] if r["kind"] == kind and r["reads"]}
        expect("%s: %s" % (what, kind), rows, distances(program, kind == "register"))
        compared += len(rows)
    if "register" in kinds:
        expect(what + ": windows", {r["window"]: [r["instructions"], r["chains"]] for r in got["parallelism"]},
               {window: [len(program), chains(program, window)] for window in (16, 32, 64, 128, 256, 512, 1024)})
        for row in got["parallelism"]:
            expect(what + ": parallelism", row["parallelism"], round(row["instructions"] / row["chains"], 2))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "xtrace.1.0.hint9.xinsndata.bin")
        program = make(path, 5000)
        check("made", path, program, ("register", "memory"))
        check("made, a part", path, program[1000:3048], ("register", "memory"), ("--instructions", "1000..3048"))
        for name in ("u1-recur-vl128", "u3-simd-vl128", "k1-core-el01"):
            (path,) = model.unpack(name, scratch)
            check(name, path, memory_of(model.Stream(path)), ("memory",))
    common.finish(compared, "rows")


if __name__ == "__main__":
    main()
