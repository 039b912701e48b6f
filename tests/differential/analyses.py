#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`analyze` against the plain models of xtrace_model.py, on every pair of the shared corpus; system calls against what
the program's source says it calls."""
import csv
import glob
import io
import json
import os
import shutil
import tempfile

import xtrace_model as model
from common import expect, finish, need_whole_corpus, run

compared = 0

MINE = """# small, so that everything is dropped some time; sets that are no power of two; an inclusive level
I  instruction size=1536 ways=2 line=32 next=U
D  data size=1K ways=4 line=16 next=U
U  unified size=4K ways=4 line=64 next=S inclusive
S  unified size=12K ways=3 line=128 shared inclusive
T  unified tlb entries=4 ways=4 page=4K
"""
MINE_LEVELS = [
    ("I", "i", False, 32, 2, 24, "U", False, False), ("D", "d", False, 16, 4, 16, "U", False, False),
    ("U", "id", False, 64, 4, 16, "S", False, True), ("S", "id", False, 128, 3, 32, None, True, True),
    ("T", "id", True, 4096, 4, 1, None, False, False),
]
USUAL_LEVELS = [
    ("L1I", "i", False, 64, 4, 256, "L2", False, False), ("L1D", "d", False, 64, 4, 256, "L2", False, False),
    ("L2", "id", False, 64, 8, 1024, "L3", False, False), ("L3", "id", False, 64, 16, 1024, None, True, False),
    ("ITLB", "i", True, 4096, 32, 1, "L2TLB", False, False), ("DTLB", "d", True, 4096, 32, 1, "L2TLB", False, False),
    ("L2TLB", "id", True, 4096, 4, 256, None, False, False),
]


def rows(streams, *args):
    return list(csv.DictReader(io.StringIO(run("analyze", "--csv", *args, *[s.path for s in streams]))))


def check_footprint(name, streams):
    global compared
    table = rows(streams, "--footprint", "--page", "16384")
    wanted = {}
    groups = [(str(s.id), [s]) for s in streams] + ([("all", streams)] if len(streams) > 1 else [])
    for thread, group in groups:
        levels = sorted({event[1] for s in group for event in s.events if event[0] == "i"})
        for level in levels + ([None] if len(levels) > 1 else []):
            for unit, size in (("line", 64), ("page", 16384)):
                key = (thread, "all" if level is None else str(level), unit, str(size))
                wanted[key] = model.footprint(group, size, level)
    got = {(r["thread"], r["el"], r["unit"], r["bytes"]):
           tuple(int(r[k]) for k in ("fetched", "loaded", "stored", "data", "all")) for r in table}
    expect(name + ": footprint", got, wanted)
    compared += len(wanted)


def bucketed(histogram):
    found = {}
    for distance, count in histogram.items():
        key = "" if distance is None else str(1 << (distance.bit_length() - 1)) if distance else "0"
        found[key] = found.get(key, 0) + count
    return found


def check_reuse(name, streams):
    global compared
    for line in (64, 256):
        table = rows(streams, "--reuse", "--line", str(line))
        for stream in streams:
            for access in ("instruction", "data"):
                got = {r["from"]: int(r["touches"]) for r in table
                       if r["thread"] == str(stream.id) and r["access"] == access and r["touches"] != "0"}
                expect("%s: reuse of %s, lines of %d" % (name, access, line), got,
                       bucketed(model.reuse(stream, line, access == "instruction")))
                compared += 1


def check_cache(name, streams, folder):
    global compared
    path = os.path.join(folder, "mine.cfg")
    with open(path, "w", encoding="ascii") as file:
        file.write(MINE)
    for option, levels in (("--cache", USUAL_LEVELS), ("--cache=" + path, MINE_LEVELS)):
        caches = model.Caches(levels, len(streams))
        for core, (use, _, address, size) in model.in_turn(streams):
            caches.touch(core, use, address, size)
        wanted = {(str(streams[core].id), level, use): tuple(count)
                  for (core, level, use), count in caches.counts.items()}
        got = {(r["thread"], r["level"], r["access"]): (int(r["accesses"]), int(r["misses"]))
               for r in rows(streams, option) if r["access"] != "all" and r["thread"] != "all" and r["accesses"] != "0"}
        expect("%s: %s" % (name, option[:8]), got, wanted)
        compared += 1


def check_turns(folder):
    """Two cores without TIME share a cache in turns of 1,000 instructions."""
    global compared
    paths = []
    for number, pair in enumerate(("u1-recur-vl128", "u7-recur-vl2048")):
        for kind in ("xinsndata", "xsnapshot"):
            (source,) = glob.glob(os.path.join(model.PAIRS, pair, "*.%s.bin" % kind))
            path = os.path.join(folder, "xtrace.5.%d.hint9.%s.bin" % (number, kind))
            shutil.copy(source, path)
            paths += [path] if kind == "xinsndata" else []
    streams = [model.Stream(path) for path in paths]
    caches = model.Caches(USUAL_LEVELS, 2)
    for core, (use, _, address, size) in model.by_turns(streams):
        caches.touch(core, use, address, size)
    got = {(int(r["thread"]), r["level"], r["access"]): [int(r["accesses"]), int(r["misses"])]
           for r in rows(streams, "--cache") if r["access"] != "all" and r["thread"] != "all" and r["accesses"] != "0"}
    expect("two cores by turns", got, caches.counts)
    compared += 1


def check_blocks(name, streams):
    global compared
    for stream in streams:
        table, vectors = model.blocks(stream)
        got_table = rows([stream], "--blocks")
        got = {(int(r["address"], 16), int(r["executions"]), int(r["instructions"]), int(r["length"]))
               for r in got_table}
        # The same address at two exception levels is two blocks; none of the corpus has such.
        expect(name + ": blocks", got, {(a, *counts) for a, counts in table.items()})
        addresses = {int(r["block"]): int(r["address"], 16) for r in got_table}
        check_vectors(name + ": vectors by snapshot", run("analyze", "--bbv", stream.path), addresses, vectors)
        _, vectors = model.blocks(stream, 700)
        check_vectors(name + ": vectors of 700", run("analyze", "--bbv", "--interval", "700", stream.path),
                      addresses, vectors)
        expect(name + ": convert --to bbv", run("convert", "--to", "bbv", stream.path),
               run("analyze", "--bbv", stream.path))
        machine = rows([stream], "--bbv")
        expect(name + ": --bbv --csv", sum(int(r["instructions"]) for r in machine), len(stream.instructions()))
        compared += 3


def check_vectors(what, text, addresses, vectors):
    """SimPoint reads lines that begin with T, each ":block:count" in it apart by blanks."""
    got = []
    for line in text.splitlines():
        if not line.startswith("T:"):
            expect(what + ": line", line, "T:...")
        pairs = [part.split(":")[1:] for part in line[1:].split()]
        got.append({addresses[int(block)]: int(count) for block, count in pairs})
    expect(what, got, vectors)


def names_of_source():
    """p2_sys.c, read: what its main() calls between the hints."""
    names = ["pipe2"]
    for turn in range(8):
        names += ["writev", "readv"] + (["writev"] if turn == 0 else []) + ["getpid", "newfstatat"]
    return names + ["socketpair", "sendmsg", "recvmsg", "mmap", "munmap", "openat", "pwrite64", "pwritev", "close",
                    "openat", None]


def check_calls(name, streams):
    global compared
    for stream in streams:
        got = json.loads(run("analyze", "--syscalls", "--json", stream.path))["syscalls"]
        wanted = model.system_calls(stream)
        expect(name + ": calls", [(c["instruction"], c["between"], c["number"]) for c in got],
               [(c[0], c[1], c[2][0]) for c in wanted])
        for call, plain in zip(got, wanted):
            count = len(call["arguments"])
            expect(name + ": arguments", [int(a, 16) for a in call["arguments"]], plain[2][1:1 + count])
            expect(name + ": vectors", [(int(v["base"], 16), v["length"]) for v in call["vectors"]], plain[3])
            result = plain[4]
            expect(name + ": result", call["result"] and int(call["result"], 16), result)
            compared += 1
        if name.startswith("u2"):
            check_source(name, got)


def check_source(name, got):
    expect(name + ": the source's calls", [c["name"] for c in got], names_of_source())
    expect(name + ": ENOENT, ENOSYS", [c["error"] for c in got[-2:]], ["ENOENT", "ENOSYS"])
    expect(name + ": calls with vectors", sum(bool(c["vectors"]) for c in got), 20)
    to_stdout = [c for c in got if c["name"] == "writev" and int(c["arguments"][0], 16) == 1]
    size = os.path.getsize(os.path.join(model.PAIRS, name, "stdout.txt"))
    expect(name + ": bytes on stdout", [int(c["result"], 16) for c in to_stdout], [size])


def check_mix(name, streams):
    """Classes count every instruction, by level; --csv is the table of opcodes."""
    global compared
    paths = [s.path for s in streams]
    mix = json.loads(run("analyze", "--mix", "--json", *paths))
    levels = [0] * 4
    for stream in streams:
        for event in stream.instructions():
            levels[event[1]] += 1
    for table in (mix["classes"], mix["opcodes"], rows(streams, "--mix")):
        expect(name + ": --mix by level", [sum(int(r["el%d" % el]) for r in table) for el in range(4)], levels)
        expect(name + ": --mix in all", sum(int(r["all"]) for r in table), sum(levels))
        compared += 1
    # SVC and ERET by their encodings.
    calls = sum(event[3] & 0xffe0001f == 0xd4000001 for s in streams for event in s.instructions())
    expect(name + ": --mix, SVC", sum(r["all"] for r in mix["opcodes"] if r["opcode"] == "svc") in (calls, 0), True)


def check_forms(name, streams):
    """Text, CSV and JSON say the same."""
    paths = [s.path for s in streams]
    whole = json.loads(run("analyze", "--json", "--mix", "--footprint", "--reuse", "--cache", "--blocks", "--syscalls",
                           *paths))
    for option in ("footprint", "reuse", "cache", "blocks"):
        table = rows(streams, "--" + option)
        plain = [{k: "" if v is None else str(v) for k, v in row.items()} for row in whole[option]]
        # 12.50 and 12.5 are one number.
        for row in table + plain:
            for key in ("percent", "up_to", "missed"):
                if row.get(key):
                    row[key] = float(row[key])
        expect("%s: --%s as CSV and JSON" % (name, option), table, plain)
        text = run("analyze", "--all", "--" + option, *paths)
        expect("%s: lines of --%s" % (name, option), len(text.splitlines()), len(table) + 2)


need_whole_corpus()
with tempfile.TemporaryDirectory() as scratch:
    check_turns(scratch)
    for pair, members in model.pairs():
        for member in members:
            truth_instructions, truth_accesses = model.truth(pair, member)
            expect(pair + ": the model's instructions", [e[1:] for e in member.instructions()], truth_instructions)
            expect(pair + ": the model's accesses",
                   [(bool(e[1]), e[2], len(e[3]), int.from_bytes(e[3], "little"))
                    for e in member.events if e[0] == "a"], truth_accesses)
        check_footprint(pair, members)
        check_reuse(pair, members)
        check_cache(pair, members, scratch)
        check_blocks(pair, members)
        check_calls(pair, members)
        check_mix(pair, members)
        check_forms(pair, members)
finish(compared, "results")
