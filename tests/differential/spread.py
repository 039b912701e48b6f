#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report --spread and --by trace, host, process of many files, against Python's statistics of what was written into them.

  spread.py TRACELATHE"""
import csv
import io
import json
import math
import os
import random
import shutil
import statistics
import struct
import tempfile

import common
from common import expect, fail, run

FILES, FUNCTIONS = 31, 40
FAR = "callgrind.out.17"


def write_profile(path, number, costs, calls, other):
    """A Callgrind profile: of some hosts, and a process each; main calls all functions of `calls`, {function: (count, cost)}."""
    lines = ["version: 1", "pid: %d" % (100 + number // 2)]
    if number % 3:
        lines.append("desc: Host: node%d" % (number % 3))
    lines += ["events: Ir %s" % other, "fl=a.c"]
    for function, (first, second) in sorted(costs.items()):
        lines += ["fn=f%d" % function, "%d %d %d" % (function + 1, first, second)]
    lines += ["fn=main", "99 5 1"]
    for function, count in sorted(calls.items()):
        lines += ["cfn=f%d" % function, "calls=%d 1" % count, "99 %d %d" % costs[function]]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def make_files(folder, rng):
    """What each function cost in each file: {path: {function: (Ir, Dr)}}, and its calls."""
    base = [int(10 ** rng.uniform(3, 6)) for _ in range(FUNCTIONS)]
    costs, calls = {}, {}
    for number in range(FILES):
        path = os.path.join(folder, "callgrind.out.%d" % number)
        here = {f: (round(base[f] * rng.gauss(1, 0.02)), rng.randrange(1000)) for f in range(FUNCTIONS) if rng.random() > 0.1}
        if path.endswith(FAR):
            here[7] = (base[7] * 50 + sum(base), 3)
        calls[path] = {f: rng.randrange(1, 9) for f in here}
        costs[path] = here
        write_profile(path, number, here, calls[path], "Dr")
    return costs, calls


# ---- the statistics, once more ----


def near(what, got, want):
    if (got is None) != (want is None) or (want is not None and not math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-9)):
        fail(what, "is", got, "instead of", want)


def scores(values):
    """Iglewicz and Hoaglin's modified z-score; where the median distance is 0, by the mean distance."""
    middle = statistics.median(values)
    distances = [abs(value - middle) for value in values]
    unit = statistics.median(distances) / 0.6745 or 1.253314 * statistics.fmean(distances)
    return [(value - middle) / unit if unit else 0 for value in values]


def check_row(what, row, values, names):
    near(what + " min", row["min"], min(values))
    near(what + " median", row["median"], statistics.median(values))
    near(what + " max", row["max"], max(values))
    near(what + " mean", row["mean"], statistics.fmean(values))
    near(what + " deviation", row["deviation"], statistics.stdev(values))
    mean = statistics.fmean(values)
    near(what + " variation", row["variation"], statistics.stdev(values) / mean if mean else None)
    expect(what + " count", row["count"], sum(value != 0 for value in values))
    expect(what + " least_in", row["least_in"], min(name for name, value in zip(names, values) if value == min(values)))
    expect(what + " most_in", row["most_in"], min(name for name, value in zip(names, values) if value == max(values)))


def far_of(table, totals, threshold):
    """{file: functions by which it stands out}, by the rule of the manual."""
    least = threshold / 100 * statistics.median(totals.values())
    found = {}
    for function, values in list(table.items()) + [("(total)", totals)]:
        names = sorted(values)
        middle = statistics.median(values.values())
        for name, score in zip(names, scores([values[name] for name in names])):
            if abs(score) > 3.5 and abs(values[name] - middle) >= least:
                found.setdefault(name, set()).add(function)
    return found


def check(what, answer, table, totals, threshold=1, key="files"):
    """An answer in JSON against {function: {file: cost}}."""
    names = sorted(totals)
    check_row(what + " total", answer["total"], [totals[name] for name in names], names)
    rows = {row["function"]: row for row in answer["rows"]}
    expect(what + " functions", sorted(rows), sorted(f for f in table if any(table[f].values())))
    for function, row in rows.items():
        check_row("%s %s" % (what, function), row, [table[function][name] for name in names], names)
    far = far_of(table, totals, threshold)
    told = {one["name"]: one for one in answer[key]}
    expect(what + " names", sorted(told), names)
    expect(what + " stand out", sorted(n for n in names if told[n]["stands_out"]), sorted(far))
    for name, score in zip(names, scores([totals[name] for name in names])):
        near(what + " score of " + name, told[name]["score"], score)
        expect(what + " functions of " + name, told[name]["functions"], len(far.get(name, set()) - {"(total)"}))
    for function, row in rows.items():
        expect(what + " outliers", row["outliers"], sum(function in functions for functions in far.values()))
    order = [row["deviation"] for row in answer["rows"]]
    expect(what + " order", order, sorted(order, reverse=True))
    return far


def spread(*args, status=(0,)):
    return json.loads(run("report", "--spread", "--json", *args, status=status) or "{}")


def table_of(costs, pick, main):
    table = {"f%d" % f: {path: pick(path, f) if f in costs[path] else 0 for path in costs} for f in range(FUNCTIONS)}
    table["main"] = {path: main(path) for path in costs}
    return table


def totals_of(table):
    return {path: sum(values[path] for values in table.values()) for path in next(iter(table.values()))}


def check_files(costs, calls, rng):
    paths = sorted(costs)
    mixed = rng.sample(paths, len(paths))
    own = table_of(costs, lambda path, f: costs[path][f][0], lambda path: 5)
    far = check("Ir", spread(*mixed), own, totals_of(own))
    if not any(path.endswith(FAR) for path in far):
        fail("the planted file is not among those that stand out:", sorted(far))
    check("threshold", spread("--threshold", "20", *mixed), own, totals_of(own), 20)
    second = table_of(costs, lambda path, f: costs[path][f][1], lambda path: 1)
    check("Dr", spread("--event", "Dr", *mixed), second, totals_of(second))
    counts = table_of(costs, lambda path, f: calls[path][f], lambda path: 0)
    check("calls", spread("--event", "calls", *mixed), counts, totals_of(counts))
    # The self cost of main is 5; each function is called, with what it cost.
    whole = table_of(costs, lambda path, f: costs[path][f][0], lambda path: totals_of(own)[path])
    check("inclusive", spread("--inclusive", *mixed), whole, totals_of(own))
    some = spread("--function", "^f1", *mixed)
    expect("rows of --function", {row["function"] for row in some["rows"]}, {f for f in own if f.startswith("f1")})
    near("total with --function", some["total"]["max"], max(totals_of(own).values()))
    check_forms(paths, mixed, far)
    return own


def check_forms(paths, mixed, far):
    answer = spread(*paths)
    rows = list(csv.DictReader(io.StringIO(run("report", "--spread", "--csv", *mixed, status=(0,)))))
    expect("functions of CSV", [row["function"] for row in rows], ["(total)"] + [row["function"] for row in answer["rows"]])
    for row, same in zip(rows, [answer["total"]] + answer["rows"]):
        for key in ("count", "min", "median", "max", "mean", "deviation", "variation", "outliers"):
            near("CSV " + key, float(row[key]), same[key])
    text = run("report", "--spread", *mixed, status=(0,))
    if "%d of %d files stand" % (len(far), len(paths)) not in text:
        fail("text does not say how many stand out:", text)
    tail = text[text.index(" of %d files stand" % len(paths)):]
    for path in paths:
        if (path + ":" in tail) != (path in far):
            fail("text is wrong about", path)
    expect("order of the files", run("report", "--spread", *paths), text)
    by_name = [row["function"] for row in spread("--sort", "function", *paths)["rows"]]
    expect("--sort function", by_name, sorted(by_name))
    least = [row["min"] for row in spread("--sort", "min", "--ascending", *paths)["rows"]]
    expect("--sort min --ascending", least, sorted(least))


# ---- where costs are from ----


def by(unit, *args, status=(0,)):
    return {row[unit]: int(row["Ir:self"]) for row in
            csv.DictReader(io.StringIO(run("report", "--by", unit, "--csv", *args, status=status)))}


def sums(costs, name_of):
    found = {}
    for path, functions in costs.items():
        name = name_of(int(path.rsplit(".", 1)[1]), path)
        found[name] = found.get(name, 0) + 5 + sum(cost[0] for cost in functions.values())
    return found


def host_name(number):
    return "node%d" % (number % 3) if number % 3 else "(unknown)"


def process_name(number):
    return "process %d" % (100 + number // 2) + (" on " + host_name(number) if number % 3 else "")


def check_origins(costs, own):
    paths = sorted(costs)
    expect("by trace", by("trace", *paths), {path: cost for path, cost in totals_of(own).items()})
    chosen = {path: sum(own[f][path] for f in own if f.startswith("f1")) for path in paths}
    expect("by trace, of some functions", by("trace", "--function", "^f1", *paths), chosen)
    # A third of the files say nothing of a host: status 1.
    expect("by host", by("host", *paths, status=(1,)), sums(costs, lambda number, path: host_name(number)))
    expect("by process", by("process", *paths), sums(costs, lambda number, path: process_name(number)))
    told = [path for path in paths if int(path.rsplit(".", 1)[1]) % 3]
    hosts = {}
    for function in own:
        hosts[function] = {"node1": 0, "node2": 0}
        for path in told:
            hosts[function][host_name(int(path.rsplit(".", 1)[1]))] += own[function][path]
    check("hosts", spread("--by", "host", *told), hosts, totals_of(hosts), key="hosts")


def write_samples(path, host, samples):
    """perf.data of samples [(process, address)], with the name of a host."""
    ip_tid = 1 | 2
    attr = struct.pack("<IIQQQQ", 1, 112, 0, 1000, ip_tid, 0).ljust(112, b"\0")
    data = b"".join(struct.pack("<IHHQII", 9, 2, 24, address, process, process) for process, address in samples)
    name = host.encode() + b"\0" * (64 - len(host))
    begin = 104 + 128
    end = begin + len(data)
    feature = struct.pack("<I", len(name)) + name
    header = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 128, 104, 128, begin, len(data), 0, 0) + struct.pack("<Q", 1 << 3) + bytes(24)
    table = struct.pack("<QQ", end + 16, len(feature))
    with open(path, "wb") as file:
        file.write(header + attr + bytes(16) + data + table + feature)


def check_perf(folder):
    """perf.data says on which host it was recorded, and so does what is converted from it."""
    paths = [os.path.join(folder, "perf%d.data" % i) for i in range(2)]
    write_samples(paths[0], "alpha", [(7, 4096)] * 3 + [(8, 4096)] * 4)
    write_samples(paths[1], "beta", [(7, 4096)] * 5)

    def calls(unit, *args):
        rows = csv.DictReader(io.StringIO(run("report", "--by", unit, "--csv", *args)))
        return {row[unit]: int(next(value for key, value in row.items() if key.endswith(":self"))) for row in rows}

    hosts = calls("host", *paths)
    processes = calls("process", *paths)
    expect("hosts of perf.data", sorted(hosts), ["alpha", "beta"])
    expect("shares of hosts", hosts["alpha"] * 5, hosts["beta"] * 7)
    expect("processes of perf.data", sorted(processes), ["process 7 on alpha", "process 7 on beta", "process 8 on alpha"])
    expect("shares of processes", processes["process 8 on alpha"] * 3, processes["process 7 on alpha"] * 4)
    for name in ("callgrind", "tracelathe"):
        kept = os.path.join(folder, "kept." + name)
        run("convert", "--to", name, "-o", kept, paths[0])
        expect("hosts behind " + name, calls("host", kept), {"alpha": hosts["alpha"]})


# ---- files of several kinds ----


def check_clocks(folder):
    """XRay logs of clocks of different rates, of logs that fork, and a file of other events."""
    logs = []
    for name in ("fib-fdr.xray", "mt8-fdr.xray", "forky-0.xray", "forky-1.xray", "forky-2.xray", "forky-3.xray"):
        logs.append(shutil.copy(os.path.join(common.ROOT, "tests", "golden", "xray", name), folder))
    # The frequency of the clock stands in bytes 8 to 15 of a log.
    with open(logs[0], "r+b") as file:
        file.seek(8)
        file.write(struct.pack("<Q", 1234567890))
    wanted, names = {}, set()
    for path in logs[:2]:
        answer = common.report_json(path)
        wanted[path] = {row["function"]: row["self"]["Ticks"] for row in answer["functions"]}
        wanted[path] = {f: ticks * 1e9 / answer["frequency"] for f, ticks in wanted[path].items()}
        names |= set(wanted[path])
    answer = spread(*logs[:2], status=(0, 1))
    for row in answer["rows"]:
        values = [wanted[path].get(row["function"], 0) for path in logs[:2]]
        for key, want in ("min", min(values)), ("max", max(values)):
            if abs(row[key] - want) > 0.5:
                fail("clocks:", row["function"], key, row[key], "instead of", want)
    expect("functions of both clocks", {row["function"] for row in answer["rows"]} <= names, True)
    expect("unit", answer["unit"], "ns")
    # What a process inherited counts in the log of the one that forked alone, as in the sum of all.
    together = common.report_json(*logs[2:])
    apart = spread(*logs[2:], status=(0, 1))
    near("related logs", round(apart["total"]["mean"] * 4 / 1e3), round(together["total"]["Ticks"] * 1e6 / together["frequency"]))
    other = os.path.join(folder, "other.out")
    write_profile(other, 1, {1: (5, 5)}, {}, "Dw")
    mixed = spread(*logs[:2], other, status=(1,))
    expect("files of other events", {one["name"] for one in mixed["files"] if not one["has_event"]}, {other})
    expect("compared", mixed["compared"], 2)


def usage(paths):
    for words in (["--spread", "--by", "object"], ["--spread", "--threads"], ["--by", "host", "--focus", "f"], ["--inclusive"],
                  ["--spread", "--sort", "nothing"], ["--spread", "--event", "nothing"]):
        run("report", *words, *paths[:2], status=(2,))


def main():
    rng = random.Random(19)
    with tempfile.TemporaryDirectory() as folder:
        costs, calls = make_files(folder, rng)
        own = check_files(costs, calls, rng)
        check_origins(costs, own)
        check_perf(folder)
        check_clocks(folder)
        usage(sorted(costs))
    common.finish(FILES, "files compared")


main()
