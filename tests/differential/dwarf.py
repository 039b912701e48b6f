#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dwarf.py PROGRAM [long]: lines, functions and inlined calls against other readers of DWARF.

Programs are compiled here with whatever compilers there are, in every version of DWARF and every way to pack it; their
lines must be those of libdw, their chains of inlined calls those of llvm-symbolizer (libdw does not look into
namespaces and imported units, so that it knows fewer). Files of /usr/lib that have DWARF, or whose debug files are
below /usr/lib/debug, are held against libdw: a few of them, with `long` all. PROGRAM is dwarf_libdw.c.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dwarf")
COMPILERS = {"gcc": ("gcc", "g++"), "clang-14": ("clang-14", "clang++-14"), "clang-19": ("clang-19", "clang++-19")}
SYMBOLIZER = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer-14")
# A compiler and its options; the first ones always, all with `long`.
SHORT = [("gcc", "-gdwarf-5 -O2 -gz=zlib"), ("gcc", "-gdwarf-4 -O2 -gz=zlib-gnu"), ("gcc", "-gdwarf-5 -O2 -flto"),
         ("gcc", "-gdwarf-5 -O2 -gsplit-dwarf"), ("gcc", "-gdwarf-2 -O0"), ("clang-19", "-gdwarf-5 -O2 -gz=zstd"),
         ("clang-19", "-gdwarf-4 -O2 -gsplit-dwarf"), ("clang-14", "-gdwarf-3 -O2"),
         ("clang-19", "-gdwarf-5 -gdwarf64 -O2"), ("clang-14", "-gdwarf-5 -O2 -gsplit-dwarf")]
LONG = [(compiler, "-gdwarf-%d %s" % (version, level)) for compiler in COMPILERS for version in (2, 3, 4, 5)
        for level in ("-O0", "-O2")]
LONG += [(compiler, "-gdwarf-%d -O2 %s" % (version, more)) for version in (4, 5) for compiler, more in (
    ("gcc", "-gz=zlib"), ("gcc", "-gsplit-dwarf -gz"), ("gcc", "-flto"), ("gcc", "-gdwarf64"), ("gcc", "-static"),
    ("gcc", "-ffunction-sections -Wl,--gc-sections"), ("gcc", "-fdebug-types-section"),
    ("gcc", "-ffunction-sections -fuse-ld=gold -Wl,--gc-sections,--icf=all"),
    ("clang-19", "-gz=zlib"), ("clang-19", "-gsplit-dwarf"), ("clang-19", "-fdebug-types-section"),
    ("clang-19", "-ffunction-sections -fuse-ld=lld -Wl,--gc-sections"), ("clang-19", "-gmlt"),
    ("clang-19", "-ffunction-sections -fuse-ld=lld -Wl,--gc-sections,--icf=all"))]
failures = []


def fail(what):
    failures.append(what)
    print(what)


def run(command, **kwargs):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False, **kwargs)


def build(folder, number, compiler, options):
    """The path of the program, None when this compiler cannot make it."""
    cc, cxx = COMPILERS[compiler]
    name, words = "built-%d" % number, ["-g"] + options.split()
    objects = []
    for which, source in ((cc, "other.c"), (cxx, "shapes.cc")):
        objects.append("%s-%s.o" % (name, source))
        if run([which, *words, "-c", source, "-o", objects[-1]], cwd=folder).returncode:
            return None
    if run([cxx, *words, *objects, "-o", name], cwd=folder).returncode:
        return None
    return os.path.join(folder, name)


def same_place(path):
    """Names that stand for one address."""
    places = {}
    for line in run(["nm", path]).stdout.splitlines():
        words = line.split()
        if len(words) == 3:
            places[words[2]] = words[0]
    return places


def ours(program, path, samples):
    chains = {}
    for line in run([program, "-p", "-n", samples, path]).stdout.splitlines():
        words = line.split("\t")
        chains[words[0]] = [(words[i], os.path.basename(words[i + 1]), words[i + 2])
                            for i in range(1, len(words), 3)]
    return chains


def theirs(path, addresses):
    out = run([SYMBOLIZER, "--inlines", "--functions=linkage", "--no-demangle", "--basenames", "--obj=" + path],
              input="\n".join(addresses) + "\n").stdout
    for block in out.split("\n\n"):
        lines = block.strip("\n").split("\n")
        yield [(lines[i], *lines[i + 1].rsplit(":", 2)[:2]) for i in range(0, len(lines) - 1, 2)]


def equal(mine, other, places):
    """The outermost function may go by any symbol that stands there."""
    if not mine:
        return len(other) == 1 and other[0][0] == "??"
    if len(mine) != len(other) or mine[:-1] != other[:-1] or mine[-1][1:] != other[-1][1:]:
        return False
    names = mine[-1][0], other[-1][0]
    return names[0] == names[1] or (names[0] in places and places.get(names[1]) == places[names[0]])


def check_symbolizer(program, path, what):
    chains, places = ours(program, path, "0"), same_place(path)
    addresses = sorted(chains)
    if not addresses:
        fail("%s: no lines" % what)
        return
    deep = wrong = 0
    for address, other in zip(addresses, theirs(path, addresses)):
        deep += len(other) > 1
        if not equal(chains[address], other, places):
            wrong += 1
            if wrong == 1:
                fail("%s: %s is %s, llvm-symbolizer says %s" % (what, address, chains[address], other))
    print("%s: %d addresses, %d within inlined calls, %d differ" % (what, len(addresses), deep, wrong))


def check_libdw(program, path, what, samples, chains_too):
    result = run([program, "-n", samples, path])
    counts = re.search(r"(\d+) lines, .* (\d+) lines and (\d+) chains differ", result.stdout)
    if not counts or counts.group(2) != "0" or (chains_too and counts.group(3) != "0"):
        fail("%s: status %d: %s" % (what, result.returncode, result.stdout[:1000]))
        return 0
    return int(counts.group(1))


def check_builds(program, builds):
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(HERE):
            shutil.copy(os.path.join(HERE, name), folder)
        done = 0
        for number, (compiler, options) in enumerate(builds):
            what = "%s %s" % (compiler, options)
            path = build(folder, number, compiler, options) if shutil.which(compiler) else None
            if not path:
                print("%s: cannot be built here" % what)
                continue
            done += 1
            # libdw does not find some deep chains that llvm-symbolizer and we agree on.
            check_libdw(program, path, what, "200", False)
            # LLVM 19 does not know .zdebug sections any more.
            if SYMBOLIZER and "zlib-gnu" not in options:
                check_symbolizer(program, path, what)
        return done


def system_files():
    for root in ("/usr/lib/debug", "/usr/lib"):
        for folder, _, names in sorted(os.walk(root)):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if not os.path.islink(path) and os.path.isfile(path) and os.path.getsize(path) > 4096:
                    with open(path, "rb") as file:
                        if file.read(4) == b"\x7fELF" and (root != "/usr/lib" or "/debug/" not in path):
                            yield path


def main(args):
    program, every = args[0], args[1:] == ["long"]
    done = check_builds(program, SHORT + LONG if every else SHORT)
    files = list(system_files())
    if not every:
        files = [path for path in files if path.startswith("/usr/lib/debug")][::25]
    lines = sum(check_libdw(program, path, path, "50" if every else "10", True) for path in files)
    print("%d programs; %d files of the system, %d lines; %d failures" % (done, len(files), lines, len(failures)))
    if not done and not lines:
        print("skipped: no compiler, and no file with debug information")
        return 77
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
