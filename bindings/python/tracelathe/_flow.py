# SPDX-License-Identifier: Apache-2.0
"""Two executions compared instruction by instruction: the result of tl_input_flow() as Python has it."""
import ctypes
from ctypes import byref
from typing import Any, List, NamedTuple, Optional, Tuple

from . import _library
from ._errors import known, text_of
from ._library import NOWHERE

REASONS = ("other-way", "other-code", "before-ends", "after-ends", "missing")


class FlowSpot(NamedTuple):
    """A place in the code: `into` bytes behind the begin of `function`, `offset` in `object`."""
    function: str
    object: str
    into: int
    offset: int
    address: int


class FlowDifference(NamedTuple):
    """Where two executions part: pairs are (before, after). `last` is the last common instruction, `next` what either side went
    on with, None where there is none; `ordinal` counts instructions up to there, `instructions` those of one side only."""
    reason: str
    last: Tuple[Optional[FlowSpot], Optional[FlowSpot]]
    next: Tuple[Optional[FlowSpot], Optional[FlowSpot]]
    ordinal: Tuple[int, int]
    instructions: Tuple[int, int]
    offset: Tuple[int, int]
    meets: bool


class FlowParting(NamedTuple):
    """A place at which executions part, and how often."""
    last: Optional[FlowSpot]
    next: Tuple[Optional[FlowSpot], Optional[FlowSpot]]
    times: int
    instructions: Tuple[int, int]
    ordinal: int


class FlowStream(NamedTuple):
    """A thread or core of either side. `parts` counts differences, `missing` what a trace lacks; `complete` is False where nothing
    was compared behind the last difference. `stack` is that of the first difference, innermost function first."""
    process: Tuple[Optional[int], Optional[int]]
    thread: Tuple[Optional[int], Optional[int]]
    instructions: Tuple[int, int]
    same: int
    parts: int
    missing: int
    complete: bool
    differences: List[FlowDifference]
    partings: List[FlowParting]
    stack: List[FlowSpot]


class Flow(NamedTuple):
    """Two executions compared; `unpaired` streams of either side were not, as the other one has fewer."""
    streams: List[FlowStream]
    unpaired: Tuple[int, int]


def _spot(there: bool, spot: "_library.FlowSpot") -> Optional[FlowSpot]:
    if not there:
        return None
    return FlowSpot(text_of(spot.function), text_of(spot.object), spot.into, spot.offset, spot.address)


def _spots(there: Any, spots: Any) -> Any:
    return _spot(there[0], spots[0]), _spot(there[1], spots[1])


def _difference(d: "_library.FlowDifference") -> FlowDifference:
    return FlowDifference(REASONS[d.reason], _spots((d.has_last, d.has_last), d.last), _spots(d.has_next, d.next), tuple(d.ordinal),
                          tuple(d.instructions), tuple(d.offset), d.meets)


def _parting(p: "_library.FlowParting") -> FlowParting:
    return FlowParting(_spot(p.has_last, p.last), _spots(p.has_next, p.next), p.times, tuple(p.instructions), p.ordinal)


def _each(read: Any, handle: Any, stream: int, struct: Any) -> Any:
    """The structs of a stream, which are overwritten one by one."""
    item, number = struct(), 0
    while read(handle, stream, number, byref(item), ctypes.sizeof(item)) == 0:
        yield item
        number += 1


def _pair(numbers: Any) -> Any:
    return known(numbers[0], NOWHERE), known(numbers[1], NOWHERE)


def _stream(lib: Any, handle: Any, number: int) -> FlowStream:
    s = _library.FlowStream()
    lib.tl_flow_stream(handle, number, byref(s), ctypes.sizeof(s))
    return FlowStream(_pair(s.process), _pair(s.thread), tuple(s.instructions), s.common, s.differences, s.missing, s.complete,
                      [_difference(d) for d in _each(lib.tl_flow_difference, handle, number, _library.FlowDifference)],
                      [_parting(p) for p in _each(lib.tl_flow_parting, handle, number, _library.FlowParting)],
                      [_spot(True, spot) for spot in _each(lib.tl_flow_stack, handle, number, _library.FlowSpot)])


def flow_of(lib: Any, handle: Any) -> Flow:
    """All of a result."""
    return Flow([_stream(lib, handle, i) for i in range(lib.tl_flow_stream_count(handle))],
                (lib.tl_flow_unpaired(handle, False), lib.tl_flow_unpaired(handle, True)))
