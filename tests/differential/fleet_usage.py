#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tracelathe-mpi as it is called wrong, or by one process without mpirun: words, status, and the answer of `tracelathe`.

  fleet_usage.py TRACELATHE TRACELATHE-MPI GOLDEN
"""
import os
import subprocess
import sys
import tempfile

# What MPI keeps for itself is no leak of ours.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", LC_ALL="C",
                   ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")


def run(*arguments, cwd=None):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, cwd=cwd, timeout=120,
                          check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def main():
    program, fleet, golden = (os.path.abspath(path) for path in sys.argv[1:])
    one, two = (f"{golden}/callgrind/threads.out-0{i}" for i in (1, 2))
    wrong = [
        ([], "mpirun -np N tracelathe-mpi report|"),
        (["nonsense", one], "mpirun -np N tracelathe-mpi report|"),
        (["info", one], "mpirun -np N tracelathe-mpi report|"),
        (["report", "--restart"], "--restart needs a directory"),
        (["report", "--restart=", one], "--restart needs a directory"),
        (["report", "--timeout", "x", one], "--timeout x: must be a number of seconds"),
        (["report", "--silence=-1", one], "--silence -1: must be a number of seconds"),
        (["report", "--restart=/dev/null/x", one, two], "/dev/null/x: cannot be made"),
        (["report", "@none"], "@none: cannot be read"),
        (["diff", "--runs", one], "both sides need files"),
        (["merge", "-o", "/dev/full", one, two], "/dev/full: cannot write"),
        (["report", "/nowhere/a", "/nowhere/b"], "/nowhere/a: cannot open"),
    ]
    told = [(["--version"], run(program, "--version")[1].split()[1]), (["--help"], b"usage: mpirun"), (["-h"], b"usage: mpirun"),
            (["report", "--help"], b"report"), (["query", "--list"], b"")]
    # Files of a list are added up; parts of Callgrind that are named are one input, whose functions keep their order.
    same = [["report", one], ["report", one, two], ["stacks", one, two], ["tree", "--csv", "@list"],
            ["convert", "--to", "json", "@list"], ["report", "--restart=kept", "--timeout=60", one, two], ["diff", one, two]]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "list"), "w", encoding="utf-8") as file:
            file.write(f"{one}\n{two}\n")
        for arguments, words in wrong:
            status, out, err = run(fleet, *arguments, cwd=folder)
            if status != 2 or out or words not in err:
                failures.append(f"{arguments}: status {status}, {err}")
        for arguments, words in told:
            status, out, err = run(fleet, *arguments, cwd=folder)
            if status or words not in out or err:
                failures.append(f"{arguments}: status {status}, {out}, {err}")
        for arguments in same:
            plain = [word for word in arguments if not word.startswith(("--restart", "--timeout"))]
            if run(fleet, *arguments, cwd=folder) != run(program, *plain, cwd=folder):
                failures.append(f"{arguments}: not what tracelathe says")
    print("\n".join(failures) or f"{len(wrong)} errors of usage, {len(told)} texts, {len(same)} answers of one process")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
