#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the command writes as JSON against docs/schema: every command, with inputs of every format.

    schema.py TRACELATHE

The schemas are the contract; a member that a change adds has to be added there. Where python3-jsonschema is installed, it has
to say the same of every output as tests/schema/json_schema.py does.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from json_schema import faults

try:
    from jsonschema import Draft202012Validator
except ImportError:
    Draft202012Validator = None

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "..", "golden")
SCHEMAS = os.path.join(HERE, "..", "..", "docs", "schema")
XTRACE = "xtrace.20260101000000.0.hint9.xinsndata.bin"
failed = []
checked = {}


class Inputs:
    """Files of each format in a directory of their own, and the options that go with them."""

    def __init__(self, program, directory):
        self.program, self.directory = program, directory
        self.options = {"pt": ["--map", "tiny.map"], "xtrace": ["--binary", "small.elf"]}
        self.files = {"xray": "xray/fib-fdr.xray", "args": "xray/args-fdr.xray", "old": "xray/v1-buffers.xray",
                      "cut": "xray/events-fdr-tscwrap.xray", "tree-of-paths": "xray/exc-prof.xray",
                      "callgrind": "callgrind/threads.out-01", "other": "callgrind/threads.out-02",
                      "pt": "intel_pt/tiny.pt", "perf": "perf/threads.perf.data", "xtrace": "xtrace/" + XTRACE}
        for name, path in self.files.items():
            self.copy(path, XTRACE if name == "xtrace" else name)
        for path in ("intel_pt/tiny.map", "intel_pt/tiny.img", "xtrace/small.elf",
                     "xtrace/" + XTRACE.replace("xinsndata", "xsnapshot")):
            self.copy(path, os.path.basename(path))
        self.threads = ["xtrace.20260101000001.%d.hint9.xinsndata.bin" % number for number in range(2)]
        for name in self.threads:
            self.copy("xtrace/" + name, name)
        self.make("folded", "stacks", "xray")
        for name, of in (("speedscope", "xray"), ("pprof", "callgrind")):
            self.make(name, "convert", of, "--to", name)
        self.make("profile", "convert", "xray", "--to", "tracelathe")
        self.make("chrome", "timeline", "args", "--to", "chrome")
        self.make("perfetto", "timeline", "args", "--to", "perfetto")

    def copy(self, path, name):
        shutil.copy(os.path.join(GOLDEN, path), os.path.join(self.directory, name))

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)
        return done.returncode, done.stdout

    def make(self, name, command, of, *options):
        status, _ = self.run(command, *options, "-o", name, of)
        if status not in (0, 1):
            failed.append("%s cannot be made" % name)

    def path(self, name):
        return XTRACE if name == "xtrace" else name


def load(name):
    with open(os.path.join(SCHEMAS, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def check(name, value, what):
    schema = load(name)
    found = list(faults(value, schema, schema))
    checked[name] = checked.get(name, 0) + 1
    for text in found[:3]:
        failed.append("%s: %s: %s" % (name, what, text))
    if Draft202012Validator and bool(found) == Draft202012Validator(schema).is_valid(value):
        failed.append("%s: %s: jsonschema says otherwise" % (name, what))


def check_output(inputs, schema, command, names, lines=False):
    arguments = list(command)
    for name in names:
        arguments += inputs.options.get(name, []) + [inputs.path(name)]
    status, output = inputs.run(*arguments)
    what = " ".join(arguments)
    if status not in (0, 1):
        return False
    if lines:
        for line in output.decode().splitlines()[:40]:
            check(schema, json.loads(line), what)
    else:
        check(schema, json.loads(output), what)
    return True


def one_of(inputs, schema, command, names=None, lines=False):
    """The command with each input that it takes, at least one."""
    taken = [check_output(inputs, schema, command, [name], lines) for name in names or
             list(inputs.files) + ["folded", "speedscope", "pprof", "profile", "chrome", "perfetto"]]
    if not any(taken):
        failed.append("%s takes no input" % " ".join(command))


def check_commands(inputs):
    for options in ([], ["--seconds"], ["--threads"], ["--cycles"]):
        one_of(inputs, "report", ["report", "--json", *options], None if not options else ["xray", "callgrind", "xtrace"])
    for unit in ("file", "object", "class", "namespace", "cycle", "part", "trace", "host", "process"):
        one_of(inputs, "report", ["report", "--json", "--by", unit], ["xray", "callgrind", "old"])
    check_output(inputs, "report", ["report", "--json", "--spread"], ["xray", "args"])
    for options in (["--quick"], ["--interval", "100"], ["--by", "level"], ["--by", "task"]):
        one_of(inputs, "report", ["report", "--json", *options], ["pt"] if options == ["--quick"] else ["xtrace"])
    one_of(inputs, "report", ["report", "--json", "--idle", "#1"], ["xray"])
    one_of(inputs, "tree", ["tree", "--json"])
    one_of(inputs, "tree", ["tree", "--json", "--all-callers", "--function", "#1"], ["xray"])
    for kind in ("top-down", "bottom-up", "callers"):
        one_of(inputs, "tree", ["tree", "--json", "--" + kind], ["xray", "callgrind"])
    one_of(inputs, "annotate", ["annotate", "--json"])
    one_of(inputs, "annotate", ["annotate", "--json", "--asm"], ["xtrace", "pt", "callgrind"])
    one_of(inputs, "info", ["info", "--json"])
    one_of(inputs, "profile", ["convert", "--to", "json"])
    one_of(inputs, "analyze", ["analyze", "--json", "--mix", "--footprint", "--reuse", "--cache", "--syscalls", "--blocks",
                                "--branches"],
           ["xtrace"])
    one_of(inputs, "analyze", ["analyze", "--json", "--dependences", "--mix", "--cache", "--branches", "--interval", "100"],
           ["xtrace"])
    # Without TIME the order of accesses is not exact, which is told: status 1.
    if not check_output(inputs, "analyze", ["analyze", "--json", "--sharing", "--interval", "100", *inputs.threads], []):
        failed.append("analyze --sharing takes no input")
    one_of(inputs, "analyze", ["analyze", "--json", "--bbv", "--interval", "100"], ["xtrace"])
    for options in ([], ["--by", "arc"], ["--by", "line"]):
        for pair in (["xray", "args"], ["callgrind", "other"], ["xray", "callgrind"]):
            check_output(inputs, "diff", ["diff", "--json", *options], pair)
    check_output(inputs, "diff", ["diff", "--json", "--flow"], ["xtrace", "xtrace"])
    status, output = inputs.run("diff", "--json", "--runs", "xray", "args", "--", "args", "xray")
    check("diff", json.loads(output), "diff --runs: status %d" % status)
    query = ["query", "--json"]
    for table in ("functions", "arcs", "contexts", "lines", "losses", "events"):
        _, output = inputs.run(*query, "callgrind", "SELECT * FROM %s LIMIT 20" % table)
        check("query", json.loads(output), "query " + table)


def check_lines(inputs):
    one_of(inputs, "check", ["check", "--json"], lines=True)
    one_of(inputs, "check", ["check", "--json", "--rules"], ["xtrace"], True)
    one_of(inputs, "dump", ["dump", "--json"], lines=True)
    one_of(inputs, "dump", ["dump", "--json", "--decode", "custom=text"], ["cut"], True)
    for listing in ("blocks", "instructions", "events", "packets", "branches"):
        one_of(inputs, "dump", ["dump", "--json", "--" + listing], ["pt"], True)
    one_of(inputs, "dump", ["dump", "--json", "--instructions"], ["xtrace"], True)
    one_of(inputs, "dump", ["dump", "--json", "--snapshots"], ["xtrace"], True)
    one_of(inputs, "calls", ["dump", "--calls", "--json"], ["xray", "pt", "chrome", "old"], True)
    one_of(inputs, "calls", ["dump", "--calls", "--json", "--seconds"], ["xray"], True)


def check_extract(inputs):
    program = os.path.join(HERE, "..", "corpus", "xray", "bin", "args.elf")
    _, output = inputs.run("extract", "--json", program)
    check("extract", json.loads(output), "extract")


def check_slice(inputs):
    for name, weights in (("points", "0 0\n3 1\n"), ("weights", "0.75 0\n0.25 1\n")):
        with open(os.path.join(inputs.directory, name), "w", encoding="ascii") as file:
            file.write(weights)
    one_of(inputs, "slice", ["slice", "--json", "--simpoints", "points", "--weights", "weights", "--interval", "100", "-o", "slices"],
           ["xtrace"])


def check_that_all_have_one(inputs):
    """Each command whose manual has --json has a schema of its name, which README names."""
    with open(os.path.join(HERE, "..", "..", "src", "cli", "options", "commands.def"), encoding="utf-8") as file:
        commands = re.findall(r"^COMMAND\(\w+, (\w+),", file.read(), re.M)
    with open(os.path.join(SCHEMAS, "README.md"), encoding="utf-8") as file:
        listed = set(re.findall(r"^\| \[(\w+)\]\(\1\.json\)", file.read(), re.M))
    have = {name for name in commands if b"\\-\\-json" in inputs.run("help", "--man", name)[1]}
    if len(have) < 10 or have - set(checked):
        failed.append("no schema of commands that have --json: %s" % sorted(have - set(checked)))
    if listed != set(checked):
        failed.append("README's list is not that of the schemas: %s" % sorted(listed ^ set(checked)))


def check_that_it_can_fail(inputs):
    """A member less, one more, and one of another type are found in a schema of each kind."""
    _, output = inputs.run("report", "--json", "xray")
    schema = load("report")
    for change in (lambda v: v.pop("losses"), lambda v: v.update(more=1), lambda v: v.update(frequency="1"),
                   lambda v: v["functions"][0].pop("calls"), lambda v: v["functions"][0].update(line="12"),
                   lambda v: v["total"].update(Ticks=0.5), lambda v: v.update(functions={})):
        value = json.loads(output)
        change(value)
        if not list(faults(value, schema, schema)):
            failed.append("a planted fault was not found")


def main():
    with tempfile.TemporaryDirectory() as directory:
        inputs = Inputs(os.path.abspath(sys.argv[1]), directory)
        check_commands(inputs)
        check_lines(inputs)
        check_extract(inputs)
        check_slice(inputs)
        check_that_all_have_one(inputs)
        check_that_it_can_fail(inputs)
    unused = {name[:-5] for name in os.listdir(SCHEMAS) if name.endswith(".json")} - set(checked)
    failed.extend("%s: no output was checked" % name for name in sorted(unused))
    for text in failed[:40]:
        print(text)
    print("%d outputs, %d faults" % (sum(checked.values()), len(failed)))
    sys.exit(1 if failed else 0)


main()
