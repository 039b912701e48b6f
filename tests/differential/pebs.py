#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pebs.py TRACELATHE: samples that the processor writes into an Intel PT trace (PEBS via PT), by `dump --pebs`.

A recording of two processors is put together by hand: blocks of items (BBP, BIP, BEP) between packets of flow, and records
that say of which event a counter is. What each sample is follows from the items; `perf script --itrace=o` lists the same.
"""
import os
import re
import struct
import subprocess
import tempfile

import changed_kernel
import common
import perf_writer as pw
from common import expect

HW_ID = 21
REGISTERS = ("flags", "ip", "ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15")
# Numbers of registers of perf (asm/perf_regs.h) by their names there.
PERF_REGISTERS = {"ax": 0, "bx": 1, "cx": 2, "dx": 3, "si": 4, "di": 5, "bp": 6, "sp": 7, "ip": 8, "flags": 9}
REGS_INTR, PERIOD, ADDR = 1 << 18, 1 << 8, 1 << 3
AUX_OUTPUT = 1 << 31
KERNEL = changed_kernel.KERNEL
CODE = b"\x90" * 64 + b"\xff\xe0"
count = 0


class Writer(pw.Writer):
    """With further events, whose samples are in the trace; each has an id for each processor."""

    def __init__(self, events, **more):
        super().__init__(kernel=True, sample_type=pw.IP | pw.TID | pw.TIME | pw.CPU | pw.IDENTIFIER, **more)
        self.events = events

    @staticmethod
    def ids(number):
        return [100 + 10 * number, 101 + 10 * number]

    def id_index(self):
        """perf takes the buffer of a counter's processor from this."""
        rows = [(id, cpu, cpu, 0xffffffffffffffff) for number in range(len(self.events)) for cpu, id in enumerate(self.ids(number))]
        self.record(69, self.pack("Q", len(rows)) + b"".join(self.pack("QQQQ", *row) for row in rows))

    def hw_id(self, counter, number, cpu, time):
        body = self.pack("Q", counter) + self.pack("IIQIIQ", 100 + cpu, 100 + cpu, time, cpu, 0, self.ids(number)[cpu])
        self.data += self.header(HW_ID, 0, 8 + len(body)) + body

    def event(self, config, period):
        mask = sum(1 << bit for bit in PERF_REGISTERS.values())
        out = self.pack("IIQQQQ", 0, 112, config, period, self.sample_type | REGS_INTR | ADDR, 0)
        out += struct.pack("<Q", 1 << 18 | AUX_OUTPUT | 3 << 15)
        out = out.ljust(96, b"\0") + self.pack("Q", mask)
        return out.ljust(112, b"\0")

    def file(self):
        ids = [[77]] + [self.ids(number) for number in range(len(self.events))]
        attrs = [self.attr()] + [self.event(*event) for event in self.events]
        places = [104 + 8 * sum(map(len, ids[:number])) for number in range(len(ids))]
        lengths = [8 * len(list) for list in ids]
        ids = b"".join(self.pack("Q", id) for list in ids for id in list)
        attrs_at = 104 + len(ids)
        data_at = attrs_at + 128 * len(attrs)
        out = b"PERFILE2" + self.pack("QQ", 104, 128)
        out += self.pack("QQQQQQ", attrs_at, 128 * len(attrs), data_at, len(self.data), 0, 0) + bytes(32) + ids
        for attr, place, length in zip(attrs, places, lengths):
            out += attr + self.pack("QQ", place, length)
        return out + self.data


# ---- packets ----


def block(kind, items, short=False):
    out = bytes([0x02, 0x63, kind | (0x80 if short else 0)])
    for number, value in items:
        out += bytes([number << 3 | 4]) + struct.pack("<I" if short else "<Q", value)
    return out


def pebs(basic=(), registers=None, memory=(), ip=None, end=True, short=False):
    out = block(4, basic, short) if basic else b""
    if memory:
        out += block(5, memory)
    if registers:
        out += block(1, [(REGISTERS.index(name), value) for name, value in registers.items()])
    if ip is not None:
        return out + b"\x02\xb3\x7d" + changed_kernel.address(ip)
    return out + (b"\x02\x33" if end else b"")


def aux(begin, groups):
    """The code runs once for each group of samples, whose flow ends behind them."""
    out = b"\x02\x82" * 8 + pw.tsc_packet(begin) + pw.tma_packet(begin // 88 & 0xffff, begin % 88) + b"\x99\x01\x02\x23"
    for time, samples in groups:
        out += pw.tsc_packet(time) + pw.tma_packet(time // 88 & 0xffff, time % 88) + b"\x71" + changed_kernel.address(0)
        out += b"".join(samples) + b"\x01"
    return out


def recording(events, traces, hw_ids=()):
    writer = Writer(events)
    writer.id_index()
    writer.info()
    writer.mmap(-1, KERNEL, changed_kernel.SIZE, KERNEL, "[kernel.kallsyms]_text", misc=pw.KERNEL)
    for cpu in range(len(traces)):
        writer.comm(100 + cpu, 100 + cpu, "worker")
        writer.itrace_start(100 + cpu, 100 + cpu, 1, cpu)
    for counter, number, cpu, time in hw_ids:
        writer.hw_id(counter, number, cpu, time)
    writer.round()
    for cpu, trace in enumerate(traces):
        writer.auxtrace(trace, 0, cpu, pw.NO_CPU, cpu)
    return writer.file()


# ---- listings ----


def ours(path, status=0, *options):
    rows = []
    for line in common.run("dump", "--pebs", "--json", *options, path, status=(status,)).splitlines():
        row = common.json.loads(line)
        rows.append((row["cpu"], row["thread"], row.get("time"), row.get("event"), row.get("ip"), row.get("address"),
                     row.get("registers", {})))
    return rows


def theirs(perf, path, image):
    done = subprocess.run([perf, "script", "-i", path, "--vmlinux", image, "--itrace=o", "--ns", "-F",
                           "hw:cpu,tid,time,event,ip,addr,iregs"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    rows = []
    for line in done.stdout.splitlines():
        match = re.match(r"\s*(\d+) \[(\d+)\]\s+(\d+)\.(\d+):\s+(\S+?):\s+([0-9a-f]+)?\s+([0-9a-f]+)(.*)", line)
        if not match:
            common.fail("perf lists", repr(line))
        registers = {name.lower(): value for name, value in re.findall(r"(\w+):(0x[0-9a-f]+)", match[8])}
        rows.append((int(match[2]), int(match[1]), int(match[3]) * 10 ** 9 + int(match[4]), match[5].split(":")[0],
                     "0x" + match[7], "0x" + (match[6] or "0"), registers))
    return sorted(rows, key=lambda row: row[:4])


def plain(rows):
    """As perf has it: an address that is not there is 0, a register that is not there is none of it."""
    return sorted(((cpu, tid, time, event, ip, address or "0x0",
                    {name: value for name, value in registers.items() if name in PERF_REGISTERS})
                   for cpu, tid, time, event, ip, address, registers in rows), key=lambda row: row[:4])


def row(cpu, time, event, at, address=None, **registers):
    return (cpu, 100 + cpu, time, event, hex(at), address and hex(address),
            {name: hex(value) for name, value in registers.items()})


def check(folder, what, data, wanted, perf=None, status=0):
    global count
    count += 1
    path, image = os.path.join(folder, "perf.data"), os.path.join(folder, "kcore_dir", "kcore")
    with open(image, "wb") as file:
        file.write(changed_kernel.kernel(CODE))
    with open(path, "wb") as file:
        file.write(data)
    expect(what, ours(path, status), wanted)
    if perf:
        expect(what + ": perf", theirs(perf, path, image), plain(wanted))
    return path


CYCLES, MISSES = (0, 1000), (3, 50)
REGS = {name: 0x1000 + 16 * number for number, name in enumerate(REGISTERS)}
FULL = pebs(((0, KERNEL + 8), (1, 1), (2, 2500)), REGS, ((0, 0xffff888000001234), (2, 77)))
FULL_ROW = row(0, 2500, "cycles", KERNEL + 8, 0xffff888000001234, **REGS)


def one_event(folder, perf):
    """Items name address and time; else the FUP behind the block, and the packets' time."""
    check(folder, "a sample with all groups", recording([CYCLES], [aux(2000, [(2400, [FULL])])]), [FULL_ROW], perf)
    data = recording([CYCLES], [aux(2000, [(2640, [pebs(((1, 1),), ip=3)]), (3520, [pebs(((0, KERNEL + 5),))])]),
                                aux(2000, [(2904, [pebs(registers={"ip": KERNEL + 9, "ax": 7})])])])
    check(folder, "addresses of three kinds", data,
          [row(0, 2640, "cycles", KERNEL + 3), row(0, 3520, "cycles", KERNEL + 5),
           row(1, 2904, "cycles", KERNEL + 9, ip=KERNEL + 9, ax=7)])
    short = pebs(((0, 0x401000), (1, 1)), short=True)
    path = check(folder, "items of four bytes", recording([CYCLES], [aux(2000, [(2640, [short]), (88000, [FULL])])]),
                 [row(0, 2640, "cycles", 0x401000), FULL_ROW])
    expect("a window of time", ours(path, 0, "--time", "..600ns"), [FULL_ROW])
    expect("a later window", ours(path, 0, "--time", "600ns.."), [row(0, 2640, "cycles", 0x401000)])
    expect("another processor", ours(path, 1, "--cpu", "1"), [])
    text = common.run("dump", "--pebs", path, status=(0,)).splitlines()[1]
    for word in ("cpu 0", "event cycles", "period 1000", hex(KERNEL + 8), "latency 77", "r15:" + hex(REGS["r15"])):
        if word not in text:
            common.fail("no", word, "in", text)
    rows = common.run("query", "--csv", path, "SELECT time, thread, cpu, event, period FROM samples ORDER BY time",
                      status=(0,)).splitlines()
    expect("the table of samples", rows[1:], ["2500,100,0,cycles,1000", "2640,100,0,cycles,1000"])


def several_events(folder, perf):
    """Records say of which event a counter is, for each processor, from their time on."""
    both = pebs(((0, KERNEL + 8), (1, 3), (2, 2700)))
    second = pebs(((0, KERNEL + 9), (1, 2), (2, 2800)))
    ids = [(0, 0, 0, 1), (1, 1, 0, 1), (0, 1, 1, 1), (1, 0, 1, 1)]
    check(folder, "a sample of two counters", recording([CYCLES, MISSES], [aux(2000, [(2640, [both, second])])] * 2, ids),
          [row(0, 2700, "cycles", KERNEL + 8), row(0, 2700, "cache-misses", KERNEL + 8),
           row(0, 2800, "cache-misses", KERNEL + 9),
           row(1, 2700, "cache-misses", KERNEL + 8), row(1, 2700, "cycles", KERNEL + 8), row(1, 2800, "cycles", KERNEL + 9)],
          perf)
    later = [(0, 0, 0, 1), (0, 1, 0, 5000)]
    first = pebs(((0, KERNEL + 8), (1, 1), (2, 2700)))
    last = pebs(((0, KERNEL + 8), (1, 1), (2, 6700)))
    check(folder, "a counter that changes its event",
          recording([CYCLES, MISSES], [aux(2000, [(2640, [first]), (6600, [last])])], later),
          [row(0, 2700, "cycles", KERNEL + 8), row(0, 6700, "cache-misses", KERNEL + 8)])
    check(folder, "a counter without an event", recording([CYCLES, MISSES], [aux(2000, [(2640, [second])])], [(0, 0, 0, 1)]),
          [row(0, 2800, None, KERNEL + 9)], status=1)


def damaged(folder):
    cut = pebs(((0, KERNEL + 4), (1, 1)), end=False)
    check(folder, "a sample that flow ends", recording([CYCLES], [aux(2000, [(2640, [cut]), (3520, [FULL])])]), [FULL_ROW],
          status=1)
    check(folder, "a sample that the trace ends", recording([CYCLES], [aux(2000, [(2640, [FULL, cut])])[:-1]]), [FULL_ROW],
          status=1)
    check(folder, "no samples", recording([CYCLES], [aux(2000, [(2640, [])])]), [])
    path = os.path.join(folder, "none.data")
    with open(path, "wb") as file:
        file.write(recording([], [aux(2000, [(2640, [])])]))
    done = subprocess.run([common.command(), "dump", "--pebs", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect("no event", (done.returncode, b"no event of this file" in done.stderr), (2, True))


def main():
    perf = common.tool("perf")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "kcore_dir"))
        one_event(folder, perf)
        several_events(folder, perf)
        damaged(folder)
    common.finish(count, "recordings with samples in the trace" + ("" if perf else "; perf is not here"))


if __name__ == "__main__":
    main()
