# SPDX-License-Identifier: Apache-2.0
"""Execution traces and profiles of any format that tracelathe reads.

    import tracelathe
    with tracelathe.open("xray-log.prog", binary="prog") as trace:
        for function in sorted(trace.functions, key=lambda f: -f.self[0])[:5]:
            print(function.name, function.calls, function.self[0])
        for call in trace.calls():
            ...
        for row in trace.query("SELECT name, count(*) AS n FROM calls GROUP BY name"):
            print(row.name, row.n)

Names are text; bytes that are not UTF-8 are kept as surrogates. An error is a tracelathe.Error with its offset. What of the
input is damaged is left out and listed by Trace.damage. A Trace, and what was made of it, belongs to one thread at a time;
different ones can be used by different threads at once.
"""
import collections
import ctypes
import html
import json
import os
import subprocess
import weakref
from ctypes import byref
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _arrow, _library
from ._errors import Error, error_of, known, new_error, text_of
from ._flow import Flow, FlowDifference, FlowParting, FlowSpot, FlowStream, flow_of
from ._library import NONE, NOWHERE
from ._show import Rows, first_of, frame_of

_lib = _library.load()
Path = Union[str, "os.PathLike[str]"]

__all__ = ["open", "merge", "Trace", "Profile", "Calls", "Answer", "View", "Flame", "Error", "Function", "Arc", "Context", "Call",
           "Event", "Damage", "Change", "Flow", "FlowStream", "FlowDifference", "FlowParting", "FlowSpot", "version"]


class Event(NamedTuple):
    """A kind of cost."""
    name: str
    unit: str


class Function(NamedTuple):
    """A function of a profile. `self` and `inclusive` have a number for each event; durations are in ticks, or None."""
    number: int
    name: str
    object: str
    file: str
    line: Optional[int]
    address: Optional[int]
    calls: int
    unfinished: int
    self: Tuple[int, ...]
    inclusive: Tuple[int, ...]
    min: Optional[int]
    median: Optional[int]
    p90: Optional[int]
    p99: Optional[int]
    max: Optional[int]
    sum: Optional[int]


class Arc(NamedTuple):
    """Calls from a place of one function to another; `caller` is None for calls from outside."""
    caller: Optional[int]
    callee: int
    part: Optional[int]
    file: str
    line: Optional[int]
    address: Optional[int]
    calls: int
    inclusive: Tuple[int, ...]


class Context(NamedTuple):
    """A function called along one path; `parent` is the number of the context around it, None of a root."""
    number: int
    parent: Optional[int]
    function: int
    part: int
    calls: int
    unfinished: int
    self: Tuple[int, ...]
    inclusive: Tuple[int, ...]


class Call(NamedTuple):
    """A call of a trace; times in ticks. `end` is None where the call did not end, `parent` where no caller is told."""
    id: int
    parent: Optional[int]
    process: int
    thread: int
    depth: int
    function: str
    start: int
    end: Optional[int]
    self: int


class Damage(NamedTuple):
    """A place where the input is damaged; `lost` is False of a remark."""
    lost: bool
    text: str
    path: Optional[str]
    offset: Optional[int]
    length: int


class Change(NamedTuple):
    """A function of two profiles; costs by the events of Diff.events, 0 on a side that does not have it."""
    name: str
    object: str
    file: str
    calls_before: int
    calls_after: int
    before: Tuple[int, ...]
    after: Tuple[int, ...]
    in_before: bool
    in_after: bool


class Diff(NamedTuple):
    """The difference of two profiles, by function."""
    events: List[str]
    rows: List[Change]

    def _repr_html_(self) -> str:
        return Rows(self.rows)._repr_html_()


def version() -> str:
    """The version of the library that runs."""
    return _lib.tl_version().decode()


# ---- texts, errors ----

def _path(path: Path) -> bytes:
    return os.fsencode(path)


def _error(err: "_library.Error", path: Optional[str] = None) -> Error:
    return error_of(_lib, err, path)


def _written(write: Any, failed: Any) -> bytes:
    """What write(output, error) writes; failed(error) is the exception when it fails."""
    out, err, size = ctypes.c_void_p(), new_error(), ctypes.c_size_t()
    if _lib.tl_output_open_memory(byref(out), byref(err)) < 0:
        raise _error(err)
    try:
        if write(out, byref(err)) < 0:
            raise failed(err)
        start = _lib.tl_output_bytes(out, byref(size))
        return ctypes.string_at(start, size.value)
    finally:
        _lib.tl_output_discard(out)


class _Handle:
    """A handle of the library, which is closed once: by close(), or when nobody has it any more."""

    def __init__(self, handle: int, close: Any):
        self._handle: Optional[ctypes.c_void_p] = ctypes.c_void_p(handle)
        self._end = weakref.finalize(self, close, self._handle)

    @property
    def raw(self) -> ctypes.c_void_p:
        """The handle; ValueError once it is closed."""
        if self._handle is None:
            raise ValueError("it is closed")
        return self._handle

    def release(self) -> Optional[ctypes.c_void_p]:
        """The handle, which somebody else closes from now on."""
        self._end.detach()
        handle, self._handle = self._handle, None
        return handle

    def close(self) -> None:
        """Free it; nothing happens the second time."""
        self._handle = None
        self._end()


# ---- profiles ----

class Profile:
    """A profile: sums by function, by call and by path. Trace.profile is one, so is what merge() makes."""

    def __init__(self, handle: int):
        self._profile = _Handle(handle, _lib.tl_profile_free)

    def close(self) -> None:
        """Free it; what was read of it stays."""
        self._profile.close()

    @property
    def format(self) -> str:
        """The format that it was made from."""
        return text_of(_lib.tl_profile_format(self._profile.raw))

    @property
    def frequency(self) -> Optional[int]:
        """Ticks per second, None: unknown."""
        return known(_lib.tl_profile_frequency(self._profile.raw))

    @property
    def events(self) -> List[Event]:
        """The kinds of costs, in the order of all vectors of costs."""
        raw = self._profile.raw
        events = (_lib.tl_profile_event(raw, i).contents for i in range(_lib.tl_profile_event_count(raw)))
        return [Event(text_of(event.name), text_of(event.unit)) for event in events]

    @property
    def total(self) -> Tuple[int, ...]:
        """The sum of all costs, by event."""
        raw = self._profile.raw
        return tuple(_lib.tl_profile_total(raw)[:_lib.tl_profile_event_count(raw)])

    @property
    def functions(self) -> List[Function]:
        """All functions, or those that the filters by function and object let pass; a list, which notebooks show as a table."""
        raw = self._profile.raw
        return Rows(self._function(raw, i) for i in range(_lib.tl_profile_function_count(raw)) if _lib.tl_profile_chosen(raw, i))

    @staticmethod
    def _function(raw: ctypes.c_void_p, number: int) -> Function:
        function = _lib.tl_profile_function(raw, number).contents
        totals, latency = _library.Totals(), _library.Latency()
        events = _lib.tl_profile_event_count(raw)
        _lib.tl_profile_function_totals(raw, number, NONE, byref(totals), ctypes.sizeof(totals))
        durations: Tuple[Optional[int], ...] = (None,) * 6
        if _lib.tl_profile_latency(raw, number, NONE, byref(latency), ctypes.sizeof(latency)):
            durations = (latency.min, latency.median, latency.p90, latency.p99, latency.max, latency.sum)
        return Function(number, text_of(function.name), text_of(function.object), text_of(function.file), known(function.line),
                        known(function.address), totals.calls, totals.unfinished, tuple(totals.self_[:events]),
                        tuple(totals.inclusive[:events]), *durations)

    @property
    def arcs(self) -> Iterator[Arc]:
        """Calls from function to function, by place."""
        raw = self._profile.raw
        events = _lib.tl_profile_event_count(raw)
        for number in range(_lib.tl_profile_arc_count(raw)):
            raw = self._profile.raw
            arc = _lib.tl_profile_arc(raw, number).contents
            yield Arc(known(arc.caller, NONE), arc.callee, known(arc.part, NONE), text_of(arc.from_.file),
                      known(arc.from_.line), known(arc.from_.address), arc.calls,
                      tuple(_lib.tl_profile_arc_cost(raw, number)[:events]))

    @property
    def contexts(self) -> Iterator[Context]:
        """The tree of calls; nothing where the format has no call stacks."""
        raw = self._profile.raw
        events = _lib.tl_profile_event_count(raw)
        for number in range(_lib.tl_profile_context_count(raw)):
            raw = self._profile.raw
            context = _lib.tl_profile_context(raw, number).contents
            yield Context(number, known(context.parent, NONE), context.function, context.part, context.calls,
                          context.unfinished, tuple(_lib.tl_profile_context_self(raw, number)[:events]),
                          tuple(_lib.tl_profile_context_inclusive(raw, number)[:events]))

    def diff(self, after: "Profile") -> Diff:
        """What changed from this profile to another one, by function."""
        handle, err = ctypes.c_void_p(), new_error()
        if _lib.tl_profile_diff(byref(handle), self._profile.raw, after._profile.raw, None, byref(err)) < 0:
            raise _error(err)
        try:
            events = _lib.tl_diff_event_count(handle)
            names = [text_of(_lib.tl_diff_event(handle, i).contents.name) for i in range(events)]
            return Diff(names, Rows(_change(handle, i, events) for i in range(_lib.tl_diff_row_count(handle))))
        finally:
            _lib.tl_diff_free(handle)

    def flame(self, baseline: "Optional[Profile]" = None, *, svg: bool = False) -> "Flame":
        """The page of `tracelathe flame`, or its picture; with a baseline, the change since then. Notebooks show it inline."""
        options = _library.FlameOptions(size=ctypes.sizeof(_library.FlameOptions), form=1 if svg else 0, threshold=-1)
        raw, before = self._profile.raw, baseline._profile.raw if baseline else None
        page = _written(lambda out, err: _lib.tl_flame_write(raw, before, byref(options), out, err), _error)
        return Flame(page.decode("utf-8", "replace"), svg)

    def _repr_html_(self) -> str:
        """The flame graph; a build without the page has the picture."""
        return self.flame(svg=not _lib.tl_flame_has_page())._repr_html_()

    def export(self, path: Path, to: str = "callgrind") -> None:
        """Write it as a file of a format of `tracelathe convert --to`, whole or not at all."""
        exporter, out, err = _lib.tl_exporter_find(to.encode()), ctypes.c_void_p(), new_error()
        if not exporter:
            raise Error("bad usage", "%s is no format that profiles are written in" % to)
        if _lib.tl_output_open(byref(out), _path(path), byref(err)) < 0:
            raise _error(err, os.fspath(path))
        if exporter.contents.write(self._profile.raw, None, out, byref(err)) < 0:
            _lib.tl_output_discard(out)
            raise _error(err, os.fspath(path))
        if _lib.tl_output_commit(out, byref(err)) < 0:
            raise _error(err, os.fspath(path))


def _change(diff: ctypes.c_void_p, number: int, events: int) -> Change:
    row = _library.DiffRow()
    _lib.tl_diff_row(diff, number, byref(row), ctypes.sizeof(row))
    function = row.function.contents
    return Change(text_of(function.name), text_of(function.object), text_of(function.file), row.calls_before, row.calls_after,
                  tuple(row.before[:events]), tuple(row.after[:events]), row.in_before, row.in_after)


def merge(profiles: Sequence[Profile]) -> Profile:
    """One profile of everything in these."""
    handles = (ctypes.c_void_p * len(profiles))(*[profile._profile.raw for profile in profiles])
    handle, err = ctypes.c_void_p(), new_error()
    if _lib.tl_profile_merge(byref(handle), handles, len(profiles), byref(err)) < 0:
        raise _error(err)
    return Profile(handle.value)


# ---- traces ----

class Calls:
    """The calls of a trace: an iterator, and a table for what reads the Arrow PyCapsule interface."""

    def __init__(self, trace: "Trace", each: Iterator[Call]):
        self._trace, self._each = trace, each

    def __iter__(self) -> Iterator[Call]:
        return self

    def __next__(self) -> Call:
        return next(self._each)

    def _repr_html_(self) -> str:
        """The first calls of the trace, whatever was read of these."""
        return first_of(self._trace.calls())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A capsule with all calls, from the first one on: id, parent, process, thread, depth, function, start, end, self and
        flags (1: the end is not in the trace, 2: the begin is not). Nothing is copied; the stream outlives the trace."""
        own = self._trace._again()
        calls, err, stream = own._open_calls(), new_error(), _library.ArrowStream()
        raw = calls.release()
        if _lib.tl_calls_arrow(raw, byref(stream), byref(err)) < 0:
            raise _error(err)
        return _arrow.capsule_of(stream, own)

    def to_arrow(self) -> Any:
        """A pyarrow.Table; ImportError without pyarrow."""
        import pyarrow  # type: ignore[import-not-found]
        return pyarrow.table(self)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame; ImportError without pandas and pyarrow."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """A polars.DataFrame; ImportError without polars."""
        import polars  # type: ignore[import-not-found]
        return polars.DataFrame(self)


class Answer:
    """The rows of a statement, an iterator of named tuples. A notebook shows the first ones, for which it asks again."""

    def __init__(self, trace: "Trace", sql: str, each: Iterator[Any]):
        self._trace, self._sql, self._each = trace, sql, each

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._each)

    def _repr_html_(self) -> str:
        return first_of(self._trace.query(self._sql))


class Flame:
    """A flame graph: `text` is a page of HTML, or a picture of SVG."""

    def __init__(self, text: str, is_picture: bool):
        self.text, self._is_picture = text, is_picture

    def _repr_html_(self) -> str:
        return self.text if self._is_picture else frame_of(self.text)


class View:
    """The page of a trace, served by the command `tracelathe view` until close(); a notebook shows it inline."""

    def __init__(self, process: "subprocess.Popen[bytes]", url: str):
        self._process, self.url = process, url

    def __enter__(self) -> "View":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return '<iframe src="%s" width="100%%" height="600"></iframe>' % html.escape(self.url)

    def close(self) -> None:
        """End the server."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()


class Trace:
    """An opened trace or profile; use it in a `with` statement, or close() it."""

    def __init__(self, paths: Sequence[Path], options: "_library.InputOptions", kept: Any):
        self._paths = [os.fspath(path) for path in paths]
        self._raw_paths = (ctypes.c_char_p * len(paths))(*[_path(path) for path in paths])
        self._options, self._kept = options, kept
        self._profile: Optional[Profile] = None
        self._idle_query: Optional[_Handle] = None
        self._streams: "weakref.WeakSet[_Handle]" = weakref.WeakSet()
        handle, failed, err = ctypes.c_void_p(), ctypes.c_char_p(), new_error()
        if _lib.tl_input_open(byref(handle), self._raw_paths, len(paths), byref(options), byref(failed), byref(err)) < 0:
            raise _error(err, os.fsdecode(failed.value) if failed.value else self._paths[0])
        self._input = _Handle(handle.value, _lib.tl_input_close)

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the files. Profiles that were made of them stay."""
        for stream in list(self._streams):
            stream.close()
        self._idle_query = None
        self._input.close()

    def _failed(self, err: "_library.Error") -> Error:
        path = _lib.tl_input_failed(self._input.raw)
        return _error(err, os.fsdecode(path) if path else self._paths[0])

    @property
    def format(self) -> str:
        """The format of the input, as recognised."""
        return text_of(_lib.tl_input_format(self._input.raw)[0])

    @property
    def profile(self) -> Profile:
        """The whole input as one profile; made when it is first asked for."""
        if self._profile is None:
            handle, err = ctypes.c_void_p(), new_error()
            if _lib.tl_input_fold(self._input.raw, byref(handle), byref(err)) < 0:
                raise self._failed(err)
            self._profile = Profile(handle.value)
        return self._profile

    @property
    def functions(self) -> List[Function]:
        """Those of the profile."""
        return self.profile.functions

    @property
    def arcs(self) -> Iterator[Arc]:
        """Those of the profile."""
        return self.profile.arcs

    def calls(self) -> "Calls":
        """All calls one after the other, in the order of begin within a thread; memory does not grow with their number.

        The same object is a stream of Arrow record batches: pyarrow.table(trace.calls()), polars.DataFrame(trace.calls()).
        """
        calls = self._open_calls()
        self._streams.add(calls)
        return Calls(self, self._each_call(calls))

    def _open_calls(self) -> _Handle:
        handle, err = ctypes.c_void_p(), new_error()
        if _lib.tl_input_calls(self._input.raw, None, byref(handle), byref(err)) < 0:
            raise self._failed(err)
        return _Handle(handle.value, _lib.tl_calls_close)

    def _again(self) -> "Trace":
        """The same files and options, for a reader of its own."""
        return Trace(self._paths, self._options, self._kept)

    def _each_call(self, calls: _Handle) -> Iterator[Call]:
        at, err = ctypes.POINTER(_library.Call)(), new_error()
        names: dict = {}
        try:
            while True:
                status = _lib.tl_calls_next(calls.raw, byref(at), byref(err))
                if status < 0:
                    raise self._failed(err)
                if status == 0:
                    return
                call = at.contents
                number = call.function
                name = names.get(number)
                if name is None:
                    function = _library.CallFunction()
                    if _lib.tl_calls_function(calls.raw, number, byref(function), ctypes.sizeof(function), byref(err)) < 0:
                        raise self._failed(err)
                    name = names[number] = text_of(function.name)
                yield Call(call.id, known(call.parent, NOWHERE), call.process, call.thread, call.depth, name, call.start,
                           known(call.end, NOWHERE), call.self_)
        finally:
            calls.close()

    def records(self) -> Iterator[dict]:
        """Every record of the file, as `dump --json` prints it; all of them are held in memory as text meanwhile."""
        json_form = 2
        text = _written(lambda out, err: _lib.tl_input_dump(self._input.raw, json_form, out, err), self._failed)
        return (json.loads(line.decode("utf-8", "surrogateescape")) for line in text.splitlines())

    @property
    def damage(self) -> List[Damage]:
        """What was damaged in what has been read so far; the first 1000 places."""
        count = _lib.tl_input_damage_count(self._input.raw, None)
        places, place = [], _library.Damage()
        for number in range(count):
            if _lib.tl_input_damage(self._input.raw, number, byref(place), ctypes.sizeof(place)) != 1:
                break
            places.append(Damage(place.status != 0, text_of(place.text), os.fsdecode(place.path) if place.path else None,
                                 known(place.offset, NOWHERE), place.length))
        return places

    def view(self, *, open_browser: bool = False, command: Optional[str] = None) -> View:
        """Serve the page that shows the trace, to this machine only; `command` is the program ($TRACELATHE, tracelathe).

        Of the options of open(), the binaries and the map count.
        """
        programs = [self._kept[0][i].path for i in range(self._options.programs.binary_count)]
        options = [word for path in programs for word in ("--binary", os.fsdecode(path))]
        if self._options.programs.map:
            options += ["--map", os.fsdecode(self._options.programs.map)]
        command = command or os.environ.get("TRACELATHE", "tracelathe")
        try:
            process = subprocess.Popen([command, "view", *([] if open_browser else ["--no-open"]), *options, "--", *self._paths],
                                       stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        except OSError as err:
            raise Error("view", "the command does not start (%s); $TRACELATHE is its path" % err.strerror, command) from err
        assert process.stdout
        url = process.stdout.readline().decode().strip()
        if not url:
            process.stdout.close()
            raise Error("view", "the command ended with status %d" % process.wait(), self._paths[0])
        return View(process, url)

    def diff_flow(self, after: "Trace", *, window: int = 0, meet: int = 0, listed: int = 0) -> Flow:
        """What this trace executed, instruction by instruction, compared with another one: `diff --flow`.

        `window`: how many blocks are searched for the place where both meet again; `meet`: how many have to be the same there;
        `listed`: how many differences are listed one by one; 0 is the library's own choice, as include/tracelathe/flow.h says.
        """
        options = _library.FlowOptions(ctypes.sizeof(_library.FlowOptions), window, meet, listed)
        handle, side, err = ctypes.c_void_p(), ctypes.c_int(), new_error()
        if _lib.tl_input_flow(self._input.raw, after._input.raw, byref(options), byref(handle), byref(side), byref(err)) < 0:
            raise (after if side.value else self)._failed(err)
        try:
            return flow_of(_lib, handle)
        finally:
            _lib.tl_flow_free(handle)

    def query(self, sql: str) -> "Answer":
        """The rows of one statement in SQL over the tables of docs/query.md, as named tuples.

        What is folded or indexed for a statement stays for the next one, once its rows have been read.
        """
        query, self._idle_query, err = self._idle_query or self._new_query(), None, new_error()
        status = _lib.tl_query_start(query.raw, sql.encode("utf-8", "surrogateescape"), None, byref(err))
        if status < 0:
            raise _query_error(query, err)
        if status:
            return Answer(self, sql, self._each_row(query))
        self._idle_query = query
        return Answer(self, sql, iter(()))

    def _new_query(self) -> _Handle:
        handle, failed, err = ctypes.c_void_p(), ctypes.c_char_p(), new_error()
        if _lib.tl_query_open(byref(handle), byref(err)) < 0:
            raise _error(err)
        query = _Handle(handle.value, _lib.tl_query_close)
        if _lib.tl_query_add(query.raw, self._raw_paths, len(self._raw_paths), byref(self._options), byref(failed),
                             byref(err)) < 0:
            raise _error(err, os.fsdecode(failed.value) if failed.value else self._paths[0])
        self._streams.add(query)
        return query

    def _each_row(self, query: _Handle) -> Iterator[Any]:
        raw, err = query.raw, new_error()
        names = [text_of(_lib.tl_query_column_name(raw, i)) for i in range(_lib.tl_query_column_count(raw))]
        row_type = collections.namedtuple("Row", names, rename=True)  # type: ignore[misc]
        value = _library.QueryValue()
        try:
            while True:
                raw = query.raw
                status = _lib.tl_query_next(raw, byref(err))
                if status < 0:
                    raise _query_error(query, err)
                if status == 0:
                    break
                yield row_type(*[_value(raw, i, value) for i in range(len(names))])
        except BaseException:
            query.close()
            raise
        if self._idle_query:
            query.close()
        else:
            self._idle_query = query


def _query_error(query: _Handle, err: "_library.Error") -> Error:
    message = text_of(_lib.tl_query_message(query.raw))
    error = _error(err)
    return Error(error.status, message, None, error.offset, error.record) if message else error


def _value(query: ctypes.c_void_p, column: int, value: "_library.QueryValue") -> Any:
    _lib.tl_query_column(query, column, byref(value), ctypes.sizeof(value))
    if value.type == 1:
        return value.integer
    if value.type == 2:
        return value.real
    if value.type == 0:
        return None
    raw = ctypes.string_at(value.text, value.size)
    return text_of(raw) if value.type == 3 else raw


def open(*paths: Path, format: Optional[str] = None, binary: Union[Path, Sequence[Path], None] = None,
         map: Optional[Path] = None, thread: Optional[int] = None, process: Optional[int] = None,
         function: Optional[str] = None, object: Optional[str] = None,
         time: Optional[Tuple[float, Optional[float]]] = None, exact: bool = False, strict: bool = False,
         jobs: int = 1, decode: Union[str, Sequence[str], None] = None) -> Trace:
    """Open a trace or profile; several paths are the parts of one run.

    `binary`: the programs that ran; `map`: an XRay instrumentation map as YAML. `time` is a window in seconds from the
    first record on, `function` and `object` are POSIX extended regular expressions. `exact`: quantiles of durations are
    exact, whatever memory they need. `strict`: damage is an error instead of being left out. `decode`: what custom and typed
    events of XRay logs mean, "EVENT[:NAME]=FORM", one or several, as docs/formats/xray.md has it.
    """
    if not paths:
        raise ValueError("a path is needed")
    one = binary is not None and (isinstance(binary, str) or hasattr(binary, "__fspath__"))
    programs = [] if binary is None else [binary] if one else list(binary)  # type: ignore[list-item,arg-type]
    specs = (_library.BinarySpec * max(len(programs), 1))(*[_library.BinarySpec(_path(path), 0) for path in programs])
    options = _library.InputOptions()
    options.size = ctypes.sizeof(options)
    options.format = format.encode() if format else None
    options.filter.thread = NOWHERE if thread is None else thread
    options.filter.process = NOWHERE if process is None else process
    options.filter.cpu = NOWHERE
    options.filter.function = function.encode("utf-8", "surrogateescape") if function else None
    options.filter.object = object.encode("utf-8", "surrogateescape") if object else None
    if time is not None:
        options.filter.from_seconds, options.filter.to_seconds = time[0], time[1] or 0
    options.programs.binaries, options.programs.binary_count = specs, len(programs)
    options.programs.map = _path(map) if map else None
    options.exact, options.strict, options.jobs = exact, strict, jobs
    forms = [decode] if isinstance(decode, str) else list(decode or [])
    decoders = (ctypes.c_char_p * max(len(forms), 1))(*[form.encode("utf-8", "surrogateescape") for form in forms])
    options.xray.decoders, options.xray.decoder_count = decoders, len(forms)
    return Trace(paths, options, (specs, decoders))
