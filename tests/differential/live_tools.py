# SPDX-License-Identifier: Apache-2.0
"""Programs of the folder live/: built, and what they counted."""
import os
import subprocess

from common import fail

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "live")


def build(version, program, options, folder):
    name = os.path.join(folder, "%s-%s%s" % (program, version, "".join(options[:1])))
    sources = [os.path.join(HERE, program + ".cpp"), os.path.join(HERE, "recorder.cpp")]
    done = subprocess.run(["clang++-" + version, "-std=c++17", "-g1", "-fxray-instrument", "-pthread", *options,
                           "-o", name, *sources], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        fail("%s does not compile with clang %s: %s" % (program, version, done.stderr))
        return None
    return name


def counts_of(path):
    """Calls by function, as the program's own counters have them."""
    with open(path, encoding="utf-8") as file:
        return {name: int(count) for count, name in (line.rstrip("\n").split(" ", 1) for line in file)}
