#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings of programs in collected/, kept in tests/golden/xtrace for machines that have no QEMU that could make them:
processes, memory tags, streaming mode, a machine of two cores. Each is clean under `check`, has what its program says, and
makes slices (xtrace_slices.py runs them), or is refused for a documented reason."""
import os
import subprocess
import tempfile

import collected_system as system
import collector_tools as tools
import common
import xtrace_model as model

IRG, STZG, STGP, ST1W = (0xffe0fc00, 0x9ac01000), (0xffe00c00, 0xd9600800), (0xffc00000, 0x69000000), (0xffe00010, 0xe0a00000)


def accesses_of(stream, kind):
    """For each instruction of this encoding, what it stores."""
    found, mine = [], False
    for event in stream.events:
        if event[0] == "i":
            mine = event[3] & kind[0] == kind[1]
            if mine:
                found.append([])
        elif event[0] == "a" and mine:
            found[-1].append(event[3].hex())
    return found


def refused(path, scratch, word):
    done = subprocess.run([common.command(), "slice", "--snapshots", "0..1", "--to", "elf", "-o",
                           os.path.join(scratch, "slice.elf"), path], capture_output=True, text=True)
    common.expect(path + " is refused: " + word, (done.returncode, word in done.stderr), (2, True))


def check_tags(paths, scratch):
    """24 pieces of 64 bytes: a tag for each, zeros by STZG, a pair by STGP."""
    stream = model.Stream(paths[0])
    common.expect("tags: IRG", accesses_of(stream, IRG), [[]] * 24)
    common.expect("tags: STZG", accesses_of(stream, STZG), [["00" * 16]] * 96)
    common.expect("tags: STGP", {data[0] for data in accesses_of(stream, STGP)},
                  {(1).to_bytes(8, "little").hex() + (7).to_bytes(8, "little").hex()})
    refused(paths[0], scratch, "memory tags")


def check_streaming(paths, scratch):
    """Two outer products of vectors of 1.5: 4.5 in each of eight elements, in eight rows, three times."""
    common.expect("streaming: rows of ZA", accesses_of(model.Stream(paths[0]), ST1W), [["00009040"] * 8] * 24)
    refused(paths[0], scratch, "SME")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        paths = {name: model.unpack(name, scratch) for name in ("processes", "tags", "streaming", "machine")}
        for name in paths:
            tools.check(name, os.path.join(scratch, name))
        common.expect("processes: markers", sorted(markers for _, markers in tools.counts_of(paths["processes"])),
                      sorted(tools.PROCESSES))
        check_tags(paths["tags"], scratch)
        check_streaming(paths["streaming"], scratch)
        system.check_cores("machine", [model.Stream(path) for path in paths["machine"]], 100, True)
        refused(paths["machine"][0], scratch, "ran in the kernel")
    common.finish(sum(map(len, paths.values())), "streams")


main()
