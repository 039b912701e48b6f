#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fresh recordings by examples/qemu-xtrace-plugin in user mode. Processes (fork, vfork, execve): a stream each, with as
many instructions as another plugin counts and as many markers as the program says. Threads that count in common by every
kind of atomic operation and by exclusives: the accesses of each counter form one chain to the value that the program
prints, in the order of TIME, too. Signals, memory tags, streaming mode, SVE at several lengths, pointer authentication,
system calls with vectors, a library loaded at run time, code made at run time, memory mapped anew, futexes. Recordings of
whole programs also have as many instructions as QEMU's own plugin counts, where it was built beside QEMU. Each is clean
under `check`; the slices of each run (xtrace_slices.py), or are refused for a reason that docs/xtrace-slices.md names.
Needed: a qemu-aarch64 of version 9.2 or newer that loads plugins (QEMU_AARCH64, or the one of PATH) and a compiler for
AArch64; to run slices another qemu-aarch64, in PATH, as old as 7.2."""
import os
import shutil
import struct
import subprocess
import tempfile

import collector_tools as tools
import common
import emulators
import xtrace_model as model
import xtrace_slices as slices

PLAIN = "max,sve=off,sme=off"
SHORT = "max,sve-default-vector-length=32,sme=off"
LIBRARIES = slices.LIBRARIES


class Recorder:
    """Plugins and emulators, and where programs and recordings go."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.plugin = tools.built(scratch)
        self.qemu = tools.user_emulator(self.plugin, scratch)
        if not self.qemu:
            common.skip("no qemu-aarch64 of version 9.2 or newer that loads plugins (QEMU_AARCH64)")
        if not tools.CC:
            common.skip("no compiler for AArch64")
        self.counter = tools.counter(scratch)
        self.insn = tools.own_counter(self.qemu)
        self.follow = slices.follower(scratch, shutil.which("qemu-aarch64"))
        if not self.follow:
            print("no slices run: no qemu-aarch64 that loads plugins of version 1 (Debian's qemu-user 7.2)")

    def record(self, name, program, *options, cpu=PLAIN, arguments=(), marker=tools.MARKER):
        """The folder of a recording, what the program printed, and the counts of instructions and markers."""
        folder, counts = os.path.join(self.scratch, "recorded-" + name), os.path.join(self.scratch, "counts-" + name)
        start = ["from=start"] if "from=start" in options else []
        theirs = ["-d", "plugin", "-D", counts + ".log", "-plugin", self.insn] if self.insn and start else []
        emulated = [self.qemu, "-L", LIBRARIES, "-cpu", cpu, "-plugin", ",".join([self.plugin, "out=" + folder,
                    "stamp=20260101000000", *options]), "-plugin",
                    ",".join([self.counter, "to=" + counts, "marker=%x" % marker] + start), *theirs, program]
        done = emulators.run([*emulated, *[a for more in arguments for a in (emulated if more is None else [more])]],
                             clear=lambda: emulators.empty(folder), patience=300)
        common.expect(name + " ends", (done.returncode, done.stderr if done.returncode else ""), (0, ""))
        with open(counts, encoding="ascii") as file:
            counted = sorted(tuple(map(int, line.split())) for line in file)
        if theirs:
            common.expect(name + ": instructions, as QEMU's own plugin counts them", sum(n for n, _ in counted),
                          tools.own_count(counts + ".log"))
        return folder, done, counted


def check_processes(recorder):
    program = tools.compile_program(recorder.scratch, "processes", os.path.join(tools.PROGRAMS, "processes.c"), "-static")
    folder, _, counted = recorder.record("processes", program, "interval=200", arguments=(None, "other"))
    paths = tools.check("processes", folder)
    common.expect("processes: streams", tools.counts_of(paths), counted)
    common.expect("processes: markers", sorted(markers for _, markers in counted), sorted(tools.PROCESSES))
    for path in paths:
        common.expect("processes: alone", common.run("check", path, status=(0,)), "")
    return run_slices(recorder, "processes", paths)


def check_whole(recorder, name, program, *options, cpu=PLAIN):
    """All of a program that says where to record, of which QEMU's own plugin knows the count."""
    name += "-whole"
    folder, _, counted = recorder.record(name, program, *options, "from=start", cpu=cpu)
    common.expect(name + ": streams", tools.counts_of(tools.check(name, folder)), counted)


# ---- threads ----

def check_threads(recorder):
    program = tools.compile_program(recorder.scratch, "many", os.path.join(tools.PROGRAMS, "many.c"), "-static", "-pthread",
                                    "-march=armv8.1-a")
    check_whole(recorder, "threads", program, "interval=20000", "time=on")
    ran = 1
    for time in "off", "on":
        name = "threads-time-" + time
        # Without TIME it is told that loads found what other threads stored.
        folder, done, counted = recorder.record(name, program, "interval=20000", "time=" + time)
        paths = tools.check(name, folder, time == "off")
        common.expect(name + ": streams", tools.counts_of(paths), counted)
        common.expect(name + ": threads", len(paths), 16)
        streams = [model.Stream(path) for path in paths]
        printed = [line.split() for line in done.stdout.splitlines()]
        for counter, at, last in (row for row in printed if len(row) == 3):
            size = {"compared": 4, "pair": 16, "exclusive_pair": 16}.get(counter, 8)
            steps = tools.steps_of(streams, int(at, 16), size)
            tools.check_chain("%s: %s" % (name, counter), steps, int(last, 16), time == "on")
        failed = [int(n) for n in printed[-1][1:]]
        print(name + ": failed", *failed)
        ran += 1
    # Threads of the second wave have the stacks of the first, so that they are no program together.
    for path in paths:
        if model.Stream(path).id > 8:
            os.unlink(path)
    if recorder.follow:
        for first, end in common.some([(None, None), (0, 2), (1, 3)]):
            ran += slices.run_group(folder, recorder.follow, recorder.scratch, first, end)
    return ran


# ---- slices ----

# Of docs/xtrace-slices.md, "What cannot run" and "Signals".
REFUSED = ("that began before the slice", "execve", "SME", "memory tags", "keeps a reservation", "without its result",
           "the length of vectors", "by one instruction (CPY, SET)")


def run_slices(recorder, name, paths):
    """All slices of these streams; what is refused is listed."""
    ran, refusals = 0, {}
    for path in paths if recorder.follow else ():
        pair = slices.Pair(path)
        for number in common.some(range(len(pair.snapshots))):
            made = subprocess.run([common.command(), "slice", "--snapshots", "%d..%d" % (number, number + 1), "--to", "elf",
                                   "-o", os.path.join(recorder.scratch, "tried.elf"), path], capture_output=True, text=True)
            if made.returncode == 2:
                word = made.stderr.strip().rsplit(": ", 1)[-1]
                refusals[word] = refusals.get(word, 0) + 1
                common.expect("%s slice %d is refused for a documented reason: %s" % (name, number, made.stderr),
                              any(reason in made.stderr for reason in REFUSED), True)
            else:
                ran += slices.run_slice(pair, number, recorder.follow, recorder.scratch)
    for word, count in sorted(refusals.items()):
        print("%s: %d slices refused: %s" % (name, count, word))
    return ran


PROGRAMS = (
    # name, source, flags, interval, processor, arguments
    ("interrupts-signals", "xtrace_slices/interrupts.c", ("-static", "-pthread", "-march=armv8.1-a"), 3000, PLAIN, ()),
    ("handlers-signals", "xtrace_slices/handlers.S", ("-static", "-nostdlib", "-Wl,--no-warn-rwx-segments"), 32, PLAIN, ()),
    ("signals-plain", "xtrace_live/signals.c", ("-static",), 500, PLAIN, ()),
    ("calls-plain", "xtrace_slices/calls.c", ("-static",), 10000, PLAIN, ("written",)),
    ("calls-signed", "xtrace_slices/calls.c", ("-static", "-mbranch-protection=standard"), 10000, PLAIN, ("written",)),
    ("calls-library", "xtrace_slices/calls.c", ("-DWITH_LIBRARY",), 10000, PLAIN, ("written",)),
    ("vectors-128-signals", "xtrace_slices/vectors.c", ("-static", "-O3", "-ffast-math", "-march=armv8.2-a+sve"), 5000,
     "max,sve128=on,sve-default-vector-length=16,sme=off", ()),
    ("vectors-256-signals", "xtrace_slices/vectors.c", ("-static", "-O3", "-ffast-math", "-march=armv8.2-a+sve"), 5000,
     "max,sve256=on,sve-default-vector-length=32,sme=off", ()),
    # As Linux has it where the processor's longest is longer.
    ("vectors-256-default", "xtrace_slices/vectors.c", ("-static", "-O3", "-ffast-math", "-march=armv8.2-a+sve"), 5000,
     SHORT, ()),
    ("vectors-512-signals", "xtrace_slices/vectors.c", ("-static", "-O3", "-ffast-math", "-march=armv8.2-a+sve"), 5000,
     "max,sve512=on,sve-default-vector-length=64,sme=off", ()),
    ("vectors-2048-signals", "xtrace_slices/vectors.c", ("-static", "-O3", "-ffast-math", "-march=armv8.2-a+sve"), 5000,
     "max,sve2048=on,sve-default-vector-length=256,sme=off", ()),
    ("tags", "collected/tags.c", ("-static", "-march=armv8.5-a+memtag"), 100, "max,sve=off,sme=off", ()),
    ("streaming", "collected/streaming.S", ("-static", "-nostdlib", "-Wl,--no-warn-rwx-segments"), 20, "max", ()),
    # The programs of collected_slices.py.
    ("jumps", "collected/jumps.c", ("-static",), 500, PLAIN, ()),
    ("jit", "collected/jit.c", ("-static",), 500, PLAIN, ()),
    ("remap", "collected/remap.c", ("-static",), 1000, PLAIN, ()),
    ("futexes", "collected/futexes.c", ("-static", "-pthread", "-march=armv8.1-a"), 1000, PLAIN, ()),
    ("signed-pointers", "collected/pointers.c", ("-static", "-march=armv8.5-a", "-mbranch-protection=standard"), 500,
     PLAIN, ()),
    ("crypto", "collected/crypto.c", ("-static", "-march=armv8.6-a+crypto+sha3+sm4+fp16+bf16+i8mm+rcpc"), 500, PLAIN, ()),
    ("scalable", "collected/scalable.c", ("-static", "-march=armv8.2-a+sve"), 500, SHORT, ()),
    ("lengths", "collected/scalable.c", ("-static", "-march=armv8.2-a+sve", "-DCHANGING"), 500, SHORT, ()),
    ("frames-256", "collected/frames.c", ("-static", "-march=armv8.2-a+sve", "-DLENGTH=32"), 2000,
     "max,sve-default-vector-length=64,sme=off", ()),
    ("frames-512", "collected/frames.c", ("-static", "-march=armv8.2-a+sve"), 2000,
     "max,sve-default-vector-length=64,sme=off", ()),
    ("frames-2048", "collected/frames.c", ("-static", "-march=armv8.2-a+sve"), 4000,
     "max,sve-default-vector-length=256,sme=off", ()),
    ("pending", "collected/pending.c", ("-static",), 1000, PLAIN, ()),
    ("copies", "collected/copies.c", ("-static",), 500, PLAIN, ()),
)


def check_program(recorder, name, source, flags, interval, cpu, arguments):
    program = tools.compile_program(recorder.scratch, name, os.path.join(common.ROOT, "tests", "differential", source), *flags)
    region = "collected" in source
    options = ["interval=%d" % interval] + ["time=on"] * ("-pthread" in flags)
    if region:
        check_whole(recorder, name, program, *options, cpu=cpu)
    folder, done, counted = recorder.record(name, program, *options, *([] if region else ["from=start"]), cpu=cpu,
                                            arguments=[os.path.join(recorder.scratch, a) for a in arguments])
    paths = tools.check(name, folder)
    common.expect(name + ": streams", tools.counts_of(paths), counted)
    if name == "streaming":
        common.expect("what SME has is said to be missing", "this program uses SME" in done.stderr, True)
    if name.startswith("vectors"):
        common.expect(name, [slices.Pair(path).vector * 8 for path in paths], [int(name.split("-")[1])])
    ran = run_slices(recorder, name, paths)
    if region and "-pthread" in flags and recorder.follow:
        ran += sum(slices.run_group(folder, recorder.follow, recorder.scratch, *part) for part in ((None, None), (0, 1), (1, 3)))
    return ran


def main():
    with tempfile.TemporaryDirectory() as scratch:
        recorder = Recorder(scratch)
        ran = check_processes(recorder) + check_threads(recorder)
        for row in PROGRAMS:
            ran += 1 + check_program(recorder, *row)
    common.finish(ran, "recordings and slices")


main()
