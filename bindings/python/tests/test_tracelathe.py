# SPDX-License-Identifier: Apache-2.0
"""What the package says is what the command prints, number for number."""
import csv
import gc
import html.parser
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

    def test_events_are_decoded_as_the_command_does(self):
        log, forms = os.path.join(GOLDEN, "custom-fdr.xray"), ["custom:step=text", "typed=hex"]
        sql = "SELECT name, payload FROM instants"
        want = rows("query", "--csv", "--decode", forms[0], "--decode", forms[1], log, sql)
        with tracelathe.open(log, decode=forms) as trace:
            got = [(row.name, row.payload) for row in trace.query(sql)]
        self.assertEqual(got, [(row["name"], row["payload"]) for row in want])
        self.assertIn("step", {name for name, _ in got})
        with tracelathe.open(log, decode=forms[0]) as trace:
            self.assertEqual([(row.name, row.payload) for row in trace.query(sql)], got)
        with self.assertRaises(tracelathe.Error):
            with tracelathe.open(log, decode="custom=texts") as trace:
                list(trace.records())

    def test_streams_of_one_run_are_numbered_each(self):
        """Windows of instructions and accesses of two threads, against all rows of each thread's own file."""
        folder = os.path.join(ROOT, "tests", "golden", "xtrace", "u4-thr-time")
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if "xinsndata" in name]
        whole = {"instructions": [], "accesses": []}
        try:
            with tracelathe.open(*paths) as both:
                both.query("SELECT 1")
        except tracelathe.Error as error:
            self.skipTest(error.text)
        for thread, path in enumerate(paths):
            with tracelathe.open(path) as one:
                for table, found in whole.items():
                    found += [(thread, row.ordinal, row.address) for row in one.query("SELECT ordinal, address FROM " + table)]
        self.assertEqual(len(paths), 2)
        middle = whole["instructions"][1000][2]
        conditions = {
            "ordinal BETWEEN 2000 AND 2500": lambda t, o, a: 2000 <= o <= 2500, "ordinal < 5": lambda t, o, a: o < 5,
            "ordinal = 2100 OR ordinal = 2200": lambda t, o, a: o in (2100, 2200), "ordinal <= 0": lambda t, o, a: o <= 0,
            "ordinal > 2490 AND thread = 1": lambda t, o, a: o > 2490 and t == 1, "ordinal < 0": lambda t, o, a: False,
            "ordinal >= 100 AND ordinal < 100": lambda t, o, a: False, "ordinal > 1000000": lambda t, o, a: False,
            "address >= %d AND address < %d" % (middle, middle + 64): lambda t, o, a: middle <= a < middle + 64,
            "address = %d AND ordinal > 50" % middle: lambda t, o, a: a == middle and o > 50,
            "address < %d" % middle: lambda t, o, a: a < middle, "address > -5": lambda t, o, a: a > -5,
        }
        with tracelathe.open(*paths) as both:
            for table, found in whole.items():
                for text, holds in conditions.items():
                    got = list(both.query("SELECT thread, ordinal, address FROM %s WHERE %s" % (table, text)))
                    self.assertEqual(sorted(got), sorted(row for row in found if holds(*row)), (table, text))
                got = list(both.query("SELECT ordinal FROM %s ORDER BY ordinal" % table))
                self.assertEqual([row.ordinal for row in got], sorted(row[1] for row in found))

    def test_executions_are_compared_as_the_command_does(self):
        folder = os.path.join(ROOT, "tests", "golden", "xtrace")
        paths = [next(os.path.join(folder, name, file) for file in sorted(os.listdir(os.path.join(folder, name)))
                      if "xinsndata" in file) for name in ("u1-recur-vl128", "u7-recur-vl2048")]
        want, = json.loads(printed("diff", "--flow", "--json", *paths))["streams"]
        with tracelathe.open(paths[0]) as before, tracelathe.open(paths[1]) as after:
            flow = before.diff_flow(after)
            with self.assertRaises(tracelathe.Error):
                before.diff_flow(before)
            few = before.diff_flow(after, listed=1).streams[0]
        got, = flow.streams
        self.assertEqual(flow.unpaired, (0, 0))
        self.assertEqual((got.same, got.parts, got.missing, got.complete), tuple(want[key] for key in (
            "same", "parts", "missing", "complete")))

        def both(pair):
            return pair["before"], pair["after"]

        def place(spot):
            return spot and (spot["function"], int(spot["offset"], 16))

        def spot_of(spot):
            return spot and (spot.function, spot.offset)

        self.assertEqual(got.instructions, both(want["instructions"]))
        self.assertEqual([(d.reason, d.ordinal, d.instructions, d.meets, *map(spot_of, d.last), *map(spot_of, d.next))
                          for d in got.differences],
                         [(d["reason"], both(d["ordinal"]), both(d["instructions"]), d["meets"], *map(place, both(d["last"])),
                           *map(place, both(d["next"]))) for d in want["differences"]])
        self.assertEqual([(p.times, p.instructions, spot_of(p.last)) for p in got.partings],
                         [(p["times"], both(p["instructions"]), place(p["last"])) for p in want["partings"]])
        self.assertEqual([spot_of(spot) for spot in got.stack], [place(spot) for spot in want["stack"]])
        self.assertEqual((few.parts, few.differences), (got.parts, got.differences[:1]))
        with open_log() as log, tracelathe.open(paths[0]) as one, self.assertRaises(tracelathe.Error):
            one.diff_flow(log)

    def test_notebooks_show_tables_and_the_flame_graph(self):
        class Cells(html.parser.HTMLParser):
            def __init__(self, page):
                super().__init__()
                self.rows, self.pages, self.text = [], [], None
                self.feed(page)

            def handle_starttag(self, tag, attributes):
                if tag == "tr":
                    self.rows.append([])
                elif tag in ("td", "th"):
                    self.text = ""
                elif tag == "iframe":
                    self.pages.append(dict(attributes)["srcdoc"])

            def handle_data(self, data):
                if self.text is not None:
                    self.text += data

            def handle_endtag(self, tag):
                if tag in ("td", "th"):
                    self.rows[-1].append(self.text)
                    self.text = None

        with tracelathe.open(self.write("a.out", CALLGRIND.replace("fn=f", "fn=f<&>\"b"))) as trace:
            table = Cells(trace.functions._repr_html_())
            answer = trace.query("SELECT name, NULL AS no, 2.5 AS half FROM functions ORDER BY name")
            asked = Cells(answer._repr_html_())
            self.assertEqual(len(list(answer)), 2)
            many = Cells(trace.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")._repr_html_())
            self.assertEqual(Cells(trace.query("SELECT 1 WHERE 0")._repr_html_()).rows, [[]])
            flame, picture = trace.profile, trace.profile.flame(svg=True)
            change = Cells(trace.profile.diff(trace.profile)._repr_html_())
        self.assertEqual(table.rows[0], list(tracelathe.Function._fields))
        self.assertEqual([row[1] for row in table.rows[1:]], [function.name for function in trace.profile.functions])
        self.assertIn('f<&>"b', [row[1] for row in table.rows])
        self.assertEqual(asked.rows, [["name", "no", "half"], ['f<&>"b', "", "2.5"], ["main", "", "2.5"]])
        self.assertEqual([row[0] for row in many.rows], ["i"] + [str(i + 1) for i in range(50)])
        self.assertEqual(len(change.rows), 3)
        self.assertIn("<svg", picture._repr_html_())
        self.assertIn("f&lt;&amp;&gt;", picture.text)
        shown = flame._repr_html_()
        pages = Cells(shown).pages
        self.assertEqual(pages == [], "<svg" in shown[:200])
        for page in pages:
            self.assertIn("<html", page.lower())
            self.assertEqual(page, flame.flame().text)
        with open_log() as trace:
            calls = trace.calls()
            first = next(calls)
            shown = Cells(calls._repr_html_()).rows
            self.assertEqual(shown[1][0], str(first.id))
            self.assertEqual(len(shown), 51)

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
        with open_log() as trace, self.assertRaisesRegex(tracelathe.Error, "/no/such: .*TRACELATHE"):
            trace.view(command="/no/such")

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
