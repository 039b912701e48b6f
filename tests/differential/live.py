#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs recorded afresh: each counts its own calls with counters of its own, and the report must agree exactly.

Then the re-encodings: llvm-xray must find the same records in what `convert --to xray` writes as in the original."""
import os
import re
import subprocess
import sys
import tempfile

import common
from common import expect, fail
from live_tools import HERE, build, counts_of

# Every call is kept (no duration threshold), and no buffer is used twice.
FDR = "func_duration_threshold_us=0 buffer_size=65536 buffer_max=1000"
BASIC = "func_duration_threshold_us=0 max_stack_depth=256 thread_buffer_size=1024"

# program, arguments, options of the compiler, modes. The runtime's basic mode loses frames that are left without an exit,
# and what the main thread wrote last: it serves where other threads do the work, and not for main() itself.
PROGRAMS = (
    ("threads", ["8", "500"], ["-O2"], ("xray-fdr", "xray-basic")),
    ("threads", ["3", "200"], ["-O0"], ("xray-fdr", "xray-basic")),
    ("unwind", ["60"], ["-O2", "-fxray-instruction-threshold=1"], ("xray-fdr",)),
    ("events", ["40"], ["-O2", "-fxray-attr-list=" + os.path.join(HERE, "attributes.list")],
     ("xray-fdr",)),
)
MODES = {"xray-fdr": FDR, "xray-basic": BASIC}


def record(program, arguments, mode, options, folder):
    """Run a program; its trace and its own counts."""
    for name in os.listdir(folder):
        if name.startswith("log."):
            os.remove(os.path.join(folder, name))
    environment = dict(os.environ, LIVE_MODE=mode, LIVE_OPTIONS=options,
                       LIVE_COUNTS=os.path.join(folder, "counts"), XRAY_OPTIONS="xray_logfile_base=log.")
    done = subprocess.run([program, *arguments], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True,
                          timeout=120)
    logs = [name for name in os.listdir(folder) if name.startswith("log.")]
    if done.returncode or len(logs) != 1:
        fail("%s does not record: status %d, %d logs: %s" % (program, done.returncode, len(logs), done.stderr))
        return None, None
    return os.path.join(folder, logs[0]), counts_of(os.path.join(folder, "counts"))


# What else the compiler instruments: the standard library's templates and our destructors.
NOT_OURS = re.compile(r"std::|__gnu_cxx::|::~|operator new|lambda|_Atomic|counter::")


def compare_counts(what, trace, program, counts, basic):
    if basic:
        counts = {name: count for name, count in counts.items() if name != "main"}
    for options in ([], ["--jobs", "2"]):
        rows = common.report(trace, "--binary", program, *options)
        found = {row["function"]: int(row["calls"]) for row in rows if int(row["calls"])}
        found = {name: calls for name, calls in found.items() if name in counts or not NOT_OURS.search(name)}
        expect(what + ": calls", found, counts)
        expect(what + ": unfinished", [row["function"] for row in rows if int(row["unfinished"] or 0)], [])
    expect(what + ": orphan exits", common.report_json(trace).get("losses", {}).get("orphan_exits"), 0)


# ---- re-encoding ----------------------------------------------------------------------------------------------

RECORD = re.compile(r"^  - \{ type: \d+, func-id: (\d+), function: .*?, (?:args: \[ (.*?) \], )?cpu: (\d+), "
                    r"thread: (\d+), (?:process: (\d+), )?kind: ([a-z-]+), tsc: (\d+)", re.M)


def llvm_records(trace):
    """What llvm-xray finds in a trace, per thread; None when it refuses the trace."""
    done = subprocess.run([common.tool("llvm-xray-19", "llvm-xray"), "convert", "-f", "yaml", "-o", "-", trace],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        return None
    threads = {}
    for function, args, cpu, thread, process, kind, tsc in RECORD.findall(done.stdout.decode("utf-8", "replace")):
        what = int(function) if kind.startswith("function-") else 0
        threads.setdefault(int(thread), []).append((kind, what, args, int(cpu), int(process or 0), int(tsc)))
    return threads


# What a version does not hold: 1 and 2 know no process, basic mode no events (docs/formats/xray.md, section 5).
def as_version(threads, variant):
    def row(thread, kind, what, args, cpu, process, tsc):
        process = 0 if variant == "1" else thread if variant == "2" else process
        return kind, what, args, cpu, process, tsc
    kept = {thread: [row(thread, *r) for r in rows if variant != "basic" or r[0].startswith("function-")]
            for thread, rows in threads.items()}
    return {thread: rows for thread, rows in kept.items() if rows}


# llvm-xray decodes the filler of version 1 and so loses its way where events have odd sizes; basic mode has no events.
VARIANTS = {"threads": ("1", "2", "3", "4", "5", "basic"), "unwind": ("1", "2", "3", "4", "5", "basic"),
            "events": ("2", "3", "4", "5"), "xray-basic": ("2", "3", "4", "5", "basic")}


def refuse_events(what, trace, folder, program):
    """Nothing is dropped in silence: basic mode has no room for events, so that none is written."""
    written = os.path.join(folder, "refused.xray")
    if program == "events":
        common.run("convert", "--to", "xray", "--xray-version", "basic", "-o", written, trace, status=(2,))
        expect(what + ": a log in basic mode without its events", os.path.exists(written), False)


def compare_conversions(what, trace, folder, variants):
    original = llvm_records(trace)
    if not expect(what + ": llvm-xray reads the original", original is not None, True):
        return
    for variant in common.some(variants, 2):
        written = os.path.join(folder, "written.xray")
        common.run("convert", "--to", "xray", "--xray-version", variant, "-o", written, trace)
        found = llvm_records(written)
        name = "%s written as %s" % (what, variant)
        if not expect(name + ": llvm-xray reads it", found is not None, True):
            continue
        wanted = as_version(original, variant)
        expect(name + ": threads", sorted(found), sorted(wanted))
        for thread in sorted(set(found) & set(wanted)):
            expect("%s: thread %d" % (name, thread), found[thread], wanted[thread])


def main():
    versions = [v for v in ("19", "14") if common.tool("clang++-" + v)]
    if common.SMALL:
        del versions[1:]
    if not versions:
        common.skip("no clang")
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for version in versions:
            for program, arguments, options, modes in common.some(PROGRAMS):
                built = build(version, program, options, folder)
                for mode in modes if built else ():
                    trace, counts = record(built, arguments, mode, MODES[mode], folder)
                    what = "%s %s, clang %s, %s" % (program, options[0], version, mode)
                    if not trace:
                        continue
                    compare_counts(what, trace, built, counts, mode == "xray-basic")
                    compared += 1
                    if version == "19" and common.tool("llvm-xray-19") and options[0] == "-O2":
                        compare_conversions(what, trace, folder, VARIANTS[program if mode == "xray-fdr" else mode])
                        refuse_events(what, trace, folder, program)
    common.finish(compared, "recordings")


if __name__ == "__main__":
    main()
