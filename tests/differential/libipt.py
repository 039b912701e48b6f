#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libipt.py WHAT PEER FOLDER (of the library; of the header, for layout): our libipt.so.2 in the place of Debian's.

  calls    PEER, compiled against Debian's header, prints the same with both: packets, queries, instructions, blocks, events,
           images, errors and their texts, over the shared corpus
  exports  the library exports the names of 2.0.5 and the eleven newer ones, and nothing else (compat/libipt/exports.txt)
  layout   every structure and enumeration of Debian's header is in ours with the same names, offsets and numbers
  gdb      Debian's gdb starts with it, loads it, and reads a core file

Exit status: 0 the same, 1 not, 77 cannot be checked here."""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.environ.get("TL_SHARED", os.path.join(ROOT, "..", "shared"))
CORPUS = os.path.join(SHARED, "corpus", "intel-pt")
PROGRAMS = ("true", "sh", "rec", "sig", "jit")
VARIANTS = ("ret", "noret", "time", "cyc", "irq")
WAYS = ("packets", "encode", "query", "insns", "insns-cached", "blocks", "blocks-limited", "blocks-callback")
SMALL = bool(os.environ.get("TL_SMALL"))

# What 2.0.5 does otherwise than the published page, and we as the page (docs/libipt.md): (its line, ours).
KNOWN = (
    # pt_blk_next(3): "pte_nosync" when never synchronised.
    (r"pt_(insn|blk)_next\(dec, &\w+, sizeof\(\w+\)\): -expected tracing enabled event",
     r"pt_(insn|blk)_next\(dec, &\w+, sizeof\(\w+\)\): -decoder out of sync"),
    # How many parts an image is in: an empty section is none here, and copying does not cut sections again.
    (r"pt_image_remove_by_asid\(image, NULL\): 3", r"pt_image_remove_by_asid\(image, NULL\): 2"),
    (r"pt_image_remove_by_asid\(copy, &two\): 6", r"pt_image_remove_by_asid\(copy, &two\): 5"),
    # 2.0.5 forgets the events of a PSB+ that it came to backward; synchronising onto it forward, it does not.
    (r"pt_(qry|insn|blk)_sync_backward\(dec .*\): 0",
     r"pt_(qry|insn|blk)_sync_backward\(dec .*\): 1"),
)


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def run(args, folder=None):
    env = dict(os.environ)
    env.pop("LD_LIBRARY_PATH", None)
    if folder:
        env["LD_LIBRARY_PATH"] = folder
    return subprocess.run(args, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          timeout=300)


def known(theirs, ours):
    return any(re.fullmatch(a, theirs) and re.fullmatch(b, ours) for a, b in KNOWN)


def differences(theirs, ours):
    """Lines that differ, but for the known ones; the first few."""
    a, b = theirs.split("\n"), ours.split("\n")
    if len(a) == len(b):
        return ["-%s\n+%s" % pair for pair in zip(a, b) if pair[0] != pair[1] and not known(*pair)][:5]
    return [line for line in difflib.unified_diff(a[:2000], b[:2000], lineterm="", n=0)][:10] or ["lengths differ"]


def jobs(shared):
    yield ("misuse",)
    yield ("errata",)
    for program in PROGRAMS if shared else ():
        base = os.path.join(CORPUS, program)
        code = (base + ".map", base + ".img")
        if program == "sig":
            yield ("images", base + ".ret.pt", *code)
        for variant in VARIANTS:
            trace = "%s.%s.pt" % (base, variant)
            for number, what in enumerate(WAYS):
                # With a sanitizer each trace goes three of eight ways, another three than the one before it.
                if not SMALL or (number + VARIANTS.index(variant) + PROGRAMS.index(program)) % 3 == 0:
                    yield (what, trace, *code)


def calls(peer, folder):
    if not os.path.exists(peer):
        skip("no libipt-dev")
    if run([peer, "library"]).stdout == run([peer, "library"], folder).stdout:
        print("both runs are with the same library")
        return 1
    shared = os.path.isdir(CORPUS)
    failed = count = 0
    for job in jobs(shared):
        theirs, ours = run([peer, *job]), run([peer, *job], folder)
        bad = differences(theirs.stdout, ours.stdout)
        count += 1
        if bad or theirs.returncode != ours.returncode:
            failed += 1
            print("%s: status %d and %d" % (" ".join(job[:2]), theirs.returncode, ours.returncode))
            print("\n".join(bad))
    print("%d of %d runs print the same" % (count - failed, count) + ("" if shared else " (no shared corpus)"))
    return 1 if failed else 0


def exports(_, folder):
    with open(os.path.join(ROOT, "compat", "libipt", "exports.txt"), encoding="ascii") as file:
        want = set(file.read().split())
    lines = run(["nm", "-D", "--defined-only", os.path.join(folder, "libipt.so.2")]).stdout.splitlines()
    # A sanitizer's own names are not of the library.
    have = {line.split()[-1] for line in lines if not re.search(r" __(asan|ubsan|odr_asan|sanitizer|sancov)", line)}
    for name in sorted(want ^ have):
        print("%s is %s" % (name, "missing" if name in want else "too much"))
    if len(want) != 87:
        print("%d names in the list" % len(want))
    soname = run(["readelf", "-d", os.path.join(folder, "libipt.so.2")]).stdout
    if "[libipt.so.2]" not in soname:
        print("the soname is not libipt.so.2")
        return 1
    return 1 if want != have or len(want) != 87 else 0


def types_of(include, folder):
    """Every type of a header as gdb prints it: {"struct pt_block": {member line, ...}}."""
    source, built = os.path.join(folder, "types.c"), os.path.join(folder, "types.o")
    with open(source, "w", encoding="ascii") as file:
        file.write("#include <intel-pt.h>\n")
    subprocess.run(["gcc", "-g", "-fno-eliminate-unused-debug-types", *include, "-c", "-o", built, source], check=True)
    names = run(["gdb", "-nx", "-batch", "-ex", "info types ^p", built]).stdout
    commands = []
    for kind, name in sorted(set(re.findall(r"\b(struct|enum) (p\w+);", names))):
        commands += ["-ex", "echo @%s %s\\n" % (kind, name),
                     "-ex", "ptype%s %s %s" % ("/o" if kind == "struct" else "", kind, name)]
    told = run(["gdb", "-nx", "-batch", *commands, built]).stdout
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in told.split("@")[1:]}


def members(text):
    """Offset and name of each member, numbers of enumerators; comments about holes and the order in unions do not count."""
    if text.startswith("type = enum"):
        number, result = 0, set()
        for part in re.search(r"\{(.*)\}", text).group(1).split(", "):
            name, _, value = part.partition(" = ")
            number = int(value) if value else number
            result.add((name, number))
            number += 1
        return result
    result = set()
    for line in text.splitlines():
        # A line of a member; of an unnamed structure, whose size may grow, only what is in it counts.
        found = re.match(r"/\*\s*(\d+(?:: ?\d+)?)\s*\|\s*(\d+) \*/\s+(.*;)$", line)
        if found and "(*callback)" not in line and "callback;" not in line:
            result.add((found.group(1), found.group(2), found.group(3)))
    return result


def layout(_, header):
    if not os.path.exists("/usr/include/intel-pt.h"):
        skip("no libipt-dev")
    if not shutil.which("gdb"):
        skip("no gdb")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        theirs, ours = types_of([], folder), types_of(["-I" + header], folder)
    for name, text in sorted(theirs.items()):
        missing = members(text) - members(ours.get(name, ""))
        for member in sorted(missing):
            print("%s: %s is not in ours" % (name, member))
        failed |= bool(missing)
    if len(theirs) < 30:
        print("only %d types were found" % len(theirs))
        return 1
    print("%d types" % len(theirs))
    return 1 if failed else 0


def gdb(_, folder):
    program = shutil.which("gdb")
    if not program:
        skip("no gdb")
    if "libipt.so.2" not in run(["readelf", "-d", program]).stdout:
        skip("this gdb does not use libipt")
    ours = os.path.realpath(os.path.join(folder, "libipt.so.2"))
    if "libasan" in run(["readelf", "-d", ours]).stdout:
        skip("our library needs its sanitizer in a program, which gdb has not")
    with tempfile.TemporaryDirectory() as work:
        core, binary = os.path.join(work, "core"), os.path.join(work, "program")
        with open(binary + ".c", "w", encoding="ascii") as file:
            file.write("int deepest(int x) { return x + 1; }\n"
                       "int caller(int x) { return deepest(x) * 2; }\nint main(void) { return caller(20); }\n")
        subprocess.run(["gcc", "-g", "-O0", "-o", binary, binary + ".c"], check=True)
        # Debian's library makes the core file, ours reads it: nothing of the second run is of the first.
        made = run([program, "-nx", "-batch", "-ex", "break deepest", "-ex", "run", "-ex", "gcore " + core, binary])
        if not os.path.exists(core):
            skip("no core file can be made here: " + made.stderr.strip()[-200:])
        read = run([program, "-nx", "-batch", "-ex", "backtrace", "-ex", "print x", "-ex", "maintenance info bfds",
                    "-ex", "info auxv", "-ex", "shell grep -m1 libipt /proc/$PPID/maps", binary, core], folder)
    good = all(word in read.stdout for word in ("#0  deepest (x=20)", "#1 ", "caller (x=20)", "$1 = 20")) and \
        ours in read.stdout and read.returncode == 0
    if not good:
        print(read.stdout, read.stderr)
    return 0 if good else 1


def main(args):
    checks = {"calls": calls, "exports": exports, "layout": layout, "gdb": gdb}
    if len(args) != 3 or args[0] not in checks:
        sys.exit(__doc__)
    return checks[args[0]](args[1], args[2])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
