# SPDX-License-Identifier: Apache-2.0
"""A reader of profile files, written from docs/formats/profile.md alone."""
import ctypes
import ctypes.util
import struct
import zlib

NONE, NOWHERE = (1 << 32) - 1, (1 << 64) - 1
MASK = NOWHERE
NAMES = ("", "strings", "head", "events", "notes", "functions", "parts", "contexts", "lines", "arcs", "jumps",
         "durations", "samples", "function_order", "part_order", "context_order", "line_order", "arc_order",
         "jump_order", "end", "line_sums", "arc_sums")
KEYS = {"functions": 6, "parts": 5, "contexts": 3, "lines": 6, "arcs": 11, "jumps": 12, "durations": 2, "samples": 3,
        "function_order": 1, "part_order": 1, "context_order": 1, "line_order": 1, "arc_order": 1, "jump_order": 1,
        "line_sums": 2, "arc_sums": 3}
zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
zstd.ZSTD_decompress.restype = ctypes.c_size_t
zstd.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]


class Damaged(Exception):
    """A file that is not as the page says; the text has the offset."""


def leb128(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def version_of(data):
    return struct.unpack_from("<I", data, 8)[0]


def expand(content, codec, size):
    if codec == 0:
        return content
    room = ctypes.create_string_buffer(size)
    made = zstd.ZSTD_decompress(room, size, content, len(content))
    if made != size:
        raise Damaged("zstd")
    return room.raw


def blocks(data):
    """(section, fields, first, rows, content) of each block."""
    if data[:8] != b"\x89TLP\r\n\x1a\n":
        raise Damaged("0x0: no profile file")
    version, crc = version_of(data), struct.unpack_from("<I", data, 12)[0]
    if version not in (1, 2) or zlib.crc32(data[:12]) != crc:
        raise Damaged("0x8: header")
    at, number = 16, 0
    while at < len(data):
        head = data[at:at + 40]
        if len(head) < 40 or head[:4] != b"TLPB" or zlib.crc32(head[:36]) != struct.unpack_from("<I", head, 36)[0]:
            raise Damaged("%#x: no block" % at)
        section, codec, fields, first, rows, size, stored, crc, told = struct.unpack_from("<BBHQIIIII", head, 4)
        content = data[at + 40:at + 40 + stored]
        if len(content) != stored or zlib.crc32(content) != crc or told != number:
            raise Damaged("%#x: content" % at)
        yield NAMES[section], fields, first, rows, expand(content, codec, size)
        at += 40 + stored
        number += 1


def string_rows(content, rows):
    at, before = 0, b""
    for _ in range(rows):
        same, at = leb128(content, at)
        more, at = leb128(content, at)
        before = before[:same] + content[at:at + more]
        at += more
        yield before
    assert at == len(content)


def number_rows(content, rows, keys, fields):
    at, last = 0, [0] * fields
    for _ in range(rows):
        last = last[:keys] + [0] * (fields - keys)
        group = 0
        while True:
            bits = content[at]
            at += 1
            for i in range(7):
                if bits >> i & 1:
                    value, at = leb128(content, at)
                    value = value >> 1 ^ -(value & 1)
                    field = group + i
                    last[field] = (last[field] + value if field < keys else value) & MASK
            group += 7
            if bits < 128:
                break
        yield tuple(last)
    assert at == len(content)


def read(data):
    """Lists of rows by the name of their section; strings are bytes."""
    sections = {name: [] for name in NAMES[1:]}
    for name, fields, first, rows, content in blocks(data):
        if first != len(sections[name]):
            raise Damaged("rows are missing in " + name)
        sections[name] += (string_rows(content, rows) if name == "strings"
                           else number_rows(content, rows, KEYS.get(name, 0), fields))
    counts = [0] + [len(sections[name]) if name != "end" else 0 for name in NAMES[1:]]
    if [row[0] for row in sections["end"]] != (counts if version_of(data) > 1 else counts[:19]):
        raise Damaged("end: other numbers of rows")
    return sections


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class Profile:
    """What the rows mean, and the sums that follow from them."""

    def __init__(self, data):
        self.rows = read(data)
        self.strings = [text.decode("utf-8", "replace") for text in self.rows["strings"]]
        self.events = [self.strings[row[0]] for row in self.rows["events"]]
        self.timed = bool(self.rows["head"][0][1] & 1)

    def function(self, number):
        object_, file, name, id_, line, address = self.rows["functions"][number]
        return self.strings[name], self.strings[object_], self.strings[file]

    def self_costs(self):
        """By function: its costs, from contexts or, without them, from lines."""
        sums = [[0] * len(self.events) for _ in self.rows["functions"]]
        where, at = ("contexts", 6) if self.rows["contexts"] else ("lines", 6)
        for row in self.rows[where]:
            for e, cost in enumerate(row[at:]):
                sums[row[2] if where == "contexts" else row[0]][e] += signed(cost)
        return sums

    def sums(self, kind):
        """Sums of lines or arcs by their functions and part, added up and as the file has them: {keys: [rows, values]}."""
        keys, values = {"lines": (2, 6), "arcs": (3, 11)}[kind]
        made, told = {}, {}
        for rows, to, sums in ((self.rows[kind], made, False), (self.rows[kind[:-1] + "_sums"], told, True)):
            for row in rows:
                at = to.setdefault(row[:keys], [0] * (1 + len(row) - (keys + 1 if sums else values)))
                for i, value in enumerate(row[keys:] if sums else (1, *row[values:])):
                    at[i] += signed(value)
        return made, told

    def calls(self):
        sums = [0] * len(self.rows["functions"])
        for row in self.rows["contexts"]:
            sums[row[2]] += row[3]
        if not self.rows["contexts"]:
            for row in self.rows["arcs"]:
                sums[row[1]] += row[11]
        return sums

    def inclusive(self):
        """By function: the costs of its outermost contexts, found by walking up from each context."""
        contexts = self.rows["contexts"]
        sums = [[0] * len(self.events) for _ in self.rows["functions"]]
        for row in contexts:
            costs, met, at = [signed(cost) for cost in row[6:]], set(), row
            while at:
                met.add(at[2])
                at = contexts[at[0] - 1] if at[0] else None
            for function in met:
                for e, cost in enumerate(costs):
                    sums[function][e] += cost
        return sums

    def durations(self):
        """By function: (calls, exact median or None), over all parts."""
        samples = {}
        for function, part, ticks, calls in self.rows["samples"]:
            if part == NONE:
                samples.setdefault(function, []).append((ticks, calls))
        found = {}
        for function, part, calls, total, least, most, _, histogram in self.rows["durations"]:
            if part != NONE:
                continue
            rank, median = calls // 2, None
            for ticks, count in samples.get(function, []):
                if rank < count and not histogram:
                    median = ticks
                    break
                rank -= count
            found[function] = (calls, total, least, most, median)
        return found
