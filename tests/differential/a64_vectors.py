#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What vector instructions compute, against an emulator that executes them.

  a64_vectors.py EVALUATOR [TIMES]   so many opcodes of each encoding group (default: 60)
  a64_vectors.py EVALUATOR --table   rows of tests/unit/isa/vector_results.def: one of each mnemonic and form

Opcodes are drawn of the groups of the Arm manual's chapter C4; what the emulator takes for undefined, none may compute.
An instruction's registers are numbers that are made of a seed, in the same way here and in vector_inputs.h."""
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

QEMU, COMPILER = shutil.which("qemu-aarch64"), shutil.which("aarch64-linux-gnu-gcc")
# (mask, bits): C4.1, "Data Processing -- Scalar Floating-Point and Advanced SIMD", and the groups that are computed, or not.
GROUPS = {
    "copy": (0x9fe08400, 0x0e000400), "scalar copy": (0xffe0fc00, 0x5e000400), "table lookup": (0xbfe08c00, 0x0e000000),
    "permute": (0xbf208c00, 0x0e000800), "extract": (0xbfe08400, 0x2e000000), "modified immediate": (0x9ff80400, 0x0f000400),
    "three same": (0x9f200400, 0x0e200400), "scalar three same": (0xdf200400, 0x5e200400),
    "two misc": (0x9f3e0c00, 0x0e200800), "scalar two misc": (0xdf3e0c00, 0x5e200800),
    "across lanes": (0x9f3e0c00, 0x0e300800), "scalar pairwise": (0xdf3e0c00, 0x5e300800),
    "three different": (0x9f200c00, 0x0e200000), "scalar three different": (0xdf200c00, 0x5e200000),
    "shift by immediate": (0x9f800400, 0x0f000400), "scalar shift": (0xdf800400, 0x5f000400),
    "by element": (0x9f000400, 0x0f000000), "scalar by element": (0xdf000400, 0x5f000000),
    "three extra": (0x9f208400, 0x0e008400), "AES": (0xfffe0c00, 0x4e280800), "SHA, three": (0xffe08c00, 0x5e000000),
    "SHA, two": (0xfffe0c00, 0x5e280800), "SHA 512, three": (0xffe0b000, 0xce608000), "four": (0xff808000, 0xce000000),
    "XAR": (0xffe00000, 0xce800000), "SHA 512, two": (0xfffff000, 0xcec08000), "FMOV": (0x7f20fc00, 0x1e200000),
    "float, one source": (0xff207c00, 0x1e204000), "float immediate": (0xff201fe0, 0x1e201000),
}
MASK = (1 << 64) - 1
ENDS = (0x00, 0xff, 0x80, 0x7f)
BATCH = 1500
MOST_X = 15  # general registers from here on are the program's own

# Of each test its registers are loaded, its instruction is called, and all registers are stored.
PROGRAM = """
.arch armv8-a
.data
.balign 16
inputs: .incbin "inputs"
.bss
.balign 16
results: .skip %(bytes)d
.text
.global _start
_start:
	ldr x20, =%(count)d
	ldr x21, =inputs
	ldr x22, =results
	ldr x23, =instructions
loop:
	mov x25, x21
%(load)s
	blr x23
%(store)s
	add x23, x23, #8
	add x21, x21, #%(input_bytes)d
	add x22, x22, #%(result_bytes)d
	subs x20, x20, #1
	b.ne loop
	ldr x1, =results
	ldr x2, =%(bytes)d
write:
	mov x0, #1
	mov x8, #64
	svc #0
	add x1, x1, x0
	subs x2, x2, x0
	b.ne write
	mov x0, #0
	mov x8, #94
	svc #0
	.ltorg
instructions:
%(code)s
"""
INPUT_WORDS, RESULT_WORDS = 64 + 32, 64 + 16


def numbers(seed):
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) & MASK
        yield (seed >> 33 ^ seed << 31) & MASK


def words(seed):
    source = numbers(seed)
    while True:
        word = next(source)
        if word & 3:
            yield next(source)
        else:
            word = next(source)
            yield sum(ENDS[word >> 2 * i & 3] << 8 * i for i in range(8))


def inputs(seed):
    """V0 to V31 as 64 words, X0 to X31, each as the evaluator has them."""
    source = words(seed)
    return struct.pack("<%dQ" % INPUT_WORDS, *(next(source) for _ in range(INPUT_WORDS)))


def execute(folder, tests):
    """V0 to V31 and X0 to X15 behind each of [(opcode, seed)]."""
    with open(os.path.join(folder, "inputs"), "wb") as file:
        file.write(b"".join(inputs(seed) for _, seed in tests))
    load = ["\tldp q%d, q%d, [x25], #32" % (i, i + 1) for i in range(0, 32, 2)]
    load += ["\tldr x%d, [x25], #8" % i for i in range(MOST_X)]
    store = ["\tmov x25, x22"] + ["\tstp q%d, q%d, [x25], #32" % (i, i + 1) for i in range(0, 32, 2)]
    store += ["\tstr x%d, [x25], #8" % i for i in range(MOST_X)]
    with open(os.path.join(folder, "program.s"), "w", encoding="utf-8") as file:
        file.write(PROGRAM % {
            "count": len(tests), "bytes": 8 * RESULT_WORDS * len(tests), "input_bytes": 8 * INPUT_WORDS,
            "result_bytes": 8 * RESULT_WORDS, "load": "\n".join(load), "store": "\n".join(store),
            "code": "\n".join("\t.inst 0x%08x\n\tret" % opcode for opcode, _ in tests)})
    subprocess.run([COMPILER, "-nostdlib", "-static", "-I.", "program.s", "-o", "program"], cwd=folder, check=True)
    done = subprocess.run([QEMU, "-cpu", "max", "program"], cwd=folder, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        return None
    size = 8 * RESULT_WORDS
    return [done.stdout[at:at + size] for at in range(0, size * len(tests), size)]


def evaluate(evaluator, tests):
    text = "".join("%x %x\n" % test for test in tests)
    return subprocess.run([evaluator], input=text, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def drawn(evaluator, rnd, times):
    """Opcodes that are computed, by the evaluator's word: [(opcode, seed, what it said)]."""
    tests = []
    for mask, bits in GROUPS.values():
        some = [(rnd.randrange(1 << 32) & ~mask & 0xffffffff | bits, rnd.randrange(1 << 16)) for _ in range(60 * times)]
        said = evaluate(evaluator, some)
        # The program has registers of its own.
        known = [(opcode, seed, answer) for (opcode, seed), answer in zip(some, said) if answer != "unknown" and
                 not (answer[0] == "x" and MOST_X <= int(answer[1:].split()[0]) < 32)]
        texts = visible.disassemble(opcode for opcode, _, _ in known) if known else {}
        free = [test for test in known if all(int(n) < MOST_X for n in re.findall(r"\b[xw](\d+)\b", texts[test[0]]))]
        by_name = {}
        for test in free:
            by_name.setdefault(texts[test[0]].split()[0], []).append(test)
        # As many of each mnemonic as there are, in turns.
        turns = max(map(len, by_name.values()), default=0)
        tests += [group[turn] for turn in range(turns) for group in by_name.values() if turn < len(group)][:times]
    return tests


def real_value(result, where):
    """What the emulator has in the register that was said to be written; None: it is no register, or the program's."""
    number = int(where[1:])
    if where[0] == "v":
        return result[16 * number:16 * number + 16].hex()
    return (result[512 + 8 * number:520 + 8 * number] + bytes(8)).hex() if number < MOST_X else None


def form(text):
    """The mnemonic, and of which vectors the first operand is."""
    return re.sub(r"\d+", "", text.split()[0] + " " + text.split()[1].split(".")[0].rstrip(",")) + "".join(re.findall(r"\.\d*\w", text)[:1])


def culprit(folder, tests):
    """The first of the tests that ends the program."""
    while len(tests) > 1:
        half = len(tests) // 2
        tests = tests[half:] if execute(folder, tests[:half]) else tests[:half]
    return tests[0]


def main():
    evaluator = sys.argv[1]
    table = sys.argv[2:] == ["--table"]
    if not (QEMU and COMPILER and visible.DISASSEMBLER):
        common.skip("no qemu-aarch64, cross compiler or disassembler")
    tests = drawn(evaluator, random.Random(1), 400 if table else int(sys.argv[2]) if len(sys.argv) > 2 else 60)
    texts = visible.disassemble(opcode for opcode, _, _ in tests)
    forms = {}
    with tempfile.TemporaryDirectory() as folder:
        for begin in range(0, len(tests), BATCH):
            batch = tests[begin:begin + BATCH]
            results = execute(folder, [test[:2] for test in batch])
            if not results:
                opcode = culprit(folder, [test[:2] for test in batch])[0]
                common.fail("0x%08x %s is computed, and undefined" % (opcode, texts[opcode]))
                break
            for (opcode, seed, answer), result in zip(batch, results):
                where, value = answer.split()
                real = real_value(result, where)
                if real not in (None, value):
                    common.fail("0x%08x %s of 0x%x: %s, and is %s" % (opcode, texts[opcode], seed, answer, real))
                if real:
                    forms.setdefault(form(texts[opcode]), (opcode, seed, real))
    if table:
        for opcode, seed, real in (forms[name] for name in sorted(forms)):
            print("\t{ 0x%08x, 0x%04x, \"%s\" }, /* %s */" % (opcode, seed, real, form(texts[opcode])))
    common.finish(len(tests), "instructions executed, %d mnemonics" % len({text.split()[0] for text in texts.values()}))


main()
