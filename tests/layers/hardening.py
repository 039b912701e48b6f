#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hardening.py [--optimized] ARCHIVE FILE... [-- FILE...]: the defences of meson.build are in the files that people get: of each program
and shared library by its headers, and of the static library's objects, as the linker keeps no note of theirs where another
object (of the C library) has none. Files behind -- run inside of other programs, whose stacks are not theirs to guard and whose
own checks are not to call them: they have no stack protector and no _FORTIFY_SOURCE. hardening.py --self-test COMPILER: it refuses a program without them."""
import os
import subprocess
import sys
import tempfile


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], check=True, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def faults_of(path, optimized):
    """What a program or a shared library has not."""
    segments, dynamic, symbols = readelf("-l", path), readelf("-d", path), readelf("--dyn-syms", path)
    stack = [line.split() for line in segments.splitlines() if line.split()[:1] == ["GNU_STACK"]]
    found = {
        "its stack is executable": bool(stack) and "E" not in stack[0][6],
        "no full RELRO": "GNU_RELRO" in segments and ("BIND_NOW" in dynamic or "NOW" in dynamic),
        "its addresses are fixed": "Elf file type is DYN" in segments,
        "no segment of it may be writable and executable": not any(
            line.split()[:1] == ["LOAD"] and "RWE" in line for line in segments.splitlines()),
        "it has relocations of its code": "TEXTREL" not in dynamic,
        "it searches libraries in a folder of the build": "RUNPATH" not in dynamic and "RPATH" not in dynamic,
        "no stack protector": "__stack_chk_fail" in symbols,
        "no _FORTIFY_SOURCE": not optimized or any(name.split("@")[0].endswith("_chk") for name in symbols.split()),
    }
    return [fault for fault, good in found.items() if not good]


def object_faults(archive):
    """Objects of x86 say that their jumps and returns may be checked."""
    notes = readelf("-n", archive)
    files = notes.count("File: ")
    marked = sum("IBT" in line and "SHSTK" in line for line in notes.splitlines())
    if os.uname().machine != "x86_64":
        return []
    return [] if files and marked >= files else ["%d of %d objects are not marked for CET" % (files - marked, files)]


def self_test(compiler):
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "a.c"), os.path.join(folder, "a")
        with open(source, "w", encoding="ascii") as file:
            file.write("int main(void) { return 0; }\n")
        subprocess.run([compiler, "-no-pie", "-fno-stack-protector", "-Wl,-z,norelro,-z,lazy,-z,execstack", "-o", program, source],
                       check=True)
        faults = faults_of(program, True)
    wanted = ["its stack is executable", "no full RELRO", "its addresses are fixed", "no stack protector", "no _FORTIFY_SOURCE"]
    missed = [fault for fault in wanted if fault not in faults]
    for fault in missed:
        print("not seen: " + fault)
    return 1 if missed else 0


def main():
    if sys.argv[1] == "--self-test":
        return self_test(sys.argv[2])
    optimized = sys.argv[1] == "--optimized"
    archive, *files = sys.argv[2 if optimized else 1:]
    guests = files[files.index("--") + 1:] if "--" in files else []
    files = [path for path in files if path != "--"]
    faults = ["%s: %s" % (archive, fault) for fault in object_faults(archive)]
    for path in files:
        faults += ["%s: %s" % (path, fault) for fault in faults_of(path, optimized)
                   if path not in guests or fault not in ("no stack protector", "no _FORTIFY_SOURCE")]
    print("\n".join(faults) if faults else "%d files" % len(files))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
