#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""proportion.py BUILD-DIRECTORY [--scale N] [--family NAME] [--command WORDS] [--verbose]: time, memory and output grow as
the input grows, in each direction in which it can.

Families of inputs (proportion_inputs.py) are doubled three times, every command reads all of them, and a doubling that
costs more than LIMIT times in processor time, in memory or in bytes written fails the test. What is too small to be
measured passes: below a floor the largest of the four inputs is enough, the others are not read. Time depends on what else
the machine does: a doubling that looks too dear is measured again, and where valgrind is at hand its instructions are
counted, which decide. --scale multiplies the sizes."""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import proportion_inputs as inputs

LIMIT = 2.6
DOUBLINGS = 3
FLOOR_SECONDS, FLOOR_KIBIBYTES, FLOOR_BYTES = 0.02, 8192, 200000
RETRIES = 5
PROCESSOR_SECONDS = 60
# Commands that read no file, or wait for a user; `view` writes its page without waiting.
NOT_MEASURED = {"record": "its input is a running program", "browse": "needs a terminal", "help": "has no input"}

PROFILE = ("info", "check", "dump", "report", "report --csv --threads", "tree", "stacks", "flame", "flame --svg", "annotate",
           "diff", "merge", "merge --to tracelathe", "view --static", "query functions", "query contexts") + tuple(
               "convert --to " + to for to in ("callgrind", "cachegrind", "pprof", "speedscope", "dot", "json", "tracelathe"))
TREES = ("tree --top-down", "tree --bottom-up")
TRACE = PROFILE + TREES + ("dump --calls", "timeline", "query calls")
XRAY = TRACE + ("convert --to xray",)
STREAM = ("info", "check", "dump", "dump --instructions", "report", "tree --top-down", "flame --svg", "analyze", "slice --instructions",
          "query accesses")
STACKS = PROFILE + TREES
TABLES = STACKS + ("map", "query lines", "convert --to folded", "convert --to csv")
COMPRESSED = ("info", "check", "dump", "report", "tree", "convert --to callgrind")
PT = ("info", "check", "dump", "report", "tree", "timeline", "dump --calls")
FILES = ("report", "report --csv --threads", "tree", "stacks", "flame --svg", "merge --to tracelathe")
# Name, generator, size of the smallest input, commands. Paths that are estimated have a limit of their own, which the smallest
# input of callgrind-arcs reaches; so has the number of events (256) that of callgrind-events and callgrind-formulas.
FAMILIES = (
    ("xray-records", inputs.xray_records, 2000, XRAY),
    ("xray-paths", inputs.xray_paths, 1000, XRAY),
    ("xray-depth", inputs.xray_depth, 1500, XRAY),
    ("xray-ends", inputs.xray_recursion, 1500, XRAY),
    ("xray-threads", inputs.xray_threads, 125, XRAY),
    ("xray-own-functions", inputs.xray_own_functions, 500, XRAY),
    ("xray-functions", inputs.xray_functions, 500, XRAY),
    ("callgrind-lines", inputs.callgrind_lines, 2000, PROFILE),
    ("callgrind-functions", inputs.callgrind_functions, 500, PROFILE),
    ("callgrind-arcs", inputs.callgrind_arcs, 8000, PROFILE),
    ("callgrind-depth", inputs.callgrind_chain, 500, PROFILE),
    ("callgrind-events", inputs.callgrind_events, 250, PROFILE),
    ("callgrind-formulas", inputs.callgrind_formulas, 250, PROFILE),
    ("callgrind-terms", inputs.callgrind_terms, 1000, PROFILE),
    ("callgrind-parts", inputs.callgrind_parts, 125, PROFILE),
    ("callgrind-own-functions", inputs.callgrind_own_functions, 500, PROFILE),
    ("gzip-records", inputs.gzip_records, 2000, COMPRESSED),
    ("xz-lines", inputs.xz_lines, 2000, COMPRESSED),
    ("profile-file", inputs.profile_file, 1000, PROFILE),
    ("folded-stacks", inputs.folded_stacks, 500, STACKS),
    ("pprof-samples", inputs.pprof_samples, 500, STACKS),
    ("perf-samples", inputs.perf_samples, 500, STACKS),
    ("folded-repeated", inputs.folded_repeated, 1000, TABLES),
    ("folded-depth", inputs.folded_depth, 500, TABLES),
    ("pprof-depth", inputs.pprof_depth, 500, TABLES),
    ("perf-threads", inputs.perf_threads, 250, TABLES + ("report --csv --threads",)),
    ("perf-depth", inputs.perf_depth, 500, TABLES),
    ("perf-script-samples", inputs.perf_script_samples, 500, TABLES),
    ("chrome-events", inputs.chrome_events, 500, TABLES + ("timeline", "dump --calls")),
    ("chrome-depth", inputs.chrome_depth, 1500, TABLES + ("timeline", "dump --calls")),
    ("speedscope-samples", inputs.speedscope_samples, 500, TABLES),
    ("xray-files", inputs.xray_files, 50, FILES),
    ("xray-forks", inputs.xray_forks, 50, FILES),
    ("callgrind-files", inputs.callgrind_files, 50, FILES),
    ("intel-pt-bytes", inputs.pt_bytes, 2, PT),
    ("xtrace-bytes", inputs.xtrace_bytes, 2, STREAM),
    ("map-functions", inputs.instrumentation_map, 1000, ("extract", "extract --json")),
)


def arguments(command, read, output):
    """The arguments of a command of the tables above for an input."""
    words = command.split()
    if words[0] == "query":
        return ["query", *read, "SELECT * FROM " + words[1]]
    if words[0] == "slice":
        return [*words, "0..1000000000", "-o", output, *read]
    if words[0] == "view":
        return [*words, "-o", output + ".html", *read]
    if words[0] == "map":
        return [*words, "-o", output + ".maps", *read]
    if words[0] == "diff":
        return [*words, *read, read[-1]]
    if words[0] == "merge":
        return [*words, *read, read[-1] + ".other"]
    return [*words, *read]


class Measured:
    def __init__(self, status, seconds, kibibytes, written):
        self.status, self.seconds, self.kibibytes, self.written = status, seconds, kibibytes, written

    def least(self, other):
        """Noise only adds."""
        return Measured(self.status, min(self.seconds, other.seconds), min(self.kibibytes, other.kibibytes), self.written)

    def excess(self, half):
        """What grew too much since the input of half the size, with how often it grew; None if nothing did. Time comes last."""
        for name, now, before, floor in (("memory", self.kibibytes, half.kibibytes, FLOOR_KIBIBYTES),
                                         ("output", self.written, half.written, FLOOR_BYTES),
                                         ("time", self.seconds, half.seconds, FLOOR_SECONDS)):
            if now > LIMIT * max(before, floor):
                return name, now / max(before, floor)
        return None


class Bench:
    def __init__(self, build, folder):
        self.program, self.launcher, self.folder = build + "/tracelathe", build + "/bench/measure", folder
        inputs.PROGRAM = self.program
        self.empty = Measured(0, 0, 0, 0)
        self.empty = self.run(["--version"], 3)
        self.spent = 0

    def run(self, words, runs=1):
        out = os.path.join(self.folder, "out")
        shutil.rmtree(out + ".maps", ignore_errors=True)
        for path in (out, out + ".html"):
            if os.path.exists(path):
                os.unlink(path)
        told = subprocess.run([self.launcher, str(runs), str(PROCESSOR_SECONDS), out + ".stdout", self.program, *words],
                              check=True, capture_output=True, text=True).stdout
        status, microseconds, kibibytes = map(int, told.split())
        paths = [out, out + ".html", out + ".stdout", *glob.glob(out + ".maps/*")]
        written = sum(os.path.getsize(p) for p in paths if os.path.exists(p))
        return Measured(status, max(microseconds / 1e6 - self.empty.seconds, 0), max(kibibytes - self.empty.kibibytes, 0),
                        written)


class Input:
    """One size of a family."""

    def __init__(self, bench, family, generate, size):
        self.bench, self.folder = bench, os.path.join(bench.folder, family, str(size))
        os.makedirs(self.folder)
        # The same file is not merged with itself: one that is hardly larger stands beside it.
        other = generate(self.folder, size + 20)[-1]
        os.rename(other, other + ".other")
        self.read = generate(self.folder, size)
        self.size = size

    def words(self, command):
        return arguments(command, self.read, os.path.join(self.bench.folder, "out"))

    def measure(self, command):
        measured = self.bench.run(self.words(command))
        self.bench.spent += measured.seconds + self.bench.empty.seconds
        return measured

    def instructions(self, command):
        """How many instructions a command executes, in all of its threads; None where valgrind cannot tell."""
        words = self.words(command)
        # The sandbox refuses calls of the system that valgrind itself makes.
        told = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                               self.bench.program, words[0], "--no-sandbox", *words[1:]],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace").stderr
        count = re.search(r"I +refs: +([\d,]+)", told)
        return int(count[1].replace(",", "")) if count else None


def too_dear(command, half, whole, halves, wholes):
    """(what, how often) if a doubling costs too much, measured several times if it seems so."""
    excess = wholes.excess(halves)
    for attempt in range(RETRIES):
        if not excess or wholes.status >= 128:
            break
        # What keeps the machine busy lasts longer than a run of some milliseconds.
        time.sleep(2 ** attempt / 50)
        halves, wholes = halves.least(half.measure(command)), wholes.least(whole.measure(command))
        excess = wholes.excess(halves)
    # A square takes four times as long, also where it is the system that takes it, whose instructions are not counted.
    if excess and excess[0] == "time" and excess[1] < 4 and wholes.status < 128 and shutil.which("valgrind"):
        before, now = half.instructions(command), whole.instructions(command)
        if before and now:
            return ("number of instructions", now / before) if now > LIMIT * before else None
    return excess


def judge(command, sizes, verbose):
    """None, or a text that says what grows out of proportion."""
    zero = Measured(0, 0, 0, 0)
    measured = {sizes[-1]: sizes[-1].measure(command)}
    last = measured[sizes[-1]]
    if verbose:
        print("  %-30s size %7d: %7.3f s %8.1f MiB, %10d bytes, status %d" %
              (command, sizes[-1].size, last.seconds, last.kibibytes / 1024, last.written, last.status), flush=True)
    if last.status > 1:
        return "status %d" % last.status
    if not last.excess(zero):
        return None
    for half, whole in reversed(list(zip(sizes, sizes[1:]))):
        measured[half] = half.measure(command)
        excess = too_dear(command, half, whole, measured[half], measured[whole])
        if excess:
            return "%s grows %.1f times from size %d to %d" % (*excess, half.size, whole.size)
        if not measured[half].excess(zero):
            return None
    return None


def unknown_commands(program):
    """Commands that are neither measured nor excused."""
    told = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    names = re.findall(r"^  ([a-z]+)  ", told, re.M) + re.search(r"also: (.*)", told).group(1).split(", ")
    known = {command.split()[0] for family in FAMILIES for command in family[3]} | set(NOT_MEASURED)
    return [name for name in names if name not in known]


def absent(bench):
    """Commands that this build cannot do, with what they say: the page of flame graphs and SQL are optional."""
    missing = {}
    read = inputs.xray_records(bench.folder, 100)
    for command in ("flame", "query functions", "view --static"):
        words = [bench.program, *arguments(command, read, os.path.join(bench.folder, "out"))]
        told = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if told.returncode == 2 and "without" in told.stderr:
            missing[command.split()[0]] = told.stderr.strip()
            print("not measured: " + told.stderr.strip())
    return missing


def chosen(options, missing):
    for name, generate, size, commands in FAMILIES:
        if options.family and options.family != name:
            continue
        yield name, generate, size * options.scale, [
            c for c in commands if (not options.command or options.command == c) and
            c.split()[0] not in missing - ({"flame"} if c == "flame --svg" else set())]


def run(options, folder):
    bench, failed, count = Bench(os.path.abspath(options.build), folder), [], 0
    for name, generate, size, commands in chosen(options, set(absent(bench))):
        if not commands:
            continue
        if options.verbose:
            print(name)
        sizes = [Input(bench, name, generate, size << doubling) for doubling in range(DOUBLINGS + 1)]
        for command in commands:
            fault = judge(command, sizes, options.verbose)
            count += 1
            if fault:
                failed.append("%s: %s: %s" % (name, command, fault))
                print("FAILED " + failed[-1], flush=True)
        shutil.rmtree(os.path.join(folder, name))
    print("%d pairs of command and family, %d out of proportion, %.0f s of processor time" % (count, len(failed), bench.spent))
    return bool(failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--family")
    parser.add_argument("--command")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    unknown = unknown_commands(options.build + "/tracelathe")
    if unknown:
        sys.exit("proportion: not measured: " + ", ".join(unknown))
    with tempfile.TemporaryDirectory() as folder:
        return run(options, folder)


if __name__ == "__main__":
    sys.exit(main())
