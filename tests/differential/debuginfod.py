#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""debuginfod.py TRACELATHE: programs and debug information from a server.

A program's samples are written by hand, at addresses that nm and addr2line know; its file is then taken away, or is
left without symbols. A small server of this test has what a debuginfod has: /buildid/ID/executable and
/buildid/ID/debuginfo (debuginfod(8), "WEBAPI"), and lists what it is asked. Names and lines are those of nm and
addr2line; nothing is asked for without the option.
"""
import gzip
import http.server
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading


from common import expect, finish, skip

SOURCE = """
volatile long sink;
__attribute__((noinline)) void inner(long n)
{
	for (long i = 0; i < n; i++)
		sink += i;
}
__attribute__((noinline)) void outer(long n)
{
	inner(n);
	sink++;
}
int main(void)
{
	outer(100000);
	return 0;
}
"""
BASE = 0x400000000000


class Server:
    def __init__(self):
        self.files, self.asked, self.status = {}, [], 404
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                body = outer.files.get(self.path)
                self.send_response(200 if body is not None else outer.status)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *args):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.http.server_port
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def has(self, build_id, kind, path):
        with open(path, "rb") as file:
            self.files["/buildid/%s/%s" % (build_id, kind)] = file.read()


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def build_id_of(path):
    return re.search(r"Build ID: ([0-9a-f]+)", output("readelf", "-n", path))[1]


def code_of(path):
    """File offset, address and size of the segment with code."""
    for line in output("readelf", "-lW", path).splitlines():
        fields = line.split()
        if fields[:1] == ["LOAD"] and "E" in fields[6:-1]:
            return [int(fields[i], 16) for i in (1, 2, 4)]
    raise AssertionError("no code")


def symbols_of(path):
    return {line.split()[2]: int(line.split()[0], 16) for line in output("nm", path).splitlines() if len(line.split()) == 3}


def write_samples(path, program, build_id, code, chains):
    """Call chains of one process, whose map has a build id (perf.data-file-format.txt; uapi/linux/perf_event.h)."""
    offset, address, size = code
    kinds = 1 | 2 | 4 | 32  # IP, TID, TIME, CALLCHAIN
    attr = struct.pack("<IIQQQQQ", 1, 64, 0, 1000, kinds, 0, 1 << 18) + bytes(16)
    name = os.fsencode(program) + b"\0"
    name += bytes(-len(name) % 8)
    trailer = struct.pack("<IIQ", 1, 1, 1)
    identity = bytes([len(build_id) // 2, 0, 0, 0]) + bytes.fromhex(build_id).ljust(20, b"\0")
    body = struct.pack("<IIQQQ", 1, 1, BASE + address, size, offset) + identity + struct.pack("<II", 5, 2) + name + trailer
    data = struct.pack("<IHH", 10, 2 | 1 << 14, 8 + len(body)) + body
    for now, chain in enumerate(chains):
        body = struct.pack("<QIIQQ", BASE + chain[0], 1, 1, 1000 + now, len(chain) + 1)
        body += struct.pack("<Q", (1 << 64) - 512) + b"".join(struct.pack("<Q", BASE + place) for place in chain)
        data += struct.pack("<IHH", 9, 2, 8 + len(body)) + body
    with open(path, "wb") as out:
        out.write(b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 80, 104, 80, 184, len(data), 0, 0) + bytes(32) + attr + bytes(16) + data)


def write_pprof(path, program, build_id, code, places):
    """One mapping, a location for each place, a sample of 1 at each (profile.proto)."""
    def number(value):
        out = bytearray()
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        return bytes(out) + bytes([value])

    def field(key, value):
        if isinstance(value, int):
            return number(key << 3) + number(value)
        return number(key << 3 | 2) + number(len(value)) + value

    texts = [b"", b"samples", b"count", os.fsencode(program), build_id.encode()]
    out = field(1, field(1, 1) + field(2, 2))
    for i, _ in enumerate(places):
        out += field(2, field(1, number(i + 1)) + field(2, number(1)))
    out += field(3, field(1, 1) + field(2, BASE + code[1]) + field(3, BASE + code[1] + code[2]) + field(4, code[0]) + field(5, 3) + field(6, 4))
    for i, place in enumerate(places):
        out += field(4, field(1, i + 1) + field(2, 1) + field(3, BASE + place))
    out += b"".join(field(6, text) for text in texts)
    with gzip.open(path, "wb") as file:
        file.write(out)


class Test:
    def __init__(self, tracelathe, folder):
        self.tracelathe, self.folder, self.server, self.runs = tracelathe, folder, Server(), 0

    def run(self, *arguments, servers=None, kept=None, **variables):
        """Status, output and messages; each run begins with an empty cache unless one is `kept`."""
        self.runs += 1
        cache = kept or os.path.join(self.folder, "cache%d" % self.runs)
        env = dict(os.environ, DEBUGINFOD_CACHE_PATH=cache, DEBUGINFOD_URLS=self.server.url if servers is None else servers,
                   DEBUGINFOD_TIMEOUT="5", **variables)
        self.server.asked.clear()
        done = subprocess.run([self.tracelathe, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, check=False,
                              timeout=120)
        return done.returncode, done.stdout, done.stderr


def test_samples(test, program, recording, build_id, lines):
    """`lines`: of each function, what addr2line says of the address."""
    executable, debuginfo = ("/buildid/%s/%s" % (build_id, kind) for kind in ("executable", "debuginfo"))
    wanted = "main;outer;inner 3\nmain;outer 1\n"

    status, text, messages = test.run("stacks", "--event", "samples", recording)
    expect("nothing is asked for without the option", test.server.asked, [])
    expect("and names are missing, which is said", (status, "inner" in text, "no such file" in messages), (1, False, True))

    status, text, messages = test.run("stacks", "--debuginfod", "--event", "samples", recording)
    expect("stacks by the server's files", (status, "".join(sorted(text.splitlines(True), reverse=True)), messages), (0, wanted, ""))
    expect("both were asked for once", sorted(test.server.asked), sorted([executable, debuginfo]))

    kept = os.path.join(test.folder, "kept")
    status, text, _ = test.run("annotate", "--debuginfod", "--event", "samples", "--csv", recording, kept=kept)
    expect("annotate", status, 0)
    for line in lines.values():
        expect("line %d has samples" % line, bool(re.search(r"(?m)^[^\n]*prog\.c[^\n]*,%d," % line, text)), True)
    status, text, _ = test.run("stacks", "--debuginfod", "--event", "samples", recording, servers="http://127.0.0.1:1", kept=kept)
    expect("what was fetched once is there without a server", (status, "inner 3" in text, test.server.asked), (0, True, []))

    # Left on this machine without symbols: its debug information alone is asked for.
    shutil.copy(os.path.join(test.folder, "stripped"), program)
    status, text, messages = test.run("stacks", "--debuginfod", "--event", "samples", recording)
    expect("debug information of a stripped program", (status, "inner 3" in text, messages), (0, True, ""))
    expect("what was asked", test.server.asked, [debuginfo])
    os.remove(program)


def test_pprof(test, profile, build_id):
    status, text, messages = test.run("report", "--csv", "--debuginfod", profile)
    expect("pprof: names", (status, "inner" in text, messages), (0, True, ""))
    expect("pprof: asked", "/buildid/%s/executable" % build_id in test.server.asked, True)
    status, text, _ = test.run("report", "--csv", profile)
    expect("pprof without the option", ("inner" in text, test.server.asked), (False, []))


def test_failures(test, program, recording, build_id):
    stacks = ("stacks", "--debuginfod", "--event", "samples", recording)
    other = os.path.join(test.folder, "other")
    files = dict(test.server.files)

    status, text, messages = test.run(*stacks, servers="")
    expect("no server is named", (status, text, messages), (2, "", "tracelathe: --debuginfod: DEBUGINFOD_URLS names no server\n"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = "http://127.0.0.1:%d" % free.getsockname()[1]
        status, text, messages = test.run(*stacks, servers=closed)
    expect("no server answers", (status, bool(text), "debuginfod: no server could be asked: " in messages), (1, True, True))

    # All names are here: what is missing is what the server did not say.
    shutil.copy(os.path.join(test.folder, "without-lines"), program)
    status, text, messages = test.run("stacks", "--event", "samples", recording)
    expect("a program without lines is whole for those who ask nobody", (status, "inner 3" in text, messages), (0, True, ""))
    status, text, messages = test.run(*stacks, servers=closed)
    expect("no server answers, and names are here", (status, "inner 3" in text, "debuginfod: no server could be asked: " in messages), (1, True, True))
    os.remove(program)

    test.server.files.clear()
    status, text, messages = test.run(*stacks)
    expect("the server has nothing", (status, "no such file, and no server of debuginfod gave it" in messages), (1, True))
    # A server that gives another program for the build id, and one that gives no program.
    for what, body in ("another build", open(other, "rb").read()), ("no program", b"<html>"):
        test.server.files["/buildid/%s/executable" % build_id] = body
        test.server.files["/buildid/%s/debuginfo" % build_id] = body
        status, text, messages = test.run(*stacks)
        expect(what + " is refused", (status, "inner" in text, bool(messages)), (1, False, True))
    test.server.files = files

    libraries = os.path.join(test.folder, "lib")
    os.mkdir(libraries)
    open(os.path.join(libraries, "libdebuginfod.so.1"), "w").close()
    status, text, messages = test.run(*stacks, LD_LIBRARY_PATH=libraries)
    expect("no library", (status, text, messages.startswith("tracelathe: --debuginfod: "), "libdebuginfod1" in messages), (2, "", True, True))


def have_library():
    return subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libdebuginfod.so.1')"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def main():
    if not have_library() or not all(shutil.which(tool) for tool in ("cc", "objcopy", "readelf", "nm", "addr2line")):
        skip("no libdebuginfod.so.1, or no compiler with binutils")
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        program = os.path.join(folder, "prog")
        with open(program + ".c", "w", encoding="ascii") as file:
            file.write(SOURCE)
        for name, option in (("prog", "-O1"), ("other", "-O2")):
            subprocess.run(["cc", option, "-g", "-Wl,--build-id=sha1", "-o", os.path.join(folder, name), program + ".c"], check=True)
        build_id, code, symbols = build_id_of(program), code_of(program), symbols_of(program)
        inner, outer, main_at = (symbols[name] + 6 for name in ("inner", "outer", "main"))
        places = {"inner": inner, "outer": outer, "main": main_at}
        lines = {name: int(re.search(r":(\d+)", output("addr2line", "-e", program, hex(place)))[1]) for name, place in places.items()}
        subprocess.run(["objcopy", "--only-keep-debug", program, os.path.join(folder, "debug")], check=True)
        subprocess.run(["objcopy", "--strip-debug", program, os.path.join(folder, "without-lines")], check=True)
        subprocess.run(["objcopy", "--strip-all", program, os.path.join(folder, "stripped")], check=True)

        test = Test(os.path.abspath(sys.argv[1]), folder)
        test.server.has(build_id, "executable", os.path.join(folder, "stripped"))
        test.server.has(build_id, "debuginfo", os.path.join(folder, "debug"))
        recording, profile = os.path.join(folder, "perf.data"), os.path.join(folder, "profile.pb.gz")
        write_samples(recording, program, build_id, code, [(inner, outer + 1, main_at + 1)] * 3 + [(outer, main_at + 1)])
        write_pprof(profile, program, build_id, code, [inner, outer])
        os.remove(program)
        test_samples(test, program, recording, build_id, {name: lines[name] for name in ("inner", "outer")})
        test_pprof(test, profile, build_id)
        test_failures(test, program, recording, build_id)
    finish(test.runs, "runs with a server of debug information")


main()
