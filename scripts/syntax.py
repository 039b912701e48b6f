#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""syntax.py DIRECTORY [32]: writes DIRECTORY/syntax.ninja, whose target `warnings` asks the compiler of a build for its warnings.

Each source is compiled once for all programs that have it with the same options, and no code is made of it: what a compiler
says comes before that, but for assembly, so that files that have some are compiled whole. A file is asked for again when it
or a header of it has changed, as in any build.

With 32 the compiler is asked as for a machine of 32 bits, where a size that is cut without a word shows. Files with assembly or
numbers of 128 bits, in C++ and of parts that such a machine has not are left out, and so are tests, whose sizes are small. None
of its libraries are needed, since nothing is linked: the one header of the C library that Debian has apart is empty."""
import json
import os
import re
import shlex
import sys

# The drop-in libipt, recorders and the emulator (see the head of scripts/cross.sh), and what is no part of the product.
NOT_FOR_32_BITS = re.compile(r"/(compat|recorder|emulator|examples/pt-recorder|tests|fuzz|bench)/|\.cpp$")
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
    """In the source, or in headers beside it; or numbers of 128 bits, which are as rare."""
    ways, found = [path], {path}
    for way in ways:
        with open(way, encoding="utf-8", errors="replace") as file:
            text = file.read()
        if re.search(r"\b(asm|__asm__|__int128)\b", text):
            return True
        beside = {os.path.join(os.path.dirname(path), name) for name in re.findall(r'#include "([^"/]+)"', text)} - found
        ways += filter(os.path.exists, beside)
        found |= beside
    return False


def escaped(text):
    return re.sub(r"([$ :])", r"$\1", text)


def narrow(directory):
    """What asks for 32 bits."""
    folder = os.path.join(directory, "syntax", "include")
    os.makedirs(os.path.join(folder, "gnu"), exist_ok=True)
    with open(os.path.join(folder, "gnu", "stubs-32.h"), "w", encoding="utf-8"):
        pass
    # The compiler looks for the C library's headers in the folder of the other machine; those of this one serve both.
    return ["-m32", "-isystem", "syntax/include", "-isystem", "/usr/include/x86_64-linux-gnu"]


def main(directory, bits="64"):
    # Elsewhere there are no machines of 32 bits that this one's headers serve as well.
    width = narrow(directory) if bits == "32" and os.uname().machine == "x86_64" else []
    with open(os.path.join(directory, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    asked = {}
    for entry in commands:
        asked.setdefault(tuple(words_of(entry["command"])), entry["file"])
    with open(os.path.join(directory, "syntax.ninja"), "w", encoding="utf-8") as file:
        file.write(HEAD)
        outs = []
        for number, (words, source) in enumerate(asked.items()):
            out = "syntax/%d" % number
            whole = has_assembly(os.path.join(directory, source))
            if width and (whole or NOT_FOR_32_BITS.search(source)):
                continue
            outs.append(out)
            command = [*words, *width, *(["-c", "-o", "/dev/null"] if whole else ["-fsyntax-only"]), "-MD", "-MF", out + ".d", "-MQ", out]
            file.write("build %s: ask %s\n  COMMAND = %s\n" % (
                out, escaped(source), " ".join(map(shlex.quote, command)).replace("$", "$$")))
        file.write("build warnings: phony %s\n" % " ".join(outs))


main(*sys.argv[1:])
