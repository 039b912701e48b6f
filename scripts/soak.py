#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random commands with random options over random mutants of the small recordings, for hours: what an hour of use finds.

  scripts/soak.py PROGRAM [--library FILE] [--seconds N | --runs N] [--seed S] [--memory MIB] [--inputs N]

Each run is judged by rules that hold whatever the input is:
- no signal ends the command, and its status is 0 to 3; 1 and 2 come with a word on standard error (of check: violations);
- its output is the file of -o or nothing, and neither its folder nor TMPDIR keeps another file or process;
- it ends within LONGEST seconds of processor time and never holds more than --memory MiB (default: 1024);
- every SECOND-th run is made again with another number of jobs, which must give the same status and bytes.
With --library, one process then opens mutants through the shared library (the Python package) until its memory has had
time to grow: of its second half it may not grow by more than GROWTH.

The same seed makes the same runs. Prints each run that broke a rule, with the command to repeat it, whose inputs stay in
the folder that it names. Exit status: 0 all runs kept the rules, 1 one did not.
"""
import argparse
import glob
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("TL_SHARED", os.path.join(os.path.dirname(ROOT), "shared"))
FOLDERS = [os.path.join(ROOT, "tests/golden"), os.path.join(ROOT, "tests/corpus"), os.path.join(ROOT, "fuzz/corpus"),
           os.path.join(SHARED, "corpus")]
LARGEST_INPUT = 1 << 20
LONGEST, SECOND, GROWTH = 60, 8, 16 << 20
COMMANDS = ("info check dump report tree stacks flame timeline convert annotate analyze diff merge slice query extract view "
            "map").split()
# Not for an unattended run: they wait, ask, read a user's files, or name files of the machine.
NEVER = set("help config no-sandbox progress port no-open open output index debuginfod runs scratch list".split())
# Values by the word that stands for them in the help.
VALUES = {
    "N": "0 1 2 3 7 64 1000 4294967296 18446744073709551615".split(), "FROM..TO": "0..1 1..1000 5ms..1s 100.. ..100 7..7".split(),
    "I..J": "0..1 1..2 0..0".split(), "ID": "0 1 2 1000 -1".split(), "REGEX": [".", "^main$", "a|e", "(", "x{1000}"],
    "PERCENT": "0 1 2.5 100".split(), "NAME": "Ticks Ir main callgrind xray".split(), "COLUMN": "self calls function sum".split(),
    "BYTES": "1 64 4096".split(), "TICKS": "0 1 100000".split(), "TIME": "1us 1ms 1s".split(), "DEPTH": "1 10 1000000".split(),
    "0|1|2|3": "0 1 2 3".split(),
}
QUERIES = ["SELECT count(*) FROM functions", "SELECT * FROM calls ORDER BY start LIMIT 9", "SELECT name, self FROM functions",
           "SELECT function, sum(duration) FROM calls GROUP BY function", "SELECT * FROM damage", "SELECT * FROM records LIMIT 50",
           "SELECT * FROM losses, parts", "SELECT nothing", "SELECT max(depth) FROM contexts WHERE calls > 1"]


def find_inputs(program, most, choose):
    """Lists of files that are read together: mostly one, a stream of tokens with its snapshots; those of at most `most` that
    `program` knows."""
    files = [path for folder in FOLDERS for path in sorted(glob.glob(os.path.join(folder, "**", "*"), recursive=True))
             if os.path.isfile(path) and 0 < os.path.getsize(path) <= LARGEST_INPUT]
    if len(files) > most:
        files = choose.sample(files, most)
    if program:
        files = [path for path in files if subprocess.run([program, "info", path], stdout=subprocess.DEVNULL,
                                                          stderr=subprocess.DEVNULL).returncode < 2]
    return [[path, path.replace("xinsndata", "xsnapshot")] if "xinsndata" in path and
            os.path.exists(path.replace("xinsndata", "xsnapshot")) else [path] for path in files]


# ---- what is run ----------------------------------------------------------------------------------------------


def options_of(program, command):
    """(name, word for its value or None) of each option that a run may have."""
    text = subprocess.run([program, "help", command, "--all"], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = re.findall(r"^  (?:-.,|   ) --([a-z][\w.-]*)(?:\[?[= ](\S+))?", text, re.M)
    return [(name, value.rstrip("]") or None) for name, value in found if name not in NEVER]


def option(choose, row):
    name, word = row
    if word is None:
        return ["--" + name]
    values = VALUES.get(word.split("[")[0]) or (word.strip("|").split("|") if "|" in word else None)
    return ["--%s=%s" % (name, choose.choice(values))] if values else []


def damaged(choose, data, others):
    """A mutant: bytes changed, cut, doubled, left out, or those of another file at the same place."""
    data = bytearray(data)
    for _ in range(choose.choice((0, 1, 1, 1, 2, 4, 16))):
        at = choose.randrange(len(data) + 1)
        size = choose.choice((1, 2, 4, 8, 64, choose.randrange(1, len(data) + 2)))
        kind = choose.randrange(7)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << choose.randrange(8)
        elif kind == 1:
            data[at:at + size] = choose.choice((b"\0", b"\xff", b"\x80", b"0", b"\n")) * min(size, len(data) - at)
        elif kind == 2:
            data[at:at + size] = b""
        elif kind == 3:
            data[at:at] = data[at:at + min(size, 4096)]
        elif kind == 4:
            del data[at:]
        elif kind == 5:
            data[at:at + size] = choose.randbytes(min(size, 64))
        else:
            data[at:at + size] = others[at:at + size]
        if not data:
            return b"\0"
    return bytes(data)


class Runs:
    def __init__(self, program, seed, memory, most=100000):
        self.program, self.memory, self.choose = os.path.abspath(program), memory, random.Random(seed)
        self.inputs = find_inputs(self.program, most, self.choose)
        self.options = {command: options_of(self.program, command) for command in COMMANDS}
        self.targets = [word for _, words in self.options["convert"] if words and "|" in words for word in words.split("|")]
        self.folder = tempfile.mkdtemp(prefix="soak-")
        self.count, self.broken, self.statuses = 0, 0, {}

    def mutants(self):
        paths, others = self.choose.choice(self.inputs), self.choose.choice(self.inputs)[0]
        with open(others, "rb") as file:
            other = file.read()
        for path in paths:
            with open(path, "rb") as file:
                yield os.path.basename(path), damaged(self.choose, file.read(), other)

    def arguments(self, command, names):
        choose = self.choose
        given = [command] + (["--static"] if command == "view" else [])
        for row in choose.sample(self.options[command], min(choose.choice((0, 0, 0, 1, 1, 2)), len(self.options[command]))):
            given += option(choose, row)
        return given + ["-o", "out"] + names + ([choose.choice(QUERIES)] if command == "query" else [])

    def one(self):
        self.count += 1
        place = os.path.join(self.folder, str(self.count))
        command = self.choose.choice(COMMANDS)
        names = []
        os.makedirs(os.path.join(place, "tmp"))
        for _ in range(self.choose.choice((1, 1, 2)) if command in ("diff", "merge", "map", "report") else 1):
            for name, data in self.mutants():
                names.append("%d-%s" % (len(names), name))
                with open(os.path.join(place, names[-1]), "wb") as file:
                    file.write(data)
        arguments = self.arguments(command, names)
        first = self.run(place, arguments, names)
        if not first[2] and self.count % SECOND == 0 and "--jobs" not in " ".join(arguments):
            second = self.run(place, arguments + ["--jobs=3"], names)
            if first != second:
                first = (first[0], first[1], second[2] or ["three jobs answer otherwise: status %d" % second[0]])
        self.statuses[first[0]] = self.statuses.get(first[0], 0) + 1
        if first[2]:
            self.broken += 1
            print("%s: cd %s && TMPDIR=$PWD/tmp %s" % ("; ".join(first[2]), place,
                                                      shlex.join([self.program] + arguments)), flush=True)
        else:
            shutil.rmtree(place)

    def run(self, place, arguments, names):
        """Status, output, and the rules that were broken."""
        with tempfile.TemporaryFile() as words:
            child = subprocess.Popen([self.program] + arguments, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=words, start_new_session=True, env=dict(os.environ, TMPDIR=os.path.join(place, "tmp"), HOME=place),
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST)))
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = 0
            words.seek(0)
            said = words.read()
        broken, output = [], take(os.path.join(place, "out"))
        code = os.waitstatus_to_exitcode(status)
        if code < 0:
            broken.append("ended by signal %d" % -code)
        elif code > 3 or (code == 3 and arguments[0] != "diff"):
            broken.append("status %d" % code)
        elif code in (1, 2) and not said.strip() and not (code == 1 and arguments[0] == "check" and output):
            broken.append("status %d without a word" % code)
        if usage.ru_maxrss > self.memory << 10:
            broken.append("%d MiB of memory" % (usage.ru_maxrss >> 10))
        if os.listdir(os.path.join(place, "tmp")):
            broken.append("a file stays in TMPDIR")
        left = set(os.listdir(place)) - set(names) - {"tmp"}
        if left:
            broken.append("a file stays: " + " ".join(sorted(left)))
        try:
            os.killpg(child.pid, signal.SIGKILL)
            broken.append("a process stays")
        except ProcessLookupError:
            pass
        return code, output, broken


def take(path):
    """The bytes of an output, which goes; of a folder the sorted list of its files."""
    if os.path.isdir(path):
        listed = sorted(os.listdir(path))
        shutil.rmtree(path)
        return repr(listed).encode()
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        data = file.read()
    os.remove(path)
    return data


# ---- one process that opens many ------------------------------------------------------------------------------

OPENER = """
import random, sys
sys.path[:0] = [%(package)r, %(scripts)r]
import soak, tracelathe, os, time
runs, place, end = soak.Runs.__new__(soak.Runs), sys.argv[1], time.time() + float(sys.argv[2])
runs.choose = random.Random(%(seed)r)
runs.inputs = soak.find_inputs(None, 100000, runs.choose)
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
opened, highest = 0, [0, 0]
begin = time.time()
while time.time() < end:
    paths = []
    for name, data in runs.mutants():
        paths.append(os.path.join(place, name))
        with open(paths[-1], "wb") as file:
            file.write(data)
    try:
        with tracelathe.open(*paths, jobs=runs.choose.choice((1, 2))) as trace:
            trace.functions, trace.damage, sum(1 for _ in trace.arcs)
    except tracelathe.Error:
        pass
    for path in paths:
        os.remove(path)
    opened += 1
    half = time.time() - begin > (end - begin) / 2
    highest[half] = max(highest[half], resident())
print(opened, *highest)
"""


def flat_memory(library, seconds, seed, folder):
    """Whether one process that opens mutants for so long keeps its memory."""
    place = os.path.join(folder, "opened")
    os.mkdir(place)
    text = OPENER % {"package": os.path.join(ROOT, "bindings/python"), "scripts": os.path.join(ROOT, "scripts"), "seed": seed}
    done = subprocess.run([sys.executable, "-c", text, place, str(seconds)], stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ, TRACELATHE_LIBRARY=os.path.abspath(library), PYTHONDONTWRITEBYTECODE="1"))
    if done.returncode:
        print("the process that opens mutants ended with %d" % done.returncode)
        return False
    opened, first, second = map(int, done.stdout.split())
    print("one process opened %d inputs: at most %d MiB in the first half, %d MiB in the second" %
          (opened, first >> 20, second >> 20))
    return second <= first + GROWTH


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--library")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memory", type=int, default=1024)
    parser.add_argument("--inputs", type=int, default=100000, help="files that mutants are made of, at most")
    asked = parser.parse_args()
    os.environ["LC_ALL"] = "C"
    runs = Runs(asked.program, asked.seed, asked.memory, asked.inputs)
    end = time.time() + asked.seconds * (0.75 if asked.library else 1)
    while runs.count < asked.runs if asked.runs else time.time() < end:
        runs.one()
    flat = not asked.library or flat_memory(asked.library, asked.seconds / 4, asked.seed, runs.folder)
    print("%d runs, seed %d: status %s; %d broke a rule" %
          (runs.count, asked.seed, ", ".join("%d of %d" % (n, status) for status, n in sorted(runs.statuses.items())), runs.broken))
    if runs.broken or not flat:
        return 1
    shutil.rmtree(runs.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
