# SPDX-License-Identifier: Apache-2.0
"""Small files of formats of other tools, each of other costs, as their documents say (docs/formats/)."""
import json
import os
import struct

NAMES = ("main", "parse", "layout", "paint", "leaf")


def chrome_events(rng):
    events = [{"name": rng.choice(NAMES), "ph": "X", "ts": 100 * i, "dur": rng.randrange(1, 90), "pid": 1, "tid": 1 + i % 2}
              for i in range(40)]
    return json.dumps({"traceEvents": events}).encode()


def perf_text(rng):
    lines = []
    for sample in range(40):
        lines.append("prog 100/100 %d.%06d: %d cycles:" % (sample, rng.randrange(10 ** 6), rng.randrange(1, 999)))
        for depth in range(rng.randrange(1, 5)):
            lines.append("\t    %x %s+0x4 (/bin/prog)" % (0x401000 + depth * 64 + 4, NAMES[-1 - depth]))
        lines.append("")
    return "\n".join(lines + [""]).encode()


def instruction_log(rng):
    """A loop, as Arm's models log it: nop, and a branch back to it."""
    order = [(0x400000 + 4 * (i % 2), ("d503201f", "nop") if i % 2 == 0 else ("17ffffff", "b 0x400000"))
             for i in range(rng.randrange(4, 90))]
    return "".join("%d clk cpu0 IT (%d) %016x %s O EL0t_n : %s\n" % (i, i, pc, *words)
                   for i, (pc, words) in enumerate(order, 1)).encode()


def gprof_profile(rng):
    """gmon.out: 16 counts of samples, and calls between addresses."""
    data = b"gmon" + struct.pack("<I", 1) + bytes(12)
    data += b"\0" + struct.pack("<QQII", 0x401000, 0x401100, 16, 100) + b"seconds".ljust(15, b"\0") + b"s"
    data += struct.pack("<16H", *(rng.randrange(99) for _ in range(16)))
    for caller in range(3):
        data += b"\1" + struct.pack("<QQI", 0x401000 + caller * 64, 0x401040 + caller * 64, rng.randrange(1, 99))
    return data


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, value):
    """Of a message of Protocol Buffers: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def perfetto_trace(rng):
    """Slices of a thread, each in the one before or behind it."""
    thread = field(1, 7) + field(4, field(1, 100) + field(2, 100) + field(5, b"worker"))
    packets, now, depth = [field(60, thread) + field(10, 1)], 1000, 0
    for _ in range(40):
        now += rng.randrange(1, 500)
        begins = depth == 0 or (depth < 5 and rng.random() < 0.5)
        depth += 1 if begins else -1
        event = field(9, 1 if begins else 2) + field(11, 7)
        if begins:
            event += field(23, rng.choice(NAMES).encode())
        packets.append(field(8, now) + field(10, 1) + field(11, event))
    return b"".join(field(1, packet) for packet in packets)


def uftrace_recording(path, rng, damage):
    """A directory: a thread's calls of two functions. `damage`: what its calls become."""
    base, functions = 0x550000, (0x1010, 0x1028)
    calls, now = b"", 1000
    for _ in range(20):
        for kind, depth in ((0, 0), (0, 1), (1, 1), (1, 0)):
            now += rng.randrange(1, 900)
            calls += struct.pack("<QQ", now, (base + functions[depth]) << 16 | depth << 6 | 5 << 3 | kind)
    os.mkdir(path)
    files = {
        "info": b"Ftrace!\0" + struct.pack("<IHBBQQQ", 4, 40, 1, 2, 1 << 5, 0, 0)
                + b"exename:/bin/prog\nelapsed_time:2.000000000 sec\n",
        "task.txt": b"SESS timestamp=0.000000000 pid=10 sid=0123456789abcdef exename=\"/bin/prog\"\n"
                    b"TASK timestamp=0.000000100 tid=10 pid=10\n",
        "sid-0123456789abcdef.map": b"000000550000-000000552000 r-xp 00000000 00:00 0                  /bin/prog\n",
        "prog.sym": b"# symbols: 3\n# path name: /bin/prog\n0000000000001010 T main\n0000000000001020 t leaf\n"
                    b"0000000000001100 ? __sym_end\n",
        "10.dat": damage(calls),
    }
    for name, data in files.items():
        with open(os.path.join(path, name), "wb") as file:
            file.write(data)
