#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""merge, diff, annotate and --by on the shared Callgrind profiles.

Expected values come from the `totals:` lines of the files, and from a reader of twenty lines for files whose names and
positions are not compressed, which the corpus has beside the compressed ones."""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

import common
from common import expect, run

FOLDER = os.path.join(common.SHARED, "corpus", "callgrind")
TRIPLES = (("mini_default", "mini_recs2", "mini_jumps"), ("mini_parts", "thr_sep_parts_cpyes", "mini_all"),
           ("mini_instr_jumps", "gzip_default", "cg_mini"), ("hand/cycle", "hand/same_fn_two_files", "hand/threads"))


def path(name):
    return os.path.join(FOLDER, name + ".out")


def totals(name):
    """Sums of all parts, by event, from the file's own lines."""
    sums, events = {}, []
    with open(path(name), encoding="latin-1") as file:
        for line in file:
            if line.startswith("events:"):
                events = line.split()[1:]
            elif line.startswith("totals:") or (name.startswith("cg_") and line.startswith("summary:")):
                for event, value in zip(events, line.split()[1:]):
                    sums[event] = sums.get(event, 0) + int(value)
    return sums


def self_costs(name, column):
    """Self cost by (file, place) of a file without compression; place is the line, or the address in column 0."""
    sums, file, call, instr = {}, "", False, False
    with open(path(name), encoding="latin-1") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if line.startswith("positions:"):
                instr = "instr" in line
            spec = re.match(r"(fl|fi|fe)=(.*)", line)
            if spec:
                file = spec.group(2)
            elif line.startswith(("calls=", "jump=", "jcnd=")):
                call = True
            elif re.match(r"(0x)?[0-9a-f]+ ", line) or (call and re.match(r"(0x)?[0-9a-f]+$", line)):
                numbers = [int(word, 0) for word in line.split()]
                if not call:
                    place = numbers[column]
                    key = (file, place) if not instr else place
                    sums[key] = sums.get(key, 0) + numbers[2 if instr else 1]
                call = False
    return sums


# ---- merge ----------------------------------------------------------------------------------------------------


def merged(folder, name, *inputs, to="callgrind"):
    out = os.path.join(folder, name)
    run("merge", "--to", to, "-o", out, *inputs)
    with open(out, "rb") as file:
        return out, file.read()


def check_merge(folder, names):
    a, b, c = map(path, names)
    for to in ("callgrind", "json"):
        _, all_at_once = merged(folder, "abc", a, b, c, to=to)
        for i, order in enumerate(((c, a, b), (b, c, a), (b, a, c))):
            expect("%s in order %d, %s" % (names, i, to), merged(folder, "cab", *order, to=to)[1] == all_at_once, True)
    _, all_at_once = merged(folder, "abc", a, b, c)
    ab, _ = merged(folder, "ab", a, b)
    bc, _ = merged(folder, "bc", b, c)
    expect("merge(merge(A,B),C) of %s" % (names,), merged(folder, "ab_c", ab, c)[1] == all_at_once, True)
    expect("merge(A,merge(B,C)) of %s" % (names,), merged(folder, "a_bc", a, bc)[1] == all_at_once, True)
    want = {}
    for name in names:
        for event, value in totals(name).items():
            want[event] = want.get(event, 0) + value
    got = common.report_json(os.path.join(folder, "abc"))["total"]
    if all(totals(name) for name in names):
        expect("totals of %s" % (names,), {e: got.get(e) for e in want}, want)


# ---- diff -----------------------------------------------------------------------------------------------------


def check_diff(before, after):
    rows = list(csv.DictReader(io.StringIO(run("diff", "--csv", "--event", "Ir", path(before), path(after)))))
    for side, name in (("before", before), ("after", after)):
        expect("Ir %s of diff %s %s" % (side, before, after), sum(int(row["Ir:" + side]) for row in rows),
               totals(name)["Ir"])
    for row in rows:
        expect("change of " + row["function"], int(row["Ir:change"]), int(row["Ir:after"]) - int(row["Ir:before"]))
    sizes = [abs(int(row["Ir:change"])) for row in rows]
    expect("order of diff %s %s" % (before, after), sizes, sorted(sizes, reverse=True))
    expect("what differs in %s from itself" % before,
           {row["state"] for row in csv.DictReader(io.StringIO(run("diff", "--csv", path(before), path(before))))},
           {"same"})


# ---- annotate -------------------------------------------------------------------------------------------------


def annotated(name, *args):
    return json.loads(run("annotate", "--json", *args, path(name)))


def self_remarks(place, event="Ir"):
    return sum(remark["cost"][event] for remark in place["remarks"] if remark["kind"] == "self")


def check_lines(name, twin):
    tree = annotated(name, "--source-dir", os.path.join(FOLDER, "src"))
    got = {}
    for file in tree["files"]:
        for line in file["lines"]:
            cost = self_remarks(line)
            if cost:
                got[(file["file"], line["line"] or 0)] = cost
    want = {("" if file == "???" else file, line): cost for (file, line), cost in self_costs(twin, 0).items() if cost}
    known = {key: cost for key, cost in want.items() if key[0]}
    got = {key: cost for key, cost in got.items() if key[0] not in ("", "???")}
    expect("lines of " + name, got, known)
    sums = [tree[key]["Ir"] for key in ("annotated", "unreadable", "below_threshold", "unknown", "unwanted", "elsewhere")]
    expect("what is annotated and what is not in " + name, sum(sums), totals(name)["Ir"])
    mini = [file for file in tree["files"] if file["file"].endswith("/mini.c")]
    with open(os.path.join(FOLDER, "src", "mini.c"), encoding="utf-8") as source:
        text = source.read().split("\n")
    expect("one mini.c in " + name, len(mini), 1)
    for line in mini[0]["lines"] if mini else []:
        if line["line"]:
            expect("text of line %d" % line["line"], line["source"], text[line["line"] - 1])


def check_instructions(name, twin):
    binary = os.path.join(FOLDER, "bin", "mini")
    tree = annotated(name, "--asm", "--binary", binary)
    got, code = {}, {}
    for function in tree["functions"]:
        for place in function["instructions"]:
            if not place["address"]:
                continue
            address = int(place["address"], 0)
            got[address] = got.get(address, 0) + self_remarks(place)
            if place["code"]:
                code[address] = place["code"]
    want = self_costs(twin, 0)
    expect("instructions of " + name, {a: c for a, c in got.items() if c}, {a: c for a, c in want.items() if a and c})
    objdump = common.tool("objdump")
    if objdump:
        listing = subprocess.run([objdump, "-d", binary], stdout=subprocess.PIPE, text=True, check=True).stdout
        begins = {int(m.group(1), 16) for m in re.finditer(r"^\s*([0-9a-f]+):\t", listing, re.M)}
        expect("instructions that are none to objdump", [hex(a) for a in code if a not in begins], [])
    if not code:
        common.fail("no code was shown of", name)


def check_groups(name):
    for by in ("object", "file"):
        rows = list(csv.DictReader(io.StringIO(run("report", "--csv", "--by", by, path(name)))))
        expect("self by %s of %s" % (by, name), sum(int(row["Ir:self"]) for row in rows), totals(name)["Ir"])
        for row in rows:
            inclusive = int(row["Ir:inclusive"])
            expect("%s of %s: self <= inclusive <= total" % (row[by], name),
                   int(row["Ir:self"]) <= inclusive <= totals(name)["Ir"], True)


def main():
    common.need_whole_corpus()
    with tempfile.TemporaryDirectory() as folder:
        for names in TRIPLES:
            check_merge(folder, names)
    check_diff("mini_default", "mini_recs2")
    check_diff("mini_parts", "mini_all")
    check_diff("mini_default", "gzip_default")
    check_lines("mini_default", "mini_nocompress")
    check_instructions("mini_instr", "mini_instr_nocompress")
    check_groups("mini_default")
    check_groups("thr_one")
    common.finish(len(TRIPLES) + 7, "checks")


if __name__ == "__main__":
    sys.exit(main())
