#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instruction streams that are damaged, through all that cuts them: slices as traces and as programs of one thread and of
several, of parts that have handlers of signals, slices that SimPoint chose, intervals of each thread and of all together. Each
command has to end with status 0, with 1 and what is damaged, or with 2 and why; not by a signal, after no more than a minute, with
no output out of proportion, and without a file that is not whole. The streams are those of
tests/golden/xtrace; faults are drawn with a seed: bits, bytes, runs that are cut out, doubled, moved or overwritten, ends that
are missing, in a stream or in its snapshots. The small pairs are cut at every byte, too. Needed: zstd."""
import glob
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import common
import xtrace_model as model

SEED = 20261128
MUTANTS = 10000 if common.LONG else 60 if common.SMALL else 200
# One of so many places where a small file is cut.
STEP = 1 if common.LONG else 499
SECONDS = 60
# Output: bytes of the input, and those of an ELF file's headers, stacks and copies of pages (docs/xtrace-slices.md).
FACTOR, ROOM = 64, 16 << 20
# Handlers on a stack of their own and longjmp; threads with TIME; handlers and vectors; one thread with many calls.
NAMES = ("jumps", "futexes", "u4-thr-time", "tags", "u2-sys-vl128", "lengths")


def damage(data, chance):
    """The bytes with one fault to three."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        if len(data) < 2:
            break
        at, size = chance.randrange(len(data)), 1 << chance.randrange(8)
        kind = chance.randrange(8)
        run = data[at:at + size]
        if kind in (0, 1):
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 2:
            data[at] = chance.choice((0, 1, 0x7f, 0x80, 0xff, chance.randrange(256)))
        elif kind == 3:
            del data[at:at + size]
        elif kind == 4:
            data[at:at] = run
        elif kind == 5:
            del data[at:at + size]
            to = chance.randrange(len(data) + 1)
            data[to:to] = run
        elif kind == 6:
            data[at:at + size] = chance.randbytes(len(run))
        elif chance.randrange(4) == 0:
            del data[at:]
    return bytes(data)


def ways(streams, folder, chance):
    """Names and arguments of each command that is tried; outputs go to `folder`."""
    out = os.path.join(folder, "out")
    points, weights = os.path.join(folder, "points"), os.path.join(folder, "weights")
    with open(points, "w", encoding="ascii") as file:
        file.write("0 0\n%d 1\n" % chance.randrange(1, 12))
    with open(weights, "w", encoding="ascii") as file:
        file.write("0.25 0\n0.75 1\n")
    first, interval = chance.randrange(4), str(chance.choice((1, 50, 300, 5000)))
    chosen = ["slice", "--simpoints", points, "--weights", weights, "--warmup", str(chance.choice((0, 200))), "-o", out]
    snapshots = ["--snapshots", "%d..%d" % (first, first + chance.randint(1, 4))]
    together = ["--together", "--interval", interval]
    return (
        ["slice", *snapshots, "--to", "elf", "-o", out, streams[0]],
        ["slice", *snapshots, "--to", "elf", "-o", out, *streams],
        ["slice", *snapshots, "-o", out + ".xinsndata.bin", streams[0]],
        [*chosen, "--interval", interval, *streams],
        [*chosen, "--interval", interval, "--to", "elf", *streams],
        [*chosen, *together, *streams],
        [*chosen, *together, "--to", "elf", *streams],
        ["analyze", "--bbv", *together, *streams],
        ["analyze", "--mix", "--syscalls", "--interval", interval, "--csv", *streams],
        ["report", "--interval", interval, "--csv", streams[0]],
    )


def size_of(path):
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def judge(what, arguments, folder, before):
    """Run a command, and hold what it does against what is promised."""
    try:
        done = subprocess.run([common.command(), *arguments], cwd=folder, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        common.fail(what, "takes more than %d seconds" % SECONDS, arguments)
        return None
    said = done.stderr.decode("utf-8", "replace").splitlines()
    if done.returncode not in (0, 1, 2):
        common.fail(what, "ends with %d" % done.returncode, arguments, said[-3:])
    elif done.returncode and not said:
        common.fail(what, "ends with %d without a word" % done.returncode, arguments)
    made = len(done.stdout) + size_of(folder) - before
    if made > FACTOR * before + ROOM:
        common.fail(what, "makes %d bytes of %d" % (made, before), arguments)
    if done.returncode == 2 and os.path.exists(os.path.join(folder, "out")) and "--simpoints" not in arguments:
        common.fail(what, "leaves a file that is not whole", arguments)
    return done.returncode


def prepare(folder, recording):
    """The files of a recording below `folder`: the streams, with their snapshots beside them."""
    os.mkdir(folder)
    for name, data in recording.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    return sorted(glob.glob(os.path.join(folder, "*.xinsndata.bin")))


def keep(folder, what):
    """The input of a failure is kept where the test is told to."""
    if os.environ.get("TL_KEEP"):
        shutil.copytree(folder, os.path.join(os.environ["TL_KEEP"], what.replace(" ", "-").replace(",", "")), dirs_exist_ok=True)


def try_one(scratch, what, recording, chance, way=None):
    folder = os.path.join(scratch, what.replace(" ", "-").replace(",", ""))
    streams = prepare(folder, recording)
    before, failed = size_of(folder), len(common.failures)
    tried = ways(streams, folder, chance)
    status = judge(what, chance.choice(tried) if way is None else tried[way], folder, before)
    if len(common.failures) > failed:
        keep(folder, what)
    shutil.rmtree(folder)
    return status


def mutant(scratch, recordings, number):
    chance = random.Random(SEED + number)
    name = chance.choice(sorted(recordings))
    files = dict(recordings[name])
    chosen = chance.choice(sorted(files))
    files[chosen] = damage(files[chosen], chance)
    return try_one(scratch, "mutant %d, %s" % (number, name), files, chance)


def prefix(scratch, pair, number, size, chosen):
    chance = random.Random(SEED + size)
    files = dict(pair)
    files[chosen] = files[chosen][:size]
    return try_one(scratch, "prefix %d, %s" % (size, chosen), files, chance, number % 10)


def main():
    counts = {}
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        recordings = {}
        for name in NAMES:
            paths = model.unpack(name, scratch)
            files = glob.glob(os.path.join(os.path.dirname(paths[0]), "*.bin"))
            recordings[name] = {os.path.basename(path): open(path, "rb").read() for path in files}
            for way in range(10):
                expected = try_one(scratch, "whole %s %d" % (name, way), recordings[name], random.Random(1), way)
                counts["whole", expected] = counts.get(("whole", expected), 0) + 1
        small = {os.path.basename(path): open(path, "rb").read()
                 for path in glob.glob(os.path.join(model.GOLDEN, "xtrace.20260101000000.0.*.bin"))}
        places = [(n, size, chosen) for chosen in sorted(small)
                  for n, size in enumerate(range(0, len(small[chosen]), STEP))]
        for status in pool.map(lambda number: mutant(scratch, recordings, number), range(MUTANTS)):
            counts["mutants", status] = counts.get(("mutants", status), 0) + 1
        for status in pool.map(lambda place: prefix(scratch, small, *place), places):
            counts["prefixes", status] = counts.get(("prefixes", status), 0) + 1
    for (kind, status), count in sorted(counts.items(), key=str):
        print("%s with status %s: %d" % (kind, status, count))
    if "mutants" not in {kind for kind, status in counts if status == 0}:
        common.fail("no mutant was cut")
    common.finish(MUTANTS + len(places), "damaged streams cut")


if __name__ == "__main__":
    sys.argv[1:] = [os.path.abspath(path) for path in sys.argv[1:]]
    main()
