#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings of samples with the options of perf record, and as other machines and older perfs wrote them.

  sample_options.py TRACELATHE

A program is recorded with each option and with each kind of event; its stacks and their periods are, for each event, those that perf
script lists. One of these recordings is written anew (perf_rewrite.py): in the other byte order, with attributes of all sizes, with
the header of version 1, as a pipe; and by perf itself: into a pipe, by perf inject. The stacks stay the same, and perf script agrees.
Of a file that ends early, which perf refuses or dies of, the samples before the cut are kept.
"""
import os
import shutil
import struct
import tempfile

from common import LONG, command, expect, finish, skip
from perf_rewrite import SAMPLE, SIZES, Recording
from perf_stacks import SMALL, SMALL_OPTIONS, perf_stacks, record, run, stacks

EVENTS = ("cpu-clock:u", "task-clock:u", "page-faults:u", "cpu-clock", "cpu-clock:u,task-clock:u", "{cpu-clock:u,task-clock:u}",
          "{cpu-clock:u,page-faults:u}:S")
STACKS = ("-g", "", "--call-graph dwarf,4096")
OPTIONS = STACKS + tuple("-g " + option for option in (
    "-c 250000", "-d", "-P", "--phys-data", "-T -s", "-R", "--sample-cpu", "-z", "--threads", "-z --threads", "--switch-events",
    "--all-cgroups", "--tail-synthesize", "--user-regs=ax,ip", "--intr-regs=ax,ip", "--namespaces", "-k CLOCK_MONOTONIC_RAW",
    "--code-page-size --data-page-size", "--weight", "-N -B", "--buildid-all", "--buildid-mmap", "--no-inherit", "--aio", "--synth=no",
    "-m 1", "--mmap-flush 64K", "--user-callchains", "--max-size=20K")) + ("--call-graph dwarf -z", "--call-graph dwarf -d --switch-events")


def events_of(path):
    listed = run("perf", "script", "-i", path, "-F", "event,period", "-G").stdout
    return sorted({line.split()[1].rstrip(":") for line in listed.splitlines() if line.strip()})


def compare(folder, program, event, options):
    """The number of stacks that are equal, of each event; 0: perf cannot record so."""
    path = os.path.join(folder, "options.data")
    shutil.rmtree(path, ignore_errors=True)
    shutil.rmtree(path + ".old", ignore_errors=True)
    if not record(path, "-e", event, *([] if "-c " in options else ["-F", "4000"]), *options.split(), "--", program):
        return 0
    several, compared = "," in event, 0
    for name in events_of(path):
        ours = stacks(command(), path, *(["--event", name] if several else []))
        expect("-e %s %s: %s" % (event, options, name), ours, perf_stacks(path, name))
        compared += len(ours)
    return compared


def options_of_perf(folder, program):
    compared = recordings = 0
    for event in EVENTS:
        for options in OPTIONS if LONG or event == EVENTS[0] else STACKS:
            equal = compare(folder, program, event, options)
            compared += equal
            recordings += bool(equal)
    # Options that this perf or this kernel does not have are left out, which must not be nearly all.
    expect("at least 30 recordings, here %d" % recordings, recordings >= 30, True)
    return compared


def other_files(folder, program):
    path, anew = (os.path.join(folder, name) for name in ("plain.data", "anew.data"))
    compared = 0
    if not record(path, "-e", "cpu-clock:u", "-F", "4000", "-g", "-d", "--", program):
        return 0
    wanted, recording = stacks(command(), path), Recording(path)
    expect("samples that are written anew", wanted, perf_stacks(path))
    variants = [("other order", {"swap": True})]
    variants += [("attributes of %d bytes" % size, {"attr_size": size, "swap": swap}) for size in SIZES for swap in (False, True)]
    # Version 1 ended before attributes had more than 96 bytes: perf tells the byte order by their size.
    variants += [("version 1, attributes of %d bytes" % size, {"attr_size": size, "swap": swap, "first": True})
                 for size in SIZES[:4] for swap in (False, True)]
    for name, how in variants:
        recording.write(anew, **how)
        what = "%s%s" % (name, ", other order" if how.get("swap") else "")
        expect(what, stacks(command(), anew), wanted)
        expect(what + ", perf", perf_stacks(anew), wanted)
        compared += len(wanted)
    for swap in (False, True):
        recording.write_pipe(anew, swap)
        expect("a pipe's records, swapped: %s" % swap, stacks(command(), anew), wanted)
        expect("a pipe's records, swapped: %s, perf" % swap, perf_stacks(anew), wanted)
    for name, line in (("perf inject", "perf inject -b -i %s -o %s"), ("perf inject into a pipe", "perf inject -i %s > %s")):
        if run("sh", "-c", line % (path, anew)).returncode == 0:
            expect(name, stacks(command(), anew), wanted)
    if run("sh", "-c", "perf record -q -e cpu-clock:u -F 4000 -g -o - -- %s > %s" % (program, anew)).returncode == 0:
        expect("perf record into a pipe", stacks(command(), anew), perf_stacks(anew))
    return compared


def cut_files(folder):
    """What is whole before the cut is counted, and the cut is told with status 1."""
    anew, recording = os.path.join(folder, "cut.data"), Recording(os.path.join(folder, "plain.data"))
    recording.write(anew)
    size, ends = os.path.getsize(anew), []
    at = size - sum(map(len, recording.records))
    for one in recording.records:
        at += len(one)
        ends.append((at, struct.unpack_from("<I", one)[0] == SAMPLE))
    for cut in (1, 7, 8, 60, 100, 1000, (size - ends[0][0]) // 2):
        recording.write(anew, cut=cut)
        done = run(command(), "report", "--json", anew)
        samples = sum(is_sample for end, is_sample in ends if end <= size - cut)
        expect("%d bytes missing: status" % cut, done.returncode, 1)
        expect("%d bytes missing: samples" % cut, '"samples": %d' % samples in done.stdout or '"samples":%d' % samples in done.stdout, True)
        expect("%d bytes missing: said" % cut, "reaches past the end of the file" in done.stderr, True)


def main():
    if not shutil.which("perf") or not shutil.which("gcc"):
        skip("no perf or gcc")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        source, program = os.path.join(folder, "small.c"), os.path.join(folder, "small")
        with open(source, "w", encoding="ascii") as file:
            file.write(SMALL)
        # perf finds call frame information by the table in .eh_frame_hdr alone, which linkers leave out of static programs.
        if run("gcc", *SMALL_OPTIONS, "-Wl,--eh-frame-hdr", "-fno-omit-frame-pointer", "-o", program, source).returncode:
            skip("the program is not one of this machine")
        if not compare(folder, program, EVENTS[0], "-g"):
            skip("perf cannot record here")
        compared = options_of_perf(folder, program) + other_files(folder, program)
        cut_files(folder)
    finish(compared, "stacks")


main()
