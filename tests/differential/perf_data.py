#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""perf.data with Intel PT: what each thread ran, against the ground truth of the shared corpus and against perf itself.

  perf_data.py TRACELATHE PERF_RUNS

The files are those of the corpus, and all forms that perf_writer.py makes of its traces. PERF_RUNS drives the public
interface and prints a line for each thread; perf script gives the same list of instructions where perf is installed.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

import common
import perf_writer as pw
import pt_corpus
from perf_writer import Machine, Slice, Writer, WRAP, turns
from pt_corpus import CORPUS

HASH = 0xcbf29ce484222325
RUNS = os.path.abspath(sys.argv[2])
PERF = None
compared = {"truth": 0, "perf": 0}


def truth(name):
    """(instructions, hash) of a corpus program."""
    values = dict(line.split(None, 1) for line in open(os.path.join(CORPUS, name + ".truth"), encoding="utf-8"))
    return int(values["insns"]), values["hash"].strip()


def trace(name, variant):
    with open(os.path.join(CORPUS, "%s.%s.pt" % (name, variant)), "rb") as file:
        return file.read()


def map_of(name):
    return os.path.join(CORPUS, name + ".map")


def ours(path):
    """{thread: (instructions, hash)}, and everything else that was said. Names are relative to the corpus."""
    done = subprocess.run([RUNS, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=CORPUS)
    threads, errors = {}, []
    for line in done.stdout.decode().splitlines():
        fields = line.split()
        if line.startswith("error"):
            errors.append(line)
            continue
        threads[int(fields[1])] = (int(fields[-3]), fields[-2])
        if fields[-1] != "0":
            errors.append(line)
    errors += [line for line in done.stderr.decode().splitlines() if not line.startswith("missing [vdso]")]
    return threads, errors


def perfs(path):
    """The same of perf script, or None when perf cannot."""
    done = subprocess.run([PERF, "script", "-i", path, "--itrace=i1i", "-F", "tid,ip", "--ns"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=CORPUS)
    threads = {}
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        fields = line.split()
        if len(fields) < 2 or not fields[0].isdigit():
            continue
        number, hashed = threads.get(int(fields[0]), (0, HASH))
        hashed = ((hashed << 5 | hashed >> 59) & (1 << 64) - 1) ^ int(fields[1], 16)
        threads[int(fields[0])] = (number + 1, hashed * 0x9e3779b97f4a7c15 & (1 << 64) - 1)
    return {tid: (number, "%016x" % hashed) for tid, (number, hashed) in threads.items()}


def check(name, data, wanted, peer=True, complaints=0):
    """A file against {thread: (instructions, hash)}."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".perf.data")
        with open(path, "wb") as file:
            file.write(data)
        got, errors = ours(path)
        common.expect(name, {t: v for t, v in got.items() if v[0]}, wanted)
        if len(errors) != complaints:
            common.fail(name, "complains:", errors[:3])
        compared["truth"] += 1
        if PERF and peer:
            common.expect(name + " (perf)", perfs(path), wanted)
            compared["perf"] += 1


# ---- files of several threads ------------------------------------------------------------------------------------


def begin(writer, threads):
    writer.info()
    for pid, name in threads:
        writer.comm(pid, pid, name)
        writer.maps(pid, map_of(name))


def alternating(variant, cpus, how, change=lambda data: data, **options):
    """Two programs, slice by slice; with two processors they change places each time."""
    writer = Writer(config=2 if variant == "cyc" else 0, switches=3 if how == "wide" else 2, **options)
    threads = [((100, 100), "rec"), ((200, 200), "sh")]
    begin(writer, [(who[0], name) for who, name in threads])
    machine = Machine(writer, cpus)
    for i, who, part, later in turns([(who, pw.slices(change(trace(name, variant)))) for who, name in threads]):
        cpu = 0 if cpus == 1 else (i + (who[0] == 200)) % 2
        machine.run(cpu, who, part, later, how)
    machine.write()
    return writer, {100: truth("rec"), 200: truth("sh")}


def test_corpus():
    for name in ("true", "sh", "rec", "sig"):
        path = os.path.join(CORPUS, name + ".time.perf.data")
        with open(path, "rb") as file:
            check("corpus-" + name, file.read(), {4242: truth(name)})
        # The command says the same, and its profile counts each instruction.
        lines = common.run("dump", "--instructions", "--no-text", path).splitlines()
        common.expect(name + " dump", sum(line[:1] != "[" for line in lines), truth(name)[0])
        rows = common.report(path)
        common.expect(name + " report", sum(int(row["Ir:self"]) for row in rows), truth(name)[0])


def test_processors():
    for variant in ("time", "cyc", "irq"):
        for cpus in (1, 2):
            for how in ("wide", "own"):
                writer, wanted = alternating(variant, cpus, how)
                # perf 6.1 estimates time from CYC over what was not traced, too, and so changes threads too early.
                check("%s-%dcpu-%s" % (variant, cpus, how), writer.file(), wanted, peer=variant != "cyc")


def check_addresses(name, data, programs, *options):
    """What ran at each address, and in sum, out of a profile with lines and one without."""
    wanted = {}
    for program in programs:
        for ip, count in pt_corpus.counts(pt_corpus.addresses(program)).items():
            wanted[ip] = wanted.get(ip, 0) + count
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".perf.data")
        with open(path, "wb") as file:
            file.write(data)
        text = common.run("convert", "--no-compress", "--positions", "instr", *options, path, cwd=CORPUS)
        common.expect(name + ": instructions at each address", pt_corpus.costs_of_addresses(text), wanted)
        total = json.loads(common.run("report", "--json", *options, path, cwd=CORPUS))["total"]["Ir"]
        common.expect(name + ": instructions", total, sum(wanted.values()))


def test_profiles_of_processors():
    """Threads that take turns, of two programs and of one: each runs what it runs alone."""
    for cpus in (1, 2):
        for variant in ("time", "cyc"):
            name = "profile-%s-%dcpu" % (variant, cpus)
            data = alternating(variant, cpus, "wide")[0].file()
            check_addresses(name, data, ("rec", "sh"))
            check_addresses(name + "-rec", data, ("rec",), "--thread", "100")
            check_addresses(name + "-sh", data, ("sh",), "--thread", "200")
    check_addresses("profile-threads", two_threads().file(), ("rec", "rec"))
    check_addresses("profile-thread", two_threads().file(), ("rec",), "--thread", "102")


def test_quick():
    """--quick: the addresses of TIP packets are those that perf gives without code; outcomes are those of TNT packets."""
    for name in ("true", "sh", "rec", "sig"):
        path = os.path.join(CORPUS, name + ".time.perf.data")
        packets = {"taken": 0, "not": 0, "targets": 0, "fup": 0}
        for line in common.run("dump", "--packets", path).splitlines():
            fields = line.split()
            if len(fields) > 2 and fields[1].startswith("tnt"):
                packets["taken"] += fields[2].count("!")
                packets["not"] += fields[2].count(".")
            elif len(fields) > 1 and fields[1] in ("tip", "tip.pge"):
                packets["targets"] += 1
            packets["fup"] += len(fields) > 1 and fields[1] == "fup"
        total = json.loads(common.run("report", "--quick", "--json", path, cwd=CORPUS))["total"]
        common.expect("quick " + name, total, {"Targets": packets["targets"], "Taken": packets["taken"],
                                               "NotTaken": packets["not"]})
        raw = json.loads(common.run("report", "--quick", "--json", os.path.join(CORPUS, name + ".time.pt"),
                                    cwd="/"))["total"]
        common.expect("quick, raw, " + name, raw, total)
        compared["truth"] += 1
        if not PERF:
            continue
        text = subprocess.run([PERF, "script", "-i", path, "--itrace=i1iq", "-F", "ip"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, cwd=CORPUS).stdout.decode()
        theirs = pt_corpus.counts(int(word, 16) for word in text.split())
        ours = {}
        for line in common.run("convert", "--quick", "--no-compress", "--positions", "instr", path, cwd=CORPUS).splitlines():
            fields = line.split()
            if 3 <= len(fields) <= 5 and fields[0].startswith("0x"):
                ours[int(fields[0], 16)] = ours.get(int(fields[0], 16), 0) + int(fields[2])
        # perf counts the addresses of FUP packets, too.
        less = {ip: (count, theirs.get(ip, 0)) for ip, count in ours.items() if count > theirs.get(ip, 0)}
        common.expect("quick (perf) " + name, less, {})
        common.expect("quick (perf) in sum " + name, sum(theirs.values()) - sum(ours.values()), packets["fup"])
        compared["perf"] += 1


def test_clock():
    """Nanoseconds that are not ticks."""
    writer = Writer(mult=3, shift=2, zero=10 ** 9)
    begin(writer, [(100, "rec"), (200, "sh")])
    machine = Machine(writer, 1)
    for _, who, part, later in turns([((100, 100), pw.slices(trace("rec", "time"))),
                                      ((200, 200), pw.slices(trace("sh", "time")))]):
        machine.run(0, who, part, later)
    machine.records = [(10 ** 9 + time * 3 // 4, *rest) for time, *rest in machine.records]
    machine.write()
    check("clock", writer.file(), {100: truth("rec"), 200: truth("sh")})


def test_directory():
    """perf record --threads: the files of a directory are one trace; one that is not there is missed."""
    writer = Writer()
    threads = [((100, 100), "rec"), ((200, 200), "sh")]
    begin(writer, [(who[0], name) for who, name in threads])
    machine = Machine(writer, 2)
    for i, who, part, later in turns([(who, pw.slices(trace(name, "time"))) for who, name in threads]):
        machine.run((i + (who[0] == 200)) % 2, who, part, later)
    parts = machine.write_parts()
    wanted = {100: truth("rec"), 200: truth("sh")}
    with tempfile.TemporaryDirectory() as folder:
        for name, data in [("data", writer.file())] + [("data.%d" % i, part) for i, part in enumerate(parts)]:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        got, errors = ours(folder)
        common.expect("directory", ({t: v for t, v in got.items() if v[0]}, errors), (wanted, []))
        common.expect("check of a directory", common.run("check", folder, cwd=CORPUS), "")
        info = json.loads(common.run("info", "--json", folder))
        common.expect("directory: mode", (info["mode"], info["data_files"]), ("directory", 3))
        # Records by time, from whichever file.
        times = [record["time"] for record in common.dump(folder) if record.get("time")]
        common.expect("directory: order", times, sorted(times))
        compared["truth"] += 1
        os.unlink(os.path.join(folder, "data.0"))
        done = subprocess.run([common.command(), "check", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=CORPUS)
        common.expect("a missing file is told", (done.returncode, b"data-file" in done.stdout), (1, True))


def test_byte_order():
    writer, wanted = alternating("time", 2, "wide", order=">")
    check("swapped", writer.file(), wanted, peer=False)
    check("swapped-pipe", writer.pipe(), wanted, peer=False)


def test_hypervisor():
    """While a processor runs virtual machines, each PSB+ has the current VMCS; processes have their code all the same."""
    def with_vmcs(data):
        return b"".join(b"\x02\xc8" + (0x1234).to_bytes(5, "little") + packet if packet[:2] == b"\x02\x23" else packet
                        for _, packet in pw.packets(data))

    writer, wanted = alternating("time", 2, "wide", with_vmcs)
    check("vmcs", writer.file(), wanted)


def test_pipe():
    writer, wanted = alternating("time", 2, "wide")
    check("pipe", writer.pipe(), wanted, peer=False)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pipe.data")
        with open(path, "wb") as file:
            file.write(writer.pipe())
        with open(path, "rb") as file:
            done = subprocess.run([common.command(), "dump", "--instructions", "--json", "-"], stdin=file, cwd=CORPUS,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        common.expect("a pipe at the standard input", done.stdout.count("\n"), sum(count for count, _ in wanted.values()))


def test_compressed():
    for newer in (False, True):
        writer = Writer()
        writer.info()
        writer.begin_compressed()
        for pid, name in ((100, "rec"), (200, "sh")):
            writer.comm(pid, pid, name)
            writer.maps(pid, map_of(name))
        machine = Machine(writer, 2)
        for i, who, part, later in turns([((100, 100), pw.slices(trace("rec", "time"))),
                                          ((200, 200), pw.slices(trace("sh", "time")))]):
            machine.run((i + (who[0] == 200)) % 2, who, part, later)
        for time, _, cpu, prev, nxt in sorted(machine.records):
            writer.switch_wide(cpu, time, prev, nxt)
        for cpu, data in enumerate(machine.buffers):
            writer.aux(0, len(data), time=machine.clock, cpu=cpu)
        writer.end_compressed(newer)
        for cpu, data in enumerate(machine.buffers):
            writer.auxtrace(data, 0, cpu, 0xffffffff, cpu)
        # Debian's perf 6.1 wants a feature section for COMPRESSED and does not know COMPRESSED2.
        check("compressed2" if newer else "compressed", writer.file(), {100: truth("rec"), 200: truth("sh")}, peer=False)


def test_rounds():
    """Records of two processors, one after the other, with FINISHED_ROUND: they are put in order."""
    writer = Writer()
    begin(writer, [(100, "rec"), (200, "sh")])
    machine = Machine(writer, 2)
    for i, who, part, later in turns([((100, 100), pw.slices(trace("rec", "time"))),
                                      ((200, 200), pw.slices(trace("sh", "time")))]):
        machine.run((i + (who[0] == 200)) % 2, who, part, later)
    for time, _, cpu, prev, nxt in sorted(machine.records, key=lambda r: -r[2]):
        writer.switch_wide(cpu, time, prev, nxt)
    writer.round()
    machine.records = []
    machine.write()
    check("rounds", writer.file(), {100: truth("rec"), 200: truth("sh")})


def one_thread(data, cut=None, snapshot=False):
    writer = Writer(snapshot=snapshot, per_cpu=False, sample_type=pw.IP | pw.TID | pw.TIME | pw.IDENTIFIER)
    begin(writer, [(100, "rec")])
    writer.itrace_start(100, 100)
    for offset, piece in cut or [(0, data)]:
        writer.aux(offset, len(piece), 2 if snapshot else 0, 100, 100)
        writer.auxtrace(piece, 0 if snapshot else offset, 0, 100, pw.NO_CPU)
    return writer


def test_pieces():
    """Buffers cut anywhere, whose last word is filled; also in another order than that of their offsets."""
    data = trace("rec", "time")
    cuts = [0, 1000, 2000, 5000, 9000, len(data)]
    pieces = [(a, data[a:b]) for a, b in zip(cuts, cuts[1:])]
    check("pieces", one_thread(data, pieces).file(), {100: truth("rec")}, peer=False)
    # perf 6.1 reads a packet across two records as a bad one, so it is no peer here.
    odd = [0, 1001, 2002, 5005, 9001, len(data)]
    check("pieces-odd", one_thread(data, [(a, data[a:b]) for a, b in zip(odd, odd[1:])]).file(), {100: truth("rec")},
          peer=False)
    check("pieces-shuffled", one_thread(data, pieces[::2] + pieces[1::2]).file(), {100: truth("rec")}, peer=False)


def test_snapshots():
    """Each snapshot repeats part of the one before it: nothing is decoded twice."""
    data = trace("rec", "cyc")
    data += b"\0" * (-len(data) % 8)
    parts = [(0, data[:8000]), (0, data[3000:12000]), (0, data[3000:12000]), (0, data[9000:])]
    check("snapshots", one_thread(data, parts, snapshot=True).file(), {100: truth("rec")}, peer=False)


def test_exec():
    """One thread runs a program, and another one behind exec(), at the same addresses."""
    writer = Writer(per_cpu=False, sample_type=pw.IP | pw.TID | pw.TIME | pw.IDENTIFIER)
    writer.info()
    first, second = trace("true", "time"), trace("sh", "time")
    later = (pw.last_time(first) // WRAP + 2) * WRAP
    moved = pw.move_time(second, later - (1 << 32) // WRAP * WRAP)
    at = later + (1 << 32) % WRAP - WRAP // 2
    writer.comm(100, 100, "true")
    writer.maps(100, map_of("true"))
    writer.itrace_start(100, 100, 1)
    writer.comm(100, 100, "sh", at, True)
    writer.maps(100, map_of("sh"), at + 1)
    data = first + moved
    writer.aux(0, len(data), 0, 100, 100, at + WRAP)
    writer.auxtrace(data, 0, 0, 100, pw.NO_CPU)
    check("exec", writer.file(), {100: (truth("true")[0] + truth("sh")[0], joined("true", "sh"))})


def joined(*names):
    """The hash of several programs one after the other."""
    hashed = HASH
    for name in names:
        packed = subprocess.run(["zstd", "-dcq", os.path.join(CORPUS, name + ".ips.zst")], stdout=subprocess.PIPE,
                                check=True).stdout
        for (ip,) in struct.iter_unpack("<Q", packed):
            hashed = (((hashed << 5 | hashed >> 59) & (1 << 64) - 1) ^ ip) * 0x9e3779b97f4a7c15 & (1 << 64) - 1
    return "%016x" % hashed


def test_fork():
    """A child without maps of its own has its parent's; a map of the parent's afterwards is not the child's."""
    writer = Writer()
    begin(writer, [(100, "rec")])
    parts = pw.slices(trace("rec", "time"))
    writer.task(pw.FORK, 101, 100, 101, 100, 5)
    machine = Machine(writer, 1)
    for _, who, part, later in turns([((100, 100), parts), ((101, 101), parts)]):
        machine.run(0, who, part, later)
    machine.write()
    check("fork", writer.file(), {100: truth("rec"), 101: truth("rec")})


def two_threads():
    """Of one process, which run the same."""
    writer = Writer()
    begin(writer, [(100, "rec")])
    parts = pw.slices(trace("rec", "time"))
    writer.task(pw.FORK, 100, 100, 102, 100, 5)
    machine = Machine(writer, 2)
    for i, who, part, later in turns([((100, 100), parts), ((100, 102), parts)]):
        machine.run(i % 2, who, part, later)
    machine.write()
    return writer


def test_threads():
    """Threads of one process share its maps."""
    check("threads", two_threads().file(), {100: truth("rec"), 102: truth("rec")})


def test_remapped():
    """Another file at the same place: maps hold from their time on."""
    writer = Writer(per_cpu=False, sample_type=pw.IP | pw.TID | pw.TIME | pw.IDENTIFIER)
    writer.info()
    first, second = trace("rec", "time"), trace("sig", "time")
    later = (pw.last_time(first) // WRAP + 2) * WRAP
    moved = pw.move_time(second, later - (1 << 32) // WRAP * WRAP)
    at = later + (1 << 32) % WRAP - WRAP // 2
    writer.comm(100, 100, "both")
    writer.maps(100, map_of("rec"))
    writer.maps(100, map_of("sig"), at)
    data = first + moved
    writer.aux(0, len(data), 0, 100, 100, at + WRAP)
    writer.auxtrace(data, 0, 0, 100, pw.NO_CPU)
    check("remapped", writer.file(), {100: (truth("rec")[0] + truth("sig")[0], joined("rec", "sig"))})


def test_truncated():
    """Where the buffer was full the stretch ends; what stands behind is decoded from its next PSB on."""
    data = trace("rec", "cyc")
    parts = pw.slices(data)
    sizes = [len(part.data) for part in parts]
    lost = data[:sizes[0] + 100] + data[sum(sizes[:3]) + 500:]
    writer = Writer(config=2, per_cpu=False, sample_type=pw.IP | pw.TID | pw.TIME | pw.IDENTIFIER)
    begin(writer, [(100, "rec")])
    writer.aux(0, sizes[0] + 100, 1, 100, 100)
    writer.aux(sizes[0] + 100, len(lost) - sizes[0] - 100, 0, 100, 100)
    writer.auxtrace(lost, 0, 0, 100, pw.NO_CPU)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "truncated.perf.data")
        with open(path, "wb") as file:
            file.write(writer.file())
        got, errors = ours(path)
        # What is whole: the first slice and a bit, and all from the fifth on, which ends as the program does.
        done = subprocess.run([RUNS, "-l", path], stdout=subprocess.PIPE, cwd=CORPUS, check=True)
        ips = [int(line.split()[1], 16) for line in done.stdout.decode().splitlines()]
        packed = subprocess.run(["zstd", "-dcq", os.path.join(CORPUS, "rec.ips.zst")], stdout=subprocess.PIPE, check=True)
        true = [ip for (ip,) in struct.iter_unpack("<Q", packed.stdout)]
        same = next(i for i, (a, b) in enumerate(zip(ips, true)) if a != b)
        common.expect("truncated, behind the gap", ips[same:], true[len(true) - len(ips) + same:])
        if same < 1000 or not len(true) // 2 < len(ips) < len(true):
            common.fail("truncated:", same, len(ips), got, errors)
        checked = common.run("check", path)
        if "aux-truncated" not in checked:
            common.fail("check says nothing of the truncated buffer:", checked[:200])
        compared["truth"] += 1


def sliced(data, *options):
    """A part of a file, made by the command."""
    with tempfile.TemporaryDirectory() as folder:
        whole, part = os.path.join(folder, "whole.perf.data"), os.path.join(folder, "part.perf.data")
        with open(whole, "wb") as file:
            file.write(data)
        done = subprocess.run([common.command(), "slice", *options, "-o", part, whole], cwd=CORPUS,
                              stderr=subprocess.PIPE)
        if done.returncode:
            common.fail("slice", options, done.stderr.decode())
            return b""
        with open(part, "rb") as file:
            return file.read()


def instructions(data):
    """The addresses that a file's threads ran."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "part.perf.data")
        with open(path, "wb") as file:
            file.write(data)
        done = subprocess.run([common.command(), "dump", "--instructions", "--no-text", path], cwd=CORPUS,
                              stdout=subprocess.PIPE, check=False)
        return [line for line in done.stdout.decode().splitlines() if line[:1] not in "[" and line]


def test_slices_of_everything():
    """A window that holds all gives all, whatever the form of the file; perf reads it, too."""
    for cpus in (1, 2):
        writer, wanted = alternating("time", cpus, "wide")
        check("slice-%dcpu" % cpus, sliced(writer.file(), "--time", "..1000"), wanted)
        check("slice-pipe-%dcpu" % cpus, sliced(writer.pipe(), "--time", "..1000"), wanted, peer=False)
    writer, wanted = alternating("time", 2, "wide", order=">")
    check("slice-swapped", sliced(writer.file(), "--time", "..1000"), wanted, peer=False)


def test_slices():
    """Windows that adjoin have everything between them, and each has a part; what perf reads of one is the same."""
    for name in ("rec", "sh", "sig"):
        with open(os.path.join(CORPUS, name + ".time.perf.data"), "rb") as file:
            data = file.read()
        whole, behind, shorter = instructions(data), 0, 0
        common.expect("slices " + name, len(whole), truth(name)[0])
        for window in ("..100us", "100us..150us", "150us..200us", "200us.."):
            part = sliced(data, "--time", window)
            some = instructions(part)
            at = "\n".join(whole).find("\n".join(some))
            at = "\n".join(whole)[:at].count("\n") if at >= 0 else len(whole)
            if at > behind:
                common.fail("slice %s %s: not a part, or not behind the one before" % (name, window))
                break
            behind = max(behind, at + len(some))
            shorter += len(some) < len(whole) and len(part) < len(data)
            compared["truth"] += 1
            if PERF and some:
                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "part.perf.data")
                    with open(path, "wb") as file:
                        file.write(part)
                    common.expect("slice %s %s (perf)" % (name, window),
                                  {tid: number for tid, (number, _) in perfs(path).items()}, {4242: len(some)})
                    compared["perf"] += 1
        common.expect("slices of %s have everything" % name, behind, len(whole))
        if not shorter:
            common.fail("no slice of %s is shorter" % name)


def test_slice_before_a_call():
    with open(os.path.join(CORPUS, "rec.time.perf.data"), "rb") as file:
        data = file.read()
    some = instructions(sliced(data, "--trigger", "^even$", "--before", "1us"))
    if not any("5555555551b2" in line for line in some) or len(some) >= truth("rec")[0]:
        common.fail("the slice before the call of even() has %d instructions" % len(some))


def timeline(path, *options):
    """{thread: what its timeline shows}."""
    done = subprocess.run([common.command(), "timeline", "--to", "chrome", *options, path], cwd=CORPUS,
                          stdout=subprocess.PIPE, check=False)
    threads = {}
    for event in json.loads(done.stdout)["traceEvents"]:
        if event["ph"] != "M":
            threads.setdefault(event["tid"], []).append((event["ph"], event.get("name"), event["ts"], event.get("dur")))
    return threads


def test_timelines():
    """Threads that take turns show what each shows alone, also where calls are left out by depth and name."""
    writer, _ = alternating("time", 1, "wide")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "turns.perf.data")
        with open(path, "wb") as file:
            file.write(writer.file())
        for options in ((), ("--depth", "2"), ("--function", "^(deep|even|fib)$"),
                        # Open where threads take turns, and beside what has another name at the same depth.
                        ("--function", "^(_dl_map_object_deps|openaux|main)$"), ("--depth", "3", "--function", "e")):
            both = timeline(path, *options)
            alone = {tid: shown for thread in ("100", "200")
                     for tid, shown in timeline(path, "--thread", thread, *options).items()}
            common.expect("timeline %s of threads in turn" % " ".join(options), both, alone)
            if 100 not in both:
                common.fail("timeline %s shows nothing" % " ".join(options))
            for tid, shown in both.items():
                depth = 0
                for what, *_ in shown:
                    depth += {"B": 1, "E": -1}.get(what, 0)
                    if depth < 0:
                        common.fail("timeline %s: thread %d closes what is not open" % (" ".join(options), tid))
                        break


def test_records_of_perf():
    """Real files of perf record, record by record, in perf's own order."""
    names = {"FEATURE": "HEADER_FEATURE", "ATTR": "HEADER_ATTR"}
    for what in ([], ["-g"], ["-z", "-F", "5000"], ["--buildid-mmap", "--namespaces"], ["--call-graph", "dwarf", "-d"]):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "perf.data")
            done = subprocess.run([PERF, "record", "-q", "-e", "cpu-clock", *what, "-o", path, "sh", "-c", "ls -R /usr/lib/python3"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if done.returncode or not os.path.exists(path):
                print("skipped: perf cannot record here")
                return
            text = subprocess.run([PERF, "script", "-D", "-i", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            theirs = []
            for line in text.stdout.decode("latin1").splitlines():
                fields = line.split()
                at = next((i for i, f in enumerate(fields[:6]) if f.startswith("PERF_RECORD_")), None)
                if at and at >= 3 and fields[at - 1].endswith("]:") and fields[at - 3].isdigit():
                    name = fields[at].partition("(")[0].rstrip(":")[len("PERF_RECORD_"):]
                    theirs.append((names.get(name, name), int(fields[at - 1][1:-2], 16), int(fields[at - 3])))
            mine = [(r["record"], r["size"], r.get("time", 0)) for r in common.dump(path)]
            if common.expect("records " + " ".join(what), mine, theirs):
                compared["perf"] += 1
            common.expect("check " + " ".join(what), common.run("check", path), "")


def main():
    global PERF
    common.need_whole_corpus()
    found = subprocess.run(["sh", "-c", "command -v perf"], stdout=subprocess.PIPE)
    # What perf says is the same beside a sanitizer.
    PERF = None if common.SMALL else found.stdout.decode().strip() or None
    if not PERF:
        print("skipped: perf is %s, so only truth is compared" % ("left out" if common.SMALL else "not installed"))
    for name, test in list(globals().items()):
        if name.startswith("test_") and (PERF or name != "test_records_of_perf"):
            test()
    print("%(truth)d files equal to truth, %(perf)d to perf" % compared)
    common.finish(compared["truth"], "files")


main()
