# SPDX-License-Identifier: Apache-2.0
"""The inputs of scripts/proportion.py: families of files that grow in one direction each. A family is written by a
function of the folder and of a size, which is the number of what grows; it returns the arguments that a command needs to
read the file. The same size gives the same bytes."""
import gzip
import json
import lzma
import os
import random
import struct
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORPUS = os.path.join(ROOT, "tests", "corpus")
ENTER, LEAVE = 0, 1 << 1
PROGRAM = None  # the program that is measured, which writes some inputs


# ---- XRay: docs/formats/xray.md, section 2 ------------------------------------------------------------------------


def metadata(kind, body=b""):
    return bytes([kind << 1 | 1]) + body.ljust(15, b"\0")


def xray_buffer(thread, tsc, records):
    """Records are (function, ENTER or LEAVE), ten ticks apart."""
    words = [word for function, action in records for word in (function << 4 | action, 10)]
    body = metadata(0, struct.pack("<i", thread)) + metadata(4, struct.pack("<QI", 1, 2)) + metadata(9, struct.pack("<i", 1))
    body += metadata(2, struct.pack("<HQ", 0, tsc)) + struct.pack("<%dI" % len(words), *words)
    return metadata(7, struct.pack("<Q", len(body))) + body


def xray_log(folder, threads):
    path = os.path.join(folder, "log.xray")
    with open(path, "wb") as out:
        out.write(struct.pack("<HHIQQQ", 5, 1, 3, 10 ** 9, 1 << 20, 0))
        for number, records in enumerate(threads):
            for begin in range(0, len(records), 1 << 16):
                out.write(xray_buffer(number + 1, 1000 + 10 * begin, records[begin:begin + (1 << 16)]))
    return [path]


def xray_records(folder, size):
    """The same few calls again and again."""
    inner = [(2, ENTER), (3, ENTER), (3, LEAVE), (4, ENTER), (3, ENTER), (3, LEAVE), (4, LEAVE), (2, LEAVE)]
    return xray_log(folder, [[(1, ENTER)] + inner * (size // len(inner)) + [(1, LEAVE)]])


def calls_at_random(size, functions, seed):
    chance, stack, records = random.Random(seed), [], []
    while len(records) < size:
        if len(stack) < 24 and (not stack or chance.random() < 0.55):
            stack.append(chance.randrange(functions) + 1)
            records.append((stack[-1], ENTER))
        else:
            records.append((stack.pop(), LEAVE))
    while stack:
        records.append((stack.pop(), LEAVE))
    return records


def xray_paths(folder, size):
    """Calls at random: nearly every one is on a path of its own."""
    return xray_log(folder, [calls_at_random(size, max(size // 20, 2), 1)])


def xray_depth(folder, size):
    """One stack, as deep as there are calls."""
    functions = [i % 50 + 1 for i in range(size)]
    return xray_log(folder, [[(f, ENTER) for f in functions] + [(f, LEAVE) for f in reversed(functions)]])


def xray_recursion(folder, size):
    """A stack as deep as the square root of the calls, with calls at every depth: each path has an end of its own."""
    records, depth = [], 0
    for i in range(size):
        records += [(i % 3 + 1, ENTER), (9, ENTER), (9, LEAVE)]
        depth += 1
    for i in reversed(range(depth)):
        records.append((i % 3 + 1, LEAVE))
    return xray_log(folder, [records])


def xray_threads(folder, size):
    calls = [(1, ENTER), (2, ENTER), (3, ENTER), (3, LEAVE), (2, LEAVE), (1, LEAVE)]
    return xray_log(folder, [calls] * size)


def xray_own_functions(folder, size):
    """As many threads as functions: each has one of its own, and all share one."""
    return xray_log(folder, [[(1, ENTER), (t + 2, ENTER), (t + 2, LEAVE), (1, LEAVE)] for t in range(size)])


def xray_functions(folder, size):
    records = [(f + 2, action) for f in range(size) for action in (ENTER, LEAVE)]
    return xray_log(folder, [[(1, ENTER)] + records * 2 + [(1, LEAVE)]])


# ---- Callgrind: docs/formats/callgrind.md -------------------------------------------------------------------------


def callgrind_file(folder, lines):
    path = os.path.join(folder, "callgrind.out")
    with open(path, "w", encoding="ascii") as out:
        out.write("# callgrind format\nversion: 1\ncreator: proportion\n")
        out.write("\n".join(lines) + "\n")
    return [path]


def callgrind_lines(folder, size):
    """A few functions with many lines."""
    lines = ["events: Ir Dr"]
    for function in range(20):
        lines += ["fl=file%d.c" % function, "fn=f%d" % function]
        lines += ["%d %d %d" % (line + 1, line % 7 + 1, line % 3) for line in range(size // 20)]
    return callgrind_file(folder, lines)


def callgrind_functions(folder, size):
    lines = ["events: Ir Dr", "fl=(1) file.c", "fn=(1) main", "1 1 1"]
    lines += ["cfn=(%d) function_%d\ncalls=1 %d\n1 6 2" % (i + 2, i, i) for i in range(size)]
    lines += ["fn=(%d)\n%d 5 1\n%d 1 1" % (i + 2, i, i + 1) for i in range(size)]
    return callgrind_file(folder, lines)


def callgrind_arcs(folder, size):
    """Calls at random between functions, which are in cycles."""
    chance, functions = random.Random(1), max(size // 20, 2)
    lines = ["events: Ir"] + ["fn=(%d) f%d\n1 1" % (i + 1, i) for i in range(functions)]
    for function in range(functions):
        lines.append("fn=(%d)" % (function + 1))
        lines += ["cfn=(%d)\ncalls=1 1\n%d 10" % (chance.randrange(functions) + 1, i + 1) for i in range(20)]
    return callgrind_file(folder, lines)


def callgrind_chain(folder, size):
    """Each function calls the next one."""
    lines = ["events: Ir"]
    for i in range(size):
        lines += ["fn=(%d) f%d" % (i + 1, i), "1 1"]
        if i + 1 < size:
            lines += ["cfn=(%d) f%d" % (i + 2, i + 1), "calls=1 1", "1 %d" % (size - i - 1)]
    return callgrind_file(folder, lines)


def callgrind_events(folder, size):
    """As many events as functions, each function with a cost of one of the first."""
    lines = ["events: " + " ".join("E%d" % i for i in range(size))]
    for i in range(size):
        lines += ["fn=(%d) f%d" % (i + 1, i), "1 " + "0 " * (i % 4) + "5"]
    return callgrind_file(folder, lines)


def callgrind_formulas(folder, size):
    """Each event is made of the one before."""
    lines = ["event: D0 = E + E"] + ["event: D%d = D%d + E" % (i + 1, i) for i in range(size - 1)] + ["events: E"]
    lines += ["fn=f\n1 1"]
    return callgrind_file(folder, lines)


def callgrind_terms(folder, size):
    """A long formula, and many lines."""
    return callgrind_file(folder, ["event: Sum = " + " + ".join(["E"] * (size // 500 * 500)), "events: E", "fn=f"] +
                          ["%d 1" % (i + 1) for i in range(size)])


def callgrind_parts(folder, size):
    part = "part: %d\nevents: Ir\nfn=(1) main\n1 5\ncfn=(2) f\ncalls=1 1\n2 7\nfn=(2)\n1 7\ntotals: 12\n"
    return callgrind_file(folder, [part % (i + 1) for i in range(size)])


def callgrind_own_functions(folder, size):
    """As many parts as functions, each with one of its own."""
    part = "part: %d\nthread: %d\nevents: Ir\nfn=main\n1 5\ncfn=f%d\ncalls=1 1\n2 7\nfn=f%d\n1 7\ntotals: 12\n"
    return callgrind_file(folder, [part % (i + 1, i + 1, i, i) for i in range(size)])


# ---- compressed, and made of others -------------------------------------------------------------------------------


def squeezed(path, suffix, module):
    with open(path, "rb") as file:
        data = file.read()
    os.unlink(path)
    with module.open(path + suffix, "wb") as out:
        out.write(data)
    return [path + suffix]


def gzip_records(folder, size):
    return squeezed(xray_records(folder, size)[0], ".gz", gzip)


def xz_lines(folder, size):
    return squeezed(callgrind_lines(folder, size)[0], ".xz", lzma)


def profile_file(folder, size):
    """A profile file (docs/formats/profile.md) of calls at random, written by the program of PROGRAM."""
    log, path = xray_paths(folder, size)[0], os.path.join(folder, "profile.tlp")
    subprocess.run([PROGRAM, "convert", "--to", "tracelathe", "-o", path, log], check=True)
    return [path]


# ---- profiles of other tools --------------------------------------------------------------------------------------


def stacks_at_random(size):
    """Stacks of functions, most of them different; a count of each."""
    chance, functions = random.Random(1), size  # of fewer, the calls between them would grow by squares at first
    return [([chance.randrange(functions) for _ in range(chance.randrange(1, 16))], i % 9 + 1) for i in range(size)]


def folded_stacks(folder, size):
    path = os.path.join(folder, "stacks.folded")
    with open(path, "w", encoding="ascii") as out:
        for stack, count in stacks_at_random(size):
            out.write("%s %d\n" % (";".join("f%d" % f for f in stack), count))
    return [path]


def folded_repeated(folder, size):
    """The same few stacks again and again."""
    path = os.path.join(folder, "stacks.folded")
    with open(path, "w", encoding="ascii") as out:
        out.writelines("main;f%d;g%d;h %d\n" % (i % 7, i % 5, i % 3 + 1) for i in range(size))
    return [path]


def folded_depth(folder, size):
    """One stack."""
    path = os.path.join(folder, "stacks.folded")
    with open(path, "w", encoding="ascii") as out:
        out.write(";".join("f%d" % (i % 50) for i in range(size)) + " 7\n")
    return [path]


def varint(number):
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def field(number, value):
    """A field of protobuf: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def pprof_profile(folder, stacks):
    """profile.proto: sample_type 1, sample 2, location 4, function 5, string_table 6."""
    functions = max(f for stack, _ in stacks for f in stack) + 1
    body = [field(1, field(1, 1) + field(2, 2))]
    body += [field(2, field(1, b"".join(varint(f + 1) for f in reversed(stack))) + field(2, varint(count)))
             for stack, count in stacks]
    body += [field(4, field(1, f + 1) + field(4, field(1, f + 1))) for f in range(functions)]
    body += [field(5, field(1, f + 1) + field(2, f + 3)) for f in range(functions)]
    body += [field(6, text) for text in (b"", b"samples", b"count")]
    body += [field(6, b"f%d" % f) for f in range(functions)]
    path = os.path.join(folder, "profile.pb")
    with open(path, "wb") as out:
        out.write(b"".join(body))
    return [path]


def pprof_samples(folder, size):
    return pprof_profile(folder, stacks_at_random(size))


def pprof_depth(folder, size):
    """One stack."""
    return pprof_profile(folder, [([i % 50 for i in range(size)], 7)])


def perf_data(folder, samples):
    """perf.data (docs/formats/perf-data.md): samples (thread, call chain) with ip, tid and time, of code that nothing names."""
    events = []
    for i, (thread, chain) in enumerate(samples):
        words = struct.pack("<QIIQQ%dQ" % (len(chain) + 1), chain[0], 7, thread, 1000 + 10 * i, len(chain) + 1, 2 ** 64 - 512,
                            *chain)
        events.append(struct.pack("<IHH", 9, 2, 8 + len(words)) + words)
    data = b"".join(events)
    attributes = struct.pack("<IIQQQQQ", 0, 64, 0, 4000, 1 | 2 | 4 | 32, 0, 0) + bytes(16)
    head = 104
    entry = attributes + struct.pack("<QQ", 0, 0)
    path = os.path.join(folder, "perf.data")
    with open(path, "wb") as out:
        out.write(b"PERFILE2" + struct.pack("<QQQQQQQQQQQQ", head, len(entry), head, len(entry), head + len(entry), len(data),
                                            0, 0, 0, 0, 0, 0)[:head - 8])
        out.write(entry + data)
    return [path]


def perf_samples(folder, size):
    chance = random.Random(1)
    return perf_data(folder, [(7, [chance.randrange(max(size // 20, 2)) * 64 + 0x400000 for _ in range(chance.randrange(1, 12))])
                              for _ in range(size)])


def perf_threads(folder, size):
    """Each sample is of a thread of its own."""
    return perf_data(folder, [(7 + i, [0x400000 + 64 * (i % 9), 0x400000]) for i in range(size)])


def perf_depth(folder, size):
    """Two samples of one stack; a record has at most 64 KiB."""
    chain = [0x400000 + 64 * (i % 50) for i in range(min(size, 8000))]
    return perf_data(folder, [(7, chain)] * 2)


def perf_script_samples(folder, size):
    path = os.path.join(folder, "script.txt")
    with open(path, "w", encoding="ascii") as out:
        for i, (stack, _) in enumerate(stacks_at_random(size)):
            out.write("prog 7/7 [000] %d.%06d: 1 cycles: \n" % (i // 1000, i % 1000))
            out.writelines("\t%16x f%d+0x4 (/bin/prog)\n" % (0x400000 + 64 * f, f) for f in reversed(stack))
            out.write("\n")
    return [path]


def chrome_trace(folder, events):
    """Events are (function, "B" or "E"), a microsecond apart."""
    path = os.path.join(folder, "trace.json")
    with open(path, "w", encoding="ascii") as out:
        out.write('{"traceEvents":[')
        out.write(",\n".join('{"name":"f%d","ph":"%s","ts":%d,"pid":1,"tid":1}' % (function, kind, at)
                             for at, (function, kind) in enumerate(events)))
        out.write("]}\n")
    return [path]


def chrome_events(folder, size):
    """The same two calls in turn, of many functions."""
    return chrome_trace(folder, [event for i in range(size) for event in ((i % 99, "B"), (100, "B"), (100, "E"), (i % 99, "E"))])


def chrome_depth(folder, size):
    functions = [i % 50 for i in range(size)]
    return chrome_trace(folder, [(f, "B") for f in functions] + [(f, "E") for f in reversed(functions)])


def speedscope_samples(folder, size):
    stacks = stacks_at_random(size)
    path = os.path.join(folder, "profile.speedscope.json")
    with open(path, "w", encoding="ascii") as out:
        json.dump({"$schema": "https://www.speedscope.app/file-format-schema.json",
                   "shared": {"frames": [{"name": "f%d" % i} for i in range(size)]},
                   "profiles": [{"type": "sampled", "name": "p", "unit": "none", "startValue": 0,
                                 "endValue": sum(count for _, count in stacks), "samples": [stack for stack, _ in stacks],
                                 "weights": [count for _, count in stacks]}]}, out)
    return [path]


# ---- many files ---------------------------------------------------------------------------------------------------


def numbered(made, number):
    path = "%s.%d" % (made[0], number)
    os.rename(made[0], path)
    return path


def xray_files(folder, size):
    return [numbered(xray_log(folder, [calls_at_random(100, 20, i)]), i) for i in range(size)]


def xray_forks(folder, size):
    """Logs of processes that were forked: all begin with the same records."""
    return [numbered(xray_paths(folder, 100 + i % 10), i) for i in range(size)]


def callgrind_files(folder, size):
    paths = []
    for i in range(size):
        paths.append(numbered(callgrind_functions(folder, 50), i))
        with open(paths[-1], "a", encoding="ascii") as out:
            out.write("fn=of_file_%d\n1 1\n" % i)
    return paths


# ---- recordings, again and again ----------------------------------------------------------------------------------


def repeated(folder, name, parts, size):
    path = os.path.join(folder, os.path.basename(name))
    with open(os.path.join(CORPUS, name), "rb") as file:
        data = file.read()
    with open(path, "wb") as out:
        for _ in range(size):
            out.write(data)
    return [os.path.join(CORPUS, part) for part in parts] + [path]


def pt_bytes(folder, size):
    path = repeated(folder, "intel-pt/rec.ret.pt", [], size)[0]
    return ["--map", os.path.join(CORPUS, "intel-pt", "rec.map"), path]


def xtrace_bytes(folder, size):
    return repeated(folder, "xtrace/u3-simd-vl128/xtrace.20251120130000.0.hint9.xinsndata.bin", [], size)


def instrumentation_map(folder, size):
    path = os.path.join(folder, "map.yaml")
    row = ("- { id: %d, address: 0x%x, function: 0x%x, kind: %s, always-instrument: false, function-name: 'f%d', "
           "version: 2 }")
    with open(path, "w", encoding="ascii") as out:
        out.write("---\n")
        for i in range(size):
            at = 0x400000 + 64 * i
            out.write(row % (i + 1, at, at, "function-enter", i) + "\n")
            out.write(row % (i + 1, at + 32, at, "function-exit", i) + "\n")
        out.write("...\n")
    return [path]
