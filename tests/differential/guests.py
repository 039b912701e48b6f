#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""guests.py TRACELATHE: Intel PT and samples of a host and of a virtual machine on it, whose kernels are at the same addresses.

The recording is put together by hand, with the packets that a VM entry (PIP with NR, TIP) and a VM exit (FUP, PIP, TIP) give
(SDM, volume 3, "VMX-Specific Packets", "Packets for VM exits and entries"). What ran is known, and perf script lists the same.
"""
import os
import re
import struct
import subprocess
import tempfile

import common
import perf_writer as pw
from common import expect

KERNEL, MODULE, USER, SIZE = 0xffffffff81000000, 0xffffffffc0200000, 0x401000, 0x1000
HYPERVISOR, VCPU = 100, 101
GUEST_KERNEL, GUEST_USER = 4, 5

# enter: nop; vmresume. handle: inc %eax; jmp enter
HOST = (b"\x90\x0f\x01\xc3").ljust(16, b"\xcc") + b"\xff\xc0\xeb\xec"
# work: dec %ecx; call turn; hlt; jmp work
GUEST = b"\xff\xc9\xe8" + struct.pack("<i", MODULE + 16 - KERNEL - 7) + b"\xf4\xeb\xf6"
# turn: inc %eax; ret
TURN = b"\xcc" * 16 + b"\xff\xc0\xc3"
# use: nop; nop; jmp use
PROGRAM = b"\x90\x90\xeb\xfc"

ENTER, HANDLE, HALT = KERNEL, KERNEL + 16, KERNEL + 7
RAN_HOST = (KERNEL, KERNEL + 1)
RAN_HANDLE = (HANDLE, HANDLE + 2)
RAN_WORK = (KERNEL, KERNEL + 2, MODULE + 16, MODULE + 18)
NAMES = ("%016x T _text\n%016x T %s\n%016x T %s\n%016x T _etext\n")


def segment_file(kind, segments):
    """An ELF file with segments of code: a copy of a kernel's memory (4), or a program (2)."""
    out = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    out += struct.pack("<HHIQQQIHHHHHH", kind, 62, 1, 0, 64, 0, 0, 64, 56, len(segments), 64, 0, 0)
    for i, (address, _) in enumerate(segments):
        out += struct.pack("<IIQQQQQQ", 1, 7, 0x1000 * (i + 1), address, 0, SIZE, SIZE, 0x1000)
    for i, (_, code) in enumerate(segments):
        out = out.ljust(0x1000 * (i + 1), b"\0") + code.ljust(SIZE, b"\xcc")
    return out


def address(ip):
    return struct.pack("<Q", ip)[:6]


def tip(ip):
    return b"\x6d" + address(ip)


def fup(ip):
    return b"\x7d" + address(ip)


def pip(machine, cr3=0x5000):
    """CR3 is bits 51:5, NR bit 0 of the payload (SDM, PIP packet)."""
    return b"\x02\x43" + struct.pack("<Q", cr3 >> 5 << 1 | machine)[:6]


def psb(time, machine, ip=None):
    out = b"\x02\x82" * 8 + pw.tsc_packet(time) + pw.tma_packet(time // 88 & 0xffff, time % 88) + b"\x99\x01" + pip(machine)
    return out + (b"" if ip is None else fup(ip)) + b"\x02\x23"


def entry(ip):
    return pip(1) + tip(ip)


def leave(ip):
    return fup(ip) + pip(0, 0x1000) + tip(HANDLE)


def aux(times, user=False, middle=False):
    """The machine works up to its hlt, and is resumed behind it. `middle`: a PSB+ inside of the machine."""
    out = psb(1000, 0) + b"\x71" + address(ENTER)
    for i in range(times):
        time = 2000 + 1000 * i
        out += pw.tsc_packet(time) + pw.tma_packet(time // 88, time % 88)
        out += entry(HALT + 1 if i else KERNEL)
        if middle:
            out += psb(time + 100, 1, HALT + 1 if i else KERNEL)
        out += tip(HALT) + leave(HALT)
        if user:
            out += entry(USER) + leave(USER + 1)
    return out + entry(KERNEL) + b"\x01"


def ran(times, user=False):
    """(machine, address) of each instruction."""
    out = []
    for i in range(times):
        out += [(0, ip) for ip in RAN_HOST]
        out += [(1, HALT + 1)] * (i > 0) + [(1, ip) for ip in RAN_WORK]
        out += [(0, ip) for ip in RAN_HANDLE]
        if user:
            out += [(0, ip) for ip in RAN_HOST] + [(1, USER)] + [(0, ip) for ip in RAN_HANDLE]
    return out + [(0, ip) for ip in RAN_HOST] + [(1, KERNEL), (1, KERNEL + 2), (1, MODULE + 16), (1, MODULE + 18)]


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def guest_root(folder, core=True, names=True):
    if core:
        write(os.path.join(folder, "proc/kcore"), segment_file(4, [(KERNEL, GUEST), (MODULE, TURN)]))
    if names:
        text = NAMES % (KERNEL, KERNEL, "work", KERNEL + SIZE - 16, "last", KERNEL + SIZE)
        text += "%016x t turn\t[turning]\n" % (MODULE + 16)
        write(os.path.join(folder, "proc/kallsyms"), text.encode())
    write(os.path.join(folder, "proc/modules"), b"turning %d 0 - Live 0x%016x\n" % (SIZE, MODULE))
    write(os.path.join(folder, "bin/use"), segment_file(2, [(USER, PROGRAM)]))
    return folder


def recording(path, trace, maps=False, user=False):
    writer = pw.Writer(kernel=True)
    writer.info()
    writer.mmap(-1, KERNEL, SIZE, KERNEL, "[kernel.kallsyms]_text", misc=pw.KERNEL)
    writer.mmap(-1, MODULE, SIZE, 0, "/lib/modules/6.1.0/kernel/lathe.ko", misc=pw.KERNEL)
    if maps:
        writer.mmap(HYPERVISOR, KERNEL, SIZE, KERNEL, "[guest.kernel.kallsyms.%d]_text" % HYPERVISOR, misc=GUEST_KERNEL)
        writer.mmap(HYPERVISOR, MODULE, SIZE, 0, "/lib/modules/6.1.0/turning.ko", misc=GUEST_KERNEL)
    if user:
        writer.mmap(HYPERVISOR, USER, SIZE, 0x1000, "/bin/use", misc=GUEST_USER)
    writer.comm(HYPERVISOR, VCPU, "CPU 0/KVM")
    writer.itrace_start(HYPERVISOR, VCPU, 1, 0)
    writer.round()
    writer.auxtrace(trace, 0, 0, pw.NO_CPU, 0)
    write(os.path.join(path, "data"), writer.file())
    write(os.path.join(path, "kcore_dir/kcore"), segment_file(4, [(KERNEL, HOST), (MODULE, b"")]))
    write(os.path.join(path, "kcore_dir/modules"), b"lathe %d 0 - Live 0x%016x\n" % (SIZE, MODULE))
    write(os.path.join(path, "kcore_dir/kallsyms"),
          (NAMES % (KERNEL, KERNEL, "enter", HANDLE, "handle", KERNEL + SIZE)).encode())
    return path


def asked(*args):
    done = subprocess.run([common.command(), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


def listed(path, *options, status=0):
    """What ran, of the host and of the machine: each slice has a head."""
    machine, out = 0, []
    found = asked("dump", "--instructions", path, *options)
    expect("status", (found[0], found[2] if found[0] != status else ""), (status, ""))
    for line in found[1].splitlines():
        if line.startswith("[process"):
            machine = int("[guest" in line)
        elif line and line[0] != "[":
            out.append((machine, int(line.split()[0], 16)))
    return out


def functions(path, *options):
    """Instructions of each function, with its object, by thread's name."""
    lines = common.run("report", "--by", "function", "--csv", path, *options, status=(0, 1)).splitlines()
    return {(row["function"], row["object"]): int(row["Ir:self"]) for row in common.csv.DictReader(lines)
            if int(row["Ir:self"])}


def inside(steps, machine):
    return [step for step in steps if step[0] == machine]


def check(folder):
    times, compared = 3, 0
    root = guest_root(os.path.join(folder, "root"))
    path = recording(os.path.join(folder, "plain"), aux(times))
    expect("by the list of the machine's names", listed(path, "--guest-root", root), ran(times))
    rows = functions(path, "--guest-root", root)
    expect("functions", rows, {("enter", "[kernel.kallsyms]_text"): 2 * (times + 1),
                               ("handle", "[kernel.kallsyms]_text"): 2 * times,
                               ("work", "[guest.kernel.kallsyms.100]"): 3 * times + 1,
                               ("turn", "[turning] [guest:100]"): 2 * (times + 1)})
    # Each TIP and TIP.PGE is a target: exits lead to `handle`, the return of `turn` is one, too.
    quick = {row["function"]: int(row["Targets:self"]) for row in
             common.csv.DictReader(common.io.StringIO(common.run("report", "--quick", "--csv", path, "--guest-root", root)))}
    expect("--quick", {name: quick.get(name, 0) for name in ("enter", "handle", "work", "turn")},
           {"enter": 1, "handle": times, "work": 2 * times + 1, "turn": 0})
    # As `perf script --guestmount`: a directory for each hypervisor.
    guest_root(os.path.join(folder, "mounts", str(HYPERVISOR)))
    expect("by process", listed(path, "--guest-root", os.path.join(folder, "mounts")), ran(times))

    # Maps that were recorded, of a program, too.
    path = recording(os.path.join(folder, "maps"), aux(times, user=True), maps=True, user=True)
    expect("by records", listed(path, "--guest-root", root), ran(times, user=True))
    expect("a module by its record", functions(path, "--guest-root", root)[
        ("turn", "/lib/modules/6.1.0/turning.ko [guest:100]")], 2 * (times + 1))

    # "PSB+: PIP" says the state, too: in a machine, behind lost packets, and where the trace begins.
    expect("a PSB in the machine", listed(recording(os.path.join(folder, "middle"), aux(times, middle=True)), "--guest-root", root),
           ran(times))
    begun = psb(1000, 1, KERNEL) + tip(HALT) + leave(HALT) + entry(HALT + 1) + b"\x01"
    expect("begun in the machine", listed(recording(os.path.join(folder, "begun"), begun), "--guest-root", root),
           [(1, ip) for ip in RAN_WORK] + [(0, ip) for ip in RAN_HANDLE + RAN_HOST] + [(1, HALT + 1)] + [(1, ip) for ip in RAN_WORK])
    lost = psb(1000, 0) + b"\x71" + address(ENTER) + entry(KERNEL) + b"\x02\xf3" + psb(2000, 0, HANDLE) + entry(KERNEL) + b"\x01"
    expect("left in lost packets", listed(recording(os.path.join(folder, "lost"), lost), "--guest-root", root, status=0),
           [(0, ip) for ip in RAN_HOST] + [(0, ip) for ip in RAN_HANDLE + RAN_HOST] + [(1, ip) for ip in RAN_WORK])
    compared += 8

    # On several threads, and with many changes.
    path = recording(os.path.join(folder, "many"), aux(4000, user=True, middle=True), maps=True, user=True)
    one, four = (common.run("report", "--csv", path, "--guest-root", root, "--jobs", jobs) for jobs in ("1", "4"))
    expect("on four threads", one, four)
    expect("many", sum(functions(path, "--guest-root", root).values()), len(ran(4000, user=True)))

    # Without its files: the host's code is no machine's, though it is at the same addresses.
    path = os.path.join(folder, "plain")
    for what, options, words in (
            ("no root", (), "no --guest-root says where its files are"),
            ("no names", ("--guest-root", guest_root(os.path.join(folder, "nameless"), names=False)), "proc/kallsyms"),
            ("no code", ("--guest-root", guest_root(os.path.join(folder, "codeless"), core=False)), "no copy of the machine's kernel")):
        status, out, errors = asked("dump", "--instructions", path, *options)
        expect(what, (status, words in errors, "[guest" in errors), (1, True, True))
        shown = [int(line.split()[0], 16) for line in out.splitlines() if line and line[0] != "["]
        expect(what + ": what is shown", shown, [ip for _, ip in inside(ran(times), 0)])
        status, _, errors = asked("report", path, *options)
        expect(what + ": report", (status, words in errors), (1, True))
    return compared + 5


# ---- samples ----


class Sampler(pw.Writer):
    """A recording of samples, without a trace: IDENTIFIER, IP, TID, TIME, CPU, PERIOD, CALLCHAIN."""

    CALLCHAIN, PERIOD = 1 << 5, 1 << 8

    def __init__(self, chains=True):
        super().__init__(sample_type=pw.IP | pw.TID | pw.TIME | pw.CPU | pw.IDENTIFIER | self.CALLCHAIN * chains | self.PERIOD)
        self.chains, self.now = chains, 1000

    def attr(self):
        out = self.pack("IIQQQQQ", 0, 112, 0, 4000, self.sample_type, 0, 1 << 18)
        return out.ljust(112, b"\0")

    def sample(self, mode, ip, chain=(), who=(HYPERVISOR, VCPU)):
        self.now += 10
        body = self.pack("QQIIQIIQ", 77, ip, *who, self.now, 0, 0, 4000)
        if self.chains:
            body += self.pack("%dQ" % (1 + len(chain)), len(chain), *(word & (1 << 64) - 1 for word in chain))
        self.data += self.header(9, mode, 8 + len(body)) + body


HOST_MARK, USER_MARK, GUEST_MARK = -128, -512, -2176
# The kernel gives samples of machines no callers: only its marks of the host's, with nothing behind them.
EMPTY = (HOST_MARK, USER_MARK)
SAMPLED = ((pw.KERNEL, ENTER, (HOST_MARK, ENTER)), (pw.KERNEL, HANDLE + 2, (HOST_MARK, HANDLE + 2, ENTER + 3)),
           (GUEST_KERNEL, KERNEL, EMPTY), (GUEST_KERNEL, KERNEL + 2, EMPTY), (GUEST_KERNEL, MODULE + 16, ()),
           (GUEST_USER, USER + 1, EMPTY))


def sampled(path, maps=False, samples=SAMPLED, chains=True, program=(USER, SIZE, 0x1000, "/bin/use")):
    """A host and the machine of HYPERVISOR; with `maps` there are records of what the machine has mapped."""
    writer = Sampler(chains)
    if maps:
        writer.mmap(HYPERVISOR, KERNEL, SIZE, KERNEL, "[guest.kernel.kallsyms.%d]_text" % HYPERVISOR, misc=GUEST_KERNEL)
        writer.mmap(HYPERVISOR, MODULE, SIZE, 0, "/lib/modules/6.1.0/turning.ko", misc=GUEST_KERNEL)
        writer.mmap(HYPERVISOR, *program, misc=GUEST_USER)
    # Behind the machine's, which is then the first process that is known.
    writer.mmap(-1, KERNEL, SIZE, KERNEL, "[kernel.kallsyms]_text", misc=pw.KERNEL)
    writer.mmap(-1, MODULE, SIZE, 0, "/lib/modules/6.1.0/kernel/lathe.ko", misc=pw.KERNEL)
    writer.comm(HYPERVISOR, VCPU, "CPU 0/KVM")
    for mode, ip, chain in samples:
        writer.sample(mode, ip, chain)
    write(os.path.join(path, "data"), writer.file())
    write(os.path.join(path, "kcore_dir/kallsyms"),
          (NAMES % (KERNEL, KERNEL, "enter", HANDLE, "handle", KERNEL + SIZE)).encode())
    return os.path.join(path, "data")


def stacks_of(path, *options, status=0):
    """{(command, stack): samples}, and what was said."""
    done = asked("stacks", "--event", "samples", "--threads", path, *options)
    expect("stacks", done[0], status)
    found = {}
    for line in done[1].splitlines():
        stack, count = line.rsplit(" ", 1)
        found[stack] = int(count)
    return found, done[2]


def check_samples(folder):
    root = guest_root(os.path.join(folder, "root"))
    host = {"CPU 0/KVM (101);enter": 1, "CPU 0/KVM (101);enter;handle": 1}
    machine = {"[guest:100] (101);work": 2, "[guest:100] (101);turn": 1}
    known = {**host, **machine}
    path = sampled(os.path.join(folder, "samples"))
    # No record says which program of the machine ran.
    found, said = stacks_of(path, "--guest-root", root, status=1)
    expect("samples by the machine's list", found, {**known, "[guest:100] (101);[guest user]": 1})
    expect("what is missing", "1 addresses of virtual machines have no names" in said, True)
    found, said = stacks_of(path, status=1)
    expect("samples without a root", found, {**host, "CPU 0/KVM (101);[guest kernel]": 3,
                                             "CPU 0/KVM (101);[guest user]": 1})
    expect("why", "4 samples have no names: it is code of a virtual machine, and no --guest-root says" in said, True)

    path = sampled(os.path.join(folder, "mapped"), maps=True)
    found, said = stacks_of(path, "--guest-root", root, status=1)
    expect("samples by records", found, {**known, "[guest:100] (101);[use [guest:100]]": 1})
    rows = functions_of_samples(path, root)
    expect("objects", rows[("work", "[guest.kernel.kallsyms.100]_text")], 2)
    expect("a module's object", rows[("turn", "/lib/modules/6.1.0/turning.ko [guest:100]")], 1)
    one, two = (asked("report", "--csv", path, "--guest-root", root, "--jobs", jobs) for jobs in ("1", "2"))
    expect("samples on two threads", one, two)

    # Callers that a kernel marks as the machine's; those that it marks as the host's are in no map of the machine.
    path = sampled(os.path.join(folder, "called"), samples=SAMPLED + (
        (GUEST_KERNEL, MODULE + 16, (GUEST_MARK, MODULE + 16, HALT)), (GUEST_KERNEL, KERNEL, (HOST_MARK, ENTER, USER_MARK, USER))))
    found, said = stacks_of(path, "--guest-root", root, status=1)
    expect("callers in the machine", found, {**host, "[guest:100] (101);work": 3, "[guest:100] (101);turn": 1,
                                             "[guest:100] (101);work;turn": 1, "[guest:100] (101);[guest user]": 1})
    expect("callers of the host", "callers of the host are left out of 1 stacks of virtual machines" in said, True)
    return 6


def functions_of_samples(path, root):
    lines = common.run("report", "--by", "function", "--csv", path, "--guest-root", root, status=(0, 1)).splitlines()
    return {(row["function"], row["object"]): int(row["samples:self"]) for row in common.csv.DictReader(lines)}


def compiled(path):
    """A program with names. (address, size, offset) of its code, and an address in each function."""
    write(path + ".c", b"int first(int a) { return a * 3; }\nint second(int a) { return a ^ 5; }\nvoid _start(void) { for (;;); }\n")
    subprocess.run([common.tool("cc"), "-O1", "-nostdlib", "-static", "-no-pie", "-o", path, path + ".c"], check=True)
    heads = subprocess.run(["readelf", "-lW", path], stdout=subprocess.PIPE, check=True, text=True).stdout
    offset, start, size = re.search(r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+) 0x\w+ R E", heads).groups()
    names = subprocess.run(["nm", path], stdout=subprocess.PIPE, check=True, text=True).stdout
    ips = [int(re.search(r"(\w+) T " + name, names).group(1), 16) + 1 for name in ("first", "second", "second")]
    return (int(start, 16), (int(size, 16) + 0xfff) & ~0xfff, int(offset, 16)), ips


def their_samples(folder):
    """
    perf script --guestkallsyms: the same names of the machine's kernel and programs. perf looks for these at the recorded
    paths; perf 6.1 has names of the machine's kernel where these begin alone, and none of its modules.
    """
    if not all(map(common.tool, ("perf", "cc", "nm", "readelf"))):
        return 0
    root, program = os.path.join(folder, "theirs.root"), os.path.join(folder, "use")
    names = os.path.join(root, "proc/kallsyms")
    code, ips = compiled(program)
    write(root + program, open(program, "rb").read())
    write(names, ("%016x T work\n%016x T last\n%016x T end\n" % (KERNEL, KERNEL + SIZE - 16, KERNEL + SIZE)).encode())
    data = sampled(os.path.join(folder, "theirs"), True, [(GUEST_USER, ip, ()) for ip in ips] +
                   [(GUEST_KERNEL, ip, ()) for ip in (KERNEL, KERNEL, KERNEL + SIZE - 16)], False, (*code, program))
    done = subprocess.run(["perf", "script", "-i", data, "--guestkallsyms", names, "-F", "ip,sym"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    shown = [line.split()[1] for line in done.stdout.splitlines() if len(line.split()) > 1]
    found, _ = stacks_of(data, "--guest-root", root)
    of_machine = ("work", "last", "first", "second")
    expect("perf script --guestkallsyms", {name: found.get("[guest:100] (101);" + name) for name in of_machine},
           {name: shown.count(name) for name in of_machine})
    expect("some of each", [shown.count(name) for name in of_machine], [2, 1, 1, 2])
    return 1


def theirs(folder):
    """perf takes no code of the host for a machine's, either: it ends where that begins."""
    perf = common.tool("perf")
    if not perf:
        return 0
    done = subprocess.run([perf, "script", "-i", os.path.join(folder, "plain"), "--itrace=i1ie", "-F", "ip"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ips = [int(line.split()[0], 16) for line in done.stdout.splitlines() if line[:1] == " " and len(line.split()) == 1]
    expect("perf", ips, list(RAN_HOST))
    expect("perf: no code", " ip 0x%x code 5" % KERNEL in done.stdout, True)
    return 1


def main():
    with tempfile.TemporaryDirectory() as folder:
        compared = check(folder) + theirs(folder) + check_samples(folder) + their_samples(folder)
    common.finish(compared, "recordings of a virtual machine")


if __name__ == "__main__":
    main()
