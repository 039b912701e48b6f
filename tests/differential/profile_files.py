#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profile files: whatever a command shows of an input it shows of its profile file, byte for byte; the numbers in the file
are those of the report, as a reader finds that was written from the documentation alone; the same profile gives the same
bytes; a file that is cut or changed is noticed."""
import os
import subprocess
import sys
import tempfile

import common
import profile_reader
from common import expect, fail

TABLES = ("report", "report --csv --all", "report --json", "report --csv --all --threads", "tree --json",
          "tree --top-down", "stacks", "annotate --json", "convert --to callgrind", "convert --to json",
          "convert --to pprof", "convert --to speedscope", "convert --to dot")
MORE = ("report --threads", "report --by file", "report --by object --csv", "tree", "tree --bottom-up", "flame", "annotate",
        "stacks --threads", "convert --to cachegrind", "convert --to csv", "report --csv --function main", "diff SELF")
IN_TREE = ("tests/golden/callgrind/threads.out-01", "tests/golden/intel_pt/rec.time.pt",
           "tests/golden/perf/threads.perf.data", "tests/corpus/intel-pt/rec.time.perf.data")
SHARED = ("callgrind/mini_all.out", "callgrind/mini_parts.out", "callgrind/thr_sep_parts_cpyes.out",
          "callgrind/mini_instr_jumps.out", "callgrind/hand/cycle.out", "callgrind/cg_mini.out", "xray/fib-fdr.xray")


def inputs():
    found = [os.path.join(common.ROOT, name) for name in IN_TREE]
    found += [os.path.join(common.SHARED, "corpus", name) for name in SHARED]
    folder = os.path.join(common.ROOT, "tests", "golden", "xray")
    found += [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith((".xray", ".log"))]
    found = [path for path in found if os.path.exists(path)]
    return common.some(found)


def run(folder, *args):
    return subprocess.run([common.command(), *args], cwd=folder, capture_output=True, check=False)


def write(folder, name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


# ---- the same tables ----


def compare(path, folders, commands):
    """The input in one folder and its profile file in the other have the same name and date, which outputs show."""
    for folder in folders:
        os.utime(os.path.join(folder, "input"), (0, 0))
    for text in commands:
        words = text.replace("SELF", "input").split() + ["input"]
        one, other = (run(folder, *words) for folder in folders)
        expect("%s of %s" % (text, path), (other.returncode, other.stdout), (one.returncode, one.stdout))


def same_again(path, folders):
    """Any number of jobs, and a second time, from the profile file itself."""
    for folder, jobs in ((folders[0], "1"), (folders[0], "3"), (folders[1], "2")):
        run(folder, "convert", "--to", "tracelathe", "--jobs", jobs, "-o", "again.tlp", "input")
        expect("the bytes of %s with --jobs %s" % (path, jobs), read(folder, "again.tlp"), read(folders[1], "input"))
    expect("check of " + path, run(folders[1], "check", "input").stdout, b"")


# ---- the same numbers, by another reader ----


def known(text):
    return text if text != "???" else ""


def compare_numbers(path, folder):
    profile = profile_reader.Profile(read(folder, "input"))
    rows = common.csv.DictReader(common.io.StringIO(
        run(folder, "report", "--csv", "--all", "--no-demangle", "input").stdout.decode("utf-8", "replace")))
    told, found = {}, {}
    for row in rows:
        key = (row["function"], row["object"], row["file"], row["id"])
        told[key] = [int(row[event + ":self"]) for event in profile.events] + [int(row["calls"])]
        if profile.rows["contexts"]:
            told[key] += [int(row[event + ":inclusive"]) for event in profile.events]
    costs, calls, inclusive = profile.self_costs(), profile.calls(), profile.inclusive()
    for number, row in enumerate(profile.rows["functions"]):
        name, object_, file = profile.function(number)
        key = (name, object_, file, "" if row[3] == profile_reader.NOWHERE else str(row[3]))
        if any(costs[number]) or calls[number] or key in told:
            found[key] = costs[number] + [calls[number]]
            if profile.rows["contexts"]:
                found[key] += inclusive[number]
    expect("the numbers of " + path, found, told)
    for kind in ("lines", "arcs"):
        made, sums = profile.sums(kind)
        expect("the sums of %s of %s" % (kind, path), sums, {} if profile.rows["contexts"] else made)


# ---- damage ----


def notices(what, folder, data, offset=None):
    write(folder, "broken.tlp", data)
    broken = run(folder, "report", "--csv", "broken.tlp")
    if broken.returncode not in (1, 2) or b"broken.tlp" not in broken.stderr:
        fail(what, "was not noticed:", broken.returncode, broken.stderr)
    elif offset is not None and b"offset %#x" % offset not in broken.stderr:
        fail(what, "is not at", hex(offset), "in", broken.stderr)
    return broken


def places_of_blocks(data):
    at, places = 16, []
    while at < len(data):
        places.append((at, data[at + 4], int.from_bytes(data[at + 24:at + 28], "little")))
        at += 40 + places[-1][2]
    return places


def damage(folder):
    data = read(folder, "input")
    for at, section, size in places_of_blocks(data):
        name = profile_reader.NAMES[section]
        inside = at + 40 + size // 2
        changed = data[:inside] + bytes([data[inside] ^ 0x10]) + data[inside + 1:]
        broken = notices("a changed byte of " + name, folder, changed, at)
        if name in ("parts", "contexts", "lines", "arcs", "functions"):
            expect("the result without some " + name, broken.returncode, 1)
        notices("a changed header of " + name, folder, data[:at + 9] + b"\xff" + data[at + 10:], at)
        notices("a file cut in " + name, folder, data[:inside], at)
        notices("a file cut before " + name, folder, data[:at], None)
        if name != "end":
            notices("a file without a block of " + name, folder, data[:at] + data[at + 40 + size:])
    for cut in range(0, 64, 7 if common.SMALL else 1):
        notices("a file of %d bytes" % cut, folder, data[:cut])
    notices("bytes behind the end", folder, data + b"TLPB", len(data))


def main():
    count = 0
    for path in inputs():
        with tempfile.TemporaryDirectory() as work:
            folders = [os.path.join(work, name) for name in ("whole", "file")]
            for folder in folders:
                os.mkdir(folder)
            with open(path, "rb") as file:
                write(folders[0], "input", file.read())
            made = run(folders[0], "convert", "--to", "tracelathe", "-o", "../file/input", "input")
            if made.returncode == 2:
                fail(path, made.stderr)
                continue
            compare(path, folders, TABLES + (MORE if count < 3 else ()))
            same_again(path, folders)
            compare_numbers(path, folders[1])
            if count < (1 if common.SMALL else 2):
                damage(folders[1])
            count += 1
    common.finish(count, "profile files")


if __name__ == "__main__":
    sys.exit(main())
