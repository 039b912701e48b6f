#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""xray_graphs.py TRACELATHE: call graphs and their differences, orders of the function table and stacks by thread, against what
llvm-xray says of the same logs with the options of docs/compared.md."""
import csv
import io
import os
import re
import subprocess

import yaml

import common
from common import CORPUS, expect

FREQUENCY = 2596134000  # of all these recordings
# llvm-xray follows no call over a gap: logs without one.
PLAIN = ("fib-fdr", "mt8-fdr", "fib-basic")
compared = 0


def theirs(*words):
    done = subprocess.run([common.tool("llvm-xray-19", "llvm-xray"), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("llvm-xray " + words[0], done.returncode, 0)
    return done.stdout


def trace_of(name):
    return os.path.join(CORPUS, name + ".xray")


def map_of(name):
    return os.path.join(CORPUS, "bin", name.split("-")[0].rstrip("8") + ".instrmap-sym.yaml")


def names_of(path):
    """{how llvm-xray shows a function: its name}"""
    with open(path, encoding="utf-8") as file:
        rows = yaml.safe_load(file)
    return {**{"@(%x)" % row["function"]: row["function-name"] for row in rows},
            **{"#%d" % row["id"]: row["function-name"] for row in rows}}


def their_graph(text, names):
    """{function: label}, {(caller, callee): label}"""
    nodes = {node: names.get(name, name) for node, name in re.findall(r'^(F\d+) \[label="\{?(@\(\w+\)|#\d+)', text, re.M)}
    labels = {nodes[node]: label for node, label in re.findall(r'^(F\d+) \[label="\{[^|]*\|([^}"]*)', text, re.M)}
    edges = {(nodes[a], nodes[b]): label for a, b, label in re.findall(r'^(F\d+) -> (F\d+) \[.*?label="([^"]*)"', text, re.M)
             if a in nodes and b in nodes}
    return labels, edges


def our_graph(text):
    nodes = dict(re.findall(r'^\t(f\d+) \[label="([^"]*)"', text, re.M))
    names = {node: label.split("\\n")[0] for node, label in nodes.items()}
    labels = {names[node]: label.split("\\n")[1:] for node, label in nodes.items()}
    return labels, {(names[a], names[b]): label for a, b, label in re.findall(r'^\t(f\d+) -> (f\d+) \[label="([^"]*)"', text, re.M)}


def count_in(text):
    """"1,234 calls" """
    return int(re.match(r"[\d,]+", text).group().replace(",", ""))


def seconds(text):
    """"median 61.68 us" """
    number, unit = text.split()[-2:]
    return float(number) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def graphs(name):
    """graph --edge-label=count, --vertex-label=count and sum"""
    global compared
    names = names_of(map_of(name))
    counts, edges = their_graph(theirs("graph", "-d", "-k", "--edge-label=count", "--vertex-label=count", "-m", map_of(name), "-o", "-",
                                       trace_of(name)), names)
    text = common.run("convert", "--to", "dot", "--threshold", "0", "--labels", "calls", "--map", map_of(name), trace_of(name))
    ours, our_edges = our_graph(text)
    expect(name + ": functions", {f: count_in(label[0]) for f, label in ours.items()}, {f: int(n) for f, n in counts.items()})
    expect(name + ": edges", {edge: count_in(label) for edge, label in our_edges.items()}, {edge: int(n) for edge, n in edges.items()})
    expect(name + ": some edges", len(edges) > 3, True)
    for theirs_is, ours_is in (("sum", "sum"), ("med", "median"), ("max", "max"), ("min", "min"), ("90p", "p90"), ("99p", "p99")):
        labels, _ = their_graph(theirs("graph", "-d", "-k", "--vertex-label=" + theirs_is, "-m", map_of(name), "-o", "-", trace_of(name)),
                                names)
        ours, _ = our_graph(common.run("convert", "--to", "dot", "--threshold", "0", "--labels", ours_is, "--map", map_of(name),
                                       trace_of(name)))
        for function, label in labels.items():
            mine, other = seconds(ours[function][0]), float(label)
            if abs(mine - other) > 1e-3 * other:  # ours has four digits
                common.fail(name, function, "--vertex-label=" + theirs_is, "is", other, "ours", mine)
        compared += 1
    compared += 2


def differences():
    """graph-diff --edge-label=count: the change of each edge's calls in percent; an edge of one side alone has no label"""
    global compared
    before, after = trace_of("fib-fdr"), trace_of("fib-fdr-thr5us")
    symbols = map_of("fib-fdr")
    text = theirs("graph-diff", "--edge-label=count", "--vertex-label=count", "--instr-map-1=" + symbols, "--instr-map-2=" + symbols,
                  before, after)
    _, edges = their_graph(text, names_of(symbols))
    _, ours = our_graph(common.run("diff", "--to", "dot", "--threshold", "0", "--map", symbols, before, after))
    mine = {}
    for edge, label in ours.items():
        old, new = (int(n.replace(",", "")) for n in re.match(r"([\d,]+) -> ([\d,]+) call", label).groups())
        mine[edge] = "%.2f%%" % ((new - old) * 100 / old) if old and new else ""
    expect("graph-diff: edges", {edge: mine.get(edge) for edge in edges}, edges)
    expect("graph-diff: kinds of edges", len(set(edges.values())) > 2, True)
    compared += 1


def changed_functions():
    """
    graph-diff --vertex-label=sum, --vertex-color=sum: by how much the time of a function changed, and which functions have more,
    less, or are gone. Times with callees are sums of durations in functions that are in no recursion.
    """
    global compared
    before, after, symbols = trace_of("fib-fdr"), trace_of("fib-fdr-thr5us"), map_of("fib-fdr")
    text = theirs("graph-diff", "--vertex-label=sum", "--vertex-color=sum", "--instr-map-1=" + symbols, "--instr-map-2=" + symbols,
                  before, after)
    names = names_of(symbols)
    wanted = {names[number]: (label, colour) for number, label, colour in
              re.findall(r'label="\{?(#\d+)\|?([-\d.]+%)?\}?" color="([^"]*)"', text)}
    graph = common.run("diff", "--to", "dot", "--threshold", "0", "--map", symbols, before, after)
    ours = {name: (float(old), float(new), "dashed" in style, hue) for name, old, new, style, hue in
            re.findall(r'label="([^"\\]*)\\n([\d.]+)% -> ([\d.]+)%", style="([^"]*)", fillcolor="([\d.]+)', graph)}
    expect("graph-diff: functions", sorted(ours), sorted(wanted))
    old, new, _, _ = ours["main"]
    expect("graph-diff: how much more", abs((new / old - 1) * 100 / float(wanted["main"][0].rstrip("%")) - 1) < 2e-3, True)
    for name, (label, colour) in wanted.items():
        old, new, is_gone, hue = ours[name]
        expect("graph-diff: %s is gone" % name, is_gone, not label)
        if label:
            expect("graph-diff: %s has more" % name, new > old, float(label.rstrip("%")) > 0)
            alike = sorted(other for other, row in wanted.items() if row[0] and row[1] == colour)
            expect("graph-diff: coloured as " + name, sorted(f for f in alike if ours[f][3] == hue), alike)
    expect("graph-diff: more, less and gone", len({colour for _, colour in wanted.values()}), 3)
    compared += 2


def shades(name):
    """graph --color-vertices=sum: the more time, the darker; ours by the time with callees, which main and leafwork have once."""
    global compared
    text = theirs("graph", "-d", "-k", "--vertex-label=sum", "--color-vertices=sum", "-m", map_of(name), "-o", "-", trace_of(name))
    names = names_of(map_of(name))
    green = {names[function]: int(colour[2:4], 16) for function, colour in re.findall(r'label="\{(@\(\w+\))\|[^"]*" color="#(\w+)"', text)}
    graph = common.run("convert", "--to", "dot", "--threshold", "0", "--color-by", "inclusive", "--map", map_of(name), trace_of(name))
    shade = {function: float(depth) for function, depth in re.findall(r'label="([^"\\]*)[^"]*", fillcolor="[\d.]+ ([\d.]+)', graph)}
    share = {row["function"]: int(row["Ticks:inclusive"]) for row in common.report("--map", map_of(name), trace_of(name))}
    expect(name + ": coloured functions", sorted(shade), sorted(green))
    expect(name + ": the more time, the darker", sorted(shade, key=lambda f: (shade[f], share[f])), sorted(shade, key=share.get))
    expect(name + ": as llvm-xray's", (green["main"] < green["leafwork"], shade["main"] > shade["leafwork"]), (True, True))
    compared += 1


ORDERS = (("count", "calls"), ("min", "min"), ("med", "median"), ("90p", "p90"), ("99p", "p99"), ("max", "max"), ("sum", "sum"))


def orders(name):
    """account --sort, --sortorder, --top; what is equal may stand in any order"""
    global compared
    for column, ours in ORDERS:
        for order, option in (("dsc", ()), ("asc", ("--ascending",))):
            rows = list(csv.DictReader(io.StringIO(theirs("account", "-d", "-k", "-f", "csv", "--sort=" + column, "--sortorder=" + order,
                                                          "--top=3", trace_of(name)))))
            mine = common.report("--sort", ours, "--top", "3", *option, trace_of(name))
            key = {"count": "count", "med": "median", "90p": "90%ile", "99p": "99%ile"}.get(column, column)
            if column == "count":
                expect("%s: %s %s" % (name, column, order), [int(row["calls"]) for row in mine], [int(row[key]) for row in rows])
            else:
                wanted = [round(float(row[key]) * FREQUENCY) for row in rows]
                got = [int(row[ours]) for row in mine]
                expect("%s: %s %s" % (name, column, order), len(got) == len(wanted) and
                       all(abs(a - b) <= max(1, 1e-6 * b) for a, b in zip(got, wanted)), True)
            compared += 1


def threads(name):
    """stack --per-thread-stacks"""
    global compared
    names = names_of(map_of(name))
    wanted = {}
    for line in theirs("stack", "--per-thread-stacks", "--aggregation-type=count", "--stack-format=flame", "--all-stacks", "-m",
                       map_of(name), trace_of(name)).splitlines():
        path, number = line.rsplit(" ", 1)
        frames = path.rstrip(";").split(";")
        wanted[";".join([frames[0].replace("_", " ")] + [names.get(f, f) for f in frames[1:]])] = int(number)
    ours = {}
    for line in common.run("stacks", "--count", "--threads", "--map", map_of(name), trace_of(name)).splitlines():
        path, number = line.rsplit(" ", 1)
        ours[path] = int(number)
    # llvm-xray takes what a thread calls first for all threads' root: only threads that begin alike are compared.
    shared = {path for path in wanted if path.split(";")[0] in {p.split(";")[0] for p in ours}}
    expect(name + ": stacks by thread", {path: ours.get(path) for path in shared}, {path: wanted[path] for path in shared})
    expect(name + ": some threads", len({path.split(";")[0] for path in shared}) > 1, True)
    compared += 1


def main():
    common.need_whole_corpus()
    if not common.tool("llvm-xray-19", "llvm-xray"):
        common.skip("there is no llvm-xray")
    for name in PLAIN:
        graphs(name)
    # account takes records in the order of the file, so that of several threads it loses calls.
    for name in ("fib-fdr", "fib-basic"):
        orders(name)
    differences()
    changed_functions()
    shades("fib-fdr")
    threads("mt8-fdr")
    common.finish(compared, "answers compared with llvm-xray's")


if __name__ == "__main__":
    main()
