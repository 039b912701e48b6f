#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fresh recordings by examples/qemu-xtrace-plugin in system mode: two cores of collected/machine.S, which has two tasks
at EL0 on each, system calls, interrupts at both levels, instructions that fault. A stream a core, with as many
instructions as another plugin counts; as many markers, system calls and faults as the program makes; a counter of both
cores in the order of TIME; clean under `check`. Needed: a qemu-system-aarch64 of version 9.2 or newer that loads plugins
(QEMU_SYSTEM_AARCH64, or the one of PATH; Debian's of bookworm-backports does) and a compiler for AArch64."""
import os
import subprocess
import tempfile

import collector_tools as tools
import common
import emulators
import xtrace_model as model

SVC, UDF, LDADD, ERET = 0xd4000001, 0x00000001, 0xf82202a3, 0xd69f03e0
TIMES = 3000
RUNS = (
    # name, processor, arguments
    ("ordered", "neoverse-n1", ("time=on", "interval=10000")),
    ("total", "max,sve256=on", ("time=on", "interval=50000", "division=total")),
    ("unordered", "neoverse-n1", ("interval=10000",)),
)


def emulate(qemu, plugins, folder, program, cpu, threads, options, more=(), clear=lambda: None):
    counting = "%s,cores=on,to=%s.counts,marker=%x" % (plugins[1], folder, tools.MARKER)
    counting += ",from=start" * ("from=start" in options)
    return emulators.run([qemu, "-M", "virt,gic-version=2", "-cpu", cpu, "-smp", "2", "-m", "64", "-accel",
                          "tcg,thread=" + threads, "-nodefaults", "-display", "none", "-kernel", program, "-plugin",
                          ",".join([plugins[0], "out=" + folder, "stamp=20260101000000", *options]), "-plugin",
                          counting, *more], clear=clear, patience=300)


def record(qemu, plugins, scratch, program, name, cpu, options, more=()):
    """The folder of the recording, and the counts of instructions and markers."""
    folder = os.path.join(scratch, name)
    done = emulate(qemu, plugins, folder, program, cpu, "multi", options, more, lambda: emulators.empty(folder))
    if done.returncode and not tools.streams(folder):
        common.skip("this qemu-system-aarch64 does not load the plugin: " + done.stderr.strip()[:200])
    common.expect(name + " ends", (done.returncode, done.stderr if done.returncode else ""), (0, ""))
    with open(folder + ".counts", encoding="ascii") as file:
        return folder, sorted(tuple(map(int, line.split())) for line in file)


def check_refusal(qemu, plugins, scratch, program):
    """QEMU tells plugins the wrong core where cores take turns."""
    done = emulate(qemu, plugins, scratch, program, "neoverse-n1", "single", ())
    common.expect("cores that take turns are refused", (done.returncode, "take turns in one thread" in done.stderr), (1, True))


def tasks_of(core, times):
    """How often the tasks of a core execute the marker."""
    return times + 300 * core, times + 300 * core + 31


def check_core(name, stream, times):
    """What the tasks of a core do is known; levels change where ALLGPR says so, and at each call, fault and interrupt."""
    user = [event[3] for event in stream.instructions() if event[1] == 0]
    tasks = tasks_of(stream.id, times)
    common.expect(name + ": markers", user.count(tools.MARKER), sum(tasks))
    common.expect(name + ": system calls", user.count(SVC), sum(n // 16 + 1 for n in tasks))
    common.expect(name + ": faults", user.count(UDF), sum(n // 64 for n in tasks))
    levels = [event[1] for event in stream.instructions()]
    changes = sum(a != b for a, b in zip(levels, levels[1:]))
    common.expect(name + ": changes of level", sum(event[0] == "g" for event in stream.events), changes)
    # Each goes up and comes back; each core comes down from its first instructions once, and core 0 ends above.
    return changes // 2 - user.count(SVC) - user.count(UDF)


def check_cores(name, streams, times, timed):
    interrupts = [check_core("%s, core %d" % (name, stream.id), stream, times) for stream in streams]
    common.expect(name + ": interrupts come at EL0", min(interrupts) >= 0 and sum(interrupts) > 0, True)
    if timed:
        at = next(event[2] for i, event in enumerate(streams[0].events)
                  if event[0] == "a" and last_opcode(streams[0].events, i) == LDADD)
        steps = [step for stream in streams for step in tools.steps_of([stream], at, 8)]
        tools.check_chain(name + ": counter", steps, sum(sum(tasks_of(core, times)) for core in (0, 1)), True)


def check_run(qemu, plugins, scratch, program, row):
    name, options = row[0], row[2]
    folder, counted = record(qemu, plugins, scratch, program, *row)
    timed = "time=on" in options
    paths = tools.check(name, folder, not timed)
    common.expect(name + ": files", [os.path.basename(path).split(".")[2:4] for path in paths],
                  [["0", "hint9"], ["1", "hint13"]])
    common.expect(name + ": streams", tools.counts_of(paths), counted)
    check_cores(name, [model.Stream(path) for path in paths], TIMES, timed)
    refused = subprocess.run([common.command(), "slice", "--snapshots", "0..1", "--to", "elf", "-o",
                              os.path.join(scratch, "slice.elf"), paths[0]], capture_output=True, text=True)
    common.expect(name + ": a slice is refused", (refused.returncode, "ran in the kernel" in refused.stderr), (2, True))
    return len(paths)


def check_whole(qemu, plugins, scratch, program):
    """From the first instruction on, as QEMU's own plugin counts them, where it was built beside QEMU."""
    own, log = tools.own_counter(qemu), os.path.join(scratch, "own.log")
    more = ("-plugin", own, "-d", "plugin", "-D", log) if own else ()
    folder, counted = record(qemu, plugins, scratch, program, "whole", "neoverse-n1", ("from=start", "interval=10000"), more)
    common.expect("whole: streams", tools.counts_of(tools.check("whole", folder, True)), counted)
    if own:
        common.expect("whole: instructions, as QEMU's own plugin counts them", sum(n for n, _ in counted), tools.own_count(log))
    return 2


def last_opcode(events, at):
    return next(event[3] for event in reversed(events[:at]) if event[0] == "i")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        plugins = tools.built(scratch), tools.counter(scratch)
        qemu = tools.system_emulator()
        if not qemu:
            common.skip("no qemu-system-aarch64 of version 9.2 or newer (QEMU_SYSTEM_AARCH64)")
        if not tools.CC:
            common.skip("no compiler for AArch64")
        program = tools.compile_program(scratch, "machine", os.path.join(tools.PROGRAMS, "machine.S"), "-nostdlib", "-static",
                                        "-Wl,--no-warn-rwx-segments,-N,-Ttext=0x40100000,--build-id=none",
                                        "-DTIMES=%d" % TIMES)
        check_refusal(qemu, plugins, scratch, program)
        ran = check_whole(qemu, plugins, scratch, program)
        ran += sum(check_run(qemu, plugins, scratch, program, row) for row in RUNS)
    common.finish(ran, "streams")


if __name__ == "__main__":
    main()
