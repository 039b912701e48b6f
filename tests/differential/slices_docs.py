#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/xtrace-slices.md as they stand there, in folders that have the programs they name and nothing else:
./program is collected/phases.c, of one thread and of three, ./xtrace.so the collector, `simpoint` a k-means of our own. Where no
qemu-aarch64 records (QEMU_AARCH64, or the one of PATH), recordings that are kept stand for what would be recorded, and intervals
of a thousand for those of a million instructions."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import collector_tools as tools
import common
import xtrace_model as model

DOCUMENT = os.path.join(common.ROOT, "docs", "xtrace-slices.md")
SIMPOINT = """#!%s
import sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
sys.argv[1:] = ["none"]
sys.path.insert(0, %r)
import simpoints
with open(options["-loadFVFile"], encoding="ascii") as file:
    vectors = simpoints.vectors_of(file.read())
found = simpoints.clusters(vectors, min(4, len(vectors)))
with open(options["-saveSimpoints"], "w", encoding="ascii") as file:
    file.writelines("%%d %%d\\n" %% (interval, cluster) for interval, cluster, _ in found)
with open(options["-saveSimpointWeights"], "w", encoding="ascii") as file:
    file.writelines("%%f %%d\\n" %% (weight, cluster) for _, cluster, weight in found)
"""


def blocks():
    """The commands of each block, with their headings' texts."""
    heading, found = "", []
    with open(DOCUMENT, encoding="utf-8") as file:
        for part in re.split(r"^(#+ .*|```\n(?:.*\n)*?```\n)", file.read(), flags=re.M):
            if part.startswith("#"):
                heading = part.lstrip("# ")
            elif part.startswith("```"):
                found.append((heading, part.splitlines()[1:-1]))
    return found


class Walk:
    def __init__(self, scratch):
        self.scratch, self.done = scratch, 0
        self.plugin = tools.built(scratch)
        self.recorder = tools.CC and tools.user_emulator(self.plugin, scratch)
        self.tools = os.path.join(scratch, "tools")
        os.mkdir(self.tools)
        emulator = self.recorder or shutil.which("qemu-aarch64")
        for name, path in (("tracelathe", common.command()), ("qemu-aarch64", emulator)):
            if path:
                os.symlink(path, os.path.join(self.tools, name))
        self.runs = bool(emulator)
        with open(os.path.join(self.tools, "simpoint"), "w", encoding="utf-8") as file:
            file.write(SIMPOINT % (sys.executable, os.path.dirname(os.path.abspath(__file__))))
        os.chmod(os.path.join(self.tools, "simpoint"), 0o755)
        if not self.recorder:
            print("nothing recorded: no qemu-aarch64 that loads the plugin (QEMU_AARCH64), or no compiler for AArch64")

    def folder(self, name, threads):
        """An empty folder but for the plugin and the program."""
        folder = os.path.join(self.scratch, name)
        os.mkdir(folder)
        shutil.copy(self.plugin, os.path.join(folder, "xtrace.so"))
        if self.recorder:
            subprocess.run([tools.CC, "-O2", "-static", "-pthread", "-DTHREADS=%d" % threads, "-o",
                            os.path.join(folder, "program"), os.path.join(tools.PROGRAMS, "phases.c")], check=True)
        return folder

    def command(self, folder, line, kept):
        """What is run for a line; None: it cannot be here."""
        if self.recorder:
            return line
        if "-plugin" in line:
            os.mkdir(os.path.join(folder, "traces"))
            for path in model.unpack(kept, folder):
                for kind in ("xinsndata", "xsnapshot"):
                    shutil.move(path.replace("xinsndata", kind), os.path.join(folder, "traces"))
            return None
        # Threads of this recording begin with 1.
        return None if not self.runs and line.startswith("qemu") else line.replace("1000000", "1000")

    def run(self, heading, lines, folder, kept, quiet="tracelathe check"):
        """All lines: status 0, nothing but remarks on standard error, nothing at all from `check`."""
        traces = " ".join(sorted(os.path.relpath(p, folder) for p in tools.streams(os.path.join(folder, "traces"))))
        for line in lines:
            run = self.command(folder, line, kept)
            if not run:
                continue
            run = re.sub(r"\bTRACE(\.\.\.)?", traces, run)
            done = subprocess.run(["bash", "-o", "pipefail", "-c", run], cwd=folder, capture_output=True, text=True,
                                  env=dict(os.environ, PATH=self.tools + ":" + os.environ["PATH"]), timeout=300, check=False)
            what = "%s: %s" % (heading, line)
            common.expect(what + ": status and errors", (done.returncode, re.findall("^(?:tracelathe|qemu).*: .*", done.stderr, re.M)),
                          (0, [remark for remark in done.stderr.splitlines() if "begin earlier than was asked for" in remark]))
            if "echo $?" in line:
                common.expect(what + ": the program's status", done.stdout, "0\n")
            if re.match(quiet, line):
                common.expect(what + ": has nothing to say", done.stdout, "")
            self.done += 1


def main():
    found = blocks()
    common.expect("headings of the blocks with commands", [heading for heading, _ in found],
                  ["From a trace to a running slice", "The slices that SimPoint chooses", "Of all threads at one time",
                   "Several threads", "Signals"])
    with tempfile.TemporaryDirectory() as scratch:
        walk = Walk(scratch)
        one, three = walk.folder("one", 1), walk.folder("three", 3)
        walk.run(*found[0], one, "jumps")
        walk.run(*found[1], one, "jumps")
        # Its recording is that of "Several threads".
        walk.run(*found[3], three, "futexes")
        walk.run(*found[2], three, "futexes")
    common.finish(walk.done, "commands")


main()
