#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""documents.py ROOT [DOCUMENT...]: files, folders and functions that documents name in backticks exist in the tree.

A name with a slash that begins with a folder of the tree or of src/, the name of a source, and a name that ends with ()
are looked for; `NAME` in one stands for any. What docs/c-api.md names is public, and it has a row for each command. Documents: those below, every README in src/, and those given.
Exit status: 0 all exist, 1 one does not (one line each).
"""
import glob
import os
import re
import sys

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/tour.md", "docs/glossary.md", "docs/design.md", "docs/testing.md", "docs/c-api.md")
# Functions of other projects.
FOREIGN = {"longjmp", "swapcontext", "assert"}


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def documents(root):
    yield from (os.path.join(root, name) for name in DOCUMENTS)
    for where, _, names in os.walk(os.path.join(root, "src")):
        yield from (os.path.join(where, name) for name in names if name.endswith(".md"))


def code(root):
    """The path of each source, by its name, and all functions that are called or defined."""
    paths, functions = {}, set()
    for folder in ("src", "include", "compat", "examples", "tests", "fuzz", "bench"):
        for where, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if name.endswith((".c", ".h", ".def")):
                    paths[name] = os.path.join(where, name)
                    if folder not in ("tests", "fuzz", "bench"):
                        functions.update(re.findall(r"\b(\w+)\(", read(paths[name])))
    return paths, functions


def is_there(root, folder, name):
    """A path from the top, from src/ or from the document's own folder, without `.c`, too; `*` and `{a,b}` are several."""
    pattern = re.sub(r"\{.*?\}", "*", name)
    return any(glob.glob(os.path.join(base, pattern)) or glob.glob(os.path.join(base, pattern) + ".[ch]")
               for base in (root, os.path.join(root, "src"), folder))


def looks_like_path(root, name):
    first = name.split("/")[0]
    return "/" in name and re.fullmatch(r"[\w./*{},-]+", name) and (
        os.path.isdir(os.path.join(root, first)) or os.path.isdir(os.path.join(root, "src", first)))


def interface(root, text):
    """What the page of the library's interface says that is not so, or leaves out."""
    public = "".join(read(path) for path in glob.glob(os.path.join(root, "include", "tracelathe", "*.h")))
    rows = "".join(re.findall(r"^\| (`[^|]*) \|", text, re.M)) + "`map`, `help`"
    commands = re.findall(r"^COMMAND\(\w+, (\w+)", read(os.path.join(root, "src", "cli", "options", "commands.def")), re.M)
    yield from ("%s is not public" % name for name in re.findall(r"`(\w+)\(\)`", text) if name + "(" not in public)
    yield from ("no row for the command %s" % name for name in commands if "`%s`" % name not in rows)


def main(root, more):
    paths, functions = code(root)
    known = FOREIGN | functions
    faults = []
    for path in list(documents(root)) + more:
        text = re.sub(r"^```.*?^```", "", read(path), flags=re.S | re.M)
        if os.path.basename(path) == "c-api.md":
            faults += [os.path.relpath(path, root) + ": " + fault for fault in interface(root, text)]
        for name in re.findall(r"`([^`\n]+)`", text):
            if "NAME" in name:
                continue
            if re.fullmatch(r"\w+\(\)", name):
                if name[:-2] not in known:
                    faults.append("%s: no function %s" % (os.path.relpath(path, root), name))
            elif re.fullmatch(r"\w+\.(c|h|def)", name):
                if name not in paths and name != "errno.h":
                    faults.append("%s: no file %s" % (os.path.relpath(path, root), name))
            elif looks_like_path(root, name) and not name.startswith("build"):
                if not is_there(root, os.path.dirname(path), name):
                    faults.append("%s: no file %s" % (os.path.relpath(path, root), name))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
