#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that fork, recorded afresh: all logs together are one input, whose calls are those that the processes counted,
each its own. What a process inherited stands in several logs and counts once."""
import os
import subprocess
import sys
import tempfile

import common
from common import expect, fail
from live_tools import build, counts_of

# How it forks, amount, size of a buffer; processes, threads with records of their own.
RUNS = (
    ("flat", "3", 65536, 4, 4),
    ("flat", "60", 4096, 4, 4),      # every process goes on in buffers of its own, which name it
    ("nested", "3", 65536, 4, 4),
    ("nested", "60", 4096, 4, 4),
    ("idle", "2", 65536, 4, 1),      # children that write nothing of their own
    ("leaves", "3", 65536, 2, 2),    # the parent's log is there first
    ("leaves", "60", 4096, 2, 2),
    ("thread", "3", 65536, 2, 4),    # main, two more, and the child
    ("thread", "60", 4096, 2, 4),
)


def record(program, how, amount, size, folder):
    options = "func_duration_threshold_us=0 buffer_size=%d buffer_max=4000" % size
    environment = dict(os.environ, LIVE_MODE="xray-fdr", LIVE_OPTIONS=options,
                       LIVE_COUNTS=os.path.join(folder, "counts"), XRAY_OPTIONS="xray_logfile_base=log.")
    try:
        # The pipe is open as long as any process is.
        done = subprocess.run([program, how, amount], cwd=folder, env=environment, stderr=subprocess.PIPE, timeout=120)
    except subprocess.TimeoutExpired:
        return None, None # a process was forked while another thread held a lock of the runtime
    if done.returncode:
        fail(how, "does not record:", done.stderr.decode("utf-8", "replace"))
        return None, None
    counts = {}
    for name in sorted(os.listdir(folder)):
        if name.startswith("counts"):
            for function, count in counts_of(os.path.join(folder, name)).items():
                counts[function] = counts.get(function, 0) + count
    return sorted(os.path.join(folder, n) for n in os.listdir(folder) if n.startswith("log.")), counts


def calls_of(rows, counts):
    found = {}
    for row in rows:
        name = row["function"]
        found[name] = found.get(name, 0) + int(row["calls"] or 0) + int(row["unfinished"] or 0)
    return {name: found.get(name, 0) for name in counts}


def compare(what, logs, counts, processes, threads, program):
    expect(what + ": logs", len(logs), processes)
    for paths in (logs, logs[::-1], logs[1:] + logs[:1]):
        rows = common.report("--binary", program, *paths)
        expect(what + ": calls", calls_of(rows, counts), counts)
    merged = common.run("merge", "--binary", program, "--to", "json", *logs)
    expect(what + ": any order", common.run("merge", "--binary", program, "--to", "json", *logs[::-1]) == merged, True)
    head = common.run("report", "--binary", program, *logs).splitlines()[0]
    expect(what + ": threads", head.split(", ")[1], "%d thread%s" % (threads, "" if threads == 1 else "s"))
    losses = common.report_json(*logs)["losses"]
    expect(what + ": orphan exits", losses["orphan_exits"], 0)
    done = subprocess.run([common.command(), "report", *logs], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True)
    expect(what + ": told", done.stderr.count("inherited by fork"), processes - 1)
    expect(what + ": status", done.returncode, 0)


def check_clocks(logs):
    """Logs of different clocks have no sum: the file that is told is the first with another clock than those before it."""
    with open(logs[1], "rb") as file:
        data = bytearray(file.read())
    data[8] ^= 1  # the low byte of the frequency in the header
    other = logs[1] + ".other"
    with open(other, "wb") as file:
        file.write(data)
    for command in (["report"], ["merge", "--to", "json"]):
        done = subprocess.run([common.command(), *command, logs[0], logs[2], other, logs[3]], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        expect(command[0] + ": the file with another clock", (done.returncode, other + ": " in done.stderr), (2, True))


def main():
    if not common.tool("clang++-19"):
        common.skip("no clang 19")
    compared = 0
    with tempfile.TemporaryDirectory() as place:
        program = build("19", "forks", ["-O2"], place)
        for how, amount, size, processes, threads in RUNS if program else ():
            with tempfile.TemporaryDirectory() as folder:
                logs, counts = record(program, how, amount, size, folder)
                if logs:
                    compare("%s %s" % (how, amount), logs, counts, processes, threads, program)
                    compared += 1
                if logs and compared == 1:
                    check_clocks(logs)
    common.finish(compared, "forking programs")


if __name__ == "__main__":
    main()
