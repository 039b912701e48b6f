# SPDX-License-Identifier: Apache-2.0
"""Profiles of other tools as text: Chrome's trace events, plain and packed, and folded stacks. What they cost in processor time,
as others may work on the machine, beside the rate that each is meant to have."""
import gzip
import os
import random
import resource
import subprocess

# The input, how many MB of it (of what is packed: expanded) are to be read in a second, and what is made of it.
ROWS = (
    ("chrome.json", 350, "report --csv"),
    ("chrome.json", 350, "info"),
    ("chrome.json.gz", 180, "report --csv"),
    ("sorted.folded", 500, "report --csv"),
    ("sorted.folded", 500, "stacks"),
    ("shuffled.folded", 500, "report --csv"),
)
SIZE = 100 << 20


def write_whole(path, chunks):
    if os.path.exists(path):
        return
    with open(path + ".part", "w", encoding="ascii") as out:
        for chunk in chunks:
            out.write(chunk)
    os.rename(path + ".part", path)


def chrome_events(size):
    """A browser's: slices with arguments on four threads, and nested begins and ends on another."""
    chosen, now, stack, written = random.Random(7), 0.0, [], 0
    names = ["%s_%d" % (chosen.choice(("parse", "layout", "paint", "script")), i) for i in range(3000)]
    yield '{"traceEvents":[\n{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"Main"}}'
    while written < size:
        events = []
        for _ in range(5000):
            now += 1 + chosen.random()
            kind = chosen.random()
            if kind < 0.4:
                events.append(',\n{"name":"%s","cat":"devtools.timeline","ph":"X","ts":%.3f,"dur":%.3f,"pid":1,"tid":%d,'
                              '"args":{"data":{"frame":"%X","line":%d}}}'
                              % (chosen.choice(names), now, chosen.random(), 2 + chosen.randrange(4), chosen.getrandbits(60),
                                 chosen.randrange(900)))
            elif not stack or (kind < 0.7 and len(stack) < 40):
                stack.append(chosen.choice(names))
                events.append(',\n{"name":"%s","cat":"v8","ph":"B","ts":%.3f,"pid":1,"tid":1}' % (stack[-1], now))
            else:
                events.append(',\n{"name":"%s","cat":"v8","ph":"E","ts":%.3f,"pid":1,"tid":1}' % (stack.pop(), now))
        text = "".join(events)
        written += len(text)
        yield text
    yield "]}\n"


def folded_lines(size):
    """Each stack leaves the one before at a place that is most often near its end."""
    chosen, stack, written, lines = random.Random(9), [], 0, set()
    names = ["%s::%s_%d(int, char const*)" % (chosen.choice(("std", "app", "net", "db")), chosen.choice(("run", "step", "parse", "walk")), i)
             for i in range(5000)]
    while written < size:
        kept = len(stack) - int(chosen.random() ** 3 * len(stack)) - 1
        stack = stack[:max(kept, 1)] + [names[int(chosen.random() ** 3 * 5000)] for _ in range(chosen.randrange(1, 4))]
        stack = stack[:60]
        line = ";".join(stack)
        if line not in lines:
            lines.add(line)
            written += len(line) + 4
    return sorted(lines)


def make_inputs(folder):
    path = {name: os.path.join(folder, name) for name, _, _ in ROWS}
    write_whole(path["chrome.json"], chrome_events(SIZE))
    if not os.path.exists(path["chrome.json.gz"]):
        with open(path["chrome.json"], "rb") as plain, gzip.open(path["chrome.json.gz"], "wb", 6) as packed:
            packed.writelines(plain)
    if not os.path.exists(path["shuffled.folded"]):
        lines = folded_lines(SIZE)
        write_whole(path["sorted.folded"], ("%s %d\n" % (line, 1 + i % 99) for i, line in enumerate(lines)))
        random.Random(11).shuffle(lines)
        write_whole(path["shuffled.folded"], ("%s %d\n" % (line, 1 + i % 99) for i, line in enumerate(lines)))
    return path


def processor_seconds(args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bench_foreign(build, folder, options):
    path = make_inputs(folder)
    print("\n%-44s %8s %8s %8s" % ("profiles of others, as text", "cpu s", "MB/s", "meant"))
    for name, meant, what in ROWS:
        args = [os.path.join(build, "tracelathe"), *what.split(), path[name]]
        size = os.path.getsize(path[name[:-3] if name.endswith(".gz") else name])
        cost = min(processor_seconds(args) for _ in range(options.runs))
        print("%-44s %8.3f %8.0f %8d" % (what + " " + name, cost, size / 1e6 / cost, meant), flush=True)
