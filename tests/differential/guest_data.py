#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""guest_data.py TRACELATHE: `perf inject --guest-data`: records that a virtual machine wrote, in the host's recording.

Both recordings are put together by hand, perf inject makes one of them, and perf script lists what ran in which process of
the machine. The machine's processes have the ids and addresses of processes of the host, and of each other.
"""
import os
import re
import subprocess
import tempfile

import common
import guests as g
import perf_writer as pw
from common import expect
from guests import ENTER, HALT, HANDLE, HYPERVISOR, KERNEL, MODULE, SIZE, USER, VCPU

ID_INDEX, TEXT_POKE, FINISHED_INIT = 69, 20, 82
SECOND_VCPU = 102
FIRST, SECOND = 7, 8
IN_ROOT = {FIRST: "first", SECOND: "second"}
# first: nop; ret. second: clc; ret, which lies behind a nop that it does not run.
PROGRAMS = {FIRST: b"\x90\xc3", SECOND: b"\xf8\xc3"}
# switch: inc %eax; mov %rax,%cr3; ret
SWITCH = KERNEL + 64
RAN_SWITCH = (SWITCH, SWITCH + 2, SWITCH + 5)
MACHINE_KERNEL = g.GUEST.ljust(64, b"\xcc") + b"\xff\xc0\x0f\x22\xd8\xc3"
NUMBER = 2 << 32  # of the first machine's processes and threads


class Machine(pw.Writer):
    """What `perf record -a --sample-identifier --switch-events` writes in the machine: a counter for each processor."""

    def __init__(self, processors=1):
        super().__init__(sample_type=pw.IP | pw.TID | pw.TIME | pw.CPU | pw.IDENTIFIER)
        self.ids = [501 + i for i in range(processors)]
        self.record(ID_INDEX, self.pack("Q", processors) +
                    b"".join(self.pack("QQQQ", number, i, i, (1 << 64) - 1) for i, number in enumerate(self.ids)))

    def trailer(self, pid, tid, time, cpu):
        return self.pack("IIQIIQ", pid, tid, time, cpu, 0, self.ids[cpu])

    def attr(self):
        flags = 1 << 0 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 18 | 1 << 23 | 1 << 24 | 1 << 26
        return self.pack("IIQQQQQ", 1, 112, 9, 1, self.sample_type, 0, flags).ljust(112, b"\0")

    def file(self):
        ids = self.pack("%dQ" % len(self.ids), *self.ids)
        at = 104 + len(ids)
        return b"PERFILE2" + self.pack("QQQQQQQQ4Q", 104, 128, at, 128, at + 128, len(self.data), 0, 0, 0, 0, 0, 0) + \
            ids + self.attr() + self.pack("QQ", 104, len(ids)) + self.data


def machine(path, switches, processors=1, poke=False):
    """switches: (processor, time, who goes, who comes) by their ids."""
    writer = Machine(processors)
    writer.mmap(-1, KERNEL, SIZE, KERNEL, "[kernel.kallsyms]_text", misc=pw.KERNEL)
    writer.mmap(-1, MODULE, SIZE, 0, "/lib/modules/6.1.0/turning.ko", misc=pw.KERNEL)
    for pid, name in IN_ROOT.items():
        writer.comm(pid, pid, name)
        writer.mmap2(pid, USER, SIZE, 0x1000, "/bin/" + name)
    if poke:
        body = writer.pack("QHH", SWITCH, 2, 2) + b"\x90\x90" + MACHINE_KERNEL[64:66]
        writer.record(TEXT_POKE, body, pw.KERNEL, time=3000)
    for cpu, time, goes, comes in switches:
        writer.switch_wide(cpu, time, (goes, goes), (comes, comes))
    writer.round()
    g.write(os.path.join(path, "data"), writer.file())
    root = g.guest_root(path + ".root")
    g.write(os.path.join(root, "proc/kcore"), g.segment_file(4, [(KERNEL, MACHINE_KERNEL), (MODULE, g.TURN)]))
    for name in ("kcore", "kallsyms", "modules"):
        with open(os.path.join(root, "proc", name), "rb") as file:
            g.write(os.path.join(path, "kcore_dir", name), file.read())
    for pid, name in IN_ROOT.items():
        g.write(os.path.join(root, "bin", name), g.segment_file(2, [(USER, PROGRAMS[pid])]))
    return path


def host(path, traces, leaves=()):
    """A trace for each processor of the machine, which a thread of the hypervisor runs on a processor of its own."""
    writer = pw.Writer(kernel=True)
    writer.info()
    writer.record(ID_INDEX, writer.pack("QQQQQ", 1, 77, 0, 0, (1 << 64) - 1))
    writer.mmap(-1, KERNEL, SIZE, KERNEL, "[kernel.kallsyms]_text", misc=pw.KERNEL)
    writer.mmap(-1, MODULE, SIZE, 0, "/lib/modules/6.1.0/kernel/lathe.ko", misc=pw.KERNEL)
    writer.comm(HYPERVISOR, HYPERVISOR, "qemu-system-x86")
    for i, tid in enumerate((VCPU, SECOND_VCPU)):
        writer.comm(HYPERVISOR, tid, "CPU %d/KVM" % i)
    # The host has a process of the same number, at the same addresses.
    writer.comm(FIRST, FIRST, "of the host")
    writer.mmap(FIRST, USER, SIZE, 0, "/bin/host")
    for cpu, _ in enumerate(traces):
        writer.switch_wide(cpu, 800, (0, 0), (HYPERVISOR, VCPU + cpu))
    for time in leaves:
        writer.switch_wide(0, time, (HYPERVISOR, VCPU), (FIRST, FIRST))
    writer.record(FINISHED_INIT, b"")
    writer.round()
    for cpu, trace in enumerate(traces):
        writer.aux(0, len(trace), time=100000, cpu=cpu)
        writer.auxtrace(trace, 0, cpu, pw.NO_CPU, cpu)
    g.write(os.path.join(path, "data"), writer.file())
    g.write(os.path.join(path, "kcore_dir/kcore"), g.segment_file(4, [(KERNEL, g.HOST), (MODULE, b"")]))
    g.write(os.path.join(path, "kcore_dir/modules"), b"lathe %d 0 - Live 0x%016x\n" % (SIZE, MODULE))
    g.write(os.path.join(path, "kcore_dir/kallsyms"),
            (g.NAMES % (KERNEL, KERNEL, "enter", HANDLE, "handle", KERNEL + SIZE)).encode())
    return path


def times(time):
    return pw.tsc_packet(time) + pw.tma_packet(time // 88 & 0xffff, time % 88)


def visits(who, begin=2000):
    """
    Every 1000 ticks the machine works up to its hlt, and then its process runs twice: (trace, what each process ran, the
    machine's switches of 500 ticks before).
    """
    trace, ran, switches, runs = g.psb(1000, 0) + b"\x71" + g.address(ENTER), [], [], 0
    for i, pid in enumerate(who):
        time = begin + 1000 * i
        if pid != runs:
            switches.append((time - 500, runs, pid))
        runs = pid
        trace += times(time) + g.entry(HALT + 1 if i else KERNEL) + g.tip(HALT) + g.leave(HALT)
        trace += g.entry(USER) + g.tip(USER) + g.leave(USER)
        ran += [(pid, HALT + 1)] * (i > 0) + [(pid, ip) for ip in g.RAN_WORK] + [(pid, USER), (pid, USER + 1)]
    # A switch inside of the machine: its kernel loads CR3, and goes to the other process's code.
    goes, comes = runs, FIRST + SECOND - runs
    time = begin + 1000 * len(who)
    switches.append((time + 150, goes, comes))
    trace += times(time) + g.entry(HALT + 1) + g.tip(SWITCH) + times(time + 100) + g.pip(1, 0x7000) + times(time + 200)
    trace += g.tip(USER) + g.tip(USER) + g.leave(USER) + g.entry(USER) + b"\x01"
    # What runs between two packets is of the time behind them.
    ran += [(goes, HALT + 1)] + [(goes, ip) for ip in g.RAN_WORK] + [(comes, ip) for ip in RAN_SWITCH]
    return trace, ran + [(comes, USER), (comes, USER + 1)] * 2, switches


def inject(folder, traces, switches, leaves=(), **more):
    out = os.path.join(folder, "both")
    subprocess.run(["rm", "-rf", out], check=True)
    theirs = machine(os.path.join(folder, "machine"), switches, len(traces), **more)
    done = subprocess.run(["perf", "inject", "-i", host(os.path.join(folder, "host"), traces, leaves), "-o", out,
                           "--guest-data=%s,%d" % (theirs, HYPERVISOR)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect("perf inject", (done.returncode, done.stdout), (0, b""))
    return out, theirs + ".root"


def listed(path, *options, status=0):
    """[(process of the machine, address)]; [(thread of the host, address)]."""
    found = g.asked("dump", "--instructions", path, *options)
    inside, outside, who = [], [], None
    expect("status", (found[0], found[2] if found[0] != status else ""), (status, ""))
    for line in found[1].splitlines():
        head = re.match(r"\[process (\d+), thread (\d+), cpu \d+: (.*)\]$", line)
        if head:
            process, thread, name = int(head.group(1)), int(head.group(2)), head.group(3)
            who = inside if process >> 32 else outside
            # The name is of the process of the machine, which has the number of one of the host.
            if process >> 32:
                expect("name", (process, name), (thread, "%s [guest:%d]" % (IN_ROOT[process - NUMBER], HYPERVISOR)))
            thread = thread - NUMBER if process >> 32 else thread
        elif line and line[0] != "[":
            who.append((thread, int(line.split()[0], 16)))
    return inside, outside


def theirs_listed(path, root):
    """perf script: (process of the machine, address); it gives the host's vmresume to what that enters."""
    mounts = path + ".mounts"
    subprocess.run(["rm", "-rf", mounts], check=True)
    os.makedirs(mounts)
    os.symlink(root, os.path.join(mounts, str(HYPERVISOR)))
    done = subprocess.run(["perf", "script", "-i", path, "--itrace=i1i", "-F", "pid,tid,ip,machine_pid,vcpu", "--guestmount",
                           mounts, "--symfs", root], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    out = []
    for line in done.stdout.splitlines():
        fields = re.match(r"VM: +%d VCPU:(\d+) +(\d+)/(\d+) +(\w+)" % HYPERVISOR, line)
        if fields and int(fields.group(4), 16) != ENTER + 1:
            out.append((int(fields.group(3)), int(fields.group(4), 16)))
    return out


def functions(path, *options):
    """Instructions by function and object, of each process of the machine."""
    out = {}
    for pid in IN_ROOT:
        text = common.run("report", "--by", "function", "--csv", "--pid", str(NUMBER + pid), path, *options, status=(0, 1))
        for row in common.csv.DictReader(text.splitlines()):
            if int(row["Ir:self"]):
                out[pid, row["function"], row["object"]] = int(row["Ir:self"])
    return out


def counted(ran):
    """The same, by hand. Programs without symbols have one function, by its beginning."""
    kernel, module, out = "[kernel.kallsyms]_text [guest:100]", "/lib/modules/6.1.0/turning.ko [guest:100]", {}
    for pid, ip in ran:
        name = IN_ROOT[pid]
        key = (pid, "turn", module) if ip >= MODULE else (pid, "work", kernel) if ip >= KERNEL else (
            pid, "[%s [guest:100]+0x1000]" % name, "/bin/%s [guest:100]" % name)
        out[key] = out.get(key, 0) + 1
    return out


def check_one(folder):
    who = [FIRST, FIRST, SECOND, SECOND, FIRST, SECOND]
    trace, ran, switches = visits(who)
    path, root = inject(folder, [trace], [(0, *switch) for switch in switches])
    inside, outside = listed(path, "--guest-root", root)
    expect("inside", inside, ran)
    expect("outside", outside, [(VCPU, ip) for ip in (g.RAN_HOST + g.RAN_HANDLE) * 13 + g.RAN_HOST])
    expect("functions", functions(path, "--guest-root", root), counted(ran))
    one, four = (common.run("report", "--csv", path, "--guest-root", root, "--jobs", jobs, status=(0, 1)) for jobs in "14")
    expect("on four threads", one, four)
    # perf has no code where the machine is entered first, and knows the switch by its time alone.
    found = theirs_listed(path, root)[2:]
    late = [i for i, step in enumerate(ran) if step[1] in RAN_SWITCH[:2]]
    for i in late:
        expect("perf: of the process before", found[i], (FIRST + SECOND - ran[i][0], ran[i][1]))
        found[i] = ran[i]
    expect("perf script", found, ran)
    expect("their records", records(path), their_records(path))

    # The machine's kernel is beside the recording; its programs are not.
    status, out, errors = g.asked("dump", "--instructions", path)
    expect("no root", (status, "/bin/first [guest:100]" in errors, "kernel.kallsyms" in errors), (1, True, False))
    shown = [int(line.split()[0], 16) for line in out.splitlines() if line and line[0] != "["]
    expect("no root: the kernels", [ip for ip in shown if ip >= KERNEL],
           [ip for ip in merged(path, root) if ip >= KERNEL])
    return 9


def merged(path, root):
    lines = common.run("dump", "--instructions", path, "--guest-root", root).splitlines()
    return [int(line.split()[0], 16) for line in lines if line and line[0] != "["]


def records(path):
    """(machine, its processor, kind of record) of each that the machine wrote."""
    out = []
    for line in common.run("dump", "--json", path, status=(0, 1)).splitlines():
        record = common.json.loads(line)
        if "machine_pid" in record:
            out.append((record["machine_pid"], record["vcpu"], record["record"]))
    return out


def their_records(path):
    done = subprocess.run(["perf", "script", "-i", path, "--no-itrace", "--show-mmap-events", "--show-task-events",
                           "--show-switch-events", "-F", "pid,tid,time,machine_pid,vcpu"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    found = re.findall(r"^VM: +(\d+) VCPU:(\d+) .*PERF_RECORD_(\w+)", done.stdout, re.M)
    return [(int(pid), int(cpu), kind) for pid, cpu, kind in found]


def check_two(folder):
    """Two processors, whose threads take turns on both: what is of a thread is one thread, wherever it ran."""
    one, ran, switches = visits([FIRST, SECOND] * 2)
    two, also, more = visits([SECOND, FIRST] * 2)
    path, root = inject(folder, [one, two], [(0, *switch) for switch in switches] + [(1, *switch) for switch in more])
    inside, _ = listed(path, "--guest-root", root)
    expect("two processors", sorted(inside), sorted(ran + also))
    expect("functions of both", functions(path, "--guest-root", root), counted(ran + also))
    found = theirs_listed(path, root)
    by_thread = {pid: [ip for who, ip in found if who == pid and ip < KERNEL] for pid in IN_ROOT}
    expect("perf script: programs", by_thread, {pid: [ip for who, ip in inside if who == pid and ip < KERNEL] for pid in IN_ROOT})
    expect("records of both", records(path), their_records(path))
    return 4


def check_changes(folder):
    """The machine's kernel changes its code, as the host's does not at the same address."""
    trace = g.psb(1000, 0) + b"\x71" + g.address(ENTER)
    for time in (2000, 2500, 4000, 4500):
        trace += times(time) + g.entry(SWITCH) + g.pip(1, 0x7000) + g.tip(USER) + g.tip(USER) + g.leave(USER)
    path, root = inject(folder, [trace + g.entry(USER) + b"\x01"], [(0, 900, 0, FIRST)], poke=True)
    inside, _ = listed(path, "--guest-root", root)
    before = [SWITCH, SWITCH + 1, SWITCH + 2, SWITCH + 5, USER, USER + 1]
    after = [*RAN_SWITCH, USER, USER + 1]
    expect("a kernel that changes", inside, [(FIRST, ip) for ip in before * 2 + after * 2 + [USER, USER + 1]])
    return 1


def check_host(folder):
    """A switch of the machine that it never shows, and then one of the host, to its process of the same number."""
    trace, ran, switches = visits([FIRST])
    late = 9000
    trace = trace[:-1] + g.leave(USER) + b"\x01" + times(late + 2000) + b"\x71" + g.address(ENTER) + b"\x61" + g.address(ENTER + 1)
    path, root = inject(folder, [trace], [(0, *switch) for switch in switches + [(late, SECOND, FIRST)]], leaves=[late + 1000])
    inside, outside = listed(path, "--guest-root", root)
    expect("before the host's switch", inside, ran[:-2])
    expect("of the host's process", outside[-1], (FIRST, ENTER))
    expect("of the hypervisor", {who for who, _ in outside[:-1]}, {VCPU})
    return 1


def check_damage(folder):
    trace, _, switches = visits([FIRST, SECOND])
    path, root = inject(folder, [trace], [(0, *switch) for switch in switches])
    # The index does not say any more of which machine the ids are.
    with open(os.path.join(path, "data"), "rb") as file:
        data = file.read()
    entry = pw.Writer().pack("QQ", HYPERVISOR, 0)
    at = data.rindex(entry, 0, data.index(b"second"))
    g.write(os.path.join(path, "data"), data[:at] + bytes(8) + data[at + 8:])
    status, out, errors = g.asked("dump", "--instructions", path, "--guest-root", root)
    heads = set(re.findall(r"^\[process (\d+), thread \d+, cpu 0: (.*)\]$", out, re.M))
    expect("unknown machine", (status, "no ID_INDEX record says which machine" in errors), (1, True))
    expect("the host's processes", heads, {("100", "CPU 0/KVM"), ("100", "[guest:100]")})
    status, out, _ = g.asked("check", path, "--guest-root", root)
    # COMM of both, and the switches, two records each.
    expect("rule", (status, out.count("guest-id ")), (1, 2 + 2 * len(switches)))
    return 3


def check_samples(folder):
    """Samples of the machine are of the process that its switches say, with the kernel's names of the machine."""
    class Host(g.Sampler):
        """Of samples, and of the switches of the host."""

    path = os.path.join(folder, "samples")
    writer = Host(chains=False)
    writer.record(ID_INDEX, writer.pack("QQQQQ", 1, 77, 0, 0, (1 << 64) - 1))
    writer.comm(HYPERVISOR, HYPERVISOR, "qemu-system-x86")
    writer.comm(HYPERVISOR, VCPU, "CPU 0/KVM")
    writer.comm(FIRST, FIRST, "of the host")
    writer.switch_wide(0, 800, (0, 0), (HYPERVISOR, VCPU))
    writer.record(FINISHED_INIT, b"")
    wanted = {}
    for i in range(40):
        mode, ip, name = ((g.GUEST_KERNEL, KERNEL, "work"), (g.GUEST_USER, USER, None))[i % 2]
        pid = FIRST if i < 25 else SECOND
        writer.sample(mode, ip)
        name = name or "[%s [guest:100]]" % IN_ROOT[pid]
        key = "%s [guest:100] (%d);%s" % (IN_ROOT[pid], NUMBER + pid, name)
        wanted[key] = wanted.get(key, 0) + 1
    writer.round()
    g.write(os.path.join(path, "data"), writer.file())
    # Samples are at 1010, 1020, ...: the 26th is the first behind 1255.
    theirs = machine(os.path.join(folder, "sampled"), [(0, 900, 0, FIRST), (0, 1255, FIRST, SECOND)])
    out = os.path.join(folder, "sampled.both")
    subprocess.run(["perf", "inject", "-i", os.path.join(path, "data"), "-o", out, "--guest-data=%s,%d" % (theirs, HYPERVISOR)],
                   check=True, stdout=subprocess.DEVNULL)
    found, _ = g.stacks_of(out, "--guest-root", theirs + ".root", status=1)
    expect("samples", found, wanted)
    return 1


def main():
    if not common.tool("perf"):
        common.finish(0, "recordings with a machine's records")
        return
    with tempfile.TemporaryDirectory() as folder:
        compared = check_one(folder) + check_two(folder) + check_changes(folder) + check_host(folder) + check_damage(folder) + check_samples(folder)
    common.finish(compared, "recordings with a machine's records")


if __name__ == "__main__":
    main()
