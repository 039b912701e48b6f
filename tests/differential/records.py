#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The records of each thread against llvm-xray's: same functions, actions, times, arguments, in the same order.

llvm-xray is compared per thread only: between threads it breaks ties by hash order (docs/formats/xray.md, 3.12). It cuts
the data of custom events at the first NUL and replaces bytes that are not UTF-8, so of data only what it could keep counts.
Traces that it refuses have no oracle: typed-fdr, events-fdr-tscwrap, custom-empty-fdr, v1-custom-fdr."""
import os

import common
from common import CORPUS, expect

try:
    import yaml
except ImportError:
    common.skip("no python3-yaml")

ACTIONS = {"enter": "function-enter", "exit": "function-exit", "tail-exit": "function-tail-exit",
           "enter-arg": "function-enter-arg"}


def theirs(path):
    # A process of 0 (version 1) is left out.
    with open(path, encoding="utf-8", errors="replace") as file:
        document = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    threads = {}
    for record in document["records"]:
        kind = record["kind"]
        if kind.startswith("function-"):
            row = (kind, record["func-id"], record["tsc"], record["cpu"], record.get("process", 0),
                   tuple(record.get("args", ())), record.get("function", ""))
        else:
            row = (kind, record["tsc"], record.get("process", 0))
        threads.setdefault(record["thread"], []).append(row)
    return threads


def ours(path, names, *options):
    threads = {}
    for record in common.dump(path, *options):
        if record["record"] == "function":
            row = (ACTIONS[record["action"]], record["id"], record["tsc"], record["cpu"], record["process"],
                   tuple(record.get("args", ())), record["name"] if names else "")
        elif record["record"] in ("custom-event", "typed-event"):
            row = (record["record"], record["tsc"], record["process"])
        else:
            continue
        threads.setdefault(record["thread"], []).append(row)
    return threads


def without_names(threads):
    return {thread: [row[:6] + ("",) if len(row) == 7 else row for row in rows] for thread, rows in threads.items()}


def compare(name):
    path = os.path.join(CORPUS, name + ".xray")
    binary = common.binary_of(name)
    named = common.oracle(name, "sym.yaml")
    yaml_path = named or common.oracle(name, "nosym.yaml")
    if not yaml_path:
        return 0
    wanted = theirs(yaml_path)
    options = ["--binary", binary] if binary and named else []
    got = ours(path, bool(options), *options)
    if not options:
        wanted = without_names(wanted)
    expect(name + ": threads", sorted(got), sorted(wanted))
    for thread in sorted(set(got) & set(wanted)):
        expect("%s: thread %d" % (name, thread), got[thread], wanted[thread])
    return 1


def main():
    common.finish(sum(compare(name) for name in common.corpus_traces()), "traces")


main()
