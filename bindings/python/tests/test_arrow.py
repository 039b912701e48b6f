# SPDX-License-Identifier: Apache-2.0
"""The stream of Arrow batches, read by its C layout, has the calls that the iterator has."""
import ctypes
import gc
import os
import struct
import unittest
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_void_p

import tracelathe

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
GOLDEN = os.path.join(ROOT, "tests", "golden", "xray")
LOGS = [os.path.join(GOLDEN, name) for name in ("fib-fdr.xray", "fib-fdr-wrap.xray")]
MAP = os.path.join(GOLDEN, "fib.instrmap-sym.yaml")


class Schema(Structure):
    pass


class Array(Structure):
    pass


Schema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64), ("n_children", c_int64),
                   ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)), ("release", c_void_p),
                   ("private_data", c_void_p)]
Array._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
                  ("n_children", c_int64), ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(Array))),
                  ("dictionary", POINTER(Array)), ("release", c_void_p), ("private_data", c_void_p)]


class Stream(Structure):
    _fields_ = [("get_schema", ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)),
                ("get_next", ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)),
                ("get_last_error", ctypes.CFUNCTYPE(c_char_p, c_void_p)), ("release", c_void_p), ("private_data", c_void_p)]


RELEASE = ctypes.CFUNCTYPE(None, c_void_p)


def release(thing):
    RELEASE(thing.release)(ctypes.addressof(thing))


def moved(capsule):
    """The stream of a capsule, taken out of it as readers do."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    there = Stream.from_address(pointer(capsule, b"arrow_array_stream"))
    stream = Stream.from_buffer_copy(there)
    there.release = None
    return stream


def value_at(array, format, i):
    """A value by the layout of its format; None where the bitmap has no bit."""
    valid = array.buffers[0]
    if valid and not ctypes.string_at(valid + i // 8, 1)[0] >> i % 8 & 1:
        return None
    code = {b"L": "Q", b"l": "q", b"I": "I", b"C": "B"}[format]
    size = struct.calcsize(code)
    return struct.unpack(code, ctypes.string_at(array.buffers[1] + i * size, size))[0]


def text_at(dictionary, i):
    begin, end = struct.unpack("ii", ctypes.string_at(dictionary.buffers[1] + 4 * i, 8))
    return ctypes.string_at(dictionary.buffers[2] + begin, end - begin).decode("utf-8")


def batch_rows(batch, schema):
    columns = []
    for i in range(schema.n_children):
        child, field = batch.children[i].contents, schema.children[i].contents
        assert (child.length, child.offset) == (batch.length, 0)
        values = [value_at(child, field.format, row) for row in range(batch.length)]
        assert child.null_count == values.count(None)
        assert field.flags & 2 or not child.null_count
        if field.dictionary:
            assert field.dictionary.contents.format == b"u"
            values = [text_at(child.dictionary.contents, value) for value in values]
        columns.append(values)
    return list(zip(*columns))


def table(stream):
    """(names, rows); the stream is released."""
    at = ctypes.addressof(stream)
    schema, names, rows = Schema(), [], []
    assert stream.get_schema(at, ctypes.addressof(schema)) == 0
    names = [schema.children[i].contents.name.decode() for i in range(schema.n_children)]
    while True:
        batch = Array()
        assert stream.get_next(at, ctypes.addressof(batch)) == 0, stream.get_last_error(at)
        if not batch.release:
            break
        rows += batch_rows(batch, schema)
        release(batch)
    release(schema)
    release(stream)
    return names, rows


class Arrow(unittest.TestCase):
    def test_batches_have_the_calls(self):
        for path in LOGS:
            with tracelathe.open(path, map=MAP) as trace:
                want = [(c.id, c.parent, c.process, c.thread, c.depth, c.function, c.start, c.end, c.self) for c in trace.calls()]
                flags = [row[0] + 2 * row[1] for row in trace.query("SELECT cut, late FROM calls")]
                names, rows = table(moved(trace.calls().__arrow_c_stream__()))
            self.assertEqual(names, ["id", "parent", "process", "thread", "depth", "function", "start", "end", "self", "flags"])
            self.assertGreater(len(want), 100)
            self.assertEqual([row[:9] for row in rows], want)
            self.assertEqual([row[9] for row in rows], flags)

    def test_a_stream_outlives_its_trace(self):
        trace = tracelathe.open(LOGS[0], map=MAP)
        count = sum(1 for _ in trace.calls())
        stream = moved(trace.calls().__arrow_c_stream__())
        trace.close()
        del trace
        gc.collect()
        self.assertEqual(len(table(stream)[1]), count)

    def test_an_array_outlives_its_batch(self):
        with tracelathe.open(LOGS[0], map=MAP) as trace:
            want = [call.function for call in trace.calls()]
            stream = moved(trace.calls().__arrow_c_stream__())
        batch, at = Array(), ctypes.addressof(stream)
        self.assertEqual(stream.get_next(at, ctypes.addressof(batch)), 0)
        child = Array.from_buffer_copy(batch.children[5].contents)
        batch.children[5].contents.release = None
        release(batch)
        release(stream)
        self.assertEqual([text_at(child.dictionary.contents, value_at(child, b"I", i)) for i in range(child.length)],
                         want[:child.length])
        release(child)

    def test_a_stream_that_nobody_reads_is_released(self):
        from tracelathe import _arrow
        with tracelathe.open(LOGS[0], map=MAP) as trace:
            for _ in range(10):
                trace.calls().__arrow_c_stream__()
        gc.collect()
        self.assertEqual((len(_arrow._read), len(_arrow._lent)), (0, 0))

    def test_a_format_without_calls(self):
        with tracelathe.open(os.path.join(ROOT, "tests", "golden", "callgrind", "threads.out-01")) as trace:
            with self.assertRaises(tracelathe.Error):
                trace.calls()

    def test_pyarrow_reads_it(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest("pyarrow is not here")
        with tracelathe.open(LOGS[0], map=MAP) as trace:
            want = [(call.id, call.function, call.end) for call in trace.calls()]
            got = pyarrow.table(trace.calls()).to_pydict()
        self.assertEqual(list(zip(got["id"], got["function"], got["end"])), want)


if __name__ == "__main__":
    unittest.main()
