# SPDX-License-Identifier: Apache-2.0
"""A `tracelathe view` that runs, and questions to it. Standard library only."""
import http.client
import json
import os
import signal
import struct
import subprocess
import urllib.parse

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
GOLDEN = os.path.join(ROOT, "tests", "golden", "xray")


def skip(why):
    print("skipped: " + why)
    raise SystemExit(77)


def output(program, *arguments, status=(0,)):
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in status:
        raise SystemExit("%s: status %d: %s" % (" ".join(arguments), done.returncode, done.stderr))
    return done.stdout


class View:
    """Runs from `with` to its end, which is a Ctrl-C."""

    def __init__(self, program, *arguments):
        self.command = [program, "view", "--no-open", *arguments]

    def __enter__(self):
        # Signals that the test's own parent ignores would be ignored by the command, too.
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            error = self.process.stderr.read()
            self.process.wait()
            if "libmicrohttpd" in error:
                skip("this build has no libmicrohttpd")
            raise SystemExit("no address: " + error)
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port = parts.netloc, parts.port
        self.token = urllib.parse.parse_qs(parts.query)["token"][0]
        return self

    def stop(self, number=signal.SIGINT):
        """@return the exit status, what more it has printed, and its messages"""
        self.process.send_signal(number)
        rest, errors = self.process.communicate(timeout=60)
        return self.process.returncode, rest, errors

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def ask(self, path, method="GET", headers=None, known=True, body=None, **parameters):
        """`known`: with the token. @return the response, read, with its `body`"""
        if known:
            parameters["token"] = self.token
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path + ("?" + urllib.parse.urlencode(parameters) if parameters else ""), body, headers or {})
        response = connection.getresponse()
        response.body = response.read()
        connection.close()
        return response

    def json(self, path, **parameters):
        response = self.ask(path, **parameters)
        assert response.status == 200, (path, response.status, response.body[:300])
        return json.loads(response.body)

    def ready(self):
        """The state, once no index is being made any more."""
        while True:
            state = self.json("/api/state")
            if all(file["index"] not in ("busy", "sampled") for file in state["files"]):
                return state

    def window(self, **parameters):
        response = self.ask("/api/window", **parameters)
        assert response.status == 200, response.body[:300]
        return list(tracks_of(response.body))


def tracks_of(data):
    """src/view/web/answer_calls.c says what stands where."""
    assert data[:4] == b"TLW1", data[:4]
    count, at = struct.unpack_from("<I", data, 4)[0], 8
    for _ in range(count):
        track, n, pixel, coarse, _ = struct.unpack_from("<IIdII", data, at)
        at += 24
        columns = {}
        for name, kind, size in (("start", "d", 8), ("end", "d", 8), ("busy", "d", 8), ("depth", "I", 4), ("function", "I", 4),
                                 ("calls", "I", 4), ("flags", "I", 4)):
            columns[name] = struct.unpack_from("<%d%s" % (n, kind), data, at)
            at += (n * size + 7) // 8 * 8
        yield {"track": track, "count": n, "pixel": pixel, "coarse": coarse, **columns}
    assert at == len(data), (at, len(data))
