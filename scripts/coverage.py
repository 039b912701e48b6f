#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""coverage.py DIRECTORY LINES BRANCHES: the table of scripts/coverage.sh, from the counts in a build directory.

A file that is compiled more than once, as a header is, counts as executed where any of its objects executes it. The branch
of an assert() that ends the program does not count.
Exit status: 0 all rooms reach the floors, 1 one does not.
"""
import collections
import concurrent.futures
import functools
import json
import os
import subprocess
import sys


def counts(directory, path):
    """What gcov says of one object."""
    run = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", path], cwd=directory, check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


@functools.lru_cache(None)
def asserting(path):
    """The lines of a source that hold an assert()."""
    with open(path, encoding="utf-8") as file:
        return {number for number, line in enumerate(file, 1) if "assert(" in line}


def collected(directory):
    """Source of src/ or compat/ -> line -> executions, and source -> (line, index) -> branches taken."""
    top = os.path.realpath(".")
    lines, branches = (collections.defaultdict(collections.Counter) for _ in range(2))
    notes = [os.path.join(where, name) for where, _, names in os.walk(directory) for name in names if name.endswith(".gcno")]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for document in pool.map(lambda path: counts(directory, os.path.relpath(path, directory)), notes):
            for file in (file for part in document for file in part["files"]):
                path = os.path.realpath(os.path.join(directory, file["file"]))
                source = os.path.relpath(path, top)
                # Objects of a source that was moved away stay in a build directory.
                if not source.startswith(("src" + os.sep, "compat" + os.sep)) or not os.path.exists(path):
                    continue
                asserts = asserting(path)
                for line in file["lines"]:
                    lines[source][line["line_number"]] += line["count"]
                    for index, branch in enumerate(line["branches"] if line["line_number"] not in asserts else ()):
                        branches[source][line["line_number"], index] += branch["count"]
    return lines, branches


def room_of(source):
    first, second = source.split(os.sep)[:2]
    return second if first == "src" else first


def share(counter):
    return 100.0 * sum(count > 0 for count in counter) / max(len(counter), 1)


def main(directory, line_floor, branch_floor):
    lines, branches = collected(directory)
    rooms, below = sorted({room_of(source) for source in lines}), []
    print("%-10s %8s %8s %9s %9s" % ("room", "lines", "", "branches", ""))
    for room in rooms + [""]:
        files = [source for source in lines if room_of(source) == room or not room]
        executed = [count for source in files for count in lines[source].values()]
        taken = [count for source in files for count in branches[source].values()]
        print("%-10s %8d %7.1f%% %9d %8.1f%%" % (room or "all", len(executed), share(executed), len(taken), share(taken)))
        if share(executed) < line_floor or share(taken) < branch_floor:
            below.append(room or "all")
    with open(os.path.join(directory, "report.txt"), "w", encoding="utf-8") as report:
        for source in sorted(lines):
            for number, count in sorted(lines[source].items()):
                missed = sum(not taken for (line, _), taken in branches[source].items() if line == number)
                if not count:
                    print("%s:%d: not executed" % (source, number), file=report)
                elif missed:
                    print("%s:%d: %d branches not taken" % (source, number, missed), file=report)
    if below:
        print("coverage: below %g %% of lines or %g %% of branches: %s" % (line_floor, branch_floor, " ".join(below)))
    return 1 if below else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3])))
