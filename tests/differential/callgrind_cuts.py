#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that were cut anywhere: told, with exit status 1 or 2, except where nobody could tell.

"Callgrind, xtree and we end each part with totals:, Cachegrind and xdebug with summary:; a last line without its end was
cut" (docs/formats/callgrind.md, section 4). Nobody can tell where a part ends and all of it is there, or where only blank
lines are missing."""
import glob
import os
import subprocess
import tempfile

import common
from common import SHARED, fail

# Small files are cut at each byte, others at ninety places.
DENSE, SPREAD = (1000, 30) if common.LONG else (100, 3) if common.SMALL else (300, 10)
compared = 0


def places(data):
    """Where to cut: everywhere, or evenly, and at ends of lines, and near the end."""
    if len(data) <= DENSE:
        return range(1, len(data))
    spread = {len(data) * i // SPREAD for i in range(1, SPREAD)}
    ends = {data.find(b"\n", at) + 1 for at in spread}
    return sorted((spread | ends | set(range(len(data) - SPREAD, len(data)))) - {0, len(data)})


def nobody_can_tell(head, rest):
    """A whole part is there, and no line of another; or only blank lines are missing."""
    last = head.rstrip(b"\n").rsplit(b"\n", 1)[-1]
    return head.endswith(b"\n") and (not rest.strip() or last.startswith(b"totals:"))


def cut_everywhere(name, data, folder):
    global compared
    path = os.path.join(folder, "cut")
    for at in places(data):
        if nobody_can_tell(data[:at], data[at:]):
            continue
        with open(path, "wb") as file:
            file.write(data[:at])
        done = subprocess.run([common.command(), "report", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode not in (1, 2) or not done.stderr:
            fail("%s, cut at %d of %d: exit status %d, %s" % (name, at, len(data), done.returncode, done.stderr))
        compared += 1


def files():
    defects = os.path.join(SHARED, "corpus", "defects", "callgrind")
    corpus = os.path.join(SHARED, "corpus", "callgrind")
    for name in ("cachegrind.out", "xd_t.out", "xdebug33.out", "trunc-threads.out", "ctx_tm_plain.out", "ctx_tm_r1.out",
                 "shop.out", "xtree.kcg"):
        yield os.path.join(defects, name)
    for name in ("cg_*.out", "xt_memcheck.kcg", "mini_parts.out", "mini_instr_jumps.out", "mini_dumpbb.out", "thr_sep.out-02",
                 "thr_sep_parts_cpno.out", "hand/cachegrind_v2.out", "hand/threads.out"):
        yield from sorted(glob.glob(os.path.join(corpus, name)))


def fresh(folder):
    """What the valgrind of this machine writes."""
    for tool, option in (("callgrind", "--callgrind-out-file="), ("callgrind", "--combine-dumps=yes --dump-every-bb=9000 "
                          "--callgrind-out-file="), ("cachegrind", "--cachegrind-out-file="),
                         ("cachegrind", "--cache-sim=yes --branch-sim=yes --cachegrind-out-file="),
                         ("memcheck", "--xtree-memory=full --xtree-memory-file=")):
        path = os.path.join(folder, "fresh")
        if os.path.exists(path):
            os.unlink(path)
        subprocess.run(["valgrind", "--tool=" + tool, *(option + path).split(), "true"], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        if not os.path.exists(path):
            continue
        with open(path, "rb") as file:
            data = file.read()
        common.run("report", path, status=(0,))
        if common.run("check", path, status=(0,)):
            fail("check finds something in what", tool, "just wrote")
        cut_everywhere(tool + ", recorded afresh", data, folder)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for path in files():
            if os.path.exists(path):
                with open(path, "rb") as file:
                    cut_everywhere(os.path.basename(path), file.read(), folder)
        if common.tool("valgrind"):
            fresh(folder)
    if not compared:
        common.skip("neither the shared corpus nor valgrind")
    common.finish(compared, "cuts")


main()
