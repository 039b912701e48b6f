# SPDX-License-Identifier: Apache-2.0
"""Chromium, headless, over its debugging pipe: what a page shows, does, says and asks for. Standard library only."""
import base64
import fcntl
import json
import os
import select
import shutil
import struct
import subprocess
import tempfile
import time
import zlib

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-default-apps",
         "--hide-scrollbars", "--force-color-profile=srgb", "--force-device-scale-factor=1", "--remote-debugging-pipe"]
SECONDS = 60


def find():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


def above(fd):
    """The same pipe end at a number that is none of those Chromium uses."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD, 10)
    os.close(fd)
    return moved


class Browser:
    """One page at a time; collects what it says and asks for."""

    def __init__(self, program):
        self.home = tempfile.mkdtemp()
        self.messages, self.number, self.buffer = [], 0, b""
        self.errors, self.requests = [], []
        theirs_in, self.out = map(above, os.pipe())
        self.inp, theirs_out = map(above, os.pipe())

        def connect():
            os.dup2(theirs_in, 3)
            os.dup2(theirs_out, 4)
        self.log = open(os.path.join(self.home, "log"), "wb")
        self.process = subprocess.Popen([program, *FLAGS, "--user-data-dir=" + os.path.join(self.home, "data"), "about:blank"],
                                        preexec_fn=connect, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log)
        os.close(theirs_in)
        os.close(theirs_out)
        self.session = None
        target = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"][0]
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        for fd in (self.out, self.inp):
            os.close(fd)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)

    # ---- the protocol: JSON messages that end with a zero byte ----

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready = select.select([self.inp], [], [], max(0, deadline - time.monotonic()))[0]
            data = os.read(self.inp, 1 << 20) if ready else b""
            if not data:
                raise RuntimeError("no answer from the browser")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.note(message)
        return message

    def note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(params["args"])[:500])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"][:500])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + SECONDS
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]

    # ---- the page ----

    def open(self, path, width=1000, height=800, scheme="light"):
        """Load a file, or an address, and wait until its script has run. @return seconds"""
        self.errors.clear()
        self.requests.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        # Things that move are waited for nowhere else.
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                          {"name": "prefers-reduced-motion", "value": "reduce"}])
        start = time.monotonic()
        self.call("Page.navigate", url=path if "://" in path else "file://" + path)
        self.until("(document.documentElement || { dataset: {} }).dataset.ready === 'true'")
        self.settle()
        return time.monotonic() - start

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError("%s: %s" % (script, json.dumps(result["exceptionDetails"])[:800]))
        return result["result"].get("value")

    def until(self, script):
        deadline = time.monotonic() + SECONDS
        while not self.run(script):
            if time.monotonic() > deadline:
                raise RuntimeError("never true: " + script)
            time.sleep(0.02)

    def settle(self):
        """Timers of what was just asked for have run, and it is painted."""
        self.run("new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done(1))), 150))")

    def mouse(self, x, y, click=True):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        if click:
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def key(self, key, text=None):
        codes = {"Escape": 27, "Enter": 13, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "/": 191}
        extra = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=codes[key], **extra)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=codes[key])
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def screenshot(self):
        return Picture(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


class Picture:
    """The pixels of a PNG file (W3C PNG, 8 bits a sample, RGB or RGBA, not interlaced)."""

    def __init__(self, data):
        at, packed = 8, b""
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
                assert depth == 8 and colour in (2, 6) and not interlace
                self.step = 3 if colour == 2 else 4
            elif kind == b"IDAT":
                packed += body
            at += size + 12
        self.rows = list(self.unfilter(zlib.decompress(packed)))

    def unfilter(self, data):
        """W3C PNG, "Filtering": none, sub, up, average, Paeth."""
        size, step, above_row = self.width * self.step, self.step, bytearray(self.width * self.step)
        for y in range(self.height):
            kind, row = data[y * (size + 1)], bytearray(data[y * (size + 1) + 1:(y + 1) * (size + 1)])
            for i in range(size if kind else 0):
                left = row[i - step] if i >= step else 0
                up, corner = above_row[i], above_row[i - step] if i >= step else 0
                if kind == 4:
                    p = left + up - corner
                    near = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
                row[i] = (row[i] + (left if kind == 1 else up if kind == 2 else (left + up) // 2 if kind == 3 else near)) & 255
            above_row = row
            yield row

    def at(self, x, y):
        x, y = int(x), int(y)
        return tuple(self.rows[y][x * self.step:x * self.step + 3])
