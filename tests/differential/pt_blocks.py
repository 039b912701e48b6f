# SPDX-License-Identifier: Apache-2.0
"""Blocks, instructions and runs of nodes of every trace of the shared corpus against its truth, instruction by
instruction, and against libipt with all events and their times (where there is a libipt to compile against).

And any number of threads gives the same, also where the trace is damaged.

  pt_blocks.py PT_TRUTH PT_JOBS [PT_BLOCKS_LIBIPT]"""
import os
import random
import subprocess
import sys
import tempfile

import common

SMALL = os.path.join(common.SHARED, "corpus", "intel-pt")
LARGE = os.path.join(common.SHARED, "corpus", "large", "intel-pt")
REAL = os.path.join(common.SHARED, "peer", "real-pt")
FACES = ("blocks", "one", "insns", "nodes")
VARIANTS = ("ret", "noret", "time", "cyc", "irq")
count = 0


def run(program, *args):
    """Run one comparison: it says itself what differs."""
    global count
    done = subprocess.run([program, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    count += 1
    if done.returncode:
        common.fail(" ".join(args), done.stdout.strip()[-600:])
    return done.stdout


def small(truth, libipt):
    for number, name in enumerate(("true", "sh", "rec", "sig", "jit")):
        base = os.path.join(SMALL, name)
        for variant in VARIANTS:
            trace = "%s.%s.pt" % (base, variant)
            code = [base + ".map", base + ".img"]
            # Each recording by two faces, and each face by every second recording.
            half = (number + VARIANTS.index(variant)) % 2
            for face in FACES if common.LONG else FACES[half::2]:
                run(truth, "-m", face, "-e", base + ".ips.zst", trace, *code, base + ".truth")
            # Each variant by another kind of image.
            images = ("cache", "cache100000", "callback", "memory")
            for image in images if common.LONG else (images[VARIANTS.index(variant) % len(images)],):
                run(truth, "-i", image, "-e", base + ".ips.zst", trace, *code, base + ".truth")
            # Blocks that end at direct calls and jumps, too, are the same instructions.
            run(truth, "-f", "3", "-e", base + ".ips.zst", trace, *code, base + ".truth")
            if libipt:
                run(libipt, trace, *code)


def large(truth, libipt):
    base = os.path.join(LARGE, "py")
    for variant in ("ret", "noret", "time", "cyc") if common.LONG else ("cyc",):
        trace = "%s.%s.pt.zst" % (base, variant)
        code = [base + ".map", base + ".img.zst"]
        for face in ("blocks", "nodes") if common.LONG else ("nodes",):
            run(truth, "-m", face, "-i", "memory", trace, *code, base + ".truth")
        if libipt:
            run(libipt, trace, *code)


SALVAGE = "64"


def threads(jobs):
    """One thread and several, side by side; then with bytes of the trace overwritten."""
    code = [os.path.join(LARGE, "py.map"), os.path.join(LARGE, "py.img.zst")]
    for variant, number in (("ret", "2"), ("time", "3"), ("cyc", "2")) if common.LONG else ():
        run(jobs, number, "0", os.path.join(LARGE, "py.%s.pt.zst" % variant), *code)
    whole = subprocess.run(["zstd", "-dc", "--long=27", os.path.join(LARGE, "py.time.pt.zst")],
                           stdout=subprocess.PIPE, check=True).stdout[:3000000 if common.LONG else 1000000]
    for seed in range(4 if common.LONG else 2):
        damaged, choice = bytearray(whole), random.Random(seed)
        for _ in range(30):
            damaged[choice.randrange(len(damaged))] = choice.randrange(256)
        with tempfile.NamedTemporaryFile() as trace:
            trace.write(damaged)
            trace.flush()
            run(jobs, "3", SALVAGE, trace.name, *code)
            run(jobs, "2", "0", trace.name, *code)


def hardware(truth, jobs, libipt):
    """What a processor recorded: counts and hash as its list has them."""
    with open(os.path.join(REAL, "MANIFEST.tsv")) as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    for row in (dict(zip(rows[0], row)) for row in rows[1:]):
        trace, image, code = [os.path.join(REAL, row[key]) for key in ("pt", "img", "map")]
        with tempfile.NamedTemporaryFile("w") as facts:
            facts.write("insns %s\nhash %s\n" % (row["insns"], row["ip_hash"]))
            facts.flush()
            said = run(truth, "-f", "128", "-i", "memory", trace, code, image, facts.name)
        common.expect(row["name"] + " events", said.strip().split("events ")[-1], row["events"])
        if libipt:
            run(libipt, trace, code, image)
        run(jobs, "2", "0", trace, code, image)


def main():
    programs = [os.path.abspath(program) for program in sys.argv[1:]]
    truth, jobs, libipt = (programs + [None])[:3]
    common.need_whole_corpus()
    small(truth, libipt)
    if not common.SMALL:
        large(truth, libipt)
    threads(jobs)
    if os.path.isdir(REAL):
        hardware(truth, jobs, libipt)
    common.finish(count, "comparisons" + ("" if libipt else " (none with libipt: it is not installed)"))


main()
