#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many files over the ranks of MPI: tracelathe-mpi writes what tracelathe does of the same files, byte for byte, with any
number of ranks, in any order, in little memory; and when a process dies, hangs, or has no room, the answer is whole, or
what is missing is said, or a run that goes on from there has the same bytes.

  fleet.py TRACELATHE TRACELATHE-MPI MPIRUN [PIECE...]"""
import errno
import gzip
import os
import pty
import random
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

import common
import fleet_files
import perf_writer
from common import expect, fail, golden, read, write

sys.path.insert(0, os.path.join(common.ROOT, "bench"))
import bench_fleet

# No network, as root, more ranks than processors; a rank that ends with 1 is no reason to wait for the others.
SWITCHES = ["-q", "--oversubscribe", "--allow-run-as-root", "--mca", "btl", "self,vader", "--mca", "plm", "isolated",
            "--mca", "btl_vader_single_copy_mechanism", "none", "--mca", "odls_base_sigkill_timeout", "0"]
PATIENCE = 240  # seconds for a run; far more than it takes, as the machine may have other work


# ---- files ----


def profile(rng):
    """A Callgrind profile of a process of a program with functions of its own and of all."""
    lines = ["events: Ir Dr", "fl=prog.c"]
    for function in rng.sample(range(900), 50):
        lines += ["fn=work%d" % function, "%d %d %d" % (function + 1, rng.randrange(1 << 30), rng.randrange(1000)),
                  "cfn=leaf", "calls=%d 99" % rng.randrange(1, 9), "%d %d 1" % (function + 1, rng.randrange(1000))]
    return "\n".join(lines + ["fn=leaf", "99 7 7", ""]).encode()


# Logs of one machine's clock: ticks of others have no exact sum with theirs.
LOGS = ("forky-0.xray", "forky-1.xray", "forky-2.xray", "forky-3.xray", "fib-fdr.xray", "args-fdr.xray", "fib-basic.xray",
        "mt-basic.xray", "mt8-fdr.xray")


def stacks(rng):
    return "".join("main;f%d;g%d %d\n" % (rng.randrange(5), rng.randrange(5), rng.randrange(99)) for _ in range(30)).encode()


def samples(path, rng):
    """perf.data of a process on one of 100 hosts."""
    bench_fleet.write_perf(path, rng.randrange(1000), bench_fleet.samples(rng, 2000))
    return read(path)


def make_inputs(folder, rng):
    """Some 40 files: XRay logs of a program that forked, of others, profiles, stacks; some damaged, some no traces."""
    for name in LOGS:
        shutil.copy(golden("xray", name), os.path.join(folder, name))
    for number in range(24):
        write(os.path.join(folder, "callgrind.out.%d" % number), profile(rng))
    for number in range(4):
        write(os.path.join(folder, "stacks-%d.folded" % number), stacks(rng))
    for number in range(3):
        samples(os.path.join(folder, "node-%d.perf" % number), rng)
    write(os.path.join(folder, "cut.out"), profile(rng)[:-150])
    write(os.path.join(folder, "cut.xray"), read(golden("xray", "custom-fdr.xray"))[:-100])
    write(os.path.join(folder, "none.bin"), bytes(rng.randrange(256) for _ in range(300)))
    write(os.path.join(folder, "empty.out"), b"")
    return sorted(os.path.join(folder, name) for name in os.listdir(folder)) + [os.path.join(folder, "missing.out")]


def cut(data, rng):
    return data[:rng.randrange(len(data))]


def changed(data, rng):
    data = bytearray(data)
    for _ in range(3):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def converted(fleet, path, form, rng):
    """The profile in another format."""
    write(path + ".from", profile(rng))
    status, out, err = fleet.alone("convert", "--to", form, path + ".from")
    os.remove(path + ".from")
    if status not in (0, 1):
        fail("convert --to", form, err)
    return out


STREAM = ("xtrace", "u1-recur-vl128", "xtrace.20251120130000.0.hint9.xinsndata.bin.zst")


def run_of_tiny(path):
    """Raw Intel PT, with its code beside it."""
    for suffix in (".map", ".img"):
        shutil.copy(golden("intel_pt", "tiny" + suffix), path.split(".", 1)[0] + suffix)
    return read(golden("intel_pt", "tiny.pt"))


def threads_of_tiny(count):
    """The same in perf.data: of threads that have a buffer each; without time, since clocks of others have no exact sum."""
    run = read(golden("intel_pt", "tiny.pt"))
    writer = perf_writer.Writer(timed=False, per_cpu=False)
    writer.info()
    writer.mmap(100, 0x401000, 0x283, 0, golden("intel_pt", "tiny.img"))
    for thread in range(100, 100 + count):
        writer.comm(100, thread, "tiny")
        writer.itrace_start(100, thread)
        writer.auxtrace(run, 0, thread - 100, thread, perf_writer.NO_CPU)
    writer.features[18] = b""
    return writer.file()


def write_files(folder, kinds, rng, count):
    """Files of these kinds, by suffix, each as often as another."""
    suffixes = rng.sample(list(kinds), len(kinds))
    for number in range(count):
        suffix = suffixes[number % len(kinds)]
        path = os.path.join(folder, "m%d%s" % (number, suffix))
        data = kinds[suffix](path)
        if data is not None:
            write(path, data)


def make_timed(folder, rng, count):
    """Files of calls at times, which have no sum with a log's ticks, and of gprof, which has no call stacks."""
    kinds = {
        ".json": lambda path: fleet_files.chrome_events(rng),
        ".cut.json": lambda path: cut(fleet_files.chrome_events(rng), rng),
        ".perfetto": lambda path: fleet_files.perfetto_trace(rng),
        ".cut.perfetto": lambda path: cut(fleet_files.perfetto_trace(rng), rng),
        ".uftrace": lambda path: fleet_files.uftrace_recording(path, rng, bytes),
        ".cut.uftrace": lambda path: fleet_files.uftrace_recording(path, rng, lambda calls: cut(calls, rng)),
        ".gmon": lambda path: fleet_files.gprof_profile(rng),
        ".cut.gmon": lambda path: cut(fleet_files.gprof_profile(rng), rng),
    }
    write_files(folder, kinds, rng, count)
    # Without gprof's, the sum has call stacks.
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    return paths, [path for path in paths if not path.endswith(".gmon")]


def make_mixed(fleet, folder, rng, count):
    """Files of many formats, whole and damaged; copies of logs, which are related to each other."""
    kinds = {
        ".out": lambda path: profile(rng),
        ".cut.out": lambda path: cut(profile(rng), rng),
        ".changed.out": lambda path: changed(profile(rng), rng),
        ".out.gz": lambda path: gzip.compress(profile(rng), mtime=0),
        ".cut.gz": lambda path: cut(gzip.compress(profile(rng), mtime=0), rng),
        ".folded": lambda path: stacks(rng),
        ".perf": lambda path: samples(path, rng),
        ".cut.perf": lambda path: cut(samples(path, rng), rng),
        ".cut.folded": lambda path: cut(stacks(rng), rng),
        ".cut.xray": lambda path: cut(read(golden("xray", rng.choice(LOGS))), rng),
        ".pb.gz": lambda path: converted(fleet, path, "pprof", rng),
        ".speedscope.json": lambda path: converted(fleet, path, "speedscope", rng),
        ".tlp": lambda path: converted(fleet, path, "tracelathe", rng),
        ".changed.tlp": lambda path: changed(converted(fleet, path, "tracelathe", rng), rng),
        ".pt": lambda path: run_of_tiny(path),
        ".cut.pt": lambda path: cut(run_of_tiny(path), rng),
        ".traced.perf": lambda path: threads_of_tiny(rng.randrange(1, 4)),
        ".xinsndata.bin.zst": lambda path: read(golden(*STREAM)),
        ".cut.xinsndata.bin.zst": lambda path: cut(read(golden(*STREAM)), rng),
        ".none": lambda path: bytes(rng.randrange(256) for _ in range(300)),
        ".txt": lambda path: fleet_files.perf_text(rng),
        ".changed.txt": lambda path: changed(fleet_files.perf_text(rng), rng),
        ".tarmac": lambda path: fleet_files.instruction_log(rng),
        ".cut.tarmac": lambda path: cut(fleet_files.instruction_log(rng), rng),
    }
    for name in LOGS:
        shutil.copy(golden("xray", name), os.path.join(folder, name))
    write_files(folder, kinds, rng, count - len(LOGS))
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if not name.endswith((".map", ".img")))


def write_list(folder, paths):
    path = os.path.join(folder, "list")
    write(path, "".join(p + "\n" for p in paths).encode())
    return "@" + path


# ---- runs ----


class Fleet:
    def __init__(self, folder):
        self.folder = folder
        self.program, self.mpi = (os.path.abspath(path) for path in sys.argv[1:3])
        self.mpirun = sys.argv[3]
        self.compared = 0
        # What MPI keeps for itself is no leak of ours.
        self.environment = dict(os.environ, TMPDIR=folder, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def begin(self, ranks, *args, to=subprocess.PIPE, switches=SWITCHES):
        # What MPI shares between ranks it leaves behind when it is killed; here that goes with the folder.
        return subprocess.Popen([self.mpirun, *switches, "--mca", "btl_vader_backing_directory", self.folder, "-np", str(ranks),
                                 self.mpi, *args], env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=to, stderr=to)

    def end(self, process):
        """Exit status, output, messages; None: it hangs."""
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            fail("hangs:", process.args)
            return None, b"", ""
        return process.returncode, out, err.decode("utf-8", "replace")

    def ranks(self, count, *args):
        return self.end(self.begin(count, *args))

    def alone(self, *args):
        done = subprocess.run([self.program, *args], capture_output=True, cwd=self.folder, env=self.environment, check=False)
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")

    def same(self, what, got, wanted):
        self.compared += 1
        if not wanted[1]:
            fail(what, "tracelathe itself wrote nothing:", wanted[2][-500:])
        if got[:2] != wanted[:2]:
            fail(what, "status %s and %d bytes instead of %s and %d:" % (got[0], len(got[1]), wanted[0], len(wanted[1])),
                 got[2][-1500:])
        return got[:2] == wanted[:2]


MERGE = ("merge", "--to", "tracelathe")


def same_answers(fleet, paths, rng):
    """The same bytes, the same files named, whoever reads what."""
    wanted = fleet.alone(*MERGE, write_list(fleet.folder, paths))
    expect("status of a merge with damage", wanted[0], 1)
    for ranks in (2,) if common.SMALL else (1, 2, 4):
        mixed = rng.sample(paths, len(paths))
        got = fleet.ranks(ranks, *MERGE, "--memory", "1", write_list(fleet.folder, mixed))
        fleet.same("merge over %d" % ranks, got, wanted)
        for name in ("cut.out", "cut.xray", "none.bin", "empty.out", "missing.out"):
            if name not in got[2]:
                fail("merge over %d:" % ranks, name, "is not named:", got[2])
        if "3 of %d files could not be read" % len(paths) not in got[2]:
            fail("merge over %d does not count what is missing:" % ranks, got[2][-300:])
    given = write_list(fleet.folder, paths)
    commands = (["report", "--spread", "--json"], ["report", "--by", "trace", "--csv"], ["report", "--by", "process", "--csv"],
                ["report", "--by", "host", "--csv"],
                ["report", "--csv", "--all"], ["tree", "--json"], ["stacks"], ["flame", "--svg"],
                ["convert", "--to", "json", "--function", "work"], ["merge", "--function", "f"])
    # A sanitizer sees the same of all that are written from the same sum.
    for words in common.some(commands, 4):
        fleet.same(" ".join(words), fleet.ranks(3, *words, given), fleet.alone(*words, given))


QUESTIONS = ("SELECT id, name, object, file, self, inclusive, calls FROM functions ORDER BY id",
             "SELECT * FROM costs ORDER BY 1, 2, 3", "SELECT * FROM arcs ORDER BY 1, 2, 3, 4", "SELECT count(*) FROM contexts")


def same_questions(fleet, paths, rng):
    """What is asked in SQL is asked of the sum that `merge` writes."""
    given = write_list(fleet.folder, paths)
    merged = fleet.path("merged.tlp")
    status = fleet.alone(*MERGE, given, "-o", merged)[0]
    if not subprocess.run([fleet.program, "query", merged, "SELECT 1"], capture_output=True, check=False).stdout:
        print("a build without SQLite: `query` is not compared")
        return
    for ranks, form, question in common.some(list(zip((2, 3, 2, 1), ("--csv", "--json", "--csv", "--box"), QUESTIONS))):
        wanted = fleet.alone("query", form, merged, question)
        mixed = write_list(fleet.folder, rng.sample(paths, len(paths)))
        got = fleet.ranks(ranks, "query", form, mixed, "--memory", "2", question)
        fleet.same("query of " + question, got, (status, wanted[1], wanted[2]))
        expect("what is missing in " + question, said(got[2], paths)[0], ("3", str(len(paths))))
    ready = fleet.alone("query", "--csv", "functions", merged)
    fleet.same("a ready query", fleet.ranks(2, "query", "--csv", "functions", given), (status, ready[1], ready[2]))
    one = fleet.path("in", "fib-fdr.xray")
    fleet.alone(*MERGE, one, "-o", merged)
    fleet.same("query of one file", fleet.ranks(2, "query", one, QUESTIONS[0]), fleet.alone("query", merged, QUESTIONS[0]))
    status, out, err = fleet.ranks(2, "query", given, "SELECT nowhat FROM functions")
    expect("a statement that is none", (status, out, err.count("no such column: nowhat")), (2, b"", 1))
    fleet.same("ready queries", fleet.ranks(2, "query", "--list"), fleet.alone("query", "--list"))


def make_runs(folder, rng, scale):
    """Runs of a program: Callgrind profiles of the same functions, one of which changes."""
    os.mkdir(folder)
    for number in range(7):
        lines = ["events: Ir", "fl=prog.c"]
        for function in range(40):
            cost = rng.randrange(9000, 9100) * (scale if function == 7 else 1)
            lines += ["fn=work%d" % function, "%d %d" % (function + 1, cost)]
        write(os.path.join(folder, "run.%d.out" % number), "\n".join(lines + [""]).encode())


def same_comparison(fleet, rng):
    """Two directories, two lists, patterns: each function over the files of one with the other's."""
    before, after = fleet.path("before"), fleet.path("after")
    make_runs(before, rng, 1)
    make_runs(after, rng, 2)
    write(os.path.join(after, "none.bin"), b"\1\2\3")
    lists = []
    for folder in (before, after):
        lists.append("@" + folder + ".list")
        write(folder + ".list", "".join(os.path.join(folder, name) + "\n" for name in sorted(os.listdir(folder))).encode())
    runs = ["--glob", "run*"]
    comparisons = (
        (2, 1, [before, after, "--event", "Ir"]), (3, 0, [before, after, "--json", *runs]), (1, 0, [*runs, before, after]),
        (2, 1, ["--csv", "--event", "Ir", *lists]), (4, 3, ["--markdown", "--fail-above", "10%", *runs, before, after]),
        (2, 0, ["--inclusive", "--runs", before + "/run.[0-4]*", "--", after + "/run*"]),
        (2, 0, [before + "/run.1.out", after + "/run.1.out"]))
    for ranks, status, words in common.some(comparisons):
        wanted = fleet.alone("diff", *words)
        expect("status of diff " + " ".join(words), wanted[0], status)
        got = fleet.ranks(ranks, "diff", *words)
        fleet.same("diff " + " ".join(words), got, wanted)
        expect("what diff says of its files", without_mpirun(got[2]), without_mpirun(wanted[2]))
    kept = fleet.path("kept-runs")
    for _ in range(2):
        fleet.same("diff --restart", fleet.ranks(2, "diff", "--restart", kept, before, after, *runs),
                   fleet.alone("diff", before, after, *runs))
    expect("profile files kept by diff", len(kept_files(kept)), 14)


def without_mpirun(err):
    """Our own messages."""
    return [line for line in err.splitlines() if line.startswith("tracelathe")]


def said(err, paths):
    """How many files are missing, and which ones something is said of."""
    found = re.search(r"(\d+) of (\d+) files could not be read", err)
    return found.groups() if found else None, sorted(path for path in paths if path + ":" in err)


def same_mixed(fleet, rng):
    """A sum of files of all formats and kinds of damage: by one process, by ranks, in two halves; in any order and memory."""
    folder = fleet.path("mixed")
    os.mkdir(folder)
    paths = make_mixed(fleet, folder, rng, 200 if common.LONG else 30 if common.SMALL else 60)
    wanted = fleet.alone(*MERGE, write_list(fleet.folder, paths))
    expect("status of a merge with damage", wanted[0], 1)
    for ranks in (3,) if common.SMALL else (1, 2, 4):
        for memory in (["1"], ["64"], []) if common.LONG else (["2"],):
            options = ["--memory", *memory] if memory else []
            got = fleet.ranks(ranks, *MERGE, *options, write_list(fleet.folder, rng.sample(paths, len(paths))))
            fleet.same("mixed files over %d" % ranks, got, wanted)
            expect("what is said over %d" % ranks, said(got[2], paths), said(wanted[2], paths))
    in_halves(fleet, paths, wanted, rng)
    through_pipe(fleet)
    for words in (["report", "--csv", "--all"], ["report", "--spread", "--csv"]) if common.LONG else ():
        given = write_list(fleet.folder, paths)
        fleet.same(" ".join(words), fleet.ranks(4, *words, given), fleet.alone(*words, given))


def same_timed(fleet, rng):
    """Calls at times, and profiles of gprof."""
    folder = fleet.path("timed")
    os.mkdir(folder)
    for paths in make_timed(folder, rng, 200 if common.LONG else 24):
        wanted = fleet.alone(*MERGE, write_list(fleet.folder, paths))
        expect("status of a merge with damage", wanted[0], 1)
        for ranks in (1, 2, 4) if common.LONG else (3,):
            got = fleet.ranks(ranks, *MERGE, "--memory", "1", write_list(fleet.folder, rng.sample(paths, len(paths))))
            fleet.same("calls at times over %d" % ranks, got, wanted)
            expect("what is said over %d" % ranks, said(got[2], paths), said(wanted[2], paths))


def through_pipe(fleet):
    """Logs that are opened twice, to know which belong together, and those that cannot be, since one is a pipe."""
    logs = [golden("xray", name) for name in LOGS]
    wanted = fleet.alone(*MERGE, *logs)
    with open(logs[1], "rb") as file:
        done = subprocess.run([fleet.program, *MERGE, logs[0], "-", *logs[2:]], stdin=file, capture_output=True, cwd=fleet.folder,
                              env=fleet.environment, check=False)
    fleet.same("a log of a pipe", (done.returncode, done.stdout, done.stderr.decode()), wanted)


def in_halves(fleet, paths, wanted, rng):
    """Two calls of map, with the logs in one of them, then merge; a second time nothing is done again."""
    parts = [[path for path in paths if path.endswith(".xray")], []]
    for path in paths:
        if not path.endswith(".xray"):
            parts[rng.randrange(2)].append(path)
    kept = fleet.path("halves")
    for part in parts:
        fleet.alone("map", "-o", kept, write_list(fleet.folder, rng.sample(part, len(part))))
    before = kept_files(kept)
    got = fleet.alone(*MERGE, kept, "--glob", "*.tlp", "--memory", "1")
    fleet.same("map and merge", (wanted[0], got[1], got[2]), wanted)
    fleet.alone("map", "-o", kept, write_list(fleet.folder, parts[0] + parts[1]))
    expect("what map did is done again", kept_files(kept), before)


def few_descriptors(fleet, rng):
    """Logs of more processes than files may be open: 200 of them with 64 descriptors."""
    folder, kept = fleet.path("processes"), fleet.path("processes-kept")
    os.mkdir(folder)
    body = bench_fleet.calls(rng, 1000)
    for number in range(200):
        bench_fleet.write_xray(os.path.join(folder, "p%d.xray" % number), number, body)
    wanted = fleet.alone(*MERGE, folder, "--glob", "*.xray")
    expect("status of logs of 200 processes", wanted[0], 0)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, most[1]))
    try:
        few = fleet.alone(*MERGE, folder, "--glob", "*.xray")
        mapped = fleet.alone("map", "-o", kept, folder, "--glob", "*.xray")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, most)
    fleet.same("merge with few descriptors", few, wanted)
    expect("map with few descriptors", mapped, (0, b"", ""))
    fleet.same("what map wrote with few descriptors", fleet.alone(*MERGE, kept, "--glob", "*.tlp"), wanted)


def large_log(fleet):
    """A log of more threads than a rank's part of all files: its threads are read by several ranks."""
    logs = (("mt8-fdr.xray", 2, MERGE), ("mt8-fdr.xray", 4, ("report", "--csv", "--all", "--threads")),
            ("mt-basic.xray", 4, MERGE), ("mt-basic.xray", 3, ("stacks",)))
    for log, ranks, words in common.some(logs, 2):
        given = write_list(fleet.folder, [golden("xray", log), golden("xray", "fib-fdr.xray")])
        fleet.same("%s of a large log, %d ranks" % (words[0], ranks), fleet.ranks(ranks, *words, given), fleet.alone(*words, given))
    only = golden("xray", "mt8-fdr.xray")
    fleet.same("merge of a log alone", fleet.ranks(2, *MERGE, only), fleet.alone(*MERGE, only))
    expect("status of a file alone that is none", fleet.ranks(2, *MERGE, fleet.path("in", "none.bin"))[:2], (2, b""))


def cut_log(fleet, rng):
    """A log of one thread, most of all bytes: its buffers are read by several ranks. Without exits, one reads all of it."""
    log, left, small = fleet.path("thread.xray"), fleet.path("left.xray"), fleet.path("small.xray")
    body = bench_fleet.calls(rng, 200000)
    bench_fleet.write_xray(small, 9, bench_fleet.calls(rng, 1000))
    bench_fleet.write_thread(log, 7, body, 1 << 12)
    # Every exit of function 9 is one of a function that is never called.
    bench_fleet.write_thread(left, 8, b"".join(struct.pack("<II", 500 << 4 | 2 if word == 9 << 4 | 2 else word, delta)
                                               for word, delta in struct.iter_unpack("<II", body)), 1 << 12)
    cases = ((log, 2, MERGE), (log, 4, MERGE), (log, 3, ("report", "--csv", "--all")), (log, 4, ("stacks",)), (left, 4, MERGE))
    for path, ranks, words in common.some(cases, 2):
        given = write_list(fleet.folder, [path, small])
        wanted = fleet.alone(*words, given)
        got = fleet.ranks(ranks, *words, given)
        fleet.same("%s of %s, %d ranks" % (words[0], path, ranks), got, wanted)
        expect("what is said of " + path, without_mpirun(got[2]), without_mpirun(wanted[2]))


def readers_of_cut_log_killed(fleet, rng):
    """While ranks read parts of one thread, the process that reads is killed, or its rank: others read its parts again."""
    log = fleet.path("thread.xray")
    bench_fleet.write_thread(log, 7, bench_fleet.calls(rng, 4 << 20), 1 << 14)
    wanted = fleet.alone(*MERGE, log)
    for whole_rank in common.some((True, False)):
        switches = [*["--enable-recovery"] * whole_rank, *SWITCHES]
        for _ in range(20):
            process = fleet.begin(3, *MERGE, "--jobs", "1", "--silence", "20", log, switches=switches)
            killed = kill_reader(process, log, whole_rank)
            got = fleet.end(process)
            if not killed:
                continue
            fleet.same("a reader of a part is killed", (wanted[0], *got[1:]) if whole_rank else got, wanted)
            break
        else:
            fail("no reader of a part was met")


def large_file(fleet, rng):
    """A file of another format that is larger than a rank's part of all, with others and damaged: costs are shared out."""
    small = golden("xray", "fib-fdr.xray")
    callgrind, perf, cut_short = (fleet.path("large" + suffix) for suffix in (".out", ".perf", ".cut.out"))
    # Names stand where they come first; places are relative; the second part has other events in another order.
    body = "".join("fn=(%d)%s\n+%d %d %d\ncfn=(1)\ncalls=2 1\n* %d 1\n" % (
        number + 2, " work%d" % number if number >= half * 100 else "", rng.randrange(9), rng.randrange(1000), rng.randrange(9),
        rng.randrange(99)) for half in (0, 1) for number in range(half * 50, half * 100 + 100))
    text = "part: 1\nevents: Ir Dr\nfl=(1) prog.c\nfn=(1) leaf\n1 1 1\n"
    text += "".join("fn=(%d) work%d\n%d 1 0\n" % (number + 2, number, number) for number in range(200))
    write(callgrind, (text + body + "part: 2\nevents: Dr Ir Extra\nfl=(1)\n" + body.replace("work", "more")).encode())
    write(cut_short, read(callgrind)[:-8] + b"none\n")
    samples(perf, rng)
    cases = ((callgrind, 2, MERGE), (callgrind, 4, MERGE), (callgrind, 4, ("report", "--csv", "--all")),
             (perf, 2, MERGE), (perf, 4, MERGE), (perf, 3, ("stacks",)), (cut_short, 4, MERGE))
    for path, ranks, words in common.some(cases):
        given = write_list(fleet.folder, [path, small])
        wanted = fleet.alone(*words, given)
        got = fleet.ranks(ranks, *words, given)
        fleet.same("%s of %s, %d ranks" % (words[0], path, ranks), got, wanted)
        expect("what is said of " + path, without_mpirun(got[2]), without_mpirun(wanted[2]))
    fleet.same("merge of a file alone", fleet.ranks(4, *MERGE, callgrind), fleet.alone(*MERGE, callgrind))


class Growing:
    """A file to which a program writes while it is read: a whole function at a time, of which each has a cost of its own."""

    def __init__(self, path, count):
        self.path, self.written, self.ended = path, count, False
        write(path, b"events: Ir\nfl=prog.c\n" + b"".join(map(self.function, range(count))))
        self.writer = threading.Thread(target=self.go_on)

    @staticmethod
    def function(number):
        return b"fn=work%d\n%d %d\n" % (number, number + 1, number + 1)

    def go_on(self):
        with open(self.path, "ab", buffering=0) as file:
            while not self.ended:
                file.write(b"".join(map(self.function, range(self.written, self.written + 40))))
                self.written += 40
                time.sleep(0.002)

    def __enter__(self):
        self.writer.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.writer.join()


def growing_file(fleet):
    """What is read of a file that grows is what there was at one time: all ranks that read shares of it have to see the same."""
    path, part, small = fleet.path("growing.out"), fleet.path("part.out"), golden("xray", "fib-fdr.xray")
    for ranks, words in common.some(((4, ("merge",)), (1, ("merge",)), (3, ("merge", "--jobs", "2")), (None, ("merge",)))):
        with Growing(path, 20000) as file:
            args = (*words, path, small)
            status, out, err = fleet.ranks(ranks, *args) if ranks else fleet.alone(*args)
        count = out.count(b"fn=(") - out.count(b"cfn=(")
        known = re.findall(rb"^fn=\(\d+\) work(\d+)$", out, re.M)
        if not 20000 <= len(known) <= file.written:
            fail("a file that grows has", len(known), "functions of", file.written, count)
        write(part, b"events: Ir\nfl=prog.c\n" + b"".join(map(Growing.function, range(len(known)))))
        wanted = fleet.alone(*words, part, small)
        expect("what is said of a file that grows", without_mpirun(err), [])
        fleet.same("a file that grows, %s ranks" % ranks, (status, *(re.sub(rb"(?m)^cmd: .*$", b"", text) for text in (out, )), err),
                   (wanted[0], re.sub(rb"(?m)^cmd: .*$", b"", wanted[1]), wanted[2]))


def without_cycles(data):
    """The trace with a PAD for each byte of a CYC packet."""
    return b"".join(bytes(len(packet)) if packet[0] & 3 == 3 else packet for _, packet in perf_writer.packets(data))


def write_traced(path, count, compiled):
    """Intel PT of the golden run, by threads that take turns on two processors, each with a process of its own."""
    parts = perf_writer.slices(without_cycles(read(golden("intel_pt", "timed.pt"))))
    writer = perf_writer.Writer()
    writer.info()
    for number in range(count):
        pid = 100 + 10 * number
        writer.comm(pid, pid, "tiny")
        writer.mmap(pid, 0x401000, 0x283, 0, golden("intel_pt", "tiny.img"))
        if compiled:
            write("%s.perf-%d.map" % (path, pid), b"401000 80 first\n401080 100 second\n401180 103 third\n")
    machine = perf_writer.Machine(writer, 2)
    for turn, (number, who, part, later) in enumerate(perf_writer.turns([((100 + 10 * n, 100 + 10 * n), parts)
                                                                         for n in range(count)])):
        machine.run((turn + number) % 2, who, part, later)
    machine.write()
    writer.features[18] = b""
    write(path, writer.file())


def traced_threads(fleet):
    """Intel PT that is larger than a rank's part of all: its threads are read by several ranks, or all by one, if code has no names."""
    small = fleet.path("small.folded")
    write(small, b"main;f 1\n")
    for compiled in (True, False):
        path = fleet.path("traced%d.perf" % compiled)
        write_traced(path, 5, compiled)
        for ranks, words in common.some(((2, MERGE), (4, ("report", "--csv", "--all", "--threads")))):
            given = write_list(fleet.folder, [path, small])
            wanted = fleet.alone(*words, given)
            expect("status of traced threads", wanted[0], 0 if compiled else 1)
            got = fleet.ranks(ranks, *words, given)
            fleet.same("%s of traced threads, %d ranks" % (words[0], ranks), got, wanted)
            expect("what is said of traced threads", without_mpirun(got[2]), without_mpirun(wanted[2]))


def pieces_of(part):
    """A part of a trace, cut where tracing is off: behind a TIP.PGD that TSC and TIP.PGE follow. All but the first are without PSB."""
    found = [packet for _, packet in perf_writer.packets(part.data)]
    cuts = [0, *(i + 1 for i in range(len(found) - 1) if found[i] == b"\x01" and found[i + 1][0] == 0x19), len(found)]
    return [perf_writer.Slice(b"".join(found[a:b])) for a, b in zip(cuts, cuts[1:])]


def short_visit():
    """A thread that is switched to, and interrupted before its first instruction."""
    ip = struct.pack("<Q", 0x401000)[:6]
    return perf_writer.Slice(perf_writer.turn_on(ip, 5 * perf_writer.WRAP) + perf_writer.turn_off(ip))


def write_processors(path, rng, threads=4, cpus=2, lost=False, code=golden("intel_pt", "tiny.img")):
    """
    Intel PT of processors on which threads of one process take turns, wherever there is room: they come behind a PSB and, where
    another one was there for a moment, in between. `lost`: the recorder lost some of it.
    """
    parts = perf_writer.slices(without_cycles(read(golden("intel_pt", "timed.pt"))))
    writer = perf_writer.Writer()
    writer.info()
    writer.mmap(100, 0x401000, 0x283, 0, code)
    for tid in range(100, 101 + threads):
        writer.comm(100, tid, "tiny")
    write(path + ".perf-100.map", b"401000 80 first\n401080 100 second\n401180 103 third\n")
    machine = perf_writer.Machine(writer, cpus)
    for _, who, part, later in perf_writer.turns([((100, 100 + n), parts) for n in range(threads)]):
        cpu = rng.randrange(cpus)
        *before, last = pieces_of(part)
        for piece in before:
            machine.run(cpu, who, piece, None)
            if rng.random() < 0.7:
                machine.run(cpu, (100, 100 + threads), short_visit(), None)
        machine.run(cpu, who, last, later)
    if lost:
        for time, how, cpu, prev, nxt in sorted(machine.records):
            writer.switch_wide(cpu, time, prev, nxt)
        for cpu, data in enumerate(machine.buffers):
            at = data.index(b"\x02\x82" * 8, len(data) // 2)
            writer.aux(0, at, time=machine.clock, cpu=cpu)
            writer.aux(at, len(data) - at, flags=1, time=machine.clock + 1, cpu=cpu)
            writer.auxtrace(data, 0, cpu, perf_writer.NO_CPU, cpu)
    else:
        machine.write()
    writer.features[18] = b""
    write(path, writer.file())


def traced_processors(fleet, rng):
    """
    Intel PT by processors: each rank decodes what its threads ran, and little before it. With losses, too; where it is damaged, one
    rank reads all.
    """
    small = fleet.path("small.folded")
    write(small, b"main;f 1\n")
    for number in range(8 if common.LONG else 3):
        path = fleet.path("processors%d.perf" % number)
        write_processors(path, rng, threads=rng.randrange(2, 7), cpus=rng.randrange(1, 4), lost=number % 3 == 1)
        if number % 3 == 2:
            data = bytearray(read(path))
            at = data.index(b"\x02\x82" * 8, len(data) // 2) + 60
            data[at:at + 4] = b"\xff\xff\xff\xff"
            write(path, data)
        given = write_list(fleet.folder, [path, small])
        for ranks, words in common.some(((2, MERGE), (4, ("report", "--csv", "--all", "--threads")), (3, MERGE)), 2):
            wanted = fleet.alone(*words, given)
            expect("status of traced processors %d" % number, wanted[0], int(number % 3 == 2))
            got = fleet.ranks(ranks, *words, given)
            fleet.same("%s of traced processors %d, %d ranks" % (words[0], number, ranks), got, wanted)
            expect("what is said of traced processors", without_mpirun(got[2]), without_mpirun(wanted[2]))


def named_files(fleet, rng):
    """Files that are named one by one, which tracelathe reads as one input: Callgrind profiles, streams with their snapshots."""
    profiles = [fleet.path("named%d.out" % number) for number in range(4)]
    for path in profiles:
        write(path, profile(rng))
    streams = sorted(golden("xtrace", "u4-thr-time", name) for name in os.listdir(golden("xtrace", "u4-thr-time")))
    for paths in (profiles, streams):
        for words in common.some((["tree"], ["report", "--threads", "--csv"], ["convert", "--to", "json"],
                                  ["convert", "--to", "tracelathe"], MERGE), 4):
            wanted = fleet.alone(*words, *paths)
            fleet.same(" ".join(words) + " of named files", fleet.ranks(2, *words, *paths), wanted)
            if words[-1] == "json":
                continue  # which tells the command line
            expect(" ".join(words) + " in another order", fleet.alone(*words, *reversed(paths))[:2], wanted[:2])


def other_clock(fleet):
    """A log whose clock is another one is named, by whichever ranks the two are read."""
    paths = [fleet.path("clock%d.xray" % number) for number in range(2)]
    shutil.copy(golden("xray", "fib-fdr.xray"), paths[0])
    log = read(golden("xray", "args-fdr.xray"))
    write(paths[1], log[:8] + b"\1" + log[9:])  # the lowest byte of the frequency
    wanted = fleet.alone(*MERGE, *paths)
    expect("status of another clock", (wanted[0], paths[1] in wanted[2]), (2, True))
    for ranks in common.some((2, 1, 3)):
        got = fleet.ranks(ranks, *MERGE, *paths)
        expect("another clock over %d" % ranks, (got[0], got[1], without_mpirun(got[2])), (2, b"", without_mpirun(wanted[2])))
    by_nanoseconds(fleet, paths)


def by_nanoseconds(fleet, paths):
    """The same files, and a large one, of another clock yet: times in nanoseconds have a sum, whoever reads what."""
    large, unknown = fleet.path("clock2.xray"), fleet.path("clock3.xray")
    rng = random.Random(9)
    bench_fleet.write_xray(large, 40, *(bench_fleet.calls(rng, 60000) for _ in range(4)))
    log, other = read(large), read(golden("xray", "fib-basic.xray"))
    write(large, log[:8] + struct.pack("<Q", 2999999999) + log[16:])
    write(unknown, other[:8] + bytes(8) + other[16:])
    given = write_list(fleet.folder, [*paths, large, unknown])
    words = (*MERGE, "--nanoseconds")
    wanted = fleet.alone(*words, given)
    expect("an unknown rate", (wanted[0], "clock3.xray: the input does not say how long a tick is" in wanted[2]), (1, True))
    for ranks in common.some((2, 1, 4)):
        mixed = write_list(fleet.folder, [unknown, large, *paths[::-1]])
        got = fleet.ranks(ranks, *words, "--memory", "1", mixed)
        fleet.same("nanoseconds over %d" % ranks, got, wanted)
        expect("an unknown rate over %d" % ranks, said(got[2], ["clock3.xray"]), said(wanted[2], ["clock3.xray"]))
    kept = ("--restart", fleet.path("clocks"))
    fleet.same("ticks are kept", fleet.ranks(2, "report", *kept, paths[0]), fleet.alone("report", paths[0]))
    fleet.same("nanoseconds of what is kept", fleet.ranks(2, *words, *kept, given), wanted)
    for words in common.some((("report", "--csv", given), ("stacks", given),
                              ("diff", "--csv", "--runs", paths[0], large, "--", *paths))):
        fleet.same(words[0] + " in nanoseconds", fleet.ranks(2, words[0], "--nanoseconds", *words[1:]),
                   fleet.alone(words[0], "--nanoseconds", *words[1:]))


def without_logs(fleet, paths):
    """No file is a log that may depend on others."""
    given = write_list(fleet.folder, [path for path in paths if ".xray" not in path])
    fleet.same("files without logs", fleet.ranks(2, *MERGE, given), fleet.alone(*MERGE, given))


def progress(fleet):
    """Rank 0 shows on a terminal how far all of them are; of two files, one of which does not end yet, that is one file's bytes."""
    pipe, large = fleet.path("shown"), fleet.path("shown.folded")
    os.mkfifo(pipe)
    write(large, b"main;f 1\n" * 50000)
    ours, theirs = pty.openpty()
    process = fleet.begin(2, "merge", "--progress", "always", "-o", fleet.path("shown.tlp"), large, pipe, to=theirs)
    os.close(theirs)
    first = wait_for_reader(fleet, pipe, process)
    shown = b""
    end = time.monotonic() + PATIENCE
    while first is not None and b"450 kB of 450 kB" not in shown and time.monotonic() < end:
        if select.select([ours], [], [], 0.1)[0]:
            shown += os.read(ours, 1 << 16)
    if first is not None:
        os.write(first, b"main;g 2\n")
        os.close(first)
    status = process.wait()
    while select.select([ours], [], [], 0)[0]:
        try:
            shown += os.read(ours, 1 << 16)
        except OSError:
            break
    os.close(ours)
    lines = shown.split(b"\r")
    expect("a run with progress", (status, lines[0], lines[-1]), (0, b"", b"\x1b[K"))
    if not re.match(rb" *\d+% \[[#.]{24}\] ", lines[1]) or not any(line.startswith(b"100% [" + b"#" * 24) for line in lines):
        fail("progress of all files is not shown:", lines[:3], lines[-3:])


def usage(fleet, paths):
    """Errors of usage are said once, whatever the number of ranks."""
    status, out, err = fleet.ranks(3, "report", "--sort", "nothing", "--bogus", paths[0])
    expect("status of bad usage", (status, out, err.count("unknown option --bogus")), (2, b"", 1))
    status, out, err = fleet.ranks(2, "report", "--timeout", "soon", paths[0])
    expect("a bad --timeout", (status, out, err.count("--timeout soon: must be a number of seconds")), (2, b"", 1))


# ---- a process that dies ----


def holders(path):
    """The processes that have a file open."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        folder = "/proc/%s/fd" % pid
        try:
            if any(os.readlink(os.path.join(folder, fd)) == path for fd in os.listdir(folder)):
                found.append(int(pid))
        except OSError:
            pass
    return [pid for pid in found if pid != os.getpid()]


def wait_for_reader(fleet, pipe, process):
    """A descriptor to write to, as soon as a worker reads; None: the run ended."""
    for _ in range(PATIENCE * 50):
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        if process.poll() is not None:
            fail("the run ended before it read the pipe:", fleet.end(process))
            return None
        time.sleep(0.02)
    fail("nobody reads the pipe")
    return None


def parents(pid):
    """The process, its parent, and so on."""
    line = []
    while pid > 1:
        line.append(pid)
        try:
            pid = int(read("/proc/%d/stat" % pid).decode().rsplit(")", 1)[1].split()[1])
        except OSError:
            break
    return line


def readers(pipe, process, but=()):
    """The processes of a run that read the pipe, as soon as there are some others than those."""
    for _ in range(PATIENCE * 50):
        found = [pid for pid in holders(pipe) if pid not in but and process.pid in parents(pid)]
        if found:
            return found
        time.sleep(0.02)
    return []


def reader_killed(fleet, paths, wanted):
    """The process that reads a file is killed, once: what it had is done again, and nothing is missing."""
    process = fleet.begin(2, *MERGE, write_list(fleet.folder, paths))
    pipe = fleet.path("pipe")
    first = wait_for_reader(fleet, pipe, process)
    if first is None:
        return
    victims = readers(pipe, process)
    expect("readers of the pipe", len(victims), 1)
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    # The pipe stays open for writing, for the next one who reads it.
    expect("readers behind it", len(readers(pipe, process, victims)), 1)
    os.set_blocking(first, True)
    os.write(first, read(fleet.path("in", "callgrind.out.0")))
    os.close(first)
    fleet.same("a reader was killed", fleet.end(process), wanted)


def too_slow(fleet, paths, without):
    """Nobody writes into the pipe: the file is left out, and that is said."""
    got = fleet.ranks(2, *MERGE, "--timeout", "5", write_list(fleet.folder, paths))
    fleet.same("a file that takes too long", got, without)
    if "pipe: reading takes longer than --timeout" not in got[2] or "could not be read" not in got[2]:
        fail("a file that takes too long is not named:", got[2])


def reader_stopped(fleet, paths, without):
    """A stopped process gets no alarm: the file is left out all the same."""
    process = fleet.begin(2, *MERGE, "--timeout", "3", write_list(fleet.folder, paths))
    first = wait_for_reader(fleet, fleet.path("pipe"), process)
    if first is None:
        return
    for pid in readers(fleet.path("pipe"), process):
        os.kill(pid, signal.SIGSTOP)
    got = fleet.end(process)
    os.close(first)
    fleet.same("a reader was stopped", got, without)
    if "pipe: reading takes longer than --timeout" not in got[2]:
        fail("the file of a stopped reader is not named:", got[2])


def rank_stopped(fleet, paths):
    """A rank that is stopped, the first or the second: the others end the run, and no process is left."""
    for number in (0, 1):
        process = fleet.begin(2, *MERGE, "--silence", "3", write_list(fleet.folder, paths))
        first = wait_for_reader(fleet, fleet.path("pipe"), process)
        if first is None:
            return
        reader = parents(readers(fleet.path("pipe"), process)[0])[2]
        ranks = ranks_of(process)
        expect("ranks", (len(ranks), reader in ranks), (2, True))
        os.kill(ranks[number], signal.SIGSTOP)
        err = end_of_all(fleet, process, "a stopped rank")
        os.close(first)
        if "rank %d: is not heard of any more" % number not in err:
            fail("a stopped rank is not named:", err)


def ranks_of(process):
    return sorted(pid for pid in children(process.pid) if read("/proc/%d/comm" % pid).startswith(b"tracelathe"))


def rank_given_up(fleet, paths, wanted):
    """mpirun lets ranks live when another one is killed, or stopped: others read its files, and the answer is whole."""
    for ending, transport in common.some(((signal.SIGKILL, "vader"), (signal.SIGSTOP, "vader"), (signal.SIGKILL, "tcp"))):
        process = fleet.begin(3, *MERGE, "--silence", "6", write_list(fleet.folder, paths),
                              switches=["--enable-recovery", *(switch.replace("vader", transport) if "," in switch else switch
                                                               for switch in SWITCHES)])
        first = wait_for_reader(fleet, fleet.path("pipe"), process)
        if first is None:
            return
        held = readers(fleet.path("pipe"), process)
        victim = parents(held[0])[2]
        ranks = ranks_of(process)
        # Rank 0 reads it, or another one, which then has files in its sum and one that it has not done.
        rank = max(1, ranks.index(victim))
        os.kill(ranks[rank], ending)
        if ranks[rank] == victim:
            expect("others who read the pipe", len(readers(fleet.path("pipe"), process, held)), 1)
        os.set_blocking(first, True)
        os.write(first, read(fleet.path("in", "callgrind.out.0")))
        os.close(first)
        status, out, err = fleet.end(process)
        # Status 1, as there are damaged files among these, is not what mpirun ends with then.
        fleet.same("a rank is given up", (wanted[0] if "ended with status 1, which" in err else status, out, err), wanted)
        if "rank %d: is not heard of any more; others read its files" % rank not in err:
            fail("a rank that is given up is not named:", err)


def first_rank_killed(fleet, paths):
    """Without rank 0 there is no answer, and the others end by themselves."""
    process = fleet.begin(2, *MERGE, write_list(fleet.folder, paths), switches=["--enable-recovery", *SWITCHES])
    first = wait_for_reader(fleet, fleet.path("pipe"), process)
    if first is None:
        return
    readers(fleet.path("pipe"), process)
    os.kill(ranks_of(process)[0], signal.SIGKILL)
    _, out, err = fleet.end(process)
    os.close(first)
    expect("an answer without rank 0", out, b"")
    if "rank 0: is not heard of any more" not in err:
        fail("that rank 0 is killed is not said:", err)


def kill_reader(process, path, whole_rank):
    """Kill a process of a run that has a file open, or its rank, which is not rank 0. False: none was met."""
    while process.poll() is None:
        for pid in holders(path):
            line = parents(pid)
            if process.pid not in line:
                continue
            rank = line[line.index(process.pid) - 1]
            if not whole_rank:
                os.kill(pid, signal.SIGKILL)
                return True
            if rank != ranks_of(process)[0]:
                os.kill(rank, signal.SIGKILL)
                return True
    return False


def rank_killed_early(fleet):
    """One that dies before all have begun: the others end, as they would wait for it for ever."""
    words = (*MERGE, golden("xray", "fib-fdr.xray"))
    process = fleet.begin(3, *words, "--silence", "5", switches=["--enable-recovery", *SWITCHES])
    while process.poll() is None and len(ranks_of(process)) < 3:
        time.sleep(0.005)
    os.kill(ranks_of(process)[1], signal.SIGKILL)
    _, out, err = fleet.end(process)
    # On a slow machine this may be so late that there is an answer.
    if out != fleet.alone(*words)[1] and (out or "before all ranks had begun" not in err):
        fail("a rank that is killed early:", out, err)


def children(pid):
    return [int(child) for thread in os.listdir("/proc/%d/task" % pid)
            for child in read("/proc/%d/task/%s/children" % (pid, thread)).split()]


def end_of_all(fleet, process, what):
    """The run ends by itself, and no process of it is left. What it said."""
    status, _, err = fleet.end(process)
    if status in (0, 1, None):
        fail(what, "is a success, or hangs")
    for _ in range(PATIENCE * 20):
        if not holders(fleet.path("pipe")):
            return err
        time.sleep(0.05)
    fail(what, "leaves processes")
    return err


def kept_files(folder):
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".tlp"):
                found[name] = os.stat(os.path.join(where, name)).st_mtime_ns
    return found


def run_killed(fleet, paths, wanted, rng):
    """A rank is killed, then mpirun: there is no answer; the next run goes on from what was kept."""
    pipe, kept, before = fleet.path("pipe"), fleet.path("kept"), {}
    args = [*MERGE, "--restart", kept, "--scratch", fleet.folder]
    for what in ("rank", "mpirun"):
        process = fleet.begin(2, *args, "-o", fleet.path("out.tlp"), write_list(fleet.folder, paths))
        first = wait_for_reader(fleet, pipe, process)
        if first is None:
            return
        # The reader, its keeper, the rank.
        victim = parents(readers(pipe, process)[0])[2]
        os.kill(victim if what == "rank" else process.pid, signal.SIGKILL)
        end_of_all(fleet, process, "a killed " + what)
        os.close(first)
        if os.path.exists(fleet.path("out.tlp")):
            fail("a killed", what, "leaves an answer")
        after = kept_files(kept)
        if len(after) < 10:
            fail("a killed", what, "keeps only", sorted(after))
        expect("what was kept is done again", {name: after.get(name) for name in before}, before)
        before = after
    os.remove(pipe)
    shutil.copy(fleet.path("in", "callgrind.out.0"), pipe)
    os.utime(pipe, (1, 1))
    mixed = rng.sample(paths, len(paths))
    fleet.same("a restarted run", fleet.ranks(4, *args, write_list(fleet.folder, mixed)), wanted)
    after = kept_files(kept)
    expect("what was kept is done again", {name: after.get(name) for name in before}, before)


def make_summed(fleet):
    """Logs whose sum takes a while, as nearly every call has a path of its own."""
    folder = fleet.path("summed")
    os.mkdir(folder)
    for number in range(8):
        rng = random.Random(number)
        bench_fleet.write_xray(os.path.join(folder, "%d.xray" % number), 100 * number, *(bench_fleet.calls(rng, 80000) for _ in range(3)))
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


def reducing(process, scratch):
    """A rank, not rank 0, of which a process has a file of --scratch: what it has goes to another one. None: the run ended."""
    while process.poll() is None:
        try:
            ranks = ranks_of(process)
        except OSError:
            continue
        for rank in ranks[1:]:
            line = [rank]
            for pid in line:
                try:
                    line += children(pid)
                    links = [os.readlink("/proc/%d/fd/%s" % (pid, fd)) for fd in os.listdir("/proc/%d/fd" % pid)]
                except OSError:
                    continue
                if any(link.startswith(scratch + "/") for link in links):
                    return rank
    return None


def killed_reducing(fleet, paths):
    """While ranks add up what they have, one of them is killed, or mpirun: the others go on, or a restarted run does."""
    scratch = fleet.path("scratch")
    os.mkdir(scratch)
    wanted = fleet.alone(*MERGE, write_list(fleet.folder, paths))
    met = {}
    for what in ("recovery",) if common.SMALL else ("recovery", "rank", "mpirun"):
        kept = fleet.path("kept-" + what)
        restart = [] if what == "recovery" else ["--restart", kept]
        args = (*MERGE, "--scratch", scratch, "--silence", "20", *restart, write_list(fleet.folder, paths))
        for _ in range(20):
            process = fleet.begin(4, *args, switches=[*["--enable-recovery"] * (what == "recovery"), *SWITCHES])
            rank = reducing(process, scratch)
            if rank is None:
                fleet.end(process)
                shutil.rmtree(kept, ignore_errors=True)
                continue
            os.kill(process.pid if what == "mpirun" else rank, signal.SIGKILL)
            if what == "recovery":
                status, out, err = fleet.end(process)
                # One that had given all it had is not missed.
                fleet.same("a rank is killed while ranks reduce", (status, out, err), wanted)
                met[what] = True
                break
            end_of_all(fleet, process, "a %s that is killed while ranks reduce" % what)
            before = kept_files(kept)
            # Another rank may still read its last one.
            if len(before) < len(paths) // 2:
                fail("when the", what, "was killed only", sorted(before), "were kept")
            fleet.same("a run goes on behind a reduction that a killed %s ended" % what, fleet.ranks(2, *args), wanted)
            after = kept_files(kept)
            expect("what was kept is done again", {name: after.get(name) for name in before}, before)
            met[what] = True
            break
        if what not in met:
            fail("no reduction was met to kill", what)


def limit_files(process, ranks, size):
    """No process that reads for a run can write more than that into a file, from its first file on."""
    while process.poll() is None:
        try:
            keepers = [pid for rank in ranks_of(process) for pid in children(rank)]
            workers = [pid for keeper in keepers for pid in children(keeper)]
        except OSError:
            continue
        if len(workers) == ranks:
            break
        time.sleep(0.001)
    for pid in [*keepers, *workers] if process.poll() is None else []:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, size))


def no_room_for_files(fleet, paths):
    """Files of a process may not become as large as its sum: that is an error, and there is no answer, nor a part of one."""
    pipe = fleet.path("first")
    os.mkfifo(pipe)
    args = (*MERGE, "-o", fleet.path("limited.tlp"), write_list(fleet.folder, [*paths, pipe]))
    process = fleet.begin(4, *args)
    limit_files(process, 4, 1 << 16)
    # Nothing is added up before this one is read, too.
    first = wait_for_reader(fleet, pipe, process)
    if first is not None:
        os.set_blocking(first, True)
        os.write(first, b"main;f 1\n")
        os.close(first)
    status, _, err = fleet.end(process)
    expect("an answer without room for files", (status, os.path.exists(fleet.path("limited.tlp"))), (2, False))
    if not without_mpirun(err):
        fail("that there is no room for files is not said:", err)
    fleet.compared += 1


def unreadable(fleet, paths):
    """A file whose bytes cannot be read, also by root: it is named, and the rest is the answer of the rest."""
    link = fleet.path("unreadable.out")
    os.symlink("/proc/self/mem", link)  # nothing is mapped at its first byte: an error of input
    rest = fleet.alone(*MERGE, write_list(fleet.folder, paths))
    given = write_list(fleet.folder, [*paths[:1], link, *paths[1:]])
    wanted = fleet.alone(*MERGE, given)
    expect("a file of which nothing can be read", (wanted[0], wanted[1] == rest[1], link + ": cannot read" in wanted[2]), (1, True, True))
    for ranks in common.some((2, 1, 4)):
        got = fleet.ranks(ranks, *MERGE, "--keep-going", given)
        fleet.same("a file of which nothing can be read, %d ranks" % ranks, got, wanted)
        expect("what is said of it", said(got[2], [link, *paths]), (("1", str(len(paths) + 1)), [link]))
    expect("--no-keep-going", fleet.ranks(2, *MERGE, "--no-keep-going", given)[:2], (2, b""))
    os.remove(link)
    closed_files(fleet, paths, rest)


def closed_files(fleet, paths, rest):
    """The same of a file that this user may not open, and of a folder that he may not enter."""
    nobody = 65534
    if os.getuid() or subprocess.run([fleet.program, "--version"], user=nobody, group=nobody, capture_output=True,
                                     check=False).returncode:
        print("no other user can run the program here: files that are closed to a user are left out")
        return
    folder, home = fleet.path("closed"), fleet.path("nobody")
    os.mkdir(home)
    os.mkdir(folder)
    for path in (os.path.join(folder, "in.out"), fleet.path("closed.out")):
        write(path, profile(random.Random(1)))
    os.chmod(folder, 0)
    os.chmod(fleet.path("closed.out"), 0)
    os.chmod(fleet.folder, 0o755)
    os.chown(home, nobody, nobody)
    closed = [os.path.join(folder, "in.out"), fleet.path("closed.out")]
    given = write_list(fleet.folder, [*paths, *closed])
    for ranks in common.some((2, 1)):
        process = subprocess.Popen([fleet.mpirun, *SWITCHES, "--mca", "btl_vader_backing_directory", home, "-np", str(ranks), fleet.mpi,
                                    *MERGE, "--scratch", home, given], env=dict(fleet.environment, TMPDIR=home, HOME=home), cwd=home,
                                   user=nobody, group=nobody, extra_groups=[], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        got = fleet.end(process)
        fleet.same("files that are closed to a user, %d ranks" % ranks, got, (1, rest[1], ""))
        expect("what is said of them", said(got[2], [*closed, *paths]), (("2", str(len(paths) + 2)), sorted(closed)))
    os.chmod(folder, 0o700)


def no_room(fleet, paths, wanted):
    """The directory of --scratch is full: an error, and no answer; with room there is one."""
    small, kept = fleet.path("small"), fleet.path("kept")
    os.mkdir(small)
    args = [*MERGE, "--restart", kept, "-o", fleet.path("out.tlp"), write_list(fleet.folder, paths)]
    mounted = not subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", small], capture_output=True,
                                 check=False).returncode
    if not mounted:
        print("no small file system can be mounted here: an unusable directory takes its place")
        os.rmdir(small)
    try:
        status, _, err = fleet.ranks(2, *args, "--scratch", small)
    finally:
        if mounted:
            subprocess.run(["umount", small], check=True)
    expect("status without room", status, 2)
    if mounted and "No space left" not in err:
        fail("a full directory is not said:", err)
    if not mounted and "cannot make a temporary file" not in err:
        fail("an unusable directory is not said:", err)
    if os.path.exists(fleet.path("out.tlp")):
        fail("there is an answer without room:", err)
    status, out, err = fleet.ranks(2, *args, "--scratch", fleet.folder)
    fleet.same("with room again", (status, out or read(fleet.path("out.tlp")), err), wanted)


def sums(fleet, paths, rng):
    """Whoever reads what, in whatever order and memory."""
    same_answers(fleet, paths, rng)
    without_logs(fleet, paths)
    named_files(fleet, rng)
    other_clock(fleet)
    few_descriptors(fleet, rng)


def shares(fleet, *_):
    """Files of which several ranks read a share."""
    large_log(fleet)
    cut_log(fleet, random.Random(19))
    readers_of_cut_log_killed(fleet, random.Random(19))
    large_file(fleet, random.Random(19))
    growing_file(fleet)
    traced_threads(fleet)
    traced_processors(fleet, random.Random(4))


def commands(fleet, paths, rng):
    """Questions, comparisons, progress, errors of usage."""
    same_questions(fleet, paths, rng)
    same_comparison(fleet, rng)
    usage(fleet, paths)
    progress(fleet)


def deaths(fleet, paths, rng):
    """A pipe in the place of a file: a worker reads it as long as this test wants it to, and dies meanwhile."""
    os.mkfifo(fleet.path("pipe"))
    good = [path for path in paths if path != fleet.path("in", "callgrind.out.0")]
    piped = good + [fleet.path("pipe")]
    wanted = fleet.alone(*MERGE, write_list(fleet.folder, paths))
    reader_killed(fleet, piped, wanted)
    without = fleet.alone(*MERGE, write_list(fleet.folder, good))
    too_slow(fleet, piped, without)
    reader_stopped(fleet, piped, without)
    rank_stopped(fleet, piped)
    rank_given_up(fleet, piped, wanted)
    first_rank_killed(fleet, piped)
    rank_killed_early(fleet)
    run_killed(fleet, piped, wanted, rng)
    no_room(fleet, piped, wanted)


def reductions(fleet, *_):
    """Ranks that die, or have no room, while they add up what they have; files that nobody can read."""
    summed = make_summed(fleet)
    killed_reducing(fleet, summed)
    no_room_for_files(fleet, summed)
    unreadable(fleet, summed[:3])


PIECES = {"mixed": lambda fleet, *_: same_mixed(fleet, random.Random(200)), "timed": lambda fleet, *_: same_timed(fleet, random.Random(201)),
          "sums": sums, "shares": shares, "commands": commands, "deaths": deaths, "reductions": reductions}


def main():
    names = sys.argv[4:] or list(PIECES)
    compared = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            os.mkdir(os.path.join(folder, "in"))
            fleet, rng = Fleet(folder), random.Random(19)
            paths = make_inputs(os.path.join(folder, "in"), rng)
            PIECES[name](fleet, paths, rng)
            compared += fleet.compared
    common.finish(compared, "answers of ranks compared")


if __name__ == "__main__":
    main()
