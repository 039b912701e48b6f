#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record_aarch64.py TRACELATHE: the run-time for AArch64 records programs that count their own calls; reports say the same counts.

The run-time is compiled here by the cross compiler and preloaded under qemu-aarch64; the command of this machine makes the logs."""
import glob
import os
import shutil
import subprocess
import tempfile

import common
import record
from common import expect, fail

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "..")
LIBRARIES = "/usr/aarch64-linux-gnu"
TRIPLET = "aarch64-linux-gnu"
GCC, CLANG_14, CLANG_19 = (TRIPLET + "-gcc",), ("clang-14", "--target=" + TRIPLET), ("clang-19", "--target=" + TRIPLET)
PATCH = ["-fpatchable-function-entry=2"]
# front end, compiler, source, options
KINDS = [("patch", GCC, "program.c", [*PATCH, "-O2"]),
         ("patch", GCC, "throws.cpp", [*PATCH, "-O2", "-mbranch-protection=standard"]),
         ("calls", GCC, "coroutines.c", [*record.CALLS, "-O2"])]
LONG_KINDS = [(front, compiler, source, [*options, *shape])
              for front, options in (("patch", PATCH), ("calls", record.CALLS))
              for compiler in (GCC, CLANG_14, CLANG_19)
              for source in ("program.c", "throws.cpp", "coroutines.c")
              for shape in (["-O0"], ["-O2", "-no-pie", "-fno-pie"], ["-O2", "-mbranch-protection=standard"],
                            ["-O2", "-fomit-frame-pointer"])]


def build_runtime(folder):
    """The sources are those that recorder/meson.build takes for this machine."""
    folder_of = os.path.join(SOURCES, "recorder")
    sources = [path for path in glob.glob(os.path.join(folder_of, "*.c")) + glob.glob(os.path.join(folder_of, "aarch64", "*.[cS]"))
               if not path.endswith("slow.c")]
    library = os.path.join(folder, "libtracelathe-record.so")
    subprocess.run([*GCC, "-shared", "-fPIC", "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-fvisibility=hidden", "-fno-stack-protector",
                    "-fomit-frame-pointer", "-fno-exceptions", "-mgeneral-regs-only", "-U_FORTIFY_SOURCE",
                    "-I" + os.path.join(SOURCES, "src"), "-I" + folder_of, "-o", library, *sources, "-pthread", "-ldl"], check=True)
    return library


def build(folder, compiler, source, options):
    program = os.path.join(folder, "program")
    names = list(compiler)
    if source.endswith(".cpp"):
        names[0] = names[0].replace("gcc", "g++").replace("clang", "clang++")
    done = subprocess.run([*names, "-w", "-g1", *options, "-o", program, os.path.join(record.HERE, source), "-pthread", "-ldl"],
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        fail("%s does not compile with %s: %s" % (source, options, done.stderr[:500]))
    return None if done.returncode else program


def run(folder, runtime, program, front, status=3):
    """Record it below `folder`; the logs, what was said, the counts of each process."""
    for name in glob.glob(os.path.join(folder, "log*")) + glob.glob(os.path.join(folder, "counts*")):
        os.remove(name)
    log = os.path.join(folder, "log")
    os.mkdir(log + ".parts", 0o700)
    variables = {"LD_PRELOAD": runtime, "TRACELATHE_RECORDING": log + ".parts",
                 "TRACELATHE_RECORDING_OPTIONS": "hz=1000000000 %s=1" % front, "COUNTS": os.path.join(folder, "counts")}
    given = [word for name, value in variables.items() for word in ("-E", name + "=" + value)]
    done = subprocess.run(["qemu-aarch64", "-L", LIBRARIES, *given, program, ""], cwd=folder, timeout=600)
    expect("exit status of the program", done.returncode, status)
    ended = subprocess.run([common.command(), "record", "--finish", "-o", log], stderr=subprocess.PIPE, text=True, cwd=folder)
    shutil.rmtree(log + ".parts", ignore_errors=True)
    logs = [path for path in sorted(glob.glob(log + "*")) if not path.endswith(".map")]
    return logs, ended.stderr, record.read_counts(folder)


def check_kind(folder, runtime, front, compiler, source, options):
    what = " ".join(["aarch64", front, *compiler, source, *options])
    program = build(folder, compiler, source, options)
    if program:
        logs, _, counts = run(folder, runtime, program, front)
        record.compare(what, logs, counts, orphans=None if source == "coroutines.c" else (0,))


def check_stripped(folder, runtime):
    """Debian's gcc has call frames begin behind the room: without symbols nothing says that a function begins there."""
    program = build(folder, GCC, "coroutines.c", [*PATCH, "-O2", "-s"])
    if program:
        logs, said, _ = run(folder, runtime, program, "patch")
        expect("stripped: told", ("functions were not recorded" in said, logs), (True, []))


def main():
    if not common.tool("qemu-aarch64") or not common.tool(GCC[0]) or not os.path.isdir(LIBRARIES):
        common.skip("no qemu-aarch64, or no compiler for AArch64")
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        runtime = build_runtime(folder)
        for front, compiler, source, options in KINDS + (LONG_KINDS if common.LONG else []):
            if not common.tool(compiler[0]):
                print("without %s, which is not here" % compiler[0])
                continue
            check_kind(folder, runtime, front, compiler, source, options)
            done += 1
        check_stripped(folder, runtime)
    common.finish(done, "kinds of programs recorded on AArch64")


if __name__ == "__main__":
    main()
