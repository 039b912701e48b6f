#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/deps.sh with an apt that installs nothing, but writes down what it is asked for: packages of the list that a
machine has, lacks, or finds in a newer version in another release."""
import os
import shutil
import subprocess
import sys
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "deps.sh")
NEWER = "qemu-system-arm"
OLD, BACKPORT, NEW = "1:7.2+dfsg-7+deb12u18", "1:10.0.2+ds-2+deb13u1~bpo12+1", "1:10.0.2+ds-2+deb13u1"

# What stands in for the programs of a Debian machine; $HERE has the state, a file each.
PROGRAMS = {
    "dpkg-query": 'for name; do :; done; grep -qx -- "$name" "$HERE/absent" || echo installed',
    "apt-cache": """case $1 in
policy) echo "  Candidate: 1.0" ;;
madison) cat "$HERE/offered" ;;
esac""",
    "apt-get": """echo "$*" >>"$HERE/asked"
case "$*" in *install*) ! grep -q . "$HERE/fails" || exit 100 ;; esac""",
    "id": 'cat "$HERE/user"',
    "sudo": "exit 1",
}


def offered(*rows):
    return "".join(" %s | %s | http://deb.debian.org/debian %s/main %s\n" % (NEWER, version, release, kind)
                   for version, release, kind in rows)


def run(folder, absent=(), rows=(), fails="", user="0"):
    """Status, what was said, what apt-get was asked to install."""
    state = {"absent": "".join(name + "\n" for name in absent), "offered": offered(*rows), "fails": fails,
             "user": user + "\n", "asked": ""}
    for name, text in state.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    done = subprocess.run(["sh", SCRIPT, "test"], capture_output=True, text=True,
                          env={**os.environ, "HERE": folder, "PATH": folder + ":" + os.environ["PATH"]})
    with open(os.path.join(folder, "asked"), encoding="utf-8") as file:
        installs = [line.split("install ")[1] for line in file.read().splitlines() if "install " in line]
    return done.returncode, done.stderr, installs


OLDER = (OLD, "bookworm", "amd64 Packages")
PORTED = (BACKPORT, "bookworm-backports", "amd64 Packages")
SOURCE = (BACKPORT, "bookworm-backports", "Sources")
TAKEN = "-y --no-install-recommends --no-remove -t %s " + NEWER
PLAIN = "-y --no-install-recommends valgrind"
SAID = "deps: installing %s of %s\n"
CASES = (
    ("nothing is missing", {}, (0, "", [])),
    ("no release has it", {"absent": [NEWER], "rows": [OLDER]}, (0, "", [])),
    ("only its source", {"absent": [NEWER], "rows": [SOURCE, OLDER]}, (0, "", [])),
    ("backports have it", {"absent": [NEWER], "rows": [PORTED, OLDER]},
     (0, SAID % (NEWER, "bookworm-backports"), [TAKEN % "bookworm-backports"])),
    ("a newer release has it", {"absent": [NEWER], "rows": [(NEW, "trixie", "amd64 Packages")]},
     (0, SAID % (NEWER, "trixie"), [TAKEN % "trixie"])),
    ("an older one is installed", {"rows": [PORTED, OLDER]}, (0, "", [])),
    ("another package is missing", {"absent": ["valgrind"], "rows": [OLDER]},
     (0, "deps: installing valgrind \n", [PLAIN])),
    ("both", {"absent": ["valgrind", NEWER], "rows": [PORTED, OLDER]},
     (0, "deps: installing valgrind \n" + SAID % (NEWER, "bookworm-backports"), [PLAIN, TAKEN % "bookworm-backports"])),
    ("it cannot be installed", {"absent": [NEWER], "rows": [PORTED, OLDER], "fails": "yes"},
     (0, SAID % (NEWER, "bookworm-backports") +
      "deps: apt-get cannot install %s of bookworm-backports: going on without it\n" % NEWER,
      [TAKEN % "bookworm-backports"])),
    ("nobody may install it", {"absent": [NEWER], "rows": [PORTED, OLDER], "user": "1000"}, (0, "", [])),
)

if not shutil.which("dpkg"):
    print("skipped: no dpkg to compare versions with")
    sys.exit(77)
failures = 0
with tempfile.TemporaryDirectory() as scratch:
    for program, text in PROGRAMS.items():
        with open(os.path.join(scratch, program), "w", encoding="utf-8") as script:
            script.write("#!/bin/sh\n" + text + "\n")
        os.chmod(os.path.join(scratch, program), 0o755)
    for what, machine, wanted in CASES:
        got = run(scratch, **machine)
        if got != wanted:
            print("FAIL: %s: %s instead of %s" % (what, got, wanted))
            failures += 1
print("%d cases, %d failures" % (len(CASES), failures))
sys.exit(1 if failures else 0)
