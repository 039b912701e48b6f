#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plant small faults in a part of src/, one at a time, and count those that its tests do not notice.

  scripts/mutate.py ROOM[/SUB][/FILE.c] [--count N] [--seed S] [--jobs J] [--list] [--unit]
  scripts/mutate.py . [--rooms A,B] [--count N] [--seed S] ...   faults drawn over all of src/, each held against the tests of its room

A fault: a relational operator swapped, a constant off by one, a condition negated, `&&` and `||` exchanged, a statement
deleted, a return value changed, `+` and `-` exchanged. Each is held against the unit tests of the room (TESTED_IN), then
against the command's cases (tests/cli) that read the room's format, or all cases where the room is not one of a format, then
against the scripts that try the room through the command (SCRIPTS); the first test that fails, crashes or hangs ends it. A
fault that does not compile, or that gives the object code of the original with -O0 or -O2, is replaced by another. The same
seed and sources plant the same faults.

Only tests that execute the line of a fault can notice it, so each test is run once with counters in the objects of the part
(kept in build-mutants/ until the test or its program changes), and a line that none executes is said to be "not executed".
What a process executes that ends by a signal is not counted.

All work happens in a copy of the tree, build-mutants/, that later runs bring up to date; nothing else is written to. Under
root the tests run as nobody, since a fault may write where it should not.
Without ../shared, so that only what is in the tree counts as a test. Prints each survivor as `file:line: before -> after`.
Exit status: 0 measured, 2 bad usage, or the copy does not build.
"""
import argparse
import bisect
import concurrent.futures
import fcntl
import functools
import hashlib
import itertools
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import faults

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLACE = os.path.join(ROOT, "build-mutants")
TREE = os.path.join(PLACE, "tree")
BUILD = os.path.join(TREE, "build")
COUNTED = os.path.join(PLACE, "counted")  # objects and programs with counters, and what they count
CASES = os.path.join(TREE, "tests/cli/cases")
# Words in a case of tests/cli that say which format it reads; rooms without an entry are held against all cases.
FORMAT_CASES = {
    "xray": r"xray|truth|fib", "intel_pt": r"\bpt\b|\.pt\b|intel_pt|perf", "perf_data": "perf", "xtrace": "xtrace|analyze",
    "callgrind": "callgrind", "foreign": r"folded|speedscope|chrome|perf.script|foreign", "folded": "folded", "gmon": "gmon",
    "speedscope": "speedscope", "chrome_trace": "chrome", "perf_script": r"perf.script", "pprof": "pprof|pb.gz",
    "perfetto": "perfetto|pftrace", "uftrace": "uftrace", "insn_log": "insn.log", "etm": "etm", "mpi": "mpi"}
# Folders of tests/unit that try a room, where that is not the room's own alone: what rooms share is tried through one of
# them, and what has no reader of its own through the rooms above it.
TESTED_IN = {
    "chrome_trace": ("chrome_trace", "foreign"), "folded": ("folded", "foreign"), "perf_script": ("perf_script", "foreign"),
    "speedscope": ("speedscope", "foreign"), "foreign": ("foreign", "chrome_trace", "folded", "perf_script", "speedscope"),
    # Packed profiles are those of Callgrind files.
    "export": ("export", "callgrind"), "report": ("report", "callgrind"),
    # Calls inside a cycle are those of Callgrind files.
    "profile": ("profile", "export", "open", "callgrind"), "timeline": ("timeline", "open"), "open": ("open", "query", "timeline", "view")}
# Tests of the build that are scripts, or programs with arguments: what a room says is held against a peer, or against itself
# said in another way. Only those that need nothing but the tree and packages, and take seconds.
SCRIPTS = {
    "callgrind": ("callgrind_truth", "callgrind_tools"), "chrome_trace": ("foreign",), "cli": ("shell",),
    "export": ("exports",), "folded": ("foreign",), "foreign": ("foreign",), "gmon": ("gmon",),
    "intel_pt": ("pt_profile", "pt-packets", "flows", "situations-overflows", "situations-errata", "situations-clocks"), "mpi": ("fleet",), "perf_data": ("branches", "samples", "compiled"),
    "perf_script": ("foreign",), "perfetto": ("perfetto_read",), "uftrace": ("uftrace",), "insn_log": ("insn_log",), "etm": ("etm", "etm-packets"), "pprof": ("pprof_read",), "profile": ("runs",),
    "query": ("query",), "speedscope": ("foreign",), "symbols": ("cfi-rows",), "timeline": ("timelines",),
    "view": ("view-server", "browse"), "xray": ("records", "xray_tools", "records_yaml"),
    "xtrace": ("xtrace_profile", "conversions", "xtrace_slices")}
COUNTED_END = """
void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
_Noreturn void __wrap__exit(int status) { __gcov_dump(); __real__exit(status); }
"""
CONFINES = "src/cli/confine/confine.c"  # a command that counts may write its counts (TL_COVERAGE)
MODULES = "web/node_modules"  # what `make deps` gets: without it there is no page
NOBODY = 65534
# The build's may stand where nobody may not go.
PYTHON = shutil.which("python3", path="/usr/bin:/bin") if os.geteuid() == 0 else sys.executable
SLOWEST = 15  # seconds of processor time: a test that takes more than this without a fault is left out


# ---- the copy -------------------------------------------------------------------------------------------------


def git_files():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE).stdout.decode().split("\0")
    return {name for name in listed if name and os.path.isfile(os.path.join(ROOT, name))}


def same_file(one, other):
    if not os.path.exists(other) or os.stat(one).st_size != os.stat(other).st_size:
        return False
    with open(one, "rb") as first, open(other, "rb") as second:
        return first.read() == second.read()


def synchronize():
    """Make TREE what ROOT is, changed files only, so that ninja builds no more than it has to."""
    wanted = git_files()
    for where, folders, names in os.walk(TREE):
        folders[:] = [name for name in folders if os.path.join(where, name) != BUILD]
        for name in names:
            path = os.path.join(where, name)
            if os.path.relpath(path, TREE) not in wanted:
                os.remove(path)
    modules = os.path.join(ROOT, MODULES)
    if os.path.isdir(modules) and not os.path.exists(os.path.join(TREE, MODULES)):
        os.makedirs(os.path.join(TREE, os.path.dirname(MODULES)), exist_ok=True)
        os.symlink(os.path.realpath(modules), os.path.join(TREE, MODULES))
    for name in wanted:
        source, target = os.path.join(ROOT, name), os.path.join(TREE, name)
        if not same_file(source, target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)
            os.utime(target)


def output_of(command, cwd=BUILD, **more):
    run = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if run.returncode:
        print(run.stdout[-4000:], file=sys.stderr)
        print("mutate: %s failed" % " ".join(command[:4]), file=sys.stderr)
        sys.exit(2)
    return run.stdout


def prepare(room, unit):
    """Build the copy; the tests that can say something about a room."""
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        # Without debug information object code compares byte by byte, and ccache serves every copy of a source.
        linker = {"CC_LD": "mold"} if shutil.which("mold") else {}
        output_of(["meson", "setup", BUILD, "--buildtype=plain", "-Doptimization=0", "-Dwerror=false"], TREE,
                  env=dict(os.environ, CC="gcc", **linker))
    output_of(["ninja", "build.ninja"])
    targets, known = targets_and_tests()
    tests = unit_tests(room, targets, known)
    if not unit:
        tests += [*command_cases(room), *scripts(room, targets, known)]
    output_of(["ninja"] + sorted({test.program for test in tests}))
    return tests


# ---- the tests ------------------------------------------------------------------------------------------------


class Test:
    """A program, a case of tests/cli or a script: the program it tries, how to call it, how long it takes, what it executes.
    `words` is the call, where None stands for the program's path; `files` is what a call of the same words depends on."""

    def __init__(self, name, program, words=(None,), env=None, files=()):
        self.name, self.program, self.words, self.env, self.files = name, program, words, env or {}, files
        self.passes, self.seconds, self.wall = False, 0.0, 0.0
        self.lines = {}  # source -> lines that the test executes

    def run(self, program, folder, limit):
        """True where the test passes. `program` is its executable, `folder` is for its temporary files."""
        command = [program if word is None else word for word in self.words]
        env = {**os.environ, "TMPDIR": folder, "HOME": folder, "MALLOC_PERTURB_": "85", **self.env}
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)

        def limits():
            # A fault may write anywhere; as root it would replace devices.
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 1))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            # A test that tries for more than this is told so, and may go on.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        # A session of its own: what hangs is ended with all that it started.
        process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=limits)
        try:
            return process.wait(timeout=4 * limit + 5 * self.wall) in (0, 77)
        except subprocess.TimeoutExpired:
            return False
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def targets_and_tests():
    return [json.loads(output_of(["meson", "introspect", what])) for what in ("--targets", "--tests")]


def furnish(folder):
    """What the command looks for beside itself: ready queries, the run-times of `record`."""
    for name in ("src", "recorder", "emulator"):
        os.symlink(os.path.join(BUILD, name), os.path.join(folder, name))


def unit_tests(room, targets, tests):
    folders = tuple(os.path.join(TREE, "tests/unit", folder) + "/" for folder in TESTED_IN.get(room, (room,)))
    ours = {target["filename"][0] for target in targets
            if any(source.startswith(folders) for group in target["target_sources"] for source in group.get("sources", []))}
    return [Test(test["name"], os.path.relpath(test["cmd"][0], BUILD), env=test["env"])
            for test in tests if test["cmd"][0] in ours]


def scripts(room, targets, tests):
    """A script is held against each program that it calls: the room may be in more than one."""
    programs = {name for target in targets for name in target["filename"]}
    for test in tests:
        if test["name"] in SCRIPTS.get(room, ()):
            paths = [os.path.normpath(os.path.join(BUILD, word)) for word in test["cmd"]]
            for program in programs.intersection(paths):
                first = test["cmd"][0] if paths[0] in programs else PYTHON
                words = tuple(None if path == program else path if path in programs else word
                              for path, word in zip(paths, [first] + test["cmd"][1:]))
                yield Test(test["name"], os.path.relpath(program, BUILD), words, test["env"], test["cmd"][1:2])


def command_cases(room):
    wanted = re.compile(FORMAT_CASES.get(room, ""))
    for name in sorted(os.listdir(CASES)):
        if name.endswith(".cmd"):
            with open(os.path.join(CASES, name), encoding="utf-8") as file:
                if wanted.search(name + " " + file.read()):
                    case = name[:-4]
                    yield Test("cli " + case, "tracelathe", (os.path.join(TREE, "tests/cli/run.sh"), None, case),
                               files=[os.path.join(CASES, "%s.%s" % (case, end)) for end in ("cmd", "out", "err", "status")])


# ---- the programs ---------------------------------------------------------------------------------------------


def commands(*rules):
    """The commands of the build that are made by these rules; Meson writes the words of a long one to a file (`_RSP`)."""
    rules += tuple(rule + "_RSP" for rule in rules)
    return json.loads(output_of(["ninja", "-t", "compdb", "-x", *rules]))


class Builder:
    """How ninja compiles each source, and how it links each program."""

    def __init__(self):
        self.compile = {}
        for entry in commands("c_COMPILER"):
            source = os.path.relpath(os.path.join(BUILD, entry["file"]), TREE)
            self.compile.setdefault(source, {})[entry["output"]] = entry["command"]
        self.members, self.link = {}, {}
        for entry in commands("STATIC_LINKER", "c_LINKER"):
            words = shlex.split(entry["command"])
            if entry["output"].endswith(".a"):
                self.members[entry["output"]] = set(words)
            else:
                self.link[entry["output"]] = words

    def object_of(self, source, program):
        """The object of a source that a program is linked from, itself or by way of an archive; None where it is not."""
        outputs = self.compile.get(source, {})
        for output in outputs:
            if output in self.link[program]:
                return output
        for output in outputs:
            if any(output in self.members.get(word, ()) for word in self.link[program]):
                return output
        return None

    def compiled(self, source, output, path, target, options=()):
        """Compile `path`, a copy of `source`, to `target`; the bytes of the object, or None."""
        words = shlex.split(self.compile[source][output])
        while words[0].endswith("ccache"):
            words.pop(0)
        kept, skip = [], 0
        for word in words:
            if skip:
                skip -= 1
            elif word in ("-o", "-MF", "-MQ"):
                skip = 1
            elif word not in ("-MD", "-c") and not word.endswith(".c"):
                kept.append(word)
        kept += ["-w", "-iquote", os.path.dirname(os.path.join(TREE, source)), *options, "-c", path, "-o", target]
        run = subprocess.run(kept, cwd=BUILD, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if run.returncode:
            return None
        with open(target, "rb") as file:
            return file.read()

    def linked(self, program, replaced, target, options=()):
        """Link a program to `target` with other objects: `replaced` has object -> what takes its place."""
        words = [target if word == program else replaced.get(word, word) for word in self.link[program]]
        # Before its archive an object is found first, and the member is not needed then.
        words[words.index("-o") + 2:0] = [new for new in replaced.values() if new not in words] + list(options)
        return not subprocess.run(words, cwd=BUILD, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


# ---- what each test executes ----------------------------------------------------------------------------------


class Counters:
    """The objects of a part compiled with counters, and what gcov says of them."""

    def __init__(self, builder, sources, tests):
        shutil.rmtree(COUNTED, ignore_errors=True)
        os.makedirs(COUNTED)
        if os.geteuid() == 0:
            os.chown(COUNTED, NOBODY, NOBODY)  # the tests write their counts there
        furnish(COUNTED)
        self.builder, self.objects = builder, {}
        # A process of a test that ends by _exit() writes its counts before.
        self.ends = os.path.join(COUNTED, "ends.o")
        output_of(["gcc", "-xc", "-c", "-o", self.ends, "-"], input=COUNTED_END)
        for source in {*sources, CONFINES}:
            for output in builder.compile.get(source, {}):
                options = ("--coverage",) if source in sources else ()
                # The unit test of the sandbox has its own, which confines.
                options += () if output.startswith("tests/test-") else ("-DTL_COVERAGE",)
                target = os.path.join(COUNTED, output.replace("/", "_"))
                path = os.path.join(TREE, source)
                if builder.compiled(source, output, path, target, options):
                    self.objects[source, output] = target
        self.programs = {program: self.program(program) for program in {test.program for test in tests}}
        self.known, self.functions = {}, {}  # source -> sorted lines with code; ranges of its functions
        for source, file in self.counts(".gcno"):
            lines = {line["line_number"] for line in file["lines"]}
            self.known[source] = sorted(lines | set(self.known.get(source, ())))
            self.functions.setdefault(source, []).extend((f["start_line"], f["end_line"]) for f in file["functions"])

    def program(self, program):
        """The program with counters; None where nothing of the part is linked into it."""
        replaced = {output: target for (source, output), target in self.objects.items()
                    if self.builder.object_of(source, program) == output}
        target = os.path.join(COUNTED, os.path.basename(program))
        options = ("--coverage", self.ends, "-Wl,--wrap=_exit")
        if not replaced or not self.builder.linked(program, replaced, target, options):
            return None
        return target

    def counts(self, suffix):
        names = [name for name in os.listdir(COUNTED) if name.endswith(suffix)]
        if not names:
            return
        run = subprocess.run(["gcov", "--json-format", "--stdout"] + names, cwd=COUNTED, check=True, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for document in (json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")):
            for file in document["files"]:
                if file["file"].endswith(".c"):
                    yield os.path.relpath(os.path.join(BUILD, file["file"]), TREE), file

    def measure(self, test):
        """Run a test unharmed: does it pass, how long does it take, what does it execute."""
        program = self.programs[test.program]
        if not program:
            return
        with tempfile.TemporaryDirectory(dir=PLACE) as folder:
            os.chmod(folder, 0o755)
            before, start = processor_seconds(), time.monotonic()
            test.passes = test.run(program, folder, 10 * SLOWEST)
            test.seconds, test.wall = processor_seconds() - before, time.monotonic() - start
        if not test.passes or test.seconds > SLOWEST:
            note("left out: %s %s" % (test.name, "takes %.0f s" % test.seconds if test.passes else "fails without a fault"))
            test.passes = False
        for source, file in self.counts(".gcda"):
            executed = {line["line_number"] for line in file["lines"] if line["count"]}
            test.lines[source] = sorted(executed | set(test.lines.get(source, ())))
        for name in os.listdir(COUNTED):
            if name.endswith(".gcda"):
                os.remove(os.path.join(COUNTED, name))

    def near(self, fault):
        """The lines with code that a fault belongs to: its own, or the two around it, as a statement can have many lines.
        None where the fault stands outside functions."""
        known = self.known.get(fault.path, ())
        if not any(first <= fault.line <= last for first, last in self.functions.get(fault.path, ())):
            return None
        at = bisect.bisect_left(known, fault.line)
        if at < len(known) and known[at] == fault.line:
            return {fault.line}
        return set(known[max(at - 1, 0):at + 1])

    def executing(self, fault, tests):
        """The tests that execute the line of a fault."""
        near = self.near(fault)
        return [test for test in tests if fault.path in test.lines and
                (near is None or not near.isdisjoint(test.lines[fault.path]))]


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fingerprint(*paths):
    """A digest of files, of which some may not be there."""
    digest = hashlib.sha256()
    for path in paths:
        if os.path.exists(path):
            with open(path, "rb") as file:
                digest.update(file.read())
        digest.update(b"|")
    return digest.hexdigest()


def data_of_tests():
    """A digest of what tests read: all files below tests/ that are neither sources nor cases."""
    listed = []
    for where, _, names in os.walk(os.path.join(TREE, "tests")):
        for name in names:
            if where != CASES and not name.endswith((".c", ".h", ".build", ".py")):
                status = os.stat(os.path.join(where, name))
                listed.append("%s/%s %d %d" % (where, name, status.st_size, status.st_mtime_ns))
    return hashlib.sha256("\n".join(sorted(listed)).encode()).hexdigest()


def measure(part, counters, tests):
    """Run all tests unharmed, or take what the last run has found; those that can say something, the quickest first."""
    path = os.path.join(PLACE, "measured2-%s.json" % part.replace("/", "-"))
    old, new, data = {}, {}, data_of_tests()
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            old = json.load(file)
    program = functools.lru_cache(None)(lambda program: fingerprint(counters.programs[program] or ""))
    for test in tests:
        key = " ".join((test.name, program(test.program), fingerprint(*test.files), data))
        if key in old:
            test.passes, test.seconds, test.wall, test.lines = old[key]
        else:
            counters.measure(test)
        new[key] = test.passes, test.seconds, test.wall, test.lines
        # What is measured stays, whatever ends this.
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump({**old, **new}, file)
        os.replace(path + ".new", path)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(new, file)
    kept = [test for test in tests if test.passes]
    if not kept:
        note("no test passes in " + BUILD + (": is it readable for nobody?" if os.geteuid() == 0 else ""))
        sys.exit(2)
    return sorted(kept, key=lambda test: (len(test.words), test.seconds))


# ---- planting -------------------------------------------------------------------------------------------------

NOT_EXECUTED = "not executed"


class Planter:
    def __init__(self, builder, counters, tests):
        self.builder, self.counters, self.tests = builder, counters, tests
        self.lock = threading.Lock()
        self.caught = {}  # file -> tests that caught a fault in it, the last first
        self.originals = {}  # (source, object, options) -> bytes of the object without a fault

    def order(self, fault):
        """The tests that can notice a fault, those first that noticed others in its file."""
        tests = self.counters.executing(fault, self.tests)
        with self.lock:
            first = [test for test in self.caught.get(fault.path, []) if test in tests]
        return first + [test for test in tests if test not in first]

    def caught_by(self, path, test):
        with self.lock:
            tests = self.caught.setdefault(path, [])
            if test in tests:
                tests.remove(test)
            tests.insert(0, test)

    def plant(self, fault):
        """None where the fault does not count, else the test that caught it, NOT_EXECUTED, or "" """
        with tempfile.TemporaryDirectory(dir=PLACE) as folder:
            os.chmod(folder, 0o755)
            furnish(folder)
            return self.plant_in(fault, folder)

    def changes(self, fault, output, folder, options=()):
        """Whether original and mutant differ as objects; the mutant is left as mutant.o."""
        path, target = os.path.join(folder, os.path.basename(fault.path)), os.path.join(folder, "mutant.o")

        def compiled(text):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            # The folder of the copy must not show in the object.
            return self.builder.compiled(fault.path, output, path, target, options + ("-ffile-prefix-map=%s=." % folder,))

        key = fault.path, output, options
        if key not in self.originals:
            with open(os.path.join(TREE, fault.path), encoding="utf-8") as file:
                self.originals[key] = compiled(file.read())
        mutant = compiled(fault.text)
        return mutant is not None and mutant != self.originals[key]

    def plant_in(self, fault, folder):
        if fault.path not in self.builder.compile:
            return None  # it stands in for a library that is here
        tests = self.order(fault)
        outputs, programs = {}, {}
        for test in tests:
            output = self.builder.object_of(fault.path, test.program)
            if output not in outputs:
                outputs[output] = os.path.join(folder, str(len(outputs)))
                os.mkdir(outputs[output])
                if not self.changes(fault, output, outputs[output]):
                    return None
            if test.program not in programs:
                target = programs[test.program] = os.path.join(folder, os.path.basename(test.program))
                if not self.builder.linked(test.program, {output: os.path.join(outputs[output], "mutant.o")}, target):
                    return None
            scratch = tempfile.mkdtemp(dir=folder)
            if not test.run(programs[test.program], scratch, 3 * test.seconds + 2):
                self.caught_by(fault.path, test)
                return test.name
            shutil.rmtree(scratch, ignore_errors=True)
            if test.words == (None,):
                os.remove(programs.pop(test.program))
        for output in outputs or list(self.builder.compile[fault.path])[:1]:
            if not self.changes(fault, output, folder) or not self.changes(fault, output, folder, ("-O2",)):
                return None
        return "" if tests else NOT_EXECUTED


def note(text):
    print("mutate: " + text, file=sys.stderr, flush=True)


def report(fault, test, everything):
    if test in ("", NOT_EXECUTED):
        print(fault.shown + ("  [not executed]" if test else ""), flush=True)
    elif everything:
        print("%s  [%s]" % (fault.shown, test or "does not count"), flush=True)


class Counts:
    """What became of faults."""

    def __init__(self):
        self.counted, self.left_out, self.survivors, self.not_executed = 0, 0, 0, 0

    def add(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def told(self, part, seed):
        print("%s: %d of %d faults survived (%d %%), %d of them not executed, %d more did not count; seed %d"
              % (part, self.survivors, self.counted, round(100 * self.survivors / max(self.counted, 1)), self.not_executed,
                 self.left_out, seed), flush=True)


def plant_all(planter, args, candidates, count):
    """Plant the first `count` candidates that count."""
    counts = Counts()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        while counts.counted < count:
            batch = list(itertools.islice(candidates, count - counts.counted))
            if not batch:
                break
            for fault, test in zip(batch, pool.map(planter.plant, batch)):
                counts.left_out += test is None
                counts.counted += test is not None
                counts.survivors += test in ("", NOT_EXECUTED)
                counts.not_executed += test == NOT_EXECUTED
                report(fault, test, args.list)
    return counts


def planter_of(part, args, candidates):
    """What faults of a part are held against. Counters cost time in each test: only files with a candidate have them."""
    tests, builder = prepare(part.split("/")[0], args.unit), Builder()
    counters = Counters(builder, sorted({fault.path for fault in candidates}), tests)
    tests = measure("%s%s-%d-%d" % (part, "-unit" if args.unit else "", args.seed, len(candidates)), counters, tests)
    note("%d tests of %s, %.0f s without a fault" % (len(tests), part, sum(test.seconds for test in tests)))
    return Planter(builder, counters, tests)


def one_part(args, part, count, first=()):
    """What does not count is replaced by another fault of the part, up to as often as faults are wanted."""
    others = itertools.islice(faults.candidates(TREE, part, args.seed), 2 * count - len(first))
    candidates = [*first, *others]
    counts = plant_all(planter_of(part, args, candidates), args, iter(candidates), count)
    counts.told(part, args.seed)
    return counts


def all_rooms(args):
    """What does not count is replaced by a fault of the same room."""
    drawn, all_counts = {}, Counts()
    for fault in itertools.islice(faults.candidates(TREE, "", args.seed), args.count):
        drawn.setdefault(fault.path.split("/")[1], []).append(fault)
    for room in args.rooms.split(",") if args.rooms else sorted(drawn):
        if room not in drawn:
            note("no fault is drawn in src/" + room)
            continue
        try:
            counts = one_part(args, room, len(drawn[room]), drawn[room])
        except SystemExit:
            note("src/%s is left out" % room)
            continue
        all_counts.add(counts)
    all_counts.told("src", args.seed)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    parser.add_argument("part")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--unit", action="store_true", help="hold faults against the unit tests alone, which is quick")
    parser.add_argument("--rooms", help="of all that are drawn over src/ those of these rooms only, divided by commas")
    parser.add_argument("--list", action="store_true", help="say of each fault which test caught it")
    args = parser.parse_args()
    part = "." if args.part in (".", "src", "src/") else re.sub(r"^(\./)?src/|/$", "", args.part)
    if not os.path.exists(os.path.join(ROOT, "src", part)):
        parser.error("src/%s is not there" % part)
    os.makedirs(TREE, exist_ok=True)
    lock = open(os.path.join(PLACE, "lock"), "w", encoding="utf-8")
    fcntl.flock(lock, fcntl.LOCK_EX)
    for name in os.listdir(PLACE):
        if name.startswith("tmp"):
            shutil.rmtree(os.path.join(PLACE, name), ignore_errors=True)
    note("bringing build-mutants/ up to date")
    # Once, as the sources may be changed while faults are planted.
    synchronize()
    if part == ".":
        all_rooms(args)
    else:
        one_part(args, part, args.count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
