#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`analyze --syscalls` of cores whose kernel switches tasks: made streams, of which it is known who called what, how many
instructions of its own a task had executed since its call before, and what each call returned."""
import json
import os
import random
import struct
import tempfile

import common
from common import expect, run

SVC, NOP, MSR_SP_EL0, ERET = 0xd4000001, 0xd503201f, 0xd5184100, 0xd69f03e0
NUMBERS = {63: "read", 64: "write", 172: "getpid", 98: "futex"}
KERNEL = 0xffff800008010000
compared = 0


class Task:
    def __init__(self, number):
        self.id, self.pc = 0xffff000001000000 + 0x1000 * number, 0x400000 + 0x10000 * number
        self.x = [0x1000 * number + n for n in range(32)]  # what no system call changes
        self.user, self.call = 0, None


class Core:
    """A stream of a core, written as its tasks run; what is known is kept beside."""

    def __init__(self, seed, tasks):
        self.chance, self.data, self.count = random.Random(seed), b"", 0
        self.tasks, self.calls = [Task(n) for n in range(tasks)], []
        self.now = self.tasks[0]

    def insn(self, level, pc, opcode):
        self.data += struct.pack("<BQI", 9 | level << 6, pc, opcode)
        self.count += 1

    def registers(self):
        self.data += b"\x0c" + struct.pack("<32Q", *self.now.x)

    def run(self):
        for _ in range(self.chance.randrange(1, 20)):
            self.insn(0, self.now.pc, NOP)
            self.now.pc += 4
            self.now.user += 1

    def call(self):
        task, number = self.now, self.chance.choice(list(NUMBERS))
        arguments = [self.chance.randrange(1 << 63) for _ in range(6)]
        task.call = {"instruction": self.count, "task": task.id, "number": number, "between": task.user,
                     "arguments": arguments, "result": None}
        self.calls.append(task.call)
        self.insn(0, task.pc, SVC)
        for value in (number, *arguments):
            self.data += struct.pack("<BQ", 0x13, value)
        task.pc += 4
        task.user = 0

    def enter(self):
        """The kernel sets SP_EL0 to the address of its thread when it is entered."""
        self.registers()
        self.insn(1, KERNEL, MSR_SP_EL0)
        self.data += struct.pack("<BQ", 0x0b, self.now.id)

    def switch(self, task):
        self.now = task
        self.insn(1, KERNEL + 64, MSR_SP_EL0)
        self.data += struct.pack("<BQ", 0x0b, task.id)

    def leave(self):
        self.insn(1, KERNEL + 128, ERET)
        self.data += struct.pack("<BQ", 0x2b, self.now.pc)
        self.registers()
        if self.now.call:
            result = self.chance.choice((0, 1, 4096, -2, -11, 0x7f0012345000)) & (1 << 64) - 1
            self.now.call["result"] = result
            self.now.call = None
            self.data += struct.pack("<BQ", 0x1b, result)

    def write(self, path, turns):
        for _ in range(turns):
            self.run()
            # An interrupt enters the kernel as well.
            if self.chance.random() < 0.8:
                self.call()
            self.enter()
            while self.chance.random() < 0.5:
                self.switch(self.chance.choice(self.tasks))
            self.leave()
        self.run()
        self.call()
        with open(path, "wb") as file:
            file.write(self.data)


def plain(rows):
    return sorted((r["instruction"], r["task"] and int(r["task"], 16), r["number"], r["between"],
                   r["result"] and int(r["result"], 16), len(r["arguments"])) for r in rows)


def counts_of(calls):
    found = {}
    for call in calls:
        row = found.setdefault((call["task"], call["number"]), [0, 0, 0, 0, 1 << 64, 0])
        row[0] += 1
        row[1] += call["result"] is not None and call["result"] >= (1 << 64) - 4095
        row[2] += call["result"] is None
        row[3] += call["between"]
        row[4] = min(row[4], call["between"])
        row[5] = max(row[5], call["between"])
    return found


def check(name, cores, paths):
    global compared
    got = json.loads(run("analyze", "--syscalls", "--json", *paths))
    for core, path in zip(cores, paths):
        thread = int(os.path.basename(path).split(".")[2])
        rows = [r for r in got["syscalls"] if r["thread"] == thread]
        arguments = {"read": 3, "write": 3, "getpid": 0, "futex": 6}
        expect(name, plain(rows), sorted((c["instruction"], c["task"], c["number"], c["between"], c["result"],
                                          arguments[NUMBERS[c["number"]]]) for c in core.calls))
        expect(name + ": counts", {(int(r["task"], 16), r["number"]):
                                   [r[key] for key in ("calls", "errors", "unknown", "between", "least", "most")]
                                   for r in got["syscall_counts"] if r["thread"] == str(thread)}, counts_of(core.calls))
        compared += len(rows)
    expect(name + ": names", {r["name"] for r in got["syscall_counts"]} <= set(NUMBERS.values()), True)
    keys = [(r["thread"], r["task"], -r["calls"], r["number"]) for r in got["syscall_counts"]]
    expect(name + ": most calls first", keys, sorted(keys))


def check_names(core, path, folder):
    """The kernel's names from its System.map and from kallsyms, whatever the files are called."""
    global compared
    executed = {}
    for at in range(0, 192, 64):
        executed[at] = core.data.count(struct.pack("<BQ", 9 | 1 << 6, KERNEL + at))
    lines = ["%016x T entry", "%016x t switch_to", "%016x T leave"]
    texts = {"map": ["ffff800008000000 t _head"] + [line % (KERNEL + 64 * n) for n, line in enumerate(lines)],
             "kallsyms": [(line + "\t[some_module]") % (KERNEL + 64 * n) for n, line in reversed(list(enumerate(lines)))]}
    for name, text in texts.items():
        names = os.path.join(folder, "names-of-" + name)
        with open(names, "w", encoding="ascii") as file:
            file.write("\n".join(text) + "\n")
        got = {row["function"]: int(row["Ir:self"]) for row in common.report("--binary", names, path)
               if row["function"] in ("entry", "switch_to", "leave")}
        expect(name, got, {"entry": executed[0], "switch_to": executed[64], "leave": executed[128]})
        functions = json.loads(run("analyze", "--cache", "--json", "--binary", names, path))["cache_functions"]
        expect(name + " in analyze", {r["function"]: r["instructions"] for r in functions if r["function"] in got}, got)
        compared += len(got)
    for name, text in (("hidden", "0000000000000000 T entry\n"), ("no names", "ffff800008000000\n")):
        with open(names, "w", encoding="ascii") as file:
            file.write(text)
        run("report", "--binary", names, path, status=(2, 3, 4))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        for seed, tasks in ((1, 1), (2, 2), (3, 7)):
            core = Core(seed, tasks)
            path = os.path.join(scratch, "xtrace.%d.0.hint9.xinsndata.bin" % seed)
            core.write(path, 300)
            check("%d tasks" % tasks, [core], [path])
        check_names(core, path, scratch)
        cores, paths = [Core(4, 3), Core(5, 3)], [os.path.join(scratch, "xtrace.9.%d.hint9.xinsndata.bin" % n) for n in (0, 1)]
        for core, path in zip(cores, paths):
            core.write(path, 100)
        check("two cores", cores, paths)
    common.finish(compared, "calls")


if __name__ == "__main__":
    main()
