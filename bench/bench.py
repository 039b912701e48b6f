#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench.py BUILD-DIRECTORY [--no-peers] [--runs N]: how long the commands take on a 125 MB XRay log.

Wall clock time is the median of five runs (one for llvm-xray, which takes a minute), with the file in the page cache and
the output going nowhere; memory is the peak resident set, mapped file pages included. "floor" is a walk over the records
that does nothing else (bench/floor_xray.c). Nothing is asserted."""
import argparse
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("TL_SHARED", os.path.join(ROOT, "..", "shared"))

# What is timed, and what of llvm-xray it is held against.
OURS = (
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
PEERS = (
    ("account", "account -k -d -f csv"),
    ("stack", "stack -k -all-stacks -stack-format=flame -aggregate-threads -aggregation-type=time"),
    ("convert -f trace_event", "convert -f trace_event -o /dev/null"),
    ("convert -f yaml", "convert -f yaml -o /dev/null"),
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


def generated(build, folder):
    path = os.path.join(folder, "generated.xray")
    if not os.path.exists(path):
        with open(path + ".part", "wb") as out:
            subprocess.run([os.path.join(build, "bench", "gen_xray")], stdout=out, check=True)
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


def bench_peers(path):
    """Wall time per command of llvm-xray; empty when it is not here."""
    llvm = next((p for p in ("/usr/bin/llvm-xray-19", "/usr/bin/llvm-xray-14") if os.path.exists(p)), None)
    times = {}
    for name, options in PEERS if llvm else ():
        wall, memory, status = once([llvm, *options.split(), path])
        times[name] = wall
        yield "llvm-xray " + name, wall, memory, status, times


def bench(build, path, peers, runs):
    program = os.path.join(build, "tracelathe")
    warm(path)
    floor, memory, status = several([os.path.join(build, "bench", "floor_xray"), path], runs)
    print("\n%s, %.1f MB" % (os.path.basename(path), os.path.getsize(path) / 1e6))
    print("%-44s %8s %8s %8s %8s" % ("", "wall s", "x peer", "x floor", "MiB"))
    line("floor", floor, None, floor, memory, status)
    times = {}
    for name, wall, memory, status, times in bench_peers(path) if peers else ():
        line(name, wall, None, floor, memory, status)
    for options, peer in OURS:
        wall, memory, status = several([program, *options.split(), path], runs)
        line("tracelathe " + options, wall, times.get(peer), floor, memory, status)
    pipe = subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
    wall, memory, status = once([program, "report", "--csv", "-"], stdin=pipe.stdout)
    pipe.stdout.close()
    pipe.wait()
    line("cat | tracelathe report --csv -", wall, times.get("account"), floor, memory, status)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("build")
    options.add_argument("--no-peers", action="store_true")
    options.add_argument("--runs", type=int, default=5)
    options = options.parse_args()
    build = os.path.abspath(options.build)
    folder = os.path.join(build, "bench-inputs")
    os.makedirs(folder, exist_ok=True)
    paths = [path for path in (generated(build, folder), recorded(folder)) if path]
    print("wall: median of %d runs (llvm-xray: 1); x peer: times faster than llvm-xray's command of the same purpose;\n"
          "x floor: times slower than a bare walk over the records; MiB: peak resident set" % options.runs)
    for path in paths:
        bench(build, path, not options.no_peers and path == paths[-1], options.runs)


if __name__ == "__main__":
    sys.exit(main())
