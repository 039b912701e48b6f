#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The server of `tracelathe view`: view_server.py TRACELATHE.

Who may ask, what is answered (held against `report`, `tree` and `dump --calls` of the same files), and what is left when it
ends. Exit status: 0 good, 1 not, 77 cannot be seen here.
"""
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from viewing import GOLDEN, View, output

TESTS = []
MT = [os.path.join(GOLDEN, "mt8-fdr.xray")]
ARGS = [os.path.join(GOLDEN, "args-fdr.xray")]


def test(function):
    TESTS.append(function)
    return function


def equal(value, wanted):
    assert value == wanted, "%r is not %r" % (value, wanted)


# ---- who may ask ----


@test
def one_line_is_printed_and_ctrl_c_ends_it(program):
    with View(program, *ARGS) as view:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}", view.url), view.url
        children = "/proc/%d/task" % view.process.pid
        assert os.path.isdir(children)
        status, rest, errors = view.stop()
        equal((status, rest, errors), (0, "", ""))
        with socket.socket() as other:
            assert other.connect_ex(("127.0.0.1", view.port)), "the port is still served"


@test
def sigterm_ends_it_too(program):
    with View(program, *ARGS) as view:
        equal(view.stop(signal.SIGTERM)[0], 0)


@test
def a_port_can_be_chosen_and_is_refused_when_it_is_taken(program):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run([program, "view", "--no-open", "--port", port, *ARGS], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=60)
        equal((done.returncode, done.stdout), (2, ""))
        assert "port" in done.stderr, done.stderr
    with View(program, "--port", port, *ARGS) as view:
        equal(str(view.port), port)


@test
def nothing_is_answered_without_the_token(program):
    with View(program, *ARGS) as view:
        wrong = view.token[:-1] + ("0" if view.token[-1] != "0" else "1")
        for path in ("/", "/api/state", "/api/profile", "/nowhere"):
            equal(view.ask(path, known=False).status, 403)
            equal(view.ask(path, known=False, token=wrong).status, 403)
            equal(view.ask(path, known=False, token="").status, 403)
            equal(view.ask(path, known=False, token=view.token + "0").status, 403)
        equal(view.ask("/").status, 200)


@test
def nothing_is_answered_for_another_host(program):
    with View(program, *ARGS) as view:
        for host in ("localhost:%d" % view.port, "evil.example", "127.0.0.1", "127.0.0.1:1", "[::1]:%d" % view.port, ""):
            equal(view.ask("/", headers={"Host": host}).status, 403)
        equal(view.ask("/", headers={"Host": view.host}).status, 200)


@test
def only_the_loopback_device_is_listened_on(program):
    with View(program, *ARGS) as view:
        # Linux: the whole of 127/8 is the loopback device; the server has one address of it.
        with socket.socket() as other:
            other.settimeout(5)
            assert other.connect_ex(("127.0.0.2", view.port)), "another address is served"


@test
def only_get_is_answered(program):
    with View(program, *ARGS) as view:
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            response = view.ask("/api/state", method=method, body=b"x" if method in ("POST", "PUT") else None)
            equal((method, response.status), (method, 405))
        equal(view.ask("/", method="HEAD").status, 200)


@test
def the_policy_allows_nothing_but_the_page(program):
    with View(program, *ARGS) as view:
        for path in ("/", "/api/state", "/nowhere"):
            response = view.ask(path)
            policy = response.headers["Content-Security-Policy"]
            rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
            equal(rules["default-src"], "'none'")
            equal(rules["connect-src"], "'self'")
            assert re.fullmatch(r"'sha256-[A-Za-z0-9+/=]{44}'", rules["script-src"]), policy
            assert "unsafe" not in policy and "http" not in policy and "*" not in policy, policy
            equal(response.headers["X-Content-Type-Options"], "nosniff")
            equal(response.headers["Cache-Control"], "no-store")
            equal(response.headers["Referrer-Policy"], "no-referrer")
            assert "Access-Control-Allow-Origin" not in response.headers


# ---- what is asked wrongly ----


@test
def wrong_questions_are_refused(program):
    with View(program, *ARGS) as view:
        view.ready()
        for path, parameters, status in (
                ("/api/nothing", {}, 404), ("/../etc/passwd", {}, 404), ("/api/state", {"unknown": 1}, 400),
                ("/api/profile", {"file": 1}, 400), ("/api/profile", {"file": "x"}, 400), ("/api/profile", {"file": -1}, 400),
                ("/api/profile", {"file": 2 ** 64}, 400), ("/api/profile", {"since": "nan"}, 400),
                ("/api/profile", {"since": "1e999"}, 400), ("/api/profile", {"until": "-1"}, 400),
                ("/api/window", {}, 400), ("/api/window", {"tracks": "0,"}, 400), ("/api/window", {"tracks": 7, "to": 9}, 400),
                ("/api/window", {"tracks": 0, "from": 9, "to": 9}, 400), ("/api/window", {"tracks": 0, "from": 2 ** 64 - 1, "to": 2 ** 64 - 1}, 400),
                ("/api/window", {"tracks": ",".join(["0"] * 513), "to": 9}, 400), ("/api/names", {"functions": "4294967296"}, 400),
                ("/api/stack", {"at": 1}, 400), ("/api/find", {"tracks": 0, "at": 1}, 400), ("/api/diff", {}, 400),
                ("/api/flame", {"baseline": 1}, 400)):
            response = view.ask(path, **parameters)
            assert response.status == status, (path, parameters, response.status, response.body[:200])
        equal(view.ask("/api/state").status, 200)


@test
def garbage_on_a_hundred_connections_harms_nobody(program):
    chance = random.Random(14)
    with View(program, *ARGS) as view:
        view.ready()
        heads = [b"GET / HTTP/1.1\r\nHost: " + b"a" * 100000, b"\x00" * 4096, b"GET /%00%ff%zz?%=%&&&=;token HTTP/1.1\r\n\r\n",
                 b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", b"GET http://evil/ HTTP/1.1\r\n\r\n",
                 b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b""]
        sockets = []
        for i in range(100):
            s = socket.create_connection(("127.0.0.1", view.port), timeout=20)
            head = heads[i % len(heads)] if i % 2 else bytes(chance.randrange(256) for _ in range(chance.randrange(3000)))
            try:
                s.sendall(head)
            except OSError:
                pass
            sockets.append(s)
        # Meanwhile somebody with the token is served.
        equal(view.ask("/api/state").status, 200)
        for s in sockets:
            s.close()
        equal(view.ask("/api/profile").status, 200)
        equal(view.stop()[::2], (0, ""))


def sockets_of(view):
    folder = "/proc/%d/fd" % view.process.pid
    links = []
    for name in os.listdir(folder):
        try:
            links.append(os.readlink(os.path.join(folder, name)))
        except FileNotFoundError:
            pass
    return sum(link.startswith("socket:") for link in links)


@test
def what_has_ended_is_closed_before_anybody_asks_again(program):
    with View(program, *ARGS) as view:
        view.ready()
        request = "GET /api/state?token=%s HTTP/1.1\r\nHost: %s\r\n" % (view.token, view.host)
        for more in ("Connection: close\r\n\r\n", "\r\n", "X"):
            sockets = [socket.create_connection(("127.0.0.1", view.port), timeout=20) for _ in range(20)]
            for s in sockets:
                s.sendall((request + more).encode())
            for s in sockets:
                if more != "X":
                    assert s.recv(1)
                s.close()
        for _ in range(400):
            if sockets_of(view) == 1:
                break
            time.sleep(0.05)
        equal(sockets_of(view), 1)  # the one that listens


def busy_seconds(view):
    """Processor time of the command so far."""
    with open("/proc/%d/stat" % view.process.pid, encoding="utf-8") as file:
        fields = file.read().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@test
def who_goes_is_not_worked_for(program):
    """A profile that would take long is given up when its asker closes the connection."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "callgrind.out.long")
        line = "+1 20 3\n"
        with open(path, "w", encoding="utf-8") as file:
            file.write("positions: line\nevents: Ir Dr\nfl=a.c\nfn=main\n1 1 1\n")
            for _ in range(40):
                file.write(line * 100000)
        with View(program, path) as view:
            view.ready()
            before = busy_seconds(view)
            view.json("/api/profile")
            whole = busy_seconds(view) - before
            if whole < 0.4:
                return  # a machine on which it takes no time: nothing can be given up
            before = busy_seconds(view)
            with socket.create_connection(("127.0.0.1", view.port), timeout=20) as s:
                s.sendall(("GET /api/annotate?name=main&token=%s HTTP/1.1\r\nHost: %s\r\n\r\n" % (view.token, view.host)).encode())
                time.sleep(0.05)
            time.sleep(3 * whole)
            assert busy_seconds(view) - before < 0.6 * whole, (busy_seconds(view) - before, whole)


# ---- answers ----


def report_of(program, *arguments, status=(0,)):
    return json.loads(output(program, "report", "--json", *arguments, status=status))


def same_table(answer, report):
    """Every function with its costs, calls and durations."""
    table, events = answer["functions"], report["events"]
    equal([event["name"] for event in answer["events"]], events)
    equal([event["total"] for event in answer["events"]], [report["total"][e] for e in events])
    rows = {}
    for i, name in enumerate(table["name"]):
        durations = table["durations"][i]
        rows[(name, table["object"][i], table["file"][i])] = (
            [table["self"][e][i] for e in range(len(events))], [table["inclusive"][e][i] for e in range(len(events))],
            table["calls"][i], table["unfinished"][i], durations and durations[1:7])
    wanted = {}
    for row in report["functions"]:
        durations = [row[key] for key in ("min", "median", "p90", "p99", "max", "sum")] if row.get("max") is not None else None
        wanted[(row["function"], row["object"], row["file"])] = (
            [row["self"][e] for e in events], [row["inclusive"][e] for e in events], row["calls"], row.get("unfinished", 0),
            durations)
    equal(rows, wanted)


@test
def missing_records_are_told_with_time_and_offset(program):
    with View(program, os.path.join(GOLDEN, "gap-hole.xray")) as view:
        view.ready()
        equal(view.json("/api/gaps"), {"gaps": [{"track": 0, "from": 200, "to": 400, "offset": 136, "length": 120, "count": 1,
                                                 "text": "not the beginning of a buffer; went on at the next one"}], "left_out": 0})
    with View(program, *MT) as view:
        view.ready()
        equal(view.json("/api/gaps"), {"gaps": [], "left_out": 0})


@test
def events_are_those_of_query_with_their_payloads(program):
    for name in ("events-fdr-tscwrap.xray", "typed-fdr.xray", "custom-fdr.xray"):
        path = os.path.join(GOLDEN, name)
        wanted = json.loads(output(program, "query", "--json", path, "SELECT process, thread, time, name, payload FROM instants", status=(0, 1)))
        assert len(wanted) > 2, (name, wanted)
        with View(program, path) as view:
            origin = view.ready()["files"][0]["origin"]
            answer = view.json("/api/events")
            rows = [(track["process"], track["thread"], mark[0] + origin, answer["names"][mark[3]], mark[4])
                    for track in answer["tracks"] for mark in track["marks"]]
            equal(rows, [(row["process"], row["thread"], row["time"], row["name"], json.loads(row["payload"])) for row in wanted])
            equal([(track["events"], track["last"]) for track in answer["tracks"]], [(len(track["marks"]), track["marks"][-1][1]) for track in answer["tracks"]])


@test
def instants_of_chrome_have_their_arguments(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "chrome.json")
        events = [{"ph": "X", "name": "f", "ts": 0, "dur": 100, "pid": 1, "tid": 2},
                  {"args": {"n": 3, "text": "<b>\u00e9", "o": {"l": [True, -2.5]}}, "ph": "i", "name": "now", "ts": 10, "pid": 1, "tid": 2},
                  {"ph": "i", "name": "then", "ts": 20, "pid": 1, "tid": 2}]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(events, file)
        with View(program, path) as view:
            view.ready()
            answer = view.json("/api/events")
            equal([[mark[0], answer["names"][mark[3]], mark[4]] for mark in answer["tracks"][0]["marks"]],
                  [[10000, "now", {"n": 3, "text": "<b>\u00e9", "o.l[0]": "true", "o.l[1]": -2.5}], [20000, "then", {}]])


@test
def damage_of_a_processor_trace_is_a_gap_up_to_the_next_psb(program):
    folder = os.path.join(os.path.dirname(GOLDEN), "intel_pt")
    with tempfile.TemporaryDirectory() as copy:
        for name in ("rec.map", "rec.img.zst", "rec.time.pt"):
            with open(os.path.join(folder, name), "rb") as file:
                data = bytearray(file.read())
            if name == "rec.time.pt":
                psbs = [m.start() for m in re.finditer(re.escape(b"\x02\x82" * 8), data)]
                at = (psbs[1] + psbs[2]) // 2
                data[at:at + 48] = b"\xff" * 48
            with open(os.path.join(copy, name), "wb") as file:
                file.write(data)
        if subprocess.run(["zstd", "-dqf", os.path.join(copy, "rec.img.zst")]).returncode:
            raise SystemExit("no zstd")
        with View(program, os.path.join(copy, "rec.time.pt")) as view:
            track = view.ready()["files"][0]["tracks"][0]
            gaps = view.json("/api/gaps")["gaps"]
            equal([(gap["track"], gap["count"]) for gap in gaps], [(0, 1)])
            # The packet that is cut may begin or end some bytes further; the decoder goes on with the PSB.
            assert at - 16 <= gaps[0]["offset"] <= at + 16 and gaps[0]["offset"] + gaps[0]["length"] == psbs[2], (at, psbs, gaps)
            assert 0 < gaps[0]["from"] < gaps[0]["to"] < track["last"], (gaps, track)


@test
def instructions_are_those_of_dump(program):
    """Of xtrace by number, of Intel PT by time; of a trace that could list millions, some, and that there are more."""
    trace = os.path.join(os.path.dirname(GOLDEN), "xtrace", "xtrace.20260101000000.0.hint9.xinsndata.bin")
    wanted = output(program, "dump", "--instructions", "--json", "--ordinals", "480..680", trace).splitlines()
    with View(program, trace) as view:
        view.ready()
        equal(view.json("/api/instructions", tracks=0, at=500), {"lines": [json.loads(line) for line in wanted], "cut": False})
        equal(view.ask("/api/instructions", tracks=1, at=500).status, 400)
        equal(view.ask("/api/instructions", at=500).status, 400)
    trace = os.path.join(os.path.dirname(GOLDEN), "intel_pt", "rec.time.pt")
    wanted = output(program, "dump", "--instructions", "--json", "--tsc-hz", "1000000000", "--time", "0.00002..0.003", trace).splitlines()
    with View(program, "--tsc-hz", "1000000000", trace) as view:
        view.ready()
        answer = view.json("/api/instructions", tracks=0, at=20000)
        equal((len(answer["lines"]), answer["cut"]), (400, True))
        equal(answer["lines"], [json.loads(line) for line in wanted[:400]])


@test
def the_profile_is_that_of_report(program):
    with View(program, *MT) as view:
        same_table(view.json("/api/profile"), report_of(program, *MT))
        # A window, in seconds: what `report --time` says of it.
        for since, until in ((0.0001, 0.0004), (0.00025, 0.002)):
            same_table(view.json("/api/profile", since=since, until=until), report_of(program, "--time", "%r..%r" % (since, until), *MT))


@test
def a_window_in_ticks_is_that_in_seconds(program):
    with View(program, *MT) as view:
        file = view.ready()["files"][0]
        view.json("/api/profile")
        for start, end in ((200000, 800000), (259613, 1038453), (1, 5)):
            rate = file["frequency"]
            parameters = {"from": start, "to": end, "since": repr(start / rate), "until": repr(end / rate)}
            same_table(view.json("/api/profile", **parameters),
                       report_of(program, "--time", "%r..%r" % (start / rate, end / rate), *MT, status=(0, 1)))


@test
def callers_and_callees_are_those_of_tree(program):
    tree = json.loads(output(program, "tree", "--both", "--json", *MT))
    wanted = {}
    for function in tree["functions"]:
        for callee in function["callees"]:
            wanted[(function["function"], callee["function"])] = (callee["calls"], callee["inclusive"]["Ticks"])
    with View(program, *MT) as view:
        answer, sums = view.json("/api/profile"), {}
        names, arcs = answer["functions"]["name"], answer["arcs"]
        for i, caller in enumerate(arcs["caller"]):
            if caller >= 0:
                calls, cost = sums.get((names[caller], names[arcs["callee"][i]]), (0, 0))
                sums[(names[caller], names[arcs["callee"][i]])] = (calls + arcs["calls"][i], cost + arcs["inclusive"][0][i])
        equal(sums, wanted)
        assert wanted


def calls_of(program, path):
    return [json.loads(line) for line in output(program, "dump", "--calls", "--json", path, status=(0, 1)).splitlines()]


PIXELS = 16000


def whole_track(view, number, track):
    """All calls of a track by windows in which a pixel is a tick."""
    calls = set()
    for start in range(track["first"], track["last"] + 1, PIXELS):
        answer = view.window(tracks=number, **{"from": start, "to": start + PIXELS}, pixels=PIXELS)[0]
        equal((answer["pixel"], answer["coarse"], any(answer["calls"])), (0, 0, False))
        calls.update(zip(answer["start"], answer["end"], answer["depth"]))
    return calls


@test
def windows_at_full_zoom_have_what_dump_calls_has(program):
    shown = 0
    for name in ("mt8-fdr.xray", "args-fdr.xray", "gap-hole.xray", "tail-fdr.xray"):
        path, wanted = os.path.join(GOLDEN, name), {}
        with View(program, path) as view:
            file = view.ready()["files"][0]
            for call in calls_of(program, path):
                end = -1 if call["end"] is None else call["end"] - file["origin"]
                wanted.setdefault(call["thread"], set()).add((call["start"] - file["origin"], end, call["depth"]))
            for number, track in enumerate(file["tracks"]):
                if track["last"] - track["first"] < 60 * PIXELS:
                    equal(whole_track(view, number, track), wanted[track["thread"]])
                    shown += track["calls"]
    assert shown > 1000, shown


@test
def windows_have_every_call_that_is_in_them(program):
    chance, path = random.Random(7), MT[0]
    calls = calls_of(program, path)
    with View(program, path) as view:
        file = view.ready()["files"][0]
        origin = file["origin"]
        for _ in range(40):
            number = chance.randrange(len(file["tracks"]))
            track = file["tracks"][number]
            start = chance.randrange(track["first"], track["last"])
            to = start + chance.choice((1, 50, 900, 15000))
            answer = view.window(tracks=number, **{"from": start, "to": to}, pixels=16000)[0]
            equal(answer["pixel"], 0)
            wanted = sorted((c["start"] - origin, -1 if c["end"] is None else c["end"] - origin, c["depth"]) for c in calls
                            if c["thread"] == track["thread"] and c["start"] - origin < to
                            and (c["end"] is None or c["end"] - origin >= start))
            equal(sorted(zip(answer["start"], answer["end"], answer["depth"])), wanted)
            names = view.json("/api/names", functions=",".join(map(str, answer["function"][:50])))["functions"] if answer["count"] else []
            equal(len(names), min(50, answer["count"]))


@test
def durations_are_those_of_the_calls(program):
    calls = [call for call in calls_of(program, MT[0])]
    name = max({call["function"] for call in calls}, key=lambda f: sum(call["function"] == f for call in calls))
    wanted = sorted((call["end"] - call["start"] for call in calls if call["function"] == name and call["end"] is not None), reverse=True)
    with View(program, *MT) as view:
        view.ready()
        answer = view.json("/api/durations", name=name)
        equal((answer["finished"], answer["sum"]), (len(wanted), sum(wanted)))
        equal([call["duration"] for call in answer["slowest"]], wanted[:100])
        for low, high, count in answer["classes"]:
            equal(count, sum(low <= duration < high for duration in wanted))
        equal(sum(row[2] for row in answer["classes"]), len(wanted))


@test
def two_files_are_compared_as_diff_does(program):
    files = [os.path.join(GOLDEN, "args-fdr.xray"), os.path.join(GOLDEN, "custom-fdr.xray")]
    with View(program, *files) as view:
        equal(len(view.ready()["files"]), 2)
        equal(view.json("/api/diff"), json.loads(output(program, "diff", "--json", *files)))
        same_table(view.json("/api/profile", file=1), report_of(program, files[1]))
        equal(view.json("/api/flame", file=1, baseline=1)["diff"], True)


@test
def profiles_without_calls_are_shown_but_for_the_timeline(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "callgrind.out.1")
        with open(path, "w", encoding="utf-8") as file:
            file.write("events: Ir Dr\nfl=a.c\nfn=main\n1 20 3\ncfn=work\ncalls=2 5\n2 400 40\n\nfn=work\n5 400 40\n")
        with View(program, path) as view:
            state = view.ready()["files"][0]
            equal((state["index"], state["format"]), ("none", "callgrind"))
            assert "calls one by one" in state["why"]
            equal(view.ask("/api/window", tracks=0, to=5).status, 422)
            same_table(view.json("/api/profile"), report_of(program, path))
            annotated = view.json("/api/annotate", name="work")
            equal([line["line"] for line in annotated["files"][0]["lines"]], [5])


@test
def damage_is_told(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cut.xray")
        with open(MT[0], "rb") as whole, open(path, "wb") as cut:
            cut.write(whole.read()[:9001])
        told = json.loads(output(program, "info", "--json", path, status=(1,)))
        with View(program, path) as view:
            answer = view.json("/api/info")
            equal(answer["info"], told)
            equal(answer["damaged_places"], told["damaged_places"])
            assert answer["damage"] and all(place["text"] for place in answer["damage"])


@test
def what_cannot_be_opened_is_said(program):
    for arguments in (["/nowhere"], ["-"], [], [ARGS[0], "/nowhere"], ["--port", "70000", ARGS[0]], ["-o", "x", ARGS[0]]):
        done = subprocess.run([program, "view", "--no-open", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60)
        assert done.returncode == 2 and not done.stdout and done.stderr, (arguments, done)


# ---- files that change, and others who look ----


@test
def a_file_that_grows_or_shrinks_is_told(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.xray")
        shutil.copy(MT[0], path)
        size = os.path.getsize(path)
        with View(program, "--no-index", path) as view:
            track = view.ready()["files"][0]["tracks"][0]
            whole = {"tracks": 0, "from": 0, "to": track["last"] + 1, "pixels": 100000}
            before = view.ask("/api/window", **whole).body
            equal(view.json("/api/changes"), {"changes": []})
            with open(path, "ab") as file:
                file.write(b"\0" * 5000)
            equal(view.json("/api/changes"), {"changes": [{"path": path, "change": "has grown"}]})
            equal(view.ask("/api/window", **whole).body, before)
            with open(path, "r+b") as file:
                file.truncate(32)
            equal(view.json("/api/changes"), {"changes": [{"path": path, "change": "has become shorter"}]})
            # What is gone cannot be told any more; the server says so, and lives.
            for question, parameters in (("/api/window", whole), ("/api/profile", {}), ("/api/flame", {}), ("/api/info", {})):
                response = view.ask(question, **parameters)
                assert response.status in (200, 422), (question, response.status)
                if response.status == 422:
                    assert json.loads(response.body)["error"], response.body
            equal(view.ask("/api/state").status, 200)
            shutil.copy(MT[0], path)
            equal(os.path.getsize(path), size)
            equal(view.json("/api/changes")["changes"][0]["change"], "was written to")
            equal(view.stop()[0], 0)


@test
def two_viewers_of_one_file_and_one_index_do_not_disturb_each_other(program):
    with tempfile.TemporaryDirectory() as folder:
        log, index = os.path.join(folder, "log.xray"), os.path.join(folder, "x.index")
        shutil.copy(MT[0], log)
        with View(program, "--index", index, log) as one, View(program, "--index", index, log) as two:
            assert one.port != two.port and one.token != two.token
            equal(one.ask("/api/state", known=False, token=two.token).status, 403)
            wanted = windows(one)
            equal(windows(two), wanted)
            equal(one.stop()[0], 0)
            equal(windows(two), wanted)
        # A killed one leaves neither a file nor a process, and its port is free.
        view = View(program, "--index", index, log)
        with view:
            view.ready()
            view.process.kill()
            view.process.wait()
            with socket.socket() as other:
                assert other.connect_ex(("127.0.0.1", view.port)), "the port is still served"
        equal(sorted(os.listdir(folder)), ["log.xray", "x.index"])


# ---- an index in a file ----


def windows(view):
    """The answers to some windows of all threads."""
    file = view.ready()["files"][0]
    last = max(track["last"] for track in file["tracks"])
    tracks = ",".join(map(str, range(len(file["tracks"]))))
    return [view.ask("/api/window", tracks=tracks, pixels=pixels, **{"from": part * last // 8, "to": (part + 2) * last // 8}).body
            for part in range(7) for pixels in (3, 300, 100000)]


@test
def an_index_that_is_kept_answers_as_the_one_that_was_made(program):
    with tempfile.TemporaryDirectory() as folder:
        index, log = os.path.join(folder, "x.index"), os.path.join(folder, "log.xray")
        shutil.copy(MT[0], log)
        with View(program, "--no-index", log) as view:
            wanted = windows(view)
        assert not os.path.exists(index)
        for jobs in ("1", "2"):
            with View(program, "--jobs", jobs, "--index", index, log) as view:
                equal(windows(view), wanted)
            made = os.stat(index).st_ino
        # It is used, not made again.
        with View(program, "--index", index, log) as view:
            equal(windows(view), wanted)
            equal(view.stop()[2], "")
        equal(os.stat(index).st_ino, made)
        os.chmod(folder, 0o500)
        with View(program, "--index", index, log) as view:
            equal(windows(view), wanted)
        os.chmod(folder, 0o700)


@test
def an_index_of_another_trace_or_a_damaged_one_is_made_anew(program):
    with tempfile.TemporaryDirectory() as folder:
        index, log = os.path.join(folder, "x.index"), os.path.join(folder, "log.xray")
        shutil.copy(os.path.join(GOLDEN, "fib-fdr.xray"), log)
        with View(program, "--index", index, log) as view:
            view.ready()
        old = open(index, "rb").read()
        shutil.copy(MT[0], log)
        with View(program, log) as view:
            wanted = windows(view)
        for content in (old, old[:-1], b"", b"TLINDEX\n"):
            with open(index, "wb") as file:
                file.write(content)
            with View(program, "--index", index, log) as view:
                equal(windows(view), wanted)
            assert open(index, "rb").read() not in (content, old), "the index was not made anew"
        # The same bytes at another time may be another trace: it is not taken at its word.
        kept = os.stat(index).st_ino
        os.utime(log, (1, 1))
        with View(program, "--index", index, log) as view:
            equal(windows(view), wanted)
        assert os.stat(index).st_ino != kept


@test
def an_index_that_cannot_be_kept_is_said_and_does_not_matter(program):
    with View(program, "--index", "/nowhere/at/all", *MT) as view:
        with View(program, *MT) as other:
            equal(windows(view), windows(other))
        status, _, errors = view.stop()
        assert status == 0 and "/nowhere/at/all" in errors, errors
    for options in (("--index", "x", "--no-index", *MT), ("--index", "x", *MT, *ARGS)):
        done = subprocess.run([program, "view", "--no-open", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        equal(done.returncode, 2)
        assert b"index" in done.stderr, done.stderr


def main(program):
    failed = 0
    for function in TESTS:
        try:
            function(program)
        except Exception as error:  # each is reported
            failed += 1
            print("FAILED %s: %s: %s" % (function.__name__, type(error).__name__, str(error)[:1500]))
    print("%d of %d" % (len(TESTS) - failed, len(TESTS)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.realpath(sys.argv[1])))
