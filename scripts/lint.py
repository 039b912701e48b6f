#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lint.py BUILD [--jobs N] [--tool tidy|gcc] [FILE...]: what clang-tidy (.clang-tidy) and gcc's -fanalyzer find.

Each source of src/, compat/, recorder/ and emulator/ is asked about once, with the options that BUILD compiles it with, or
those named. A finding is mended. If it is false, it is suppressed with its reason: of clang-tidy where it stands (NOLINT(check)),
of -fanalyzer in scripts/lint_known.txt, by its file, function and check and how many there are. Prints what is left, which rows
of that list are no longer found, and the counts; exit status: 0 nothing, 1 something is left."""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOMS = ("src", "compat", "recorder", "emulator")
FINDING = re.compile(r"^(\S+?):(\d+):\d+: (?:warning|error): (.*?) (?:\[(?:CWE-\d+)\] )?\[([-\w.,+=]+)\]$")
FUNCTION = re.compile(r"^(?:\S+: )?In function [‘'](\w+)")


def sources(build):
    """{path below the root: the words of its compilation, without its output}"""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    found = {}
    for entry in entries:
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
        if path.split(os.sep)[0] in ROOMS and path.endswith(".c") and path not in found:
            words = [word for word in shlex.split(entry["command"]) if word not in ("ccache", "-MD", "-c", "-Werror")]
            for option in ("-o", "-MF", "-MQ"):
                if option in words:
                    at = words.index(option)
                    del words[at:at + 2]
            found[path] = words
    return found


def findings(words, build):
    """{(file, line, what, check, function)} that a tool says, where it says the function; its own failure is one, too."""
    done = subprocess.run(words, cwd=build, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    found = set()
    function = "-"
    for text in (done.stdout + done.stderr).splitlines():
        begun, finding = FUNCTION.match(text), FINDING.match(text)
        if begun:
            function = begun.group(1)
        if finding:
            where, line, what, check = finding.groups()
            found.add((os.path.relpath(os.path.join(build, where), ROOT), int(line), what, check, function))
    if done.returncode and not found:
        found = {(words[-1], 0, "%s ends with status %d" % (words[0], done.returncode), "tool", "-")}
    return found


# The states of a function that clang's analyzer looks at; with its own 225,000 some sources take half a minute each.
STATES = ["--extra-arg=" + word for word in ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=50000")]


def tidy(build, path, _):
    return findings([TIDY, "-p", build, "--quiet", *STATES, os.path.join(ROOT, path)], build)


def gcc(build, _, words):
    found = findings(["gcc", *words[1:], "-O1", "-fanalyzer", "-fdiagnostics-plain-output", "-S", "-o", os.devnull], build)
    return {finding for finding in found if finding[3] == "tool" or finding[3].startswith("-Wanalyzer")}


def known_findings():
    """{(file, function, check): how many of them are known to be false}"""
    rows = {}
    with open(os.path.join(ROOT, "scripts", "lint_known.txt"), encoding="utf-8") as file:
        for row in file:
            if row.strip() and not row.startswith("#"):
                where, function, check, count, reason = row.split(None, 4)
                assert reason
                rows[where, function, "-Wanalyzer-" + check] = int(count)
    return rows


def without_known(found, chosen, whole):
    """The findings that are not in the list; says of which rows there are fewer now. In a header any function counts."""
    places = {}
    for finding in found:
        function = finding[4] if finding[0].endswith(".c") else "-"
        places.setdefault((finding[0], function, finding[3]), set()).add(finding)
    rows = known_findings()
    left = set()
    for place, there in places.items():
        if len(there) > rows.get(place, 0):
            left |= there
    for place, count in sorted(rows.items()):
        if len(places.get(place, ())) < count and (place[0] in chosen or whole):
            print("lint: scripts/lint_known.txt has %d of %s %s %s, and found are %d" %
                  (count, *place, len(places.get(place, ()))))
    return left


TIDY = shutil.which("clang-tidy-19") or shutil.which("clang-tidy")
TOOLS = {"tidy": tidy, "gcc": gcc}


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("build")
    options.add_argument("files", nargs="*")
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--tool", choices=sorted(TOOLS), action="append")
    given = options.parse_intermixed_args()
    build = os.path.abspath(given.build)
    known = sources(build)
    chosen = [os.path.relpath(os.path.abspath(path), ROOT) for path in given.files] or sorted(known)
    for path in set(chosen) - set(known):
        options.error("%s is not compiled in %s" % (path, given.build))
    left = set()
    for name in given.tool or sorted(TOOLS):
        if name == "tidy" and not TIDY:
            print("lint: no clang-tidy here (Debian: clang-tidy-19)")
            continue
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            found = set().union(*pool.map(lambda path, tool=TOOLS[name]: tool(build, path, known[path]), chosen))
        said = len(found)
        if name == "gcc":
            found = without_known(found, chosen, chosen == sorted(known))
        for where, line, what, check, function in sorted(found):
            print("%s:%d: %s: %s [%s]" % (where, line, function, what, check))
        print("%s: %d sources, %d findings, %d left" % (name, len(chosen), said, len(found)))
        left |= found
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
