#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults planted into good traces: `check` must find at least 95 % of each kind, and nothing in the good ones.

  xtrace_faults.py PROGRAM [TIMES [KINDS]]   so many faults of each kind in each of four traces (default: 1);
                                             KINDS: a pattern that the name of a kind has (default: all)

Of some kinds a fault may be one that nothing in the trace says otherwise of (docs/formats/xtrace.md, section 5): UNSEEN
proves it of each that was not found, and these do not count; nor may one be found of which that is so. Without a
disassembler SEEN has what is demanded of them. A fault is planted where the kind can be; offsets of snapshots move with what is inserted and left out,
so that only the fault itself can be found."""
import glob
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import common
import xtrace_visible as visible

GOLDEN = os.path.join(common.ROOT, "tests", "golden", "xtrace")
TRACES = ("u1-recur-vl128", "u2-sys-vl128", "k1-core-el01", "u4-thr-time")
# More of the kinds that move nothing: programs with signals, a JIT, threads, system calls that map, optional instructions.
LOADED = ("u3-simd-vl128", "u8-sve-vl256", "jumps", "jit", "remap", "futexes", "signed-pointers", "crypto", "scalable", "lengths", "copies", "tags")
ALSO = {"load's value: a bit": LOADED}
LEAST = 0.95
# What cannot always be seen: the least share that is demanded where UNSEEN cannot tell.
SEEN = {
    "opcode, not executed again: a bit": 0.6,
    "opcode, not executed again: of another": 0.75,
}
HEADER, RECORD = 24, 1424
FLAGS, STXR, MRS, SVCARG, SVCRET, DC, TARGET_B, ALLGPR, VEC, TIME = \
    0x1c, 0x03, 0x0b, 0x13, 0x1b, 0x23, 0x2b, 0x0c, 0x24, 0x07


def read_tokens(data):
    tokens, at = [], 0
    while at < len(data):
        byte = data[at]
        family = byte & 7
        if family == 1:
            size = 13 if byte & 8 else 5
        elif family == 2:
            size = 9 + (1 << (byte >> 4))
        elif byte == ALLGPR:
            size = 257
        elif byte == VEC:
            size = 9 + 16 * struct.unpack_from("<Q", data, at + 1)[0]
        else:
            size = 9
        tokens.append(bytearray(data[at:at + size]))
        at += size
    return tokens


class Trace:
    def __init__(self, name, folder):
        self.name, self.files, self.listed = name, {}, None
        os.mkdir(folder)
        for packed in sorted(glob.glob(os.path.join(GOLDEN, name, "*.zst"))):
            path = os.path.join(folder, os.path.basename(packed)[:-4])
            subprocess.run(["zstd", "-dqf", packed, "-o", path], check=True)
            os.chmod(path, 0o644)
            with open(path, "rb") as file:
                self.files[path] = file.read()
        self.streams = [path for path in self.files if path.endswith("xinsndata.bin")]
        self.stream = self.streams[0]
        self.snapshots = self.stream.replace("xinsndata", "xsnapshot")
        self.tokens = read_tokens(self.files[self.stream])
        self.offsets, at = [], 0
        for token in self.tokens:
            self.offsets.append(at)
            at += len(token)
        self.again = self.executed_again()
        # Where faults are planted: not in the last instructions, of which the end may be missing.
        self.last = len(self.tokens) - 40

    def registers(self):
        """X0 to X30 and SP by the offset of their snapshot."""
        records = self.files[self.snapshots]
        return {struct.unpack_from("<Q", records, at + 8)[0]: struct.unpack_from("<32Q", records, at + 32)
                for at in range(HEADER, len(records), RECORD)}

    def steps(self):
        if self.listed is None:
            self.listed = visible.steps_of(self)
            self.texts = visible.disassemble(step.opcode for step in self.listed)
        return self.listed

    def executed_again(self):
        """Instructions whose place is executed again, or was before, and nothing could change the code in between."""
        pc, epoch, numbers, again = 0, 0, {}, set()
        for number, token in enumerate(self.tokens):
            if token[0] == SVCARG and is_insn(self.tokens[number - 1]):
                epoch += struct.unpack_from("<Q", token, 1)[0] in MAPS
            if not is_insn(token):
                continue
            pc = struct.unpack_from("<Q", token, 1)[0] if pcinst(token) else pc + 4
            numbers.setdefault((epoch, pc), []).append(number)
            epoch += changes_code(struct.unpack("<I", token[-4:])[0])
        for group in numbers.values():
            again.update(group if len(group) > 1 else ())
        return again

    def places(self, wanted):
        if wanted in (executed_again, executed_once):
            return [i for i in range(1, self.last) if is_insn(self.tokens[i]) and (i in self.again) == (wanted is executed_again)]
        return [i for i in range(1, self.last) if wanted(self.tokens[i])]

    def put(self, tokens, snapshots):
        """tokens: [(old number or None, bytes)]."""
        where, at, parts = {}, 0, []
        for number, data in tokens:
            if number is not None and number not in where:
                where[number] = at
            parts.append(bytes(data))
            at += len(data)
        records = bytearray(snapshots)
        index = {offset: number for number, offset in enumerate(self.offsets)}
        for record in range(HEADER, len(records), RECORD):
            old, = struct.unpack_from("<Q", records, record + 8)
            if old in index:
                number = index[old]
                while number not in where and number + 1 < len(self.tokens):
                    number += 1
                struct.pack_into("<Q", records, record + 8, where.get(number, at))
        for path, data in ((self.stream, b"".join(parts)), (self.snapshots, records)):
            with open(path, "wb") as file:
                file.write(data)

    def check(self):
        return subprocess.run([common.command(), "check", *self.streams], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout


def is_insn(token):
    return token[0] & 7 == 1


# Linux: shmat, shmdt, brk, munmap, mremap, execve, mmap, mprotect, madvise, remap_file_pages, execveat, pkey_mprotect.
MAPS = (196, 197, 214, 215, 216, 221, 222, 226, 233, 234, 281, 288)


def changes_code(opcode):
    """ISB; IC (SYS #op1, C7, C1 and C5); TLBI (C8, C9); MSR of SCTLR, TTBR0, TTBR1, TCR (C1, C2)."""
    op, crn, crm = opcode >> 19, opcode >> 12 & 15, opcode >> 8 & 15
    if op == 0xd508 >> 3:
        return crn in (8, 9) or (crn == 7 and crm in (1, 5))
    return opcode & 0xfffff0ff == 0xd50330df or (op == 0xd518 >> 3 and crn in (1, 2))


def executed_again(token):
    """Trace.places() knows."""
    return is_insn(token)


def executed_once(token):
    return is_insn(token)


def is_load(token):
    return token[0] & 15 == 2


def is_store(token):
    return token[0] & 15 == 10


def is_access(token):
    return token[0] & 7 == 2


def of_kind(byte):
    return lambda token: token[0] == byte


# ---- what is done to token number `at`: the new list ----

def changed(trace, at, *tokens):
    numbered = list(enumerate(trace.tokens))
    return numbered[:at] + [(at, t) for t in tokens] + numbered[at + 1:]


def with_bit(low, high):
    def plant(trace, at, rnd):
        token = bytearray(trace.tokens[at])
        bit = rnd.randrange(8 * low, 8 * (high or len(token)))
        token[bit // 8] ^= 1 << bit % 8
        return changed(trace, at, token)
    return plant


def opcode_bit(trace, at, rnd):
    token = bytearray(trace.tokens[at])
    bit = rnd.randrange(32)
    token[len(token) - 4 + bit // 8] ^= 1 << bit % 8
    return changed(trace, at, token)


def opcode_of_another(trace, at, rnd):
    token = bytearray(trace.tokens[at])
    others = [t[-4:] for t in trace.tokens if is_insn(t) and t[-4:] != token[-4:]]
    token[-4:] = rnd.choice(others)
    return changed(trace, at, token)


def dropped(trace, at, _):
    return changed(trace, at)


def twice(trace, at, _):
    token = trace.tokens[at]
    return changed(trace, at, token, token)


def behind(trace, at):
    end = at + 1
    while end < len(trace.tokens) and not is_insn(trace.tokens[end]):
        end += 1
    return end


def insn_dropped(trace, at, _):
    numbered = list(enumerate(trace.tokens))
    return numbered[:at] + numbered[behind(trace, at):]


def insn_twice(trace, at, _):
    numbered = list(enumerate(trace.tokens))
    end = behind(trace, at)
    return numbered[:end] + [(None, t) for _, t in numbered[at:end]] + numbered[end:]


def pc_moved(trace, at, rnd):
    token = bytearray(trace.tokens[at])
    pc, = struct.unpack_from("<Q", token, 1)
    struct.pack_into("<Q", token, 1, (pc + rnd.choice((-8, -4, 4, 8, 64))) & (1 << 64) - 1)
    return changed(trace, at, token)


def level_changed(trace, at, rnd):
    token = bytearray(trace.tokens[at])
    token[0] ^= 0x40
    return changed(trace, at, token)


def halved(trace, at, _):
    token = trace.tokens[at]
    return changed(trace, at, bytes([token[0] - 16]) + token[1:9] + token[9:9 + (len(token) - 9) // 2])


def doubled(trace, at, _):
    token = trace.tokens[at]
    return changed(trace, at, bytes([token[0] + 16]) + token[1:] + token[9:])


def turned(trace, at, _):
    token = bytearray(trace.tokens[at])
    token[0] ^= 8
    return changed(trace, at, token)


def undefined(trace, at, rnd):
    token = bytearray(trace.tokens[at])
    token[0] = rnd.choice((0x00, 0x05, 0x06, 0x7c, 0xff))
    return changed(trace, at, token)


def cut_short(trace, at, rnd):
    token = trace.tokens[at]
    return changed(trace, at, token[:rnd.randrange(1, len(token))])


def moved_back(trace, at, _):
    """To the instruction before its own."""
    numbered = list(enumerate(trace.tokens))
    own = at - 1
    while not is_insn(trace.tokens[own]):
        own -= 1
    return numbered[:own] + [(None, trace.tokens[at])] + numbered[own:at] + numbered[at + 1:]


def earlier(trace, at, rnd):
    token = bytearray(trace.tokens[at])
    time, = struct.unpack_from("<Q", token, 1)
    struct.pack_into("<Q", token, 1, max(0, time - rnd.randrange(100, 1000)))
    return changed(trace, at, token)


def stray(token):
    def plant(trace, at, rnd):
        return changed(trace, at, trace.tokens[at], bytes([token]) + rnd.randbytes(8))
    return plant


def plain(token):
    """An instruction that has no tokens: ADD, SUB, MOV, ... of immediates."""
    return is_insn(token) and token[-1] & 0x1f == 0x11


def pcinst(token):
    return is_insn(token) and token[0] & 8 != 0


def at_least(low, test):
    return lambda token: test(token) and token[0] >> 4 >= low


def below(high, test):
    return lambda token: test(token) and token[0] >> 4 < high


KINDS = {
    "opcode: a bit": (executed_again, opcode_bit),
    "opcode: of another instruction": (executed_again, opcode_of_another),
    "opcode, not executed again: a bit": (executed_once, opcode_bit),
    "opcode, not executed again: of another": (executed_once, opcode_of_another),
    "instruction dropped": (is_insn, insn_dropped),
    "instruction twice": (is_insn, insn_twice),
    "PC: a bit": (pcinst, with_bit(1, 9)),
    "PC: moved": (pcinst, pc_moved),
    "level": (is_insn, level_changed),
    "load's address: a bit": (is_load, with_bit(1, 8)),
    "store's address: a bit": (is_store, with_bit(1, 8)),
    "load's value: a bit": (is_load, with_bit(9, None)),
    "store's value: a bit": (is_store, with_bit(9, None)),
    "access of half the bytes": (at_least(1, is_access), halved),
    "access of twice the bytes": (below(4, is_access), doubled),
    "store instead of load": (is_load, turned),
    "load instead of store": (is_store, turned),
    "access dropped": (is_access, dropped),
    "access twice": (is_access, twice),
    "access of the instruction before": (is_access, moved_back),
    "TARGET_B: a bit": (of_kind(TARGET_B), with_bit(1, 8)),
    "TARGET_B dropped": (of_kind(TARGET_B), dropped),
    "TARGET_B twice": (of_kind(TARGET_B), twice),
    "SVCARG: a bit": (of_kind(SVCARG), with_bit(1, 9)),
    "SVCARG dropped": (of_kind(SVCARG), dropped),
    "SVCARG twice": (of_kind(SVCARG), twice),
    "SVCRET: a bit": (of_kind(SVCRET), with_bit(1, 9)),
    "SVCRET dropped": (of_kind(SVCRET), dropped),
    "SVCRET twice": (of_kind(SVCRET), twice),
    "MRS: a bit": (of_kind(MRS), with_bit(1, 9)),
    "MRS dropped": (of_kind(MRS), dropped),
    "MRS twice": (of_kind(MRS), twice),
    "STXR dropped": (of_kind(STXR), dropped),
    "STXR twice": (of_kind(STXR), twice),
    "FLAGS: a bit": (of_kind(FLAGS), lambda trace, at, rnd: with_bit(4, 5)(trace, at, rnd)),
    "FLAGS dropped": (of_kind(FLAGS), dropped),
    "FLAGS twice": (of_kind(FLAGS), twice),
    "DC dropped": (of_kind(DC), dropped),
    "DC: a bit": (of_kind(DC), with_bit(1, 9)),
    "ALLGPR dropped": (of_kind(ALLGPR), dropped),
    "ALLGPR: a bit": (of_kind(ALLGPR), with_bit(1, 249)),
    "ALLGPR twice": (of_kind(ALLGPR), twice),
    "SYSCALL_VEC dropped": (of_kind(VEC), dropped),
    "TIME dropped": (of_kind(TIME), dropped),
    "TIME twice": (of_kind(TIME), twice),
    "TIME earlier": (of_kind(TIME), earlier),
    "token byte undefined": (lambda token: True, undefined),
    "token cut short": (lambda token: True, cut_short),
    "stray MRS": (plain, stray(MRS)),
    "stray TARGET_B": (plain, stray(TARGET_B)),
    "stray STXR": (plain, stray(STXR)),
    "stray SVCARG": (plain, stray(SVCARG)),
    "stray SVCRET": (plain, stray(SVCRET)),
}


def opcode_unseen(trace, at, tokens):
    """The trace is one that the planted instruction may have, too."""
    planted = next(token for number, token in tokens if number == at)
    return bool(visible.DISASSEMBLER) and visible.refuted(trace, at, struct.unpack("<I", planted[-4:])[0]) is None


def value_unseen(trace, at, tokens):
    """The same of the value of a load."""
    planted = next(token for number, token in tokens if number == at)
    return bool(visible.DISASSEMBLER) and visible.value_refuted(trace, at, planted) is None


def vectors_unseen(trace, at, _):
    """Which calls have vectors is the collector's choice: nothing tells if no other call of this number is there."""
    numbers = [trace.tokens[i][1:] for i in range(1, len(trace.tokens)) if trace.tokens[i][0] == SVCARG and is_insn(trace.tokens[i - 1])]
    first = at
    while not is_insn(trace.tokens[first - 1]):
        first -= 1
    return numbers.count(trace.tokens[first][1:]) == 1


UNSEEN = {
    "opcode, not executed again: a bit": opcode_unseen,
    "opcode, not executed again: of another": opcode_unseen,
    "SYSCALL_VEC dropped": vectors_unseen,
    "load's value: a bit": value_unseen,
}


def snapshot_bit(low, high):
    def plant(records, rnd):
        at = HEADER + RECORD * rnd.randrange((len(records) - HEADER) // RECORD) + 8 * low
        bit = rnd.randrange(64 * (high - low))
        records[at + bit // 8] ^= 1 << bit % 8
    return plant


def later_snapshot_bit(low, high):
    """Of another one than the first, before which nothing is known."""
    def plant(records, rnd):
        at = HEADER + RECORD * rnd.randrange(1, (len(records) - HEADER) // RECORD) + 8 * low
        bit = rnd.randrange(64 * (high - low))
        records[at + bit // 8] ^= 1 << bit % 8
    return plant


def counts(records):
    return [struct.unpack_from("<QQ", records, at + 16) for at in range(HEADER, len(records), RECORD)]


def header_flag(at):
    def plant(records, rnd):
        records[at] ^= 1
    return plant


def division(records, rnd):
    """Where user instructions and all are the same, it is no fault."""
    if all(user == every for user, every in counts(records)):
        return False
    records[16] ^= 1


def global_point(records, rnd):
    struct.pack_into("<I", records, 4, len(counts(records)) + rnd.randrange(1 << 31))


OF_SNAPSHOTS = {
    "header's access order": header_flag(18),
    "header's kind of stream": header_flag(17),
    "header's division": division,
    "header's global snapshot": global_point,
    "snapshot's file number: a bit": snapshot_bit(0, 1),
    "snapshot's offset: a bit": snapshot_bit(1, 2),
    "snapshot's counts: a bit": snapshot_bit(2, 4),
    "snapshot's registers: a bit": later_snapshot_bit(4, 35),
    "snapshot's vector length: a bit": snapshot_bit(RECORD // 8 - 1, RECORD // 8),
}


def plant_all(traces, more, times, pattern):
    found, planted, hidden = {}, {}, {}
    for number, (name, (wanted, plant)) in enumerate(KINDS.items()):
        for trace in traces + [t for t in more if t.name in ALSO.get(name, ())] if pattern.search(name) else ():
            places = trace.places(wanted)
            rnd = random.Random(1000 * number + len(trace.tokens))
            for _ in range(times if places else 0):
                at = rnd.choice(places)
                tokens = plant(trace, at, rnd)
                trace.put(tokens, trace.files[trace.snapshots])
                told = trace.check()
                unseen = name in UNSEEN and UNSEEN[name](trace, at, tokens)
                if unseen and told and UNSEEN[name] is not vectors_unseen:
                    common.fail(name, "at token", at, "of", trace.name, "is told, though nothing shows it:", told.decode())
                if unseen and not told:
                    hidden[name] = hidden.get(name, 0) + 1
                    continue
                planted[name] = planted.get(name, 0) + 1
                found[name] = found.get(name, 0) + bool(told)
    for number, (name, plant) in enumerate(OF_SNAPSHOTS.items()):
        for trace in traces if pattern.search(name) else ():
            rnd = random.Random(number)
            for _ in range(times if len(trace.files[trace.snapshots]) > HEADER + RECORD else 0):
                records = bytearray(trace.files[trace.snapshots])
                if plant(records, rnd) is False:
                    break
                with open(trace.stream, "wb") as file:
                    file.write(trace.files[trace.stream])
                with open(trace.snapshots, "wb") as file:
                    file.write(records)
                planted[name] = planted.get(name, 0) + 1
                found[name] = found.get(name, 0) + bool(trace.check())
    return found, planted, hidden


def alone(path):
    """The rules that a stream of a group breaks without the others: notes are none."""
    out = subprocess.run([common.command(), "check", "--json", path], stdout=subprocess.PIPE, check=False).stdout
    told = [json.loads(line) for line in out.splitlines()]
    common.expect(path + ": what other threads stored is told", [row["rule"] for row in told if row.get("note")], ["xtrace.memory.value"])
    return [row for row in told if not row.get("note")]


def plant_names(traces, found, planted):
    """A thread's stream of which the name says that it is a second core's: the last, as it comes after all others."""
    name = "name of another hint"
    for trace in traces:
        if trace.files[trace.snapshots][17]:
            continue
        for path in (trace.stream, trace.snapshots):
            os.remove(path)
            with open(path.replace("hint9", "hint13"), "wb") as file:
                file.write(trace.files[path])
        trace.streams[0] = trace.stream.replace("hint9", "hint13")
        planted[name] = planted.get(name, 0) + 1
        found[name] = found.get(name, 0) + bool(trace.check())



def main():
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    pattern = re.compile(sys.argv[3] if len(sys.argv) > 3 else "")
    if not shutil.which("zstd"):
        common.skip("no zstd")
    with tempfile.TemporaryDirectory() as scratch:
        traces = [Trace(name, os.path.join(scratch, name)) for name in TRACES]
        more = [Trace(name, os.path.join(scratch, name)) for name in LOADED]
        for trace in traces + more:
            common.expect(trace.name + " is good", trace.check(), b"")
        for trace in traces:
            for path in trace.streams if len(trace.streams) > 1 else ():
                common.expect(path + " alone has no violations", alone(path), [])
        found, planted, hidden = plant_all(traces, more, times, pattern)
        plant_names(traces, found, planted)
    for name, count in planted.items():
        share = found[name] / count
        least = LEAST if visible.DISASSEMBLER else SEEN.get(name, LEAST)
        print("%-40s %4d of %4d%s%s" % (name, found[name], count, "" if share >= LEAST else "  %d %%" % (100 * share),
                                        ", %d that nothing shows" % hidden[name] if name in hidden else ""))
        # One that is missed among few is not yet a share.
        if found[name] + (1 if count < 20 and least < 1 else 0) < least * count:
            common.fail(name, found[name], "of", count)
    common.finish(sum(planted.values()), "faults planted")


main()
