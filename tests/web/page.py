#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `tracelathe flame` in a browser: page.py PAGES, the program of pages.c.

What is expected follows from the costs that the head of pages.c says. Exit status: 0 good, 1 not, 77 cannot be seen here.
"""
import os
import re
import subprocess
import sys
import tempfile

import browser

TESTS = []
KINDS = ["small", "threads", "diff", "sums", "deep", "large", "hostile"]
FRAMES = """[...document.querySelectorAll('#graph g.frame')].map(g => { const box = g.querySelector('rect').getBoundingClientRect();
return { name: g.getAttribute('name'), x: box.x, y: box.y, width: box.width, height: box.height, faded: g.classList.contains('fade'),
label: g.querySelector('div').textContent, fill: g.querySelector('rect').getAttribute('fill') } })"""


def test(function):
    TESTS.append(function)
    return function


class Page:
    def __init__(self, chromium, folder):
        self.chromium, self.folder = chromium, folder

    def open(self, kind, **how):
        return self.chromium.open(os.path.join(self.folder, kind + ".html"), **how)

    def __getattr__(self, name):
        return getattr(self.chromium, name)

    def frames(self):
        return self.run(FRAMES)

    def frame(self, *names, nth=0):
        """The nth frame, from the left, of that name."""
        found = sorted((f for f in self.frames() if f["name"] == names[0]), key=lambda f: (f["x"], f["y"]))
        assert len(found) > nth, "no frame %s" % names[0]
        return found[nth]

    def names(self):
        return sorted(f["name"] for f in self.frames() if not f["faded"])

    def text(self, selector):
        return self.run("document.querySelector(%r).innerText" % selector)

    def click_frame(self, name, nth=0):
        frame = self.frame(name, nth=nth)
        self.mouse(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)

    def click(self, selector):
        self.run("document.querySelector(%r).scrollIntoView({ block: 'center' })" % selector)
        box = self.run("(box => [box.x + box.width / 2, box.y + box.height / 2])(document.querySelector(%r).getBoundingClientRect())"
                       % selector)
        self.mouse(*box)

    def search(self, term):
        self.run("document.querySelector('#search').focus(); document.querySelector('#search').select()")
        self.type(term)

    def choose(self, selector, value):
        self.run("(s => { s.value = %r; s.dispatchEvent(new Event('change')) })(document.querySelector(%r))" % (value, selector))
        self.settle()

    def column(self, number):
        return self.run("[...document.querySelectorAll('#table tbody tr')].map(row => row.cells[%d].innerText.trim())" % number)


def near(value, wanted, slack=1.0):
    assert abs(value - wanted) <= slack, "%s is not near %s" % (value, wanted)


def equal(value, wanted):
    assert value == wanted, "%r is not %r" % (value, wanted)


def share(page, frame):
    return frame["width"] / page.frame("all")["width"]


def rgb(text):
    return tuple(int(n) for n in re.findall(r"\d+", text))


# ---- small: main 10, main>a 20, main>a>b 30, main>b 5: 65 in all ----


@test
def frames_are_as_wide_as_they_cost(page):
    page.open("small")
    equal(page.names(), ["a", "all", "b", "b", "main"])
    near(share(page, page.frame("main")), 1, 0.005)
    near(share(page, page.frame("a")), 50 / 65, 0.005)
    near(share(page, page.frame("b")), 30 / 65, 0.005)
    near(share(page, page.frame("b", nth=1)), 5 / 65, 0.005)
    # A flame graph: callees above; the second b is beside a.
    assert page.frame("b")["y"] < page.frame("a")["y"] < page.frame("main")["y"] < page.frame("all")["y"]
    near(page.frame("b", nth=1)["x"], page.frame("a")["x"] + page.frame("a")["width"], 1.5)
    equal(page.frame("a")["label"], "a")


@test
def head_says_what_when_and_how_much(page):
    page.open("small")
    equal(page.text("h1"), "small")
    equal(page.run("document.title"), "small – flame graph")
    equal(page.text("#about"), "test · 2026-01-02 03:04 UTC")
    # 65 ticks of a million a second.
    assert "65.0 µs" in page.text("#figures"), page.text("#figures")


@test
def click_zooms_and_escape_shows_all(page):
    page.open("small")
    width = page.frame("all")["width"]
    page.click_frame("a")
    equal(page.names(), ["a", "b"])
    near(page.frame("a")["width"], width)
    near(page.frame("b")["width"], width * 30 / 50)
    equal([f["name"] for f in page.frames() if f["faded"]], ["all", "main"])
    equal(page.text("#path").split(), ["all", "›", "main", "›", "a"])
    page.key("Escape")
    equal(page.names(), ["a", "all", "b", "b", "main"])
    assert page.run("document.querySelector('#reset').disabled && document.querySelector('#path').hidden")


@test
def search_marks_and_says_the_share(page):
    page.open("small")
    page.key("/", text="/")
    equal(page.run("document.activeElement.id"), "search")
    equal(page.run("document.activeElement.value"), "")
    page.type("b")
    # (30 + 5) / 65
    equal(page.text("#found"), "53.85 % in 1 function")
    marked = {f["fill"] for f in page.frames() if f["name"] == "b"}
    equal(len(marked), 1)
    assert not marked & {f["fill"] for f in page.frames() if f["name"] != "b"}
    equal(page.column(0), ["b"])
    # main holds all the others: what is below a frame that was found counts once.
    page.search("/main|^a$/")
    equal(page.text("#found"), "100.00 % in 2 functions")
    page.search('"m"')
    equal(page.text("#found"), "nothing found")
    page.search("/(/")
    equal(page.text("#found"), "not a pattern")
    page.key("Escape")
    equal(page.text("#found"), "")
    equal(len(page.column(0)), 3)


@test
def table_sorts(page):
    page.open("small")
    equal(page.column(0), ["b", "a", "main"])
    equal(page.column(1), ["35.0 µs", "20.0 µs", "10.0 µs"])
    equal(page.column(2), ["53.85 %", "30.77 %", "15.38 %"])
    page.click("th[data-key=total] button")
    equal(page.column(0), ["main", "a", "b"])
    equal(page.column(3), ["65.0 µs", "50.0 µs", "35.0 µs"])
    equal(page.run("document.querySelector('th[data-key=total]').getAttribute('aria-sort')"), "descending")
    page.click("th[data-key=total] button")
    equal(page.column(0), ["b", "a", "main"])
    page.click("th[data-key=name] button")
    equal(page.column(0), ["a", "b", "main"])
    page.click("th[data-key=calls] button")
    equal(page.column(5), ["4", "2", "1"])
    equal(page.column(6), ["b.c:30", "a.c:20", "main.c:10"])


@test
def a_function_of_the_table_is_found(page):
    page.open("small")
    page.click("#table tbody tr:nth-child(2) button")
    equal(page.run("document.querySelector('#search').value"), '"a"')
    equal(page.text("#found"), "76.92 % in 1 function")


@test
def pointing_says_the_facts(page):
    page.open("small")
    frame = page.frame("a")
    page.mouse(frame["x"] + 5, frame["y"] + 8, click=False)
    words = page.text("#tip").split()
    equal(words, "a total 50.0 µs 76.92 % self 20.0 µs 30.77 % calls 2 a.c:20 prog".split())
    page.mouse(2, 2, click=False)
    assert page.run("document.querySelector('#tip').hidden")


@test
def keys_walk_and_zoom(page):
    page.open("small")
    page.run("document.querySelector('#graph').focus()")
    for key, name in (("ArrowUp", "all"), ("ArrowUp", "main"), ("ArrowUp", "a"), ("ArrowRight", "b"), ("ArrowLeft", "a")):
        page.key(key)
        equal(page.run("document.querySelector('g.current').getAttribute('name')"), name)
    assert page.text("#detail").startswith("a:"), page.text("#detail")
    page.key("Enter")
    equal(page.names(), ["a", "b"])


@test
def icicle_has_its_roots_at_the_top(page):
    page.open("small")
    page.click("#icicle")
    assert page.frame("all")["y"] < page.frame("main")["y"] < page.frame("a")["y"] < page.frame("b")["y"]
    equal(page.run("document.querySelector('#icicle').getAttribute('aria-pressed')"), "true")


TILES = """[...document.querySelectorAll('#map .tile')].map(t => { const box = t.getBoundingClientRect();
return { name: t.textContent, x: box.x, y: box.y, width: box.width, height: box.height, fill: getComputedStyle(t).backgroundColor } })"""


def tiles(page):
    """By name; b below a, and b beside it as "main's b"."""
    found = {}
    for tile in page.run(TILES):
        a = found.get("a")
        beside = tile["name"] == "b" and not (a and inside(tile, a))
        found["main's b" if beside else tile["name"]] = tile
    return found


def inside(inner, outer):
    return (inner["x"] >= outer["x"] and inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 0.5 and
            inner["y"] >= outer["y"] and inner["y"] + inner["height"] <= outer["y"] + outer["height"] + 0.5)


def room(tile):
    """The area inside of the heading and the edge, which is the cost."""
    return (tile["width"] - 4) * (tile["height"] - 17)


@test
def areas_of_the_tree_map_are_costs(page):
    page.open("small")
    page.click("#treemap")
    found = tiles(page)
    equal(sorted(found), ["a", "all", "b", "main", "main's b"])
    assert page.run("document.querySelector('#graph').hidden")
    for inner, outer in (("main", "all"), ("a", "main"), ("main's b", "main"), ("b", "a")):
        assert inside(found[inner], found[outer]), inner
    area = {name: tile["width"] * tile["height"] for name, tile in found.items()}
    # Of main's 65 a has 50 and b 5; of a's 50 b has 30. What is left free is the self cost.
    near(area["a"] / room(found["main"]), 50 / 65, 0.01)
    near(area["main's b"] / room(found["main"]), 5 / 65, 0.01)
    near(area["b"] / room(found["a"]), 30 / 50, 0.01)
    a, b = found["a"], found["main's b"]
    assert a["x"] + a["width"] <= b["x"] + 0.5 or a["y"] + a["height"] <= b["y"] + 0.5, "tiles that overlap"


@test
def the_tree_map_zooms_and_finds(page):
    page.open("small")
    page.click("#treemap")
    whole = tiles(page)["all"]
    page.key("ArrowDown")
    page.search("a")
    page.settle()
    marked = tiles(page)
    assert marked["a"]["fill"] != marked["b"]["fill"], "what is found has another colour"
    equal(marked["a"]["fill"], marked["main"]["fill"])
    page.mouse(marked["a"]["x"] + 10, marked["a"]["y"] + 7)
    page.settle()
    equal(page.text("#path").split(), ["all", "›", "main", "›", "a"])
    found = tiles(page)
    equal(sorted(found), ["a", "b"])
    near(found["a"]["width"], whole["width"])
    near(found["b"]["width"] * found["b"]["height"] / room(found["a"]), 30 / 50, 0.01)
    page.run("document.querySelector('#map').focus()")
    for key, name in (("ArrowDown", "a"), ("ArrowDown", "b"), ("ArrowUp", "a")):
        page.key(key)
        equal(page.run("document.querySelector('#map .current').textContent"), name)
    assert page.text("#detail").startswith("a:"), page.text("#detail")
    page.run("document.querySelector('#search').value = ''; document.activeElement.blur()")
    page.key("Escape")
    page.settle()
    equal(sorted(tiles(page)), ["a", "all", "b", "main", "main's b"])
    page.click("#flame")
    equal(page.names(), ["a", "all", "b", "b", "main"])
    equal(page.run("document.querySelectorAll('#map .tile').length"), 0)


@test
def large_profiles_have_tree_maps(page):
    for kind in ("deep", "threads", "diff", "sums"):
        page.open(kind)
        page.click("#treemap")
        assert 0 < page.run("document.querySelectorAll('#map .tile').length") <= 4000, kind


@test
def narrow_windows_have_no_sideways_scroll(page):
    page.open("small", width=420)
    assert page.run("document.documentElement.scrollWidth <= 420")
    near(page.frame("a")["width"], page.frame("all")["width"] * 50 / 65)


def luminance(colour):
    return (299 * colour[0] + 587 * colour[1] + 114 * colour[2]) / 1000


@test
def the_picture_shows_it(page):
    for scheme, dark in (("light", False), ("dark", True)):
        page.open("small", scheme=scheme)
        picture = page.screenshot()
        for name in ("main", "a", "b", "all"):
            frame = page.frame(name)
            # Right of the label, inside the frame.
            seen, fill = picture.at(frame["x"] + frame["width"] * 0.8, frame["y"] + 9), rgb(frame["fill"])
            assert all(abs(s - f) <= 3 for s, f in zip(seen, fill)), "%s is %s, not %s" % (name, seen, fill)
        # Beside b, above a there is nothing: as much light as the scheme has.
        b = page.frame("b")
        empty = picture.at(b["x"] + b["width"] + 20, b["y"] + 9)
        assert (luminance(empty) < 60) == dark and (luminance(empty) > 200) != dark, empty
        title = page.run("(box => [box.x, box.y, box.width, box.height])(document.querySelector('h1').getBoundingClientRect())")
        ink = {luminance(picture.at(title[0] + x, title[1] + y)) > 128 for x in range(60) for y in range(int(title[3]))}
        equal(ink, {True, False})


@test
def text_on_frames_can_be_read(page):
    """WCAG 2.1, 1.4.3: a contrast of at least 4.5 between text and its background."""
    page.open("large")
    ink = rgb(page.run("getComputedStyle(document.querySelector('#graph .d3-flame-graph-label')).color"))

    def light(colour):
        parts = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    fills = {f["fill"] for f in page.frames()}
    assert len(fills) > 50, "few colours"
    worst = min((light(rgb(fill)) + 0.05) / (light(ink) + 0.05) for fill in fills)
    assert worst >= 4.5, "contrast %.2f" % worst


# ---- others ----


@test
def event_and_thread_are_chosen(page):
    """Ticks: main 100 and work 300 in one thread, idle 600 in the other; Bytes: work 4096, main 1024."""
    page.open("threads")
    near(share(page, page.frame("idle")), 600 / 1000, 0.005)
    near(share(page, page.frame("work")), 300 / 1000, 0.005)
    equal(page.run("[...document.querySelector('#column').options].map(o => o.text)"),
          ["all threads", "reader (7)", "writer (8)"])
    page.choose("#column", "0")
    equal(page.names(), ["all", "main", "work"])
    near(share(page, page.frame("work")), 300 / 400, 0.005)
    equal(page.column(0), ["work", "main"])
    page.choose("#column", "1")
    equal(page.names(), ["all", "idle", "main"])
    page.choose("#column", "-1")
    page.choose("#event", "1")
    equal(page.names(), ["all", "main", "work"])
    near(share(page, page.frame("work")), 4096 / 5120, 0.005)
    equal(page.column(1)[:2], ["4.00 KiB", "1.00 KiB"])


@test
def a_choice_keeps_the_zoom(page):
    page.open("threads")
    page.click_frame("work")
    page.choose("#event", "1")
    equal(page.names(), ["work"])


@test
def a_difference_is_coloured(page):
    """main>a>b grew from 10 to 30, main>b came with 5, main>c went with 15: 55 became 65."""
    page.open("diff")
    for name in ("b", "a", "main"):
        red, _, blue = rgb(page.frame(name)["fill"])
        assert red > blue + 20, "%s became more" % name
    page.choose("#column", "1")
    equal(page.names(), ["a", "all", "b", "c", "main"])
    near(share(page, page.frame("c")), 15 / 55, 0.005)
    red, _, blue = rgb(page.frame("c")["fill"])
    assert blue > red + 20, "c became less"
    equal(page.column(0), ["b", "a", "c", "main"])
    equal(page.column(1), ["+25.0 µs", "+20.0 µs", "−15.0 µs", "+10.0 µs"])
    assert "+18.18 %" in page.text("#figures"), page.text("#figures")
    assert not page.run("document.querySelector('#legend').hidden")


@test
def paths_of_sums_are_estimated_and_it_says_so(page):
    """main 10 calls a 60 and b 30; of c's 60, 40 are for a and 20 for b; that c calls itself is no path."""
    page.open("sums")
    assert "estimated" in page.text("#notes"), page.text("#notes")
    equal(page.names(), ["a", "all", "b", "c", "c", "main"])
    for nth, cost in ((0, 40), (1, 20)):
        near(share(page, page.frame("c", nth=nth)), cost / 100, 0.005)
    near(share(page, page.frame("a")), 60 / 100, 0.005)


@test
def deep_recursion_opens(page):
    page.open("deep")
    assert "99,500 below that are summed" in page.text("#notes"), page.text("#notes")
    frames = page.frames()
    equal(len(frames), 502)  # all, 500, and one for what is deeper
    equal(len([f for f in frames if f["name"] == "(deeper than 500 frames)"]), 1)
    page.search("recurse")
    assert page.text("#found").startswith("100.00 %"), page.text("#found")


@test
def ten_million_calls_open(page):
    seconds = page.open("large")
    print("    opened in %.1f s, %d frames on the screen" % (seconds, len(page.frames())))
    assert seconds < 20, "frozen for %.1f s" % seconds
    # 300,000 contexts in 20,000 frames at most, and one "(other)" each
    assert page.run("JSON.parse(document.getElementById('profile').textContent).frames.parent.length") <= 40001
    assert re.search(r"2\d\d,\d\d\d stacks below .* are summed into their callers", page.text("#notes")), page.text("#notes")
    equal(page.text("#rows-shown"), "2,000")
    equal(len(page.column(0)), 200)
    page.click("#more")
    equal(len(page.column(0)), 1200)


@test
def names_are_no_markup(page):
    page.open("hostile")
    equal(page.run("document.title"), "hostile – flame graph")
    assert any(f["label"] == "</script><script>document.title='broken'</script>" for f in page.frames())
    equal(page.run("document.querySelectorAll('img').length"), 0)


# ---- all ----


def run_test(function, page):
    try:
        function(page)
        asked = [url[:100] for url in page.requests if not url.startswith(("file://" + page.folder, "data:"))]
        assert not asked, "network: %s" % asked
        assert not page.errors, "console: %s" % page.errors
        print("ok    %s" % function.__name__)
        return True
    except (AssertionError, RuntimeError) as error:
        print("FAIL  %s: %s" % (function.__name__, error))
        return False


def write_pages(program, folder):
    for kind in KINDS:
        with open(os.path.join(folder, kind + ".html"), "wb") as file:
            subprocess.run([program, kind, "page"], stdout=file, check=True)


def main(program, *names):
    if not browser.find():
        print("skipped: there is no chromium here")
        return 77
    if subprocess.run([program, "has-page"], check=False).returncode:
        print("skipped: built without the page (no npm)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        write_pages(program, folder)
        chromium = browser.Browser(browser.find())
        try:
            page = Page(chromium, folder)
            # The page is the same in every build.
            tests = TESTS[::8] if os.environ.get("TL_SMALL") else TESTS
            tests = [t for t in TESTS if t.__name__ in names] if names else tests
            failed = [t for t in tests if not run_test(t, page)]
        finally:
            chromium.close()
    print("%d tests, %d failed" % (len(tests), len(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
