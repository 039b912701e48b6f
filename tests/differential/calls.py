#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`dump --calls` against a naive list: every record in order, one stack a thread, nothing cut into pieces.

The traces are those of the corpus, as the reference accountant reads them, and logs that are made here, long enough for
many leaves: random calls, calls 20,000 deep that go up and down, exits without entries, exits that skip frames, many
threads. The list is made of what was written, not of what was read. The sums are those of the function table."""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

import accounts
import common
from common import CORPUS, expect

ENTER, EXIT = 0, 1
FREQUENCY = 1000000000
FIRST = 5000
# Its code is found with --sysroot alone; without it all calls begin and stay at time 0, where a window has none.
WITHOUT_CODE = ("processors.perf.data",)


# ---- logs ----


def metadata(kind, *payload):
    return (bytes([kind << 1 | 1]) + b"".join(payload)).ljust(16, b"\0")


def buffer_of(thread, tsc, records):
    """An FDR 5 buffer: [(action, function, time)], the first time after `tsc`."""
    body = [metadata(0, struct.pack("<i", thread)), metadata(4), metadata(9, struct.pack("<i", 1)),
            metadata(2, struct.pack("<HQ", 0, tsc))]
    for action, function, time in records:
        body.append(struct.pack("<II", function << 4 | action << 1, time - tsc))
        tsc = time
    body = b"".join(body)
    return metadata(7, struct.pack("<Q", len(body))) + body


def log_of(threads, room):
    """{thread: records}, in buffers of `room` records whose order is that of time."""
    buffers = []
    for thread, records in threads.items():
        for i in range(0, len(records), room):
            first = records[i - 1][2] if i else FIRST
            buffers.append((first, buffer_of(thread, first, records[i:i + room])))
    buffers.sort(key=lambda b: b[0])
    return struct.pack("<HHIQQQ", 5, 1, 3, FREQUENCY, room * 8 + 80, 0) + b"".join(b for _, b in buffers)


def random_calls(rng, count, functions, deepest, faults=0.0):
    """Entries and exits that nest, with a share of exits that match nothing or skip frames."""
    records, stack, time = [], [], FIRST
    while len(records) < count:
        time += rng.choice((0, 1, 3, 40, 1000, 100000))
        if rng.random() < faults:
            records.append((EXIT, rng.choice(stack) if stack and rng.random() < 0.5 else functions + 7, time))
            if records[-1][1] in stack:
                while stack.pop() != records[-1][1]:
                    pass
        elif not stack or len(stack) < deepest and rng.random() < 0.5:
            stack.append(rng.randrange(1, functions))
            records.append((ENTER, stack[-1], time))
        else:
            records.append((EXIT, stack.pop(), time))
    return records


def deep_calls(rng, count, deepest, lowest):
    """Down and up, so that most calls end some leaves behind the one in which they begin."""
    records, stack, time = [], [], FIRST
    down = True
    while len(records) < count:
        time += rng.randrange(1, 9)
        if down:
            stack.append(rng.randrange(1, 50))
            records.append((ENTER, stack[-1], time))
            down = len(stack) < deepest
        else:
            records.append((EXIT, stack.pop(), time))
            down = len(stack) <= (lowest or rng.randrange(1, 200))
    return records


def made_logs():
    rng = random.Random(14)
    yield "random", {7: random_calls(rng, 30000, 200, 13)}, 1000
    yield "many-functions", {7: random_calls(rng, 30000, 100000, 40)}, 20000
    yield "deep", {7: deep_calls(rng, 90000, 20000, 10)}, 5000
    yield "deep-uneven", {7: deep_calls(rng, 70000, 12000, 0)}, 9000
    yield "faults", {7: random_calls(rng, 30000, 50, 300, 0.01)}, 3000
    yield "threads", {t: random_calls(rng, 300 + 100 * t, 20, 9) for t in range(1, 30)}, 64
    yield "one-tick", {7: [(a, f, FIRST + t // 5000) for a, f, t in random_calls(rng, 30000, 9, 5)]}, 8192
    yield "border", {7: random_calls(rng, 8192, 9, 5), 8: random_calls(rng, 8193, 9, 5), 9: random_calls(rng, 1, 9, 5)}, 8192


# ---- the naive list ----


def naive(records):
    """[[start, end, depth, function, number of the parent, cut]] in the order of begin."""
    calls, stack = [], []
    for action, function, time in records:
        if action in (0, 3):
            calls.append([time, None, len(stack), "#%d" % function, stack[-1] if stack else None, False])
            stack.append(len(calls) - 1)
        elif any(calls[number][3] == "#%d" % function for number in reversed(stack)):
            while True:
                call = calls[stack.pop()]
                call[1] = time
                if call[3] == "#%d" % function:
                    break
                call[5] = True
    return calls


def listed(path, *options):
    """Per thread, the same of `dump --calls`; parents as numbers within the thread."""
    run = subprocess.run([common.command(), "dump", "--calls", "--json", *options, path], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    if run.returncode == 2:
        common.fail(path, run.stderr)
    threads, first = {}, {}
    for number, line in enumerate(run.stdout.splitlines()):
        call = json.loads(line)
        if call["id"] != number:
            common.fail(path, "id", call["id"], "in line", number)
        first.setdefault(call["thread"], number)
        parent = None if call["parent"] is None else call["parent"] - first[call["thread"]]
        threads.setdefault(call["thread"], []).append(
            [call["start"], call["end"], call["depth"], call["function"], parent, call.get("cut", False)])
    return threads


def sums(threads):
    """{function: (calls, ticks of those whose end is known)} as in the function table."""
    found = {}
    for calls in threads.values():
        for start, end, _, function, _, cut in calls:
            if end is not None:
                calls, ticks = found.get(function, (0, 0))
                found[function] = calls + 1, ticks + (0 if cut else end - start)
    return found


def reported(path):
    return {row["function"]: (int(row["calls"]), int(row["sum"] or 0)) for row in common.report(path) if int(row["calls"])}


def compare(what, path, wanted):
    for thread, calls in wanted.items():
        expect("%s thread %d" % (what, thread), listed(path, "--thread", str(thread)).get(thread, []), calls)
    every = listed(path)
    expect("%s threads" % what, every, {thread: calls for thread, calls in wanted.items() if calls})
    expect("%s, sums" % what, sums(every), reported(path))


def in_window(calls, begin, end):
    return [call[:4] for call in calls if call[0] < end and (call[1] is None or call[1] >= begin)]


def windows(what, path, wanted, rng):
    """Calls that are open in a window, whole."""
    thread = next(iter(wanted))
    calls = wanted[thread]
    last = calls[-1][0] - FIRST
    for _ in range(6):
        begin = rng.randrange(last + 1)
        end = begin + 1 + rng.randrange(max(1, last // rng.choice((2, 100, 10000))))
        got = listed(path, "--thread", str(thread), "--time", "%d.%09d..%d.%09d" % (
            *divmod(begin, FREQUENCY), *divmod(end, FREQUENCY)))
        expect("%s from %d to %d" % (what, begin, end), [call[:4] for call in got.get(thread, [])],
               in_window(calls, FIRST + begin, FIRST + end))


def index_of(path):
    """Windows of the index against the list, by a program of its own."""
    run = subprocess.run([os.path.abspath(sys.argv[2]), path], stdout=subprocess.PIPE, text=True)
    expect("index of " + os.path.basename(path), (run.returncode, run.stdout), (0, ""))


def profiles_of(path, windows_wanted=6):
    """Profiles of windows and the calls of a function in them, by a program of its own."""
    run = subprocess.run([os.path.abspath(sys.argv[3]), "--windows", str(windows_wanted), path], stdout=subprocess.PIPE, text=True)
    expect("profiles of " + os.path.basename(path), (run.returncode, run.stdout), (0, ""))


def intel_pt():
    """Traces of instructions: calls by function are those of the function table, which pt_profile.py holds against the
    addresses that were executed; each call lies inside of its caller."""
    folders = [os.path.join(common.ROOT, "tests", "golden", room) for room in ("intel_pt", "perf")]
    paths = [os.path.join(folder, name) for folder in folders for name in sorted(os.listdir(folder))
             if name.endswith((".pt", ".perf.data")) and name not in WITHOUT_CODE]
    for path in paths:
        run = subprocess.run([common.command(), "dump", "--calls", "--json", path], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
        calls = [json.loads(line) for line in run.stdout.splitlines()]
        counts, ticks = {}, {}
        for number, call in enumerate(calls):
            name = call["function"]
            counts[name] = counts.get(name, 0) + ("late" not in call)
            if "late" not in call and call["end"] is not None:
                ticks[name] = ticks.get(name, 0) + call["end"] - call["start"]
            inside(path, number, call, calls)
        wanted, sums_wanted = {}, {}
        for row in common.report(path):
            name = row["function"]
            wanted[name] = wanted.get(name, 0) + int(row["calls"]) + int(row["unfinished"])
            sums_wanted[name] = sums_wanted.get(name, 0) + int(row["sum"] or 0)
        expect("sums of calls of " + path, {k: v for k, v in ticks.items() if v},
               {k: v for k, v in sums_wanted.items() if v})
        expect("calls of " + path, {k: v for k, v in counts.items() if v}, {k: v for k, v in wanted.items() if v})
        index_of(path)
        profiles_of(path, 10)
    return len(paths) + recordings()


def recordings():
    """The traces with time of the corpus as recordings of perf: their clock has a rate, so that windows have seconds."""
    folder, made = os.path.join(common.SHARED, "corpus", "intel-pt"), 0
    maker = os.path.join(common.SHARED, "tools", "pt-generator", "mkperf.py")
    if not os.path.exists(maker):
        return 0
    with tempfile.TemporaryDirectory() as work:
        os.symlink(os.path.join(folder, "bin"), os.path.join(work, "bin"))
        for name in sorted(os.listdir(folder)):
            if name.endswith((".time.pt", ".cyc.pt")):
                path = os.path.join(work, name[:-3] + ".perf.data")
                subprocess.run(["python3", maker, name, name.split(".")[0] + ".map", path], check=True, cwd=folder)
                profiles_of(path, 200 if common.LONG else 6)
                made += 1
    return made


def inside(path, number, call, calls):
    around = calls[call["parent"]] if call["parent"] is not None else None
    never = float("inf")
    end = never if call["end"] is None else call["end"]
    if call["id"] != number or end < call["start"]:
        common.fail(path, "call", number, call)
    if around and not (around["start"] <= call["start"] and end <= (never if around["end"] is None else around["end"]) and
                       around["depth"] == call["depth"] - 1 and around["thread"] == call["thread"]):
        common.fail(path, "call", number, call, "is not inside", around)


def main():
    count = 0
    rng = random.Random(15)
    with tempfile.TemporaryDirectory() as folder:
        for name, threads, room in made_logs():
            path = os.path.join(folder, name + ".xray")
            with open(path, "wb") as file:
                file.write(log_of(threads, room))
            wanted = {thread: naive(records) for thread, records in threads.items()}
            expect(name + ", all", listed(path, "--jobs", "3"), wanted)
            expect(name + ", sums", sums(wanted), reported(path))
            windows(name, path, wanted, rng)
            index_of(path)
            profiles_of(path)
            count += 1
    for name in sorted(os.listdir(CORPUS)) if common.WHOLE else []:
        path = os.path.join(CORPUS, name)
        if name.endswith(".xray"):
            wanted = {}
            for thread, _, records in accounts.blocks_of(path):
                wanted.setdefault(thread, []).extend(records)
            compare(name, path, {thread: naive(records) for thread, records in wanted.items()})
            index_of(path)
            profiles_of(path)
            count += 1
    count += intel_pt()
    common.finish(count, "traces")


if __name__ == "__main__":
    main()
