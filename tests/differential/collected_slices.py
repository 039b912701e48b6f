#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings of programs of collected/ that are kept in tests/golden/xtrace: handlers on a stack of their own and longjmp,
code made at run time, memory that is mapped anew, futexes, pointer authentication, optional instructions, SVE, lengths of
vectors that change, handlers that change vectors in their frames, or begin where another one ends, copies by one
instruction. Each is clean under `check`. Every slice as a program is refused with the word that golden/xtrace/slices.txt has,
or runs (xtrace_slices.py): the addresses of the trace to the last one, and the registers of the next snapshot. Needed: zstd; to run slices a qemu-aarch64 that loads plugins (Debian's qemu-user 7.2)."""
import os
import re
import shutil
import subprocess
import tempfile

import collector_tools as tools
import common
import emulators
import xtrace_model as model
import xtrace_slices as slices

TABLE = os.path.join(model.GOLDEN, "slices.txt")


def rows():
    """(recording, thread, first snapshot, end, status, what is said)."""
    with open(TABLE, encoding="utf-8") as file:
        for line in file:
            found = re.fullmatch(r"([a-z0-9-]+) (\d+|\*) (\d+)\.\.(\d+) ([012])(?: (.+))?\n", line)
            if found:
                yield found[1], found[2], int(found[3]), int(found[4]), int(found[5]), found[6] or ""
            else:
                common.expect("a line of slices.txt is a remark: " + line, line[:1], "#")


def stream_of(paths, thread):
    return next((path for path in paths if os.path.basename(path).split(".")[2] == thread), None)


def make(path, first, end, scratch):
    """Status, and what is said behind the names of the files, in one line."""
    done = subprocess.run([common.command(), "slice", "--snapshots", "%d..%d" % (first, end), "--to", "elf", "-o",
                           os.path.join(scratch, "made.elf"), path], capture_output=True, text=True)
    names = "tracelathe: (?:%s|%s): " % (re.escape(path), re.escape(path.replace("xinsndata", "xsnapshot")))
    return done.returncode, "; ".join(re.sub("^" + names, "", line) for line in done.stderr.strip().split("\n"))


def check_complete(name, paths, table):
    """The table has each slice from a snapshot to the next, and the whole."""
    for path in paths:
        count = len(slices.Pair(path).snapshots)
        thread = os.path.basename(path).split(".")[2]
        common.expect("%s %s: slices of the table" % (name, thread),
                      sorted((first, end) for _, its, first, end, _, _ in table if its == thread),
                      sorted({(i, i + 1) for i in range(count)} | {(0, count)}))


def check_recording(name, table, follow, scratch):
    paths = model.unpack(name, scratch)
    tools.check(name, os.path.join(scratch, name))
    check_complete(name, paths, table)
    tried = ran = 0
    for _, thread, first, end, status, said in table:
        if thread == "*":
            ran += bool(follow) and slices.run_group(os.path.join(scratch, name), follow, scratch, first, end)
            tried += 1
            continue
        path = stream_of(paths, thread)
        if not common.expect("%s has thread %s" % (name, thread), bool(path), True):
            continue
        common.expect("%s %s, slice %d..%d" % (name, thread, first, end), make(path, first, end, scratch), (status, said))
        tried += 1
        if status < 2 and follow:
            ran += bool(slices.run_slice(slices.Pair(path), first, follow, scratch, end))
    if follow:
        common.expect(name + ": slices that ran", ran, sum(row[4] < 2 for row in table))
    return tried


def check_guard(scratch):
    """What does not end is ended: it is run again from the beginning, and its last output is there, if it never ends."""
    mark, folder = os.path.join(scratch, "mark"), os.path.join(scratch, "cleared")
    once = "test -e %s || { touch %s; exec sleep 60; }; ls %s; touch %s/left" % (mark, mark, folder, folder)
    done = emulators.run(["sh", "-c", once], clear=lambda: emulators.empty(folder), patience=0.5)
    common.expect("a run that does not end is made again", (done.returncode, done.stdout), (0, ""))
    done = emulators.run(["sh", "-c", "printf 'said\\377'; exec sleep 60"], patience=0.1)
    common.expect("a run that never ends, and says what is no text", (done.returncode, done.stdout), (-9, "said\ufffd"))
    with subprocess.Popen(["sleep", "60"]) as process, emulators.ended(process, 0.1) as killed:
        process.wait()
    common.expect("it is told", killed, [process.pid])


def main():
    table = list(rows())
    with tempfile.TemporaryDirectory() as scratch:
        check_guard(scratch)
        follow = slices.follower(scratch, shutil.which("qemu-aarch64"), os.environ.get("QEMU_AARCH64"))
        if not follow:
            print("no slices run: no qemu-aarch64 that loads plugins of version 1 (Debian's qemu-user 7.2)")
        tried = sum(check_recording(name, [row for row in table if row[0] == name], follow, scratch)
                    for name in sorted({row[0] for row in table}))
    common.finish(tried, "slices")


main()
