# SPDX-License-Identifier: Apache-2.0
"""Profiles of instruction streams against a walk of our own: a reader of tokens, a table of symbols, a stack, all of them
written from the format reference, the ELF specification and the rules of docs/design.md ("xtrace")."""
import bisect
import collections
import glob
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import common

CORPUS = os.path.join(common.SHARED, "corpus", "xtrace")
REACH = 1 << 20
NO_PC = None


# ---- tokens (sections 2.4, A21) ----

def instructions(data):
    """[el, pc, opcode, target, [(is store, size)], [the same of DC ZVA]] of a stream in our own layout."""
    at, pc, out = 0, None, []
    while at < len(data):
        token = data[at]
        kind = token & 7
        if kind == 1:
            if token >> 3 & 7:
                pc, opcode = struct.unpack_from("<QI", data, at + 1)
                at += 13
            else:
                pc, opcode = pc + 4, struct.unpack_from("<I", data, at + 1)[0]
                at += 5
            out.append([token >> 6, pc, opcode, None, [], []])
        elif kind == 2:
            size = 1 << (token >> 4)
            out[-1][4].append((bool(token & 8), size))
            at += 9 + size
        elif token == 0x24:
            at += 9 + 16 * struct.unpack_from("<Q", data, at + 1)[0]
        elif token == 0x0C:
            at += 257
        else:
            if token == 0x23:  # DC ZVA zeroes 64 bytes, which no STORE tells
                out[-1][5].append((True, 64))
            if token == 0x2B:
                out[-1][3] = struct.unpack_from("<Q", data, at + 1)[0]
            at += 9
    return out


def truth(path):
    out = []
    for line in open(path):
        words = line.split()
        if words[0] in "LS":
            out[-1][3].append((words[0] == "S", int(words[2])))
        else:
            out.append([int(words[0]), int(words[1], 16), int(words[2], 16), []])
    return out


# ---- symbols (gABI, "Symbol Table") ----

class Symbols:
    def __init__(self, path):
        self.spans, self.code = [], []
        if not path:
            return
        data = open(path, "rb").read()
        shoff, = struct.unpack_from("<Q", data, 0x28)
        shentsize, shnum = struct.unpack_from("<HH", data, 0x3A)
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + i * shentsize) for i in range(shnum)]
        self.code = [(s[3], s[3] + s[5]) for s in sections if s[2] & 4]
        for s in sections:
            if s[1] != 2:
                continue
            names = data[sections[s[6]][4]:]
            for at in range(s[4] + 24, s[4] + s[5], 24):
                name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", data, at)
                text = names[name:names.index(b"\0", name)]
                if info & 15 not in (0, 1, 2, 10) or section in (0, 0xFFF1) or not text or text[:1] == b"$":
                    continue
                end = value + size if size else sections[section][3] + sections[section][5]
                self.spans.append((value, end))
        self.spans.sort()
        self.memo = {}

    def start(self, pc):
        """Of the innermost symbol around an address; None: the file has no such code, or no symbol for it."""
        if not any(low <= pc < high for low, high in self.code):
            return None
        if pc not in self.memo:
            self.memo[pc] = max((low for low, high in self.spans if low <= pc < high), default=None)
        return self.memo[pc]


# ---- branches (Arm Architecture Reference Manual, C4.1) ----

def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def flow(pc, op):
    """(kind, target)"""
    if op >> 26 == 0b000101:
        return "jump", pc + 4 * signed(op & 0x3FFFFFF, 26)
    if op >> 26 == 0b100101:
        return "call", pc + 4 * signed(op & 0x3FFFFFF, 26)
    if op >> 24 == 0x54 or op >> 25 & 0x3F == 0b011010:
        return "conditional", pc + 4 * signed(op >> 5 & 0x7FFFF, 19)
    if op >> 25 & 0x3F == 0b011011:
        return "conditional", pc + 4 * signed(op >> 5 & 0x3FFF, 14)
    if op >> 25 == 0b1101011:
        return {0: "jump register", 1: "call", 2: "return", 4: "eret", 5: "eret", 8: "jump register",
                9: "call"}[op >> 21 & 15], None
    if op >> 24 == 0xD4:
        return "trap", None
    return "next", None


# ---- the stack ----

def same_place(a, b, el):
    """A kernel's code has two addresses: that of its image and that of the identity map."""
    return a == b or (el > 0 and a is not None and b is not None and not (a ^ b) & 0x1FFFFF and a >> 63 != b >> 63)


class Frame:
    def __init__(self, function, back, origin, called, handler):
        self.function, self.back, self.origin, self.called, self.handler = function, back, origin, called, handler


class Walk:
    def __init__(self, symbols, entries):
        self.symbols, self.entries, self.met = symbols, entries, set()
        self.stack, self.aside = [], []
        self.calls, self.unfinished = collections.Counter(), collections.Counter()
        self.self_cost = collections.defaultdict(lambda: [0] * 6)
        self.inclusive = collections.defaultdict(lambda: [0] * 6)
        self.lines = collections.defaultdict(lambda: [0] * 6)
        self.arcs, self.arc_cost = collections.Counter(), collections.Counter()
        self.jumps = collections.defaultdict(lambda: [0, 0])

    def function(self, pc, el):
        start = self.symbols.start(pc)
        if start is not None:
            return ("symbol", start, False)
        held = any(low <= pc < high for low, high in self.symbols.code)
        at = bisect.bisect_right(self.entries, pc)
        entry = self.entries[at - 1] if at and pc - self.entries[at - 1] < REACH else 0
        return ("code" if held else "unknown", entry, not held and el > 0)

    def push(self, function, back, origin, called, handler=False):
        if called:
            self.calls[function] += 1
            if self.stack and origin is not None:
                self.arcs[self.stack[-1].function, origin, function] += 1
        self.stack.append(Frame(function, back, origin, called, handler))

    def pop(self, finished=True):
        frame = self.stack.pop()
        if frame.called and not finished:
            self.unfinished[frame.function] += 1

    def found(self, function):
        while self.stack:
            self.pop(False)
        self.push(function, None, None, False)

    def jump(self, pc, function):
        if not self.stack:
            self.push(function, None, None, False)
        elif self.stack[-1].function != function:
            frame = self.stack[-1]
            self.pop()
            self.push(function, frame.back, frame.origin, function[1] == pc, frame.handler)

    def returned(self, pc, el, function):
        for i in range(len(self.stack) - 1, -1, -1):
            if self.stack[i].handler:
                break
            if same_place(self.stack[i].back, pc, el):
                while len(self.stack) > i:
                    self.pop()
                return self.jump(pc, function)
        if not el:
            return self.jump(pc, function)

        def awaits(stack):
            for i in range(len(stack) - 1, -1, -1):
                if stack[i].handler:
                    return None
                if same_place(stack[i].back, pc, el):
                    return i
            return None

        if not self.take_up(pc, function, awaits, True):
            if len(self.stack) <= 1 and not (self.stack and self.stack[0].called):
                return self.jump(pc, function)
            self.set_aside()
            self.push(function, None, None, False)

    def set_aside(self):
        if self.stack:
            self.aside.append(self.stack)
            self.stack = []
            if len(self.aside) > 64:
                self.unfinished.update(f.function for f in self.aside.pop(0) if f.called)

    def take_up(self, pc, function, at, keep):
        """The stack that was set aside last and fits."""
        for i in range(len(self.aside) - 1, -1, -1):
            frame = at(self.aside[i])
            if frame is not None:
                taken = self.aside.pop(i)
                if keep:
                    self.set_aside()
                while self.stack:
                    self.pop(False)
                self.stack = taken
                while len(self.stack) > frame:
                    self.pop()
                self.jump(pc, function)
                return True
        return False

    def handler(self):
        return max((i for i, f in enumerate(self.stack) if f.handler), default=None)

    def exception_return(self, pc, el, function):
        i = self.handler()
        if i is not None and (any(same_place(p, pc, el) for p in (self.stack[i].back, self.stack[i].origin))
                              or (i and self.stack[i - 1].function == function)):
            while len(self.stack) > i:
                self.pop()
            return self.jump(pc, function)

        def interrupted(stack):
            handlers = [n for n, f in enumerate(stack) if f.handler]
            if handlers and any(same_place(p, pc, el) for p in (stack[handlers[-1]].back, stack[handlers[-1]].origin)):
                return handlers[-1]
            return None

        if not self.take_up(pc, function, interrupted, i is not None):
            if i is not None:
                self.set_aside()
            self.found(function)

    def exception(self, pc, el, function, origin, back):
        i = None if el else self.handler()
        if i is not None and pc in (self.stack[i].back, self.stack[i].origin):
            while len(self.stack) > i:
                self.pop()
            self.jump(pc, function)
        else:
            self.push(function, back, origin, True, True)

    def jumped(self, insn):
        """[executed, taken] of a conditional branch."""
        el, pc, opcode = insn[:3]
        target = flow(pc, opcode)[1]
        return self.jumps[pc, target, self.function(pc, el) == self.function(target, el)]

    def step(self, last, el, pc):
        function = self.function(pc, el)
        last_el, last_pc, opcode, target_b = last[:4]
        kind, target = flow(last_pc, opcode)
        if kind == "conditional":
            self.jumped(last)[1] += pc == target and pc != last_pc + 4 and el == last_el
            meant = target if same_place(pc, target, el) else last_pc + 4
        elif kind in ("next", "trap"):
            meant = last_pc + 4
        else:
            meant = target if target is not None else target_b if target_b is not None else pc
        arrives = same_place(meant, pc, el) and (el <= last_el if kind == "eret" else el == last_el)
        if kind != "eret" and el < last_el:
            return self.exception_return(pc, el, function)
        to_el, to_pc = el, pc
        to = function
        if not arrives:
            to_el, to_pc = 0 if kind == "eret" and not meant >> 63 else last_el, meant
            to = self.function(to_pc, to_el)
        if kind == "call":
            self.met.add(to_pc)
            self.push(to, last_pc + 4, last_pc, True)
        elif kind == "return":
            self.returned(to_pc, to_el, to)
        elif kind == "eret":
            self.exception_return(to_pc, to_el, to)
        elif (kind != "trap" or arrives) and self.stack[-1].function != to:
            self.jump(to_pc, to)
        if not arrives:
            if el > last_el:
                self.met.add(pc)
            self.exception(pc, el, function, last_pc, meant)

    def spend(self, el, pc, accesses):
        cost = [1, 0, 0, 0, 0, el > 0]
        for store, size in accesses:
            cost[2 if store else 1] += 1
            cost[4 if store else 3] += size
        seen, arcs = set(), set()
        below = None
        for frame in self.stack:
            seen.add(frame.function)
            if below and frame.called and frame.origin is not None:
                arcs.add((below.function, frame.origin, frame.function))
            below = frame
        for arc in arcs:
            self.arc_cost[arc] += 1
        top = self.stack[-1].function
        for i, n in enumerate(cost):
            self.self_cost[top][i] += n
            self.lines[pc][i] += n
            for function in seen:
                self.inclusive[function][i] += n

    def run(self, stream):
        last = None
        for insn in stream:
            el, pc = insn[0], insn[1]
            if last is None:
                self.met.add(pc)
                self.found(self.function(pc, el))
            else:
                self.step(last, el, pc)
            self.spend(el, pc, insn[4] + insn[5])
            if flow(pc, insn[2])[0] == "conditional":
                self.jumped(insn)[0] += 1
            last = insn
        while self.stack:
            self.pop(False)
        for stack in self.aside:
            self.unfinished.update(f.function for f in stack if f.called)


def reference(stream, elf):
    symbols = Symbols(elf)
    first = Walk(symbols, [])
    first.run(stream)
    walk = Walk(symbols, sorted(pc for pc in first.met if symbols.start(pc) is None))
    walk.run(stream)
    return walk


# ---- comparison ----

def address(text):
    return int(text, 16) if isinstance(text, str) else text or 0


def ours(path, elf, *more):
    binary = ["--binary", elf] if elf else []
    return json.loads(common.run("convert", "--to", "json", path, *binary, *more))


def padded(cost):
    return cost + [0] * (6 - len(cost))


def compare(what, profile, walk):
    got = {(address(f["address"]), f["object"] == "kernel"):
           (f["calls"], f["unfinished"], padded(f["self"]), padded(f["inclusive"])) for f in profile["functions"]}
    wanted = {(f[1], f[2]): (walk.calls[f], walk.unfinished[f], cost, walk.inclusive[f])
              for f, cost in walk.self_cost.items()}
    for f in set(walk.inclusive) - set(walk.self_cost):
        wanted[f[1], f[2]] = (walk.calls[f], walk.unfinished[f], [0] * 6, walk.inclusive[f])
    common.expect(what + " functions", got, wanted)
    functions = [(address(f["address"]), f["object"] == "kernel") for f in profile["functions"]]
    lines = collections.defaultdict(lambda: [0] * 6)
    for line in profile["lines"]:
        for i, n in enumerate(padded(line["self"])):
            lines[address(line["at"]["address"])][i] += n
    common.expect(what + " lines", dict(lines), dict(walk.lines))
    arcs = {(functions[a["caller"]], address(a["from"]["address"]), functions[a["callee"]]):
            (a["calls"], a["inclusive"][0]) for a in profile["arcs"]}
    wanted = {((c[1], c[2]), at, (f[1], f[2])): (walk.arcs[c, at, f], walk.arc_cost[c, at, f])
              for c, at, f in set(walk.arcs) | set(walk.arc_cost)}
    common.expect(what + " calls", arcs, wanted)
    jumps = {(address(j["from"]["address"]), address(j["to"]["address"]), True): [j["executed"], j["taken"]]
             for j in profile["jumps"] if j["conditional"]}
    wanted = {ends: n for ends, n in walk.jumps.items() if ends[2]}
    common.expect(what + " jumps", jumps, wanted)
    return len(lines)


# ---- instructions as lines, and the mix ----

def compare_dump(what, path, stream):
    count = 0
    for line, insn in zip(common.run("dump", "--instructions", "--json", "--no-text", path).splitlines(), stream):
        o = json.loads(line)
        got = [o["el"], address(o["pc"]), address(o["opcode"]), address(o["target"]) if "target" in o else None,
               [(a["store"], a["size"]) for a in o.get("accesses", [])]]
        if not common.expect("%s instruction %d" % (what, count), got, insn[:5]) or o["ordinal"] != count:
            break
        count += 1
    common.expect(what + " instructions", count, len(stream))


def compare_mix(what, path, stream):
    """Mnemonics are those of llvm-mc, where there is one of a version whose words are the library's."""
    tool = shutil.which("llvm-mc-19")
    mix = json.loads(common.run("analyze", "--mix", "--json", path))
    levels = collections.Counter(insn[0] for insn in stream)
    for table in ("classes", "opcodes"):
        for el in range(4):
            common.expect("%s mix of EL%d" % (what, el), sum(row["el%d" % el] for row in mix[table]), levels[el])
    if not tool:
        return
    opcodes = sorted({insn[2] for insn in stream})
    text = subprocess.run([tool, "--disassemble", "--triple=aarch64", "--mattr=+all"], stdout=subprocess.PIPE, check=True,
                          input="\n".join(" ".join("0x%02x" % b for b in struct.pack("<I", o)) for o in opcodes),
                          text=True).stdout
    words = [line.split()[0] for line in text.splitlines() if line[:1] == "\t" and not line.startswith("\t.")]
    common.expect(what + " words", len(words), len(opcodes))
    names = dict(zip(opcodes, words))
    wanted = collections.Counter(names[insn[2]] for insn in stream)
    got = collections.Counter()
    for row in mix["opcodes"]:
        got[row["opcode"]] += row["all"]
    common.expect(what + " mix", dict(got), dict(wanted))


def main():
    programs = {"u1": "p1_recur", "u2": "p2_sys", "u3": "p3_simd", "u4": "p4_thr", "u7": "p1_recur", "u8": "p8_sve",
                "k1": "init_k"}
    count = 0
    for path in sorted(glob.glob(os.path.join(CORPUS, "*", "*.xinsndata.bin"))):
        name = os.path.basename(os.path.dirname(path))
        stream = instructions(open(path, "rb").read())
        common.expect(name + " truth", [[i[0], i[1], i[2], i[4]] for i in stream],
                      truth(os.path.join(os.path.dirname(path), "truth.%s.txt" % path.split(".")[-4])))
        compare_dump(name, path, stream)
        compare_mix(name, path, stream)
        # The small corpus in the tree has no programs.
        elves = [os.path.join(CORPUS, "elf", programs[name[:2]])] if common.WHOLE else []
        for elf in elves + [None]:
            what = "%s.%s %s" % (name, path.split(".")[-4], "with symbols" if elf else "without")
            walk = reference(stream, elf)
            with tempfile.TemporaryDirectory() as alone:
                # Without its snapshots the stream is one segment.
                link = os.path.join(alone, os.path.basename(path))
                os.symlink(path, link)
                one = ours(link, elf, "--jobs", "1")
            many = ours(path, elf, "--jobs", "2")
            count += compare(what, many, walk)
            for key in ("functions", "contexts", "lines", "arcs", "jumps"):
                common.expect(what + " one segment: " + key, one.get(key), many.get(key))
    common.finish(count, "addresses compared")


if __name__ == "__main__":
    main()
