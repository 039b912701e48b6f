#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Very many files: time, memory of a rank, efficiency, and a model that plans more of them. Run it when nothing else runs.

  bench_fleet.py BUILD [--files N] [--kib N] [--ranks 1,2,4] [--large-mb N] [--peer-files N] [--folder DIR] [--inputs DIR]
                 [--make-only | --merge-only | --report-only | --model-only]

Files are XRay logs, perf.data with samples, and Callgrind profiles of as many processes, about --kib KiB each (default: 10,000
files of 100 KiB, 1 GB; --kib 1000 makes 10 GB). Each figure is of one run, in seconds and MiB; memory is the largest resident
set of any process of a rank. Efficiency is the time of one rank by that of all ranks together, with as many processors as there are;
by processor time it is the same on a machine that has other work, and "without the start" it leaves out what two files of a few bytes take. A tenth of the files shows what grows with their number; of more
than 2 GB, all are read by 1 and 2 ranks only, which with 10 GB takes some 22 minutes on two processors. The model is fitted to the
start of each number of ranks, and to one rank and two with a tenth of the files and with all of them, and held against these and four; what it says of 100,000 files on 1,000 ranks
is arithmetic. --inputs keeps the files, so that they can be made before (--make-only)."""
import argparse
import math
import os
import random
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

SWITCHES = ["-q", "--oversubscribe", "--allow-run-as-root", "--mca", "btl", "self,vader", "--mca", "plm", "isolated",
            "--mca", "btl_vader_single_copy_mechanism", "none", "--mca", "odls_base_sigkill_timeout", "0"]
HZ = 1000000000
VARIANTS = 20
LARGE = 2e9  # bytes of files that are not all read by each number of ranks
SOME = 100 << 20  # bytes of files that other programs read


# ---- files ----


def metadata(kind, body):
    return struct.pack("<B15s", kind << 1 | 1, body)


def calls(rng, size):
    """Function records of a tree of calls, 8 bytes each, as many as there is room for; all that were entered are left."""
    records, depth = [], [1]
    records.append(struct.pack("<II", 1 << 4, 0))
    while len(records) * 8 < size:
        if len(depth) < 12 and rng.random() < 0.5:
            depth.append(rng.randrange(2, 400))
            action = 0
        elif len(depth) > 1:
            action = 1
        else:
            continue
        records.append(struct.pack("<II", depth[-1] << 4 | action << 1, rng.randrange(20, 4000)))
        if action:
            depth.pop()
    records += [struct.pack("<II", function << 4 | 2, 50) for function in reversed(depth)]
    return b"".join(records)


def buffer_of(number, thread, tsc, body):
    return (metadata(0, struct.pack("<I", number + 1 + thread)) + metadata(4, struct.pack("<QI", number, 0)) +
            metadata(9, struct.pack("<I", number + 1)) + metadata(2, struct.pack("<HQ", 0, tsc)) + body)


def write_buffers(path, buffers):
    with open(path, "wb") as file:
        file.write(struct.pack("<HHIQQ8x", 5, 1, 3, HZ, max(map(len, buffers)) + 16))
        for buffer in buffers:
            file.write(metadata(7, struct.pack("<Q", len(buffer))) + buffer)


def write_xray(path, number, *bodies):
    """FDR, version 5: a buffer for each thread (docs/formats/xray.md). Time and numbers differ by file, so no log copies another."""
    write_buffers(path, [buffer_of(number, thread, number * 1000003 + 12345, body) for thread, body in enumerate(bodies)])


def write_thread(path, number, body, size):
    """The same of one thread, whose buffers have so many bytes of records."""
    tsc, buffers = 12345, []
    for at in range(0, len(body), size):
        part = body[at:at + size]
        buffers.append(buffer_of(number, 0, tsc, part))
        tsc += sum(delta for _, delta in struct.iter_unpack("<II", part)) + 7
    write_buffers(path, buffers)


def samples(rng, size):
    """Addresses of samples, of few functions."""
    return [0x400000 + 16 * rng.randrange(2000) for _ in range(size // 24)]


def write_perf(path, number, addresses):
    attr = struct.pack("<IIQQQQ", 1, 112, 0, 1000, 1 | 2, 0).ljust(112, b"\0")
    data = b"".join(struct.pack("<IHHQII", 9, 2, 24, address, number + 1, number + 1) for address in addresses)
    host = (b"node%d" % (number % 100)).ljust(64, b"\0")
    table = struct.pack("<QQ", 232 + len(data) + 16, 68)
    head = b"PERFILE2" + struct.pack("<QQQQQQQQQ24x", 104, 128, 104, 128, 232, len(data), 0, 0, 1 << 3)
    with open(path, "wb") as file:
        file.write(head + attr + bytes(16) + data + table + struct.pack("<I", 64) + host)


def callgrind_body(rng, size):
    lines, length, total = [], 0, 0
    while length < size:
        function, first, second = rng.randrange(2000), rng.randrange(1 << 20), rng.randrange(1 << 20)
        line = "fn=work_%d\n%d %d\n%d %d\n" % (function, function + 1, first, function + 2, second)
        lines.append(line)
        length += len(line)
        total += first + second
    return "".join(lines) + "summary: %d\n" % total


def many_lines(rng, size):
    """A body in which no line stands twice, as in profiles of large programs."""
    lines, length, total, function = [], 0, 0, 0
    while length < size:
        costs = [rng.randrange(1 << 20) for _ in range(40)]
        text = "fn=work_%d\n%d %d\n" % (function, 50 * function, costs[0]) + "".join("+1 %d\n" % cost for cost in costs[1:])
        lines.append(text)
        length += len(text)
        total += sum(costs)
        function += 1
    return "".join(lines) + "summary: %d\n" % total


def write_callgrind(path, number, body):
    with open(path, "w") as file:
        file.write("desc: Host: node%d\ncmd: prog\nevents: Ir\nfl=prog.c\n%s" % (number % 100, body))


def make_files(folder, count, size):
    """The files, unless they are there, of which the names and the least size tell."""
    rng = random.Random(19)
    kinds = ((write_xray, ".xray", calls, 5), (write_perf, ".perf", samples, 3), (write_callgrind, ".out", callgrind_body, 2))
    share = [kind for kind in kinds for _ in range(kind[3])]
    paths = [os.path.join(folder, "f%06d%s" % (number, share[number % len(share)][1])) for number in range(count)]
    os.makedirs(folder, exist_ok=True)
    if all(os.path.exists(path) and os.path.getsize(path) >= size // 2 for path in paths):
        return paths
    bodies = {make: [body(rng, size) for _ in range(VARIANTS)] for make, _, body, _ in kinds}
    for number, path in enumerate(paths):
        make = share[number % len(share)][0]
        make(path, number, bodies[make][rng.randrange(VARIANTS)])
    return paths


# ---- runs ----


class Bench:
    def __init__(self, build, folder):
        self.folder = folder
        self.program, self.mpi, self.measure = (os.path.join(os.path.abspath(build), *parts) for parts in
                                                (("tracelathe",), ("tracelathe-mpi",), ("bench", "measure")))
        self.environment = dict(os.environ, TMPDIR=folder)

    def list_of(self, paths):
        path = os.path.join(self.folder, "list")
        with open(path, "w") as file:
            file.write("".join(p + "\n" for p in paths))
        return "@" + path

    def timed(self, args):
        """Wall time, and what each `measure` in it says: the largest resident set in MiB of each process tree."""
        begin = time.monotonic()
        done = subprocess.run(args, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        wall = time.monotonic() - begin
        told = [line.split() for line in done.stdout.splitlines() if len(line.split()) == 3]
        if not told or any(int(words[0]) > 1 for words in told):
            sys.exit("%s: %s %s" % (" ".join(args), done.stdout, done.stderr[-2000:]))
        return wall, [int(words[2]) / 1024 for words in told], sum(int(words[1]) for words in told) / 1e6

    def alone(self, *args):
        return self.timed([self.measure, "1", "1000000", os.devnull, self.program, *args])

    def ranks(self, count, *args):
        return self.timed(["mpirun", *SWITCHES, "-np", str(count), self.measure, "1", "1000000", os.devnull, self.mpi, *args])

    def merge(self, count, paths):
        """`count` 0: without MPI. Of one thread a rank, as ranks are what is compared."""
        target = os.path.join(self.folder, "sum.tlp")
        return self.either(count, "merge", "--to", "tracelathe", "--jobs", "1", "-o", target, self.list_of(paths))

    def report(self, count, paths):
        """A table of functions, as people ask for it: no thread is told apart, so that the sum is small."""
        return self.either(count, "report", "--jobs", "1", self.list_of(paths))

    def either(self, count, *args):
        return self.ranks(count, *args) if count else self.alone(*args)


def show(what, wall, memory, cpu, note=""):
    print("%-44s %9.2f s %9.2f s %8.1f MiB  %s" % (what, wall, cpu, max(memory), note), flush=True)


def efficiency(times, ranks, processors, starts=None):
    """
    By wall time, which other programs spoil, without what mpirun takes to start, where that is known, and by processor time: the most
    that wall time can give.
    """
    if ranks < 2 or 1 not in times:
        return ""
    one, these = times[1], times[ranks]
    without = ""
    if starts:
        without = ", %.2f without the start" % ((one[0] - starts[1]) / (these[0] - starts[ranks]) / min(ranks, processors))
    return "efficiency %.2f%s, by processor time %.2f" % (one[0] / these[0] / min(ranks, processors), without, one[1] / these[1])


def tiny_files(bench, count):
    """Files of a few bytes: hardly more than being handed out."""
    folder = os.path.join(bench.folder, "tiny")
    os.makedirs(folder, exist_ok=True)
    names = [os.path.join(folder, "%d.folded" % i) for i in range(count)]
    for name in names:
        with open(name, "w") as file:
            file.write("main;f 1\n")
    return names


def median_run(bench, ranks, paths, command="merge"):
    """Wall and processor time: the medians of three runs."""
    runs = [getattr(bench, command)(ranks, paths) for _ in range(3)]
    return [statistics.median(run[i] for run in runs) for i in (0, 2)]


def many_files(bench, ranks, paths, processors, command="merge"):
    """Wall and processor times by the number of ranks; 0: without MPI."""
    times = {}
    starts = {number: median_run(bench, number, tiny_files(bench, 2), command)[0] for number in ranks if number}
    for count in ranks:
        wall, memory, cpu = getattr(bench, command)(count, paths)
        times[count] = wall, cpu
        what = "%s over %d ranks" % (command, count) if count else "tracelathe " + command
        show("%d files, %s" % (len(paths), what), wall, memory, cpu, efficiency(times, count, processors, starts))
    return times


def some(paths, count):
    """The first of them, no more than the other programs read in a minute and with a few GiB of memory."""
    size = os.path.getsize(paths[0])
    return paths[:min(count, max(20, SOME // size))]


def large_file(bench, ranks, processors, path, what):
    print("\n%s, %.0f MB" % (what, os.path.getsize(path) / 1e6))
    times = {}
    for count in ranks:
        wall, memory, cpu = bench.ranks(count, "merge", "--jobs", "1", "--to", "tracelathe", "-o",
                                        os.path.join(bench.folder, "large.tlp"), path)
        times[count] = wall, cpu
        show("  merge over %d ranks" % count, wall, memory, cpu, efficiency(times, count, processors))


def large_files(bench, ranks, size, processors):
    """A file by which most of the work is one file's: logs of 16 threads and of one, a profile of many lines."""
    rng = random.Random(19)
    path = os.path.join(bench.folder, "large.xray")
    write_xray(path, 7, *(calls(rng, size // 16) for _ in range(16)))
    large_file(bench, ranks, processors, path, "one log of 16 threads")
    path = os.path.join(bench.folder, "thread.xray")
    write_thread(path, 7, calls(rng, size), 1 << 16)
    large_file(bench, ranks, processors, path, "one log of one thread")
    path = os.path.join(bench.folder, "large.out")
    write_callgrind(path, 7, many_lines(rng, size))
    large_file(bench, ranks, processors, path, "one Callgrind profile")


# ---- the model ----


RANKS_OF_MACHINE = 32  # of the plan: the start of ranks on one machine is what is measured here


def cost(rates, files):
    """What so many files take: up to the smaller number that was measured by its average, beyond it by the growth to the larger one."""
    few, each, further = rates
    return min(files, few) * each + max(files - few, 0) * further


def predict(model, files, ranks, processors):
    """
    Start, what ranks do at the same time, and the merges that wait for each other: of the last two ranks all that there is, in each
    round before that about half of what a pair has, as it becomes 64 profile files again. One rank merges what it has itself.
    """
    first, each = model["start"]
    start = first + each * min(ranks, RANKS_OF_MACHINE)
    if ranks < 2:
        return start + cost(model["file"], files)
    at_once = min(ranks, processors)
    pairs = sum(2 ** (number - math.ceil(math.log2(ranks))) for number in range(1, math.ceil(math.log2(ranks)))) / 2
    shares = ranks * cost(model["share"], files / ranks) / at_once
    return start + max(shares, files * model["master"]) + cost(model["join"], files) * (1 + pairs)


def rates(few, small, count, large):
    """For cost(): of few files and of all, without the start."""
    return few, max(small, 0) / few, max(large - small, 0) / (count - few)


def line_through(points):
    """The least squares, for a few points (x, y): y at 0, and what is added for each x."""
    xs, ys = zip(*points)
    middle, height = statistics.mean(xs), statistics.mean(ys)
    each = sum((x - middle) * (y - height) for x, y in points) / sum((x - middle) ** 2 for x in xs)
    return height - each * middle, each


def fit(bench, count, times, ranks):
    """
    The start by runs of two tiny files with each number of ranks: a run of few files is too near to it, and a file costs less where
    there are few, so that a line through two runs of many meets no start. Of two ranks, a processor each, wall time is that of
    the part that both do at the same time, halved, and of the rest, and processor time is both. What rank 0 does for a file has runs of its own.
    """
    names = tiny_files(bench, 2000)
    starts = {number: median_run(bench, number, names[:2]) for number in ranks}
    few, joins, shares, alone = count // 10, [], [], []
    for files in (few, count):
        one, (wall, cpu) = times[files][1][0], (times[files][2][i] - starts[2][i] for i in (0, 1))
        joins.append(max(2 * wall - cpu, 0))
        # Of one rank, as both have as much.
        shares.append((cpu - joins[-1]) / 2)
        alone.append(one - starts[1][0])
    # The whole of it bounds what rank 0 does for a file.
    master = (bench.merge(1, names)[0] - bench.merge(1, names[:200])[0]) / 1800
    return {"start": line_through([(number, starts[number][0]) for number in ranks]), "file": rates(few, alone[0], count, alone[1]),
            "share": rates(few / 2, shares[0], count / 2, shares[1]), "join": rates(few, joins[0], count, joins[1]), "master": master}


def show_model(bench, paths, times, processors):
    ranks = sorted(number for number in times[len(paths)] if number)
    model = fit(bench, len(paths), times, ranks)
    print("\nmodel: start %.2f s and %.2f s for each rank, rank 0 for a file at most %.3f ms" % (*model["start"], 1e3 * model["master"]))
    for name, what in ("file", "with one rank"), ("share", "for each of others"), ("join", "in the last merge"):
        few, each, further = model[name]
        print("  a file %s: %.3f ms of %d, %.3f ms of more" % (what, 1e3 * each, few, 1e3 * further))
    for files in sorted(times):
        for number in sorted(times[files]):
            if number:
                said, measured = predict(model, files, number, processors), times[files][number][0]
                print("  %d files, %d ranks on %d processors: %.2f s said, %.2f s measured (%+.0f %%)" % (
                    files, number, processors, said, measured, 100 * (said / measured - 1)))
    for files, number in (100000, 100), (100000, 1000):
        whole = predict(model, files, number, number)
        handed = files * model["master"]
        bound = " (rank 0 is the limit)" if handed > cost(model["share"], files / number) else ""
        joined = predict({**model, "start": (0, 0), "share": (1, 0, 0), "master": 0}, files, number, number)
        print("  %d files on %d ranks, a processor each, %d ranks a machine: %.0f s, %.0f s of it for the merges that wait for each other%s" % (
            files, number, RANKS_OF_MACHINE, whole, joined, bound))


# ---- other programs ----


def one_by_one(bench, paths):
    """cg_merge folds one file after the other into the sum, as a list that grows has it; and all of them in one call."""
    files = [path for path in paths if path.endswith(".out")]
    if not shutil.which("cg_merge") or not files:
        print("cg_merge is not here")
        return
    total = os.path.join(bench.folder, "cg.sum")
    shutil.copy(files[0], total)
    begin = time.monotonic()
    for path in files[1:]:
        done = subprocess.run(["cg_merge", "-o", total + ".new", total, path], capture_output=True, check=False)
        if done.returncode:
            print("cg_merge:", done.stderr.decode("utf-8", "replace").strip()[:200])
            return
        os.replace(total + ".new", total)
    each = time.monotonic() - begin
    print("%-44s %9.2f s" % ("cg_merge, %d files one by one" % len(files), each), flush=True)
    once, memory, cpu = bench.timed([bench.measure, "1", "1000000", os.devnull, "cg_merge", "-o", total, *files])
    show("cg_merge, %d files at once" % len(files), once, memory, cpu)
    wall, memory, cpu = bench.alone("merge", "--jobs", "1", "-o", total, *files)
    show("tracelathe merge of them", wall, memory, cpu, "%.1f times as fast as one by one, %.1f times as at once" % (
        each / wall, once / wall))


def xray_stacks(bench, paths):
    """llvm-xray has no merge; its stacks of several logs are the nearest."""
    tool = next((name for name in ("llvm-xray", "llvm-xray-19") if shutil.which(name)), None)
    files = [path for path in paths if path.endswith(".xray")]
    if not tool or not files:
        print("llvm-xray is not here")
        return
    wall, memory, cpu = bench.timed([bench.measure, "1", "1000000", os.devnull, tool, "stack", "-k", "-aggregate-threads",
                                     "-stack-format=flame", "-aggregation-type=time", "-all-stacks", *files])
    show("llvm-xray stack, %d logs" % len(files), wall, memory, cpu)
    ours, less, cpu = bench.alone("stacks", "--jobs", "1", bench.list_of(files))
    show("tracelathe stacks of them", ours, less, cpu, "%.1f times as fast, 1/%.0f of the memory" % (
        wall / ours, max(memory) / max(less)))


# ---- the whole ----


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=10000)
    parser.add_argument("--kib", type=int, default=100)
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--large-mb", type=int, default=64)
    parser.add_argument("--peer-files", type=int, default=1000)
    parser.add_argument("--folder", default=os.environ.get("TMPDIR", "/var/tmp"))
    parser.add_argument("--inputs", help="where the files are, or are made and stay; else they go with the run")
    parser.add_argument("--make-only", action="store_true", help="make the files of --inputs, and no more")
    parser.add_argument("--merge-only", action="store_true", help="measure `merge` of all the files, and no more")
    parser.add_argument("--report-only", action="store_true", help="measure `report` of all the files, and no more")
    parser.add_argument("--model-only", action="store_true", help="measure `merge` of all and of a tenth, and fit the model")
    options = parser.parse_args()
    if options.make_only:
        make_files(options.inputs or parser.error("--make-only without --inputs"), options.files, options.kib << 10)
        return
    processors = len(os.sched_getaffinity(0))
    # Its folder goes with it, also when it is ended by `kill` or `timeout`.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        bench = Bench(options.build, folder)
        paths = make_files(options.inputs or os.path.join(folder, "in"), options.files, options.kib << 10)
        size = sum(os.path.getsize(path) for path in paths)
        print("%d files, %.2f GB, %d processors, load %.1f" % (len(paths), size / 1e9, processors, os.getloadavg()[0]))
        print(", ".join("%d %s" % (sum(path.endswith(suffix) for path in paths), what) for suffix, what in (
            (".xray", "XRay logs"), (".perf", "perf.data of a process each"), (".out", "Callgrind profiles"))))
        ranks = [int(word) for word in options.ranks.split(",")]
        print("\n%-44s %11s %11s %12s" % ("", "wall", "processor", "most memory"))
        if options.merge_only or options.report_only:
            many_files(bench, ranks, paths, processors, "merge" if options.merge_only else "report")
            return
        # With gigabytes, all of them are read as often as the efficiency of two ranks takes, the others read a tenth.
        whole = [count for count in ranks if count in (1, 2)] if size > LARGE else [0, *ranks]
        few = len(paths) // 10
        times = {few: many_files(bench, [0, *ranks], paths[:few], processors)}
        times[len(paths)] = many_files(bench, whole, paths, processors)
        if not options.model_only:
            many_files(bench, whole, paths, processors, "report")
            large_files(bench, ranks, options.large_mb << 20, processors)
            print()
            one_by_one(bench, some(paths, options.peer_files))
            xray_stacks(bench, some(paths, options.peer_files))
        if {1, 2} <= times[len(paths)].keys():
            show_model(bench, paths, times, processors)


if __name__ == "__main__":
    main()
