#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""changed_kernel.py TRACELATHE: a kernel that changes its own code while it is traced (TEXT_POKE records).

A kernel of a few instructions is put together by hand, with a trace of it by two processors. What ran at each time is known,
and perf script lists the same.
"""
import os
import struct
import subprocess
import tempfile

import common
import perf_writer as pw
from common import expect

TEXT_POKE = 20
KERNEL = 0xffffffff81000000
SIZE = 0x1000
NOP, JUMP = b"\x0f\x1f\x44\x00\x00", b"\xe9\x0b\x00\x00\x00"
# A jump label: straight on, or to the other side. Each side ends with an indirect jump, which is in the trace.
CODE = (NOP + b"\xff\xc0\xff\xe0").ljust(16, b"\xcc") + b"\x48\xff\xc3\x48\xff\xc3\xff\xe0"
STRAIGHT, ASIDE = (0, 5, 7), (0, 16, 19, 22)
count = 0


def kernel(code):
    """vmlinux: its text, and the symbols that perf looks for."""
    names = b"\0_text\0_stext\0switched\0_etext\0"
    sections = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    text = code.ljust(SIZE, b"\xcc")
    symbols = bytes(24)
    for name, at, size in ((b"_text", 0, 0), (b"_stext", 0, 0), (b"switched", 0, len(code)), (b"_etext", SIZE, 0)):
        symbols += struct.pack("<IBBHQQ", names.index(b"\0" + name + b"\0") + 1, 0x12, 0, 1, KERNEL + at, size)
    text_at = 0x1000
    symbols_at = text_at + SIZE
    names_at = symbols_at + len(symbols)
    sections_at = names_at + len(names)
    table_at = sections_at + len(sections) + -(sections_at + len(sections)) % 8
    out = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    out += struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, KERNEL, 64, table_at, 0, 64, 56, 1, 64, 5, 4)
    out += struct.pack("<IIQQQQQQ", 1, 5, text_at, KERNEL, KERNEL, SIZE, SIZE, 0x1000)
    out = out.ljust(text_at, b"\0") + text + symbols + names + sections
    out = out.ljust(table_at, b"\0") + bytes(64)
    for name, kind, flags, address, at, size, link, info, entry in (
            (b".text", 1, 6, KERNEL, text_at, SIZE, 0, 0, 0), (b".symtab", 2, 0, 0, symbols_at, len(symbols), 3, 1, 24),
            (b".strtab", 3, 0, 0, names_at, len(names), 0, 0, 0),
            (b".shstrtab", 3, 0, 0, sections_at, len(sections), 0, 0, 0)):
        out += struct.pack("<IIQQQQIIQQ", sections.index(name), kind, flags, address, at, size, link, info, 1, entry)
    return out


def address(offset):
    return struct.pack("<Q", KERNEL + offset)[:6]


def aux(times, by=0):
    """One time through the code at each of the times: TIP.PGE, and TIP.PGD where the indirect jump ends it."""
    out = b"\x02\x82" * 8 + pw.tsc_packet(times[0]) + pw.tma_packet(times[0] // 88 & 0xffff, times[0] % 88) + b"\x99\x01\x02\x23"
    for time in times:
        out += pw.tsc_packet(time) + pw.tma_packet(time // 88 & 0xffff, time % 88) + b"\x71" + address(by) + b"\x01"
    return out


def recording(pokes, times):
    writer = pw.Writer(kernel=True)
    writer.info()
    writer.mmap(-1, KERNEL, SIZE, KERNEL, "[kernel.kallsyms]_text", misc=pw.KERNEL)
    writer.comm(100, 100, "worker")
    for cpu in range(2):
        writer.itrace_start(100 + cpu, 100 + cpu, 1, cpu)
    for time, old, new in pokes:
        writer.record(TEXT_POKE, struct.pack("<QHH", KERNEL, 5, 5) + old + new, pw.KERNEL, time=time)
    writer.round()
    for cpu in range(2):
        writer.auxtrace(aux(times[cpu]), 0, cpu, pw.NO_CPU, cpu)
    return writer.file()


def ours(path):
    """(processor, offset in the kernel) of each instruction."""
    return [(cpu, int(common.json.loads(line)["ip"], 16) - KERNEL) for cpu in range(2)
            for line in common.run("dump", "--instructions", "--json", "--cpu", str(cpu), path, status=(0,)).splitlines()]


def theirs(perf, path, image):
    done = subprocess.run([perf, "script", "-i", path, "--vmlinux", image, "--itrace=i1i", "-F", "cpu,ip"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return sorted(((int(words[0].strip("[]")), int(words[1], 16) - KERNEL) for words in lines if len(words) > 1),
                  key=lambda pair: pair[0])


def check_moved(folder, perf):
    """A kernel that ran elsewhere than its file was linked at: its map begins there, and has that as its offset, too."""
    global count
    count += 1
    by = 5 << 21
    path, image = os.path.join(folder, "perf.data"), os.path.join(folder, "kcore_dir", "kcore")
    with open(image, "wb") as file:
        file.write(kernel(NOP + CODE[5:]))
    writer = pw.Writer(kernel=True)
    writer.info()
    writer.mmap(-1, KERNEL + by, SIZE, KERNEL + by, "[kernel.kallsyms]_text", misc=pw.KERNEL)
    for cpu in range(2):
        writer.itrace_start(100 + cpu, 100 + cpu, 1, cpu)
    writer.round()
    for cpu in range(2):
        writer.auxtrace(aux((2000,), by), 0, cpu, pw.NO_CPU, cpu)
    with open(path, "wb") as file:
        file.write(writer.file())
    expect("moved", ours(path), [(cpu, by + at) for cpu in range(2) for at in STRAIGHT])
    expect("names of a moved kernel", [row["function"] for row in common.report(path)], ["switched"])
    if perf:
        expect("moved: perf", theirs(perf, path, image), [(cpu, by + at) for cpu in range(2) for at in STRAIGHT])


def ran(times, aside):
    """What ran by the rules of the code: aside while it is changed."""
    return [(cpu, at) for cpu in range(2) for time in times[cpu]
            for at in (ASIDE if aside[0] <= time < aside[1] else STRAIGHT)]


def check(folder, perf, what, file_code, pokes, aside, peer=True):
    """`file_code`: what the file of the kernel has, of which time it may be."""
    global count
    count += 1
    path, image = os.path.join(folder, "perf.data"), os.path.join(folder, "kcore_dir", "kcore")
    times = ((2000, 6000, 10000), (3000, 4000, 8000))
    with open(image, "wb") as file:
        file.write(kernel(file_code + CODE[5:]))
    with open(path, "wb") as file:
        file.write(recording(pokes, times))
    expect(what, ours(path), ran(times, aside))
    if perf and peer:
        expect(what + ": perf", theirs(perf, path, image), ran(times, aside))


def main():
    perf = common.tool("perf")
    twice = ((5000, NOP, JUMP), (9000, JUMP, NOP))
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "kcore_dir"))
        check(folder, perf, "never changed", NOP, (), (0, 0))
        check(folder, perf, "changed and back", NOP, twice, (5000, 9000))
        check(folder, perf, "changed once", NOP, twice[:1], (5000, 1 << 62))
        # perf takes the file's bytes for those at the beginning; ours are what the records say was there.
        check_moved(folder, perf)
        check(folder, perf, "a file of a later time", JUMP, twice[:1], (5000, 1 << 62), peer=False)
    common.finish(count, "recordings of a kernel that changes" + ("" if perf else "; perf is not here"))


if __name__ == "__main__":
    main()
