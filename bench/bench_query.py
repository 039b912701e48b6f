# SPDX-License-Identifier: Apache-2.0
"""The part of bench.py about SQL, calls as columns, and profile files: statements beside sqlite3 on imported rows."""
import ctypes
import os
import resource
import shutil
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STATEMENTS = (
    "SELECT name, sum(self) FROM functions GROUP BY name",
    "SELECT count(*) FROM calls",
    "SELECT sum(duration) FROM calls",
    "SELECT count(*), sum(duration), max(self) FROM calls WHERE duration > 1000",
    "SELECT function, count(*), sum(duration) FROM calls GROUP BY function",
)


def line(name, wall, peer, memory, status):
    print("%-44s %8.3f %8s %8s %8.0f%s" % (name, wall, "%.1f" % (peer / wall) if peer else "-", "-", memory,
                                           "" if status == 0 else "  (exit status %d)" % status), flush=True)


def bench_statements(several, program, path, runs, peers):
    """Each statement beside sqlite3 on the tables as `convert --to sqlite` stores them."""
    base = None
    if peers and shutil.which("sqlite3"):
        base = path + ".db"
        wall, memory, status = several([program, "convert", "--to", "sqlite", "--tables", "functions,calls", "-o", base, path], 1)
        line("convert --to sqlite (the import)", wall, None, memory, status)
    for sql in STATEMENTS:
        wall, memory, status = several([program, "query", "--csv", path, sql], runs)
        peer = several(["sqlite3", base, sql], 1)[0] if base else None
        line(sql[:44], wall, peer, memory, status)
    if base:
        os.remove(base)


def bench_python(build, path):
    """In one process with the shared library: a window once the index is there, and the calls as batches of Arrow."""
    os.environ["TRACELATHE_LIBRARY"] = next(os.path.join(build, name) for name in sorted(os.listdir(build))
                                            if name.startswith("libtracelathe.so.") and name.count(".") == 4)
    sys.path[:0] = [os.path.join(ROOT, "bindings", "python"), os.path.join(ROOT, "bindings", "python", "tests")]
    import tracelathe
    from test_arrow import Array, moved, release

    def timed(name, work):
        begin = time.monotonic()
        work()
        line(name, time.monotonic() - begin, None, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 0)

    def batches(trace):
        stream = moved(trace.calls().__arrow_c_stream__())
        batch = Array()
        while stream.get_next(ctypes.addressof(stream), ctypes.addressof(batch)) == 0 and batch.release:
            release(batch)
        release(stream)

    with tracelathe.open(path) as trace:
        ask = lambda sql: list(trace.query(sql))
        timed("python: first statement, makes the index", lambda: ask("SELECT count(*) FROM calls"))
        first, last = ask("SELECT min(start), max(start) FROM calls")[0]
        hundredth = (first + (last - first) // 2, first + (last - first) // 2 + (last - first) // 100)
        timed("python: sum(duration) of all calls", lambda: ask("SELECT sum(duration) FROM calls"))
        timed("python: sum(duration) in 1 % of the time",
              lambda: ask("SELECT sum(duration) FROM calls WHERE start BETWEEN %d AND %d" % hundredth))
        timed("python: all calls as batches of Arrow", lambda: batches(trace))


def bench_profile_file(several, program, path):
    """Written and read, beside the Callgrind text that it stands for."""
    stored = path + ".tlp"
    size = os.path.getsize(path) / 1e6
    for name, args in (("convert --to tracelathe, of %.0f MB of text" % size, ["convert", "--to", "tracelathe", "-o", stored, path]),
                       ("report of the text", ["report", path]), ("report of the profile file", ["report", stored])):
        wall, memory, status = several([program, *args], 3)
        line(name, wall, None, memory, status)
    print("the profile file has %.1f MB" % (os.path.getsize(stored) / 1e6))
    os.remove(stored)
