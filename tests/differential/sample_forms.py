#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sample_forms.py TRACELATHE: all fields that a sample can have, against perf script.

Recordings are written by hand with any choice of sample_type's bits (uapi/linux/perf_event.h, PERF_RECORD_SAMPLE), and two as
processors make them that this test cannot count on: samples of AMD's IBS, with the registers of an op behind them (RAW), and
samples of Arm's SPE as `perf inject --itrace` writes them, an event for each kind. What perf script prints of each sample is
what `dump` lists, and the sums of samples and periods of each event are those of the profile.
"""
import collections
import csv
import io
import json
import os
import random
import re
import shutil
import struct
import subprocess
import tempfile

from common import command, expect, finish, skip

(IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH_STACK, REGS_USER, STACK_USER, WEIGHT, DATA_SRC, IDENTIFIER,
 TRANSACTION, REGS_INTR, PHYS_ADDR, AUX, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE, WEIGHT_STRUCT) = (1 << bit for bit in range(25))
REGISTERS = 0xff0fff  # of x86: without the segments that no program of 64 bits has
BASE = 0x400000
PAGES = {4096: "4K", 1 << 21: "2M", 1 << 30: "1024M"}


class Sample:
    """One sample of any content that perf takes."""

    def __init__(self, chosen, kinds, number, event_id):
        self.kinds, self.id = kinds, event_id
        self.ip, self.addr, self.physical = BASE + chosen.randrange(0x1000), chosen.getrandbits(47), chosen.getrandbits(46)
        self.thread, self.time, self.cpu = 100 + chosen.randrange(3), 1000000000 + number * 1000 + chosen.randrange(900), chosen.randrange(8)
        self.period, self.weight = 1 + chosen.randrange(1 << 20), chosen.getrandbits(31)
        self.latency, self.data_src = chosen.getrandbits(16), chosen.getrandbits(33)
        self.pages = chosen.choice(list(PAGES)), chosen.choice(list(PAGES))
        self.chain = [BASE + chosen.randrange(0x1000) for _ in range(chosen.randrange(1, 6))]
        self.branches = [(chosen.getrandbits(40), chosen.getrandbits(40), chosen.randrange(1, 3)) for _ in range(chosen.randrange(4))]
        self.user, self.interrupted = ([chosen.getrandbits(64) for _ in range(bin(REGISTERS).count("1"))] for _ in range(2))
        self.raw = chosen.randbytes(4 + 8 * chosen.randrange(1, 12))
        self.stack = chosen.randbytes(8 * chosen.randrange(4))
        self.words = [chosen.getrandbits(63) for _ in range(3)]

    def record(self):
        """The fields in the order of the kernel."""
        out = []

        def word(bit, *values):
            if self.kinds & bit:
                out.append(struct.pack("<%dQ" % len(values), *values))

        def two(bit, *values):
            if self.kinds & bit:
                out.append(struct.pack("<II", *values))

        word(IDENTIFIER, self.id)
        word(IP, self.ip)
        two(TID, 100, self.thread)
        word(TIME, self.time)
        word(ADDR, self.addr)
        word(ID, self.id)
        word(STREAM_ID, self.words[0])
        two(CPU, self.cpu, 0)
        word(PERIOD, self.period)
        word(CALLCHAIN, 1 + len(self.chain), (1 << 64) - 512, *self.chain)
        if self.kinds & RAW:
            out.append(struct.pack("<I", len(self.raw)) + self.raw)
        word(BRANCH_STACK, len(self.branches), *[value for branch in self.branches for value in branch])
        word(REGS_USER, 2, *self.user)
        if self.kinds & STACK_USER:
            out.append(struct.pack("<Q", len(self.stack)) + self.stack + (struct.pack("<Q", len(self.stack)) if self.stack else b""))
        word(WEIGHT, self.weight)
        if self.kinds & WEIGHT_STRUCT:
            out.append(struct.pack("<IHH", self.weight, self.latency, 0))
        word(DATA_SRC, self.data_src)
        word(TRANSACTION, self.words[1])
        word(REGS_INTR, 2, *self.interrupted)
        word(PHYS_ADDR, self.physical)
        word(CGROUP, self.words[2])
        word(DATA_PAGE_SIZE, self.pages[0])
        word(CODE_PAGE_SIZE, self.pages[1])
        body = b"".join(out)
        return struct.pack("<IHH", 9, 2, 8 + len(body)) + body

    def wanted(self):
        """As `dump` lists it, of the fields that it has; perf script is held against the same."""
        kinds, all_fields = self.kinds, {
            "ip": (IP, self.ip), "thread": (TID, self.thread), "time": (TIME, self.time), "addr": (ADDR, self.addr), "cpu": (CPU, self.cpu),
            "period": (PERIOD, self.period), "data_src": (DATA_SRC, self.data_src), "phys_addr": (PHYS_ADDR, self.physical),
            "weight": (WEIGHT | WEIGHT_STRUCT, self.weight), "ins_lat": (WEIGHT_STRUCT, self.latency),
            "data_page_size": (DATA_PAGE_SIZE, PAGES[self.pages[0]]), "code_page_size": (CODE_PAGE_SIZE, PAGES[self.pages[1]]),
            "brstack": (BRANCH_STACK, [branch[:2] for branch in self.branches]), "uregs": (REGS_USER, self.user),
            "iregs": (REGS_INTR, self.interrupted),
        }
        return {name: value for name, (bits, value) in all_fields.items() if kinds & bits}


def write(path, events, samples):
    """`events`: (name, kind of PMU, config, sample_type, id). The table of them is feature EVENT_DESC."""
    def record(kind, misc, body):
        return struct.pack("<IHH", kind, misc, 8 + len(body)) + body

    def attr(event):
        _, pmu, config, kinds, _ = event
        fixed = struct.pack("<IIQQQQQ", pmu, 128, config, 1000, kinds, 0, 0)
        return (fixed + struct.pack("<IIQQ", 0, 0, 0, 0) + struct.pack("<Q", (1 << 3) if kinds & BRANCH_STACK else 0) +
                struct.pack("<QIiQ", REGISTERS if kinds & REGS_USER else 0, 4096 if kinds & STACK_USER else 0, 0,
                            REGISTERS if kinds & REGS_INTR else 0)).ljust(128, b"\0")

    data = record(3, 0, struct.pack("<II", 100, 100) + b"prog\0\0\0\0")
    for thread in (101, 102):
        data += record(3, 0, struct.pack("<II", 100, thread) + b"prog\0\0\0\0")
    data += record(1, 2, struct.pack("<IIQQQ", 100, 100, BASE, 0x1000, 0) + b"//anon\0\0")
    data += b"".join(sample.record() for sample in samples)
    at = 104
    ids_at = [at + 8 * i for i in range(len(events))]
    at += 8 * len(events)
    attrs_at, data_at = at, at + 144 * len(events)
    described = struct.pack("<II", len(events), 128)
    for event in events:
        name = event[0].encode() + b"\0"
        name += bytes(-len(name) % 64)
        described += attr(event) + struct.pack("<II", 1, len(name)) + name + struct.pack("<Q", event[4])
    features = 1 << 12
    with open(path, "wb") as out:
        out.write(b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 144, attrs_at, 144 * len(events), data_at, len(data), 0, 0))
        out.write(struct.pack("<4Q", features, 0, 0, 0))
        out.write(b"".join(struct.pack("<Q", event[4]) for event in events))
        for i, event in enumerate(events):
            out.write(attr(event) + struct.pack("<QQ", ids_at[i], 8))
        out.write(data + struct.pack("<QQ", data_at + len(data) + 16, len(described)) + described)


# ---- perf script ----


def hexadecimal(line):
    return int(line.split()[0], 16)


def registers(line):
    return [int(value, 16) for value in re.findall(r":0x([0-9a-f]+)", line)]


def branches(line):
    return [(int(a, 16), int(b, 16)) for a, b in re.findall(r"0x([0-9a-f]+)/0x([0-9a-f]+)/", line)]


# By the names of this test: perf's, and what is made of a line that has nothing else.
FIELDS = {
    "ip": ("ip", hexadecimal), "thread": ("tid", int), "time": ("time", lambda line: int(line.strip(" :").replace(".", ""))),
    "addr": ("addr", hexadecimal), "cpu": ("cpu", lambda line: int(line.strip(" []"))), "period": ("period", int),
    "data_src": ("data_src", hexadecimal), "weight": ("weight", int), "ins_lat": ("ins_lat", int), "phys_addr": ("phys_addr", hexadecimal),
    "data_page_size": ("data_page_size", str.strip), "code_page_size": ("code_page_size", str.strip),
    "uregs": ("uregs", registers), "iregs": ("iregs", registers), "brstack": ("brstack", branches),
}


def script(path, field):
    done = subprocess.run(["perf", "script", "-i", path, "--ns", "-G", "-F", field], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else [done.stderr.strip()]


def theirs(path, name):
    """perf script's values of a field, a sample each."""
    flag, convert = FIELDS[name]
    lines = script(path, flag)
    try:
        return [convert(line) for line in lines]
    except (ValueError, IndexError):
        return lines


# ---- dump ----

def listed(path):
    done = subprocess.run([command(), "dump", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    expect("dump of " + path, (done.returncode, done.stderr), (0, ""))
    return [record for record in map(json.loads, done.stdout.splitlines()) if record["record"] == "SAMPLE"]


def ours(record):
    """The fields of a line of `dump --json` under the names of this test."""
    def number(text):
        return int(text, 16) if isinstance(text, str) else text

    keys = {"ins_lat": "var2_w", "uregs": "user_registers", "iregs": "interrupt_registers"}
    out = {name: record[keys.get(name, name)] for name in FIELDS if keys.get(name, name) in record}
    for name, value in out.items():
        out[name] = [number(one) for one in value] if isinstance(value, list) else number(value)
    for name in ("data_page_size", "code_page_size"):
        if name in out:
            out[name] = PAGES.get(out[name])
    if "branch_stack" in record:
        out["brstack"] = [(number(branch["from"]), number(branch["to"])) for branch in record["branch_stack"]]
    return out


# ---- recordings ----

USUAL = IP | TID | TIME | PERIOD | IDENTIFIER
CHOSEN = (ADDR, ID, CPU, STREAM_ID, CALLCHAIN, RAW, BRANCH_STACK, REGS_USER, STACK_USER, DATA_SRC, TRANSACTION, REGS_INTR, PHYS_ADDR, CGROUP,
          DATA_PAGE_SIZE, CODE_PAGE_SIZE)


def compare_fields(what, path, samples):
    records = listed(path)
    wanted = [sample.wanted() for sample in samples]
    expect(what + ": samples", len(records), len(samples))
    expect(what + ": stacks and payloads", [(len(r.get("chain", [])), r.get("raw_size", 0)) for r in records],
           [(len(s.chain) + 1 if s.kinds & CALLCHAIN else 0, len(s.raw) if s.kinds & RAW else 0) for s in samples])
    for name in wanted[0]:
        have = [fields.get(name) for fields in wanted]
        got = [ours(record).get(name, [] if name == "brstack" else None) for record in records]
        expect("%s: %s as perf script has it" % (what, name), theirs(path, name), have)
        expect("%s: %s" % (what, name), got, have)
    return len(samples) * len(wanted[0])


def compare_sums(what, path, events, samples):
    sums = {name: [0, 0] for name, *_ in events}
    names = {event[4]: event[0] for event in events}
    for sample in samples:
        sums[names[sample.id]][0] += 1
        sums[names[sample.id]][1] += sample.period
    counted = collections.Counter(line.strip(" :") for line in script(path, "event"))
    expect(what + ": samples of each event as perf script has them", dict(counted), {name: both[0] for name, both in sums.items()})
    done = subprocess.run([command(), "report", "--csv", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    for name, both in sums.items():
        expect("%s: period of %s" % (what, name), sum(int(row.get(name + ":self") or 0) for row in rows), both[1])
    expect(what + ": all samples", sum(int(row[column]) for row in rows for column in row if re.fullmatch(r"(.*\.)?samples:self", column)), len(samples))


def main():
    if not shutil.which("perf"):
        skip("no perf")
    chosen, compared = random.Random(20), 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.data")
        for number in range(8):
            kinds = USUAL | chosen.choice((0, WEIGHT, WEIGHT_STRUCT)) | sum(bit for bit in CHOSEN if chosen.random() < 0.5)
            samples = [Sample(chosen, kinds, i, 7) for i in range(30)]
            write(path, [("cycles", 0, 0, kinds, 7)], samples)
            compared += compare_fields("recording %d (sample_type 0x%x)" % (number, kinds), path, samples)
        # perf record -e ibs_op// -d --phys-data: the PMU is known by its number alone, the name by EVENT_DESC.
        kinds = USUAL | ADDR | CPU | RAW | DATA_SRC | WEIGHT_STRUCT | PHYS_ADDR
        events = [("ibs_op//", 11, 0, kinds, 7)]
        samples = [Sample(chosen, kinds, i, 7) for i in range(60)]
        write(path, events, samples)
        compared += compare_fields("IBS", path, samples)
        compare_sums("IBS", path, events, samples)
        # perf inject --itrace of a trace of SPE: an event for each kind, whose samples share one form.
        kinds = USUAL | ADDR | CPU | DATA_SRC | WEIGHT
        events = [(name, 0, 1, kinds, 1000000000 + i) for i, name in enumerate(("l1d-miss", "llc-miss", "tlb-access", "branch-miss", "memory"))]
        samples = [Sample(chosen, kinds, i, 1000000000 + chosen.randrange(5)) for i in range(100)]
        write(path, events, samples)
        compared += compare_fields("SPE", path, samples)
        compare_sums("SPE", path, events, samples)
    finish(compared, "fields of samples")


main()
