#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""linkage.py PROGRAM: names of the entries of procedure linkage tables against binutils' objdump.

A program is linked here in all the ways there are: by each linker, with guarded branches, for other processors, without
lazy binding, stripped. Each entry that objdump has a name for must have it at its first and at its last
byte. PROGRAM is names_at.c.
"""
import os
import re
import subprocess
import sys
import tempfile

import common
from common import expect, fail, finish

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
int main(int count, char **words)
{
	void (*taken)(void *) = free;
	char *text = strdup(words[0]);

	qsort(text, strlen(text), 1, compare);
	if (count > 1)
		abort();
	puts(text);
	free(text);
	taken(NULL);
	return 0;
}
"""
LINKED = [
    ("gcc", ""), ("gcc", "-Wl,-z,now"), ("gcc", "-no-pie"), ("gcc", "-fno-plt"), ("gcc", "-s"),
    ("gcc", "-fcf-protection=full -Wl,-z,ibtplt"), ("gcc", "-fcf-protection=full -Wl,-z,ibtplt,-z,now -s"),
    ("gcc", "-shared -fPIC"), ("gcc", "-fuse-ld=gold"), ("gcc", "-fuse-ld=mold"), ("gcc", "-fuse-ld=lld"),
    ("clang-19", "-fuse-ld=lld -fcf-protection=full -Wl,-z,force-ibt"), ("clang-19", "-fuse-ld=lld -Wl,-z,retpolineplt"),
    ("gcc", "-m32 -fPIC"), ("gcc", "-m32 -no-pie -fno-pic"), ("aarch64-linux-gnu-gcc", ""), ("aarch64-linux-gnu-gcc", "-s"),
    ("aarch64-linux-gnu-gcc", "-mbranch-protection=standard -Wl,-z,force-bti")]


def output(*command, **kwargs):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False, **kwargs)
    return done.stdout if done.returncode == 0 else None


def entries(path):
    """[(start, address of the last instruction, name)] of objdump."""
    objdump = common.tool("aarch64-linux-gnu-objdump" if "aarch64" in path else "objdump")
    found, start, name = [], None, None
    for line in (output(objdump, "-d", path) or "").splitlines() if objdump else []:
        head = re.match(r"([0-9a-f]+) <(.*)>:$", line)
        if head:
            start, name = int(head[1], 16), head[2]
            if name.endswith("@plt"):
                # objdump has the version of a symbol, too, and of ours there is none in the name.
                found.append([start, start, re.sub("@.*@", "@", name)])
            continue
        insn = re.match(r"\s+([0-9a-f]+):\s", line)
        if insn and found and name.endswith("@plt"):
            found[-1][1] = int(insn[1], 16)
    return found


def check(title, program, path):
    wanted = entries(path)
    asked = "".join("%x\n%x\n" % (start, last) for start, last, _ in wanted)
    ours = {}
    for line in (output(program, path, input=asked) or "").splitlines():
        address, start, name = line.split()
        ours[int(address, 16)] = (int(start, 16), name)
    for start, last, name in wanted:
        for address in (start, last):
            got = ours.get(address, (None, None))
            # Where the linker has made symbols for entries (mold: "puts$plt"), these name them.
            if got[1] and re.sub(r"\$plt(got)?$", "@plt", got[1]) == name:
                name = got[1]
            expect("%s: the entry at %x" % (title, address), got, (start, name))
    return len(wanted)


def main():
    program, count = os.path.abspath(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "source.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        for number, (compiler, options) in enumerate(LINKED):
            path = os.path.join(folder, "%s-%d" % (compiler, number))
            built = common.tool(compiler) and output(compiler, "-O1", "-fno-builtin", *options.split(), "-o", path, source)
            if built is None:
                print("%s %s: cannot be linked here" % (compiler, options))
                continue
            found = check("%s %s" % (compiler, options), program, path)
            print("%s %s: %d entries" % (compiler, options, found))
            if not found and options == "":
                fail(compiler, "has linked no table that objdump has names for")
            count += found
    finish(count, "entries")


main()
