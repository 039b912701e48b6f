#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles of Intel PT against the list of all addresses that were executed, which the corpus has beside each trace.

The truth is counted here from that list, the symbols (nm) and the opcodes of calls alone: how often each address ran; how
often a function was entered, by a call or from outside of it; how many instructions ran in it."""
import csv
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile

import common
from common import SHARED, expect
from pt_corpus import CORPUS, addresses, costs_of_addresses, counts

TIMING = ["--cpuid-0x15.eax", "2", "--cpuid-0x15.ebx", "176", "--mtc-freq", "3", "--nom-freq", "32"]
VARIANTS = ["ret", "noret", "time", "cyc", "irq"]


def tool(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def truth_of(name):
    with open(os.path.join(CORPUS, name + ".truth"), encoding="utf-8") as file:
        return dict(line.split(None, 1) for line in file if " " in line.strip())


def load_address(name):
    """Where bin/NAME was: its page with file offset 1000 is the first one of its code."""
    with open(os.path.join(CORPUS, name + ".map"), encoding="utf-8") as file:
        for line in file:
            fields = line.split()
            if len(fields) == 5 and fields[3] == "bin/" + name:
                return int(fields[0], 16) - int(fields[4], 16)
    return None


def symbols(name, base):
    """[(start, end, name)] of the functions of bin/NAME that have a size."""
    found = []
    for line in tool("nm", "-S", os.path.join(CORPUS, "bin", name)).splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tTwW":
            start = int(fields[0], 16) + base
            found.append((start, start + int(fields[1], 16), fields[3]))
    return sorted(found)


def kinds(name):
    """{address: "call", "ret" or "other"} of all code in NAME.img."""
    found = {}
    with open(os.path.join(CORPUS, name + ".map"), encoding="utf-8") as file:
        parts = [line.split() for line in file if not line.startswith("#")]
    executed = set(addresses(name))
    with open(os.path.join(CORPUS, name + ".img"), "rb") as file:
        image = file.read()
    # One instruction after the other from wherever one was executed: code may begin anywhere in a page.
    for vaddr, size, offset, *_ in parts:
        vaddr, size, offset = int(vaddr, 16), int(size, 16), int(offset, 16)
        for ip in executed:
            if vaddr <= ip < vaddr + size:
                found[ip] = kind(image[offset + ip - vaddr:offset + ip - vaddr + 15])
    return found


def kind(code):
    """Near calls and returns by their opcodes (Intel SDM volume 2): E8; FF /2; C2, C3. Prefixes 66, F2, F3, 40 to 4F."""
    while code and (code[0] in (0x66, 0xf2, 0xf3, 0x3e) or 0x40 <= code[0] <= 0x4f):
        code = code[1:]
    if not code:
        return "other"
    if code[0] == 0xe8:
        return "next" if code[1:5] == b"\0\0\0\0" else "call"
    if code[0] == 0xff and len(code) > 1 and code[1] >> 3 & 7 == 2:
        return "call"
    return "ret" if code[0] in (0xc2, 0xc3) else "other"


def count(name):
    """{function: (calls, self)} of the functions of bin/NAME."""
    ips = addresses(name)
    what = kinds(name)
    functions = symbols(name, load_address(name))
    of = {}
    for ip in set(ips):
        of[ip] = next((f for f in functions if f[0] <= ip < f[1]), None)
    calls, self_cost = {}, {}
    before = None
    for ip in ips:
        function = of[ip]
        if function:
            self_cost[function[2]] = self_cost.get(function[2], 0) + 1
            entered = before is None or of[before] != function or what[before] == "call"
            if ip == function[0] and entered:
                calls[function[2]] = calls.get(function[2], 0) + 1
        before = ip
    return {f: (calls.get(f, 0), self_cost[f]) for f in self_cost}


def ours(path, *options):
    report = common.report_json(path, "--event", "Ir", *options)
    rows = {}
    for f in report["functions"]:
        rows[f["function"]] = (f["calls"] + f.get("unfinished", 0), f["self"]["Ir"])
    return report["total"]["Ir"], rows


def check_trace(name, path, wanted, total, *options):
    got_total, rows = ours(path, *options)
    what = os.path.basename(path) + " " + " ".join(options)
    expect(what + ": instructions", got_total, total)
    expect(what + ": calls and self cost", {f: rows.get(f) for f in wanted}, wanted)


def check_addresses(name, path):
    """How often each address ran, and each branch."""
    text = common.run("convert", "--no-compress", "--positions", "instr", path)
    expect(os.path.basename(path) + ": instructions at each address", costs_of_addresses(text), counts(addresses(name)))
    check_jumps(name, path, text)


def check_jumps(name, path, text):
    """How often each conditional branch ran and was followed: the next address in the list is its target."""
    ips = addresses(name)
    followed = {}
    for line in re.finditer(r"^jcnd=(\d+)/(\d+) (0x[0-9a-f]+) \S+\n(0x[0-9a-f]+) ", text, re.MULTILINE):
        taken, executed, target, ip = int(line[1]), int(line[2]), int(line[3], 16), int(line[4], 16)
        before = followed.get((ip, target), (0, 0))
        followed[ip, target] = (before[0] + taken, before[1] + executed)
    branches = {ip: target for ip, target in followed}
    after, successors = {}, {ip: [] for ip in branches}
    for ip, then in zip(ips, ips[1:] + (0,)):
        if ip in branches:
            successors[ip].append(then)
        if ip in branches and then != branches[ip] and 0 < then - ip <= 15:
            after[ip] = then
    for (ip, target), (taken, executed) in sorted(followed.items()):
        nexts = successors[ip]
        sure = nexts.count(target)
        # A signal may come behind a branch: where that led is not in the list.
        unsure = sum(then not in (target, after.get(ip)) for then in nexts)
        expect("%s: branch at %x ran" % (os.path.basename(path), ip), executed, len(nexts))
        expect("%s: branch at %x followed" % (os.path.basename(path), ip), sure <= taken <= sure + unsure, True)


def cyc_packets(path):
    """Values of all CYC packets: whose listing is held against libipt's by another test."""
    listing = common.run("dump", "--packets", path)
    return [int(value, 16) for value in re.findall(r"^[0-9a-f]+\s+cyc\s+([0-9a-f]+)$", listing, re.MULTILINE)]


def check_cycles(name, path, wanted, *options):
    """Cycles: their sum is that of the CYC packets but the first, which counts from a packet before the trace. The clock
    of these traces goes on by one at each instruction (README.md of the corpus), so that a function has as many cycles as
    it ran instructions, but for what a signal took while it ran, and what came before the first packet."""
    what = os.path.basename(path)
    total = sum(cyc_packets(os.path.join(CORPUS, name + ".cyc.pt"))[1:])
    report = common.report_json(path, *options)
    expect(what + ": events", report["events"], ["Ticks", "Cycles", "Ir"])
    expect(what + ": cycles", report["total"]["Cycles"], total)
    rows = {f["function"]: f["self"]["Cycles"] for f in report["functions"]}
    if name != "sig":
        expect(what + ": cycles of functions", {f: rows[f] for f in wanted},
               {f: self_cost for f, (_, self_cost) in wanted.items()})
    expect(what + ": cycles of all functions", sum(f["self"]["Cycles"] for f in report["functions"]), total)
    stacks = common.run("stacks", "--event", "Cycles", *options, path).splitlines()
    expect(what + ": cycles of stacks", sum(int(line.rsplit(None, 1)[1]) for line in stacks), total)
    addresses_total, skip = 0, False
    for line in common.run("convert", "--no-compress", "--positions", "instr", *options, path).splitlines():
        cost = re.match(r"0x[0-9a-f]+ \S+ \d+ (\d+) \d+$", line)
        if cost and not skip:
            addresses_total += int(cost[1])
        skip = line.startswith(("calls=", "jump=", "jcnd="))
    expect(what + ": cycles of addresses", addresses_total, total)
    facts = json.loads(common.run("info", "--json", *options, path))
    expect(what + ": info", facts["cycles"], total if options else True)


def check_windows(path):
    """Two windows of time that meet have together what the whole has."""
    totals = [common.report_json(path, *TIMING, "--tsc-hz", "1000000000", "--time", window)["total"]
              for window in ("..100us", "100us..", "..")]
    what = os.path.basename(path)
    expect(what + ": both windows have something", min(totals[0]["Ir"], totals[1]["Ir"]) > 0, True)
    for event in ("Cycles", "Ir"):
        expect(what + ": windows, " + event, totals[0][event] + totals[1][event], totals[2][event])


def check_cycles_of_perf(name, wanted):
    """The same trace in a perf.data."""
    maker = os.path.join(SHARED, "tools", "pt-generator", "mkperf.py")
    if not os.path.exists(maker):
        return
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, name + ".cyc.perf.data")
        # Relative names of its maps are found beside it.
        os.symlink(os.path.join(os.path.abspath(CORPUS), "bin"), os.path.join(folder, "bin"))
        subprocess.run(["python3", maker, name + ".cyc.pt", name + ".map", made], check=True, cwd=CORPUS)
        check_cycles(name, made, wanted)


def check_large():
    """The large trace: all its instructions, and the same output, to the byte, for any number of threads."""
    trace = os.path.join(SHARED, "corpus", "large", "intel-pt", "py.%s.pt.zst")
    if common.SMALL or not os.path.exists(trace % "ret"):
        print("skipped: the large trace is %s" % ("left out" if common.SMALL else "not here"))
        return 0
    with open(os.path.join(os.path.dirname(trace), "py.truth"), encoding="utf-8") as file:
        insns = int(dict(line.split(None, 1) for line in file if " " in line.strip())["insns"].split()[0])
    for variant in ("ret", "time", "cyc") if common.LONG else ("time",):
        outputs = []
        for jobs in ("1", "2", "3"):
            options = ["--jobs", jobs, *(TIMING if variant != "ret" else []), trace % variant]
            outputs.append((common.run("report", "--json", *options), common.run("convert", *options)))
        expect("py.%s: 2 and 1 threads" % variant, outputs[1] == outputs[0], True)
        expect("py.%s: 3 and 1 threads" % variant, outputs[2] == outputs[0], True)
        expect("py.%s: instructions" % variant, json.loads(outputs[0][0])["total"]["Ir"], insns)
    return 1


def check_hardware():
    """Traces of a real processor: as many instructions as libipt counts, nothing lost (peer/README.md)."""
    manifest = os.path.join(SHARED, "peer", "real-pt", "MANIFEST.tsv")
    if not os.path.exists(manifest):
        print("skipped: no traces of a real processor are here")
        return 0
    with open(manifest, encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        report = common.report_json("--event", "Ir", os.path.join(os.path.dirname(manifest), row["pt"]))
        expect(row["name"] + ": instructions", report["total"]["Ir"], int(row["insns"]))
        expect(row["name"] + ": bytes skipped", report["losses"]["skipped_bytes"], 0)
    return len(rows)


def main():
    if not os.path.isdir(CORPUS):
        common.skip(CORPUS + " is not here")
    for name in ("nm", "zstd"):
        if not shutil.which(name):
            common.skip("there is no " + name)
    compared = 0
    for truth in sorted(glob.glob(os.path.join(CORPUS, "*.truth"))):
        name = os.path.basename(truth)[:-len(".truth")]
        total = int(truth_of(name)["insns"].split()[0])
        wanted = count(name) if os.path.exists(os.path.join(CORPUS, "bin", name)) else {}
        for variant in VARIANTS:
            path = os.path.join(CORPUS, "%s.%s.pt" % (name, variant))
            check_trace(name, path, wanted, total, *([] if variant in ("ret", "noret") else TIMING))
        # One thread passes over blocks of which a table needs the number of instructions alone.
        for jobs in ("1", "2"):
            check_trace(name, os.path.join(CORPUS, name + ".ret.pt"), wanted, total, "--jobs", jobs)
        check_cycles(name, os.path.join(CORPUS, name + ".cyc.pt"), wanted, *TIMING)
        check_windows(os.path.join(CORPUS, name + ".cyc.pt"))
        data = os.path.join(CORPUS, name + ".time.perf.data")
        if os.path.exists(data):
            check_trace(name, data, wanted, total)
            check_cycles_of_perf(name, wanted)
        check_addresses(name, os.path.join(CORPUS, name + ".ret.pt"))
        compared += 1
    compared += check_large() + check_hardware()
    common.finish(compared, "programs")


main()
