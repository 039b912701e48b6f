#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""diff --runs against statistics by another way, and against what was planted.

  runs.py TRACELATHE

The profiles are written here, with noise of a known size. p is held against the integral of Student's density, medians and
corrected p against Python's own; on A/A at most 1 % of the functions may be flagged; 1 % more instructions (noise 0.1 %) and
5 % more time (noise 1 %) have to be found, and nothing else but false alarms of the stated rate.
"""
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

FUNCTIONS, RUNS = 200, 8


def write(path, event, costs):
    with open(path, "w") as file:
        file.write("events: %s\nfl=a.c\n" % event)
        for number, cost in enumerate(costs):
            file.write("fn=f%d\n%d %d\n" % (number, number + 1, cost))


def sides(folder, rng, event, noise, planted):
    """Files of RUNS runs a side; `planted` maps functions to the factor of the second side."""
    base = [int(10 ** rng.uniform(4, 7)) for _ in range(FUNCTIONS)]
    paths = []
    for side in range(2):
        for run in range(RUNS):
            paths.append(os.path.join(folder, "%s%d.out" % ("ab"[side], run)))
            write(paths[-1], event, [round(cost * rng.gauss(1, noise) * (planted.get(i, 1) if side else 1))
                                     for i, cost in enumerate(base)])
    return paths


def diff(program, folder, *options):
    return subprocess.run([program, "diff", "--runs", *options, folder + "/a*.out", "--", folder + "/b*.out"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rows_of(program, folder, *options):
    answer = diff(program, folder, "--json", *options)
    if answer.returncode:
        sys.exit("status %d: %s" % (answer.returncode, answer.stderr))
    return json.loads(answer.stdout)


def student_p(t, freedom):
    """Both tails, by Simpson's rule over the density from 0 to t."""
    steps = 20000
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    width = abs(t) / steps

    def density(x):
        return scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2)

    inside = density(0) + density(abs(t))
    for i in range(1, steps):
        inside += density(i * width) * (4 if i % 2 else 2)
    return 1 - 2 * inside * width / 3


def welch(a, b):
    v, w = statistics.variance(a) + 1 / 12, statistics.variance(b) + 1 / 12
    error = v / len(a) + w / len(b)
    freedom = error ** 2 / ((v / len(a)) ** 2 / (len(a) - 1) + (w / len(b)) ** 2 / (len(b) - 1))
    return (statistics.mean(b) - statistics.mean(a)) / math.sqrt(error), freedom, error


def near(what, got, want, tolerance=1e-6):
    if not math.isclose(got, want, rel_tol=tolerance, abs_tol=1e-9):
        sys.exit("%s: %r, not %r" % (what, got, want))


def check_statistics(answer):
    for row in answer["rows"][:10] + answer["rows"][-5:]:
        a, b = row["before"], row["after"]
        t, freedom, error = welch(a, b)
        near("median", row["median_before"], statistics.median(a))
        near("median", row["median_after"], statistics.median(b))
        near("percent", row["percent"], 100 * (statistics.mean(b) / statistics.mean(a) - 1))
        near("p", row["p"], student_p(t, freedom), 1e-5)
        # The ends of the interval are where a test of the difference has p = 0.05.
        for end in "low_percent", "high_percent":
            edge = row[end] / 100 * statistics.mean(a) - (statistics.mean(b) - statistics.mean(a))
            near(end, student_p(edge / math.sqrt(error), freedom), 0.05, 1e-5)
    ordered = sorted(answer["rows"], key=lambda row: row["p"])
    least = 1
    for rank in range(len(ordered), 0, -1):
        least = min(least, ordered[rank - 1]["p"] * len(ordered) / rank)
        near("corrected p", ordered[rank - 1]["adjusted_p"], least)


def flagged(answer):
    return {row["function"] for row in answer["rows"] if row["significant"]}


def check_directories(program):
    """The files of two directories are the runs of both sides; what is no profile is said, and no run."""
    with tempfile.TemporaryDirectory() as folder:
        sides(folder, random.Random(5), "Ir", 0.001, {3: 1.05})
        wanted = diff(program, folder, "--json")
        where = [os.path.join(folder, name) for name in "ab"]
        for path in where:
            os.makedirs(os.path.join(path, "below"))
        for name in sorted(os.listdir(folder)):
            if name.endswith(".out"):
                os.rename(os.path.join(folder, name), os.path.join(folder, name[0], "below" if name[1] == "3" else "", name))

        def both(*words):
            done = subprocess.run([program, "diff", *words], capture_output=True, text=True, check=False)
            return done.returncode, json.loads(done.stdout or "null"), done.stderr

        def sorted_runs(answer):
            return [{key: sorted(value) if isinstance(value, list) else value for key, value in row.items()} for row in answer["rows"]]

        status, answer, said = both("--json", *where)
        if status or sorted_runs(answer) != sorted_runs(json.loads(wanted.stdout)):
            sys.exit("two directories are not their files: status %d, %s" % (status, said))
        with open(os.path.join(where[1], "notes.txt"), "w") as file:
            file.write("these are no costs\n")
        status, answer, said = both("--json", *where)
        if status != 1 or "notes.txt" not in said or "1 of %d files" % (2 * RUNS + 1) not in said:
            sys.exit("what is no profile is not said: status %d, %s" % (status, said))
        if sorted_runs(answer) != sorted_runs(json.loads(wanted.stdout)):
            sys.exit("what is no profile changes the answer")
        if both("--json", "--glob", "*.out", *where)[0]:
            sys.exit("--glob does not choose files")
        if both("--json", "--glob", "*.txt", *where)[0] != 2 or both("--json", where[0], os.path.join(where[1], "b0.out"))[0] != 2:
            sys.exit("a directory without files, or beside a file, is no error")


def main():
    program = os.path.abspath(sys.argv[1])
    check_directories(program)
    false = 0
    for seed in range(10):
        with tempfile.TemporaryDirectory() as folder:
            sides(folder, random.Random(seed), "Ir", 0.01, {})
            answer = rows_of(program, folder)
            false += len(flagged(answer))
            if not seed:
                check_statistics(answer)
    if false > 10 * FUNCTIONS // 100:
        sys.exit("A/A: %d of %d functions are flagged" % (false, 10 * FUNCTIONS))
    for event, noise, factor in ("Ir", 0.001, 1.01), ("Ns", 0.01, 1.05):
        with tempfile.TemporaryDirectory() as folder:
            planted = {i: factor for i in range(0, FUNCTIONS, 20)}
            sides(folder, random.Random(factor), event, noise, planted)
            found = flagged(rows_of(program, folder))
            missed = {"f%d" % i for i in planted} - found
            if missed or len(found) > len(planted) + 2:
                sys.exit("%s: missed %s, flagged %d for %d planted" % (event, missed, len(found), len(planted)))
            limit = 50 * (factor - 1)
            for percent, status in (limit, 3), (limit * 4, 0):
                got = diff(program, folder, "--fail-above", "%g%%" % percent).returncode
                if got != status:
                    sys.exit("--fail-above %g%%: status %d, not %d" % (percent, got, status))
    print("A/A: %d of %d functions flagged; all that was planted is found" % (false, 10 * FUNCTIONS))


main()
