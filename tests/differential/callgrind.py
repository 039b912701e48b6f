#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Callgrind profiles against the reference reader of the shared corpus, its stored truth, the oracles its README declares
right, and profiles that valgrind makes afresh.

"identity = (object, file of fl, function name)"; "sum(self) == totals: in every intact part"; "a call without cfi/cfl
goes to the file of the last self-cost line"; "only self-cost lines move the base" (docs/formats/callgrind.md)."""
import collections
import csv
import functools
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import common
from common import SHARED, expect, fail

CORPUS = os.path.join(SHARED, "corpus", "callgrind")
REFERENCE = os.path.join(SHARED, "tools", "callgrind_reference.py")
# Files whose numbers are outside the grammar: there the reference "is no oracle" (corpus README). Sums by hand.
BY_HAND = {
    "lsprofcalltree_floats.out": ({"Ticks": 12 + 1487}, "12.5 and 1487.5 without their fractions"),
    "ranges.out": ({"Ir": 5 + 6 + 7}, "positions are ranges, costs are not"),
    "huge.out": ({"Ir": 2**63 - 1}, "a sum over 2^63 - 1 stays there"),
    "no_events.out": (None, "refused"),
    "empty.out": (None, "refused"),
}
compared = 0


def reference(*args):
    done = subprocess.run([sys.executable, REFERENCE, *args], check=True, stdout=subprocess.PIPE)
    return done.stdout


def truth(folder):
    with open(os.path.join(folder, "truth.tsv"), encoding="utf-8") as file:
        return {row["file"]: row for row in csv.DictReader(file, delimiter="\t")}


def known(name):
    """The profile calls unknown files and objects ""; writers say "???", the reference "-"."""
    return "" if name in ("-", "???") else name


def reference_functions(path):
    """{(object, file, name): [self, calls]}"""
    rows = collections.defaultdict(lambda: [0, 0])
    for line in reference("--functions", path).decode("utf-8", "replace").splitlines():
        cost, calls, obj, file, name = line.split("\t")
        file = re.sub(r"^\?(\d+)$", r"(\1)", file)
        row = rows[known(obj), known(file), "???" if name == "-" else re.sub(r"^\?(\d+)$", r"(\1)", name.replace("\0", "\\x00"))]
        row[0] += int(cost)
        row[1] += int(calls)
    return {key: tuple(row) for key, row in rows.items() if row != [0, 0]}


@functools.lru_cache(None)
def table(path):
    """The rows of report --csv of a file of the corpus, which several comparisons are of."""
    return common.report(path)


def our_functions(path):
    rows = table(path)
    event = next((name for name in rows[0] if name.endswith(":self")), None) if rows else None
    found = {}
    for row in rows:
        if int(row[event]) or int(row["calls"]):
            found[row["object"], row["file"], row["function"]] = (int(row[event]), int(row["calls"]))
    return found


def totals(path):
    """{event: sum of self over all functions}"""
    sums = collections.Counter()
    for row in table(path):
        for name, value in row.items():
            if name.endswith(":self"):
                sums[name[:-len(":self")]] += int(value)
    return dict(sums)


def compare(path, row):
    global compared
    name = os.path.basename(path)
    if name in BY_HAND and BY_HAND[name][0] is None:
        common.run("report", path, status=(2,))
        compared += 1
        return
    events, sums = row["events"].split(), row["self_sum_over_parts"].split()
    wanted = BY_HAND[name][0] if name in BY_HAND else dict(zip(events, map(int, sums)))
    got = totals(path)
    expect(name + ": totals", {event: got.get(event) for event in wanted}, wanted)
    facts = json.loads(common.run("info", "--json", path))
    expect(name + ": parts", facts["parts"], int(row["parts"]))
    if name not in BY_HAND and not common.SMALL:
        expect(name + ": functions", our_functions(path), reference_functions(path))
        expect(name + ": sums of the lines", {e["name"]: e["sum"] for e in facts["events"] if "sum" in e}, wanted)
    calls = jumps = 0
    edges = set()
    sites = set()
    for item in common.dump(path):
        if item["record"] == "call":
            calls += item["calls"]
            edges.add(tuple(known(item.get(k, "")) for k in ("object", "function", "to_object", "to_file", "to_function")))
        elif item["record"] == "jump":
            jumps += 1
    expect(name + ": calls", calls, int(row["call_count"]))
    if not int(row["jumps"]):
        expect(name + ": jumps", jumps, 0)
    compared += 1


def corpus():
    for folder in (CORPUS, os.path.join(CORPUS, "hand")):
        for name, row in truth(folder).items():
            path = os.path.join(folder, name)
            if os.path.getsize(path):
                compare(path, row)


def damage():
    """What must be told, and what must not: exit status 1 exactly where the truth has a reason for it."""
    for folder in (CORPUS, os.path.join(CORPUS, "hand")):
        for name, row in truth(folder).items():
            path = os.path.join(folder, name)
            done = subprocess.run([common.command(), "report", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            told = done.stderr.decode("utf-8", "replace")
            if done.returncode not in (0, 1, 2) or (done.returncode == 0) == bool(told):
                fail(name, "exits with", done.returncode, "and says", told)
            if name in CLEAN_ODD:
                expect(name + ": exit status", done.returncode, 0)
            elif row["diagnostics"] == "-" and folder == CORPUS and os.path.getsize(path):
                expect(name + ": exit status", done.returncode, 0)


# Dialects that are read without a loss, whatever the reference notes of them.
CLEAN_ODD = ("bom.out", "mini_dumpbbs.out", "frfn_rec.out", "xdebug2_negative_append.out", "xdebug3.out", "crlf.out",
             "tabs.out", "names_odd.out", "calls_zero.out", "pprof_go.out", "ranges.out", "hex_costs.out", "spx.out",
             "id_big.out", "id_redefine.out", "yappi_dup_ids.out", "jcnd_space.out", "positions_reversed.out",
             "event_order.out", "parts_no_events2.out", "missing_costs.out", "comment_between.out")


# ---- oracles ---------------------------------------------------------------------------------------------------


def cgview_rows(path):
    """Inclusive, exclusive by name and object, where the name is not there twice."""
    rows = collections.defaultdict(list)
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = re.match(r"^ {0,14}(\d[\d ]*\d|\d) {2,}(\d[\d ]*\d|\d) {2,}(\d[\d ]*\d|\d) {2}(.*) \((.*)\)$", line)
            if match:
                numbers = [int(n.replace(" ", "")) for n in match.groups()[:3]]
                rows[match.group(4), match.group(5)].append(numbers)
    return rows


def cgview(name):
    """"cgview's per-function self and inclusive numbers are the best available oracle for the single-part real files":
    its inclusive is the larger of own and callers' sum, ours is the own one; they differ where a caller is missing."""
    global compared
    path = os.path.join(CORPUS, name)
    wanted = cgview_rows(os.path.join(CORPUS, "oracle", name + ".cgview.txt"))
    ours = collections.defaultdict(list)
    rows = table(path)
    event = next(key for key in rows[0] if key.endswith(":self"))[:-len(":self")]
    for row in rows:
        ours[row["function"], row["object"]].append((int(row[event + ":inclusive"]), int(row[event + ":self"])))
    # cgview shows the costliest functions only. In a cycle it shows the own sum, a lower bound that ours is at least.
    same = 0
    cycles = [numbers[0][0] for key, numbers in wanted.items() if key[0].startswith("<cycle ")]
    for key, numbers in wanted.items():
        if key[0].startswith("<cycle "):
            continue
        if cycles and len(numbers) == len(ours.get(key, ())) == 1 and ours[key][0] != tuple(numbers[0][:2]):
            if not numbers[0][0] <= ours[key][0][0] <= max(cycles) or numbers[0][1] != ours[key][0][1]:
                fail(name, key, "in a cycle:", ours[key], "and cgview has", numbers)
            continue
        if len(numbers) == 1 and len(ours.get(key, ())) == 1:
            expect("%s: %s, cgview's inclusive and self" % (name, key[0]), ours[key][0], tuple(numbers[0][:2]))
            same += 1
        elif key not in ours:
            fail(name, "has no", key, "which cgview shows")
    if same < 10:
        fail(name, "only", same, "functions compared with cgview")
    compared += 1


CGVIEW = ("mini_default.out", "mini_recs2.out", "mini_instr.out", "mini_jumps.out", "mini_callers3.out", "mini_cache.out",
          "mini_branch.out", "mini_static.out", "ls_default.out", "gzip_default.out", "perl.out", "thr_one.out",
          "mini_nocompress.out", "mini_all.out", "thr_sep.out-01")


# ---- twins -----------------------------------------------------------------------------------------------------


def items(path):
    """Places and costs, as they are after expansion; calls with their callees."""
    found = collections.Counter()
    for item in common.dump(path):
        if item["record"] in ("cost", "call", "jump"):
            for key in ("offset", "line", "length"):
                item.pop(key, None)
            found[json.dumps(item, sort_keys=True)] += 1
    return found


def twins():
    """Compressed and uncompressed files of one run say the same."""
    global compared
    for a, b in (("mini_default.out", "mini_nocompress_str.out"), ("mini_instr.out", "mini_instr_nocompress.out")):
        one, other = (our_functions(os.path.join(CORPUS, name)) for name in (a, b))
        expect("%s and %s: functions" % (a, b), one, other)
        compared += 1
    # The disputed items of the base rule: all that only "the call line does not move the base" gives.
    for name in ("mini_dumpbb", "thr_sep_parts"):
        pair = {"mini_dumpbb": ("mini_dumpbb.out", "mini_dumpbb_nocompress.out"),
                "thr_sep_parts": ("thr_sep_parts_cpyes.out", "thr_sep_parts_cpno.out")}[name]
        with open(os.path.join(CORPUS, "twins", name + ".items.tsv"), encoding="utf-8", errors="replace") as file:
            stays = [line.rstrip("\n").split("\t")[1] for line in file if line.startswith("stays")]
        ours = disputed(os.path.join(CORPUS, pair[0]))
        missing = [item for item in stays if item not in ours]
        expect(name + ": disputed items that we do not have", missing[:1], [])
        compared += len(stays) > 0


def disputed(path):
    """Our items in the words of callgrind_reference.py --twins-tsv."""
    columns = None
    words = collections.Counter()
    sums = collections.defaultdict(lambda: collections.Counter())
    for item in common.dump(path):
        if item["record"] == "header" and item["key"] == "positions":
            columns = item["text"].split()
        if item["record"] not in ("cost", "call"):
            continue
        place = tuple(at(item, column, "") for column in columns)
        owner = "|".join((item.get("object", "-"), item["owner_file"], item["function"]))
        if item["record"] == "cost":
            for i, cost in enumerate(item["costs"]):
                words["%d|%s|%s|%s|%d" % (item["part"], owner, item["file"], text(place), i)] += cost
        else:
            callee = "|".join((item.get("to_object", "-"), item["to_file"], item["to_function"]))
            to = tuple(at(item, column, "to_") for column in columns)
            words["%d|'call'|%s|%s|%s|%s|" % (item["part"], owner, item["file"], text(place), callee)] += 1
            words["%d|'calldest'|%s|%s|%s|%s|%s" % (item["part"], owner, item["file"], text(place), callee, text(to))] += 1
            for i, cost in enumerate(item["costs"]):
                words["%d|'call'|%s|%s|%s|%s|%d" % (item["part"], owner, item["file"], text(place), callee, i)] += cost
    return words


def at(item, column, prefix):
    if column == "line":
        return item["to_line" if prefix else "line_number"]
    return int(item[prefix + column], 16)


def text(place):
    return "|".join(map(str, place))


# ---- round trip ------------------------------------------------------------------------------------------------


def sorted_rows(rows):
    return sorted(tuple(sorted(row.items())) for row in rows)


WAYS_TO_WRITE = ([], ["--compress"], ["--no-compress"], ["--positions", "line"])


def ways_to_write(number):
    """All ways; where accesses to memory matter and not what is written, two, which the files take in turn."""
    return [WAYS_TO_WRITE[number % 2 * 2]] if common.SMALL else WAYS_TO_WRITE


def round_trips(folder):
    """"read -> write -> read is the same profile for every corpus file"; the second writing is the first, byte by byte."""
    global compared
    names = sorted(glob.glob(os.path.join(CORPUS, "*.out*")) + glob.glob(os.path.join(CORPUS, "hand", "*.out")) +
                   glob.glob(os.path.join(CORPUS, "*.kcg")))
    for number, name in enumerate(common.some(names)):
        base = os.path.basename(name)
        if not os.path.getsize(name) or base in ("no_events.out", "huge.out"):
            continue
        profile = sorted_rows(table(name))
        for options in ways_to_write(number):
            once, twice = os.path.join(folder, "once"), os.path.join(folder, "twice")
            common.run("convert", "--to", "callgrind", *options, "-o", once, name)
            common.run("convert", "--to", "callgrind", *options, "-o", twice, once, status=(0,))
            with open(once, "rb") as a, open(twice, "rb") as b:
                if a.read() != b.read():
                    fail(base, *options, "written twice is not the same")
            expect("%s %s: the profile" % (base, " ".join(options)), sorted_rows(common.report(once)), profile)
        compared += 1


# ---- fresh profiles --------------------------------------------------------------------------------------------

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 40; i++)
		sum += fib(i % 9) + even(i);
	char *p = malloc(100);
	sprintf(p, "%d", sum);
	puts(p);
	free(p);
	return 0;
}
"""

COMBINATIONS = (
    (), ("--dump-instr=yes", "--collect-jumps=yes"), ("--cache-sim=yes", "--branch-sim=yes"),
    ("--separate-recs=3", "--separate-callers=2", "--compress-strings=no"),
    ("--dump-instr=yes", "--dump-line=no", "--compress-pos=no"),
    ("--combine-dumps=yes", "--dump-every-bb=20000", "--collect-jumps=yes"),
)


def fresh(folder):
    """Each part's totals: is the sum of our self costs, and callgrind_annotate's program total where it is right."""
    global compared
    if not common.tool("valgrind") or not common.tool("cc", "gcc"):
        return
    source, program = os.path.join(folder, "fresh.c"), os.path.join(folder, "fresh")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    subprocess.run([common.tool("cc", "gcc"), "-g", "-O0", "-o", program, source], check=True)
    for number, options in common.some(list(enumerate(COMBINATIONS))):
        out = os.path.join(folder, "fresh.%d.out" % number)
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, *options, program],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode or not os.path.exists(out):
            print("valgrind cannot do", *options)
            continue
        with open(out, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        sums = [sum(column) for column in zip(*(map(int, line.split()[1:]) for line in lines if line.startswith("totals:")))]
        events = next(line for line in lines if line.startswith("events:")).split()[1:]
        what = " ".join(options) or "default options"
        expect(what + ": totals", totals(out), dict(zip(events, sums)))
        common.run("report", out, status=(0,))
        expect(what + ": violations", common.run("check", out, status=(0,)), "")
        # It shows the summary:, which is larger by design where caches are simulated.
        if "--combine-dumps=yes" not in options and "--cache-sim=yes" not in options and common.tool("callgrind_annotate"):
            annotate(out, sums[0])
        compared += 1


def annotate(path, total):
    done = subprocess.run(["callgrind_annotate", "--auto=no", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    match = re.search(r"^\s*([\d,]+).*PROGRAM TOTALS", done.stdout.decode("utf-8", "replace"), re.M)
    if match:
        expect("callgrind_annotate's total", int(match.group(1).replace(",", "")), total)


def main():
    common.need_whole_corpus()
    corpus()
    damage()
    for name in CGVIEW:
        cgview(name)
    twins()
    with tempfile.TemporaryDirectory() as folder:
        round_trips(folder)
        fresh(folder)
    common.finish(compared, "profiles")


main()
