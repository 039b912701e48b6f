# SPDX-License-Identifier: Apache-2.0
"""The examples run, and say what their first lines promise; expected numbers are those of the files, by hand."""
import os
import subprocess
import sys
import tempfile
import unittest

import tracelathe

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
LOG = os.path.join(ROOT, "tests", "golden", "xray", "fib-fdr.xray")
BEFORE = "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=3 9\n2 20\nfn=f\n9 20\n"


def run(name, *arguments):
    example = os.path.join(ROOT, "examples", "python", name + ".py")
    return subprocess.run([sys.executable, example, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.before, self.after = folder.name + "/a.out", folder.name + "/b.out"
        with open(self.before, "w") as file:
            file.write(BEFORE)
        with open(self.after, "w") as file:
            file.write(BEFORE.replace("9 20", "9 27"))

    def test_slowest_functions(self):
        self.assertEqual([line.split()[0::3] for line in run("slowest_functions", self.before).splitlines()],
                         [["66.67%", "f"], ["33.33%", "main"]])

    def test_callers(self):
        self.assertEqual(run("callers", "f", self.before).split(), ["3", "calls", "20", "main"])

    def test_what_grew(self):
        self.assertEqual(run("what_grew", self.before, self.after).split(), ["+7", "Ir", "f"])

    def test_longest_calls(self):
        with tracelathe.open(LOG) as trace:
            longest = max(function.max for function in trace.functions if function.max is not None)
        lines = run("longest_calls", LOG).splitlines()
        self.assertEqual(len(lines), 10)
        self.assertEqual(int(lines[0].split()[0]), longest)

    def test_ask(self):
        with tracelathe.open(self.before) as trace:
            try:
                trace.query("SELECT 1")
            except tracelathe.Error as error:
                self.skipTest(error.text)
        self.assertEqual(run("ask", self.before, "SELECT name, self FROM functions WHERE name = 'f'"),
                         '{"name": "f", "self": 20}\n')
