#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our answers against callgrind_annotate's on a profile that valgrind makes here: what the same options say."""
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
from common import expect, fail, skip

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
static int numbers[4096];
int hash(int x) { int s = 0; for (int i = 0; i < x % 50; i++) s += numbers[(x * i * 7919) % 4096 & 4095]; return s; }
int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += hash(i); return s; }
int odd(int n);
int even(int n) { return n ? odd(n - 1) : work(10); }
int odd(int n) { return n ? even(n - 1) : 0; }
int main(int argc, char **argv)
{
	char *p = malloc(100);
	(void)argv;
	printf("%d\n", work(300 * argc) + even(20));
	return p == NULL;
}
"""
compared = 0


def program(folder):
    source, binary = os.path.join(folder, "prog.c"), os.path.join(folder, "prog")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    subprocess.run(["cc", "-g", "-O0", "-o", binary, source], check=True)
    return binary


def valgrind(folder, name, *options):
    out = os.path.join(folder, name)
    subprocess.run(["valgrind", "-q", *options, "--callgrind-out-file=" + out, os.path.join(folder, "prog")], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return out


def annotate(path, *options):
    return subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", "--show-percs=no", *options, path],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode("utf-8", "replace")


def function_rows(text, events, add=True):
    """{function: {event: cost}} of callgrind_annotate's function table, same names summed, or else the largest of each"""
    rows = collections.defaultdict(collections.Counter)
    for line in text.splitlines():
        found = re.match(r"\s*((?:(?:[\d,]+|\.)\s+){%d})\S*?:(\S.*?)(?: \[.*\])?$" % len(events), line)
        if not found:
            continue
        costs = [int(c.replace(",", "")) if c != "." else 0 for c in found.group(1).split()]
        name = re.sub(r"'\d+$", "", found.group(2))
        for event, cost in zip(events, costs):
            rows[name][event] = rows[name][event] + cost if add else max(rows[name][event], cost)
    return rows


def formulas(path):
    """"CEst = Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm" of the costs that callgrind_annotate shows."""
    global compared
    events = "Ir I1mr D1mr D1mw ILmr DLmr DLmw Bcm Bim".split()
    theirs = function_rows(annotate(path, "--show=" + ",".join(events)), events)
    ours = collections.defaultdict(collections.Counter)
    for row in common.report("--event", "CEst,X=3Ir-2*D1mr,LLm", path):
        name = re.sub(r"'\d+$", "", row["function"])
        ours[name].update({e: int(row[e + ":self"]) for e in ("CEst", "X", "LLm")})
    for name in ("hash", "work", "even", "odd", "main"):
        c = theirs[name]
        if not c["Ir"]:
            fail("callgrind_annotate does not show", name)
        expect("formulas of " + name, dict(ours[name]), {
            "CEst": c["Ir"] + 10 * (c["Bcm"] + c["Bim"] + c["I1mr"] + c["D1mr"] + c["D1mw"])
            + 100 * (c["ILmr"] + c["DLmr"] + c["DLmw"]),
            "X": 3 * c["Ir"] - 2 * c["D1mr"],
            "LLm": c["ILmr"] + c["DLmr"] + c["DLmw"]})
        compared += 1


def parts(folder):
    """--by part against the totals of each file that valgrind dumped, as callgrind_annotate adds them up."""
    global compared
    first = valgrind(folder, "parts.out", "--tool=callgrind", "--dump-every-bb=20000")
    files = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("parts.out"))
    theirs = []
    for path in files:
        total = re.search(r"([\d,]+)\s+PROGRAM TOTALS", annotate(path, "--show=Ir"))
        theirs.append(int(total.group(1).replace(",", "")))
    rows = list(common.report("--by", "part", *files))
    expect("costs of the %d parts" % len(files), sorted(int(row["Ir:self"]) for row in rows), sorted(theirs))
    expect("more than one part", len(files) > 1 and first in files, True)
    compared += len(files)


def inclusive(path):
    """"--inclusive=yes: add subroutine costs to functions calls", of functions that are in no recursion."""
    global compared
    # A function whose file has two names, one with its folder, is shown with each, and each time with all of its cost.
    theirs = function_rows(annotate(path, "--inclusive=yes", "--show=Ir"), ["Ir"], add=False)
    ours = {row["function"]: int(row["Ir:inclusive"]) for row in common.report(path)}
    for name in ("hash", "work", "main"):
        expect("inclusive cost of " + name, ours.get(name), theirs[name]["Ir"])
        compared += 1


def callers(path):
    """The callers of hash and work in "--tree=caller": cost and calls of each."""
    global compared
    found, wanted = collections.defaultdict(dict), {}
    for line in annotate(path, "--tree=caller", "--show=Ir").splitlines():
        match = re.match(r"\s*([\d,]+)\s+([<*])\s+\S*?:([^ ]+)(?: \(([\d,]+)x\))?", line)
        if match and match.group(2) == "<":
            wanted[match.group(3)] = (int(match.group(1).replace(",", "")), int((match.group(4) or "0").replace(",", "")))
        elif match:
            found[match.group(3)], wanted = wanted, {}
    rows = json.loads(common.run("tree", "--json", "--callers", "--function", "^(hash|work)$", path))["functions"]
    ours = {row["function"]: {c["function"]: (c["inclusive"]["Ir"], c["calls"]) for c in row["callers"]} for row in rows}
    for name in ("hash", "work"):
        expect("some callers of " + name, bool(found[name]), True)
        expect("callers of " + name, ours[name], dict(found[name]))
        compared += 1


def callees(path):
    """What hash's callers and hash itself call in "--tree=calling", and in "--tree=both"."""
    global compared
    for option, ours_option in (("calling", "--callees"), ("both", "--both")):
        found, now = collections.defaultdict(dict), None
        for line in annotate(path, "--tree=" + option, "--show=Ir").splitlines():
            match = re.match(r"\s*([\d,]+)\s+([>*])\s+\S*?:([^ ]+)(?: \(([\d,]+)x\))?", line)
            if match and match.group(2) == "*":
                now = found[match.group(3)]
            elif match and now is not None:
                now[match.group(3)] = (int(match.group(1).replace(",", "")), int((match.group(4) or "0").replace(",", "")))
        rows = json.loads(common.run("tree", "--json", ours_option, "--function", "^(main|work)$", path))["functions"]
        ours = {row["function"]: {c["function"]: (c["inclusive"]["Ir"], c["calls"]) for c in row["callees"]} for row in rows}
        # Calls to what is in a recursion are put together or left out by callgrind_annotate.
        plain = {callee: cost for callee, cost in found["main"].items() if callee in ("work", "malloc", "printf", "hash")}
        expect("--tree=%s: what main calls" % option, {callee: ours["main"].get(callee) for callee in plain}, plain)
        expect("--tree=%s: what work calls" % option, ours["work"], dict(found["work"]))
        expect("--tree=%s: some" % option, bool(plain and found["work"]), True)
        compared += 2


def numbers(text):
    return tuple(int(word.replace(",", "")) if word != "." else 0 for word in text.split())


def source_lines(text, name):
    """([(costs, source line)], {(costs, callee): calls}) of what callgrind_annotate or cg_annotate shows of a source file"""
    lines, calls, shown = [], {}, False
    for line in text.splitlines():
        if line.startswith("-- Auto-annotated source: "):
            shown = line.endswith("/" + name)
        shown = shown and not line.endswith("events annotated")
        found = re.match(r"\s*((?:(?:[\d,]+|\.)\s+){2})(.*)", line)
        call = found and re.match(r"=> \S*?:(\S+) \(([\d,]+)x\)", found.group(2))
        if shown and call:
            calls[numbers(found.group(1)), call.group(1)] = numbers(call.group(2))[0]
        elif shown and found:
            lines.append((numbers(found.group(1)), found.group(2).strip()))
    return lines, calls


def annotated(tool, path, context, folder=None):
    """Source lines: their costs, the calls that they make, and what is shown around them; the source may be in another folder."""
    global compared
    include, source_dir = (["--include=" + folder], ["--source-dir", folder]) if folder else ([], [])
    theirs, calls = source_lines(subprocess.run(
        [tool, "--threshold=100" if tool == "callgrind_annotate" else "--threshold=0", "--auto=yes", "--show-percs=no",
         "--show=Ir,Dr", "--context=%d" % context, *include, path], check=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL).stdout.decode("utf-8", "replace"), "prog.c")
    rows = [row for row in csv.DictReader(io.StringIO(common.run("annotate", "--csv", "--event", "Ir,Dr", "--file", "prog.c$",
                                                                 "--threshold", "100", *source_dir, path)))
            if row["file"].endswith("prog.c")]
    what = "%s --auto, --context=%d%s" % (tool, context, ", --include" if folder else "")
    expect(what + ": lines", [((int(row["Ir"]), int(row["Dr"])), row["source"].strip()) for row in rows if row["kind"] == "self"],
           [line for line in theirs if line[0] != (0, 0)])
    # Of a function that calls itself valgrind writes several, whose calls callgrind_annotate puts together or leaves out.
    plain = {call: count for call, count in calls.items() if call[1] in ("hash", "work", "malloc", "printf")}
    ours = {((int(row["Ir"]), int(row["Dr"])), row["to"]): int(row["count"]) for row in rows if row["kind"] == "call"}
    expect(what + ": calls", {call: ours.get(call) for call in plain}, plain)
    expect(what + ": some calls", bool(plain), tool == "callgrind_annotate")
    text = common.run("annotate", "--event", "Ir,Dr", "--file", "prog.c$", "--threshold", "100", "--context", str(context), *source_dir, path)
    mine = [found.group(1).strip() for found in re.finditer(r"^ *[\d,. %]* +\d+  (.*)$", text, re.M) if ">" not in found.group(1)[:9]]
    # Blocks that touch are shown as one by us; each tool shows every line once.
    expect(what + ": lines around", sorted(set(mine) - {""}), sorted({line for _, line in theirs} - {""}))
    compared += 3


def ordered(path):
    """--sort: the costs in the order of the functions shown."""
    global compared
    for event in ("Ir", "Dr", "Bc"):
        text = annotate(path, "--sort=" + event, "--show=" + event)
        theirs = re.findall(r"^ *[1-9][\d,]* +\S*prog\.c:(\S+)", text, re.M)
        rows = [row["function"] for row in common.report("--sort", event + ":self", "--event", event, path)
                if row["file"].endswith("prog.c") and int(row[event + ":self"])]
        expect("--sort=%s: functions in order" % event, rows, theirs)
        compared += 1


def cachegrind(folder, name, *arguments):
    out = os.path.join(folder, name)
    subprocess.run(["valgrind", "-q", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=" + out,
                    os.path.join(folder, "prog"), *arguments], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return out


def costs(*command):
    """{function: self Ir} of a profile, functions of one name summed"""
    sums = collections.Counter()
    for row in common.report(*command):
        sums[row["function"]] += int(row["Ir:self"])
    return {name: cost for name, cost in sums.items() if cost}


def cachegrind_tools(folder):
    """cg_annotate's function table; the file that cg_merge writes; the one of cg_diff against `diff`."""
    global compared
    first, second = cachegrind(folder, "cg.1"), cachegrind(folder, "cg.2", "more")
    annotated("cg_annotate", first, 1)
    text = subprocess.run(["cg_annotate", "--threshold=0", "--auto=no", "--show-percs=no", "--show=Ir", first], check=True,
                          stdout=subprocess.PIPE).stdout.decode("utf-8", "replace")
    theirs = function_rows(text, ["Ir"])
    ours = costs(first)
    expect("cg_annotate", {n: ours.get(n) for n in ("hash", "work", "even", "main")},
           {n: theirs[n]["Ir"] for n in ("hash", "work", "even", "main")})
    merged = os.path.join(folder, "cg.merged")
    subprocess.run(["cg_merge", "-o", merged, first, second], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    mine = os.path.join(folder, "merged.callgrind")
    common.run("merge", "-o", mine, first, second)
    expect("cg_merge", costs(mine), costs(merged))
    changed = os.path.join(folder, "cg.diff")
    with open(changed, "wb") as file:
        subprocess.run(["cg_diff", first, second], check=True, stdout=file)
    rows = collections.Counter()
    for row in csv.DictReader(io.StringIO(common.run("diff", "--csv", "--event", "Ir", first, second))):
        rows[row["function"]] += int(row["Ir:change"])
    expect("cg_diff", {n: c for n, c in rows.items() if c}, costs(changed))
    expect("something changed", bool(costs(changed)), True)
    compared += 3
    renamed(folder, first, second)


def renamed(folder, first, second):
    """cg_diff --mod-funcname: functions that were given another name are the same"""
    global compared
    other, changed = os.path.join(folder, "cg.renamed"), os.path.join(folder, "cg.diff")
    with open(second, encoding="utf-8") as file, open(other, "w", encoding="utf-8") as out:
        out.write(re.sub(r"^fn=hash$", "fn=hash_v2", file.read(), flags=re.M))
    with open(changed, "wb") as file:
        subprocess.run(["cg_diff", "--mod-funcname=s/_v2$//", first, other], check=True, stdout=file)
    rows = collections.Counter()
    for row in csv.DictReader(io.StringIO(common.run("diff", "--csv", "--event", "Ir", "--rename", "_v2$=", first, other))):
        rows[row["function"]] += int(row["Ir:change"])
    expect("cg_diff --mod-funcname", {n: c for n, c in rows.items() if c}, costs(changed))
    expect("it is one function", "hash" in rows and "hash_v2" not in rows, True)
    compared += 1


def shares(folder):
    """
    callgrind_annotate --threshold: the files whose functions hold this share, heaviest first; cg_annotate --threshold: the
    functions that have more than this share. Each function has a file of its own, and half of the cost of the one before.
    """
    global compared
    out = os.path.join(folder, "halves")
    body = "".join("fl=%s/half%d.c\nfn=half%d\n%d %d\n" % (folder, i, i, i + 1, 4096 >> i) for i in range(12))
    total = sum(4096 >> i for i in range(12))
    for i in range(12):
        with open(os.path.join(folder, "half%d.c" % i), "w", encoding="utf-8") as file:
            file.write("line\n" * 20)
    for name, text in ((".callgrind", "events: Ir\n%stotals: %d\n"), (".cachegrind", "desc: none\ncmd: none\nevents: Ir\n%ssummary: %d\n")):
        with open(out + name, "w", encoding="utf-8") as file:
            file.write(text % (body, total))
    for share in (10, 50, 51, 75, 90, 99, 100):
        text = subprocess.run(["callgrind_annotate", "--threshold=%d" % share, "--auto=yes", out + ".callgrind"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        rows = csv.DictReader(io.StringIO(common.run("annotate", "--csv", "--threshold", str(share), out + ".callgrind")))
        expect("callgrind_annotate --threshold=%d" % share, sorted({row["file"] for row in rows}),
               sorted(set(re.findall(r"Auto-annotated source: (\S+)", text))))
        compared += 1
    for share in (0, 1, 3, 12, 20):
        text = subprocess.run(["cg_annotate", "--threshold=%d" % share, "--auto=no", out + ".cachegrind"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        graph = common.run("convert", "--to", "dot", "--threshold", str(share), out + ".cachegrind")
        expect("cg_annotate --threshold=%d" % share, sorted(re.findall(r'label="(half\d+)', graph)),
               sorted(re.findall(r":(half\d+)$", text, re.M)))
        compared += 1


HEAP = r"""
#include <stdlib.h>
static void *make(size_t n) { return malloc(n); }
static void *first(void) { return make(1000); }
static void *second(void) { free(make(20)); return make(300); }
int main(void) { void *x = first(); for (int i = 0; i < 3; i++) second(); free(x); return 0; }
"""


def trees(folder):
    """Trees of allocations (valgrind --xtree-memory=full) against the program's own: bytes and blocks by who asked for them."""
    global compared
    source, binary = os.path.join(folder, "heap.c"), os.path.join(folder, "heap")
    with open(source, "w", encoding="utf-8") as file:
        file.write(HEAP)
    subprocess.run(["cc", "-g", "-O0", "-o", binary, source], check=True)
    events = "curB curBk totB totBk totFdB totFdBk".split()
    for tool in ("memcheck", "massif"):
        out = os.path.join(folder, tool + ".kcg")
        subprocess.run(["valgrind", "-q", "--tool=" + tool, "--xtree-memory=full", "--xtree-memory-file=" + out, binary],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
        rows = {row["function"]: row for row in common.report(out)}
        # 1000 and three times 20 and 300; all but the three of 300 are freed.
        expect(tool + ": who allocates", [int(rows["make"][event + ":self"]) for event in events[:4]], [900, 3, 1960, 7])
        expect(tool + ": in second", [int(rows["second"][event + ":inclusive"]) for event in events], [900, 3, 960, 6, 60, 3])
        expect(tool + ": in all", [int(rows["main"][event + ":inclusive"]) for event in events], [900, 3, 1960, 7, 1060, 4])
        theirs = function_rows(annotate(out, "--inclusive=yes"), events, add=False)
        for function in ("main", "first", "second", "make"):
            expect("%s: %s: callgrind_annotate" % (tool, function),
                   {event: int(rows[function][event + ":inclusive"]) for event in events},
                   {event: theirs[function][event] for event in events})
        compared += 3


def main():
    for tool in ("valgrind", "callgrind_annotate", "cg_annotate", "cg_merge", "cg_diff", "cc"):
        if not shutil.which(tool):
            skip("there is no " + tool)
    with tempfile.TemporaryDirectory() as folder:
        program(folder)
        path = valgrind(folder, "cache.out", "--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes")
        formulas(path)
        inclusive(path)
        callers(path)
        callees(path)
        annotated("callgrind_annotate", path, 0)
        annotated("callgrind_annotate", path, 2)
        ordered(path)
        parts(folder)
        cachegrind_tools(folder)
        trees(folder)
        shares(folder)
        # The last one: the source is below another folder, with its path.
        elsewhere = os.path.join(folder, "elsewhere")
        os.renames(os.path.join(folder, "prog.c"), elsewhere + os.path.join(folder, "prog.c"))
        annotated("callgrind_annotate", path, 1, elsewhere)
        annotated("cg_annotate", os.path.join(folder, "cg.1"), 1, elsewhere)
    common.finish(compared, "answers compared with callgrind_annotate's")


if __name__ == "__main__":
    main()
