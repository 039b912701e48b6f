#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `tracelathe view` in a browser: view_page.py TRACELATHE.

Every pane is opened and used; what is expected comes from `report`, `tree` and `dump --calls` of the same files. Exit
status: 0 good, 1 not, 77 cannot be seen here.
"""
import json
import os
import struct
import sys
import tempfile

import browser
from viewing import GOLDEN, View, output, skip

TESTS = []
MT = os.path.join(GOLDEN, "mt8-fdr.xray")
MAP = os.path.join(GOLDEN, "mt.instrmap-sym.yaml")
XTRACE = os.path.join(os.path.dirname(GOLDEN), "xtrace", "xtrace.20260101000000.0.hint9.xinsndata.bin")
HOLE = os.path.join(GOLDEN, "gap-hole.xray")
HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>document.title='taken'</script>", "\"><svg onload=window.taken=1>",
           "javascript:window.taken=1", "&lt;b&gt;", "${window.taken=1}", "'-window.taken-'", "__proto__", "constructor"]
TEXTS = "[...document.querySelectorAll(%r)].map(e => e.textContent)"


def test(function):
    TESTS.append(function)
    return function


def equal(value, wanted):
    assert value == wanted, "%r is not %r" % (value, wanted)


class Chromium(browser.Browser):
    def settle(self):
        """The page says within 50 ms that it has something to do; rest() waits until it is done."""
        self.run("new Promise(done => setTimeout(() => requestAnimationFrame(() => done(1)), 70))")


class Page:
    """A view in a browser."""

    def __init__(self, chromium, view):
        self.chromium, self.view = chromium, view

    def __getattr__(self, name):
        return getattr(self.chromium, name)

    def open(self, link="", **how):
        self.call("Page.navigate", url="about:blank")
        self.chromium.open(self.view.url + ("#" + link if link else ""), **how)
        self.rest()

    def rest(self):
        self.settle()
        self.until("document.documentElement.dataset.ready === 'true'")

    def texts(self, selector):
        return self.run(TEXTS % selector)

    def press(self, key):
        code = 27 if key == "Escape" else ord(key.upper())
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **({"text": key} if len(key) == 1 else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)
        self.rest()

    def pane(self, name):
        self.click("#tab-" + name)
        equal(self.run("document.querySelector('#tab-%s').getAttribute('aria-selected')" % name), "true")

    def click(self, selector, nth=0):
        box = self.run("(e => { e.scrollIntoView({ block: 'nearest' }); const b = e.getBoundingClientRect(); "
                       "return [b.x + b.width / 2, b.y + b.height / 2]; })(document.querySelectorAll(%r)[%d])" % (selector, nth))
        self.mouse(*box)
        self.rest()

    def canvas(self):
        return self.run("(b => [b.x, b.y, b.width, b.height])(document.querySelector('.stage canvas').getBoundingClientRect())")

    def drag(self, x1, x2, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x1, y=y)
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=x1, y=y, button="left", clickCount=1)
        for x in (x1 + (x2 - x1) / 2, x2):
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=x2, y=y, button="left", clickCount=1)
        self.rest()

    def parameters(self):
        return self.run("Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")

    def names(self):
        return self.run("[...document.querySelectorAll('#pane-functions tbody button.name')].map(b => b.title)")

    def quiet(self):
        """No error was said, and nobody but the server was asked."""
        equal(self.errors, [])
        away = [url for url in self.requests if not url.startswith(("http://%s/" % self.view.host, "data:,", "about:"))]
        equal(away, [])


def report(program, *arguments):
    return json.loads(output(program, "report", "--json", *arguments))


class Opened:
    """`with Opened(chromium, program, file...) as page:` a page, and no error or request away at its end."""

    def __init__(self, chromium, program, *arguments, link="", **how):
        self.chromium, self.view, self.link, self.how = chromium, View(program, *arguments), link, how

    def __enter__(self):
        self.view.__enter__()
        page = self.page = Page(self.chromium, self.view)
        page.open(self.link, **self.how)
        return page

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.page.quiet()
        finally:
            self.view.__exit__()


@test
def every_pane_opens(chromium, program):
    with Opened(chromium, program, "--map", MAP, MT) as page:
        assert page.run("document.querySelector('#trouble').hidden")
        names = page.run("[...document.querySelectorAll('[role=tab]')].map(t => t.id.slice(4))")
        equal(names, ["functions", "flame", "callers", "source", "assembly", "instructions", "graph", "about"])
        for name in names:
            page.pane(name)
            equal(page.texts("[role=tab][aria-selected=true]"), page.texts("#tab-" + name))
            assert page.run("document.querySelector('#pane-%s').innerText.trim().length > 10" % name), name
            assert page.run("document.querySelector('#trouble').hidden"), page.texts("#trouble")


@test
def panes_without_a_choice_offer_one(chromium, program):
    profile = os.path.join(os.path.dirname(GOLDEN), "callgrind", "threads.out-01")
    rows = report(program, profile)["functions"]
    total = sum(row["self"]["Ir"] for row in rows)
    with Opened(chromium, program, profile, link="pane=callers") as page:
        best = [row["function"] for row in sorted(rows, key=lambda row: -row["self"]["Ir"])[:3]]
        equal(page.texts("#pane-callers .offer button")[:3], best)
        page.pane("source")
        # However long a name is, it ends where its column does.
        page.run("document.querySelectorAll('#pane-source .offer button').forEach(b => { b.textContent = 'x'.repeat(500); })")
        assert page.run("[...document.querySelectorAll('#pane-source .offer li')].every(li => li.scrollWidth <= li.clientWidth)")
        page.click("#pane-source .offer button", 1)
        equal(page.parameters()["name"], best[1])
        page.pane("instructions")
        assert "no timeline" in page.texts("#pane-instructions p")[0]
        # What the costs are of, and how many in all.
        page.pane("functions")
        assert "Ir {:,} in all".format(total) in page.texts("#pane-functions output")[0], page.texts("#pane-functions output")
        assert not page.run("document.querySelector('.detail').hidden")
        page.press("Escape")
        assert page.run("document.querySelector('.detail').hidden")
    with Opened(chromium, program, profile, link="pane=source&name=nobody") as page:
        assert "not in this profile" in page.texts("#pane-source")[0]


@test
def the_table_is_that_of_report(chromium, program):
    rows = report(program, "--map", MAP, MT)["functions"]
    with Opened(chromium, program, "--map", MAP, MT) as page:
        equal(page.names(), [row["function"] for row in rows])
        equal(page.run("[...document.querySelectorAll('#pane-functions tbody tr')].map(r => r.cells[3].textContent)"),
              ["{:,}".format(row["calls"]) for row in rows])
        # Each column sorts both ways.
        page.click("#pane-functions thead button", 3)
        equal(page.names()[0], max(rows, key=lambda row: row["calls"])["function"])
        page.click("#pane-functions thead button", 0)
        equal(page.names(), sorted(row["function"] for row in rows))
        page.click("#pane-functions thead button", 0)
        equal(page.names(), sorted((row["function"] for row in rows), reverse=True))


@test
def the_filter_filters(chromium, program):
    rows = [row["function"] for row in report(program, "--map", MAP, MT)["functions"]]
    with Opened(chromium, program, "--map", MAP, MT) as page:
        page.press("/")
        equal(page.run("document.activeElement.id"), "function-search")
        page.type("MAT<")
        page.rest()
        equal(page.names(), [name for name in rows if "mat<" in name.lower()])
        assert page.names()
        page.run("document.querySelector('#function-search').select()")
        page.type("/^(main|worker)/")
        page.rest()
        equal(page.names(), [name for name in rows if name.startswith(("main", "worker"))])
        page.run("document.querySelector('#function-search').select()")
        page.type("/(/")
        page.rest()
        equal(page.names(), [])
        assert "no pattern" in page.texts("#pane-functions output")[0]


@test
def a_call_of_the_timeline_is_chosen_everywhere(chromium, program):
    with Opened(chromium, program, "--map", MAP, MT) as page:
        x, y, width, _ = page.canvas()
        page.mouse(x + width / 2, y + 26 + 8)
        page.rest()
        equal(page.parameters()["name"], "main")
        equal(page.texts("#pane-functions tr.chosen th"), ["main"])
        assert "main" in page.texts(".found")[0]
        equal(page.texts(".detail h3"), ["main"])
        assert "Durations of 1 call" == page.texts(".durations h4")[0]
        page.pane("callers")
        equal(page.texts("#pane-callers .middle h3"), ["main"])
        page.press("Escape")
        assert "name" not in page.parameters()


@test
def a_window_that_is_dragged_changes_the_profile(chromium, program):
    with Opened(chromium, program, "--map", MAP, MT) as page:
        whole = page.names()
        file = page.view.json("/api/state")["files"][0]
        x, y, width, height = page.canvas()
        page.drag(x + width * 0.25, x + width * 0.5, y + height - 20)
        start, end = map(int, page.parameters()["span"].split("-"))
        last = max(track["last"] for track in file["tracks"])
        assert abs(start / last - 0.25) < 0.01 and abs(end / last - 0.5) < 0.01, (start, end, last)
        frequency = file["frequency"]
        rows = report(program, "--map", MAP, "--time", "%r..%r" % (start / frequency, end / frequency), MT)["functions"]
        equal(page.names(), [row["function"] for row in rows])
        assert page.names() != whole
        assert "Window" in page.texts("#selection")[0]
        page.press("Escape")
        equal(page.names(), whole)


@test
def keys_and_wheel_zoom_and_move(chromium, program):
    with Opened(chromium, program, "--map", MAP, MT) as page:
        assert "view" not in page.parameters()
        page.press("w")
        page.press("w")
        start, end = map(int, page.parameters()["view"].split("-"))
        page.press("d")
        moved = list(map(int, page.parameters()["view"].split("-")))
        assert moved[0] > start and abs((moved[1] - moved[0]) - (end - start)) <= 2, (moved, start, end)
        x, y, width, height = page.canvas()
        page.call("Input.dispatchMouseEvent", type="mouseWheel", x=x + width / 2, y=y + height / 2, deltaX=0, deltaY=-300)
        page.rest()
        closer = list(map(int, page.parameters()["view"].split("-")))
        assert closer[1] - closer[0] < (end - start) * 0.8, (closer, start, end)
        page.press("0")
        assert "view" not in page.parameters()


@test
def missing_records_are_hatched_and_told(chromium, program):
    with Opened(chromium, program, HOLE) as page:
        x, y, width, _ = page.canvas()
        last = page.view.json("/api/state")["files"][0]["tracks"][0]["last"]
        middle, beside = x + width * 300 / (last + 1), x + width * 700 / (last + 1)
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=middle, y=y + 26 + 40)
        tip = page.texts("#tip")[0]
        assert "Records are missing" in tip and "0x88" in tip and "120" in tip, tip
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=beside, y=y + 26 + 40)
        assert "missing" not in page.texts("#tip")[0]
        # Of a row without a call there, only the hatched pixels differ from the ground.
        colours = page.run("(() => { const c = document.querySelector('canvas'), r = c.width / c.clientWidth; "
                           "const line = new Uint32Array(c.getContext('2d').getImageData(0, Math.round(60 * r), c.width, 1).data.buffer); "
                           "return [%f, %f].map(at => new Set(line.slice(at * r, (at + 24) * r)).size); })()" % (middle - x, beside - x))
        assert colours[0] > 1 == colours[1], colours
        page.press("g")
        start, end = map(int, page.parameters()["view"].split("-"))
        assert start <= 200 and 400 <= end < last, (start, end, last)
        assert "not the beginning of a buffer" in page.texts(".found")[0]
    with Opened(chromium, program, MT) as page:
        assert page.run("[...document.querySelectorAll('.tools button')].find(b => b.textContent.startsWith('Gap')).hidden")


@test
def the_instructions_at_the_cursor_are_listed(chromium, program):
    lines = [json.loads(line) for line in output(program, "dump", "--instructions", "--json", XTRACE).splitlines()]
    insns = {line["ordinal"]: line for line in lines if "pc" in line}
    with Opened(chromium, program, XTRACE) as page:
        page.pane("instructions")
        assert "Click into the timeline" in page.texts("#pane-instructions")[0]
        x, y, width, _ = page.canvas()
        page.mouse(x + width / 2, y + 26 + 8)
        page.rest()
        at = int(page.parameters()["at"].split("-")[1])
        assert abs(at - page.view.json("/api/state")["files"][0]["tracks"][0]["last"] / 2) <= 2, at
        equal(page.run("[...document.querySelector('#pane-instructions tr.chosen').cells].map(c => c.textContent)"),
              [str(at), insns[at]["pc"], insns[at]["text"]])
        link = page.run("location.hash")
    with Opened(chromium, program, XTRACE, link=link[1:]) as page:
        equal(page.texts("#pane-instructions tr.chosen td")[1], insns[at]["pc"])
    with Opened(chromium, program, MT, link="pane=instructions&at=0-100") as page:
        assert "does not hold the instructions" in page.texts("#pane-instructions")[0]


@test
def the_slowest_call_is_shown_in_the_timeline(chromium, program):
    calls = [json.loads(line) for line in output(program, "dump", "--calls", "--json", "--map", MAP, MT).splitlines()]
    slowest = max((c for c in calls if c["function"] == "worker(int, int)"), key=lambda c: c["end"] - c["start"])
    with Opened(chromium, program, "--map", MAP, MT, link="name=worker(int,+int)") as page:
        origin = page.view.json("/api/state")["files"][0]["origin"]
        page.click(".slowest button")
        start, end = map(int, page.parameters()["view"].split("-"))
        assert start <= slowest["start"] - origin and slowest["end"] - origin <= end, (start, end)
        assert end - start < 4 * (slowest["end"] - slowest["start"])
        assert "thread %d" % slowest["thread"] in page.texts(".found")[0]


@test
def a_link_restores_what_was_seen(chromium, program):
    link = "pane=callers&name=worker(int%2C+int)&span=100000-900000&view=50000-1000000"
    with Opened(chromium, program, "--map", MAP, MT, link=link) as page:
        equal(page.texts("[role=tab][aria-selected=true]"), ["Callers"])
        equal(page.texts("#pane-callers .middle h3"), ["worker(int, int)"])
        assert "Window" in page.texts("#selection")[0]
        # Back and forward go from choice to choice.
        page.pane("functions")
        page.pane("about")
        page.run("history.back()")
        page.rest()
        equal(page.texts("[role=tab][aria-selected=true]"), ["Functions"])
        page.run("history.back()")
        page.rest()
        equal(page.texts("[role=tab][aria-selected=true]"), ["Callers"])
        equal(page.texts("#pane-callers .middle h3"), ["worker(int, int)"])
        page.run("history.forward()")
        page.rest()
        equal(page.texts("[role=tab][aria-selected=true]"), ["Functions"])


@test
def callers_and_callees_lead_on(chromium, program):
    tree = {row["function"]: row for row in json.loads(output(program, "tree", "--both", "--json", "--map", MAP, MT))["functions"]}
    with Opened(chromium, program, "--map", MAP, MT, link="pane=callers&name=worker(int,+int)") as page:
        callees = page.run("[...document.querySelectorAll('#pane-callers table[aria-label=Callees] tbody button')].map(b => b.title)")
        equal(callees, [row["function"] for row in sorted(tree["worker(int, int)"]["callees"], key=lambda r: -r["inclusive"]["Ticks"])])
        page.click("#pane-callers table[aria-label=Callees] tbody button")
        equal(page.parameters()["name"], callees[0])
        callers = page.run("[...document.querySelectorAll('#pane-callers table[aria-label=Callers] tbody button')].map(b => b.title)")
        assert "worker(int, int)" in callers
        page.pane("graph")
        labels = page.run("[...document.querySelectorAll('#pane-graph .graph-node')].map(n => n.querySelector('title').textContent)")
        assert callees[0] in labels and "worker(int, int)" in labels, labels


@test
def the_call_graph_begins_where_there_are_calls(chromium, program):
    """main() has most of the time, but no call of it or by it is recorded."""
    with Opened(chromium, program, "--map", MAP, MT, link="pane=graph") as page:
        equal(page.texts("#pane-graph .graph-node:has(.root) title"), ["worker(int, int)"])
        equal(page.texts("#pane-graph output"), [""])
    with Opened(chromium, program, "--map", MAP, MT, link="pane=graph&name=main") as page:
        equal(page.texts("#pane-graph .graph-node:has(.root) title"), ["main"])
        equal(page.texts("#pane-graph output"), ["No calls between it and other functions are known."])


@test
def the_flame_graph_is_clicked_and_searched(chromium, program):
    with Opened(chromium, program, "--map", MAP, MT, link="pane=flame") as page:
        x, y, width, height = page.run("(b => [b.x, b.y, b.width, b.height])(document.querySelector('#pane-flame canvas').getBoundingClientRect())")
        page.mouse(x + width * 0.4, y + 19 * 1.5)
        page.rest()
        equal(page.parameters()["name"], "main")
        assert "main" in page.texts("#pane-flame .path")[0]
        page.run("document.querySelector('#pane-flame input').focus()")
        page.type("hash")
        page.rest()
        rows = report(program, "--map", MAP, MT)
        share = sum(r["inclusive"]["Ticks"] for r in rows["functions"] if "hash" in r["function"]) / rows["total"]["Ticks"]
        equal(page.texts("#pane-flame output"), ["%.2f\u202f%% in 1 function" % (100 * share)])


@test
def source_and_assembly_have_their_lines(chromium, program):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "a.c"), "w", encoding="utf-8") as file:
            file.write("".join("line %d <b>of a</b>\n" % n for n in range(1, 30)))
        path = os.path.join(folder, "callgrind.out.1")
        with open(path, "w", encoding="utf-8") as file:
            file.write("events: Ir\nfl=a.c\nfn=main\n1 20\ncfn=work\ncalls=2 5\n2 400\n\nfn=work\n5 300\n7 100\n")
        with Opened(chromium, program, "--source-dir", folder, path, link="pane=source&name=work") as page:
            assert page.run("document.querySelector('#timeline').hidden")
            hot = page.run("[...document.querySelectorAll('#pane-source tbody tr:not(.cold)')].map(r => [r.cells[0].querySelector('span').textContent, "
                           "r.cells[1].textContent, r.querySelector('code').textContent])")
            equal(hot, [["300", "5", "line 5 <b>of a</b>"], ["100", "7", "line 7 <b>of a</b>"]])
            page.pane("assembly")
            assert "No instruction" in page.texts("#pane-assembly")[0]


@test
def jumps_are_arrows_between_their_lines(chromium, program):
    function = max((row for row in report(program, XTRACE)["functions"]), key=lambda row: row["self"]["Ir"])["function"]
    with Opened(chromium, program, XTRACE, link="pane=assembly&name=" + function) as page:
        jumps = page.run("[...document.querySelectorAll('#pane-assembly tbody tr')].flatMap((r, i) => [...r.querySelectorAll('.jump')].map(j => [i, j.textContent.split(' ')[1]]))")
        rows = page.run("[...document.querySelectorAll('#pane-assembly tbody tr')].map(r => r.dataset.address)")
        places = page.run("(() => { const table = document.querySelector('#pane-assembly table'), top = table.getBoundingClientRect().top, rows = [...table.tBodies[0].rows];"
                          "const at = y => rows.findIndex(r => { const b = r.getBoundingClientRect(); return b.top - top <= y && y < b.bottom - top; });"
                          "return [...document.querySelectorAll('#pane-assembly .arrow path:first-child')].map(p => /M[\\d.]+ ([\\d.]+)H[-\\d.]+V([\\d.]+)/.exec(p.getAttribute('d')).slice(1).map(y => at(+y))); })()")
        equal(sorted(places), sorted([i, rows.index(to)] for i, to in jumps if to in rows))
        assert any(to < start for start, to in places), places
        # The text is that of the opcodes in the trace, as no binary is given.
        ran = {insn["pc"]: insn["text"] for insn in map(json.loads, output(program, "dump", "--instructions", "--json", XTRACE).splitlines()) if "pc" in insn}
        equal(page.run("[...document.querySelectorAll('#pane-assembly tbody tr')].map(r => r.querySelector('code').textContent)"), [ran[address] for address in rows])


@test
def two_files_are_compared(chromium, program):
    files = [os.path.join(GOLDEN, "args-fdr.xray"), os.path.join(GOLDEN, "custom-fdr.xray")]
    rows = json.loads(output(program, "diff", "--json", *files))["rows"]
    with Opened(chromium, program, *files) as page:
        equal(page.texts("[role=tab][aria-selected=true]"), ["Compare"])
        shown = page.run("[...document.querySelectorAll('#pane-compare tbody button.name')].map(b => b.title)")
        equal(shown, [row["function"] for row in sorted(rows, key=lambda row: -abs(row["costs"]["Ticks"]["change"]))])
        assert page.run("document.querySelector('#pane-compare canvas').clientHeight > 30")
        equal(len(page.texts(".group-label")), 2)
        # The flame graph is that of the second file, where #5 is the widest of the outermost; before, #4 called it.
        page.run("document.querySelector('#pane-compare .flame canvas').focus()")
        page.key("ArrowDown")
        root = {row["function"]: row["costs"]["Ticks"] for row in json.loads(output(program, "diff", "--inclusive", "--json", *files))["rows"]}["#5"]
        said = page.texts("#pane-compare .told")[0]
        rate = page.view.json("/api/state")["files"][0]["frequency"]
        assert said.startswith("#5 inclusive %.1f\u202fµs" % (root["after"] / rate * 1e6)), said
        assert "before 0\u202fs" in said and "change +%.1f\u202fµs" % (root["after"] / rate * 1e6) in said, said
        page.run("(s => { s.value = '1'; s.dispatchEvent(new Event('change')) })(document.querySelector('#file'))")
        page.pane("functions")
        equal(page.names(), [row["function"] for row in report(program, files[1])["functions"]])


HEADS = "[...document.querySelectorAll('#pane-compare thead th')].map(h => h.textContent)"


@test
def compared_samples_have_no_calls(chromium, program):
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("before.folded", "after.folded")]
        for path, weight in zip(files, (10, 30)):
            with open(path, "w", encoding="ascii") as file:
                file.write("main;work 7\nmain;rest %d\n" % weight)
        with Opened(chromium, program, *files) as page:
            equal(page.run(HEADS), ["Function", "Before", "After", "Change", "Percent"])
            equal(page.run("[...document.querySelectorAll('#pane-compare tbody tr')].map(r => r.cells.length)"), [5] * 3)
    with Opened(chromium, program, *(os.path.join(GOLDEN, name) for name in ("args-fdr.xray", "custom-fdr.xray"))) as page:
        equal(page.run(HEADS)[5:], ["Calls before", "Calls after"])


def hostile_map(folder):
    """The map of mt8-fdr with other names, as `extract --yaml` has them."""
    with open(MAP, encoding="utf-8") as file:
        lines = file.read().splitlines()
    path, n = os.path.join(folder, "hostile.yaml"), 0
    with open(path, "w", encoding="utf-8") as file:
        for line in lines:
            before, found, _ = line.partition("function-name: ")
            if found:
                line = before + found + json.dumps(HOSTILE[n % len(HOSTILE)]) + line[line.rindex(", version"):]
                n += 1
            file.write(line + "\n")
    return path


@test
def names_are_texts_whatever_they_are(chromium, program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "<img src=y onerror=window.taken=1>.callgrind")
        with open(path, "w", encoding="utf-8") as file:
            file.write("events: Ir <b>\nob=<i>ob\n")
            for n, name in enumerate(HOSTILE):
                file.write("fl=<u>%s\nfn=%s\n%d %d\ncfn=%s\ncalls=1 1\n1 5\n" % (name, name, n + 1, 100 - n, HOSTILE[(n + 1) % len(HOSTILE)]))
        for arguments in ((path,), ("--map", hostile_map(folder), MT), (path, path)):
            with Opened(chromium, program, *arguments) as page:
                for name in page.run("[...document.querySelectorAll('[role=tab]')].map(t => t.id.slice(4))"):
                    page.pane(name)
                    if name == "functions":
                        assert any(hostile in page.names() for hostile in HOSTILE), page.names()
                        page.click("#pane-functions tbody button.name")
                equal(page.run("document.querySelectorAll('img, b img, i b, u, main script, svg[onload], #title *').length"), 0)
                equal(page.run("typeof window.taken"), "undefined")
                assert page.run("document.title.endsWith('tracelathe')")


# The rules of WCAG 2.1 that a script can check, each a list of elements that break it.
ACCESSIBLE = r"""(() => {
const seen = [...document.querySelectorAll('body *')].filter(e => e.checkVisibility()), told = list => list.map(e => e.outerHTML.slice(0, 200));
const ownText = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
const words = text => (text.match(/[\p{L}\p{N}]{2,}/gu) || []);
const shownText = e => { const copy = e.cloneNode(true); copy.querySelectorAll('title').forEach(t => t.remove()); return copy.textContent; };
const light = c => { const [r, g, b] = c.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const colour = text => text.match(/[\d.]+/g).map(Number);
const ground = e => { for (; e; e = e.parentElement) { const c = colour(getComputedStyle(e).backgroundColor); if (c[3] === undefined || c[3] > 0) return c; } return [255, 255, 255]; };
const contrast = e => { const a = light(colour(getComputedStyle(e).color).slice(0, 3)), b = light(ground(e).slice(0, 3)); return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); };
return {
outside: told(seen.filter(e => ownText(e) && !e.closest('header, main, section[aria-label], dialog, [role=alert], [role=status], [role=tooltip]'))),
values: told(seen.filter(e => e.matches('[role=separator][tabindex]') && !(+e.ariaValueMin <= +e.ariaValueNow && +e.ariaValueNow <= +e.ariaValueMax && e.ariaValueNow))),
stuck: told(seen.filter(e => e.scrollHeight > e.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(e).overflowY) && e.tabIndex < 0 && !e.querySelector('button, a, input, [tabindex="0"]'))),
unsaid: told(seen.filter(e => e.matches('button[aria-label], [role=button][aria-label], [role=tab][aria-label]') && words(shownText(e)).some(w => !e.getAttribute('aria-label').includes(w)))),
faint: told(seen.filter(e => ownText(e) && !e.closest('svg, canvas, :disabled') && contrast(e) < 4.5)) };
})()"""


@test
def what_a_script_can_check_of_accessibility_holds(chromium, program):
    """TL_AXE names axe-core's axe.min.js, which knows more rules: then those, too, have no finding."""
    axe = os.environ.get("TL_AXE")
    for arguments, link in (((XTRACE,), "at=0-300&name=0x400194"), ((HOLE, MT), "")):
        for scheme in ("light", "dark"):
            with Opened(chromium, program, *arguments, link=link, scheme=scheme) as page:
                for name in page.run("[...document.querySelectorAll('[role=tab]')].map(t => t.id.slice(4))"):
                    page.pane(name)
                    equal((name, scheme, page.run(ACCESSIBLE)), (name, scheme, {key: [] for key in ("outside", "values", "stuck", "unsaid", "faint")}))
                    if axe:
                        with open(axe, encoding="utf-8") as file:
                            page.run("(() => { %s; return 1; })()" % file.read())
                        found = page.call("Runtime.evaluate", awaitPromise=True, returnByValue=True, expression="axe.run(document, { resultTypes: ['violations'] })"
                                          ".then(r => r.violations.map(v => v.id + ': ' + v.nodes[0].html))")
                        equal((name, scheme, found["result"]["value"]), (name, scheme, []))


@test
def everything_has_a_name_for_those_who_hear_it(chromium, program):
    with Opened(chromium, program, "--map", MAP, MT, link="name=main") as page:
        for name in page.run("[...document.querySelectorAll('[role=tab]')].map(t => t.id.slice(4))"):
            page.pane(name)
            nameless = page.run("""[...document.querySelectorAll('button, input, select, canvas, [role=region], [tabindex="0"]')].filter(e => e.offsetParent &&
                !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.textContent.trim() || (e.labels && e.labels.length))).map(e => e.outerHTML)""")
            equal(nameless, [])
        equal(page.run("document.documentElement.lang"), "en")
        equal(page.run("document.querySelectorAll('h1').length"), 1)


@test
def a_page_without_a_server_shows_the_same(chromium, program):
    rows = report(program, "--map", MAP, MT)["functions"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        for arguments, panes in ((("--map", MAP, MT), 8), ((MT, MT), 9), (("--map", hostile_map(folder), MT), 8)):
            output(program, "view", "--static", "-o", path, *arguments)
            page = Page(chromium, None)
            page.call("Page.navigate", url="about:blank")
            chromium.open(path)
            page.rest()
            names = page.run("[...document.querySelectorAll('[role=tab]')].map(t => t.id.slice(4))")
            equal(len(names), panes)
            for name in names:
                page.pane(name)
            page.pane("functions")
            if arguments == ("--map", MAP, MT):
                equal(page.names(), [row["function"] for row in rows])
                page.click("#pane-functions tbody button.name", [row["function"] for row in rows].index("worker(int, int)"))
                worker = next(row for row in rows if row["function"] == "worker(int, int)")
                equal(page.texts(".durations h4")[0], "Durations of %d calls" % worker["calls"])
                page.click(".slowest button")
                start, end = map(int, page.parameters()["view"].split("-"))
                assert worker["max"] < end - start < 4 * worker["max"], (start, end, worker)
                page.press("Escape")
                assert "name" not in page.parameters()
                page.run("document.querySelector('.labels').scrollTop = 0")
                page.press("0")
                x, y, width, _ = page.canvas()
                page.mouse(x + width / 2, y + 26 + 8)
                page.rest()
                equal(page.parameters()["name"], "main")
            equal(page.run("typeof window.taken"), "undefined")
            equal(page.errors, [])
            equal([url for url in page.requests if not url.startswith(("file://", "data:,", "about:"))], [])


@test
def events_are_marks_with_their_values(chromium, program):
    path = os.path.join(GOLDEN, "typed-fdr.xray")
    events = json.loads(output(program, "query", "--json", path, "SELECT thread, time, name, payload FROM instants", status=(0, 1)))
    with Opened(chromium, program, path) as page:
        file = page.view.ready()["files"][0]
        last = max(track["last"] for track in file["tracks"]) + 1
        x, y, width, _ = page.canvas()
        for n in (0, 1):
            page.press("e")
            equal(page.parameters()["at"], "0-%d" % (events[n]["time"] - file["origin"]))
        # Below the three rows of calls, where the time of the third event is.
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + width * (events[2]["time"] - file["origin"]) / last, y=y + 26 + 1 + 3 * 17 + 5)
        tip = page.texts("[role=tooltip]")[0]
        payload = json.loads(events[2]["payload"])
        assert events[2]["name"] in tip and all(key + str(value) in tip for key, value in payload.items()), (tip, events[2])


def recording(folder):
    """perf.data as perf writes it to a pipe: process 10 with code that a list names, and samples of leaf, main, leaf at 1, 51, 101 us."""
    def record(kind, body, misc=0):
        return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
    attr = struct.pack("<IIQQQQQIIQ", 1, 64, 0, 1000, 1 | 2 | 4, 0, 0, 0, 0, 0)  # cpu-clock; IP, TID, TIME
    os.mkdir(os.path.join(folder, "tmp"))
    with open(os.path.join(folder, "tmp", "perf-10.map"), "w", encoding="utf-8") as file:
        file.write("1000 10 main\n1010 10 leaf\n")
    with open(os.path.join(folder, "perf.data"), "wb") as file:
        file.write(b"PERFILE2" + struct.pack("<Q", 16) + record(64, attr + struct.pack("<Q", 1)))
        file.write(record(1, struct.pack("<IIQQQ", 10, 11, 0x1000, 0x1000, 0) + b"//anon\0\0", 2))
        for ip, time in ((0x1014, 1000), (0x1004, 51000), (0x1014, 101000)):
            file.write(record(9, struct.pack("<QIIQ", ip, 10, 11, time), 2))
    return os.path.join(folder, "perf.data")


@test
def samples_are_marks_with_their_functions(chromium, program):
    with tempfile.TemporaryDirectory() as folder:
        with Opened(chromium, program, "--sysroot", folder, recording(folder)) as page:
            equal(page.texts(".track-name"), ["Thread 11"])
            equal(sorted(page.names()), ["leaf", "main"])
            # Samples count no calls; each of them stands for 1,000 ns, in every pane.
            assert "Calls" not in page.texts("#pane-functions thead button")
            page.click("#pane-functions tbody button.name")
            equal(page.parameters()["name"], "leaf")
            page.pane("assembly")
            equal(page.texts("#pane-assembly td.share span"), ["2.00\u202f\u00b5s"])
            assert page.texts("#pane-assembly p.faint") == ["2.00\u202f\u00b5s (66.67\u202f%) is in code that is not at hand (--binary names programs)."], \
                page.texts("#pane-assembly p.faint")
            page.pane("functions")
            for name in ("leaf", "main", "leaf"):
                page.press("e")
                equal(page.parameters()["name"], name)
            x, y, width, _ = page.canvas()
            page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + width / 2, y=y + 26 + 6)
            tip = page.texts("[role=tooltip]")[0]
            assert "functionmain" in tip and "50" in tip, tip
            # The window has the second sample alone.
            page.drag(x + width * 0.3, x + width * 0.7, y + 60)
            equal(page.names(), ["main"])


COUNTED = [{"ph": "X", "name": "main", "pid": 1, "tid": 7, "ts": 0, "dur": 100}] + [
    {"ph": "C", "name": "heap", "pid": 1, "ts": ts, "args": {"value": value}} for ts, value in ((10, 5), (60, 20))]


@test
def counters_are_lanes_with_their_values(chromium, program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counted.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(COUNTED, file)
        with Opened(chromium, program, path) as page:
            equal(page.texts(".track-name"), ["Process 1", "Thread 7"])
            x, y, width, _ = page.canvas()
            # The lane is the first row below the axis; the values hold from 10 and from 60 us on.
            for at, value in ((0.05, None), (0.3, "5"), (0.8, "20")):
                page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + width * at, y=y + 26 + 20)
                tip = page.texts("#tip")[0] if page.run("!document.querySelector('#tip').hidden") else None
                assert tip is None if value is None else tip.startswith("heap") and "value" + value + "since" in tip, (at, tip)
            # A greater value is a higher bar: in the picture's column more pixels are of the bar's colour.
            high = page.run("(() => { const c = document.querySelector('canvas'), r = c.width / c.clientWidth, top = Math.round(40 * r), rows = Math.round(18 * r); "
                            "const all = new Uint32Array(c.getContext('2d').getImageData(0, top, c.width, rows).data.buffer); "
                            "return [0.05, 0.3, 0.8].map(at => { const list = Array.from({ length: rows }, (_, y) => all[y * c.width + Math.round(at * c.width)]); "
                            "return list.filter(p => p !== all[0]).length; }); })()")
            assert high[0] == 0 < high[1] < high[2], high


@test
def a_file_that_changes_and_a_server_that_ends_are_said(chromium, program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "grows.xray")
        with open(MT, "rb") as log, open(path, "wb") as copy:
            copy.write(log.read())
        with View(program, path) as view:
            page = Page(chromium, view)
            page.open()
            assert page.run("document.querySelector('#changes').hidden")
            with open(path, "ab") as file:
                file.write(b"more")
            page.until("!document.querySelector('#changes').hidden")
            assert "grows.xray has grown since it was opened" in page.texts("#changes")[0]
            page.quiet()
            equal(view.stop()[0], 0)
            page.until("document.querySelector('#changes').textContent.startsWith('The server does not answer')")
            assert page.names(), "what was shown is gone"


@test
def a_pane_is_copied_as_text(chromium, program):
    rows = report(program, "--map", MAP, MT)["functions"]
    with Opened(chromium, program, "--map", MAP, MT) as page:
        page.call("Browser.grantPermissions", permissions=["clipboardReadWrite"])
        page.click("#copy")
        lines = page.run("navigator.clipboard.readText()").splitlines()
        equal(lines[0].split("\t")[:4], ["Function", "Self", "Inclusive", "Calls"])
        equal([line.split("\t")[0] for line in lines[1:]], [row["function"] for row in rows])
        equal([line.split("\t")[3] for line in lines[1:]], ["{:,}".format(row["calls"]) for row in rows])
        equal(page.texts("#copied"), ["Copied %d lines." % (len(rows) + 1)])
        page.pane("flame")
        page.press("c")
        stacks = page.run("navigator.clipboard.readText()").splitlines()
        wanted = output(program, "stacks", "--map", MAP, MT).splitlines()
        equal(sorted(stacks), sorted(wanted))


@test
def dark_and_light_are_different_and_can_be_chosen(chromium, program):
    back = "getComputedStyle(document.body).backgroundColor"
    with Opened(chromium, program, MT) as page:
        light = page.run(back)
        page.open(scheme="dark")
        dark = page.run(back)
        assert light != dark
        page.click("#theme")
        equal(page.run(back), light)
        page.click("#theme")
        equal(page.run(back), dark)


def main(program):
    found = browser.find()
    if not found:
        skip("no chromium here")
    with View(program, MT):
        pass
    # The page is the same in every build; `view-server` asks a server with a sanitizer all that a page can ask.
    tests = TESTS[::4] if os.environ.get("TL_SMALL") else TESTS
    failed, chromium = 0, Chromium(found)
    try:
        for function in tests:
            try:
                function(chromium, program)
            except Exception as error:  # each is reported
                failed += 1
                print("FAILED %s: %s: %s" % (function.__name__, type(error).__name__, str(error)[:1500]))
    finally:
        chromium.close()
    print("%d of %d" % (len(tests) - failed, len(tests)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.realpath(sys.argv[1])))
