#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of `tracelathe query` against the reports of the same file, for every trace of the shared corpus: functions
and their costs are those of `report --csv --all`, calls those of `dump --calls`, sums by GROUP BY those of the profile.

Calls are compared as lines, so that the largest traces are among them. A trace that `report` cannot
read is refused by `query`, too."""
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

import common
import query
from common import SHARED, expect, fail

# A line of `dump --calls --json`. What ends, and is whole, has a duration.
CALLS = """SELECT printf('{"thread":%s,"process":%s,"start":%s,"end":%s,"depth":%d,"function":%s,"parent":%s,"id":%d%s%s}',
  coalesce(thread, 'null'), coalesce(process, 'null'), coalesce(start, 'null'), coalesce("end", 'null'), depth, json_quote(name),
  coalesce(parent, 'null'), id, iif(cut, ',"cut":true', ''), iif(late, ',"late":true', '')) AS call,
  duration IS iif(cut OR late, NULL, "end" - start) AS "right" FROM calls"""
PARKED = "r_uctx.pt"  # its stacks take turns
SUFFIXES = (".xray", ".xrayprof", ".pt", ".perf.data", ".out", "xinsndata.bin")


def traces(folder):
    """Each trace below a folder, and what has to be said of it."""
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(where, name)
            code = os.path.join(where, name.split(".")[0] + ".map") if name.endswith(".pt") else ""
            if name.endswith(SUFFIXES) and ".oracle" not in where:
                yield path, ["--map", code] if os.path.exists(code) else []


def expanded(folder):
    """The packed traces of the corpus, each beside the files that belong to it."""
    source = os.path.join(SHARED, "corpus")
    for where, _, names in os.walk(source):
        if not any(name.endswith(SUFFIXES) for name in (n[:-len(".zst")] for n in names if n.endswith(".zst"))):
            continue
        with tempfile.TemporaryDirectory(dir=folder) as made:
            for name in names:
                if name.endswith(".map"):
                    shutil.copy(os.path.join(where, name), made)
                elif name.endswith(".zst"):
                    subprocess.run(["zstd", "-dq", "--long=27", os.path.join(where, name), "-o",
                                    os.path.join(made, name[:-len(".zst")])], check=True)
            yield made


def is_same(line, row):
    """A dumped call, and the same of the table as CSV. Texts may be quoted in another way."""
    if not line or not row or not row.endswith(b",1\n"):
        return False
    told = row[1:-4].replace(b'""', b'"')
    return line[:-1] == told or json.loads(line) == json.loads(told)


def same_calls(path, args):
    """How many calls there are; None: the format has none, or they cannot be told."""
    with tempfile.TemporaryFile() as said, \
            subprocess.Popen([common.command(), "dump", "--calls", "--json", *args, path], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL) as dumped, \
            subprocess.Popen([common.command(), "query", "--csv", *args, path, CALLS], stdout=subprocess.PIPE,
                             stderr=said) as asked:
        next(asked.stdout, None)
        count = 0
        for line, row in itertools.zip_longest(dumped.stdout, asked.stdout):
            if not is_same(line, row):
                fail("call %d of %s is" % (count, path), row, "instead of", line)
                break
            count += 1
        dumped.stdout.close()
        asked.stdout.close()
        statuses = dumped.wait(), asked.wait()
        if 2 in statuses:
            said.seek(0)
            expect("both commands refuse the calls of " + path, statuses, (2, 2))
            if b"calls" not in said.read():
                fail(path, "does not say that it has no calls")
            return None
    return count


def compare(path, args):
    """False: neither command reads the trace."""
    readable = subprocess.run([common.command(), "report", "--csv", *args, path], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode < 2
    if not readable:
        query.ask("SELECT * FROM functions", *args, path, status=(2,))
        return False
    query.functions(path, args)
    # SQLite refuses a sum that does not fit, of which the profile has the largest number.
    if not query.rows("SELECT * FROM losses WHERE what = 'saturated sums'", *args, path):
        query.sums(path, args)
    if same_calls(path, args) is not None:
        query.grouped_calls(path, args, path.endswith(PARKED))
    return True


def main():
    common.need_whole_corpus()
    wanted = sys.argv[2:]
    count = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for root in itertools.chain([os.path.join(SHARED, "corpus")], expanded(folder)):
            for path, args in traces(root):
                if wanted and not any(part in path for part in wanted):
                    continue
                if compare(path, args):
                    count += 1
                else:
                    refused += 1
    print("%d traces that no command reads" % refused)
    common.finish(count, "traces")


if __name__ == "__main__":
    main()
