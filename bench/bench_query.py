# SPDX-License-Identifier: Apache-2.0
"""The part of bench.py about SQL, calls as columns, profile files, and executions compared: statements beside sqlite3 on
imported rows, and what each is meant to cost at most, in processor time, as others may work on the machine."""
import ctypes
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A statement, the seconds and the MiB that it may cost.
STATEMENTS = (
    ("SELECT name, sum(self) FROM functions GROUP BY name", 0.2, None),
    ("SELECT count(*) FROM calls", None, None),
    ("SELECT sum(duration) FROM calls", 0.6, None),
    ("SELECT count(*), sum(duration), max(self) FROM calls WHERE duration > 1000", 0.6, None),
    ("SELECT function, count(*), sum(duration) FROM calls GROUP BY function", 1.0, 512),
)
missed = []


class Cost:
    """The medians of some runs of a program, the largest resident set in MiB, and the worst exit status."""

    def __init__(self, args, runs):
        walls, cpus, self.memory, self.status = [], [], 0, 0
        for _ in range(runs):
            begin = time.monotonic()
            process = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            walls.append(time.monotonic() - begin)
            cpus.append(usage.ru_utime + usage.ru_stime)
            self.memory, self.status = max(self.memory, usage.ru_maxrss / 1024), max(self.status, process.returncode)
        self.wall, self.cpu = statistics.median(walls), statistics.median(cpus)


def goal(name, value, most, unit):
    """ "goal 0.2 s: met"; what is missed is told once more at the end."""
    if most is None:
        return ""
    if value > most:
        missed.append("%s: %.3g %s, not %g" % (name, value, unit, most))
    return "  goal %g %s: %s" % (most, unit, "missed, %.3g" % value if value > most else "met")


def line(name, cost, peer=None, told=""):
    print("%-44s %8.3f %8.3f %8s %8.0f%s%s" % (name[:44], cost.cpu, cost.wall, "%.1f" % (peer / cost.cpu) if peer else "-",
                                               cost.memory, "" if cost.status == 0 else "  (exit status %d)" % cost.status, told),
          flush=True)


def bench_statements(program, path, runs, peers):
    """Each statement beside sqlite3 on the tables as `convert --to sqlite` stores them."""
    base = None
    if peers and shutil.which("sqlite3"):
        base = path + ".db"
        line("convert --to sqlite (the import)", Cost([program, "convert", "--to", "sqlite", "--tables", "functions,calls", "-o", base,
                                                       path], 1))
    for sql, seconds, memory in STATEMENTS:
        cost = Cost([program, "query", "--csv", path, sql], runs)
        line(sql, cost, Cost(["sqlite3", base, sql], 1).cpu if base else None,
             goal(sql, cost.cpu, seconds, "s") + goal(sql, cost.memory, memory, "MiB"))
    if base:
        os.remove(base)


def bench_python(build, path):
    """In one process with the shared library: a window once the index is there, and the calls as batches of Arrow."""
    os.environ["TRACELATHE_LIBRARY"] = next(os.path.join(build, name) for name in sorted(os.listdir(build))
                                            if name.startswith("libtracelathe.so.") and name.count(".") == 4)
    sys.path[:0] = [os.path.join(ROOT, "bindings", "python"), os.path.join(ROOT, "bindings", "python", "tests")]
    import tracelathe
    from test_arrow import Array, moved, release

    class Here:
        """What some work costs in this process."""
        status = 0

        def __init__(self, work):
            wall, cpu = time.monotonic(), time.process_time()
            work()
            self.wall, self.cpu = time.monotonic() - wall, time.process_time() - cpu
            self.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    def batches(trace):
        stream = moved(trace.calls().__arrow_c_stream__())
        batch = Array()
        while stream.get_next(ctypes.addressof(stream), ctypes.addressof(batch)) == 0 and batch.release:
            release(batch)
        release(stream)

    with tracelathe.open(path) as trace:
        ask = lambda sql: list(trace.query(sql))
        line("python: first statement, makes the index", Here(lambda: ask("SELECT count(*) FROM calls")))
        first, last = ask("SELECT min(start), max(start) FROM calls")[0]
        hundredth = (first + (last - first) // 2, first + (last - first) // 2 + (last - first) // 100)
        whole = Here(lambda: ask("SELECT sum(duration) FROM calls"))
        line("python: sum(duration) of all calls", whole)
        window = Here(lambda: ask("SELECT sum(duration) FROM calls WHERE start BETWEEN %d AND %d" % hundredth))
        line("python: sum(duration) in 1 % of the time", window, None,
             goal("a window of 1 % by all calls", window.cpu / whole.cpu, 0.05, "of the whole"))
        arrow = Here(lambda: batches(trace))
        told = subprocess.run([os.path.join(build, "bench", "call_index"), path, "1"], stdout=subprocess.PIPE, text=True).stdout
        stream = float(re.search(r"calls: \d+ in ([\d.]+) s", told)[1])
        line("python: all calls as batches of Arrow", arrow, stream,
             goal("Arrow by the stream in C of %.3f s" % stream, arrow.cpu / stream, 2, "of the stream"))


def bench_profile_file(build, path):
    """In MB/s of the Callgrind text that it stands for, by the clock: the goal, 1 GB/s, is that of all rows read and of all rows
    written, as the commands do that write a profile file again; what commands do that need less or more stands beside it."""
    program, stored = os.path.join(build, "tracelathe"), path + ".tlp"
    size = os.path.getsize(path) / 1e6
    for name, args in (("convert --to tracelathe, of %.0f MB of text" % size, ["convert", "--to", "tracelathe", "-o", stored, path]),
                       ("report of the text", ["report", path]), ("report of the profile file", ["report", stored]),
                       ("convert of the profile file, to one", ["convert", "--to", "tracelathe", "-o", stored + ".2", stored]),
                       ("merge of the profile file with itself", ["merge", "--to", "tracelathe", "-o", stored + ".2", stored, stored])):
        line(name, Cost([program, *args], 3))
    told = subprocess.run([os.path.join(build, "bench", "profile_file"), stored, path], stdout=subprocess.PIPE, text=True).stdout
    for name, seconds in re.findall(r"^(.*?) +[\d.]+ s of processor time, +([\d.]+) s", told, re.M):
        speed = size / float(seconds)
        meant = goal("profile file, " + name, 1000 / speed, 1, "of 1 GB/s") if name.startswith("all rows") else ""
        print("profile file, %-30s %8.3f s, %.0f MB/s%s" % (name, float(seconds), speed, meant))
    print("the profile file has %.1f MB" % (os.path.getsize(stored) / 1e6))
    os.remove(stored)
    os.remove(stored + ".2")


def made_profiles(program, folder):
    """A profile of 100,000 functions, and ten of 5,000 out of 20,000, as profile files."""
    rng, names = random.Random(16), []
    for number, count, among in [(0, 100000, 100000)] + [(i, 5000, 20000) for i in range(1, 11)]:
        text = os.path.join(folder, "made-%d.out" % number)
        names.append(text[:-4] + ".tlp")
        if os.path.exists(names[-1]):
            continue
        with open(text, "w", encoding="ascii") as file:
            file.write("events: Ir Dr\nfl=a.c\n")
            for function in range(count) if count == among else rng.sample(range(among), count):
                file.write("fn=space::function_%d(int)\n%d %d 1\n%d %d\ncfn=space::function_%d(int)\ncalls=2 5\n%d %d\n" % (
                    function, function, rng.randrange(1, 999), function + 1, rng.randrange(99), rng.randrange(among), function + 1,
                    rng.randrange(999)))
        subprocess.run([program, "convert", "--to", "tracelathe", "-o", names[-1], text], check=True)
        os.remove(text)
    return names[0], names[1:]


def bench_many(build, folder):
    """A profile file of many functions opened, and many of them merged."""
    program = os.path.join(build, "tracelathe")
    large, small = made_profiles(program, folder)
    told = [subprocess.run([os.path.join(build, "bench", "profile_file"), large], stdout=subprocess.PIPE, text=True).stdout
            for _ in range(5)]
    opened = statistics.median(float(re.match(r".*? +([\d.]+) s of", text)[1]) for text in told)
    print("profile file of 100,000 functions opened: %.1f ms%s" % (1e3 * opened, goal("100,000 functions", 1e3 * opened, 30, "ms")))
    merged = Cost([program, "merge", "--to", "tracelathe", "-o", os.path.join(folder, "merged.tlp"), *(small * 100)], 1)
    line("merge of 1,000 profile files", merged, None, goal("merge of 1,000 files", merged.memory, 512, "MiB"))


def bench_flow(build, traces):
    """Two traces of the same execution compared, by the decoding of one of them, block by block."""
    for before, after, folder, base in traces:
        code = [os.path.join(folder, base + suffix) for suffix in (".map", ".img")]
        paths = [os.path.join(folder, name + ".pt") for name in (before, after)]
        one = Cost([os.path.join(build, "bench", "pt_blocks"), "batch", "cached", paths[0], *code], 3)
        line("decoding %s" % before, one)
        for jobs in ("1", "2"):
            both = Cost([os.path.join(build, "tracelathe"), "diff", "--flow", "--jobs", jobs, "--map", code[0], *paths], 3)
            line("diff --flow --jobs %s of it and %s" % (jobs, after), both, one.cpu,
                 goal("diff --flow by decoding one", both.cpu / one.cpu, 2.2, "times") if jobs == "1" else "")


def tell_missed():
    """What costs more than it is meant to."""
    print("goals missed: %s" % ("; ".join(missed) or "none"))
