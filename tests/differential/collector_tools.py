# SPDX-License-Identifier: Apache-2.0
"""The collector of examples/qemu-xtrace-plugin for the tests: it is built, and a QEMU that loads it is looked for."""
import glob
import os
import re
import shutil
import subprocess

import common
import emulators
import xtrace_model as model

FOLDER = os.path.join(common.ROOT, "examples", "qemu-xtrace-plugin")
PROGRAMS = os.path.join(common.ROOT, "tests", "differential", "collected")
SMALL = os.path.join(common.ROOT, "tests", "golden", "xtrace", "small.elf")
CC = os.environ.get("AARCH64_CC") or shutil.which("aarch64-linux-gnu-gcc")
MARKER = 0x91048d29  # ADD X9, X9, #0x123
# How many of them each process of collected/processes.c executes: the parent, its first child, the one that executes a
# program, that program and its child, the last child.
PROCESSES = 14, 12, 0, 32, 17, 0
# Where QEMU's own header may be.
HEADERS = [os.environ.get("QEMU_PLUGIN_INCLUDE", ""), "/usr/include", "/usr/include/qemu", "/usr/local/include",
           "/usr/local/include/qemu"]


def header():
    """The folder of a qemu-plugin.h of version 4 or newer."""
    for place in HEADERS:
        path = os.path.join(place, "qemu-plugin.h")
        if place and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                version = re.search(r"#define QEMU_PLUGIN_VERSION (\d+)", file.read())
            if version and int(version[1]) >= 4:
                return place
    return None


def build(folder, *options):
    """The collector, in this folder; None: it does not build, which is a failure."""
    done = subprocess.run(["make", "-C", FOLDER, "-s", "BUILD=" + folder, *options,
                           "CFLAGS=-O2 -Wall -Wextra -Wshadow -Wconversion -Werror"], capture_output=True, text=True)
    if done.returncode:
        common.fail("the collector does not build:", done.stdout, done.stderr)
        return None
    return os.path.join(folder, "xtrace.so")


def built(folder):
    """The same, or an end of the test."""
    if not common.tool("make"):
        common.skip("no make")
    return build(folder) or common.finish(0, "steps")


def counter(folder):
    """The plugin that counts instructions, independently of the collector."""
    path = os.path.join(folder, "counter.so")
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", path, os.path.join(PROGRAMS, "counter.c")], check=True)
    return path


def own_counter(qemu):
    """QEMU's plugin that counts all instructions, where it was built beside this QEMU."""
    path = os.path.join(os.path.dirname(os.path.realpath(qemu)), "tests", "tcg", "plugins", "libinsn.so")
    if os.path.exists(path):
        return path
    print("counts are not held against QEMU's own plugin: no", path)
    return None


def own_count(log):
    """What that plugin has written there by `-d plugin -D FILE`."""
    with open(log, encoding="utf-8") as file:
        return int(re.search(r"total insns: (\d+)", file.read())[1])


def streams(folder):
    return sorted(glob.glob(os.path.join(folder, "*.xinsndata.bin")))


def user_emulator(plugin, scratch):
    """A qemu-aarch64 that records with the plugin: QEMU_AARCH64's, else the one of PATH."""
    for qemu in (os.environ.get("QEMU_AARCH64"), shutil.which("qemu-aarch64")):
        folder = os.path.join(scratch, "probe")
        emulators.empty(folder)
        if qemu and emulators.run([qemu, "-plugin", "%s,out=%s" % (plugin, folder), SMALL]).returncode == 0 and streams(folder):
            return qemu
    return None


def system_emulator():
    """A qemu-system-aarch64 of version 9.2 or newer: QEMU_SYSTEM_AARCH64's, else the one of PATH."""
    for qemu in (os.environ.get("QEMU_SYSTEM_AARCH64"), shutil.which("qemu-system-aarch64")):
        told = qemu and subprocess.run([qemu, "--version"], capture_output=True, text=True).stdout
        version = re.search(r"version (\d+)\.(\d+)", told or "")
        if version and (int(version[1]), int(version[2])) >= (9, 2):
            return qemu
    return None


def compile_program(scratch, name, source, *flags):
    program = os.path.join(scratch, name)
    subprocess.run([CC, "-O2", *flags, "-o", program, source], check=True)
    return program


def check(name, folder, unordered=False):
    """No violations in all streams together. Without TIME, what threads found of each other is told, as no violation."""
    paths = streams(folder)
    said = common.run("check", *paths, status=(0,)).splitlines()
    common.expect(name + " is good", [line for line in said if not unordered or "with TIME" not in line], [])
    common.run("report", *paths, status=(0,))
    return paths


def counts_of(paths):
    found = []
    for path in paths:
        opcodes = [event[3] for event in model.Stream(path).instructions()]
        found.append((len(opcodes), opcodes.count(MARKER)))
    return sorted(found)


def steps_of(streams, at, size):
    """What is stored at an address by instructions that load there, too: (loaded, stored, TIME); a compare-and-swap that
    failed stores what it has loaded, a store exclusive that failed nothing."""
    found = []
    for stream in streams:
        loaded = time = None
        for event in stream.events:
            if event[0] == "i":
                loaded = time = None
            elif event[0] == "t":
                time = event[1]
            elif event[0] == "a" and event[2] == at and len(event[3]) == size:
                if event[1] and loaded is not None:
                    found.append((loaded, event[3], time))
                loaded = event[3]
    return found


def check_chain(name, steps, last, timed):
    """The first value is 0, each is what the step before has left, and the last one is what the program prints."""
    changes = {loaded: (stored, time) for loaded, stored, time in steps if stored != loaded}
    common.expect(name + " has each value once", len(changes), sum(1 for loaded, stored, _ in steps if stored != loaded))
    at, seen, times = bytes(len(steps[0][0])), 0, []
    while at in changes:
        at, time = changes[at]
        times.append(time)
        seen += 1
    common.expect(name + " is one chain", seen, len(changes))
    common.expect(name + " ends", int.from_bytes(at[:8], "little"), last)
    if timed:
        common.expect(name + " has the order of TIME", times, sorted(times))
    # What failed has found what was there at some time.
    common.expect(name + " fails with values of the chain",
                  {loaded for loaded, stored, _ in steps if stored == loaded} <= set(changes) | {at}, True)
