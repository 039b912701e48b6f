#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""XRay logs that are larger than the address space that the process may have (RLIMIT_AS, 64 MiB): they are seen through
views, a buffer at a time, and every answer is the one that the command gives without the limit. Whole logs, damaged ones,
each mode and version, compressed ones and pipes."""
import gzip
import hashlib
import os
import random
import resource
import struct
import subprocess
import tempfile

import common
from common import expect, fail

LIMIT = 64 << 20
HEADER = struct.Struct("<HHIQQQ")
FDR, BASIC = 1, 0
PROFILING_MAGIC, PROFILING_VERSION = 0x7872617970726F66, 0x20180424
# As large as the limit, and more than a quarter of it.
LARGE, MIDDLE = LIMIT + (5 << 20), (LIMIT >> 2) + (1 << 20)


def metadata(kind, body=b""):
    return bytes([kind << 1 | 1]) + body.ljust(15, b"\0")


def calls(seed, count):
    """Function records that nest, of 40 functions, 8 bytes each."""
    chance, stack, words = random.Random(seed), [], []
    while len(words) < 2 * count:
        if len(stack) < 12 and (not stack or chance.random() < 0.5):
            stack.append(chance.randrange(40) + 1)
            words += (stack[-1] << 4, chance.randrange(100))
        else:
            words += (stack.pop() << 4 | 1 << 1, chance.randrange(100))
    while stack:
        words += (stack.pop() << 4 | 1 << 1, 3)
    return struct.pack("<%dI" % len(words), *words)


def event(text):
    """A custom event of version 5."""
    return metadata(5, struct.pack("<iii", len(text), 9, 0)) + text


BODIES = [calls(seed, 8000) for seed in range(5)]


def fdr_buffers(size, version=5, filler=1 << 17):
    """Buffers of three threads in turn, up to a size; some have events."""
    made, number = 0, 0
    while made < size:
        thread = number % 3 + 1
        body = metadata(0, struct.pack("<i", thread)) + metadata(4, struct.pack("<QI", 1, 2))
        if version >= 3:
            body += metadata(9, struct.pack("<i", 1))
        body += metadata(2, struct.pack("<HQ", number % 4, 10 ** 6 * (number + 1))) + BODIES[number % 5]
        if version == 5 and number % 7 == 3:
            body += event(b"\x03" * 5000)
        if version > 1:
            yield metadata(7, struct.pack("<Q", len(body))) + body
        else:
            yield (body + metadata(1)).ljust(filler, b"\0")
        made += len(body)
        number += 1


def fdr(size, version=5):
    return HEADER.pack(version, FDR, 3, 10 ** 9, 1 << 17, 0) + b"".join(fdr_buffers(size, version))


def damaged(size):
    """Bytes that belong to nothing, extents that are wrong, a buffer cut within a record."""
    parts = list(fdr_buffers(size))
    chance = random.Random(4)
    parts[3] += chance.randbytes(70000)
    parts[20] += bytes(3 << 20) # no byte of it begins a buffer
    parts[30] += bytes([0x01, 0x02] * (1 << 19)) # every second one may
    parts[40] = metadata(7, struct.pack("<Q", 1 << 60)) + parts[40][16:]
    parts[50] = metadata(7, struct.pack("<Q", 12345)) + parts[50][16:]
    parts[60] = parts[60][:-3]
    parts[-1] = parts[-1][:-777]
    return HEADER.pack(5, FDR, 3, 10 ** 9, 1 << 17, 0) + b"".join(parts)


def basic(size, threads):
    """Basic mode: runs of one thread, of which a single one is all of the file."""
    record, words = struct.Struct("<HBBIQIi"), []
    for i in range(20000):
        function, action = i // 2 % 40 + 1, i % 2
        words.append((0, i % 4, action, function))
    made, out = 0, [HEADER.pack(3, BASIC, 3, 10 ** 9, 0, 0)]
    tsc = 1000
    while made < size:
        thread = made // 500000 % threads + 1
        part = []
        for head in words:
            tsc += 7
            part.append(record.pack(*head, tsc, thread, 1) + bytes(8))
        # Arguments behind some calls, and a record of no known type.
        part[4] += struct.pack("<HHIiiQQ", 1, 0, part_function(part[4]), thread, 1, 77, 0)
        part[5000] = b"\x09\x00" + part[5000][2:]
        out.append(b"".join(part))
        made += len(out[-1])
    return b"".join(out) + b"\0" * 11


def part_function(record):
    return struct.unpack_from("<I", record, 4)[0]


def profiling(size):
    out = [struct.pack("<QQQQ", PROFILING_MAGIC, PROFILING_VERSION, 123456789, 1)]
    made, number = 0, 0
    while made < size:
        entries = b"".join(struct.pack("<iiiQQ", i % 90 + 1, number % 9 + 100, 0, i, 10 * i) for i in range(5000))
        out.append(struct.pack("<IIQ", len(entries) + 16, number, number % 5 + 1) + entries)
        made += len(out[-1])
        number += 1
    return b"".join(out)


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


def answer(arguments, path, piped, within):
    """Status, size and hash of the output, messages; the input is a file, or comes through a pipe."""
    name, size, digest = "-" if piped else path, 0, hashlib.sha256()
    with open(path if piped else os.devnull, "rb") as file, tempfile.TemporaryFile() as messages:
        feed = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
        asked = subprocess.Popen([common.command(), *arguments, name], stdin=feed.stdout, stdout=subprocess.PIPE,
                                 stderr=messages, preexec_fn=limited if within else None)
        feed.stdout.close()
        for part in iter(lambda: asked.stdout.read(1 << 20), b""):
            size += len(part)
            digest.update(part)
        asked.stdout.close()
        feed.wait()
        status = asked.wait()
        messages.seek(0)
        return status, size, digest.hexdigest(), messages.read()


def compare(what, path, *arguments, piped=False):
    wanted = answer(arguments, path, piped, False)
    got = answer(arguments, path, piped, True)
    what = "%s, %s" % (what, " ".join(arguments))
    if wanted[0] not in (0, 1):
        fail(what, "has no answer without the limit:", wanted[0], wanted[3])
    expect(what, got, wanted)
    return 1


def main():
    count = 0
    if "ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ:
        common.skip("a sanitizer takes more address space")
    listings = (["report", "--csv"], ["info", "--json"])
    everything = listings + (["stacks"], ["tree"], ["check"], ["report", "--csv", "--jobs", "3"], ["report", "--by", "part"],
                             ["dump", "--calls", "--json"])
    logs = (
        ("log", fdr(LARGE), everything),
        ("damaged log", damaged(LARGE), everything),
        ("version 2", fdr(MIDDLE, 2), listings),
        ("version 1", fdr(MIDDLE, 1), everything),
        ("basic mode, one thread", basic(MIDDLE, 1), everything),
        ("basic mode", basic(MIDDLE, 3), listings),
        ("profiling mode", profiling(MIDDLE), listings + (["stacks"],)),
    )
    with tempfile.TemporaryDirectory() as folder:
        for what, data, commands in logs:
            path = os.path.join(folder, "log")
            with open(path, "wb") as out:
                out.write(data)
            for arguments in commands:
                count += compare(what, path, *arguments)
        path = os.path.join(folder, "log")
        with open(path, "wb") as out:
            out.write(damaged(MIDDLE))
        for arguments in (["dump", "--json"], ["timeline", "--to", "chrome", "-o", "-"]):
            count += compare("damaged log", path, *arguments)
        for arguments in listings:
            count += compare("pipe", path, *arguments, piped=True)
        with open(path, "rb") as file, gzip.open(path + ".gz", "wb", 1) as out:
            out.write(file.read())
        for arguments in listings:
            count += compare("gzip", path + ".gz", *arguments)
    common.finish(count, "answers within %d MiB of address space" % (LIMIT >> 20))


main()
