#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the server of `tracelathe view` takes: bench_view.py TRACELATHE FILE...

Of each file: from the start of the command to the index, then 1,000 pans and zooms over six orders of magnitude, as the page asks
for them (a window of 1,600 pixels, at most 20 threads), over the loopback device: median, 99th percentile, longest, and the most
items of an answer. On a machine that is busy with other things look at the processor time of the server instead."""
import http.client
import os
import random
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "web"))
from viewing import View

QUESTIONS, PIXELS, THREADS = 1000, 1600, 20


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


def ask(connection, view, path):
    connection.request("GET", path + "&token=" + view.token)
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        raise SystemExit("%s: %d %s" % (path, response.status, body[:200]))
    return body


def bench(program, path):
    begin = time.monotonic()
    with View(program, path) as view:
        file = view.ready()["files"][0]
        ready, indexing = time.monotonic() - begin, processor_seconds(view)
        if file["index"] != "ready":
            raise SystemExit("%s: %s" % (path, file.get("why")))
        tracks = sorted(range(len(file["tracks"])), key=lambda i: -file["tracks"][i]["calls"])[:THREADS]
        last = max(track["last"] for track in file["tracks"])
        connection, times, most = http.client.HTTPConnection("127.0.0.1", view.port), [], 0
        for start, end in questions(random.Random(14), last):
            asked = time.monotonic()
            body = ask(connection, view, "/api/window?pixels=%d&from=%d&to=%d&tracks=%s" % (PIXELS, start, end, ",".join(map(str, tracks))))
            times.append(1000 * (time.monotonic() - asked))
            most = max(most, items_of(body))
        times.sort()
        each = 1000 * (processor_seconds(view) - indexing) / QUESTIONS
        print("%-30s %8.1f MB, index %6.2f s (%.2f s of processors); window %6.2f ms, p99 %6.2f, longest %6.2f (%.2f ms of processors on average); "
              "at most %d items" % (os.path.basename(path)[:30], file["bytes"] / 1e6, ready, indexing, times[len(times) // 2],
                                    times[int(len(times) * 0.99)], times[-1], each, most), flush=True)


if __name__ == "__main__":
    for name in sys.argv[2:]:
        bench(sys.argv[1], name)
