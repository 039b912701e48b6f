# SPDX-License-Identifier: Apache-2.0
"""Writes perf.data files with Intel PT in all their forms, from traces of the shared corpus (docs/formats/perf-data.md).

A trace of one thread can be taken apart at its PSBs and put into the buffers of processors: where another thread takes
over, tracing is turned off (FUP, TIP.PGD) and turned on again later (TSC, TMA, TIP.PGE), as an interrupt does it. Times
are moved by whole wraps of the 16-bit crystal counter, so that MTC and TMA packets stay as they are.
"""
import ctypes
import ctypes.util
import struct

PMU = 8
WRAP = 65536 * 88  # ticks of 2^16 crystal clocks at 176 / 2
MTC_PERIOD = 3
(MMAP, LOST, COMM, EXIT, THROTTLE, UNTHROTTLE, FORK, READ, SAMPLE, MMAP2, AUX, ITRACE_START, LOST_SAMPLES, SWITCH,
 SWITCH_CPU_WIDE, NAMESPACES) = range(1, 17)
HEADER_ATTR, FINISHED_ROUND, AUXTRACE_INFO, AUXTRACE, HEADER_FEATURE, COMPRESSED, COMPRESSED2 = (64, 68, 70, 71, 80, 81,
                                                                                                 83)
IP, TID, TIME, ID, CPU, IDENTIFIER = 1, 2, 4, 1 << 6, 1 << 7, 1 << 16
KERNEL, USER, FLAG = 1, 2, 0x2000
NO_CPU = 0xffffffff

# ---- packets: only what the corpus has --------------------------------------------------------------------------

IP_BYTES = (0, 2, 4, 6, 6, None, 8, None)
EXTENDED = {0x82: 16, 0xc8: 7, 0x23: 2, 0xa3: 8, 0x43: 8, 0xf3: 2, 0x03: 4, 0x73: 7, 0x83: 2}


def packet_size(data, at):
    first = data[at]
    if first == 0x02:
        return EXTENDED[data[at + 1]]
    if first & 1 == 0:
        return 1
    if first & 3 == 3:
        size = 1
        more = first & 4
        while more:
            more = data[at + size] & 1
            size += 1
        return size
    if first & 0x1f in (0x0d, 0x11, 0x01, 0x1d):
        return 1 + IP_BYTES[first >> 5]
    return {0x19: 8, 0x59: 2, 0x99: 2}[first]


def packets(data):
    at = 0
    while at < len(data):
        size = packet_size(data, at)
        yield at, data[at:at + size]
        at += size


def tsc_packet(tsc):
    return b"\x19" + struct.pack("<Q", tsc)[:7]


def tma_packet(ctc, fc):
    return b"\x02\x73" + struct.pack("<HBBB", ctc, 0, fc & 0xff, fc >> 8)


def move_time(data, ticks):
    """The same packets, some wraps of the crystal counter later."""
    assert ticks % WRAP == 0
    out = bytearray(data)
    for at, packet in packets(data):
        if packet[0] == 0x19:
            tsc = int.from_bytes(packet[1:8], "little") + ticks
            out[at:at + 8] = tsc_packet(tsc)
    return bytes(out)


class Slice:
    """From one PSB up to the next: complete in itself."""

    def __init__(self, data):
        self.data = data
        self.ip = None  # where flow is at its PSB; None: tracing is off
        self.tsc = None
        in_psb = False
        for at, packet in packets(data):
            if packet[:2] == b"\x02\x82":
                in_psb = True
            elif packet[:2] == b"\x02\x23":
                break
            elif packet[0] == 0x19 and self.tsc is None:
                self.tsc = int.from_bytes(packet[1:8], "little")
            elif in_psb and packet[0] == 0x7d:
                self.ip = packet[1:7]


def slices(data):
    starts = [at for at, packet in packets(data) if packet[:2] == b"\x02\x82"]
    return [Slice(data[a:b]) for a, b in zip(starts, starts[1:] + [len(data)])]


def last_time(data):
    """An upper bound of the time at the end: the last TSC, and what MTC added."""
    tsc, mtcs = 0, 0
    for _, packet in packets(data):
        if packet[0] == 0x19:
            tsc, mtcs = int.from_bytes(packet[1:8], "little"), 0
        elif packet[0] == 0x59:
            mtcs += 1
    return tsc + (mtcs + 2) * (1 << MTC_PERIOD) * 88 * 256


def turn_off(ip):
    """An interrupt at `ip`."""
    return b"\x7d" + ip + b"\x01"


def turn_on(ip, tsc):
    """Back at `ip`, with the time."""
    ctc = tsc // 88
    return tsc_packet(tsc) + tma_packet(ctc & 0xffff, tsc % 88) + b"\x71" + ip


# ---- records -----------------------------------------------------------------------------------------------------


class Writer:
    """A perf.data file. Times are in nanoseconds, which here are ticks: multiplier 1, shift 0."""

    def __init__(self, order="<", sample_type=IP | TID | TIME | CPU | IDENTIFIER, config=0, snapshot=False, per_cpu=True,
                 timed=True, kernel=False, cpuid=None, mult=1, shift=0, zero=0, switches=3, clock=None):
        self.order = order
        self.sample_type = sample_type
        self.snapshot, self.per_cpu, self.timed = snapshot, per_cpu, timed
        self.mult, self.shift, self.zero = mult, shift, zero
        self.config = config | 1 | 1 << 13 | (1 << 10 | 1 << 9 | MTC_PERIOD << 14 if timed else 0)
        self.kernel = kernel
        self.switches = switches if per_cpu else 0  # as perf tells what kind of switch records there are
        self.cpuid = cpuid
        self.clock = clock
        self.data = b""
        self.features = {}
        self.compress = None

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def trailer(self, pid, tid, time, cpu):
        out = b""
        if self.sample_type & TID:
            out += self.pack("II", pid, tid)
        if self.sample_type & TIME:
            out += self.pack("Q", time)
        if self.sample_type & ID:
            out += self.pack("Q", 77)
        if self.sample_type & CPU:
            out += self.pack("II", cpu, 0)
        if self.sample_type & IDENTIFIER:
            out += self.pack("Q", 77)
        return out

    def header(self, kind, misc, size):
        return self.pack("IHH", kind, misc, size)

    def record(self, kind, body, misc=0, pid=0, tid=0, time=0, cpu=0):
        body += b"\0" * (-len(body) % 8)
        if kind < HEADER_ATTR:
            body += self.trailer(pid & 0xffffffff, tid & 0xffffffff, time, cpu)
        raw = self.header(kind, misc, 8 + len(body)) + body
        if self.compress is None:
            self.data += raw
        else:
            self.compress.append(raw)
        return raw

    def comm(self, pid, tid, name, time=0, execs=False, cpu=0):
        self.record(COMM, self.pack("II", pid, tid) + name.encode() + b"\0", FLAG if execs else 0, pid, tid, time, cpu)

    def mmap(self, pid, address, size, offset, path, time=0, tid=None, cpu=0, misc=USER):
        body = self.pack("IIQQQ", pid & 0xffffffff, (tid or pid) & 0xffffffff, address, size, offset)
        self.record(MMAP, body + path.encode() + b"\0", misc, pid, tid or pid, time, cpu)

    def mmap2(self, pid, address, size, offset, path, time=0, build_id=None, prot=5, cpu=0):
        body = self.pack("IIQQQ", pid, pid, address, size, offset)
        if build_id:
            body += bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b"\0")
        else:
            body += self.pack("IIQQ", 8, 1, 4711, 0)
        body += self.pack("II", prot, 2) + path.encode() + b"\0"
        self.record(MMAP2, body, USER | (0x4000 if build_id else 0), pid, pid, time, cpu)

    def maps(self, pid, path, time=0, shift=0):
        """The map of the corpus, see its README."""
        for line in open(path, encoding="utf-8"):
            if line[0] == "#":
                continue
            fields = line.split()
            self.mmap(pid, int(fields[0], 16) + shift, int(fields[1], 16), int(fields[-1], 16),
                      " ".join(fields[3:-1]), time)

    def task(self, kind, pid, ppid, tid, ptid, time, cpu=0):
        self.record(kind, self.pack("IIIIQ", pid, ppid, tid, ptid, time), 0, pid, tid, time, cpu)

    def switch_wide(self, cpu, time, prev, nxt):
        """Both halves, as the kernel writes them: (pid, tid) pairs."""
        self.record(SWITCH_CPU_WIDE, self.pack("II", *nxt), FLAG, *prev, time, cpu)
        self.record(SWITCH_CPU_WIDE, self.pack("II", *prev), 0, *nxt, time + 1, cpu)

    def switch(self, cpu, time, who, out):
        self.record(SWITCH, b"", FLAG if out else 0, *who, time, cpu)

    def itrace_start(self, pid, tid, time=0, cpu=0):
        self.record(ITRACE_START, self.pack("II", pid, tid), 0, pid, tid, time, cpu)

    def aux(self, offset, size, flags=0, pid=0, tid=0, time=0, cpu=0):
        self.record(AUX, self.pack("QQQ", offset, size, flags), 0, pid, tid, time, cpu)

    def round(self):
        self.record(FINISHED_ROUND, b"")

    def info(self):
        words = [PMU, self.shift, self.mult, self.zero, 1 if self.mult else 0, 1 << 10, 1 << 11, self.switches,
                 int(self.snapshot), int(self.per_cpu), 1 << 9, 0x3c000, 176, 2, 1 << 1, 32, 0]
        self.record(AUXTRACE_INFO, self.pack("II%dQ" % len(words), 1, 0, *words))

    def auxtrace(self, data, offset, idx, tid, cpu):
        """Never compressed: the bytes follow the record."""
        padded = data + b"\0" * (-len(data) % 8)
        self.data += self.header(AUXTRACE, 0, 48) + self.pack("QQQIIII", len(padded), offset, 1, idx, tid, cpu, 0)
        self.data += padded

    def begin_compressed(self):
        self.compress = []

    def end_compressed(self, newer=False, piece=300):
        """All records since, as one zstd stream, cut anywhere into records of at most `piece` bytes."""
        plain = b"".join(self.compress)
        self.compress = None
        packed = zstd(plain)
        for at in range(0, len(packed), piece):
            part = packed[at:at + piece]
            if newer:
                body = self.pack("Q", len(part)) + part
                body += b"\0" * (-len(body) % 8)
                self.data += self.header(COMPRESSED2, 0, 8 + len(body)) + body
            else:
                self.data += self.header(COMPRESSED, 0, 8 + len(part)) + part

    def attr(self):
        flags = 1 << 0 | (0 if self.kernel else 1 << 5) | 1 << 6 | 1 << 18 | 1 << 26
        flags |= 0 if self.clock is None else 1 << 25
        out = self.pack("IIQQQQ", PMU, 112, self.config, 1, self.sample_type, 0)
        # Bit-fields of a big-endian machine begin at the highest bit of each byte.
        bits = struct.pack("<Q", flags)
        out += bits if self.order == "<" else bytes(int("{:08b}".format(b)[::-1], 2) for b in bits)
        out = out.ljust(92, b"\0") + self.pack("I", self.clock or 0)
        return out.ljust(112, b"\0")

    def file(self):
        ids = self.pack("Q", 77)
        attrs_at = 104 + len(ids)
        data_at = attrs_at + 128
        features = dict(self.features)
        if self.cpuid:
            text = self.cpuid.encode() + b"\0"
            text += b"\0" * (-len(text) % 8)
            features[9] = self.pack("I", len(text)) + text
        bitmap = [sum(1 << (n % 64) for n in features if n // 64 == word) for word in range(4)]
        out = (b"PERFILE2" if self.order == "<" else b"2ELIFREP") + self.pack("QQ", 104, 128)
        out += self.pack("QQQQQQ", attrs_at, 128, data_at, len(self.data), 0, 0) + self.pack("4Q", *bitmap)
        out += ids + self.attr() + self.pack("QQ", 104, len(ids)) + self.data
        table = len(out)
        at = table + 16 * len(features)
        sections = b""
        for number in sorted(features):
            out += self.pack("QQ", at + len(sections), len(features[number]))
            sections += features[number]
        return out + sections

    def pipe(self):
        attr = self.attr() + self.pack("Q", 77)
        return (b"PERFILE2" if self.order == "<" else b"2ELIFREP") + self.pack("Q", 16) + \
            self.header(HEADER_ATTR, 0, 8 + len(attr)) + attr + self.data


# ---- threads on processors ----------------------------------------------------------------------------------------


class Machine:
    """Processors with a buffer each; threads take turns."""

    def __init__(self, writer, cpus):
        self.writer = writer
        self.buffers = [b""] * cpus
        self.now = [0] * cpus
        self.who = [(0, 0)] * cpus
        self.clock = 1000 * WRAP
        self.records = []

    def run(self, cpu, who, part, last, how="wide"):
        """A slice of a thread, after whatever ran before on any processor."""
        start = self.clock + WRAP
        moved = part.tsc // WRAP * WRAP
        data = move_time(part.data, start - moved) if start >= moved else None
        assert data is not None
        tsc = part.tsc - moved + start
        switch = tsc - WRAP // 4
        if part.ip:
            data = turn_on(part.ip, tsc - WRAP // 8) + data
        if last is not None and last.ip:
            data += turn_off(last.ip)
        self.buffers[cpu] += data
        self.clock = (last_time(data) // WRAP + 1) * WRAP
        if self.who[cpu] != who:
            self.records.append((switch, how, cpu, self.who[cpu], who))
        self.who[cpu] = who

    def write_parts(self):
        """What each processor has, as the files that the threads of a recorder write."""
        before, records, parts = self.writer.data, self.records, []
        for only in range(len(self.buffers)):
            self.writer.data = b""
            self.records = [record for record in records if record[2] == only]
            self.write(only)
            parts.append(self.writer.data)
        self.writer.data = before
        return parts

    def write(self, only=None):
        w = self.writer
        for time, how, cpu, prev, nxt in sorted(self.records):
            if how == "wide":
                w.switch_wide(cpu, time, prev, nxt)
            else:
                if prev != (0, 0):
                    w.switch(cpu, time, prev, True)
                w.switch(cpu, time + 1, nxt, False)
        for cpu, data in enumerate(self.buffers):
            if only in (None, cpu):
                w.aux(0, len(data), time=self.clock, cpu=cpu)
                w.auxtrace(data, 0, cpu, 0xffffffff, cpu)


def turns(lists):
    """One slice of each in turn, with the slice that comes next of the same thread."""
    for i in range(max(len(parts) for _, parts in lists)):
        for who, parts in lists:
            if i < len(parts):
                yield i, who, parts[i], parts[i + 1] if i + 1 < len(parts) else None


def zstd(data):
    """One frame; the library is there, since tracelathe needs it."""
    lib = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    lib.ZSTD_compressBound.restype = lib.ZSTD_compress.restype = ctypes.c_size_t
    lib.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    lib.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    bound = lib.ZSTD_compressBound(len(data))
    out = ctypes.create_string_buffer(bound)
    size = lib.ZSTD_compress(out, bound, data, len(data), 1)
    return out.raw[:size]
