#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The list of all messages of the library and the command, so that they can be read and reviewed as one text.

  messages.py          write tests/golden/messages.txt
  messages.py --check  exit with 1, and show the difference, where the list is not that of the sources

A message is a string literal in src/ that holds two words in a row: texts of errors, warnings, remarks, rules, options and
help. Adjacent literals are one; PRIu64 and its like are part of the format. The list is by room, sorted.
"""
import difflib
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIST = os.path.join(ROOT, "tests", "golden", "messages.txt")
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|^[ \t]*#[ \t]*include[^\n]*|\'(?:\\.|[^\'\\\n])+\'|'
                   r'(?P<text>"(?:\\.|[^"\\\n])*"(?:\s*(?:\\\n\s*)?(?:PRI\w+|"(?:\\.|[^"\\\n])*"))*)', re.S | re.M)
PIECE = re.compile(r'PRI[diuxX]\w+|"((?:\\.|[^"\\\n])*)"')
WORDS = re.compile(r"[A-Za-z]{2,}[,;:]? [a-z(]{2,}")
# Markup, style sheets, keys of JSON and completions of shells are no prose.
OTHER = re.compile(r'^\s*[<{.#@]|":|[a-z-]+: ?[\w#%-]+;|</|COMPREPLY|\$cur|CURRENT|complete -|_describe')


def text_of(literal):
    parts = []
    for found in PIECE.finditer(literal):
        parts.append("u" if found.group().startswith("PRI") else found.group(1))
    text = "".join(parts)
    return " ".join(text.replace("\\n", " ").replace("\\t", " ").replace('\\"', '"').replace("\\\\", "\\").split())


def messages():
    """Room -> its messages."""
    found = {}
    for where, folders, names in os.walk(os.path.join(ROOT, "src")):
        room = os.path.relpath(where, os.path.join(ROOT, "src")).split(os.sep)[0]
        for name in names:
            if not name.endswith((".c", ".h", ".def")):
                continue
            with open(os.path.join(where, name), encoding="utf-8") as file:
                source = re.sub(r"_Static_assert\(.*?\);", "", file.read(), flags=re.S)
                for token in TOKEN.finditer(source):
                    text = text_of(token.group("text") or "")
                    if WORDS.search(text) and not OTHER.search(text):
                        found.setdefault(room, set()).add(text)
    return found


def listed():
    lines = ["All messages, by room. Written by scripts/messages.py, which a test runs with --check."]
    for room, texts in sorted(messages().items()):
        lines += ["", "== " + room, ""] + sorted(texts)
    return "\n".join(lines) + "\n"


def main(check):
    text = listed()
    if not check:
        with open(LIST, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(LIST, encoding="utf-8") as file:
        known = file.read()
    for line in difflib.unified_diff(known.splitlines(), text.splitlines(), "tests/golden/messages.txt", "src/",
                                     lineterm="", n=0):
        print(line)
    if known != text:
        print("The messages have changed: read them, then run scripts/messages.py")
    return 0 if known == text else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] == ["--check"]))
