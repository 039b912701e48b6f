#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/qemu-xtrace-plugin: it builds where there is a qemu-plugin.h of version 4 (QEMU_PLUGIN_INCLUDE, or where
distributions put it), and, where a qemu-aarch64 that loads plugins is named by QEMU_AARCH64, records the programs of the
shared corpus as the corpus has them: the same instructions and tokens, clean under `check`."""
import ctypes
import glob
import os
import re
import subprocess
import tempfile

import xtrace_model as model
from common import ROOT, command, expect, fail, failures, finish, skip, tool

FOLDER = os.path.join(ROOT, "examples", "qemu-xtrace-plugin")
PLACES = [os.environ.get("QEMU_PLUGIN_INCLUDE", ""), "/usr/include", "/usr/include/qemu", "/usr/local/include",
          "/usr/local/include/qemu"]
# Program, pair of the corpus, interval, processor. p4_thr is not here: its threads wait for each other by time.
RUNS = (
    ("p1_recur", "u1-recur-vl128", 1000, "cortex-a72"),
    ("p2_sys", "u2-sys-vl128", 500, "cortex-a72"),
    ("p3_simd", "u3-simd-vl128", 1000000, "cortex-a72"),
    ("p1_recur", "u7-recur-vl2048", 2000, "max,sve-default-vector-length=256"),
    ("p8_sve", "u8-sve-vl256", 100, "max,sve256=on,sve-default-vector-length=32"),
)


def header():
    for place in PLACES:
        path = os.path.join(place, "qemu-plugin.h")
        if place and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                version = re.search(r"#define QEMU_PLUGIN_VERSION (\d+)", file.read())
            if version and int(version[1]) >= 4:
                return place
    return None


def build(include, folder):
    done = subprocess.run(["make", "-C", FOLDER, "-s", "BUILD=" + folder, "QEMU_INCLUDE=" + include,
                           "CFLAGS=-O2 -Wall -Wextra -Wshadow -Werror"], capture_output=True, text=True)
    if done.returncode:
        fail("the plugin does not build:", done.stdout, done.stderr)
    return os.path.join(folder, "xtrace.so")


def tokens(stream):
    """How many of each; calls of the kernel may differ in their vectors' places only."""
    counts = {}
    for event in stream.events:
        key = event[:2] if event[0] in "as" else event[:1]
        counts[key] = counts.get(key, 0) + 1
    return counts


def record(qemu, plugin, folder, program, pair, interval, processor):
    os.mkdir(folder)
    done = subprocess.run([qemu, "-cpu", processor, "-plugin",
                           "%s,out=%s,interval=%d,stamp=20251120130000" % (plugin, folder, interval),
                           os.path.join(model.PAIRS, "elf", program)], capture_output=True, text=True)
    if done.returncode:
        fail(program, "ends with", done.returncode, done.stderr)
        return
    (mine,) = [model.Stream(path) for path in glob.glob(folder + "/*.xinsndata.bin")]
    (theirs,) = [model.Stream(path) for path in glob.glob(os.path.join(model.PAIRS, pair, "*.xinsndata.bin"))]
    expect(pair + ": instructions", mine.instructions(), theirs.instructions())
    expect(pair + ": tokens", tokens(mine), tokens(theirs))
    expect(pair + ": snapshots", [(s["user"], s["total"], s["offset"]) for s in mine.snapshots],
           [(s["user"], s["total"], s["offset"]) for s in theirs.snapshots])
    checked = subprocess.run([command(), "check", mine.path], capture_output=True, text=True)
    given = subprocess.run([command(), "check", theirs.path], capture_output=True, text=True)
    expect(pair + ": check", rules(checked.stdout), rules(given.stdout))


def rules(text):
    return sorted(line.split()[0] for line in text.splitlines())


# Instruction, what was loaded, the registers Rs, Rs + 1, Rt, Rt + 1, what is stored: by the Arm Architecture Reference
# Manual, section C6.2. The first eight are those of corpus/defects/xtrace/lse.
ATOMICS = (
    (0xf8200000, 0xf0f0, (0x0ff3, 0, 0, 0), 0x100e3, 8),                          # LDADD
    (0xf8201000, 0xf0f1, (0x0ff3, 0, 0, 0), 0xf000, 8),                           # LDCLR
    (0xf8203000, 0xf0f2, (0x0ff3, 0, 0, 0), 0xfff3, 8),                           # LDSET
    (0xf8202000, 0xf0f3, (0x0ff3, 0, 0, 0), 0xff00, 8),                           # LDEOR
    (0xf8204000, 0xf0f4, (0x0ff3, 0, 0, 0), 0xf0f4, 8),                           # LDSMAX
    (0xf8207000, 0xf0f5, (0x0ff3, 0, 0, 0), 0x0ff3, 8),                           # LDUMIN
    (0xf8208000, 0xf0f6, (0x0ff3, 0, 0, 0), 0x0ff3, 8),                           # SWP
    (0xc8a07c00, 0xf0f7, (0xf0f7, 0, 0x0ff3, 0), 0x0ff3, 8),                      # CAS
    (0xc8a07c00, 0x0ff3, (1, 0, 0x0ff3, 0), 0x0ff3, 8),                           # CAS that fails
    (0xc8a07c00, 0x1234, (1, 0, 0x0ff3, 0), 0x1234, 8),
    (0x38200000, 0xff, (0x102, 0, 0, 0), 0x01, 1),                                # LDADDB
    (0x38205000, 0x80, (0x7f, 0, 0, 0), 0x80, 1),                                 # LDSMINB
    (0x78206000, 0x8000, (0x17fff, 0, 0, 0), 0x8000, 2),                          # LDUMAXH
    (0xb8205000, 0xffffffff, (1, 0, 0, 0), 0xffffffff, 4),                        # LDSMIN, 32 bits
    (0x08207c00, 2 << 32 | 1, (1, 2, 3, 4), 4 << 32 | 3, 8),                      # CASP of W registers
    (0x48207c00, 2 << 64 | 1, (1, 2, 3, 4), 4 << 64 | 3, 16),                     # CASP of X registers
    (0x48207c00, 2 << 64 | 1, (1, 9, 3, 4), 2 << 64 | 1, 16),
)


def check_atomics(folder):
    library = os.path.join(folder, "atomics.so")
    done = subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", library,
                           os.path.join(FOLDER, "atomics.c")], capture_output=True, text=True)
    if done.returncode:
        fail("atomics.c does not build:", done.stderr)
        return
    stores = ctypes.CDLL(library).atomic_stores
    for opcode, old, operands, wanted, size in ATOMICS:
        stored = (ctypes.c_uint8 * 16)()
        stores(ctypes.c_uint32(opcode), (ctypes.c_uint8 * 16)(*old.to_bytes(16, "little")),
               (ctypes.c_uint64 * 4)(*operands), stored)
        expect("%08x stores" % opcode, int.from_bytes(bytes(stored)[:size], "little"), wanted)


with tempfile.TemporaryDirectory() as scratch:
    check_atomics(scratch)
place = header()
if not place and failures:
    finish(0, "steps")
if not place:
    skip("no qemu-plugin.h of version 4")
if not tool("make") or not tool("pkg-config") or subprocess.run(["pkg-config", "--exists", "glib-2.0"]).returncode:
    skip("no make, or no glib")
emulator = os.environ.get("QEMU_AARCH64")
ran = 0
with tempfile.TemporaryDirectory() as scratch:
    plugin = build(place, scratch)
    if emulator and os.path.isdir(model.PAIRS) and os.path.exists(plugin):
        for row in RUNS:
            record(emulator, plugin, os.path.join(scratch, row[1]), *row)
            ran += 1
print("built%s" % ("" if ran else "; no QEMU_AARCH64 to run it"))
finish(1 + ran, "steps")
