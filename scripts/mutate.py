#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plant small faults in a part of src/, one at a time, and count those that its tests do not notice.

  scripts/mutate.py ROOM[/SUB][/FILE.c] [--count N] [--seed S] [--jobs J] [--list]

A fault: a relational operator swapped, a constant off by one, a condition negated, `&&` and `||` exchanged, a statement
deleted, a return value changed, `+` and `-` exchanged. Each is held against the unit tests of the room, then against the
command's cases (tests/cli) that read the room's format, or all cases where the room is not one of a format; the first test
that fails, crashes or hangs ends it. A fault that does not compile, or that gives the object code of the original with -O0
or -O2, is replaced by another. The same seed and sources plant the same faults.

All work happens in a copy of the tree, build-mutants/, that later runs bring up to date; nothing else is written to. Under
root the tests run as nobody, since a fault may write where it should not.
Without ../shared, so that only what is in the tree counts as a test. Prints each survivor as `file:line: before -> after`.
Exit status: 0 measured, 2 bad usage, or the copy does not build.
"""
import argparse
import concurrent.futures
import fcntl
import itertools
import json
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
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLACE = os.path.join(ROOT, "build-mutants")
TREE = os.path.join(PLACE, "tree")
BUILD = os.path.join(TREE, "build")
# Words in a case of tests/cli that say which format it reads; rooms without an entry are held against all cases.
FORMAT_CASES = {
    "xray": r"xray|truth|fib", "intel_pt": r"\bpt\b|\.pt\b|intel_pt|perf", "perf_data": "perf", "xtrace": "xtrace|analyze",
    "callgrind": "callgrind"}
NOBODY = 65534
SLOWEST = 5  # seconds of processor time: a test that takes more than this without a fault is left out


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
    for name in wanted:
        source, target = os.path.join(ROOT, name), os.path.join(TREE, name)
        if not same_file(source, target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)
            os.utime(target)


def output_of(command, cwd=BUILD):
    run = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        print(run.stdout[-4000:], file=sys.stderr)
        print("mutate: %s failed" % " ".join(command[:4]), file=sys.stderr)
        sys.exit(2)
    return run.stdout


class Test:
    """One program, or one case of tests/cli: the targets it runs, how to call it, how long it takes."""

    def __init__(self, name, program, env=None, case=None):
        self.name, self.program, self.env, self.case = name, program, env or {}, case
        self.seconds = 0.0

    def run(self, program, folder, limit):
        """True where the test passes. `program` is its executable, `folder` is for its temporary files."""
        command = [program]
        if self.case:
            command = [os.path.join(TREE, "tests/cli/run.sh"), program, self.case]
        env = dict(os.environ, TMPDIR=folder, HOME=folder, MALLOC_PERTURB_="85", **self.env)
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

        # A session of its own: what hangs is ended with all that it started.
        process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=limits)
        try:
            return process.wait(timeout=4 * limit) in (0, 77)
        except subprocess.TimeoutExpired:
            return False
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def unit_tests(room):
    targets = json.loads(output_of(["meson", "introspect", "--targets"]))
    folder = os.path.join(TREE, "tests/unit", room) + "/"
    ours = {target["filename"][0] for target in targets
            if any(source.startswith(folder) for group in target["target_sources"] for source in group.get("sources", []))}
    return [Test(test["name"], os.path.relpath(test["cmd"][0], BUILD), test["env"])
            for test in json.loads(output_of(["meson", "introspect", "--tests"])) if test["cmd"][0] in ours]


def command_cases(room):
    folder = os.path.join(TREE, "tests/cli/cases")
    wanted = re.compile(FORMAT_CASES.get(room, ""))
    for name in sorted(os.listdir(folder)):
        if name.endswith(".cmd"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                if wanted.search(name + " " + file.read()):
                    yield Test("cli " + name[:-4], "tracelathe", case=name[:-4])


def prepare(room):
    """The copy built, and the tests that pass in it, the quickest first; cases of the command after unit tests."""
    synchronize()
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        # Without debug information object code compares byte by byte, and ccache serves every copy of a source.
        output_of(["meson", "setup", BUILD, "--buildtype=plain", "-Doptimization=0", "-Dwerror=false"], TREE)
    output_of(["ninja", "build.ninja"])
    tests = unit_tests(room) + list(command_cases(room))
    output_of(["ninja"] + sorted({test.program for test in tests}))
    return tests


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(tests):
    """Run all tests unharmed; those that fail or are slow cannot say anything about faults."""
    kept = []
    for test in tests:
        with tempfile.TemporaryDirectory(dir=PLACE) as folder:
            os.chmod(folder, 0o755)
            before = processor_seconds()
            passes = test.run(os.path.join(BUILD, test.program), folder, 10 * SLOWEST)
            test.seconds = processor_seconds() - before
        if not passes or test.seconds > SLOWEST:
            note("left out: %s %s" % (test.name, "takes %.0f s" % test.seconds if passes else "fails without a fault"))
        else:
            kept.append(test)
    if not kept:
        note("no test passes in " + BUILD + (": is it readable for nobody?" if os.geteuid() == 0 else ""))
        sys.exit(2)
    return sorted(kept, key=lambda test: (test.case is not None, test.seconds))


# ---- the faults -----------------------------------------------------------------------------------------------

TYPES = (r"(?:static|const|register|struct|union|enum|unsigned|signed|int|char|bool|short|long|float|double|void|size_t|"
         r"ssize_t|off_t|time_t|FILE|va_list|\w+_t)\b")
# What only a sanitizer sees.
RELEASES = re.compile(r"\(?(?:void\) ?)?(?:\w+_)?(?:free|close|destroy|drop|release|unref|munmap|unmap)\w*\(")


def blanked(text):
    """The text with comments, strings, characters and preprocessor lines as blanks: offsets stay."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                         re.S | re.M)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def swaps(code, pattern, table):
    for found in re.finditer(pattern, code):
        for after in table[found.group()]:
            yield found.start(), found.end(), after


def relations(code):
    yield from swaps(code, r"(?<![<>=!\-+*/&|^%])(?:<=|>=|==|!=|<|>)(?![<>=])",
                     {"<": ("<=", ">="), ">": (">=", "<="), "<=": ("<", ">"), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)})


def logic(code):
    yield from swaps(code, r"&&|\|\|", {"&&": ("||",), "||": ("&&",)})


def signs(code):
    yield from swaps(code, r"(?<=[\w)\]]) [+-](?= )|(?<=\w)(?:\+\+|--)|(?<= )[+-](?==)",
                     {" +": (" -",), " -": (" +",), "++": ("--",), "--": ("++",), "+": ("-",), "-": ("+",)})


def constants(code):
    for found in re.finditer(r"(?<![\w.])(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)(?![\w.])", code):
        line = code[code.rfind("\n", 0, found.start()) + 1:found.start()]
        # One more element of an array is seldom a fault.
        if re.match(r"\s*" + TYPES + r"[^=]*\[$", line):
            continue
        digits, suffix = found.groups()
        value = int(digits, 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10)
        for other in {value + 1, value - 1} if value else {1}:
            shown = hex(other) if digits[:2] in ("0x", "0X") else str(other)
            yield found.start(), found.end(), shown + suffix


def closing(code, start):
    """Where the parenthesis that opens at `start` is closed."""
    depth = 0
    for found in re.compile(r"[()]").finditer(code, start):
        depth += 1 if found.group() == "(" else -1
        if not depth:
            return found.start()
    return None


def negations(code):
    for found in re.finditer(r"\bif \(", code):
        end = closing(code, found.end() - 1)
        if end:
            inner = code[found.end():end]
            yield found.end(), end, ("!(", inner, ")")


def statements(code):
    for found in re.finditer(r"(?<=[;{})\n:])(?:\s*\n)(\t+)(?=[\w(*+-])([^;{}]*);", code):
        text, start = found.group(2), found.start(2)
        before = code[:start].rstrip()
        if not before or before[-1] not in ";{}):" and not before.endswith("else"):
            continue
        if re.match(TYPES + r"|return\b|else\b|if\b|for\b|while\b|do\b|switch\b|case\b|default\b|assert\b", text):
            continue
        if RELEASES.match(text) or text.count("(") != text.count(")"):
            continue
        yield start, start + len(text), ""


def returns(code):
    for found in re.finditer(r"\breturn ([^;{}]+)(?=;)", code):
        value = found.group(1)
        other = {"0": "1", "1": "0", "true": "false", "false": "true", "NULL": None}.get(value, "0")
        if other:
            yield found.start(1), found.end(1), other


KINDS = (relations, logic, signs, constants, negations, statements, returns)


class Fault:
    def __init__(self, path, text, start, end, after):
        before = text[start:end]
        if isinstance(after, tuple):
            after = after[0] + before + after[2]
        self.path, self.text = path, text[:start] + after + text[end:]
        self.line = text.count("\n", 0, start) + 1
        first = text.rfind("\n", 0, start) + 1
        last = text.find("\n", end)
        tail = text[end:last if last >= 0 else len(text)]
        self.shown = "%s:%d: %s -> %s" % (path, self.line, shortened(text[first:end] + tail),
                                          shortened(text[first:start] + after + tail))


def shortened(text):
    return " ".join(text.split())


def candidates(part, seed):
    """All faults of a part of src/ in the order that the seed gives: kind by kind in turn, none twice on a line."""
    top = os.path.join(TREE, "src", part)
    paths = [top] if top.endswith(".c") else sorted(
        os.path.join(where, name) for where, _, names in os.walk(top) for name in names if name.endswith(".c"))
    by_kind = {kind: [] for kind in KINDS}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        code = blanked(text)
        lines = [line.start() for line in re.finditer(r"^.*assert\(.*$", code, re.M)]
        for kind in KINDS:
            for start, end, after in kind(code):
                if code.rfind("\n", 0, start) + 1 not in lines:
                    by_kind[kind].append((os.path.relpath(path, TREE), text, start, end, after))
    order = random.Random(seed)
    for kind in KINDS:
        order.shuffle(by_kind[kind])
    taken = set()
    while any(by_kind.values()):
        for kind in KINDS:
            while by_kind[kind]:
                fault = Fault(*by_kind[kind].pop())
                if (fault.path, fault.line) not in taken:
                    taken.add((fault.path, fault.line))
                    yield fault
                    break


# ---- planting -------------------------------------------------------------------------------------------------


class Builder:
    """How ninja compiles each source, and how it links each program."""

    def __init__(self):
        self.compile = {}
        for entry in json.loads(output_of(["ninja", "-t", "compdb", "c_COMPILER"])):
            source = os.path.relpath(os.path.join(BUILD, entry["file"]), TREE)
            self.compile.setdefault(source, {})[entry["output"]] = entry["command"]
        self.members, self.link = {}, {}
        for entry in json.loads(output_of(["ninja", "-t", "compdb", "STATIC_LINKER", "c_LINKER"])):
            words = shlex.split(entry["command"])
            if entry["output"].endswith(".a"):
                self.members[entry["output"]] = set(words)
            else:
                self.link[entry["output"]] = words

    def object_of(self, source, program):
        """The object of a source that a program is linked from, itself or by way of an archive; None where it is not."""
        for output in self.compile.get(source, {}):
            for word in self.link[program]:
                if word == output or output in self.members.get(word, ()):
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

    def linked(self, program, output, mutant, target):
        words = [target if word == program else word for word in self.link[program]]
        if output in words:
            words = [mutant if word == output else word for word in words]
        else:
            words.insert(words.index("-o") + 2, mutant)  # before the archive, whose own member is not needed then
        return not subprocess.run(words, cwd=BUILD, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


class Planter:
    def __init__(self, builder, tests):
        self.builder, self.tests = builder, tests
        self.lock = threading.Lock()
        self.caught = {}  # file -> tests that caught a fault in it, the last first

    def order(self, path):
        with self.lock:
            first = list(self.caught.get(path, []))
        return first + [test for test in self.tests if test not in first]

    def caught_by(self, path, test):
        with self.lock:
            tests = self.caught.setdefault(path, [])
            if test in tests:
                tests.remove(test)
            tests.insert(0, test)

    def plant(self, fault):
        """None where the fault does not count, else the test that caught it, or "" """
        with tempfile.TemporaryDirectory(dir=PLACE) as folder:
            os.chmod(folder, 0o755)
            return self.plant_in(fault, folder)

    def changes(self, fault, output, folder, options):
        """Whether original and mutant, compiled from the same path, differ as objects."""
        path, objects = os.path.join(folder, os.path.basename(fault.path)), []
        with open(os.path.join(TREE, fault.path), encoding="utf-8") as file:
            original = file.read()
        for text in (original, fault.text):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            objects.append(self.builder.compiled(fault.path, output, path, os.path.join(folder, "mutant.o"), options))
        return objects[1] is not None and objects[0] != objects[1]

    def plant_in(self, fault, folder):
        outputs, programs = {}, {}
        for test in self.order(fault.path):
            output = self.builder.object_of(fault.path, test.program)
            if not output:
                continue
            if output not in outputs:
                inner = os.path.join(folder, str(len(outputs)))
                os.mkdir(inner)
                if not self.changes(fault, output, inner, ()):
                    return None
                outputs[output] = inner
            if test.program not in programs:
                target = os.path.join(folder, os.path.basename(test.program))
                if not self.builder.linked(test.program, output, os.path.join(outputs[output], "mutant.o"), target):
                    return None
                programs[test.program] = target
            scratch = tempfile.mkdtemp(dir=folder)
            if not test.run(programs[test.program], scratch, 3 * test.seconds + 2):
                self.caught_by(fault.path, test)
                return test.name
            shutil.rmtree(scratch, ignore_errors=True)
            if test.case is None:
                os.remove(programs.pop(test.program))
        for output, inner in outputs.items():
            if not self.changes(fault, output, inner, ("-O2",)):
                return None
        return ""


def note(text):
    print("mutate: " + text, file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    parser.add_argument("part")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true", help="say of each fault which test caught it")
    args = parser.parse_args()
    part = re.sub(r"^(\./)?src/|/$", "", args.part)
    if not os.path.exists(os.path.join(ROOT, "src", part)):
        parser.error("src/%s is not there" % part)
    os.makedirs(TREE, exist_ok=True)
    lock = open(os.path.join(PLACE, "lock"), "w", encoding="utf-8")
    fcntl.flock(lock, fcntl.LOCK_EX)
    for name in os.listdir(PLACE):
        if name.startswith("tmp"):
            shutil.rmtree(os.path.join(PLACE, name), ignore_errors=True)
    note("bringing build-mutants/ up to date")
    tests = prepare(part.split("/")[0])
    tests = measure(tests)
    note("%d tests, %.0f s without a fault" % (len(tests), sum(test.seconds for test in tests)))
    planter, faults = Planter(Builder(), tests), candidates(part, args.seed)
    counted, left_out, survivors = 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        while counted < args.count:
            batch = list(itertools.islice(faults, args.count - counted))
            if not batch:
                break
            for fault, test in zip(batch, pool.map(planter.plant, batch)):
                left_out += test is None
                counted += test is not None
                survivors += test == ""
                if test == "":
                    print(fault.shown, flush=True)
                elif args.list:
                    print("%s  [%s]" % (fault.shown, test or "does not count"), flush=True)
    print("%s: %d of %d faults survived (%d %%), %d more did not count; seed %d"
          % (part, survivors, counted, round(100 * survivors / max(counted, 1)), left_out, args.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
