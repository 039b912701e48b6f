# SPDX-License-Identifier: Apache-2.0
"""Streams of xtrace of a program that never was: it calls, returns, jumps into other functions, is interrupted, leaves many
frames at once, and most of its code is first met in the middle. What is written follows docs/formats/xtrace.md."""
import os
import struct

ALU, CONDITIONAL, CALL, CALL_REGISTER, RETURN, TAIL, BRANCH, TRAP = range(8)
KINDS = 12 * [ALU] + 5 * [CONDITIONAL] + 3 * [CALL] + [CALL_REGISTER] + 4 * [RETURN] + [TAIL] + [BRANCH] + [TRAP]
CODE, SIZE = 0x400000, 0x400
HANDLER = 0xffff800008010000
ADD, NOT_EQUAL_8, BLR, RET, BR, SVC, ERET = 0x91000400, 0x54000041, 0xd63f0040, 0xd65f03c0, 0xd61f0200, 0xd4000001, 0xd69f03e0
PUSH, POP, MOVE_SP = 0xf81f0ffe, 0xf84107fe, 0x9100005f
DEEPEST = 300


class Walk:
    """Tokens of one thread, and where its snapshots were taken."""

    def __init__(self, rng, functions):
        self.rng, self.functions = rng, functions
        self.tokens, self.snapshots = bytearray(), []
        self.executed, self.pc, self.begins = 0, None, True
        self.sp, self.frames = 0x7ffffff000, []  # (address behind the call, SP of the caller)
        self.code = {}

    def put(self, pc, opcode, level=0):
        if self.begins or pc != self.pc + 4:
            self.tokens += struct.pack("<BQI", level << 6 | 9, pc, opcode)
        else:
            self.tokens += struct.pack("<BI", level << 6 | 1, opcode)
        self.begins, self.pc = False, pc
        self.executed += 1

    def target(self, pc):
        self.tokens += struct.pack("<BQ", 0x2b, pc)

    def access(self, store, address):
        self.tokens += struct.pack("<BQQ", 0x3a if store else 0x32, address, address * 3 % 1000)

    def entry(self):
        return CODE + SIZE * self.rng.randrange(self.functions)

    def place(self, pc):
        """What stands at an address: the same whenever it is executed."""
        if pc not in self.code:
            last = pc % SIZE >= SIZE - 8
            kind = RETURN if last else self.rng.choice(KINDS)
            self.code[pc] = kind, self.entry()
        return self.code[pc]

    def enter(self, pc, back):
        """The callee keeps X30 on its stack."""
        self.frames.append((back, self.sp))
        self.put(pc, PUSH)
        self.sp -= 16
        self.access(True, self.sp)
        return pc + 4

    def leave(self, pc):
        if not self.frames:
            return self.enter(self.entry(), 0x3ff000)
        back, sp = self.frames.pop()
        self.put(pc, POP)
        self.access(False, self.sp)
        self.sp = sp
        self.put(pc + 4, RET)
        self.target(back)
        return back

    def tail_call(self, pc, to):
        if not self.frames:
            return self.leave(pc)
        back, sp = self.frames.pop()
        self.put(pc, POP)
        self.access(False, self.sp)
        self.sp = sp
        self.put(pc + 4, 0x14000000 | ((to - pc - 4) >> 2 & 0x3ffffff))
        return self.enter(to, back)

    def unwind(self, pc):
        """As longjmp does: SP is set, and many frames are left."""
        if len(self.frames) < 3:
            return pc
        del self.frames[-self.rng.randrange(1, len(self.frames) - 1):]
        back, sp = self.frames.pop()
        self.put(pc, MOVE_SP)
        self.put(pc + 4, BR)
        self.sp = sp
        self.target(back)
        return back

    def interrupt(self, pc):
        for i in range(self.rng.randrange(2, 9)):
            self.put(HANDLER + 4 * i, ADD, 1)
        self.put(self.pc + 4, ERET, 1)
        self.target(pc)
        return pc

    def step(self, pc):
        kind, to = self.place(pc)
        if self.rng.random() < 0.002:
            return self.interrupt(pc)
        if self.rng.random() < 0.0005:
            return self.unwind(pc)
        if kind == RETURN or (len(self.frames) > DEEPEST and kind in (CALL, CALL_REGISTER)):
            return self.leave(pc)
        if kind == ALU:
            self.put(pc, ADD)
        elif kind == CONDITIONAL:
            self.put(pc, NOT_EQUAL_8)
            return pc + 8 if self.rng.random() < 0.5 else pc + 4
        elif kind == CALL:
            self.put(pc, 0x94000000 | ((to - pc) >> 2 & 0x3ffffff))
            return self.enter(to, pc + 4)
        elif kind == CALL_REGISTER:
            to = self.entry()
            self.put(pc, BLR)
            self.target(to)
            return self.enter(to, pc + 4)
        elif kind == TAIL:
            return self.tail_call(pc, to)
        elif kind == BRANCH:
            to = pc // SIZE * SIZE + 4 * self.rng.randrange(2, SIZE // 4 - 4)
            self.put(pc, BR)
            self.target(to)
            return to
        else:
            self.put(pc, SVC)
        return pc + 4

    def run(self, instructions, interval):
        pc, wanted = self.entry() + 8, 0
        while self.executed < instructions:
            if self.executed >= wanted:
                self.snapshots.append((len(self.tokens), self.executed, self.sp))
                self.begins = True
                wanted += interval
            pc = self.step(pc)
        return self


def snapshot_file(walk, times):
    """A header, and records of vectors of 128 bits, of which only SP is not 0."""
    out = bytearray(struct.pack("<4sIQII", b"XTR1", 0, 1, 0, 0))
    for turn in range(times):
        for offset, executed, sp in walk.snapshots:
            offset, executed = offset + turn * len(walk.tokens), executed + turn * walk.executed
            out += struct.pack("<4Q", 0, offset, executed, executed) + bytes(8 * 31) + struct.pack("<Q", sp)
            out += bytes(32 * 16 + 17 * 16 + 16 * 16 + 88) + struct.pack("<Q", 128)
    return out


def write_pair(folder, number, walk, times=1):
    """A stream, so many times one behind the other, and its snapshots; the path of the stream."""
    path = os.path.join(folder, "xtrace.20251120130000.%d.hint9.xinsndata.bin" % number)
    with open(path, "wb") as file:
        for _ in range(times):
            file.write(walk.tokens)
    with open(path.replace("xinsndata", "xsnapshot"), "wb") as file:
        file.write(snapshot_file(walk, times))
    return path
