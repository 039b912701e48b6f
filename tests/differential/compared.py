#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/compared.md: "commands, options and tests named here exist, and every option that an installed tool lists has a row"."""
import glob
import os
import re
import shutil
import subprocess

import common
from common import expect, fail

HELP = {"callgrind_annotate": ["callgrind_annotate", "--help"], "cg_annotate": ["cg_annotate", "--help"],
        "cg_diff": ["cg_diff", "--help"]}
# Of every tool: they are about the tool itself.
PLAIN = {"--help", "--help-list", "--version", "--help-hidden"}
VERDICTS = {"same", "better", "missing", "not wanted"}
options_of = {}
count = 0


def has_option(command, option):
    if command not in options_of:
        text = common.run("help", "--man", command)
        options_of[command] = set(re.findall(r"--[a-z0-9.][\w.-]*", re.sub(r"\\f[A-Z]", "", text).replace("\\-", "-")))
    return option in options_of[command]


def test_exists(name):
    root = os.path.join(common.ROOT, "tests")
    return any(glob.glob(os.path.join(root, pattern % name)) for pattern in
               ("differential/%s.py", "differential/%s.c", "cli/cases/%s.cmd", "unit/*/test_%s.c", "unit/*/*/test_%s.c"))


def check_row(section, cells):
    theirs, ours, verdict, how, test = cells
    where = section + " " + theirs
    expect(where + ": verdict is known", verdict in VERDICTS, True)
    for command in re.findall(r"`([^`]+)`", ours):
        words = command.split()
        for option in words[1:]:
            if not has_option(words[0], option):
                fail(where, "names", command, "which does not exist")
    names = re.findall(r"`([^`]+)`", test)
    if verdict in ("same", "better"):
        expect(where + ": has a test", bool(names), True)
        expect(where + ": says which of ours", bool(ours), True)
    if verdict == "not wanted":
        expect(where + ": says why", bool(how), True)
    for name in names:
        expect("%s: test %s exists" % (where, name), test_exists(name), True)


def rows():
    """(section, cells) of each table"""
    section = None
    with open(os.path.join(common.ROOT, "docs", "compared.md"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("## "):
                section = line[3:].strip()
            elif line.startswith("|") and section and not line.startswith(("|---", "| theirs")):
                yield section, [cell.strip() for cell in line.strip().strip("|").split("|")]


def listed(words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return set(re.findall(r"^\s*(?:-\w(?:<\w+>)? )?\s*(--[a-z][\w-]*)", done.stdout.decode("utf-8", "replace"), re.M)) - PLAIN


def main():
    global count
    named = {}
    for section, cells in rows():
        if len(cells) != 5:
            fail("a row of", section, "has", len(cells), "cells:", cells[0])
            continue
        check_row(section, cells)
        named.setdefault(section, set()).update(re.findall(r"`([^`]+)`", cells[0]))
        count += 1
    for tool, words in HELP.items():
        if shutil.which(tool):
            expect(tool + ": options without a row", sorted(listed(words) - named.get(tool, set())), [])
    for xray in filter(None, map(common.tool, ("llvm-xray-19", "llvm-xray-22"))):
        for command in ("account", "convert", "extract", "fdr-dump", "graph", "graph-diff", "stack"):
            have = {name[len(command) + 1:] for name in named["llvm-xray"] if name.startswith(command + " ")}
            expect("%s %s: options without a row" % (xray, command), sorted(listed([xray, command, "--help"]) - have), [])
    common.finish(count, "rows of docs/compared.md")


if __name__ == "__main__":
    main()
