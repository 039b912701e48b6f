#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench.py BUILD-DIRECTORY [--no-peers] [--runs N] [--only xray|callgrind|intel-pt|xtrace|pprof|foreign|samples|query|record]:
how long the commands take on a 125 MB XRay log, a Callgrind profile of 400 MB and, where the shared corpus is, Intel PT and an
instruction stream of 291 MB; and what recording costs (bench_record.py).

Wall clock time is the median of five runs (one for the peers, which take minutes), with the file in the page cache and the
output going nowhere; memory is the peak resident set, mapped file pages included. "floor" is a loop that does nothing but
step over the records (bench/floor_xray.c, floor_xtrace.c), or find the lines and parse every number (bench/floor_callgrind.c). Nothing is
asserted."""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time

from bench_foreign import bench_foreign, processor_seconds
from bench_pt import bench_intel_pt, compiler_traces, python_traces
from bench_query import bench_flow, bench_many, bench_profile_file, bench_python, bench_statements, tell_missed
from bench_record import bench_record
from bench_samples import bench_samples

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("TL_SHARED", os.path.join(ROOT, "..", "shared"))

# What is timed, and what of the peer it is held against.
XRAY = (
    ("report --csv --jobs 1", "account"),
    ("report --csv --jobs 2", "account"),
    ("stacks --jobs 1", "stack"),
    ("stacks --jobs 2", "stack"),
    ("timeline --to chrome --jobs 1", "convert -f trace_event"),
    ("timeline --to chrome --jobs 2", "convert -f trace_event"),
    ("timeline --to perfetto --jobs 1", "convert -f trace_event"),
    ("convert --to callgrind --jobs 1", None),
    ("check --jobs 1", None),
    ("dump --json --jobs 1", "convert -f yaml"),
)
XTRACE = (
    ("info --jobs 1", None),
    ("info --jobs 2", None),
    ("check --jobs 1", None),
    ("report --csv --jobs 1", None),
    ("report --csv --jobs 2", None),
    ("dump --jobs 1", None),
    ("dump --instructions", None),
    ("convert --jobs 1", None),
    ("analyze --mix --jobs 1", None),
    ("analyze --footprint", None),
    ("analyze --reuse", None),
    ("analyze --cache", None),
    ("analyze --bbv", None),
    ("convert --to tarmac", None),
    ("convert --to champsim", None),
)
LLVM_XRAY = (
    ("account", "account -k -d -f csv"),
    ("stack", "stack -k -all-stacks -stack-format=flame -aggregate-threads -aggregation-type=time"),
    ("convert -f trace_event", "convert -f trace_event -o /dev/null"),
    ("convert -f yaml", "convert -f yaml -o /dev/null"),
)
CALLGRIND = (
    ("report", "callgrind_annotate"),
    ("report --csv", "callgrind_annotate"),
    ("tree --callees", "callgrind_annotate --tree=both"),
    ("convert --to callgrind", None),
    ("check", None),
)
CALLGRIND_ANNOTATE = (
    ("callgrind_annotate", "--auto=no"),
)


def once(args, stdin=None):
    """Wall seconds and peak resident MiB of one run, and its exit status."""
    with open(os.devnull, "w") as nowhere:
        begin = time.monotonic()
        process = subprocess.Popen(args, stdin=stdin, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
    return wall, usage.ru_maxrss / 1024, process.returncode


def several(args, runs):
    done = [once(args) for _ in range(runs)]
    return statistics.median(d[0] for d in done), max(d[1] for d in done), max(d[2] for d in done)


def ratio(peer, wall):
    return "%8.1f" % (peer / wall) if peer else "%8s" % "-"


def line(name, wall, peer, floor, memory, status):
    print("%-44s %8.3f %s %8.1f %8.0f%s" %
          (name, wall, ratio(peer, wall), wall / floor, memory, "" if status == 0 else "  (exit status %d)" % status),
          flush=True)


def generated(build, folder, name, generator, *options):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        with open(path + ".part", "wb") as out:
            subprocess.run([os.path.join(build, "bench", generator), *options], stdout=out, check=True)
        os.rename(path + ".part", path)
    return path


def recorded(folder):
    """A real log of the same size, where the shared corpus and clang are here."""
    script = os.path.join(SHARED, "corpus", "large", "make-xray-large.sh")
    path = os.path.join(folder, "big.xray")
    if not os.path.exists(path) and os.path.exists(script):
        subprocess.run(["bash", script, folder, "big"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path if os.path.exists(path) else None


def warm(path):
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def bench_peers(program, name, commands, path):
    """Wall time per command of a peer; empty when it is not here."""
    times = {}
    for what, options in commands if program else ():
        wall, memory, status = once([program, *options.split(), path])
        times[what] = wall
        yield name + what, wall, memory, status, times


def bench(build, path, ours, floor_program, peers, runs):
    """`peers`: a generator of bench_peers(). Returns the floor."""
    program = os.path.join(build, "tracelathe")
    warm(path)
    floor, memory, status = several([os.path.join(build, "bench", floor_program), path], runs)
    print("\n%s, %.1f MB" % (os.path.basename(path), os.path.getsize(path) / 1e6))
    print("%-44s %8s %8s %8s %8s" % ("", "wall s", "x peer", "x floor", "MiB"))
    line("floor", floor, None, floor, memory, status)
    times = {}
    for name, wall, memory, status, times in peers:
        line(name, wall, None, floor, memory, status)
    for options, peer in ours:
        wall, memory, status = several([program, *options.split(), path], runs)
        line("tracelathe " + options, wall, times.get(peer), floor, memory, status)
    return floor


def bench_pipe(build, path, floor):
    pipe = subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
    wall, memory, status = once([os.path.join(build, "tracelathe"), "report", "--csv", "-"], stdin=pipe.stdout)
    pipe.stdout.close()
    pipe.wait()
    line("cat | tracelathe report --csv -", wall, None, floor, memory, status)


def bench_xray(build, folder, options):
    llvm = next((p for p in ("/usr/bin/llvm-xray-19", "/usr/bin/llvm-xray-14") if os.path.exists(p)), None)
    paths = [path for path in (generated(build, folder, "generated.xray", "gen_xray"), recorded(folder)) if path]
    for path in paths:
        peer = llvm if not options.no_peers and path == paths[-1] else None
        floor = bench(build, path, XRAY, "floor_xray", bench_peers(peer, "llvm-xray ", LLVM_XRAY, path), options.runs)
        bench_pipe(build, path, floor)


def bench_callgrind(build, folder, options):
    """Also a profile of a real program, where someone made one: large.callgrind beside the generated one."""
    paths = [generated(build, folder, "generated.callgrind", "gen_callgrind", "12000000"),
             os.path.join(folder, "large.callgrind")]
    annotate = None if options.no_peers else shutil.which("callgrind_annotate")
    for path in filter(os.path.exists, paths):
        floor = bench(build, path, CALLGRIND, "floor_callgrind",
                      bench_peers(annotate, "", CALLGRIND_ANNOTATE, path), options.runs)
        bench_pipe(build, path, floor)


def expanded(folder):
    """The large instruction stream of the shared corpus, as large as it is."""
    packed = os.path.join(SHARED, "corpus", "large", "xtrace.20251120130000.0.hint9.%s.bin.zst")
    for part in ("xsnapshot", "xinsndata"):
        path = os.path.join(folder, os.path.basename(packed % part)[:-len(".zst")])
        if not os.path.exists(path) and os.path.exists(packed % part):
            subprocess.run(["zstd", "-dq", "--long=27", packed % part, "-o", path], check=True)
    return path if os.path.exists(path) else None


def bench_xtrace(build, folder, options):
    path = expanded(folder)
    if path:
        bench(build, path, XTRACE, "floor_xtrace", (), options.runs)
    else:
        print("\nskipped: no shared corpus, so no instruction stream")


def bench_pprof(build, folder, options):
    """The floor is `info`, which reads every sample and makes no tree of them."""
    path = generated(build, folder, "generated.pprof", "gen_pprof")
    program = os.path.join(build, "tracelathe")
    warm(path)
    floor, memory, status = several([program, "info", path], options.runs)
    print("\n%s, %.1f MB" % (os.path.basename(path), os.path.getsize(path) / 1e6))
    print("%-44s %8s %8s %8s %8s" % ("", "wall s", "x peer", "x floor", "MiB"))
    line("tracelathe info", floor, None, floor, memory, status)
    peer = theirs = None
    if not options.no_peers and shutil.which("go"):
        peer, theirs, status = once(["go", "tool", "pprof", "-top", path])
        line("go tool pprof -top", peer, None, floor, theirs, status)
    for what in ("report --csv", "stacks", "convert --to callgrind"):
        wall, memory, status = several([program, *what.split(), path], options.runs)
        line("tracelathe " + what, wall, peer, floor, memory, status)
        if what == "stacks":
            print("%-44s %8.0f MB/s of processor time (meant: 100)%s" % (
                "  with the tree", os.path.getsize(path) / 1e6 / processor_seconds([program, what, path]),
                ", memory 1/%.0f of go's (meant: 1/10, ten times as fast)" % (theirs / memory) if peer else ""))


def bench_query(build, folder, options):
    """SQL, Python and profile files; the peer is sqlite3 on the rows as they were imported."""
    program = os.path.join(build, "tracelathe")
    log = generated(build, folder, "generated.xray", "gen_xray")
    text = generated(build, folder, "generated.callgrind", "gen_callgrind", "12000000")
    for path in (log, text):
        warm(path)
    print("\n%-44s %8s %8s %8s %8s" % ("SQL, calls, profile files", "cpu s", "wall s", "x peer", "MiB"))
    bench_statements(program, log, options.runs, not options.no_peers)
    bench_python(build, log)
    bench_profile_file(build, text)
    bench_many(build, folder)
    pairs = [list(traces) for traces in (python_traces(os.path.join(folder, "intel-pt")),
                                         compiler_traces(os.path.join(folder, "intel-pt-cc1")))]
    bench_flow(build, [(pair[0][0], pair[1][0], *pair[0][1:]) for pair in pairs if len(pair) == 2])
    tell_missed()


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("build")
    options.add_argument("--no-peers", action="store_true")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--only", choices=("xray", "callgrind", "intel-pt", "xtrace", "pprof", "foreign", "samples", "query",
                                           "record"))
    options = options.parse_args()
    build = os.path.abspath(options.build)
    folder = os.path.join(build, "bench-inputs")
    os.makedirs(folder, exist_ok=True)
    print("wall: median of %d runs (peers: 1); x peer: times faster than the peer's command of the same purpose;\n"
          "x floor: times slower than the bare loop; MiB: peak resident set" % options.runs)
    rooms = {"xray": bench_xray, "callgrind": bench_callgrind, "intel-pt": bench_intel_pt, "xtrace": bench_xtrace,
             "pprof": bench_pprof, "foreign": bench_foreign, "samples": bench_samples, "query": bench_query, "record": bench_record}
    for name, measure in rooms.items():
        if options.only in (None, name):
            measure(build, folder, options)


if __name__ == "__main__":
    sys.exit(main())
