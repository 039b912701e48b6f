#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Slices that run: every slice of every user stream, as `slice --to elf` makes a program of it, under qemu-aarch64. The
addresses that are executed are those of the trace, to the last one; the registers at the end are those of the next
snapshot. Streams: the pairs in tests/golden/xtrace, which are those of the shared corpus and one of pointer authentication
(xtrace_slices/signed.S); in the long run also the large ones of the shared corpus. Streams of several threads run as one
program of as many threads: the golden ones, and fresh recordings of xtrace_slices/threads.c, by the plugin that `record
--how emulate` uses. Needed: a qemu-aarch64 that loads plugins (Debian's qemu-user 7.2 does), or what QEMU_AARCH64 names, and
zstd; for fresh recordings a compiler for AArch64."""
import glob
import os
import re
import shutil
import struct
import subprocess
import tempfile

import common
import emulators
import xtrace_model as model

FOLDER = os.path.join(common.ROOT, "tests", "differential", "xtrace_slices")
QEMU = os.environ.get("QEMU_AARCH64") or shutil.which("qemu-aarch64")
CC = os.environ.get("AARCH64_CC") or shutil.which("aarch64-linux-gnu-gcc")
LIBRARIES = os.environ.get("QEMU_LD_PREFIX", "/usr/aarch64-linux-gnu")
RECORDER = os.path.join(os.path.dirname(common.command()), "emulator", "libtracelathe-emulate-aarch64.so")
X, Z = 32, 288


def follower(scratch, *candidates):
    """The plugin that follows slices, for the first emulator that loads it, which is the one from here on; None: there is
    none."""
    global QEMU
    plugin, none = os.path.join(scratch, "follow.so"), os.path.join(scratch, "none")
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", plugin, os.path.join(FOLDER, "follow.c")], check=True)
    write_list(none, [])
    for qemu in filter(None, candidates):
        tried = emulators.run([qemu, "-plugin", plugin + ",expect=" + none, os.path.join(model.GOLDEN, "small.elf")])
        if tried.returncode == 0:
            QEMU = qemu
            return plugin
        print("%s does not follow slices: %s" % (qemu, tried.stderr.strip()[:200]))
    return None


class Pair:
    """The files of a pair as sections 2.3 and 2.4 of docs/formats/xtrace.md have them."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.stream = file.read()
        with open(path.replace("xinsndata", "xsnapshot"), "rb") as file:
            data = file.read()
        self.vector = struct.unpack_from("<Q", data, len(data) - 8)[0] // 8
        self.predicate = (self.vector // 8 + 15) // 16 * 16
        size = Z + 32 * self.vector + 17 * self.predicate + self.vector ** 2 + 96
        self.snapshots = [data[at:at + size] for at in range(24, len(data), size)]
        self.places = [struct.unpack_from("<Q", s, 8)[0] for s in self.snapshots] + [len(self.stream)]

    def pcs(self, begin, end):
        """Addresses of the instructions in these bytes, and whether all of them are the user's."""
        at, pc, found, user = begin, 0, [], True
        while at < end:
            token = self.stream[at]
            size = 8
            if token & 7 == 1:
                size = 12 if token >> 3 & 7 else 4
                pc = struct.unpack_from("<Q", self.stream, at + 1)[0] if size == 12 else pc + 4
                found.append(pc)
                user = user and token < 0x40
            elif token & 7 == 2:
                size = 8 + (1 << (token >> 4))
            elif token == 0x0c:
                size = 256
            elif token == 0x24:
                size = 8 + 16 * struct.unpack_from("<Q", self.stream, at + 1)[0]
            at += 1 + size
        return found, user

    def part(self, first, end):
        return self.pcs(self.places[first], self.places[end])


def bytes_of(digits):
    """The register that QEMU prints as hexadecimal digits."""
    return bytes.fromhex(digits.rjust(len(digits) + len(digits) % 2, "0"))[::-1]


def log_at(program, cpu, pc):
    """What QEMU says of the registers when the program comes to an address for the last time."""
    running = subprocess.Popen([QEMU, "-cpu", cpu, "-singlestep", "-d", "cpu,fpu,exec,nochain", "-dfilter",
                                "0x%x+4" % pc, "-D", "/dev/stdout", program], stdout=subprocess.PIPE, text=True)
    block = []
    # All is said where it does not end.
    with running, emulators.ended(running):
        for line in running.stdout:
            block = [] if line.startswith("Trace ") else block + [line]
    return "".join(block)


def compare_registers(what, pair, log, snapshot):
    number = {m[1]: int(m[2], 16) for m in re.finditer(r"\b(X\d\d|SP|PSTATE|FPCR|FPSR)=([0-9a-f]+)", log)}
    fpcr, fpsr, nzcv = struct.unpack_from("<3Q", snapshot, len(snapshot) - 96)
    wanted = dict(zip(["X%02d" % i for i in range(31)] + ["SP"], struct.unpack_from("<32Q", snapshot, X)))
    wanted.update(FPCR=fpcr, FPSR=fpsr, NZCV=nzcv >> 28)
    number["NZCV"] = number.pop("PSTATE", 0) >> 28
    if "signed" in what:
        # Signatures are taken off: what differs is above the address.
        number, wanted = ({n: v % (1 << 48) for n, v in registers.items()} for registers in (number, wanted))
    common.expect(what + " registers", number, wanted)
    seen = []
    for m in re.finditer(r"\b(Q|Z|P|FFR)(\d*)((?:(?:\[[^]]*\])?=[0-9a-f:]+\s*)+)", log):
        number = 16 if m[1] == "FFR" else int(m[2])
        at = Z + number * pair.vector
        if m[1] in ("P", "FFR"):
            at = Z + 32 * pair.vector + number * pair.predicate
        value = bytes_of(re.sub(r"\[[^]]*\]=|[=:\s]", "", m[3]))
        common.expect(what + " " + m[1] + m[2], value.hex(), snapshot[at:at + len(value)].hex())
        seen.append(m[1])
    common.expect(what + " vector registers", len(seen), 32 if "Q" in seen else 32 + 17)


def said(what):
    return "signed" in what or "signals" in what


def processor(pair, what):
    """Without SVE QEMU prints vector registers alone."""
    return "max" if pair.vector > 16 or "vectors" in what else "max,sve=off"


def ends_handlers(pair, begin, end):
    """How often rt_sigreturn is called in these bytes: SVC's first argument is 139."""
    return pair.stream[pair.places[begin]:pair.places[end]].count(struct.pack("<BQ", 0x13, 139))


def run_earlier(what, told, pair, number, end, plugin, scratch):
    """A handler ends that began before the slice, and not all that it interrupted is known: what is told is where to begin."""
    common.expect(what + " says why", "that began before the slice" in told, True)
    place = re.search(r"xsnapshot\.bin: offset (0x[0-9a-f]+), record (\d+): the last snapshot before that handler began", told)
    if not common.expect(what + " says where to begin", bool(place), True):
        return False
    first = int(place[2])
    common.expect(what + " is told to begin before", first < number, True)
    common.expect(what + " place of the snapshot", int(place[1], 16), 24 + first * len(pair.snapshots[0]))
    return run_slice(pair, first, plugin, scratch, end)


def run_slice(pair, number, plugin, scratch, end=None):
    """From a snapshot to before another one, mostly the next. Returns whether it ran."""
    end = end or number + 1
    what = "%s slice %d..%d" % (os.path.basename(os.path.dirname(pair.path)), number, end)
    program, list_file = os.path.join(scratch, "slice.elf"), os.path.join(scratch, "expected")
    made = subprocess.run([common.command(), "slice", "--snapshots", "%d..%d" % (number, end), "--to", "elf", "-o",
                           program, pair.path], capture_output=True, text=True)
    pcs, user = pair.part(number, end)
    if not user:
        common.expect(what + " is refused", made.returncode, 2)
        common.expect(what + " says why", "ran in the kernel" in made.stderr, True)
        print("%s: not run, as parts of it ran in the kernel" % what)
        return False
    if made.returncode == 2 and ends_handlers(pair, number, end) and number:
        return run_earlier(what, made.stderr, pair, number, end, plugin, scratch)
    # What is said of a program is no failure; 1: a signature was taken off, an instruction faulted.
    if not common.expect(what + " is made", made.returncode in ((0, 1) if said(what) else (0,)), True):
        return False
    if not said(what):
        common.expect(what + " has remarks", made.stderr, "")
    if max(struct.unpack_from("<32Q", pair.snapshots[number], X)[31:]) >> 47:
        print("%s: not run, as its stack lies above 2^47, where this emulator has no room" % what)
        return False
    with open(list_file, "wb") as file:
        file.write(struct.pack("<%dQ" % len(pcs), *pcs))
    cpu = processor(pair, what)
    ran = emulators.run([QEMU, "-cpu", cpu, "-plugin", plugin + ",expect=" + list_file, program])
    common.expect(what + " ends", (ran.returncode, ran.stderr), (0, ""))
    common.expect(what + " executes", ran.stdout.rsplit(",", 1)[0], "equal %d of %d" % (len(pcs), len(pcs)))
    if end < len(pair.snapshots):
        last = pair.pcs(pair.places[end], pair.places[end + 1])[0][0]
        compare_registers(what, pair, log_at(program, cpu, last), pair.snapshots[end])
    return True


def write_list(path, pcs):
    with open(path, "wb") as file:
        file.write(struct.pack("<%dQ" % len(pcs), *pcs))
    return path


def remove_logs(scratch):
    for path in glob.glob(os.path.join(scratch, "log.*")):
        os.unlink(path)


def last_logs(program, cpu, ends, scratch):
    """For each thread what QEMU says of its registers when it comes to its end for the last time."""
    places = ",".join("0x%x+4" % pc for pc in sorted(set(ends)))
    emulators.run([QEMU, "-cpu", cpu, "-singlestep", "-d", "tid,cpu,fpu,exec,nochain", "-dfilter", places, "-D",
                   os.path.join(scratch, "log.%d"), program], clear=lambda: remove_logs(scratch), check=True)
    logs = [""] * len(ends)
    for path in glob.glob(os.path.join(scratch, "log.*")):
        with open(path, encoding="utf-8") as file:
            for block in re.split(r"^(?=Trace )", file.read(), flags=re.M):
                head = re.match(r"Trace (\d+): \S+ \[[0-9a-f]+/([0-9a-f]+)/", block)
                if head and int(head[2], 16) == ends[int(head[1])]:
                    logs[int(head[1])] = block.split("\n", 1)[1]
    return logs


def run_group(folder, plugin, scratch, first=None, end=None):
    """The streams of a folder as one program of as many threads, from one snapshot to before another. Returns whether it
    ran."""
    pairs = [Pair(path) for path in sorted(glob.glob(os.path.join(folder, "*.xinsndata.bin")))]
    what = "%s threads %s..%s" % (os.path.basename(folder), first, end)
    part = ("--snapshots", "%d..%d" % (first, end)) if end else ()
    first = first or 0
    pairs = [pair for pair in pairs if first < len(pair.snapshots)]
    program = os.path.join(scratch, "threads.elf")
    made = subprocess.run([common.command(), "slice", *part, "--to", "elf", "-o", program] + [p.path for p in pairs],
                          capture_output=True, text=True)
    if not common.expect(what + " is made", (made.returncode, made.stderr), (0, "")):
        return False
    lasts = [min(end, len(pair.snapshots)) if end else len(pair.snapshots) for pair in pairs]
    lists = [pair.pcs(pair.places[first], pair.places[last])[0] for pair, last in zip(pairs, lasts)]
    files = ["expect=" + write_list(os.path.join(scratch, "expected.%d" % i), pcs) for i, pcs in enumerate(lists)]
    cpu = processor(pairs[0], what)
    ran = emulators.run([QEMU, "-cpu", cpu, "-plugin", ",".join([plugin] + files), program])
    common.expect(what + " ends", (ran.returncode, ran.stderr), (0, ""))
    common.expect(what + " executes", [line.rsplit(",", 1)[0] for line in ran.stdout.splitlines()],
                  ["equal %d of %d" % (len(pcs), len(pcs)) for pcs in lists])
    followed = [i for i, pair in enumerate(pairs) if lasts[i] < len(pair.snapshots)]
    if len(followed) < len(pairs):
        return True
    ends = [pair.pcs(pair.places[last], pair.places[last + 1])[0][0] for pair, last in zip(pairs, lasts)]
    for i, log in enumerate(last_logs(program, cpu, ends, scratch)):
        compare_registers("%s thread %d" % (what, i), pairs[i], log, pairs[i].snapshots[lasts[i]])
    return True


def record(scratch, name, flags, *plugin, cpu="max,sve=off,sme=off"):
    """Compile and record a program; returns the folder of its pairs, which `check` has nothing to say of."""
    program, folder = os.path.join(scratch, name), os.path.join(scratch, "recorded-" + name)
    os.mkdir(folder)
    sources = [os.path.join(FOLDER, name.split("-")[0] + end) for end in (".c", ".S")]
    sources.append(os.path.join(FOLDER, "..", "xtrace_live", name.split("-")[0] + ".c"))
    source = next(filter(os.path.exists, sources))
    subprocess.run([CC, "-O2", *flags, "-o", program, source], check=True)
    emulators.run([QEMU, "-L", LIBRARIES, "-cpu", cpu, "-singlestep", "-plugin",
                   ",".join([RECORDER, "folder=" + folder, *plugin]), program, os.path.join(scratch, "written")],
                  clear=lambda: emulators.empty(folder), check=True)
    streams = sorted(glob.glob(os.path.join(folder, "*.xinsndata.bin")))
    common.expect(name + " is good", common.run("check", *streams, status=(0,)), "")
    return folder


def run_fresh_threads(plugin, scratch):
    """Threads that depend on each other, by exclusives and by atomic instructions."""
    ran = 0
    for name, flags in (("threads-exclusives", ("-mno-outline-atomics",)), ("threads-atomics", ("-march=armv8.1-a",))):
        folder = record(scratch, name, ("-static", *flags), "time=on", "every=2000")
        for first, end in ((None, None), (0, 2), (3, 5)):
            ran += run_group(folder, plugin, scratch, first, end)
    return ran


def run_whole(path, plugin, scratch):
    """All of a stream as one slice, in which each signal and each end of its handler is."""
    pair = Pair(path)
    common.expect(path + " has handlers that end", ends_handlers(pair, 0, len(pair.snapshots)) > 5, True)
    ran = run_slice(pair, 0, plugin, scratch, len(pair.snapshots))
    common.expect(path + " runs as a whole", ran, True)
    return ran


def run_fresh_interrupts(plugin, scratch):
    """Threads with signals: by one program, and thread by thread."""
    folder = record(scratch, "interrupts-signals", ("-static", "-march=armv8.1-a"), "time=on", "every=3000")
    ran = sum(run_group(folder, plugin, scratch, first, end) for first, end in ((None, None), (0, 1), (0, 3)))
    return ran + sum(run_whole(path, plugin, scratch) for path in glob.glob(os.path.join(folder, "*.xinsndata.bin")))


def run_fresh_vectors(plugin, scratch):
    """SVE at several lengths, with signals between."""
    ran = 0
    for bits in (128, 256, 512, 1024, 2048) if common.LONG else (256, 512):
        folder = record(scratch, "vectors-%d-signals" % bits, ("-static", "-O3", "-ffast-math", "-march=armv8.2-a+sve"),
                        "every=5000", cpu="max,sve%d=on,sve-default-vector-length=%d,sme=off" % (bits, bits // 8))
        for path in glob.glob(os.path.join(folder, "*.xinsndata.bin")):
            common.expect("vectors have %d bits" % bits, Pair(path).vector * 8, bits)
            ran += run_whole(path, plugin, scratch)
            ran += sum(run_slice(Pair(path), number, plugin, scratch) for number in range(0, len(Pair(path).snapshots), 2))
    return ran


def run_fresh_handlers(plugin, scratch):
    """Signals wherever they come: a snapshot before every instruction, so that each handler begins with one, whatever
    the machine does; then slices of some instructions."""
    flags = ("-static", "-nostdlib", "-Wl,--no-warn-rwx-segments")
    pair = Pair(glob.glob(os.path.join(record(scratch, "handlers-each", flags, "every=1"), "*.xinsndata.bin"))[0])
    pcs, _ = pair.pcs(0, len(pair.stream))
    common.expect("snapshots before every instruction", len(pair.snapshots), len(pcs))
    path = glob.glob(os.path.join(record(scratch, "handlers-signals", flags, "every=32"), "*.xinsndata.bin"))[0]
    return run_whole(path, plugin, scratch) + run_all(path, plugin, scratch)


def run_fresh(plugin, scratch):
    """Threads, signals, system calls with vectors, pointer authentication, a library that is loaded at run time."""
    if not CC or not os.path.exists(RECORDER):
        print("no fresh recordings: no compiler for AArch64, or no plugin that records")
        return 0
    ran = run_fresh_threads(plugin, scratch) + run_fresh_handlers(plugin, scratch)
    if not common.SMALL:
        ran += run_fresh_interrupts(plugin, scratch) + run_fresh_vectors(plugin, scratch)
    programs = [] if common.SMALL else [("calls-plain", ("-static",)), ("calls-signed", ("-static", "-mbranch-protection=standard")),
                ("residue-signed", ("-static", "-mbranch-protection=standard")), ("signals-plain", ("-static",))]
    if os.path.exists(os.path.join(LIBRARIES, "lib", "libm.so.6")) and not common.SMALL:
        programs.append(("calls-library", ("-DWITH_LIBRARY",)))
    for name, flags in programs:
        folder = record(scratch, name, flags, "every=%d" % {"calls": 10000, "residue": 4000}.get(name.split("-")[0], 500))
        for path in glob.glob(os.path.join(folder, "*.xinsndata.bin")):
            ran += run_all(path, plugin, scratch)
    return ran


def golden_pairs(scratch):
    """Recordings of our own, unpacked."""
    folders = sorted(glob.glob(os.path.join(model.GOLDEN, "[uk][0-9]-*"))) + [os.path.join(model.GOLDEN, "processes")]
    return [path for folder in folders for path in model.unpack(os.path.basename(folder), scratch)]


def large_pairs(scratch):
    """The large ones, one at a time: the pair of 25.8 M user instructions, and the two cores."""
    for folder in ("large", "large/core2"):
        for packed in sorted(glob.glob(os.path.join(common.SHARED, "corpus", folder, "xtrace.*.xinsndata.bin.zst"))):
            there = os.path.join(scratch, os.path.basename(folder))
            shutil.rmtree(there, ignore_errors=True)
            os.mkdir(there)
            for path in packed, packed.replace("xinsndata", "xsnapshot"):
                subprocess.run(["zstd", "-q", "-d", "--long=27", path, "-o",
                                os.path.join(there, os.path.basename(path)[:-4])], check=True)
            yield os.path.join(there, os.path.basename(packed)[:-4])


def run_all(path, plugin, scratch):
    pair = Pair(path)
    return sum(run_slice(pair, number, plugin, scratch) for number in common.some(range(len(pair.snapshots))))


def main():
    if not QEMU:
        common.skip("no qemu-aarch64 to run slices with (Debian's qemu-user)")
    ran = 0
    with tempfile.TemporaryDirectory() as scratch:
        plugin = follower(scratch, QEMU)
        if not plugin:
            common.skip("this qemu-aarch64 loads no plugins of version 1")
        for path in golden_pairs(scratch):
            ran += run_all(path, plugin, scratch)
        together = os.path.join(scratch, "together")
        os.mkdir(together)
        for path in model.unpack("u4-thr-time", together):
            folder = os.path.dirname(path)
        for first, end in common.some([(None, None), (0, 1), (0, 3), (1, 2), (2, 5), (4, 6)]):
            ran += run_group(folder, plugin, scratch, first, end)
        ran += run_fresh(plugin, scratch)
        for path in large_pairs(scratch) if common.LONG else ():
            ran += run_all(path, plugin, scratch)
    common.finish(ran, "slices ran")


if __name__ == "__main__":
    main()
