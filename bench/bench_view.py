#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the views are: bench_view.py BUILD-DIRECTORY [--only PART,...] [--small] [FILE...]

A line each: what was measured, the figure, the goal, and whether it is met. Parts: index (each shape of bench/gen_xray, Intel PT and
xtrace of the shared corpus: the index's speed in processor time and its size), server (first picture; 1,000 pans and zooms over six
orders of magnitude as the page asks for them; memory; profiles of windows; a request that is given up), large (the same of 1.25 GB),
callgrind (344 MB), static (a page of five million calls), page (headless Chromium: until it can be used, from a key to the refined
picture, frames while it is moved), browse (first screen). FILE...: the server's part of these files alone. --small: a tenth of all
sizes, which shows that it runs.

Wall clock where nothing else is said: on a machine that is busy with other things only the processor times count."""
import argparse
import http.client
import os
import pty
import random
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("TL_SHARED", os.path.join(ROOT, "..", "shared"))
sys.path.insert(0, os.path.join(ROOT, "tests", "web"))
from viewing import View

SHAPES = ("regular", "random200", "random100000", "threads1000", "deep20000", "bursts")
RECORDS, LARGE_RECORDS, STATIC_RECORDS, CALLGRIND_LINES = 15600000, 156000000, 10000000, 12000000
QUESTIONS, PIXELS, THREADS = 1000, 1600, 20
MISSED = []


def tell(what, figure, unit, goal=None, least=False):
    """`goal`: at most, or with `least` at least."""
    met = "" if goal is None else "  met" if (figure >= goal if least else figure <= goal) else "  MISSED"
    if met == "  MISSED":
        MISSED.append(what)
    print("%-66s %10.2f %-7s%s%s" % (what, figure, unit, "" if goal is None else " goal %s %g" % (">=" if least else "<=", goal), met), flush=True)


# ---- inputs ----


class Inputs:
    """Made when they are asked for, and kept until the end."""

    def __init__(self, build, folder, small):
        self.build, self.folder, self.share = build, folder, 10 if small else 1

    def made(self, name, tool, *arguments):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            with open(path, "wb") as file:
                subprocess.run([os.path.join(self.build, "bench", tool), *map(str, arguments)], stdout=file, check=True)
        return path

    def shape(self, name, records=RECORDS):
        return self.made("%s-%d.xray" % (name, records), "gen_xray", records // self.share, name)

    def callgrind(self):
        return self.made("callgrind.out.large", "gen_callgrind", CALLGRIND_LINES // self.share)

    def shared(self, *names):
        """Files of the corpus side by side, unpacked; None: they are not here."""
        paths = []
        for name in names:
            packed, path = os.path.join(SHARED, "corpus", "large", name), os.path.join(self.folder, os.path.basename(name).removesuffix(".zst"))
            if not os.path.exists(packed):
                return None
            if not os.path.exists(path):
                if name.endswith(".zst"):
                    subprocess.run(["zstd", "-dq", "--long=27", packed, "-o", path], check=True)
                else:
                    shutil.copy(packed, path)
            paths.append(path)
        return paths[0]


# ---- the index ----


def index_figures(inputs, path, windows=200):
    """MB a second of processor time and percent of the input, as bench/call_index prints them: the best of three, one of a long one."""
    best = None
    for _ in range(1 if os.path.getsize(path) > 4e8 else 3):
        run = subprocess.run([os.path.join(inputs.build, "bench", "call_index"), path, str(windows)], stdout=subprocess.PIPE, text=True)
        words = run.stdout.split()
        if run.returncode or not words:
            return None
        speed, share = float(words[words.index("MB/s,") - 1]), float(words[words.index("%") - 1])
        best = (max(speed, best[0] if best else 0), share)
    return best


def bench_index(inputs):
    for shape in SHAPES:
        speed, share = index_figures(inputs, inputs.shape(shape))
        tell("index of %s, a core" % shape, speed, "MB/s", 170 if shape == "deep20000" else 400, least=True)
        tell("index of %s, of the input" % shape, share, "%", 3)
    for name, files, goal in (("xtrace 291 MB", ("xtrace.20251120130000.0.hint9.xinsndata.bin.zst", "xtrace.20251120130000.0.hint9.xsnapshot.bin.zst"), 3),
                              ("Intel PT py.time", ("intel-pt/py.time.pt.zst", "intel-pt/py.map", "intel-pt/py.img.zst"), 12)):
        path = inputs.shared(*files)
        figures = path and index_figures(inputs, path)
        if not figures:
            print("index of %s: its input is not here" % name)
            continue
        tell("index of %s, a core" % name, figures[0], "MB/s", 400 if goal == 3 else None, least=True)
        tell("index of %s, of the input" % name, figures[1], "%", goal)


# ---- the server ----


def items_of(body):
    """How many items an answer has (src/view/web/answer_calls.c)."""
    at, total = 8, 0
    for _ in range(struct.unpack_from("<I", body, 4)[0]):
        count = struct.unpack_from("<I", body, at + 4)[0]
        total += count
        at += 24 + 24 * count + 16 * (count + count % 2)
    return total


def questions(rng, last):
    """Windows: a zoom or a pan from the one before, now and then somewhere else."""
    start, width = 0, last
    for _ in range(QUESTIONS):
        kind = rng.random()
        if kind < 0.5:
            start += rng.uniform(-0.5, 0.5) * width
        elif kind < 0.9:
            width *= rng.choice((0.3, 0.6, 1.7, 3.0))
        else:
            width = last * 10 ** rng.uniform(-6, 0)
            start = rng.uniform(0, last)
        width = min(max(width, PIXELS), last)
        start = min(max(start, 0), last - width)
        yield int(start), int(start + width) + 1


def processor_seconds(view):
    with open("/proc/%d/stat" % view.process.pid, encoding="utf-8") as file:
        fields = file.read().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def own_memory(view):
    """MiB beside mapped files."""
    with open("/proc/%d/status" % view.process.pid, encoding="utf-8") as file:
        kib = {line.split(":")[0]: line.split()[1] for line in file if line.startswith("Rss")}
    return (int(kib["RssAnon"]) + int(kib["RssShmem"])) / 1024


class Asked:
    """One connection to a view."""

    def __init__(self, view):
        self.view, self.connection = view, http.client.HTTPConnection("127.0.0.1", view.port)

    def get(self, path, **parameters):
        """@return milliseconds, the body"""
        address = path + "?" + "&".join("%s=%s" % pair for pair in [*parameters.items(), ("token", self.view.token)])
        begin = time.monotonic()
        self.connection.request("GET", address)
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise SystemExit("%s: %d %s" % (path, response.status, body[:200]))
        return 1000 * (time.monotonic() - begin), body


def tracks_of(file):
    return sorted(range(len(file["tracks"])), key=lambda i: -file["tracks"][i]["calls"])[:THREADS]


def first_picture(view):
    """Once a window of all can be drawn, of a sample or of all calls."""
    while True:
        file = view.json("/api/state")["files"][0]
        if file["index"] in ("sampled", "ready"):
            break
        if file["index"] == "none":
            raise SystemExit("no timeline: " + file["why"])
        time.sleep(0.005)
    last = max(track["last"] for track in file["tracks"])
    Asked(view).get("/api/window", pixels=PIXELS, **{"from": 0, "to": last + 1}, tracks=",".join(map(str, tracks_of(file))))


def bench_windows(what, view, file):
    last = max(track["last"] for track in file["tracks"])
    asked, times, most, before = Asked(view), [], 0, processor_seconds(view)
    tracks = ",".join(map(str, tracks_of(file)))
    for start, end in questions(random.Random(14), last):
        ms, body = asked.get("/api/window", pixels=PIXELS, **{"from": start, "to": end}, tracks=tracks)
        times.append(ms)
        most = max(most, items_of(body))
    times.sort()
    tell(what + ": pans and zooms, median", times[len(times) // 2], "ms")
    tell(what + ": pans and zooms, p99", times[len(times) * 99 // 100], "ms", 10)
    tell(what + ": the same, processor time on average", 1000 * (processor_seconds(view) - before) / QUESTIONS, "ms")
    tell(what + ": items of an answer, most", most, "", 20000)


def bench_profiles(what, view, file):
    """Of windows that were not asked for before, of every width: tables, which are what the page asks for first, and profiles with the
    calls between functions, for the panes of callers and the call graph."""
    rate, last, rng = file["frequency"], max(track["last"] for track in file["tracks"]), random.Random(15)
    if not rate:
        return
    asked = Asked(view)

    def window(start, end, **how):
        return asked.get("/api/profile", **{"from": start, "to": end}, since=repr(start / rate), until=repr(end / rate), **how)[0]

    for kind, how in (("table", {"table": 1}), ("profile", {})):
        # The page has that of all before its user can choose a window.
        tell("%s: %s of all" % (what, kind), asked.get("/api/profile", **how)[0], "ms")
        times = []
        for i in range(24):
            width = last * 10 ** -(1 + 4 * i / 23)
            start = int(rng.uniform(0, last - width))
            times.append(window(start, int(start + width) + 1, **how))
        times.sort()
        tell("%s: %s of a window of a tenth or less, median" % (what, kind), times[len(times) // 2], "ms")
        tell("%s: %s of a window of a tenth or less, longest of %d" % (what, kind, len(times)), times[-1], "ms", 150)
        shift = last // 64 * (kind == "profile")
        tell("%s: %s of a window of one half" % (what, kind), window(last // 4 + shift, 3 * last // 4 + shift, **how), "ms")


def bench_server(what, program, path, first=0.5, memory=None):
    begin = time.monotonic()
    with View(program, "--no-index", path) as view:
        first_picture(view)
        tell(what + ": first picture", time.monotonic() - begin, "s", first)
        file = view.ready()["files"][0]
        tell(what + ": index is there", time.monotonic() - begin, "s")
        tell(what + ": the same, processor time", processor_seconds(view), "s")
        bench_windows(what, view, file)
        bench_profiles(what, view, file)
        tell(what + ": memory beside the mapping", own_memory(view), "MiB", memory)


def wait_for_rest(view):
    """Until nothing is worked: behind the index of a large file, sums of its tiles are made ahead."""
    worked, before = processor_seconds(view), None
    while worked != before:
        time.sleep(0.5)
        worked, before = processor_seconds(view), worked


def bench_given_up(program, path):
    """What is worked for one who goes: processor time behind a flame graph of all that nobody waits for."""
    with View(program, "--no-index", path) as view:
        view.ready()
        wait_for_rest(view)
        connection = http.client.HTTPConnection("127.0.0.1", view.port)
        connection.request("GET", "/api/flame?token=" + view.token)
        time.sleep(0.03)
        before = processor_seconds(view)
        connection.close()
        time.sleep(1)
        tell("a request that is given up: processor time behind it", processor_seconds(view) - before, "s", 0.15)


def bench_callgrind(inputs, program):
    path, begin = inputs.callgrind(), time.monotonic()
    with View(program, path) as view:
        # What the page asks for to begin with; calls between functions are for panes that are opened later.
        Asked(view).get("/api/profile", table=1)
        what = "Callgrind of %.0f MB: " % (os.path.getsize(path) / 1e6)
        tell(what + "functions are there", time.monotonic() - begin, "s", 2)
        tell("the same, processor time", processor_seconds(view), "s")
        tell(what + "calls between functions, behind it", Asked(view).get("/api/profile")[0] / 1000, "s")
        tell(what + "flame graph, behind it", Asked(view).get("/api/flame")[0] / 1000, "s")


def bench_static(inputs, program):
    path, page = inputs.shape("regular", STATIC_RECORDS), os.path.join(inputs.folder, "page.html")
    begin = time.monotonic()
    subprocess.run([program, "view", "--static", "-o", page, path], check=True, stderr=subprocess.DEVNULL)
    tell("view --static of %.1f million calls" % (STATIC_RECORDS / 2e6 / inputs.share), time.monotonic() - begin, "s")
    tell("the same: the page", os.path.getsize(page) / 1e6, "MB", 20)
    return page


# ---- the terminal ----


def first_screen(arguments):
    """Seconds until the panes' names are on the terminal."""
    begin = time.monotonic()
    child, terminal = pty.fork()
    if not child:
        os.environ.update(TERM="xterm-256color", LINES="24", COLUMNS="80")
        os.execv(arguments[0], arguments)
    seen = b""
    while b"functions" not in seen and time.monotonic() - begin < 60:
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 65536)
    seconds = time.monotonic() - begin
    os.write(terminal, b"q")
    time.sleep(0.2)
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)
    os.close(terminal)
    return seconds


def bench_browse(inputs, program):
    path, index = inputs.shape("regular"), os.path.join(inputs.folder, "browse.index")
    subprocess.run([program, "info", path], stdout=subprocess.DEVNULL, check=True)
    with View(program, "--index", index, path) as view:
        view.ready()
    tell("browse of %.0f MB: first screen, the index is kept" % (os.path.getsize(path) / 1e6),
         statistics.median(first_screen([program, "browse", "--index", index, path]) for _ in range(3)), "s", 0.3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--only", default="index,server,large,callgrind,static,page,browse")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    program, parts = os.path.realpath(os.path.join(options.build, "tracelathe")), options.only.split(",")
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(os.path.realpath(options.build), folder, options.small)
        for path in options.files:
            bench_server(os.path.basename(path), program, path)
        if options.files:
            return
        if "index" in parts:
            bench_index(inputs)
        if "server" in parts:
            for shape in SHAPES:
                bench_server(shape, program, inputs.shape(shape))
            bench_given_up(program, inputs.shape("random200"))
        if "browse" in parts:
            bench_browse(inputs, program)
        if "callgrind" in parts:
            bench_callgrind(inputs, program)
        page = bench_static(inputs, program) if "static" in parts else None
        if "page" in parts:
            from bench_view_page import bench_page
            bench_page(tell, inputs, program, page)
        if "large" in parts:
            bench_server("1.25 GB", program, inputs.shape("regular", LARGE_RECORDS), first=1.5, memory=256)
    print("%d goals missed%s" % (len(MISSED), ": " + "; ".join(MISSED) if MISSED else ""))


if __name__ == "__main__":
    main()
