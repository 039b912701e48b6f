#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""shared_objects.py TRACELATHE: XRay of shared objects (LLVM 20 and later), recorded afresh.

The program counts its own calls by object and function. It is linked with one object, and loads, unloads and loads others again;
each load is an object of its own number.
"""
import os
import subprocess
import sys
import tempfile

import common
from common import expect

CLANGS = ("clang++-22", "clang++-21", "clang++-20")
FUNCTION = '__attribute__((xray_always_instrument, noinline)) extern "C" int %s(int x) { hit("%s"); %s return x + 1; }\n'
# (function, body): later ones call earlier ones. Ids are by this order.
OBJECTS = {
    "one.so": (("one_a", ""), ("one_b", "for (int i = 0; i < 3; i++) x += one_a(x);")),
    "two.so": (("two_a", ""), ("two_b", "x += two_a(x);"), ("two_c", "x += two_b(x) + two_a(x);")),
    "three.so": (("three_a", ""),),
}
MAIN = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <xray/xray_interface.h>
#include <xray/xray_log_interface.h>
static struct { const char *name; long calls; } counts[100];
__attribute__((xray_never_instrument)) extern "C" void hit(const char *name)
{
	int i = 0;

	while (counts[i].name && strcmp(counts[i].name, name))
		i++;
	counts[i].name = counts[i].name ? counts[i].name : strdup(name);
	counts[i].calls++;
}
extern "C" int one_b(int);
__attribute__((xray_always_instrument, noinline)) extern "C" int work(int x) { hit("work"); return one_b(x) + 1; }
__attribute__((xray_always_instrument, noinline)) extern "C" int load(const char *path, const char *name, int times)
{
	hit("load");
	void *object = dlopen(path, RTLD_NOW);
	__xray_patch();
	int (*function)(int) = (int (*)(int))dlsym(object, name), sum = 0;
	for (int i = 0; i < times; i++)
		sum += function(i);
	dlclose(object);
	return sum;
}
int main(int argc, char **argv)
{
	int sum = 0;

	__xray_log_select_mode("xray-fdr");
	__xray_log_init_mode("xray-fdr", "func_duration_threshold_us=0");
	__xray_patch();
	for (int i = 0; i < 4; i++)
		sum += work(i);
	for (int i = 1; i + 2 < argc; i += 3)
		sum += load(argv[i], argv[i + 1], argv[i + 2][0] - '0');
	__xray_log_finalize();
	if (__xray_log_flushLog() != XRAY_LOG_FLUSHED)
		return 1;
	for (int i = 0; counts[i].name; i++)
		printf("%s %ld\n", counts[i].name, counts[i].calls);
	return sum == 0;
}
"""


def build(clang, folder):
    """False: this compiler has no XRay of shared objects, or no runtime."""
    for name, functions in OBJECTS.items():
        text = 'extern "C" void hit(const char *name);\n' + "".join(FUNCTION % (f, f, body) for f, body in functions)
        with open(os.path.join(folder, name + ".cpp"), "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(folder, "main.cpp"), "w", encoding="utf-8") as file:
        file.write(MAIN)
    flags = [clang, "-O1", "-g", "-fPIC", "-fxray-instrument", "-fxray-shared"]
    jobs = [flags + ["-shared", "-o", name, name + ".cpp"] for name in OBJECTS]
    jobs.append(flags + ["-rdynamic", "-o", "prog", "main.cpp", "-Wl,-rpath,$ORIGIN", "./one.so", "-ldl"])
    for job in jobs:
        done = subprocess.run(job, cwd=folder, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            print(done.stderr.strip()[:300])
            return False
    return True


def record(folder, name, *loads):
    """The log of a run, and what it counted."""
    done = subprocess.run([os.path.join(folder, "prog"), *(str(word) for load in loads for word in load)], cwd=folder,
                          env=dict(os.environ, XRAY_OPTIONS="patch_premain=false xray_logfile_base=%s." % name),
                          stdout=subprocess.PIPE, check=True, text=True)
    log = [path for path in os.listdir(folder) if path.startswith(name + ".prog")]
    return os.path.join(folder, log[0]), {key: int(value) for key, value in (line.split() for line in done.stdout.splitlines())}


def ask(folder, log, *names):
    """(calls by name, status, whether the order, a guess or a missing file is told) with these files."""
    given = [word for name in names for word in ("--binary", os.path.join(folder, name))]
    done = subprocess.run([common.command(), "report", "--csv", *given, log], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    calls = {}
    for row in common.csv.DictReader(common.io.StringIO(done.stdout)):
        calls[row["function"]] = calls.get(row["function"], 0) + int(row["calls"])
    words = ("by the order of the given files", "may have the names of another", "have no names")
    return calls, done.returncode, [word in done.stderr for word in words]


def check(folder):
    loads = (("./two.so", "two_c", 5), ("./three.so", "three_a", 7), ("./two.so", "two_b", 2))
    log, counted = record(folder, "several", *loads)
    expect("the program calls", counted, {"work": 4, "one_b": 4, "one_a": 12, "load": 3, "two_c": 5, "two_b": 7, "two_a": 12,
                                          "three_a": 7})
    # Files in the order of the loads, one for each. Object 1 could be two.so by its functions: the order tells.
    expect("in order", ask(folder, log, "prog", "one.so", "two.so", "three.so", "two.so"), (counted, 0, [True, False, False]))
    # Without its second load object 4 is not known; nothing is guessed.
    calls, status, told = ask(folder, log, "prog", "one.so", "two.so", "three.so")
    expect("not named again", (status, told[2]), (1, True))
    expect("not named again: load", (calls["load"], calls["two_c"], sum(calls.values())), (3, 5, sum(counted.values())))
    # In another order it cannot have been: what can be is tried, and told.
    calls, status, told = ask(folder, log, "prog", "three.so", "one.so", "two.so", "two.so")
    expect("out of order", (status, told[1], calls["two_c"], sum(calls.values())), (1, True, 5, sum(counted.values())))
    # A folder has no order; of its files each can be one object only, and none is left for the second load.
    expect("a folder", ask(folder, log, "prog", ".")[1:], (1, [False, False, True]))

    # What each object did tells which file it is, whatever their order.
    log, counted = record(folder, "certain", ("./two.so", "two_c", 1))
    expect("certain", ask(folder, log, "prog", "two.so", "one.so"), (counted, 0, [False, False, False]))
    # An object of which nothing ran has its place in the order: three.so would do for object 3 as well as for object 2.
    log, counted = record(folder, "silent", ("./two.so", "two_c", 0), ("./three.so", "three_a", 3))
    expect("silent", ask(folder, log, "prog", "one.so", "two.so", "three.so"), (counted, 0, [True, False, False]))
    return 7


def theirs(folder):
    """llvm-xray counts the same calls, of objects by number alone."""
    xray = common.tool("llvm-xray-22", "llvm-xray-21", "llvm-xray-20", "llvm-xray-19")
    if not xray:
        return 0
    log, _ = record(folder, "peer", ("./two.so", "two_c", 5), ("./two.so", "two_b", 2))
    done = subprocess.run([xray, "account", "--keep-going", "--format=csv", log], stdout=subprocess.PIPE, check=True, text=True)
    rows = list(common.csv.DictReader(common.io.StringIO(done.stdout)))
    expect("llvm-xray account", {row["id"]: row["calls"] for row in common.report(log)},
           {row["funcid"]: row["count"] for row in rows})
    return 1


def main():
    clang = common.tool(*CLANGS)
    if not clang:
        common.skip("no compiler of LLVM 20 or later")
    with tempfile.TemporaryDirectory() as folder:
        if not build(clang, folder):
            common.skip("%s builds no shared objects with XRay" % clang)
        compared = check(folder) + theirs(folder)
    common.finish(compared, "questions of recordings with shared objects")


if __name__ == "__main__":
    sys.exit(main())
