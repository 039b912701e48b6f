#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""insn_log.py TRACELATHE: logs of instructions against counts that come in another way.

A program is run by qemu-aarch64 with -d in_asm,exec,nochain, and once more a block for each instruction, where each line
"Trace" is an instruction and needs no text: counts of each function are the sums of these by the program's symbols. Calls
are those of the source. The log as Tarmac and as the plugin execlog writes it, made here by a model of this log in Python,
gives the same profile. Needed: qemu-aarch64 and aarch64-linux-gnu-gcc.
"""
import bisect
import collections
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
X86 = shutil.which("qemu-x86_64")
C = r"""
static volatile int sink;
__attribute__((noinline)) int leaf(int x) { return x * 3 + 1; }
__attribute__((noinline)) int middle(int x) { int s = 0; for (int i = 0; i < 3; i++) s += leaf(x + i); return s; }
__attribute__((noinline)) int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
__attribute__((noinline)) int by_pointer(int (*f)(int), int x) { return f(x) + 1; }
int main(int argc, char **argv)
{
	for (int i = 0; i < 5; i++)
		sink += middle(i) + fact(i + argc);
	for (int i = 0; i < 4; i++)
		sink += by_pointer(leaf, i) + by_pointer(middle, i);
	return 0;
}
"""
CALLS = {"main": 1, "middle": 9, "leaf": 3 * 9 + 4, "fact": 1 + 2 + 3 + 4 + 5, "by_pointer": 8}
TRACE = re.compile(r"^Trace (\d+): 0x[0-9a-f]+ \[[0-9a-f]+/([0-9a-f]+)/", re.M)
TEXT = re.compile(r"^0x([0-9a-f]+):  ([0-9a-f]{8})  (.*?) *$", re.M)


def log_of(folder, program, *options):
    path = os.path.join(folder, "log")
    emulators.run([QEMU, *options, "-D", path, program], check=True)
    return open(path).read(), path


def symbols_of(program):
    lines = subprocess.run(["aarch64-linux-gnu-nm", "-S", program], capture_output=True, text=True).stdout.splitlines()
    rows = sorted((int(f[0], 16), int(f[1], 16), f[3]) for f in (line.split() for line in lines) if len(f) == 4 and f[2] in "tTwW")
    return [r[0] for r in rows], rows


def executed(text):
    """The model: (PC, opcode, text of the instruction) in the order of execution; blocks by the last text of their address."""
    blocks, block, order = {}, None, []
    for line in text.splitlines():
        if line.startswith("IN:"):
            block = []
        elif block is not None and TEXT.match(line):
            address, opcode, words = TEXT.match(line).groups()
            if not block:
                blocks[int(address, 16)] = block
            block.append((int(address, 16), opcode, words))
        elif line.startswith("Trace "):
            order += blocks[int(TRACE.match(line).group(2), 16)]
            block = None
    return order


def reported(program, path):
    rows = common.report("--binary", program, path)
    return {re.sub(r"[(.].*", "", r["function"]): (int(r["Ir:self"]), int(r["calls"])) for r in rows}


def check_counts(program, text, single, path):
    starts, rows = symbols_of(program)
    wanted = collections.Counter()
    for _, pc in TRACE.findall(single):
        at = bisect.bisect_right(starts, int(pc, 16)) - 1
        wanted[rows[at][2]] += 1
    got = reported(program, path)
    for name, calls in CALLS.items():
        expect("instructions and calls of " + name, got.get(name), (wanted[name], calls))
    total = sum(n for n, _ in got.values())
    expect("all instructions", total, sum(wanted.values()))
    expect("all instructions by the model", total, len(executed(text)))


def check_forms(folder, program, text, path):
    """Other forms of the log of the same execution: the same report; the listing has each instruction."""
    order = executed(text)
    forms = {
        "tarmac": "".join("%d clk cpu0 IT (%d) %016x %s O EL0t_n : %s\n" % (i, i, pc, opcode, words)
                          for i, (pc, opcode, words) in enumerate(order, 1)),
        "execlog": "".join('0, 0x%x, 0x%s, "%s"\n' % (pc, opcode, words.replace('"', "")) for pc, opcode, words in order)}
    wanted = common.run("report", "--binary", program, path)
    for form, lines in forms.items():
        other = os.path.join(folder, form)
        open(other, "w").write(lines)
        expect("report of " + form, common.run("report", "--binary", program, other), wanted)
    listed = common.run("dump", "--json", path).splitlines()
    expect("listed", len(listed), len(order))
    for line, (pc, opcode, _) in zip(listed[::97], order[::97]):
        if '"pc":"0x%x"' % pc not in line or '"opcode":"0x%x"' % int(opcode, 16) not in line:
            fail("listed: %s is not %x %s" % (line, pc, opcode))
    if common.run("analyze", "--mix", path) != common.run("analyze", "--mix", other):
        fail("the mix of the forms differs")


def check_tarmac(folder):
    """What tracelathe writes as Tarmac of a recorded stream is read back: the same instructions and calls."""
    stream = os.path.join(common.ROOT, "tests", "golden", "xtrace", "u1-recur-vl128")
    streams = sorted(os.path.join(stream, n) for n in os.listdir(stream) if ".xinsndata.bin" in n)
    log = os.path.join(folder, "written.tarmac")
    common.run("convert", "--to", "tarmac", "-o", log, streams[0])
    columns = ["function", "Ir:self", "Ir:inclusive", "LoadBytes:self", "StoreBytes:self", "calls"]
    wanted, got = ([[row[c] for c in columns] for row in common.report(path)] for path in (streams[0], log))
    expect("report of written Tarmac", got, wanted)


def check_refused(folder):
    if not X86:
        return
    path = os.path.join(folder, "x86")
    subprocess.run([X86, "-d", "in_asm,exec,nochain", "-D", path, shutil.which("true")], stdout=subprocess.DEVNULL)
    common.run("report", path, status=(2,))


def main():
    if not QEMU or not CC:
        skip("no qemu-aarch64 or aarch64-linux-gnu-gcc")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        open(program + ".c", "w").write(C)
        if subprocess.run([CC, "-static", "-O1", "-fno-optimize-sibling-calls", "-o", program, program + ".c"]).returncode:
            skip("no static programs of AArch64 can be made")
        single, _ = log_of(folder, program, "-singlestep", "-d", "exec,nochain")
        text, path = log_of(folder, program, "-d", "in_asm,exec,nochain")
        check_counts(program, text, single, path)
        check_forms(folder, program, text, path)
        check_tarmac(folder)
        check_refused(folder)
    finish(13, "logs of instructions")


main()
