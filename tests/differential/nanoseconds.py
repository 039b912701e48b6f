#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of machines whose clocks run at different rates: what `merge --nanoseconds` writes is what Python makes of the ticks
of each file, by fractions; and the same bytes come by every other way there is to that sum."""
import collections
import fractions
import os
import struct
import subprocess
import tempfile

import common
import profile_reader
from common import expect, fail, golden, read, write

BILLION = 10**9
# A log and the rate that its header is given. 1 GHz has nothing to be rounded, at 7 Hz a tick is long.
LOGS = (("mt8-fdr.xray", 2100000007), ("fib-fdr.xray", 3000000000), ("args-fdr.xray", 2999999999), ("mt-basic.xray", BILLION),
        ("custom-fdr.xray", 7), ("tail-fdr.xray", 1999999973))
TIMED = ("--raw", os.path.join(common.ROOT, "tests", "golden", "intel_pt", "tiny.img") + "@0x401000", "--cpuid-0x15.eax", "2",
         "--cpuid-0x15.ebx", "168", "--cpuid-0x15.ecx", "25000000")


def with_rate(log, rate):
    """The log by another clock: its header has ticks per second in bytes 8 to 15."""
    return log[:8] + struct.pack("<Q", rate) + log[16:]


def nearest(ticks, rate):
    """In nanoseconds; halves away from zero."""
    exact = fractions.Fraction(abs(ticks) * BILLION, rate)
    whole = int(exact + fractions.Fraction(1, 2))
    return whole if ticks >= 0 else -whole


def run(*args, statuses):
    """Output and messages."""
    done = subprocess.run([common.command(), *args], capture_output=True, check=False)
    err = done.stderr.decode("utf-8", "replace")
    if done.returncode not in statuses:
        fail(" ".join(args), "exits with", done.returncode, err.strip())
    return done.stdout, err


def output(*args, statuses=(0, 1)):
    return run(*args, statuses=statuses)[0]


def part_of(profile, number):
    if number == profile_reader.NONE:
        return None
    process, dump, thread, command, header = profile.rows["parts"][number][:5]
    return process, dump, thread, profile.strings[command], profile.strings[header]


def paths_of(profile):
    """By thread and call stack, the self costs."""
    paths, costs = [], collections.Counter()
    for row in profile.rows["contexts"]:
        above = paths[row[0] - 1] if row[0] else (part_of(profile, row[1]),)
        paths.append(above + (profile.function(row[2]),))
        costs[paths[-1]] += profile_reader.signed(row[6])
    return costs


def durations_of(profile):
    """By function: calls, sum, least and most."""
    return {profile.function(row[0]): row[2:6] for row in profile.rows["durations"] if row[1] == profile_reader.NONE}


def samples_of(profile):
    found = collections.Counter()
    for function, part, ticks, calls in profile.rows["samples"]:
        if part == profile_reader.NONE:
            found[profile.function(function), ticks] += calls
    return found


def convert(profile, rate):
    costs = {path: nearest(ticks, rate) for path, ticks in paths_of(profile).items()}
    durations = {name: (calls, *(nearest(value, rate) for value in values))
                 for name, (calls, *values) in durations_of(profile).items()}
    samples = collections.Counter()
    for (name, ticks), calls in samples_of(profile).items():
        samples[name, nearest(ticks, rate)] += calls
    return costs, durations, samples


def wanted_of(profiles):
    """The sum of the profiles, each with its rate."""
    costs, durations, samples = collections.Counter(), {}, collections.Counter()
    for profile, rate in profiles:
        some, times, counted = convert(profile, rate)
        for path, cost in some.items():
            costs[path] += cost
        for name, (calls, total, least, most) in times.items():
            one = durations.get(name, (0, 0, 1 << 64, 0))
            durations[name] = (one[0] + calls, one[1] + total, min(one[2], least), max(one[3], most))
        samples += counted
    return costs, durations, samples


def profile_of(folder, path, *options):
    made = os.path.join(folder, "one.tlp")
    output("merge", *options, path, "-o", made)
    return profile_reader.Profile(read(made))


def check_sum(folder, logs):
    """What is written, against Python's sum."""
    made = os.path.join(folder, "sum.tlp")
    output("merge", "--nanoseconds", "-o", made, *(path for path, _ in logs))
    profile = profile_reader.Profile(read(made))
    costs, durations, samples = wanted_of([(profile_of(folder, path), rate) for path, rate in logs])
    expect("ticks per second", profile.rows["head"][0][0], BILLION)
    expect("costs of call stacks", dict(paths_of(profile)), dict(costs))
    expect("durations", durations_of(profile), durations)
    expect("single durations", dict(samples_of(profile)), dict(samples))
    if len(costs) < 30 or len(samples) < 100:
        fail("the logs have too little to be compared:", len(costs), "call stacks,", len(samples), "durations")
    # Parents are their children and themselves: inclusive costs are sums of what was rounded.
    rows = {(row["function"], row["object"], row["file"]): int(row["Ticks:inclusive"]) for row in common.report(made)}
    inclusive = {profile.function(number): costs[0] for number, costs in enumerate(profile.inclusive())}
    expect("inclusive costs", rows, inclusive)
    return made


def same_every_way(folder, logs, made):
    """Any order, in two halves, either of which converts, from lists, with little memory, as text."""
    paths = [path for path, _ in logs]
    wanted = read(made)
    merge = ("merge", "--nanoseconds", "--to", "tracelathe")
    expect("another order", output(*merge, *paths[::-1]), wanted)
    given = os.path.join(folder, "list")
    write(given, "".join(path + "\n" for path in paths[3:] + paths[:3]).encode())
    expect("a list in little memory", output(*merge, "--memory", "1", "@" + given), wanted)
    for what, first, second in (("first", ("--nanoseconds",), ()), ("second", (), ("--nanoseconds",))):
        halves = os.path.join(folder, what)
        output("map", *first, "-o", halves, *paths)
        expect("the %s half converts" % what,
               output("merge", *second, "--to", "tracelathe", halves, "--glob", "*.tlp"), wanted)
    # Sums of some, and the rest: what is converted already stays what it is.
    some = os.path.join(folder, "some.tlp")
    output("merge", "--nanoseconds", "-o", some, *paths[:2])
    expect("a sum and the rest", output(*merge, some, *paths[2:]), wanted)
    for words in (("report", "--csv"), ("report", "--csv", "--threads"), ("tree", "--json"), ("tree", "--top-down", "--csv"),
                  ("stacks",), ("stacks", "--threads")):
        text = output(*words, made)
        expect(" ".join(words), output(*words, "--nanoseconds", *paths), text)
        expect(" ".join(words) + " of a list", output(*words, "--nanoseconds", "@" + given), text)
    for path in paths:
        one = os.path.join(folder, "one.tlp")
        output("merge", "--nanoseconds", "-o", one, path)
        for words in (("report", "--csv"), ("report", "--csv", "--threads"), ("stacks",)):
            expect(" ".join(words) + " of one", output(*words, "--nanoseconds", path), output(*words, one))


def with_lines(folder):
    """Intel PT has lines and calls of its own: each of them is rounded, and call stacks as ever."""
    trace = golden("intel_pt", "timed.pt")
    if "Zydis" in output("--version").decode().partition("built without")[2]:
        print("a build without Zydis: Intel PT is not compared")
        return
    ticks, made = os.path.join(folder, "ticks.tlp"), os.path.join(folder, "pt.tlp")
    output("merge", *TIMED, trace, "-o", ticks)
    output("merge", "--nanoseconds", *TIMED, trace, "-o", made)
    before, after = (profile_reader.Profile(read(path)) for path in (ticks, made))
    rate = before.rows["head"][0][0]
    expect("the rate of the trace", rate, 2100000000)
    at = before.events.index("Ticks")
    for section, values in (("contexts", 6), ("lines", 6), ("arcs", 12)):
        wanted = []
        for row in before.rows[section]:
            row = list(row)
            row[values + at] = nearest(profile_reader.signed(row[values + at]), rate) & profile_reader.MASK
            wanted.append(tuple(row))
        expect("Intel PT, " + section, after.rows[section], wanted)
        if len(wanted) < 10:
            fail("the trace has only", len(wanted), section)
    again = os.path.join(folder, "again.tlp")
    output("merge", "--nanoseconds", ticks, "-o", again)
    expect("Intel PT, the profile file converted", read(again), read(made))


def refusals(folder, logs):
    """Clocks that differ without the option, whose message names it; a log that does not tell its rate, by its name."""
    paths = [path for path, _ in logs[:2]]
    out, err = run("merge", "--to", "tracelathe", *paths, statuses=(2,))
    expect("clocks that differ", (out, err.count(paths[1]), err.count("--nanoseconds")), (b"", 1, 1))
    unknown = os.path.join(folder, "unknown.xray")
    write(unknown, with_rate(read(golden("xray", "fib-basic.xray")), 0))
    out, err = run("merge", "--nanoseconds", "--to", "tracelathe", paths[0], unknown, paths[1], statuses=(1,))
    said = "tracelathe: %s: the input does not say how long a tick is, so that its times cannot be in nanoseconds\n" % unknown
    expect("an unknown rate is said", (err.count(said), err.count("1 of 3 files could not be read")), (1, 1))
    expect("the sum without it", out, output("merge", "--nanoseconds", "--to", "tracelathe", *paths))
    out, err = run("merge", "--nanoseconds", "--no-keep-going", "--to", "tracelathe", paths[0], unknown, statuses=(2,))
    expect("an unknown rate ends it", (out, err.count(said)), (b"", 1))
    for words in (("report",), ("report", "--json", paths[0]), ("stacks",), ("convert",), ("diff", paths[0])):
        out, err = run(*words, "--nanoseconds", unknown, statuses=(2,))
        expect("an unknown rate in " + words[0], (out, err.count(unknown)), (b"", 1))


def main():
    with tempfile.TemporaryDirectory() as folder:
        logs = []
        for number, (name, rate) in enumerate(LOGS):
            path = os.path.join(folder, "%d-%s" % (number, name))
            write(path, with_rate(read(golden("xray", name)), rate))
            logs.append((path, rate))
        made = check_sum(folder, logs)
        same_every_way(folder, logs, made)
        with_lines(folder)
        refusals(folder, logs)
    common.finish(len(LOGS), "logs of clocks that differ added up")


if __name__ == "__main__":
    main()
