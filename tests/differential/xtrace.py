#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""xtrace: every token, instruction and snapshot of the corpus against a second reader (xtrace_reference.py), the collector's
own log (truth.N.txt), and the single-step log of another emulator (gt-qemu72-singlestep.txt); violations against those that
the corpus explains; slices and re-encoded traces against the whole; damage against what the second reader says of it."""
import collections
import glob
import json
import os
import random
import re
import tempfile

import common
import xtrace_reference as reference
from common import expect, fail, run

FOLDER = os.path.join(common.SHARED, "corpus", "xtrace")
NAME = re.compile(r"xtrace\.(\d+)\.(\d+)\.hint(9|13)\.xinsndata\.bin$")

# docs/formats/xtrace.md, section 5: "Load/store values agree ... EXCEPT bytes another thread wrote": 44 loads of both
# threads of u4-thr-time read by themselves; merged, and everywhere else, none.
EXPLAINED = {("u4-thr-time", "0"): 22, ("u4-thr-time", "1"): 22}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def pairs():
    common.need_whole_corpus()
    for path in sorted(glob.glob(os.path.join(FOLDER, "*", "*.xinsndata.bin"))):
        yield os.path.basename(os.path.dirname(path)), NAME.search(path).group(2), path


def partner(path):
    return path.replace("xinsndata", "xsnapshot")


def number(text):
    return int(text, 16) if isinstance(text, str) else text


def ours(token):
    """A line of dump --json in the words of the second reader."""
    kind = token["token"]
    out = {"offset": token["offset"], "token": kind}
    for name in ("el", "size"):
        if name in token:
            out[name] = token[name]
    for name in ("pc", "address", "opcode"):
        if name in token and kind != "DC":
            out[name] = number(token[name])
    if kind in ("LOAD", "STORE", "MRS", "SVCARG", "SVCRET"):
        out["value"] = number(token["value"])
    elif kind in ("STXR", "DC", "TARGET_B", "MISC_FLAGS", "TIME"):
        field = {"STXR": "status", "DC": "address", "TARGET_B": "target", "MISC_FLAGS": "nzcv", "TIME": "time"}[kind]
        out["value"] = number(token[field])
    elif kind == "ALLGPR":
        out["x"] = [number(x) for x in token["x"]]
    elif kind == "SYSCALL_VEC":
        out["iovecs"] = [(number(v["base"]), v["length"]) for v in token["iovecs"]]
    return out


def dump(path, *options):
    return [ours(json.loads(line)) for line in run("dump", "--json", *options, path).splitlines()]


def wide(text):
    return int(text, 16)


def compare_snapshots(name, path):
    got = [json.loads(line) for line in run("dump", "--snapshots", "--json", path).splitlines()]
    want = list(reference.snapshots(read(partner(path))))
    expect(name + " snapshots", len(got), len(want))
    for mine, theirs in zip(got, want):
        for field in ("x", "z", "p"):
            mine[field] = [wide(v) for v in mine[field]]
        mine["ffr"] = wide(mine["ffr"])
        expect("%s snapshot %d" % (name, mine["snapshot"]), {k: number(mine[k]) for k in theirs}, theirs)


def truth_lines(instructions):
    for el, pc, opcode, accesses, _ in instructions:
        yield "%d %x %08x" % (el, pc, opcode)
        for store, address, size, value in accesses:
            yield "  %s %x %d %x%016x" % ("S" if store else "L", address, size, value >> 64, value & (1 << 64) - 1)


def as_instructions(tokens):
    last = None
    for token in tokens:
        if token["token"] in ("INST", "PCINST"):
            if last:
                yield last
            last = (token["el"], token["pc"], token["opcode"], [], token)
        elif token["token"] in ("LOAD", "STORE"):
            last[3].append((token["token"] == "STORE", token["address"], token["size"], token["value"]))
    if last:
        yield last


def compare_truth(folder, thread, name, tokens):
    truth = os.path.join(FOLDER, folder, "truth.%s.txt" % thread)
    expect(name + " truth", list(truth_lines(as_instructions(tokens))), read(truth).decode().splitlines())
    stepped = os.path.join(FOLDER, folder, "gt-qemu72-singlestep.txt")
    if os.path.exists(stepped):
        got = ["%x %08x" % (pc, opcode) for _, pc, opcode, _, _ in as_instructions(tokens)]
        expect(name + " single steps", got, read(stepped).decode().splitlines())


def compare_info(name, path, tokens):
    info = json.loads(run("info", "--json", path))["by_stream"][0]
    kinds = collections.Counter(t["token"] for t in tokens)
    levels = collections.Counter(t["el"] for t in tokens if "el" in t)
    expect(name + " tokens", info["tokens_by_kind"], dict(kinds))
    expect(name + " instructions", info["instructions"], kinds["INST"] + kinds["PCINST"])
    expect(name + " levels", info["instructions_by_level"], {"el%d" % el: levels[el] for el in range(4)})
    exact = json.loads(run("info", "--json", "--exact", path))["by_stream"][0]
    expect(name + " PCs", exact["distinct_pcs"], len({t["pc"] for t in tokens if "el" in t}))


def compare_check(folder, thread, name, path):
    found = [json.loads(line) for line in run("check", "--json", path).splitlines()]
    wanted = EXPLAINED.get((folder, thread))
    expect(name + " violations", [v["rule"] for v in found if not v.get("note")], [])
    expect(name + " notes", [(v["rule"], v["expected"].split(": ")[1]) for v in found if v.get("note")],
           [("xtrace.memory.value", "%d such loads" % wanted)] if wanted else [])
    rules = collections.Counter(json.loads(line)["rule"] for line in run("check", "--strict", "--json", path).splitlines())
    expect(name + " violations, strictly", dict(rules), {"xtrace.memory.value": wanted} if wanted else {})


def compare_slices(name, path, tokens, directory):
    """Whole, by snapshots, by instructions: re-read, a part gives its instructions; put together, the parts give the whole."""
    out = os.path.join(directory, "part.xinsndata.bin")
    run("convert", "--to", "xtrace", path, "-o", out, status=(0,))
    expect(name + " re-encoded", read(out) == read(path), True)
    expect(name + " re-encoded snapshots", read(partner(out)) == read(partner(path)), True)
    whole = [i[:4] for i in as_instructions(tokens)]
    records = list(reference.snapshots(read(partner(path))))
    together, stream = [], b""
    for number, record in enumerate(records):
        run("slice", "--snapshots", "%d..%d" % (number, number + 1), path, "-o", out, status=(0,))
        part = read(out)
        stream += part
        together += [i[:4] for i in reference.instructions(part)]
        one = list(reference.snapshots(read(partner(out))))
        expect(name + " slice %d" % number, [(s["file"], s["stream_offset"], s["user"], s["total"], s["x"]) for s in one],
               [(0, 0, 0, 0, record["x"])])
        compare = json.loads(run("info", "--json", out))["damaged_places"]
        expect(name + " slice %d damage" % number, compare, 0)
    first = records[0]["stream_offset"]
    expect(name + " slices by snapshot", together, whole[records[0]["total"]:])
    expect(name + " bytes of slices", stream == read(path)[first:], True)
    cuts = sorted({0, len(whole), *(random.Random(name).randrange(1, len(whole)) for _ in range(5))})
    together = []
    for begin, end in zip(cuts, cuts[1:]):
        run("slice", "--instructions", "%d..%d" % (begin, end), path, "-o", out, status=(0,))
        part = [i[:4] for i in reference.instructions(read(out))]
        expect(name + " part %d..%d" % (begin, end), part, whole[begin:end])
        together += part
        for record in reference.snapshots(read(partner(out))):
            place = list(reference.instructions(read(out)[:record["stream_offset"]]))
            expect(name + " snapshot of a part", record["total"], len(place))
    expect(name + " slices by number", together, whole)


def mutants(name, data, directory):
    """What is damaged is told at the byte at which the second reader stops."""
    pick = random.Random("mutants of " + name)
    path = os.path.join(directory, "mutant.xinsndata.bin")
    for _ in range(7 if common.SMALL else 20):
        mutant = bytearray(data[:4000])
        for _ in range(pick.randrange(1, 4)):
            mutant[pick.randrange(len(mutant))] = pick.randrange(256)
        del mutant[pick.randrange(3000, 4000):]
        with open(path, "wb") as file:
            file.write(mutant)
        good, stop = [], None
        try:
            for token in reference.tokens(bytes(mutant)):
                good.append(token)
        except reference.Malformed as malformed:
            stop = malformed.offset
        expect(name + " mutant", dump(path, "--format", "xtrace", "--layout", "time=8,codes=5"), good)
        damage = json.loads(run("info", "--json", "--format", "xtrace", "--layout", "time=8,codes=5", path))
        expect(name + " damage", [d["offset"] for d in damage.get("damage", [])], [] if stop is None else [stop])


def merged():
    """Both threads of u4 in the order of TIME: every access finds what was stored last."""
    files = sorted(glob.glob(os.path.join(FOLDER, "u4-thr-time", "*.bin")))
    expect("u4 merged", run("check", *files, status=(0,)), "")
    expect("u4 in another order", run("check", *reversed(files), status=(0,)), "")
    lines = [json.loads(line) for line in run("dump", "--json", *files).splitlines()]
    times = [number(line["time"]) for line in lines if line["token"] == "TIME"]
    expect("u4 times", times, sorted(times))
    threads = [line["thread"] for line in lines if line["token"] in ("LOAD", "STORE")]
    # corpus/xtrace/README.md: "231 thread switches in merged order".
    expect("u4 switches", sum(a != b for a, b in zip(threads, threads[1:])), 231)
    for thread in (0, 1):
        alone = dump(files[2 * thread])
        expect("u4 thread %d" % thread, [ours(line) for line in lines if line["thread"] == thread], alone)


def main():
    count = 0
    for folder, thread, path in pairs():
        name = folder + "/" + thread
        data = read(path)
        tokens = dump(path)
        expect(name + " tokens", tokens, list(reference.tokens(data)))
        compare_truth(folder, thread, name, tokens)
        compare_snapshots(name, path)
        compare_info(name, path, tokens)
        compare_check(folder, thread, name, path)
        with tempfile.TemporaryDirectory() as directory:
            compare_slices(name, path, tokens, directory)
            mutants(name, data, directory)
        # Either file of the pair may be given.
        expect(name + " by its snapshots", dump(partner(path)) == tokens, True)
        count += 1
    merged()
    if count != 8:
        fail("the corpus has 8 pairs, of which", count, "were found")
    common.finish(count, "pairs")


main()
