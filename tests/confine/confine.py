#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a reader that a hostile file has taken over can still do: confine.py WITH-INTRUDER.

The program is the command with one more format, whose files say what to try (intruder.c). Each attempt is made twice:
confined, and with --no-sandbox, where it must succeed or at least not be stopped the same way: else the test says nothing."""
import os
import signal
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
SKIPPED = 77
failures = []


def attempt(folder, what, *options):
    """The answer of `info`, or the name of the signal that ended the program."""
    path = os.path.join(folder, "attack")
    with open(path, "w", encoding="utf-8") as file:
        file.write("intruder: %s\n" % what)
    done = subprocess.run([PROGRAM, "info", *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                          text=True, check=False)
    if done.returncode < 0:
        return signal.Signals(-done.returncode).name
    lines = done.stdout.strip().splitlines()
    return lines[-1] if lines else "nothing: " + done.stderr.strip()


def expect(what, got, wanted):
    if got not in wanted:
        print("%s: %s, expected %s" % (what, got, " or ".join(wanted)))
        failures.append(what)


def files(folder):
    secret = os.path.join(os.path.expanduser("~"), ".ssh")
    for what in ("read /etc/passwd", "list /etc", "read /proc/self/environ", "read /proc/1/cmdline", "list %s" % secret):
        if what.endswith(".ssh") and not os.path.isdir(secret):
            continue
        expect(what, attempt(folder, what), ["Permission denied"])
    expect("read /etc/passwd, free", attempt(folder, "read /etc/passwd", "--no-sandbox"), ["done"])
    beside = os.path.join(folder, "beside")
    with open(beside, "w", encoding="utf-8"):
        pass
    expect("read a file beside the trace", attempt(folder, "read " + beside), ["done"])
    # A file that is named is read wherever it stands, and others of its folder are not.
    expect("read /usr/bin/env", attempt(folder, "read /usr/bin/env"), ["done"])


def writing(folder):
    """Nothing is written but below the folder of -o and in TMPDIR."""
    inside, outside = os.path.join(folder, "inside"), os.path.join(folder, "outside")
    os.mkdir(inside)
    os.mkdir(outside)
    os.environ["TMPDIR"] = inside
    kept = os.path.join(outside, "kept")
    with open(kept, "w", encoding="utf-8"):
        pass
    for what in ("write %s/made" % outside, "unlink " + kept, "write %s/.bashrc" % os.path.expanduser("~")):
        expect(what, attempt(folder, what), ["Permission denied"])
    expect("write to TMPDIR", attempt(folder, "write %s/made" % inside), ["done"])
    expect("write, free", attempt(folder, "write %s/made" % outside, "--no-sandbox"), ["done"])
    out = os.path.join(outside, "out.txt")
    expect("with -o", attempt(folder, "write %s/made2" % outside, "-o", out), ["nothing: "])
    with open(out, encoding="utf-8") as file:
        expect("write beside -o", file.read().strip().splitlines()[-1], ["done"])


def calls(folder):
    expect("exec", attempt(folder, "exec /usr/bin/true"), ["SIGSYS"])
    expect("exec, free", attempt(folder, "exec /usr/bin/true", "--no-sandbox"), ["nothing: "])
    expect("connect", attempt(folder, "connect 127.0.0.1"), ["SIGSYS"])
    expect("connect, free", attempt(folder, "connect 127.0.0.1", "--no-sandbox"), ["done", "Connection refused"])
    expect("ptrace", attempt(folder, "ptrace"), ["SIGSYS"])
    # The C library itself asks for local sockets, and what a newer one may ask for is answered, not punished.
    expect("a local socket", attempt(folder, "local-socket"), ["Function not implemented"])
    expect("keyctl", attempt(folder, "keyctl"), ["Function not implemented"])
    expect("memory with code", attempt(folder, "code"), ["Function not implemented"])
    expect("memory with code, free", attempt(folder, "code", "--no-sandbox"), ["done"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        if attempt(folder, "read /etc/passwd") == "done":
            print("skipped: this kernel has no Landlock, or this build cannot use it")
            sys.exit(SKIPPED)
        files(folder)
        writing(folder)
        if attempt(folder, "keyctl") != "Function not implemented":
            print("system calls are not tested: there is no list for this machine")
        else:
            calls(folder)
    print("%d failures" % len(failures))
    sys.exit(1 if failures else 0)


main()
