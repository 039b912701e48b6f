#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""syntax.py DIRECTORY: writes DIRECTORY/syntax.ninja, whose target `warnings` asks the compiler of a build for its warnings.

Each source is compiled once for all programs that have it with the same options, and no code is made of it: what a compiler
says comes before that, but for assembly, so that files that have some are compiled whole. A file is asked for again when it
or a header of it has changed, as in any build."""
import json
import os
import re
import shlex
import sys

HEAD = """builddir = syntax
rule ask
  command = $COMMAND && touch $out
  description = $in
  depfile = $out.d
  deps = gcc
"""


def words_of(command):
    """The command without its output and what depends on its name."""
    words, kept, skipped = shlex.split(command), [], False
    for word in words:
        if skipped:
            skipped = False
        elif word in ("-o", "-MF", "-MQ", "-c"):
            skipped = word != "-c"
        elif word not in ("-MD", "ccache") and not re.fullmatch(r"-I\S+\.p", word):
            kept.append(word)
    return kept


def has_assembly(path):
    """In the source, or in headers beside it."""
    ways, found = [path], {path}
    for way in ways:
        with open(way, encoding="utf-8", errors="replace") as file:
            text = file.read()
        if re.search(r"\b(asm|__asm__)\b", text):
            return True
        beside = {os.path.join(os.path.dirname(path), name) for name in re.findall(r'#include "([^"/]+)"', text)} - found
        ways += filter(os.path.exists, beside)
        found |= beside
    return False


def escaped(text):
    return re.sub(r"([$ :])", r"$\1", text)


def main(directory):
    with open(os.path.join(directory, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    asked = {}
    for entry in commands:
        asked.setdefault(tuple(words_of(entry["command"])), entry["file"])
    with open(os.path.join(directory, "syntax.ninja"), "w", encoding="utf-8") as file:
        file.write(HEAD)
        for number, (words, source) in enumerate(asked.items()):
            out = "syntax/%d" % number
            whole = has_assembly(os.path.join(directory, source))
            command = [*words, *(["-c", "-o", "/dev/null"] if whole else ["-fsyntax-only"]), "-MD", "-MF", out + ".d", "-MQ", out]
            file.write("build %s: ask %s\n  COMMAND = %s\n" % (
                out, escaped(source), " ".join(map(shlex.quote, command)).replace("$", "$$")))
        file.write("build warnings: phony %s\n" % " ".join("syntax/%d" % number for number in range(len(asked))))


main(sys.argv[1])
