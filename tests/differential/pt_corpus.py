# SPDX-License-Identifier: Apache-2.0
"""The shared corpus of Intel PT traces: what it says each address should cost, and what a profile says."""
import os
import re
import struct
import subprocess

import common

CORPUS = os.path.join(common.SHARED, "corpus", "intel-pt")


def addresses(name):
    """Every instruction a program of the corpus ran, in turn."""
    data = subprocess.run(["zstd", "-dc", os.path.join(CORPUS, name + ".ips.zst")], check=True,
                          stdout=subprocess.PIPE).stdout
    return struct.unpack("<%dQ" % (len(data) // 8), data)


def counts(ips):
    """{address: how often it ran}."""
    ran = {}
    for ip in ips:
        ran[ip] = ran.get(ip, 0) + 1
    return ran


def costs_of_addresses(text):
    """{address: last cost} of a Callgrind file with names and positions in full, without what calls cost."""
    got = {}
    skip = False
    for line in text.splitlines():
        cost = re.match(r"(0x[0-9a-f]+) (?:\S+ )+(\d+)$", line)
        if line.startswith(("calls=", "jump=", "jcnd=")):
            skip = True
        elif cost and not skip:
            ip = int(cost.group(1), 16)
            got[ip] = got.get(ip, 0) + int(cost.group(2))
        else:
            skip = False
    return got
