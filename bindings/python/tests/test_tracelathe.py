# SPDX-License-Identifier: Apache-2.0
"""What the package says is what the command prints, number for number."""
import csv
import gc
import json
import os
import subprocess
import tempfile
import threading
import unittest
import urllib.request

import tracelathe

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
GOLDEN = os.path.join(ROOT, "tests", "golden", "xray")
COMMAND = os.environ.get("TRACELATHE", "tracelathe")
LOG, OTHER = os.path.join(GOLDEN, "fib-fdr.xray"), os.path.join(GOLDEN, "fib-fdr-wrap.xray")
MAP = os.path.join(GOLDEN, "fib.instrmap-sym.yaml")
CALLGRIND = "events: Ir Dr\nfl=a.c\nfn=main\n1 10 1\ncfn=f\ncalls=3 9\n2 20 2\nfn=f\n9 20 2\n"


def printed(*arguments):
    """What the command prints; its words on damage do not matter here."""
    return subprocess.run([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()


def rows(*arguments):
    return list(csv.DictReader(printed(*arguments).splitlines()))


def number(text):
    return int(text) if text else None


def open_log(path=LOG, **options):
    return tracelathe.open(path, map=MAP, **options)


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb" if isinstance(text, bytes) else "w") as file:
            file.write(text)
        return path

    def test_functions_are_those_of_report(self):
        want = {row["function"]: row for row in rows("report", "--csv", "--map", MAP, LOG)}
        with open_log() as trace:
            self.assertEqual(trace.format, "xray")
            functions = trace.functions
        self.assertEqual(len(functions), len(want))
        for function in functions:
            row = want[function.name]
            for name in "calls", "unfinished", "min", "median", "p90", "p99", "max", "sum":
                self.assertEqual(getattr(function, name), number(row[name]), (function.name, name))
            self.assertEqual(function.self[0], int(row["Ticks:self"]))
            self.assertEqual(function.inclusive[0], int(row["Ticks:inclusive"]))

    def test_calls_are_those_of_dump(self):
        want = [json.loads(line) for line in printed("dump", "--calls", "--json", "--map", MAP, LOG).splitlines()]
        with open_log() as trace:
            calls = list(trace.calls())
        self.assertGreater(len(calls), 100)
        self.assertEqual([(c.thread, c.start, c.end, c.depth, c.function) for c in calls],
                         [(w["thread"], w["start"], w["end"], w["depth"], w["function"]) for w in want])

    def test_records_are_those_of_dump(self):
        with open_log() as trace:
            records = list(trace.records())
        self.assertEqual(records, [json.loads(line) for line in printed("dump", "--json", "--map", MAP, LOG).splitlines()])

    def test_query_answers_as_the_command_does(self):
        sql = "SELECT name, calls, self, NULL AS void, 0.5 AS half FROM functions ORDER BY name"
        with open_log() as trace:
            try:
                got = list(trace.query(sql))
            except tracelathe.Error as error:
                if error.status == "unsupported":
                    self.skipTest(error.text)
                raise
            with self.assertRaises(tracelathe.Error):
                trace.query("SELECT nothing FROM nowhere")
        want = rows("query", "--csv", "--map", MAP, LOG, sql)
        self.assertEqual([(r.name, str(r.calls), str(r.self)) for r in got], [(w["name"], w["calls"], w["self"]) for w in want])
        self.assertTrue(all(r.void is None and r.half == 0.5 for r in got))

    def test_statements_one_inside_the_other(self):
        with open_log() as trace:
            outer = [(row.id, [inner.n for inner in trace.query("SELECT count(*) AS n FROM calls WHERE function = %d" % row.id)])
                     for row in trace.query("SELECT id FROM functions")]
            got = {row.function: row.n for row in trace.query("SELECT function, count(*) AS n FROM calls GROUP BY function")}
            next(trace.query("SELECT 1 UNION SELECT 2"))
            self.assertEqual(list(trace.query("-- nothing")), [])
            with self.assertRaises(tracelathe.Error):
                trace.query("SELEC")
            self.assertEqual(list(trace.query("SELECT 1 AS x"))[0].x, 1)
            rest = trace.query("SELECT * FROM calls")
            next(rest)
        self.assertEqual(outer, [(function, [got.get(function, 0)]) for function, _ in outer])
        with self.assertRaises(ValueError):
            next(rest)

    def test_differences_are_those_of_diff(self):
        want = {row["function"]: row for row in rows("diff", "--csv", "--map", MAP, LOG, OTHER)}
        with open_log() as before, open_log(OTHER) as after:
            diff = before.profile.diff(after.profile)
        at = diff.events.index("Ticks")
        self.assertEqual({row.name: (row.before[at], row.after[at]) for row in diff.rows},
                         {name: (int(row["Ticks:before"]), int(row["Ticks:after"])) for name, row in want.items()})

    def test_arcs_and_exports_of_a_merged_profile(self):
        path = self.write("a.out", CALLGRIND)
        with tracelathe.open(path) as one, tracelathe.open(path) as two:
            both = tracelathe.merge([one.profile, two.profile])
        self.assertEqual([event.name for event in both.events], ["Ir", "Dr"])
        self.assertEqual(both.total, (60, 6))
        arc, = both.arcs
        self.assertEqual((arc.calls, arc.inclusive, arc.line), (6, (40, 4), 2))
        both.export(self.folder.name + "/both.out")
        merged = subprocess.run([COMMAND, "merge", path, path], stdout=subprocess.PIPE, check=True).stdout
        with open(self.folder.name + "/both.out", "rb") as file:
            self.assertEqual(file.read(), merged)
        with self.assertRaises(tracelathe.Error):
            both.export(self.folder.name + "/both.x", to="nothing")

    def test_contexts_add_up_to_the_total(self):
        with open_log() as trace:
            profile = trace.profile
        self.assertEqual(sum(context.self[0] for context in profile.contexts), profile.total[0])
        self.assertTrue(all(c.parent is None or c.parent < c.number for c in profile.contexts))

    def test_errors_have_their_place(self):
        with self.assertRaises(tracelathe.Error) as caught:
            tracelathe.open(self.folder.name + "/none")
        self.assertIn("No such file", caught.exception.text)
        self.assertIsNone(caught.exception.offset)
        text = CALLGRIND + "9 rubbish\n"
        with self.assertRaises(tracelathe.Error) as caught:
            with tracelathe.open(self.write("bad.out", text), strict=True) as trace:
                trace.functions
        self.assertEqual(caught.exception.offset, text.index("9 rubbish"))
        with tracelathe.open(self.write("bad.out", text)) as trace:
            self.assertEqual(trace.profile.total, (30, 3))
            damage, = trace.damage
        self.assertTrue(damage.lost)
        self.assertEqual(damage.offset, text.index("9 rubbish"))

    def test_what_is_closed_says_so(self):
        trace = open_log()
        calls = trace.calls()
        next(calls)
        trace.close()
        trace.close()
        with self.assertRaises(ValueError):
            next(calls)
        with self.assertRaises(ValueError):
            trace.format

    def test_a_view_is_served_until_it_is_closed(self):
        with open_log() as trace, trace.view() as view:
            with urllib.request.urlopen(view.url, timeout=30) as page:
                self.assertIn(b"<html", page.read().lower())
            self.assertIn(view.url.split("?")[0], view._repr_html_())
        with self.assertRaises(OSError):
            urllib.request.urlopen(view.url, timeout=30)
        with open_log() as trace, self.assertRaises(tracelathe.Error):
            trace.view(command="false")

    def test_two_threads(self):
        results = []

        def work():
            with open_log() as trace:
                results.append((trace.functions, sum(1 for _ in trace.calls())))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 4)
        self.assertTrue(all(result == results[0] for result in results))

    def test_a_thousand_opens_keep_nothing(self):
        """Handles that nobody closed are closed when nobody has them; memory settles."""
        path = self.write("a.out", CALLGRIND)

        def used():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        for turn in range(1000):
            tracelathe.open(path).functions
            if turn == 200:
                before = used()
        self.assertLess(used() - before, 4 << 20)


if __name__ == "__main__":
    unittest.main()
