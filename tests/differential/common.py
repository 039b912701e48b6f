# SPDX-License-Identifier: Apache-2.0
"""What the differential tests share: the command, the shared corpus, and a list of failures."""
import csv
import io
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Beside the checkout, or where it is named; else there is a small corpus in the tree.
SHARED = os.environ.get("TL_SHARED", os.path.join(ROOT, "..", "shared"))
WHOLE = os.path.isdir(os.path.join(SHARED, "corpus"))
if not WHOLE:
    SHARED = os.path.join(ROOT, "tests")
CORPUS = os.path.join(SHARED, "corpus", "xray")
# A run with a sanitizer (scripts/check.sh) leaves out what repeats the same accesses to memory on more bytes.
SMALL = bool(os.environ.get("TL_SMALL"))
# `make check-long` takes all of what `make check` takes a sample of.
LONG = bool(os.environ.get("TL_LONG"))
SKIPPED = 77
# What is left allocated at the end is looked for by the suites unit, cli, fault and fuzz: here many thousand processes of
# the command would look once more, which is a fifth of what a run with a sanitizer takes.
if "ASAN_OPTIONS" in os.environ:
    os.environ["ASAN_OPTIONS"] += ":detect_leaks=0"


def some(items, step=3):
    """Every second one, with a sanitizer every `step`-th, with TL_LONG all of them; the first is always there."""
    return items if LONG else items[::step if SMALL else 2]


failures = []


def fail(*words):
    print("FAIL:", *words)
    failures.append(words)


def expect(what, got, wanted):
    """Record a failure when two values differ; say where for long ones."""
    if got == wanted:
        return True
    if isinstance(got, (list, tuple)) and isinstance(wanted, (list, tuple)):
        at = next((i for i, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]), min(len(got), len(wanted)))
        fail(what, "differs at %d of %d and %d:" % (at, len(got), len(wanted)), got[at:at + 1], "instead of",
             wanted[at:at + 1])
    elif isinstance(got, dict) and isinstance(wanted, dict):
        keys = sorted((k for k in set(got) | set(wanted) if got.get(k) != wanted.get(k)), key=str)
        fail(what, "differs:", *["%s: %s instead of %s;" % (k, got.get(k), wanted.get(k)) for k in keys[:5]])
    else:
        fail(what, "is", got, "instead of", wanted)
    return False


def skip(why):
    print("skipped:", why)
    sys.exit(SKIPPED)


def finish(count, what):
    """End the test: something must have been compared."""
    if not count and not failures:
        fail("nothing was compared")
    print("%d %s, %d failures" % (count, what, len(failures)))
    sys.exit(1 if failures else 0)


def command():
    return os.path.abspath(sys.argv[1])


def run(*args, status=(0, 1), stdin=None, text=True, cwd=None):
    """Run tracelathe; 0 and 1 are results (1: something was skipped)."""
    done = subprocess.run([command(), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=stdin, cwd=cwd)
    if done.returncode not in status:
        fail(" ".join(args), "exits with", done.returncode, done.stderr.decode("utf-8", "replace").strip())
    return done.stdout.decode("utf-8", "replace") if text else done.stdout


def report(*args):
    """The rows of report --csv, as dictionaries."""
    return list(csv.DictReader(io.StringIO(run("report", "--csv", *args))))


def report_json(*args):
    return json.loads(run("report", "--json", *args) or "{}")


def dump(*args):
    """The records of dump --json."""
    return [json.loads(line) for line in run("dump", "--json", *args).splitlines()]


def golden(*parts):
    return os.path.join(ROOT, "tests", "golden", *parts)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def need_whole_corpus():
    if not WHOLE:
        skip("no shared corpus; the one in tests/ is too small for this")


def corpus_traces():
    names = sorted(n[:-len(".oracle")] for n in os.listdir(CORPUS) if n.endswith(".oracle"))
    return [name for name in names if os.path.exists(os.path.join(CORPUS, name + ".xray"))]


def oracle(name, file):
    """The path of an expected result, or None when it is missing or empty."""
    path = os.path.join(CORPUS, name + ".oracle", file)
    return path if os.path.exists(path) and os.path.getsize(path) else None


def binary_of(name):
    """The traced program of a corpus trace."""
    with open(os.path.join(CORPUS, name + ".oracle", "binary"), encoding="utf-8") as file:
        path = os.path.join(CORPUS, "bin", file.read().strip() + ".elf")
    return path if os.path.exists(path) else None


def tool(*names):
    """The first of these programs that is here."""
    return next((path for path in map(shutil.which, names) if path), None)
