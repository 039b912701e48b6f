#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""etm.py TRACELATHE: what a program executed, as an ETMv4 trace, against QEMU's log of the same run.

A program runs once, by qemu-aarch64 with -d in_asm,exec,nochain. A trace unit that is written here makes a trace of the
instructions in the log: with a return stack and without, alone and in frames with a second source, with context IDs and
without. Reports, stacks, calls and analyses of the trace and of the log have to be the same, and neither has executed
anything that the other has not. Needed: qemu-aarch64 and aarch64-linux-gnu-gcc.
"""
import os
import re
import shutil
import subprocess
import tempfile

import common
import emulators
from common import expect, fail, finish, skip

QEMU = os.environ.get("QEMU_AARCH64") or shutil.which("qemu-aarch64")
CC = os.environ.get("AARCH64_CC") or shutil.which("aarch64-linux-gnu-gcc")
C = r"""
#include <stdlib.h>
static volatile int sink;
__attribute__((noinline)) int leaf(int x) { return x * 3 + 1; }
__attribute__((noinline)) int middle(int x) { int s = 0; for (int i = 0; i < 3; i++) s += leaf(x + i); return s; }
__attribute__((noinline)) int deep(int n) { return n < 2 ? 1 : n + deep(n - 1); }
__attribute__((noinline)) int by_pointer(int (*f)(int), int x) { return f(x) + 1; }
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv)
{
	int numbers[40];

	for (int i = 0; i < 40; i++)
		numbers[i] = i * 7919 % 101;
	qsort(numbers, 40, sizeof(int), order);
	for (int i = 0; i < 5; i++)
		sink += middle(i) + deep(30 + argc);
	for (int i = 0; i < 4; i++)
		sink += by_pointer(leaf, i) + by_pointer(middle, i);
	return numbers[0];
}
"""
TRACE = re.compile(r"^Trace (\d+): 0x[0-9a-f]+ \[[0-9a-f]+/([0-9a-f]+)/")
TEXT = re.compile(r"^0x([0-9a-f]+):  ([0-9a-f]{8})  ")


def executed(path):
    """(PC, opcode) in the order of execution: blocks by the last text of their address."""
    blocks, block, order = {}, None, []
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in log:
            if line.startswith("IN:"):
                block = []
            elif block is not None and TEXT.match(line):
                address, opcode = TEXT.match(line).groups()
                if not block:
                    blocks[int(address, 16)] = block
                block.append((int(address, 16), int(opcode, 16)))
            elif line.startswith("Trace "):
                order += blocks[int(TRACE.match(line).group(2), 16)]
                block = None
    return order


# ---- a trace unit ----

def is_direct(op):
    """B and BL; B.cond, CBZ, CBNZ, TBZ, TBNZ."""
    return op >> 26 & 0x1f == 5, op >> 24 == 0x54 or op >> 25 & 0x3f in (0x1a, 0x1b)


def is_indirect(op):
    """BR, BLR and RET, with pointer authentication, too."""
    return op >> 25 == 0x6b and op >> 21 & 15 in (0, 1, 2, 8, 9)


def is_call(op):
    return op >> 26 == 0x25 or (is_indirect(op) and op >> 21 & 7 == 1)


class Unit:
    def __init__(self, returns, context):
        self.out, self.atoms, self.returns, self.stack, self.context = bytearray(), [], returns, [], context

    def flush(self):
        """Atoms, three a packet, or runs of E."""
        while self.atoms:
            run = 0
            while run < min(len(self.atoms), 24) and self.atoms[run]:
                run += 1
            if run >= 4:
                self.out.append(0xc0 + run - 4)
                del self.atoms[:run]
            else:
                some = self.atoms[:3]
                self.out.append((0xf6, 0xd8, 0xf8)[len(some) - 1] | sum(bit << i for i, bit in enumerate(some)))
                del self.atoms[:3]

    def address(self, pc, header=0x9d):
        self.flush()
        self.out += bytes([header, pc >> 2 & 127, pc >> 9 & 127]) + (pc >> 16).to_bytes(6, "little")

    def begin(self, pc):
        """A-Sync, a Trace Info, and where execution is."""
        self.flush()
        self.out += bytes(11) + b"\x80\x01\x00"
        self.stack = []
        self.address(pc, 0x85)
        self.out += b"\x30" if self.context is None else b"\xb0" + self.context.to_bytes(4, "little")

    def executed(self, pc, op, following):
        always, conditional = is_direct(op)
        if op & 0xfffff0ff == 0xd50330df:  # ISB
            self.atoms.append(1)
        if conditional:
            self.atoms.append(int(following != pc + 4))
        elif always or is_indirect(op):
            self.atoms.append(1)
        if is_call(op) and self.returns:
            self.stack = (self.stack + [pc + 4])[-15:]
        if is_indirect(op):
            if not is_call(op) and self.stack and self.stack[-1] == following:
                self.stack.pop()
            else:
                self.address(following)


def trace(order, returns, context):
    unit = Unit(returns, context)
    unit.begin(order[0][0])
    for i, (pc, op) in enumerate(order):
        following = order[i + 1][0] if i + 1 < len(order) else pc + 4
        unit.executed(pc, op, following)
        if i % 5000 == 4999 and i + 1 < len(order):
            # What is behind the last branch has no atom yet: an exception, and back.
            unit.flush()
            unit.out += b"\x06\x1d"
            unit.address(following)
            unit.out.append(4)
            unit.begin(following)
    # What ran up to the end has none, either.
    unit.flush()
    unit.out += b"\x06\x1d"
    unit.address(order[-1][0] + 4)
    return bytes(unit.out)


def frames(sources):
    """Sources in turns of 14 bytes: an ID, and so many bytes of it, of which the even ones have their lowest bit behind."""
    out, at = bytearray(), {name: 0 for name in sources}
    while any(at[name] < len(data) for name, data in sources.items()):
        for name, data in sources.items():
            piece = data[at[name]:at[name] + 14]
            at[name] += 14
            if not piece:
                continue
            frame = bytearray([name << 1 | 1]) + piece
            frame += bytes([1] if len(frame) % 2 == 0 and len(frame) < 15 else [])  # ID 0: nothing behind
            if len(frame) < 15 and not frame[-1] == 1:
                # An odd number of bytes is left: ID 0 takes effect behind one more, which is this source's.
                frame = bytearray([name << 1 | 1]) + piece[:-1] + bytes([1, piece[-1]])
                late = len(frame) - 2
            else:
                late = None
            frame += bytes(15 - len(frame))
            low = 0
            for i in range(0, 15, 2):
                is_data = 0 < i < 1 + len(piece) and not (late is not None and i >= late)
                if is_data:
                    low |= (frame[i] & 1) << i // 2
                    frame[i] &= 0xfe
                elif i == late:
                    low |= 1 << i // 2
            out += frame + bytes([low])
    return bytes(out)


# ---- what is compared ----

QUESTIONS = (["report", "--csv"], ["stacks"], ["tree", "--top-down"], ["tree", "--callers"], ["dump", "--calls"],
             ["convert", "--to", "callgrind"], ["analyze", "--mix"], ["analyze", "--branches"], ["dump", "--instructions", "--json"])


def without_names(text):
    """Formats and creators say which input it was."""
    return re.sub(r"(?m)^(creator|cmd|desc): .*$|insn-log|etm", "", text)


# These name the stream, which has the ID of its source.
NAMING = (["dump", "--calls"], ["convert", "--to", "callgrind"], ["analyze", "--branches"])


def check_same(program, log, path, what, *options):
    for question in QUESTIONS:
        if options and question in NAMING:
            continue
        wanted, got = (without_names(common.run(*question, "--binary", program, *more)) for more in ([log], [*REGISTERS, *options, path]))
        expect("%s of %s" % (" ".join(question), what), got.splitlines(), wanted.splitlines())


# Of the unit that trace() writes as. Without them they are assumed, which is told, with status 1.
REGISTERS = ("--trcidr0", "0x28000ea1", "--trcidr1", "0x4100f403", "--trcidr2", "0x488", "--trcconfigr", "0x18c1")


def main():
    if not QEMU or not CC:
        skip("no qemu-aarch64 or aarch64-linux-gnu-gcc")
    with tempfile.TemporaryDirectory() as folder:
        program, log = os.path.join(folder, "program"), os.path.join(folder, "log")
        open(program + ".c", "w").write(C)
        if subprocess.run([CC, "-static", "-O1", "-fno-optimize-sibling-calls", "-o", program, program + ".c"]).returncode:
            skip("no static programs of AArch64 can be made")
        emulators.run([QEMU, "-d", "in_asm,exec,nochain", "-D", log, program])
        order = executed(log)
        count = 0
        for returns in (True, False):
            data = trace(order, returns, None)
            path = os.path.join(folder, "trace")
            open(path, "wb").write(data)
            check_same(program, log, path, "a trace of %d bytes" % len(data))
            flow = common.run("diff", "--flow", "--binary", program, *REGISTERS, "--format", "etm", path, path, status=(0,))
            if not flow:
                fail("diff --flow says nothing")
            count += len(QUESTIONS)
        # Two sources: the one is chosen by its ID, or both are there, each as a stream of its own.
        open(path, "wb").write(frames({0x10: data, 0x12: trace(order[:3000], True, None)}))
        check_same(program, log, path, "a source in frames", "--trctraceidr", "0x10")
        rows = common.report("--binary", program, *REGISTERS, path)
        expect("instructions of two sources", sum(int(r["Ir:self"]) for r in rows), len(order) + 3000)
        # A stream for each context ID.
        half = len(order) // 2
        open(path, "wb").write(trace(order[:half], True, 71) + trace(order[half:], True, 72))
        rows = common.report("--binary", program, *REGISTERS, "--threads", path)
        by_thread = {t: sum(int(r["Ir:self"]) for r in rows if r["thread"] == t) for t in {r["thread"] for r in rows}}
        expect("instructions of two contexts", by_thread, {"71": half, "72": len(order) - half})
        common.run("report", "--binary", program, *REGISTERS[2:], path, status=(1,))
        # Without the program nothing is known.
        common.run("report", path, status=(2,))
        # A program of another machine is none that it was executed of.
        done = subprocess.run([common.command(), "report", "--binary", QEMU, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        expect("status with a program of another machine", done.returncode, 2)
    finish(count, "traces")


main()
