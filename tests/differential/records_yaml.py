#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records as YAML, both ways. `convert --to yaml` writes the lines of `llvm-xray convert -f yaml`, thread by thread (between
threads llvm-xray breaks ties by hash order), but for payloads that are no text, which it cuts. What either wrote, read again,
is the trace that it was written from. llvm-xray reads YAML of version 1 alone: it must read ours, to the same accounts."""
import json
import os
import re
import subprocess
import sys
import tempfile

import common
from common import CORPUS, expect

THREAD = re.compile(r", thread: (\d+)")
PAYLOAD = re.compile(r", data: .* \}$")
COLUMNS = ("function", "id", "thread", "Ticks:self", "Ticks:inclusive", "calls", "min", "median", "p90", "p99", "max", "sum")


def lines_of(text):
    """Header, and the lines of records, thread by thread; payloads of events are compared by value elsewhere."""
    header, threads = [], {}
    for line in text.splitlines():
        if not line.startswith("  - {"):
            header.append(line)
            continue
        if "-event," in line:
            line = PAYLOAD.sub("", line)
        thread = THREAD.search(line)
        threads.setdefault(thread.group(1) if thread else "0", []).append(line)
    return header + [line for thread in sorted(threads) for line in threads[thread]]


def rows(*args):
    return sorted(tuple(row.get(c, "") for c in COLUMNS) for row in common.report("--threads", *args))


def records(path):
    """Function records and events by thread, as far as YAML has them."""
    threads = {}
    for r in common.dump(path):
        if r["record"] in ("function", "custom-event", "typed-event"):
            threads.setdefault((r["process"], r["thread"]), []).append(
                tuple(str(r.get(key)) for key in ("record", "action", "id", "cpu", "tsc", "args", "event_type", "bytes")))
    return threads


def written(name, folder):
    """Ours against llvm-xray's, and read again."""
    trace = os.path.join(CORPUS, name + ".xray")
    ours = os.path.join(folder, name + ".yaml")
    binary = common.binary_of(name)
    oracle = common.oracle(name, "sym.yaml") if binary else None
    text = common.run("convert", "--to", "yaml", *(["--binary", binary] if oracle else []), trace)
    if oracle:
        with open(oracle, encoding="utf-8", errors="replace") as file:
            expect(name + ": lines", lines_of(text), lines_of(file.read()))
        theirs = rows(oracle)
        # Names only: by the code of a program more is known of calls that did not return.
        expect(name + ": read from theirs", theirs, rows("--map", binary[:-4] + ".instrmap-sym.yaml", trace))
    with open(ours, "w", encoding="utf-8") as file:
        file.write(common.run("convert", "--to", "yaml", trace))
    version = re.search(r"version: +(\d+)", text).group(1)
    if int(version) >= 3 or "basic" in name:
        expect(name + ": records", records(ours), records(trace))
        expect(name + ": report", rows(ours), rows(trace))
    again = os.path.join(folder, name + ".xray")
    common.run("convert", "--to", "xray", "-o", again, ours)
    expect(name + ": as a log again", records(again), records(ours))
    return 1 + bool(oracle)


def account(xray, path):
    done = subprocess.run([xray, "account", "-k", "-f", "csv", "--sort=funcid", path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    expect("llvm-xray account " + os.path.basename(path), done.returncode, 0)
    return done.stdout


def read_by_llvm(folder):
    xray = common.tool("llvm-xray-19", "llvm-xray")
    if not xray:
        return 0
    logs = [os.path.join(CORPUS, name + ".xray") for name in ("fib-fdr", "tail-fdr", "args-fdr")]
    logs = [path for path in logs if os.path.exists(path)]
    for path in logs:
        log, text = os.path.join(folder, "1.xray"), os.path.join(folder, "1.yaml")
        common.run("convert", "--to", "xray", "--xray-version", "1", "-o", log, path)
        common.run("convert", "--to", "yaml", "-o", text, log)
        expect(os.path.basename(path) + ": llvm-xray's accounts of both", account(xray, text), account(xray, log))
    return len(logs)


LINE = "  - { type: 0, func-id: %s, cpu: 1, thread: 5, process: 4, kind: %s, tsc: %s, data: %s }\n"
HEAD = "---\nheader:\n  version: 1\n  type: 1\n  cycle-frequency: 1000\nrecords:\n"


def damaged(folder):
    """What is wrong costs its record and is told with its offset; what stops being YAML ends the trace there."""
    good = [LINE % (1, "function-enter", 10, "''"), LINE % (1, "function-exit", 30, "''")]
    cases = {"not a kind": LINE % (1, "function-entry", 20, "''"), "no id": LINE % (0, "function-enter", 20, "''"),
             "a wide id": LINE % (1 << 28, "function-enter", 20, "''"), "a sign": LINE % (1, "function-enter", -20, "''"),
             "base64": LINE % (1, "custom-event", 20, "!!binary a*b="), "a list": "  - [ 1, 2 ]\n",
             "no tsc": "  - { func-id: 1, kind: function-enter }\n"}
    path = os.path.join(folder, "damaged.yaml")
    for what, line in cases.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(HEAD + good[0] + line + good[1] + "...\n")
        done = subprocess.run([common.command(), "dump", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        kept = [json.loads(r)["tsc"] for r in done.stdout.splitlines() if '"function"' in r]
        expect(what, (done.returncode, kept), (1, [10, 30]))
        expect(what + ": its offset", "offset 0x%x" % (len(HEAD + good[0]) + 4) in done.stderr, True)
        strict = subprocess.run([common.command(), "dump", "--strict", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        expect(what + ": strict", strict.returncode, 2)
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + good[0] + good[1] + "  - { ] }\n" + good[1])
    done = subprocess.run([common.command(), "report", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("cut", (done.returncode, "not YAML from here on" in done.stderr), (1, True))
    return len(cases)


def main():
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in common.corpus_traces():
            count += written(name, folder)
        count += read_by_llvm(folder) + damaged(folder)
    common.finish(count, "files compared")


if __name__ == "__main__":
    sys.exit(main())
