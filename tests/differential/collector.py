#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/qemu-xtrace-plugin: it builds everywhere, and with QEMU's own header where that is (QEMU_PLUGIN_INCLUDE, or
where it is installed); and, where a qemu-aarch64 loads it (QEMU_AARCH64, or the one of PATH), records the program in
tests/golden/xtrace, and those of the shared corpus, as they are there: the same instructions and tokens, clean under
`check`."""
import ctypes
import glob
import os
import subprocess
import tempfile

import collector_tools as tools
import emulators
import xtrace_model as model
from common import command, expect, fail, finish, tool

# Program, pair of the corpus, interval, processor. p4_thr is not here: its threads wait for each other by time.
RUNS = (
    ("p1_recur", "u1-recur-vl128", 1000, "cortex-a72"),
    ("p2_sys", "u2-sys-vl128", 500, "cortex-a72"),
    ("p3_simd", "u3-simd-vl128", 1000000, "cortex-a72"),
    ("p1_recur", "u7-recur-vl2048", 2000, "max,sve-default-vector-length=256"),
    ("p8_sve", "u8-sve-vl256", 100, "max,sve256=on,sve-default-vector-length=32"),
)


def tokens(stream):
    """How many of each; calls of the kernel may differ in their vectors' places only."""
    counts = {}
    for event in stream.events:
        key = event[:2] if event[0] in "as" else event[:1]
        counts[key] = counts.get(key, 0) + 1
    return counts


def record(qemu, plugin, folder, program, pair, interval, processor):
    done = emulators.run([qemu, "-cpu", processor, "-plugin",
                          "%s,out=%s,interval=%d,stamp=20251120130000" % (plugin, folder, interval),
                          os.path.join(model.PAIRS, "elf", program)], clear=lambda: emulators.empty(folder))
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
                           os.path.join(tools.FOLDER, "atomics.c")], capture_output=True, text=True)
    if done.returncode:
        fail("atomics.c does not build:", done.stderr)
        return
    stores = ctypes.CDLL(library).atomic_stores
    for opcode, old, operands, wanted, size in ATOMICS:
        stored = (ctypes.c_uint8 * 16)()
        stores(ctypes.c_uint32(opcode), (ctypes.c_uint8 * 16)(*old.to_bytes(16, "little")),
               (ctypes.c_uint64 * 4)(*operands), stored)
        expect("%08x stores" % opcode, int.from_bytes(bytes(stored)[:size], "little"), wanted)


def record_golden(qemu, plugin, folder):
    """The same as when it was first recorded, but for where the stack is."""
    emulators.run([qemu, "-cpu", "cortex-a72", "-plugin", "%s,out=%s,interval=200,stamp=20260101000000" %
                   (plugin, folder), tools.SMALL], clear=lambda: emulators.empty(folder), check=True)
    (path,) = tools.streams(folder)
    mine, theirs = model.Stream(path), model.Stream(os.path.join(model.GOLDEN, os.path.basename(path)))
    expect("golden: instructions", mine.instructions(), theirs.instructions())
    expect("golden: tokens", tokens(mine), tokens(theirs))
    expect("golden: snapshots", [(s["user"], s["total"], s["offset"]) for s in mine.snapshots],
           [(s["user"], s["total"], s["offset"]) for s in theirs.snapshots])


def record_nothing(qemu, plugin, folder):
    """A program that executes no marker: the collector says why there is no stream."""
    if not tools.CC:
        return 0
    os.mkdir(folder)
    program = os.path.join(folder, "ends")
    source = "    .global _start\n_start: mov x8, #93\n    mov x0, #0\n    svc #0\n"
    subprocess.run([tools.CC, "-nostdlib", "-static", "-x", "assembler", "-", "-o", program], input=source, text=True,
                   check=True)
    done = emulators.run([qemu, "-plugin", "%s,out=%s" % (plugin, folder), program])
    expect("nothing recorded", (done.returncode, tools.streams(folder)), (0, []))
    expect("nothing recorded: said", "no HINT #9 was executed; from=start" in done.stderr, True)
    return 1


def record_to_folder(qemu, plugin, folder):
    """The folder of out= is made; where it cannot be, nothing is executed, and one line says why."""
    os.mkdir(folder)
    for name, status in (("made", 0), ("none/made", 1)):
        done = emulators.run([qemu, "-plugin", "%s,out=%s" % (plugin, name), tools.SMALL], cwd=folder)
        expect("out=" + name, (done.returncode, len(tools.streams(os.path.join(folder, name)))), (status, 1 - status))
        expect("out=%s: what is said of it" % name, done.stderr.count("No such file or directory"), status)
    return 1


def build_with_header(scratch):
    """QEMU's own declarations, where they are, are those of qemu.h."""
    place = tools.header()
    if not place or not tool("pkg-config") or subprocess.run(["pkg-config", "--exists", "glib-2.0"]).returncode:
        print("not built with QEMU's own header: no qemu-plugin.h of version 4, or no glib")
        return 0
    os.mkdir(scratch)
    return 1 if tools.build(scratch, "QEMU_INCLUDE=" + place) else 0


def main():
    with tempfile.TemporaryDirectory() as scratch:
        check_atomics(scratch)
        plugin = tools.built(scratch)
        ran = 2 + build_with_header(os.path.join(scratch, "header"))
        emulator = tools.user_emulator(plugin, scratch)
        if emulator:
            record_golden(emulator, plugin, os.path.join(scratch, "small"))
            ran += 1 + record_nothing(emulator, plugin, os.path.join(scratch, "nothing"))
            ran += record_to_folder(emulator, plugin, os.path.join(scratch, "folder"))
            for row in RUNS if os.path.isdir(model.PAIRS) else ():
                record(emulator, plugin, os.path.join(scratch, row[1]), *row)
                ran += 1
        else:
            print("nothing recorded: no qemu-aarch64 that loads the plugin (QEMU_AARCH64)")
    finish(ran, "steps")


main()
