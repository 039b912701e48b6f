#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""itrace_events.py TRACELATHE: events inside of Intel PT, and branches before a point, as `perf script --itrace` has them.

Recordings of a kernel of a few instructions are put together by hand, with packets that no machine of ours writes: PTWRITE (`w`),
power states and frequencies (`p`), interrupts and their flag (`I`), transactions (`x`), overflows (`e`). What the packets say is
known; perf has to say the same. Branches before an instruction (`l`), and before a sample of another event (`L`), are those of
`dump --branches`.
"""
import os
import random
import re
import struct
import subprocess
import tempfile

import changed_kernel
import common
import perf_writer as pw
from common import expect

KERNEL, NOPS = changed_kernel.KERNEL, 4000
PTWRITE = b"\xf3\x48\x0f\xae\xe0"
PTW_ENABLED, POWER_ENABLED, EVENTS_ENABLED = 1 << 12, 1 << 4, 1 << 31
PFA = 0
count = 0


class Writer(pw.Writer):
    """A recording of one processor with all events in the trace, and samples of a clock."""

    def __init__(self):
        super().__init__(kernel=True, sample_type=pw.IP | pw.TID | pw.TIME | pw.CPU | pw.IDENTIFIER)
        self.config |= PTW_ENABLED | POWER_ENABLED | EVENTS_ENABLED

    def info(self):
        """The word behind the (empty) address filter says that events may be in the trace."""
        words = [pw.PMU, self.shift, self.mult, self.zero, 1, 1 << 10, 1 << 11, self.switches, 0, 1, 1 << 9, 0x3c000, 176, 2, 1 << 1,
                 32, 0, 1]
        self.record(pw.AUXTRACE_INFO, self.pack("II%dQ" % len(words), 1, 0, *words))

    def sample(self, time, ip):
        body = self.pack("QQIIQII", 78, ip, 100, 100, time, 0, 0)
        self.data += self.header(pw.SAMPLE, 1, 8 + len(body)) + body

    def file(self):
        """The trace's event with id 77, and a software clock with id 78."""
        clock = self.pack("IIQQQQQ", 1, 112, 0, 1000, self.sample_type, 0, 1 << 18).ljust(112, b"\0")
        ids = self.pack("QQ", 77, 78)
        attrs_at = 104 + len(ids)
        data_at = attrs_at + 256
        out = b"PERFILE2" + self.pack("QQ", 104, 128)
        out += self.pack("QQQQQQ", attrs_at, 256, data_at, len(self.data), 0, 0) + bytes(32) + ids
        for number, attr in enumerate((self.attr(), clock)):
            out += attr + self.pack("QQ", 104 + 8 * number, 8)
        return out + self.data


def address(offset):
    return changed_kernel.address(offset)


def at_time(ticks):
    return pw.tsc_packet(ticks) + pw.tma_packet(ticks // 88 & 0xffff, ticks % 88)


def fup(offset):
    return b"\x7d" + address(offset)


def tip(offset):
    return b"\x6d" + address(offset)


def psb(ticks, offset=None, ratio=36):
    out = b"\x02\x82" * 8 + at_time(ticks) + b"\x99\x01\x02\x03" + bytes([ratio, 0])
    return out + (b"" if offset is None else fup(offset)) + b"\x02\x23"


class Trace:
    """Packets, and what each of them says: {letter: [row]}."""

    def __init__(self, ticks):
        self.ticks, self.at, self.flag, self.frequency = ticks, 0, 0, 36
        self.data = psb(ticks) + b"\x71" + address(0)
        self.said = {"w": [], "p": [("cbr", ticks, None, 36)], "I": [], "x": [], "e": []}

    def say(self, letter, name, ip, *values):
        self.said[letter].append((name, self.ticks, None if ip is None else KERNEL + ip, *values))

    def ran(self, count):
        """Where the instruction is that comes so many bytes later; no address is inside of a ptwrite."""
        self.at += count
        if 0 < self.at % 64 < len(PTWRITE):
            self.at += len(PTWRITE) - self.at % 64
        return self.at

    def time(self, rng):
        self.ticks += rng.randrange(100, 5000)
        self.data += at_time(self.ticks)

    def ptwrite(self, rng):
        """Of 4 or 8 bytes, at an address: the code has one at each multiple of 64."""
        value, wide = rng.randrange(1 << 32), rng.randrange(2)
        value = value << 32 | value >> 3 if wide else value
        self.at = (self.at | 63) + 1
        self.data += b"\x02" + bytes([0x92 | wide << 5]) + struct.pack("<Q" if wide else "<I", value) + fup(self.at)
        self.say("w", "ptwrite", self.at, value)

    def ratio(self, rng):
        # perf leaves out a ratio that is the one before.
        ratio = self.frequency = rng.choice([ratio for ratio in range(8, 50) if ratio != self.frequency])
        self.data += b"\x02\x03" + bytes([ratio, 0])
        self.say("p", "cbr", None, ratio)

    def sleep(self, rng):
        hints, ext, state, sub, hw = rng.randrange(256), rng.randrange(4), rng.randrange(16), rng.randrange(16), rng.randrange(2)
        last, deepest, reason = rng.randrange(16), rng.randrange(16), 1 << rng.choice((0, 2, 3))
        ip = self.ran(rng.randrange(1, 5))
        self.data += b"\x02\xc2" + struct.pack("<BBHBBH", hints, 0, 0, ext, 0, 0) + b"\x02\x22" + bytes([hw << 7, state << 4 | sub])
        self.data += b"\x02\xe2" + fup(ip)
        self.say("p", "mwait", ip, hints, ext)
        # The address comes with the EXSTOP, so that it is told first here (docs/formats/intel-pt.md, 5.7); perf has it behind.
        self.say("p", "exstop", ip, 1)
        self.say("p", "pwre", None, hw, state, sub)
        self.time(rng)
        self.data += b"\x02\xa2" + bytes([last << 4 | deepest, reason, 0, 0, 0])
        self.say("p", "pwrx", None, deepest, last, reason)

    def stop(self, rng):
        self.data += b"\x02\x62"
        self.say("p", "exstop", None, 0)

    def transaction(self, rng):
        """It begins, and is committed or aborted; an abort goes on elsewhere."""
        ip = self.ran(rng.randrange(1, 5))
        self.data += b"\x99\x21" + fup(ip)
        self.say("x", "begin", ip)
        ip = self.ran(rng.randrange(1, 5))
        if rng.randrange(2):
            self.data += b"\x99\x20" + fup(ip)
            self.say("x", "commit", ip)
            return
        self.data += b"\x99\x22" + fup(ip) + tip(self.ran(8))
        self.say("x", "abort", ip)

    def interrupt(self, rng):
        """With the address of a page fault, or without."""
        fault, vector, ip = rng.randrange(2), rng.randrange(32, 256), self.ran(rng.randrange(1, 5))
        vector, place = (14, 0xffff888000000000 + 4096 * rng.randrange(1000)) if fault else (vector, None)
        if fault:
            self.data += b"\x02\x53\x00" + struct.pack("<Q", place)
        self.data += b"\x02\x13\x81" + bytes([vector]) + fup(ip) + tip(self.ran(6))
        self.say("I", "interrupt", ip, vector, place)

    def flags(self, rng):
        ip = self.ran(rng.randrange(1, 5))
        self.flag = 1 - self.flag
        self.data += b"\x99" + bytes([1 | self.flag << 2]) + fup(ip)
        self.say("I", "iflag", ip, self.flag)

    def overflow(self, rng):
        """The FUP behind it says where flow goes on."""
        self.data += b"\x02\xf3" + fup(self.ran(rng.randrange(1, 30)))
        self.say("e", "overflow", None)


KINDS = (Trace.time, Trace.ptwrite, Trace.ratio, Trace.sleep, Trace.stop, Trace.transaction, Trace.interrupt, Trace.flags)


def code():
    """nops, with a ptwrite at each multiple of 64; the last one is an indirect jump."""
    out = bytearray(b"\x90" * NOPS)
    for at in range(64, NOPS, 64):
        out[at:at + len(PTWRITE)] = PTWRITE
    return bytes(out) + b"\xff\xe0"


def events_of(seed):
    rng = random.Random(seed)
    trace = Trace(2000)
    while trace.at < NOPS - 200:
        rng.choice(KINDS if rng.randrange(10) else (Trace.overflow,))(trace, rng)
        trace.ran(2)
    trace.data += b"\x01"
    return trace


def recording(folder, trace, program, samples=()):
    path, image = os.path.join(folder, "perf.data"), os.path.join(folder, "kcore_dir", "kcore")
    os.makedirs(os.path.dirname(image), exist_ok=True)
    with open(image, "wb") as file:
        file.write(changed_kernel.kernel(program))
    writer = Writer()
    writer.info()
    writer.mmap(-1, KERNEL, changed_kernel.SIZE, KERNEL, "[kernel.kallsyms]_text", misc=pw.KERNEL)
    writer.comm(100, 100, "worker")
    writer.itrace_start(100, 100, 1, 0)
    for time, ip in samples:
        writer.sample(time, ip)
    writer.round()
    writer.auxtrace(trace, 0, 0, pw.NO_CPU, 0)
    with open(path, "wb") as file:
        file.write(writer.file())
    return path


# ---- ours ----


def number(text):
    return text if text is None or isinstance(text, int) else int(text, 16)


def tsx(row):
    return "abort" if row["aborted"] else "begin" if row["speculative"] else "commit"


# Kind of an event -> letter, and what it says; reasons of a wake-up are bits (SDM, PWRX: interrupt, store, autonomous).
OURS = {
    "ptwrite": ("w", lambda e: ("ptwrite", number(e["payload"]))),
    "cbr": ("p", lambda e: ("cbr", e["ratio"])),
    "mwait": ("p", lambda e: ("mwait", e["hints"], e["ext"])),
    "pwre": ("p", lambda e: ("pwre", int(e["hw"]), e["state"], e["sub_state"])),
    "exstop": ("p", lambda e: ("exstop", int("ip" in e))),
    "pwrx": ("p", lambda e: ("pwrx", e["deepest"], e["last"], e["interrupt"] | e["store"] << 2 | e["autonomous"] << 3)),
    "interrupt": ("I", lambda e: ("interrupt", e["vector"], number(e.get("cr2")))),
    "iflags": ("I", lambda e: ("iflag", int(e["iflag"]))),
    "tsx": ("x", lambda e: (tsx(e),)),
    "overflow": ("e", lambda e: ("overflow",)),
}
NO_ADDRESS = ("cbr", "pwre", "pwrx", "overflow")


def ours(path):
    found = {letter: [] for letter in "wpIxe"}
    for line in common.run("dump", "--events", "--iflags", "--json", path).splitlines():
        event = common.json.loads(line)
        if event.get("status_update") and event["event"] != "cbr" or event["event"] not in OURS:
            continue
        letter, says = OURS[event["event"]]
        name, *values = says(event)
        ip = None if name in NO_ADDRESS else number(event.get("ip"))
        found[letter].append((name, event["tsc"], ip, *values))
    return found


# ---- perf ----

# What perf prints of an event -> (name, values in the order of `said`).
THEIRS = (
    (r"ptwrite: .*payload: (0x\w+)", "ptwrite", lambda m: (int(m[1], 16),)),
    (r"cbr: .*cbr: +(\d+) freq", "cbr", lambda m: (int(m[1]),)),
    (r"mwait: .*hints: (\w+) extensions: (\w+)", "mwait", lambda m: (int(m[1], 16), int(m[2], 16))),
    (r"pwre: .*hw: (\d) cstate: (\d+) sub-cstate: (\d+)", "pwre", lambda m: (int(m[1]), int(m[2]), int(m[3]))),
    (r"exstop: .*IP: (\d)", "exstop", lambda m: (int(m[1]),)),
    (r"pwrx: .*deepest cstate: (\d+) last cstate: (\d+) wake reason: (\w+)", "pwrx", lambda m: (int(m[1]), int(m[2]), int(m[3], 16))),
    (r"evt: .*cfe: INTR IP: 1 vector: (\d+)(?: PFA: (0x\w+))?", "interrupt", lambda m: (int(m[1]), m[2] and int(m[2], 16))),
    (r"iflag: .*IFLAG: \d->(\d)", "iflag", lambda m: (int(m[1]),)),
    (r"transactions: +x", "begin", lambda m: ()),
    (r"transactions: +tx abrt", "abort", lambda m: ()),
    (r"transactions: ", "commit", lambda m: ()),
)


def theirs(path, letter):
    done = subprocess.run(["perf", "script", "-i", path, "--vmlinux", os.path.join(os.path.dirname(path), "kcore_dir", "kcore"),
                           "--itrace=" + letter, "--ns", "-F", "time,event,ip,synth,flags"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    rows = []
    for line in done.stdout.splitlines():
        head = re.match(r"\s*(\d+)\.(\d{9}):\s+(.*?)\s+([0-9a-f]+)$", line)
        if letter == "e" and "Overflow packet" in line:
            rows.append(("overflow",))
        if not head or " psb: " in line or re.match(r"psb", head[3]):
            continue
        for form, name, values in THEIRS:
            match = re.match(form, head[3] + " ")
            if match:
                break
        else:
            common.fail("perf lists", repr(line))
            continue
        ip = None if name in NO_ADDRESS or name == "exstop" and match[1] == "0" else int(head[4], 16)
        rows.append((name, int(head[1]) * 10 ** 9 + int(head[2]), ip, *values(match)))
        if name == "exstop" and rows[-2][0] == "pwre" and ip:
            rows[-2:] = rows[:-3:-1]
    return rows


# ---- branches before a point ----


def jumps(seed):
    """
    Indirect jumps at KERNEL + 64 * i + 8, each behind some nops, from one to another at random; a sample after some of them.
    (code, trace, samples)
    """
    rng = random.Random(seed)
    program = (b"\x90" * 8 + b"\xff\xe0").ljust(64, b"\xcc") * 40
    ticks, samples = 2000, []
    data = psb(ticks) + b"\x71" + address(0)
    for _ in range(300):
        data += tip(64 * rng.randrange(40))
        if not rng.randrange(6):
            samples.append((ticks + 500, KERNEL))
            ticks += 1000
            data += at_time(ticks)
    return program, data + b"\x01", samples


def last_branches(path, letters):
    """Of each sample: its time, its address, and the branches before it, the latest first."""
    done = subprocess.run(["perf", "script", "-i", path, "--vmlinux", os.path.join(os.path.dirname(path), "kcore_dir", "kcore"),
                           "--itrace=" + letters, "--ns", "-F", "time,event,ip,brstack"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    for line in done.stdout.splitlines():
        head = re.match(r"\s*(\d+)\.(\d{9}):\s+(\S+?):\S*\s+([0-9a-f]+)", line)
        if head:
            yield (head[3], int(head[1]) * 10 ** 9 + int(head[2]), int(head[4], 16),
                   [(int(a, 16), int(b, 16)) for a, b in re.findall(r"(0x\w+)/(0x\w+)/", line)])


def branches_of(path, *options):
    """(from, to, time); the trace begins with one from nowhere, and ends with one to nowhere."""
    rows = map(common.json.loads, common.run("dump", "--branches", "--json", *options, path).splitlines())
    return [(number(row.get("from", 0)), number(row.get("to", 0)), row["tsc"]) for row in rows]


def compare_branches(folder, seed):
    global count
    program, data, samples = jumps(seed)
    path = recording(folder, data, program, samples)
    branches = branches_of(path)
    pairs = [row[:2] for row in branches]
    found = [row for row in last_branches(path, "i7il8") if row[0] == "instructions"]
    # Nine instructions are between two branches.
    for number_of_sample, (_, _, ip, last) in enumerate(found):
        instruction = 7 * number_of_sample + 6
        before = instruction // 9 + 1
        expect("l: the place", ip, pairs[before - 1][1] + instruction % 9)
        expect("l: branches before it", last, pairs[max(0, before - 8):before][::-1])
    expect("l: some", len(found), len(pairs[:-1]) * 9 // 7)
    found = [row for row in last_branches(path, "L1024") if row[0] == "cpu-clock"]
    expect("L: samples", [row[1] for row in found], [time for time, _ in samples])
    lengths = [len(last) for _, _, _, last in found]
    for number_of_sample, (_, time, _, last) in enumerate(found):
        before = [row for row in branches if row[2] < time]
        # perf has those that it decoded by then, of which the last are missing.
        expect("L: branches before it", last[::-1], [row[:2] for row in before][:len(last)])
        if number_of_sample % 10 == 5:
            # A window counts from the trace's first time, and ends with the time of its last branch.
            expect("L: --time", branches_of(path, "--time", "..%dns" % (time - branches[0][2])), before)
    expect("L: more and more", (lengths == sorted(lengths), lengths[-1] > len(pairs) // 2, len(lengths) > 20), (True, True, True))
    count += 2


def compare_events(folder, seed):
    global count
    trace = events_of(seed)
    path = recording(folder, trace.data, code())
    found = ours(path)
    for letter, wanted in trace.said.items():
        expect("%s of recording %d" % (letter, seed), found[letter], wanted)
        expect("some", len(wanted) > 1, True)
        other = theirs(path, letter)
        expect("%s of recording %d: perf" % (letter, seed), other, [row[:1] for row in wanted] if letter == "e" else wanted)
        count += 1


def main():
    if not common.tool("perf"):
        common.skip("there is no perf")
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(3):
            compare_events(folder, seed)
        compare_branches(folder, 0)
    common.finish(count, "lists of events and branches compared with perf")


if __name__ == "__main__":
    main()
