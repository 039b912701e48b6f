# SPDX-License-Identifier: Apache-2.0
"""Packets, queries and the clock against libipt (Debian's 2.0.5), where there is one to compile against.

  pt_packets.py [PT_LIBIPT]

Packets: every small trace of the shared corpus, the hardware traces, the peer cases' traces, and mutants of them.
Queries (branches, events, statuses, time, ratio after each): all of these but mutants, which it gives up at other places
than we do, and but the peer cases that name what came after 2.0.5 or that break rules: LATER."""
import glob
import os
import re
import subprocess
import sys
import tempfile

import common

if len(sys.argv) < 2:
    common.skip("no libipt to compile against")
PROGRAM = sys.argv[1]
CORPUS = os.path.join(common.SHARED, "corpus", "intel-pt")
LARGE = os.path.join(common.SHARED, "corpus", "large", "intel-pt")
PEER = os.path.join(common.SHARED, "peer", "libipt-ptt")
REAL = os.path.join(common.SHARED, "peer", "real-pt")
# Event trace, TRIG, processors it does not know, a MODE.Exec that takes a FUP, all of which came later; an MWAIT whose EXSTOP
# has no address, which it loses; and traces for ptdump, in which a PSB+ never ends, or whose end is no error to us.
LATER = re.compile(r"trig|ptet|mode_exec-fup|skz84-cpu_(19|6_17|6_207)|tip_pgd-mwait|dump-all|ptdump-(last-ip|trunc)|"
                   r"tma-reserved")


runs = 0


def run(how, count, *files):
    global runs
    runs += 1
    done = subprocess.run([PROGRAM, how, str(count), *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        common.fail(how, done.stdout.strip()[-1500:])
    else:
        print(done.stdout.strip())


def expanded(folder, where):
    """The compressed traces of a folder, as files in another one."""
    for name in sorted(glob.glob(os.path.join(where, "*.pt.zst"))):
        path = os.path.join(folder, os.path.basename(name)[:-4])
        subprocess.run(["zstd", "-dqf", name, "-o", path], check=True)
        yield path


def main():
    run("writer", 300000)
    run("time", 3000)
    small = sorted(glob.glob(os.path.join(CORPUS, "*.pt")))
    peer = sorted(glob.glob(os.path.join(PEER, "*.pt")))
    if not small:
        common.skip("no corpus of Intel PT traces")
    run("packets", 20, *small)
    run("query", 0, *small)
    if peer:
        run("packets", 20, *peer)
        run("query", 0, *[path for path in peer if not LATER.search(os.path.basename(path))])
    with tempfile.TemporaryDirectory() as folder:
        real = list(expanded(folder, REAL))
        if real:
            run("packets", 0, *real)
            run("query", 0, *real)
        cyc = [path for path in expanded(folder, LARGE) if path.endswith("py.cyc.pt")]
        if cyc:
            run("query", 0, *cyc)


main()
common.finish(runs, "comparisons")
