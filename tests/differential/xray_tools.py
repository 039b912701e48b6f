#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts and costs of call stacks against `llvm-xray stack`, on recordings whose threads all begin in one buffer; which
functions recur against `llvm-xray account`. Slices against the records that they are to have, and waiting apart from work
against a stack machine here."""
import collections
import csv
import io
import json
import os
import re
import shutil
import subprocess
import tempfile

import common
from common import CORPUS, expect, skip

GOLDEN = os.path.join(common.ROOT, "tests", "golden", "xray")
BIN = os.path.join(CORPUS, "bin")
compared = 0


def names_of(symbols):
    """{how llvm-xray shows a function of a map in YAML: its name}"""
    with open(symbols, encoding="utf-8") as file:
        rows = re.findall(r"function: 0x0*([0-9A-Fa-f]+),.*function-name: '?([^',}]*[^',} ])", file.read())
    return {"@(%s)" % address.lower(): name for address, name in rows}


def theirs(tool, trace, symbols, kind):
    names = names_of(symbols)
    done = subprocess.run([tool, "stack", "--all-stacks", "--aggregation-type=" + kind, "--stack-format=flame",
                           "--instr_map=" + symbols, trace], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    stacks = collections.Counter()
    for line in done.stdout.decode().splitlines():
        path, number = line.rsplit(" ", 1)
        stacks[";".join(names.get(f, f) for f in path.rstrip(";").split(";")[1:])] += int(number)
    return dict(stacks)


def ours(trace, symbols, *options):
    rows = [line.rsplit(" ", 1) for line in common.run("stacks", "--map", symbols, *options, trace).splitlines()]
    return [(path, int(number)) for path, number in rows]


def recursive(tool, trace):
    """A function that recurred in any call: the two agree on functions, while llvm-xray leaves other calls of it out."""
    done = subprocess.run([tool, "account", "-k", "-d", "-f", "csv", "--recursive-calls-only", trace], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True, text=True)
    wanted = {row["funcid"] for row in csv.DictReader(io.StringIO(done.stdout))}
    rows = common.report("--recursive-only", trace)
    expect(trace + ": recursive functions", {row["id"] for row in rows}, wanted)
    every = {row["id"]: row for row in common.report(trace)}
    expect(trace + ": their rows are those of all", [row for row in rows if row != every[row["id"]]], [])


KEYS = ("record", "action", "id", "thread", "process", "cpu", "tsc", "args", "data", "event_type")


def kept(path, *options):
    """Function records and events, by thread in order."""
    rows = [tuple(str(r.get(k)) for k in KEYS) for r in common.dump(*options, path)
            if r["record"] in ("function", "custom-event", "typed-event")]
    return sorted(rows, key=lambda row: (row[4], row[3]))


def clock(path):
    """Microseconds of the wall clock at TSC 0, by buffer."""
    frequency = json.loads(common.run("info", "--json", path))["cycle_frequency"]
    found, wall = [], 0
    for r in common.dump("--order", "file", path):
        if r["record"] == "wall-clock":
            wall = r["seconds"] * 1000000 + r["microseconds"]
        elif r["record"] == "new-cpu" and wall:
            found.append(wall - r["tsc"] * 1e6 / frequency)
            wall = 0
    return found


SLICES = (("mt8-fdr", ["--thread", "19876"]), ("mt8-fdr", ["--time", "270us..290us"]), ("mt8-fdr", ["--function", "^#2$"]),
          ("args-fdr", ["--time", "20us.."]), ("custom-fdr", ["--time", "..30us"]), ("fib-basic", ["--cpu", "1"]),
          ("v1-fib-fdr", ["--function", "^#[14]$"]), ("typed-fdr", ["--time", "1us.."]))


def slices(folder):
    """A slice has the records that `dump` shows with the same options, and reads as a trace of its own."""
    count = clocks = 0
    part = os.path.join(folder, "part.xray")
    for name, options in SLICES:
        trace = os.path.join(CORPUS, name + ".xray")
        if not os.path.exists(trace):
            continue
        whole = kept(trace, *options)
        expect(name + ": some records", 0 < len(whole) < len(kept(trace)) or name == "fib-basic", True)
        common.run("slice", *options, "-o", part, trace)
        expect(name + " " + options[0], kept(part), whole)
        expect(name + ": a whole trace", common.run("check", part).count("xray.grammar"), 0)
        walls = clock(trace)
        clocks += len(clock(part)) if walls else 0
        expect(name + ": its wall clock", [w for w in clock(part) if walls and min(abs(w - v) for v in walls) > 2], [])
        count += 1
    expect("wall clocks were compared", clocks > 0 or not count, True)
    return count


def idle_by_hand(trace, idle):
    """Self ticks by function: work, and what was spent in functions of `idle` and below."""
    work, wait, stacks = collections.Counter(), collections.Counter(), {}
    for r in common.dump(trace):
        if r["record"] != "function":
            continue
        stack = stacks.setdefault((r["process"], r["thread"]), [[], 0])
        if stack[0]:
            apart = any(f in idle for f in stack[0])
            (wait if apart else work)[stack[0][-1]] += r["tsc"] - stack[1]
        stack[1] = r["tsc"]
        if r["action"].startswith("enter"):
            stack[0].append(r["id"])
        else:
            while stack[0] and stack[0].pop() != r["id"]:
                pass
    return work, wait


def waiting(name, ids):
    trace = os.path.join(CORPUS, name + ".xray")
    work, wait = idle_by_hand(trace, ids)
    rows = common.report("--idle", "^#(%s)$" % "|".join(map(str, ids)), trace)
    expect(name + ": work", {int(r["id"]): int(r["Ticks:self"]) for r in rows}, {int(r["id"]): work[int(r["id"])] for r in rows})
    expect(name + ": waiting", {int(r["id"]): int(r["Idle:self"]) for r in rows}, {int(r["id"]): wait[int(r["id"])] for r in rows})
    expect(name + ": some of both", bool(sum(work.values()) and sum(wait.values())), True)
    plain = {r["id"]: [r["calls"], r["p99"], r["sum"]] for r in common.report(trace)}
    expect(name + ": durations", {r["id"]: [r["calls"], r["p99"], r["sum"]] for r in rows}, plain)
    missing = subprocess.run([common.command(), "report", "--idle", "^nothing$", trace], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    expect(name + ": nothing waits", (missing.returncode, "all is work" in missing.stderr), (1, True))


def extracts(folder):
    """The instrumentation maps of programs, byte for byte, on the terminal and in a file."""
    count = 0
    tools = [tool for tool in map(shutil.which, ("llvm-xray-19", "llvm-xray-22")) if tool]
    if not tools:
        print("skipped: maps of programs, as there is no llvm-xray of LLVM 19 or 22")
        return 0
    for program in sorted(name for name in os.listdir(BIN) if name.endswith(".elf")):
        path, file = os.path.join(BIN, program), os.path.join(folder, "map.yaml")
        for tool in tools:
            for options in ([], ["--no-demangle"]):
                done = subprocess.run([tool, "extract", "--symbolize", *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                if done.returncode:
                    continue
                what = " ".join([os.path.basename(tool), program, *options])
                expect(what, common.run("extract", "--yaml", *options, path, text=False) == done.stdout, True)
                common.run("extract", "--output", file, *options, path)
                subprocess.run([tool, "extract", "--symbolize", *options, "--output", file + ".theirs", path], check=True)
                with open(file, "rb") as made, open(file + ".theirs", "rb") as wanted:
                    expect(what + ": as a file", made.read() == wanted.read(), True)
                count += 1
    expect("programs with a map", count > 0, True)
    return count


def status_of(*words):
    return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def keep_going(tool):
    """
    A log with a hole, in which calls end that did not begin. llvm-xray stops there unless it is to keep going, as we do if
    --strict says so; who goes on has the same calls. (Its stacks and edges behind the hole are those of before it.)
    """
    global compared
    trace, symbols = (os.path.join(GOLDEN, name) for name in ("gap-hole.xray", "fib.instrmap-sym.yaml"))
    done = subprocess.run([tool, "account", "--keep-going", "-d", "-f", "csv", trace], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    wanted = {row["funcid"]: row["count"] for row in csv.DictReader(io.StringIO(done.stdout))}
    rows = csv.DictReader(io.StringIO(common.run("report", "--csv", trace, status=(1,))))
    expect("account --keep-going", {row["id"]: row["calls"] for row in rows if row["id"]}, wanted)
    expect("account --keep-going: some calls", sum(map(int, wanted.values())), 3)
    done = subprocess.run([tool, "graph", "--keep-going", "-d", "--vertex-label=count", "-o", "-", trace], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    graph = common.run("convert", "--to", "dot", "--labels", "calls", trace, status=(1,))
    expect("graph --keep-going", dict(re.findall(r'label="#(\d+)\\n([\d,]+) call', graph)),
           dict(re.findall(r'label="\{#(\d+)\|(\d+)', done.stdout)))
    both, strict = [trace, trace], [common.command(), "--strict"]
    for command, theirs_is, ours_is in (
            ("account", [trace], ["report", trace]), ("graph", ["-o", "/dev/null", trace], ["convert", "--to", "dot", trace]),
            ("graph-diff", ["-o", "/dev/null", *both], ["diff", "--to", "dot", *both]),
            ("stack", ["-m", symbols, trace], ["stacks", "--map", symbols, trace])):
        expect(command + ": stops", status_of(tool, command, *theirs_is) != 0, True)
        # graph-diff stops all the same, whichever of its three options is given.
        if command != "graph-diff":
            expect(command + " --keep-going", status_of(tool, command, "--keep-going", *theirs_is), 0)
        expect(command + ": ours", status_of(strict[0], *ours_is), 1)
        expect(command + ": ours with --strict", status_of(strict[0], ours_is[0], strict[1], *ours_is[1:]), 2)
    compared += 6


def outputs(tool, folder):
    """--output: a file has what standard output has."""
    global compared
    trace, symbols = (os.path.join(GOLDEN, name) for name in ("fib-fdr.xray", "fib.instrmap-sym.yaml"))
    for theirs_is, ours_is in (
            (["account", "-d", "-f", "csv", trace], ["report", "--csv", trace]),
            (["convert", "-f", "yaml", trace], ["dump", "--json", trace]),
            (["graph", "-d", trace], ["convert", "--to", "dot", trace]),
            (["graph-diff", trace, trace], ["diff", "--to", "dot", trace, trace])):
        for command in ([tool, *theirs_is], [common.command(), *ours_is]):
            file = os.path.join(folder, "output")
            plain = subprocess.run([*command, "--output=-"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            subprocess.run([*command, "--output=" + file], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with open(file, "rb") as made:
                expect(" ".join(command[:2]) + " --output", made.read() == plain and len(plain) > 100, True)
        compared += 1


def main():
    global compared
    tool = shutil.which("llvm-xray-19") or shutil.which("llvm-xray")
    if not tool:
        skip("there is no llvm-xray")
    for name in ("fib-fdr", "fib-basic"):
        trace = os.path.join(GOLDEN, name + ".xray")
        symbols = os.path.join(GOLDEN, "fib.instrmap-sym.yaml")
        counts = theirs(tool, trace, symbols, "count")
        rows = ours(trace, symbols, "--count")
        expect(name + ": calls of stacks", dict(rows), counts)
        expect(name + ": some stacks", len(counts) > 10, True)
        # "only N stacks, those that were called most first"
        top = ours(trace, symbols, "--count", "--top", "7")
        expect(name + ": calls of the top stacks", [number for _, number in top], sorted(counts.values(), reverse=True)[:7])
        expect(name + ": the top stacks", all(counts.get(path) == number for path, number in top), True)
        costs = dict(ours(trace, symbols))
        longest = ours(trace, symbols, "--top", "5")
        expect(name + ": the longest stacks", [number for _, number in longest], sorted(costs.values(), reverse=True)[:5])
        compared += 3
    for name in ("fib-fdr", "mt8-fdr", "fib-basic", "tail-fdr", "v1-fib-fdr"):
        if common.oracle(name, "account.csv"):
            recursive(tool, os.path.join(CORPUS, name + ".xray"))
            compared += 1
    with tempfile.TemporaryDirectory() as folder:
        compared += slices(folder) + extracts(folder)
        outputs(tool, folder)
    keep_going(tool)
    if common.WHOLE:
        waiting("mt8-fdr", [2])
        waiting("fib-fdr", [1, 4])
        compared += 2
    common.finish(compared, "lists compared")


if __name__ == "__main__":
    main()
