#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kernel_modules.py TRACELATHE: Intel PT of a kernel and its modules, whose code and names are in a copy of the kernel's memory.

The recording is a directory as `perf record --kcore` makes it, of a kernel of a few instructions that calls a module, put together
by hand. What ran is known, and perf script lists the same.
"""
import os
import struct
import subprocess
import tempfile

import common
import perf_writer as pw
from common import expect

KERNEL, MODULE, SIZE = 0xffffffff81000000, 0xffffffffc0200000, 0x1000
PATH = "/lib/modules/6.1.0/kernel/drivers/lathe/turn.ko"
# work: call turn; jmp *%rax. The displacement is what the loader made of it.
WORK = b"\xe8" + struct.pack("<i", MODULE + 16 - KERNEL - 5) + b"\xff\xe0"
# spin: dec %eax; ret. turn: inc %eax; call spin; ret
CODE = (b"\xff\xc8\xc3").ljust(16, b"\xcc") + b"\xff\xc0" + b"\xe8" + struct.pack("<i", -23) + b"\xc3"
RAN = (KERNEL, MODULE + 16, MODULE + 18, MODULE, MODULE + 2, MODULE + 23, KERNEL + 5)
NAMES = ("%016x T _text\n%016x T _stext\n%016x T work\n%016x T _etext\n%016x t spin\t[turn]\n%016x t turn\t[turn]\n"
         % (KERNEL, KERNEL, KERNEL, KERNEL + SIZE, MODULE, MODULE + 16))


def core():
    """As /proc/kcore: a segment for the kernel, one for the modules."""
    out = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    out += struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0)
    for at, address in ((0x1000, KERNEL), (0x2000, MODULE)):
        out += struct.pack("<IIQQQQQQ", 1, 7, at, address, 0, SIZE, SIZE, 0x1000)
    return out.ljust(0x1000, b"\0") + WORK.ljust(SIZE, b"\xcc") + CODE.ljust(SIZE, b"\xcc")


def address(ip):
    return struct.pack("<Q", ip)[:6]


def aux(times, machine=None):
    """The indirect jump at the end turns tracing off; returns are not compressed. `machine`: PIP says whether it is a virtual one."""
    out = b"\x02\x82" * 8 + pw.tsc_packet(1000) + pw.tma_packet(1000 // 88, 1000 % 88) + b"\x99\x01"
    out += b"" if machine is None else b"\x02\x43" + struct.pack("<Q", 0x1000 | machine)[:6]
    out += b"\x02\x23"
    for i in range(times):
        time = 2000 + 1000 * i
        out += pw.tsc_packet(time) + pw.tma_packet(time // 88, time % 88) + b"\x71" + address(KERNEL)
        out += b"\x6d" + address(MODULE + 23) + b"\x6d" + address(KERNEL + 5) + b"\x01"
    return out


def recording(path, times, copy=True, names=True, machine=None):
    """A directory; without a copy of memory, or a list of names."""
    kcore = os.path.join(path, "kcore_dir")
    os.makedirs(kcore)
    writer = pw.Writer(kernel=True)
    writer.info()
    writer.mmap(-1, KERNEL, SIZE, KERNEL, "[kernel.kallsyms]_text", misc=pw.KERNEL)
    writer.mmap(-1, MODULE, SIZE, 0, PATH, misc=pw.KERNEL)
    writer.comm(100, 100, "worker")
    writer.itrace_start(100, 100, 1, 0)
    writer.round()
    writer.auxtrace(aux(times, machine), 0, 0, pw.NO_CPU, 0)
    files = {"data": writer.file()}
    if copy:
        files["kcore_dir/kcore"] = core()
        files["kcore_dir/modules"] = b"turn %d 0 - Live 0x%016x\n" % (SIZE, MODULE)
    if names:
        files["kcore_dir/kallsyms"] = NAMES.encode()
    for name, data in files.items():
        with open(os.path.join(path, name), "wb") as file:
            file.write(data)
    return path


def asked(*args):
    done = subprocess.run([common.command(), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


def check(folder):
    times = 3
    path = recording(os.path.join(folder, "whole"), times)
    listed = [int(common.json.loads(line)["ip"], 16) for line in
              common.run("dump", "--instructions", "--json", path, status=(0,)).splitlines()]
    expect("instructions", listed, list(RAN) * times)
    # Tracing is turned on in `work`: its calls are not seen.
    rows = {row["function"]: (row["object"], int(row["calls"]), int(row["Ir:self"])) for row in common.report(path)}
    expect("functions", rows, {"work": ("[kernel.kallsyms]_text", 0, 2 * times), "turn": (PATH, times, 3 * times),
                               "spin": (PATH, times, 2 * times)})
    expect("status", asked("check", path)[:2], (0, ""))

    # A file of the module would not do, even if it is there: what is missing is told.
    status, _, errors = asked("report", recording(os.path.join(folder, "no-copy"), times, copy=False))
    expect("without memory", (status, PATH in errors and "perf record --kcore" in errors), (1, True))
    path = recording(os.path.join(folder, "no-names"), times, names=False)
    status, _, errors = asked("report", path)
    expect("without names", (status, "kallsyms" in errors, sum(int(row["Ir:self"]) for row in common.report(path))),
           (1, True, len(RAN) * times))

    # "NR: the processor is in VMX non-root operation" (SDM, PIP packet): then it is no code of this kernel (guests.py).
    for machine in (0, 1):
        status, _, errors = asked("report", recording(os.path.join(folder, "machine-%d" % machine), times, machine=machine))
        expect("virtual machine %d" % machine, (status, "it is code of a virtual machine" in errors), (machine, bool(machine)))
    return 5


def theirs(folder):
    perf = common.tool("perf")
    if not perf:
        return 0
    done = subprocess.run([perf, "script", "-i", os.path.join(folder, "whole"), "--itrace=i1i", "-F", "ip,sym"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    lines = [line.split() for line in done.stdout.splitlines() if line.strip()]
    ips, names = [int(words[0], 16) for words in lines], [words[1] for words in lines]
    expect("perf", ips, list(RAN) * 3)
    expect("perf: names", names, ["work", "turn", "turn", "spin", "spin", "turn", "work"] * 3)
    return 1


def main():
    with tempfile.TemporaryDirectory() as folder:
        compared = check(folder) + theirs(folder)
    common.finish(compared, "recordings of a kernel with a module")


if __name__ == "__main__":
    main()
