#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One large stream of instructions over the ranks of MPI: each folds a run of its segments, and the stack goes from one to the
next. The bytes are those of tracelathe, whether code has names or not, also where a stream is damaged or a process dies.
So are those of a large trace of Intel PT, of which each rank counts a run of its bytes.

  fleet_streams.py TRACELATHE TRACELATHE-MPI MPIRUN"""
import os
import random
import signal
import tempfile
import time

import common
import fleet as runs
import xtrace_streams
from common import expect, fail
from fleet import MERGE


def corpus_streams():
    """Streams of programs and of a kernel, with the program if there is one."""
    programs = {"u1": "p1_recur", "u2": "p2_sys", "k1": "init_k"}
    folder = os.path.join(common.SHARED, "corpus", "xtrace")
    if not common.WHOLE:
        return
    for name in sorted(os.listdir(folder)):
        if name[:2] not in programs:
            continue
        for path in sorted(os.listdir(os.path.join(folder, name))):
            if path.endswith("xinsndata.bin"):
                yield os.path.join(folder, name, path), os.path.join(folder, "elf", programs[name[:2]])


def same(fleet, what, path, ranks, words):
    """With another, small file, since one alone is read by rank 0."""
    given = runs.write_list(fleet.folder, [path, fleet.path("small.folded")])
    wanted = fleet.alone(*words, given)
    got = fleet.ranks(ranks, *words, given)
    fleet.same("%s of %s over %d" % (" ".join(words), what, ranks), got, wanted)
    expect("what is said of " + what, runs.without_mpirun(got[2]), runs.without_mpirun(wanted[2]))


COMMANDS = (MERGE, ("report", "--csv", "--all"), ("stacks",), ("tree", "--json"), ("flame", "--svg"),
            ("report", "--csv", "--threads"), (*MERGE, "--jobs", "3", "--memory", "1"))


def same_of_random(fleet, rng):
    """Programs of few and of many functions, with few and many snapshots."""
    for number, (functions, interval) in enumerate(common.some([(2, 100), (40, 700), (700, 333), (90, 4000)])):
        folder = fleet.path("random%d" % number)
        os.mkdir(folder)
        path = xtrace_streams.write_pair(folder, number, xtrace_streams.Walk(rng, functions).run(20000, interval))
        for ranks, words in common.some(list(zip((2, 4, 3, 2, 4, 3, 5), COMMANDS)), 3):
            same(fleet, "a stream of %d functions" % functions, path, ranks, words)
        fleet.same("a stream alone", fleet.ranks(4, *MERGE, path), fleet.alone(*MERGE, path))


def same_of_corpus(fleet):
    """Interrupts, threads of a kernel, switches of stacks."""
    for path, program in common.some(list(corpus_streams()), 2):
        for ranks, more in common.some(((4, ["--binary", program]), (3, []), (2, ["--binary", program])), 2):
            got = fleet.ranks(ranks, *MERGE, *more, path)
            fleet.same("%s over %d" % (path, ranks), got, fleet.alone(*MERGE, *more, path))


def damaged(fleet, rng):
    """What follows damage depends on what was before it: the stream is read as a whole, and what is said is said once."""
    folder = fleet.path("damaged")
    os.mkdir(folder)
    path = xtrace_streams.write_pair(folder, 5, xtrace_streams.Walk(rng, 40).run(20000, 700))
    data = bytearray(runs.read(path))
    for at in (len(data) // 3, len(data) * 3 // 4):
        data[at:at + 40] = b"\xff" * 40
    runs.write(path, data)
    same(fleet, "a damaged stream", path, 4, MERGE)
    runs.write(path, data[:len(data) // 2])
    same(fleet, "half a stream", path, 3, MERGE)
    os.remove(path.replace("xinsndata", "xsnapshot"))
    same(fleet, "a stream without snapshots", path, 4, MERGE)


def workers_of(process, path):
    """The processes that read a file, with their ranks."""
    found = []
    for pid in runs.holders(path):
        line = runs.parents(pid)
        if process.pid in line:
            found.append((pid, line[line.index(process.pid) - 1]))
    return found


def wait_for_shares(process, path, count):
    """As soon as so many ranks read the file at once, which proves that they share it."""
    while process.poll() is None:
        found = workers_of(process, path)
        if len({rank for _, rank in found}) >= count:
            return found
    return []


def killed(fleet, rng):
    """A process that folds a share is killed, or stopped, or its rank is killed: the others do not wait for it."""
    folder = fleet.path("killed")
    os.mkdir(folder)
    path = xtrace_streams.write_pair(folder, 6, xtrace_streams.Walk(rng, 60).run(100000, 5000), 20)
    wanted = fleet.alone(*MERGE, path)
    cases = (("worker", signal.SIGKILL, 0), ("rank", signal.SIGKILL, 0), ("worker", signal.SIGKILL, 0.4),
             ("worker", signal.SIGSTOP, 0.1))
    for who, number, after in common.some(cases, 2):
        switches = [*["--enable-recovery"] * (who == "rank"), *runs.SWITCHES]
        more = ["--timeout", "30"] if number == signal.SIGSTOP and not common.LONG else ["--timeout", "100"]
        for _ in range(10):
            process = fleet.begin(3, *MERGE, "--jobs", "1", "--silence", "20", *more, path, switches=switches)
            found = wait_for_shares(process, path, 3)
            time.sleep(after)
            first = min((rank for _, rank in found), default=0)
            victims = [pair for pair in found if pair[1] != first] if who == "rank" else found
            if victims:
                try:
                    os.kill(victims[-1][who == "rank"], number)
                except ProcessLookupError:
                    victims = []
            got = fleet.end(process)
            if not victims:
                continue
            status = wanted[0] if who == "rank" else got[0]
            fleet.same("a %s of a share gets signal %d" % (who, number), (status, *got[1:]), wanted)
            break
        else:
            fail("three ranks never read one stream at once")


def put_instructions(fleet, name, data):
    """A raw trace of Intel PT, whose code has names: of a file that is not here, that is said of the whole trace."""
    path = fleet.path(name + ".pt")
    runs.write(path, data)
    runs.write(fleet.path(name + ".img"), runs.read(runs.golden("intel_pt", "tiny.img")))
    runs.write(fleet.path(name + ".map"), b"401000 283 0 [anon] 0\n")
    return path


def same_of_instructions(fleet, rng):
    """Many runs of a small program behind each other; with damage and with cycles one rank reads all."""
    # A trace is read by two ranks from 32 MiB on; packets that say nothing (PAD) take little time.
    pause = bytes(3500)
    run = runs.read(runs.golden("intel_pt", "tiny.pt")) + pause
    path = put_instructions(fleet, "runs", run * 9000)
    process = fleet.begin(2, *MERGE, path)
    if len(wait_for_shares(process, path, 2)) < 2:
        fail("two ranks never read one trace of Intel PT at once")
    fleet.same("a trace of Intel PT, as two ranks read it", fleet.end(process), fleet.alone(*MERGE, path))
    same(fleet, "a trace of Intel PT", path, 4, (*MERGE, "--memory", "1"))
    damaged_run = bytearray(run * 9000)
    for _ in range(3):
        at = rng.randrange(len(damaged_run))
        damaged_run[at:at + 30] = bytes(rng.randrange(256) for _ in range(30))
    same(fleet, "a damaged trace of Intel PT", put_instructions(fleet, "damaged", damaged_run), 3, MERGE)
    cycles = put_instructions(fleet, "cycles", runs.read(runs.golden("intel_pt", "timed.pt")) * 900 + pause * 9000)
    same(fleet, "a trace of Intel PT that counts cycles", cycles, 3, MERGE)


def main():
    with tempfile.TemporaryDirectory() as folder:
        fleet = runs.Fleet(os.path.realpath(folder))
        runs.write(fleet.path("small.folded"), b"main;f 1\n")
        same_of_random(fleet, random.Random(19))
        same_of_corpus(fleet)
        damaged(fleet, random.Random(20))
        same_of_instructions(fleet, random.Random(22))
        killed(fleet, random.Random(21))
        common.finish(fleet.compared, "answers about streams and traces compared")


if __name__ == "__main__":
    main()
