# SPDX-License-Identifier: Apache-2.0
"""Whether a planted opcode, or a planted value of a load, is refuted by anything that a trace has: what it would have
computed is followed, by the text of a disassembler, until the trace shows it or nothing is left of it. Knows nothing of
`check`.

Values are those of snapshots, loads, results of system calls, and plain arithmetic of integers and vectors on these.
Whatever is not known counts as shown, so that too much is demanded of `check` rather than too little."""
import copy
import re
import shutil
import struct
import subprocess
import tempfile

DISASSEMBLER = shutil.which("aarch64-linux-gnu-objdump")
FLAGS, LINK, SP = "nzcv", "x30", "x31"
MASK = (1 << 64) - 1
NO_EFFECT = {"nop", "dmb", "dsb", "isb", "bti", "yield", "hint", "prfm", "prfum", "csdb", "sb", "esb", "sys"}
COMPARES = {"cmp", "cmn", "tst", "ccmp", "ccmn", "fcmp", "fcmpe", "fccmp"}
SETS_FLAGS = {"adds", "subs", "ands", "bics", "negs", "adcs", "sbcs", "ngcs"}
READS_FLAGS = {"adc", "sbc", "ngc", "adcs", "sbcs", "csel", "cset", "csetm", "csinc", "csinv", "csneg", "cinc", "cinv",
               "cneg", "fcsel", "ccmp", "ccmn", "fccmp"}
KEEPS_REST = {"movk", "bfi", "bfxil", "bfm", "bfc"}
SIGNS = re.compile(r"(pac|aut|xpac)")
TARGET_B = 0x2b


def disassemble(opcodes):
    opcodes = sorted(set(opcodes))
    with tempfile.NamedTemporaryFile() as file:
        file.write(struct.pack("<%dI" % len(opcodes), *opcodes))
        file.flush()
        out = subprocess.run([DISASSEMBLER, "-D", "-z", "-b", "binary", "-m", "aarch64", file.name], stdout=subprocess.PIPE,
                             text=True, check=True).stdout
    lines = [line.split("\t", 2)[2] for line in out.splitlines() if re.match(r"\s+[0-9a-f]+:\t", line)]
    return {opcode: re.sub(r"\s*//.*", "", line).replace("\t", " ") for opcode, line in zip(opcodes, lines)}


def registers(text):
    """General and vector registers of a text, each once by its number."""
    found = []
    for bank, number, special in re.findall(r"\b(?:([xwbhsdqvz])(\d+)|(w?sp))\b", text):
        found.append(SP if special else ("x" if bank in "xw" else "v") + number)
    return found


class Insn:
    def __init__(self, opcode, text):
        self.opcode, self.text = opcode, text
        # "System instruction class encoding overview": op0 0 is barriers, hints and PSTATE, all of which have names.
        self.undefined = "undefined" in text or text.startswith((".", "msr s0_"))
        self.name, _, rest = text.partition(" ")
        self.operands = re.findall(r"\[[^]]*\]!?|\{[^}]*\}[^,]*|[^,\s][^,]*", rest)
        self.opaque = bool(re.search(r"\bp\d+", rest))
        self.load = self.name.startswith("ld") and not self.name.startswith(("ldadd", "ldclr", "ldset", "ldeor", "ldsm", "ldum"))
        self.store = self.name.startswith("st") and not re.match(r"st(add|clr|set|eor|[su](max|min))", self.name)
        self.atomic = not (self.load or self.store) and bool(re.match(r"(ld|st|swp|cas)", self.name))
        self.memory = self.load or self.store or self.atomic
        self.conditional = self.name.startswith(("b.", "bc.", "cb", "tb"))
        self.jump = self.name in ("b", "bl", "br", "blr", "ret") or self.name.startswith(("bra", "blra", "reta"))
        self.reads, self.writes = set(), set()
        self.effects()

    def effects(self):
        name, own = self.name, [registers(o) for o in self.operands]
        every = {r for o in own for r in o}
        first = set(own[0]) if own else set()
        if name in NO_EFFECT or self.undefined:
            return
        if SIGNS.match(name):
            self.writes = every or {"x16", "x17", LINK}
            return
        if name == "svc":
            self.reads, self.writes = {"x%d" % i for i in (0, 1, 2, 3, 4, 5, 8)}, {"x0"}
        elif self.conditional:
            self.reads = {FLAGS} if "." in name else first
        elif self.jump:
            self.reads = every or ({LINK} if name.startswith("ret") else set())
            self.writes = {LINK} if name.startswith("bl") else set()
        elif self.load or self.store:
            at = next((i for i, o in enumerate(self.operands) if o.startswith("[")), len(self.operands))
            data = {r for o in own[:at] for r in o}
            address = {r for o in own[at:] for r in o}
            self.reads, self.writes = set(address), set()
            if self.load:
                self.writes |= data
            elif "x" in name and name not in ("stxp", "stlxp"):
                self.writes |= first
                self.reads |= data - first
            else:
                self.reads |= data
            if at < len(own) and (self.operands[at].endswith("!") or at + 1 < len(self.operands)):
                self.writes |= set(own[at][:1])
        elif self.atomic or name in ("msr", "dc", "ic", "at", "tlbi", "brk", "hvc", "smc", "eret"):
            self.reads = self.writes = every
        elif name == "mrs":
            self.reads, self.writes = ({FLAGS} if "nzcv" in self.text else set()), first
        elif name in COMPARES:
            self.reads, self.writes = set(every), {FLAGS}
        else:
            self.reads = {r for o in own[1:] for r in o}
            self.writes = first | ({FLAGS} if name in SETS_FLAGS else set())
            if name in KEEPS_REST or any(r[0] == "v" for r in first):
                self.reads |= first
        if name in READS_FLAGS:
            self.reads |= {FLAGS}


# ---- values ----

def holds(condition, nzcv):
    n, z, c, v = (nzcv >> i & 1 for i in (3, 2, 1, 0))
    return {"eq": z, "ne": not z, "cs": c, "hs": c, "cc": not c, "lo": not c, "mi": n, "pl": not n, "vs": v, "vc": not v,
            "hi": c and not z, "ls": not c or z, "ge": n == v, "lt": n != v, "gt": not z and n == v,
            "le": z or n != v, "al": True, "nv": True}[condition]


def plain(operand, values):
    """The value of an operand that is an immediate or a register. None: not known."""
    operand = operand.strip()
    if operand.startswith("#"):
        return int(operand[1:], 0) & MASK
    if operand in ("xzr", "wzr"):
        return 0
    found = registers(operand)
    value = values.get(found[0]) if found and found[0][0] == "x" else None
    return None if value is None else value & (MASK >> 32 if operand[0] == "w" else MASK)


def second(operands, values, bits):
    """The last operand, perhaps shifted or extended."""
    value = plain(operands[0], values)
    if value is None or len(operands) == 1:
        return value
    how, _, amount = operands[1].strip().partition(" ")
    amount = int(amount.lstrip("#") or "0", 0)
    if how == "lsl":
        return value << amount
    if how == "lsr":
        return value >> amount
    if how == "asr":
        return signed(value, bits) >> amount
    if how in ("sxtw", "uxtw", "sxtx", "uxtx", "uxtb", "uxth", "sxtb", "sxth"):
        width = {"b": 8, "h": 16, "w": 32, "x": 64}[how[-1]]
        part = value & (1 << width) - 1
        return (signed(part, width) if how[0] == "s" else part) << amount
    return None


def signed(value, bits):
    return value - (1 << bits) if value >> bits - 1 & 1 else value


def added(a, b, carry, bits):
    total = a + b + carry
    result = total & (1 << bits) - 1
    overflow = (a ^ result) & (b ^ result) & 1 << bits - 1
    return result, (result >> bits - 1) << 3 | (result == 0) << 2 | (total >> bits) << 1 | bool(overflow)


def compute(insn, values, pc):
    """What it writes: {register: value}, None where it is not known."""
    result = {r: None for r in insn.writes}
    ops, name = insn.operands, insn.name
    if name in ("bl", "blr"):
        result[LINK] = pc + 4
        return result
    if not ops or insn.memory or insn.opaque or name == "svc":
        return result
    wide = re.match(r"(x|sp)", ops[1].strip() if name in COMPARES and ops[0].strip() in ("xzr", "wzr") and len(ops) > 1 else ops[0])
    bits = 64 if wide else 32
    mask = (1 << bits) - 1
    if any(r[0] == "v" for r in insn.reads | insn.writes):
        made = of_vectors(insn, values)
        if made is not None:
            for register in registers(ops[0])[:1]:
                result[register] = made & (MASK if register[0] == "x" else (1 << 128) - 1)
        return result
    value, flags = None, None
    try:
        if name in ("mov", "movz") or (name == "movn"):
            value = second(ops[1:], values, bits)
            value = ~value if name == "movn" and value is not None else value
        elif name == "movk":
            old, new = values.get(registers(ops[0])[0]), second(ops[1:], values, bits)
            shift = int(ops[2].split("#")[1], 0) if len(ops) > 2 else 0
            value = None if old is None else old & ~(0xffff << shift) | new
        elif name in ("add", "adds", "sub", "subs", "cmp", "cmn", "neg", "negs"):
            rest = ops if name in ("cmp", "cmn") else ops[1:]
            a = 0 if name.startswith("neg") else plain(rest[0], values)
            b = second(rest if name.startswith("neg") else rest[1:], values, bits)
            if a is not None and b is not None:
                less = name in ("sub", "subs", "cmp", "neg", "negs")
                value, flags = added(a & mask, (~b if less else b) & mask, less, bits)
        elif name in ("and", "ands", "tst", "orr", "eor", "bic", "orn", "eon", "bics", "mvn"):
            rest = ops if name == "tst" else ops[1:]
            a = 0 if name == "mvn" else plain(rest[0], values)
            b = second(rest if name == "mvn" else rest[1:], values, bits)
            if a is not None and b is not None:
                b = ~b if name in ("bic", "orn", "eon", "bics", "mvn") else b
                value = (a & b if name[:3] in ("and", "tst", "bic") else a | b if name[:2] == "or" or name == "mvn" else a ^ b) & mask
                flags = (value >> bits - 1) << 3 | (value == 0) << 2
        elif name in ("lsl", "lsr", "asr") and ops[2].strip().startswith("#"):
            a, amount = plain(ops[1], values), int(ops[2].strip()[1:], 0)
            if a is not None:
                value = a << amount if name == "lsl" else a >> amount if name == "lsr" else signed(a, bits) >> amount
        elif name in ("sxtw", "sxth", "sxtb", "uxth", "uxtb"):
            a, width = plain(ops[1], values), {"w": 32, "h": 16, "b": 8}[name[-1]]
            if a is not None:
                value = signed(a & (1 << width) - 1, width) if name[0] == "s" else a & (1 << width) - 1
        elif name in ("ubfx", "sbfx", "ubfiz", "sbfiz"):
            a, low, width = plain(ops[1], values), int(ops[2].strip()[1:], 0), int(ops[3].strip()[1:], 0)
            if a is not None:
                part = a >> (low if name.endswith("x") else 0) & (1 << width) - 1
                part = signed(part, width) if name[0] == "s" else part
                value = part << (0 if name.endswith("x") else low)
        elif name in ("csel", "cset") and values.get(FLAGS) is not None:
            yes = holds(ops[-1].strip(), values[FLAGS])
            value = int(yes) if name == "cset" else plain(ops[1 if yes else 2], values)
        elif name == "clz" and plain(ops[1], values) is not None:
            value = bits - plain(ops[1], values).bit_length()
    except (IndexError, KeyError, ValueError):
        pass
    if FLAGS in result:
        result[FLAGS] = flags
    for register in registers(ops[0])[:1]:
        if register in result and name not in COMPARES:
            result[register] = None if value is None else value & mask
    return result


# ---- vectors ----

LENGTHS = {"b": 8, "h": 16, "s": 32, "d": 64, "q": 128}
COMPARED = {"cmeq": lambda a, b: a == b, "cmhs": lambda a, b: a >= b, "cmhi": lambda a, b: a > b, "cmge": lambda a, b: a >= b,
            "cmgt": lambda a, b: a > b, "cmle": lambda a, b: a <= b, "cmlt": lambda a, b: a < b, "cmtst": lambda a, b: a & b != 0}
EACH = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "and": lambda a, b: a & b,
        "orr": lambda a, b: a | b, "eor": lambda a, b: a ^ b, "bic": lambda a, b: a & ~b, "umax": max, "umin": min, "smax": max,
        "smin": min}


class Elements:
    """A vector operand: how long its elements are, how many, and their values; "v1.s[2]" and "s1" have one."""
    def __init__(self, text, values, sign=False):
        text = text.strip()
        shape = re.match(r"v(\d+)\.(\d*)([bhsdq])(?:\[(\d+)\])?$", text) or re.match(r"([bhsdq])(\d+)$", text)
        if not shape:
            raise ValueError(text)
        if text[0] == "v":
            number, self.bits, at = shape[1], LENGTHS[shape[3]], int(shape[4] or 0)
            self.count = int(shape[2]) if shape[2] else 1
        else:
            number, self.bits, at, self.count = shape[2], LENGTHS[shape[1]], 0, 1
        self.whole = values.get("v" + number)
        self.e = None if self.whole is None else [self.whole >> self.bits * (at + i) & (1 << self.bits) - 1 for i in range(self.count)]
        if sign and self.e:
            self.e = [signed(e, self.bits) for e in self.e]


def joined(elements, bits):
    return sum((e & (1 << bits) - 1) << bits * i for i, e in enumerate(elements))


def of_vectors(insn, values):
    """What the first operand becomes; None: not known."""
    try:
        return vector_result(insn.name, insn.operands, values)
    except (IndexError, KeyError, TypeError, ValueError):
        return None


def vector_result(name, ops, values):
    if registers(ops[0])[0][0] == "x":
        source = Elements(ops[1], values, name[0] == "s")
        return source.e[0] & (MASK >> 32 if ops[0].strip()[0] == "w" else MASK) if name in ("fmov", "mov", "umov", "smov") else None
    to = Elements(ops[0], values)
    if name in ("movi", "mvni"):
        value = int(ops[1].strip().lstrip("#"), 0)
        for how, amount in (re.search(r"(lsl|msl) #(\d+)", ops[2]).groups() for _ in ops[2:3]):
            value = value << int(amount) | ((1 << int(amount)) - 1 if how == "msl" else 0)
        return joined([~value if name == "mvni" else value] * to.count, to.bits)
    if name in ("fmov", "dup", "mov") and registers(ops[1])[0][0] == "x" or ops[1].strip() in ("xzr", "wzr"):
        value = plain(ops[1], values)
        return None if value is None or "[" in ops[0] else joined([value] * to.count, to.bits)
    if name == "dup" or (name in ("mov", "fmov") and "[" not in ops[0]):
        source = Elements(ops[1], values)
        return joined(source.e if source.count == to.count else source.e * to.count, to.bits)
    base, upper = (name[:-1], True) if name[-1] == "2" else (name, False)
    sign = base[0] == "s" or base in ("cmgt", "cmge", "cmle", "cmlt")
    n = Elements(ops[1], values, sign and base not in ("sub", "shl", "shrn"))
    if base in ("addv", "uaddlv", "saddlv"):
        return joined([sum(n.e)], to.bits)
    if base in ("umaxv", "uminv", "smaxv", "sminv"):
        return joined([(max if "max" in base else min)(n.e)], to.bits)
    if base in ("uadalp", "sadalp", "uaddlp", "saddlp"):
        return joined([a + b + (d if "dal" in base else 0) for a, b, d in zip(n.e[::2], n.e[1::2], to.e if "dal" in base else [0] * to.count)],
                      to.bits)
    half = n.e[n.count // 2:] if upper and n.bits < to.bits else n.e[:to.count]
    if base in ("uxtl", "sxtl"):
        return joined(half, to.bits)
    amount = int(ops[2].strip()[1:], 0) if len(ops) > 2 and ops[2].strip()[0] == "#" else None
    if base in ("ushll", "sshll", "shl"):
        return joined([e << amount for e in half], to.bits)
    if base in ("ushr", "sshr"):
        return joined([e >> amount for e in n.e], to.bits)
    if name in ("shrn", "xtn"):
        return joined([e >> (amount or 0) for e in n.e], to.bits)
    if base in COMPARED:
        other = [0] * n.count if amount is not None else Elements(ops[2], values, sign).e
        return joined([-1 if COMPARED[base](a, b) else 0 for a, b in zip(n.e, other)], to.bits)
    m = Elements(ops[2], values, sign and base not in ("sub",))
    if base in ("umull", "smull", "umlal", "smlal", "uaddw", "saddw", "uaddl", "saddl"):
        other = m.e[m.count // 2:] if upper else m.e[:to.count]
        d = to.e if "mlal" in base else [0] * to.count
        one = half if n.bits < to.bits else n.e
        return joined([c + (a * b if base[1] == "m" else a + b) for a, b, c in zip(one, other, d)], to.bits)
    if base in ("addp", "umaxp", "uminp", "smaxp", "sminp"):
        pairs = n.e + (m.e if len(ops) > 2 else [])
        fn = EACH[base[:-1]]
        return joined([fn(a, b) for a, b in zip(pairs[::2], pairs[1::2])], to.bits)
    return joined([EACH[base](a, b) for a, b in zip(n.e, m.e)], to.bits)


def direction(insn, values):
    """Whether a conditional branch is taken; None: not known."""
    if "." in insn.name:
        flags = values.get(FLAGS)
        return None if flags is None else bool(holds(insn.name.split(".")[1], flags))
    value = plain(insn.operands[0], values)
    if value is None:
        return None
    if insn.name[0] == "t":
        return bool(value >> int(insn.operands[1].strip()[1:], 0) & 1) == (insn.name == "tbnz")
    return bool(value) == (insn.name == "cbnz")


# ---- the trace ----

LOADED = re.compile(r"(ldr|ldur|ldrb|ldurb|ldrh|ldurh|ldar|ldarb|ldxr|ldaxr|ldapr)$")


class Step:
    """An instruction of the trace with its tokens; `before`: the general registers that stand before it, or None; `whole`:
    they are a snapshot's, which has all others, too."""
    def __init__(self, number, pc, level, opcode):
        self.number, self.pc, self.level, self.opcode = number, pc, level, opcode
        self.tokens, self.before, self.whole, self.result, self.next = [], None, False, None, None

    def accesses(self, store):
        return [(struct.unpack_from("<Q", t, 1)[0], t[9:]) for t in self.tokens if t[0] & 15 == (10 if store else 2)]


def steps_of(trace):
    """The instructions of a Trace of xtrace_faults.py."""
    steps, pc, before, result, trace.told = [], 0, None, None, {}
    at_offset = trace.registers()
    for number, token in enumerate(trace.tokens):
        snapshot = at_offset.get(trace.offsets[number])
        before = snapshot or before
        if token[0] & 7 == 1:
            pc = struct.unpack_from("<Q", token, 1)[0] if token[0] & 8 else pc + 4
            steps.append(Step(number, pc, token[0] >> 6, struct.unpack("<I", token[-4:])[0]))
            steps[-1].before, steps[-1].whole, steps[-1].result = before, snapshot is not None, result
            before = result = None
            if len(steps) > 1:
                steps[-2].next = steps[-1]
        elif token[0] == 0x0c:
            before = struct.unpack_from("<32Q", token, 1)
        elif token[0] == 0x1b:
            result = struct.unpack_from("<Q", token, 1)[0]
        elif steps:
            trace.told[number] = bytes(token)
            steps[-1].tokens.append(trace.told[number])
    return steps


BYTES = {"x": 8, "w": 4, "b": 1, "h": 2, "s": 4, "d": 8, "q": 16}


def enter(step, values):
    """What stands before an instruction tells registers."""
    if step.before:
        values.clear()
        values.update({"x%d" % i: v for i, v in enumerate(step.before)})
    if step.result is not None:
        values["x0"] = step.result


def told_by_tokens(insn, step):
    """Results of MRS and store exclusives, and flags: {register: value}."""
    made = {}
    for token in step.tokens:
        if token[0] == 0x0b and insn.name == "mrs":
            made[registers(insn.operands[0])[0] if registers(insn.operands[0]) else "none"] = struct.unpack_from("<Q", token, 1)[0]
        if token[0] == 0x03 and insn.store and registers(insn.operands[0]):
            made[registers(insn.operands[0])[0]] = struct.unpack_from("<Q", token, 1)[0]
        if token[0] == 0x1c:
            made[FLAGS] = struct.unpack_from("<Q", token, 1)[0] >> 28 & 15
    return {register: value for register, value in made.items() if register != "none"}


def execute(insn, step, values):
    """The values behind it, as the trace has it."""
    made = compute(insn, values, step.pc)
    loads = b"".join(data for _, data in step.accesses(False))
    if insn.load and not insn.opaque and loads:
        sizes = [BYTES.get(o.strip()[0], 4) for o in insn.operands if not o.startswith("[")]
        if LOADED.match(insn.name):
            made[registers(insn.operands[0])[0] if registers(insn.operands[0]) else "none"] = int.from_bytes(loads, "little")
        elif insn.name in ("ldp", "ldxp", "ldnp", "ldaxp") and sum(sizes[:2]) == len(loads):
            for i in (0, 1):
                for register in registers(insn.operands[i]):
                    made[register] = int.from_bytes(loads[i * sizes[0]:(i + 1) * sizes[0]], "little")
    moved = re.search(r"\[(x\d+|sp), #(-?\d+)\]!|\[(x\d+|sp)\], #(-?\d+)", insn.text)
    if insn.memory and moved:
        base = registers(moved[1] or moved[3])[0]
        old = values.get(base)
        made[base] = None if old is None else old + int(moved[2] or moved[4]) & MASK
    made.update(told_by_tokens(insn, step))
    for register, value in made.items():
        values[register] = value


def leads(step):
    return step.next is not None and step.next.pc != step.pc + 4


def target_of(insn, pc):
    """Where a conditional branch leads if it is taken."""
    bits = 14 if insn.name[0] == "t" else 19
    return (pc + signed(insn.opcode >> 5 & (1 << bits) - 1, bits) * 4) & MASK


def own_refuted(new, step, values):
    """Whether the planted instruction itself is not one that can have these tokens, and lead where control went."""
    if new.undefined:
        return "not allocated"
    has = bool(step.accesses(False) or step.accesses(True))
    if any(token[0] == TARGET_B for token in step.tokens) or (has and new.conditional):
        return "tokens"
    if new.conditional:
        way = direction(new, values)
        if way is None or step.next is None or step.next.pc != (target_of(new, step.pc) if way else step.pc + 4):
            return "another way"
        return None
    if new.jump or leads(step) or new.name in ("svc", "brk", "hvc", "smc", "eret", "hlt", "udf"):
        return "another way"
    if new.memory and new.opaque and not has:
        return None
    return "accesses" if new.memory or has else None


def same_memory(old, new):
    """Both access the same place in the same way: the same text but for what is loaded or stored."""
    return old.memory and new.name == old.name and [o for o in old.operands if o[0] == "["] == \
        [o for o in new.operands if o[0] == "["] and old.operands[len(old.operands) - 1:][0][0] == "["


def shown(insn, step, values, other):
    """Whether a register that may differ is seen: `other` has it as the planted instruction leaves it."""
    if insn.conditional:
        return direction(insn, dict(values, **other)) != leads(step)
    touched = insn.reads & set(other)
    if insn.name.startswith(("stxr", "stlxr")) and not step.accesses(True) and not step.accesses(False):
        return False  # it did not store
    if insn.store and not insn.opaque and insn.operands[0][0] in BYTES and insn.name.startswith(("str", "stur", "stp", "stnp")):
        held = insn.operands[:2 if "p" in insn.name else 1]
        address = {r for o in insn.operands[len(held):] for r in registers(o)}
        stored = b"".join(d for _, d in step.accesses(True))
        size = len(stored) // len(held)
        data = [(i, other[r]) for i, o in enumerate(held) for r in registers(o) if r in touched]
        if not touched & address and all(value is not None for _, value in data):
            return any(int.from_bytes(stored[i * size:(i + 1) * size], "little") != value & (1 << 8 * size) - 1 for i, value in data)
    if FLAGS in touched and any(t[0] == 0x1c for t in step.tokens):
        return True
    return insn.memory or insn.jump or insn.opaque or insn.name in ("svc", "msr", "dc", "ic", "at", "tlbi", "mrs", "hvc", "smc", "eret")


def followed(trace, here, values, other):
    """Where registers show that differ behind step number `here`: `other` has what they are with what was planted."""
    for step in trace.steps()[here + 1:]:
        if step.before and (step.whole or any(r[0] == "x" for r in other)):
            return "a snapshot"
        if step.result is not None:
            other.pop("x0", None)
        enter(step, values)
        insn = Insn(step.opcode, trace.texts[step.opcode])
        touched = insn.reads & set(other)
        if touched and shown(insn, step, values, other):
            return "%s at 0x%x" % (insn.text, step.pc)
        made = compute(insn, dict(values, **other), step.pc) if touched else {}
        made.update(told_by_tokens(insn, step))
        execute(insn, step, values)
        for register in insn.writes:
            other.pop(register, None)
            if touched and (made.get(register) is None or made[register] != values.get(register)):
                other[register] = made.get(register)
        if not other:
            break
    return None


def refuted(trace, at, opcode):
    """Why the trace cannot be so with another opcode at token `at`; None: nothing in it says otherwise."""
    steps = trace.steps()
    texts = trace.texts
    here = next(i for i, step in enumerate(steps) if step.number == at)
    begin = here
    while begin and not steps[begin].before:
        begin -= 1
    values = {}
    for step in steps[begin:here]:
        enter(step, values)
        execute(Insn(step.opcode, texts[step.opcode]), step, values)
    step, other = steps[here], {}
    enter(step, values)
    old, new = Insn(step.opcode, texts[step.opcode]), Insn(opcode, disassemble([opcode])[opcode])
    why = None if same_memory(old, new) and not new.undefined else own_refuted(new, step, values)
    if why:
        return why
    if old.memory and new.store and new.reads != old.reads:
        return "another value"
    planted, before = compute(new, values, step.pc), dict(values)
    if new.load:
        planted = {r: None for r in new.writes}
    free = SIGNS.match(new.name)
    execute(old, step, values)
    for register in old.writes | new.writes:
        mine = planted.get(register) if register in new.writes else before.get(register)
        if (mine is None or mine != values.get(register)) and not (free and register in new.writes):
            other[register] = mine
    return followed(trace, here, values, other)


# ---- values of loads ----

def touches(step, address, store):
    return any(at <= address < at + len(data) for at, data in step.accesses(store))


def memory_shows(trace, here, places):
    """Whether another access tells what is at one of these addresses: one before, or a load behind it without a store between."""
    steps = trace.steps()
    for address in places:
        if any(touches(step, address, store) for step in steps[:here] for store in (False, True)):
            return "known before"
        for step in steps[here + 1:]:
            if touches(step, address, False):
                return "loaded at 0x%x" % step.pc
            if touches(step, address, True):
                break
    return None


def value_refuted(trace, at, token):
    """Why the trace cannot be so with another value in the load that is token `at`; None: nothing in it says otherwise."""
    steps = trace.steps()
    here = next(i for i, step in reversed(list(enumerate(steps))) if step.number < at)
    address, = struct.unpack_from("<Q", token, 1)
    if len(trace.streams) > 1:
        return "another stream may tell"
    why = memory_shows(trace, here, [address + i - 9 for i in range(9, len(token)) if token[i] != trace.tokens[at][i]])
    if why:
        return why
    begin = here
    while begin and not steps[begin].whole:
        begin -= 1
    values = {}
    for step in steps[begin:here]:
        enter(step, values)
        execute(Insn(step.opcode, trace.texts[step.opcode]), step, values)
    step = steps[here]
    enter(step, values)
    insn = Insn(step.opcode, trace.texts[step.opcode])
    if insn.atomic or insn.store:
        return "an atomic access"
    planted, changed = dict(values), copy.copy(step)
    changed.tokens = [bytes(token) if t is trace.told[at] else t for t in step.tokens]
    execute(insn, step, values)
    execute(insn, changed, planted)
    return followed(trace, here, values, {r: planted.get(r) for r in insn.writes
                                          if planted.get(r) is None or planted[r] != values.get(r)})
