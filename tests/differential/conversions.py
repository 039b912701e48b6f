#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`convert --to tarmac`, `champsim` and `jsonl`, read by small readers written from what the readers of these formats
expect (tarmac-trace-utilities lib/parser.cpp, ChampSim inc/instruction.h), on every pair of the shared corpus."""
import json
import re
import struct

import xtrace_model as model
from common import expect, fail, finish, run

compared = 0

# ---- Tarmac: "<time> <unit> IT (<n>) <address> <opcode> <set> <mode> : <text>", "R <register> <value>", "M[RW]<size>" ----

LINE = re.compile(r"(?P<time>\d+) clk (?:"
                  r"IT \((?P<n>\d+)\) (?P<pc>[0-9a-f]{16}) (?P<opcode>[0-9a-f]{8}) O (?P<mode>EL[0-3][th])_n : (?P<text>.+)|"
                  r"R (?P<reg>X\d+|SP_EL[0-3]) (?P<value>[0-9a-f]{16})|"
                  r"R cpsr (?P<flags>[0-9a-f]{8})|"
                  r"M(?P<rw>[RW])(?P<size>\d) (?P<address>[0-9a-f]{16}) (?P<data>[0-9a-f]+))$")
# Operands by name, to see whether something may have written a register since.
NAMED = re.compile(r"\b[xw](\d+)\b")


def read_tarmac(text):
    """[(n, pc, opcode, el, text)], [(n, store, address, size, value)], [(n, register, value)]"""
    instructions, accesses, registers = [], [], []
    for line in text.splitlines():
        found = LINE.match(line)
        if not found:
            fail("not a line of Tarmac:", line)
            continue
        time = int(found["time"])
        if found["n"]:
            expect("the time of an instruction is its number", time, int(found["n"]))
            instructions.append((time, int(found["pc"], 16), int(found["opcode"], 16), int(found["mode"][2]),
                                 found["text"]))
        elif found["rw"]:
            if len(found["data"]) != 2 * int(found["size"]):
                fail("digits of an access:", line)
            accesses.append((time, found["rw"] == "W", int(found["address"], 16), int(found["size"]),
                             int(found["data"], 16)))
        else:
            registers.append((time, found["reg"] or "cpsr", int(found["value"] or found["flags"], 16)))
    return instructions, accesses, registers


def pieces(stream):
    """The accesses, numbered, in pieces of at most 8 bytes."""
    number = 0
    for event in stream.events:
        number += event[0] == "i"
        if event[0] == "a":
            for at in range(0, len(event[3]), 8):
                piece = event[3][at:at + 8]
                yield (number, bool(event[1]), event[2] + at, len(piece), int.from_bytes(piece, "little"))


def check_tarmac(name, stream, alone):
    global compared
    instructions, accesses, registers = read_tarmac(
        run("convert", "--to", "tarmac", *([] if alone else ["--thread", str(stream.id)]), stream.path))
    plain = stream.instructions()
    expect(name + ": tarmac instructions", [(i[3], i[1], i[2]) for i in instructions], [e[1:] for e in plain])
    expect(name + ": tarmac accesses", accesses, list(pieces(stream)))
    compared += check_registers(name, stream, instructions, registers)


def check_registers(name, stream, instructions, registers):
    """A register that the trace told must be what the next snapshot has, unless an instruction since names it."""
    checked = 0
    changed = {}
    for time, reg, value in registers:
        changed.setdefault(time, []).append((reg, value))
    known, at = {}, 0
    texts = [i[4] for i in instructions]
    disassembled = not any(text.startswith(".inst") for text in texts[:1])
    for number, snapshot in enumerate(stream.snapshots):
        total = snapshot["total"]
        while at < total:
            at += 1
            # What it names may be written: forget; what the trace tells of it is known again.
            for operand in NAMED.findall(texts[at - 1]):
                known.pop("X" + operand, None)
            # The lines of a snapshot stand behind those of the instruction before it.
            told = changed.get(at, [])
            if at == total and number:
                told = told[:-33]
            known.update(told)
        level = instructions[min(total, len(instructions) - 1)][3]
        for reg, value in known.items():
            # X31 is the SP of the level that runs (A9).
            if reg == "cpsr" or (reg.startswith("X") and not disassembled) or \
               (reg.startswith("SP") and reg != "SP_EL%d" % level):
                continue
            expect("%s: snapshot %d: %s" % (name, number, reg), hex(value),
                   hex(snapshot["x"][31 if reg.startswith("SP") else int(reg[1:])]))
            checked += 1
        if changed.get(total):
            known = dict(changed[total])
    return checked


# ---- ChampSim ----

RECORD = struct.Struct("<QBB2B4B2Q4Q")
SP, FLAGS, IP = 6, 25, 26


def kind_of_branch(reads, writes):
    """By the rules of ChampSim's ooo_model_instr."""
    writes_sp, writes_ip = SP in writes, IP in writes
    reads_sp, reads_ip, reads_flags = SP in reads, IP in reads, FLAGS in reads
    other = any(r not in (SP, FLAGS, IP) for r in reads)
    if not writes_ip:
        return None
    if not reads_sp and not reads_flags and not other:
        return "jump"
    if not reads_sp and not reads_ip and not reads_flags and other:
        return "indirect"
    if not reads_sp and reads_ip and not writes_sp and (reads_flags or other):
        return "conditional"
    if reads_sp and reads_ip and writes_sp and not reads_flags:
        return "indirect call" if other else "call"
    if reads_sp and not reads_ip and writes_sp:
        return "return"
    return "other"


KINDS = (
    (0xfc000000, 0x14000000, "jump"), (0xfc000000, 0x94000000, "call"), (0xff000000, 0x54000000, "conditional"),
    (0x7e000000, 0x34000000, "conditional"), (0x7e000000, 0x36000000, "conditional"),
    (0xfffffc1f, 0xd61f0000, "indirect"), (0xfffffc1f, 0xd63f0000, "indirect call"), (0xfffffc1f, 0xd65f0000, "return"),
    (0xffffffff, 0xd69f03e0, "other"), (0xffe0001f, 0xd4000001, "other"),
)


def check_champsim(name, stream):
    global compared
    data = run("convert", "--to", "champsim", stream.path, text=False)
    plain = stream.instructions()
    expect(name + ": champsim bytes", len(data), 64 * len(plain))
    accesses = memory_of(stream)
    for number, (record, event) in enumerate(zip(RECORD.iter_unpack(data), plain)):
        ip, is_branch, taken = record[:3]
        writes, reads = [r for r in record[3:5] if r], [r for r in record[5:9] if r]
        _, level, pc, opcode = event
        after = plain[number + 1] if number + 1 < len(plain) else None
        kind = next((kind for mask, bits, kind in KINDS if opcode & mask == bits), None)
        if kind == "other" and (after is None or after[2] == pc + 4):
            kind = None
        what = "%s: champsim record %d" % (name, number)
        expect(what, (ip, kind_of_branch(reads, writes), bool(is_branch)), (pc, kind, kind is not None))
        if kind == "conditional":
            expect(what + ": taken", bool(taken), after is not None and after[2] == target_of(opcode, pc))
        elif kind:
            expect(what + ": taken", taken, 1)
        stores, loads = accesses[number]
        expect(what + ": memory", (record[9:11], record[11:15]), (stores, loads))
    compared += len(plain)


def target_of(opcode, pc):
    low, bits = (5, 14) if opcode & 0x7e000000 == 0x36000000 else (5, 19)
    offset = opcode >> low & (1 << bits) - 1
    return pc + 4 * (offset - (1 << bits) if offset >> (bits - 1) else offset)


def memory_of(stream):
    found = []
    for event in stream.events:
        if event[0] == "i":
            found.append(([], []))
        elif event[0] == "a" and event[2] not in found[-1][1 - event[1]]:
            found[-1][1 - event[1]].append(event[2])
        elif event[0] == "z":
            found[-1][0].append(event[1])
    return [(tuple((stores + [0, 0])[:2]), tuple((loads + [0] * 4)[:4])) for stores, loads in found]


# ---- JSON lines ----


def check_jsonl(name, streams):
    global compared
    lines = [json.loads(line) for line in run("convert", "--to", "jsonl", *[s.path for s in streams]).splitlines()]
    for stream in streams:
        mine = [line for line in lines if line["thread"] == stream.id]
        expect(name + ": jsonl instructions",
               [(l["instruction"], l["el"], int(l["pc"], 16), int(l["opcode"], 16)) for l in mine],
               [(n, *event[1:]) for n, event in enumerate(stream.instructions())])
        accesses = [(a["access"] == "store", int(a["address"], 16), a["size"], int(a["value"], 16))
                    for l in mine for a in l.get("accesses", [])]
        expect(name + ": jsonl accesses", accesses,
               [(bool(e[1]), e[2], len(e[3]), int.from_bytes(e[3], "little")) for e in stream.events if e[0] == "a"])
        check_values(name, mine, stream)
        compared += 1


def check_values(name, lines, stream):
    for key, token in (("stxr", 0x03), ("mrs", 0x0b), ("svcret", 0x1b), ("target", 0x2b), ("flags", 0x1c)):
        wanted = [e[2] for e in stream.events if e[0] == "s" and e[1] == token]
        # A result at the very end has no instruction behind it that it could belong to.
        got = [int(l[key], 16) for l in lines if key in l]
        expect("%s: jsonl %s" % (name, key), got, wanted[:len(got)] if key == "svcret" else wanted)
    expect(name + ": jsonl snapshots", [l["snapshot"] for l in lines if "snapshot" in l],
           [e[1] for e in stream.events if e[0] == "x"])
    expect(name + ": jsonl times", [l["time"] for l in lines if "time" in l],
           [e[1] for e in stream.events if e[0] == "t"])
    expect(name + ": jsonl arguments", [int(a, 16) for l in lines for a in l.get("svcargs", [])],
           [e[2] for e in stream.events if e[0] == "s" and e[1] == 0x13])
    expect(name + ": jsonl registers", [tuple(int(x, 16) for x in l["allgpr"]) for l in lines if "allgpr" in l],
           [e[1] for e in stream.events if e[0] == "g"])


for pair, members in model.pairs():
    for member in members:
        check_tarmac(pair, member, len(members) == 1)
        check_champsim(pair, member)
    check_jsonl(pair, members)
finish(compared, "results")
