# SPDX-License-Identifier: Apache-2.0
"""The shared library as ctypes sees it: structs and functions of include/tracelathe, no more than are used here.

tests/test_layout.py holds every struct against what a C compiler makes of the headers.
"""
import ctypes
import os
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint8, c_uint32
from ctypes import c_uint64, c_void_p

NONE = 2**32 - 1
NOWHERE = 2**64 - 1
SONAME = "libtracelathe.so.0.2"


class Error(Structure):
    C_NAME = "struct tl_error"
    _fields_ = [("status", c_int), ("sys_errno", c_int), ("format", c_char_p), ("text", c_char_p), ("offset", c_uint64),
                ("record", c_uint64)]


class Event(Structure):
    C_NAME = "struct tl_event"
    _fields_ = [("name", c_char_p), ("long_name", c_char_p), ("unit", c_char_p), ("formula", c_char_p)]


class Function(Structure):
    C_NAME = "struct tl_function"
    _fields_ = [("name", c_char_p), ("object", c_char_p), ("file", c_char_p), ("id", c_uint64), ("address", c_uint64),
                ("line", c_uint32)]


class Position(Structure):
    C_NAME = "struct tl_position"
    _fields_ = [("file", c_char_p), ("address", c_uint64), ("block", c_uint64), ("line", c_uint32)]


class Arc(Structure):
    C_NAME = "struct tl_arc"
    _fields_ = [("caller", c_uint32), ("callee", c_uint32), ("part", c_uint32), ("from_", Position), ("to", Position),
                ("calls", c_uint64)]


class Context(Structure):
    C_NAME = "struct tl_context"
    _fields_ = [("parent", c_uint32), ("function", c_uint32), ("part", c_uint32), ("calls", c_uint64),
                ("unfinished", c_uint64), ("cut", c_uint64)]


class Totals(Structure):
    C_NAME = "struct tl_function_totals"
    _fields_ = [("calls", c_uint64), ("unfinished", c_uint64), ("self_", POINTER(c_int64)), ("inclusive", POINTER(c_int64)),
                ("cut", c_uint64)]


class Latency(Structure):
    C_NAME = "struct tl_latency"
    _fields_ = [("calls", c_uint64), ("min", c_uint64), ("max", c_uint64), ("sum", c_uint64), ("median", c_uint64),
                ("p90", c_uint64), ("p99", c_uint64), ("exact", c_bool)]


class BinarySpec(Structure):
    C_NAME = "struct tl_binary_spec"
    _fields_ = [("path", c_char_p), ("address", c_uint64)]


class Range(Structure):
    C_NAME = "struct tl_number_range"
    _fields_ = [("from_", c_uint64), ("to", c_uint64)]


class Filter(Structure):
    C_NAME = "struct tl_input_filter"
    _fields_ = [("thread", c_uint64), ("process", c_uint64), ("cpu", c_uint64), ("part", c_uint64),
                ("from_seconds", c_double), ("to_seconds", c_double), ("function", c_char_p), ("object", c_char_p)]


class Programs(Structure):
    C_NAME = "struct tl_input_programs"
    _fields_ = [("binaries", POINTER(BinarySpec)), ("binary_count", c_size_t), ("raws", c_void_p), ("raw_count", c_size_t),
                ("map", c_char_p), ("sysroot", c_char_p), ("build_id_dir", c_char_p),
                ("guest_root", c_char_p), ("debuginfod", c_void_p)]


class DumpOptions(Structure):
    C_NAME = "struct tl_dump_options"
    _fields_ = [("flags", c_uint), ("ordinals", Range), ("pcs", Range), ("between", Range), ("compare", Range)]


class IntelPt(Structure):
    C_NAME = "struct tl_input_intel_pt"
    _fields_ = [("cpu_model", c_char_p), ("mtc_freq", c_uint8), ("nom_freq", c_uint8), ("cpuid_15_eax", c_uint32),
                ("cpuid_15_ebx", c_uint32), ("cpuid_15_ecx", c_uint32), ("tsc_hz", c_uint64)]


class Xray(Structure):
    C_NAME = "struct tl_input_xray"
    _fields_ = [("tid16", c_bool), ("bit_order", c_int), ("decoders", POINTER(c_char_p)), ("decoder_count", c_size_t)]


class Xtrace(Structure):
    C_NAME = "struct tl_input_xtrace"
    _fields_ = [("layout", c_char_p), ("skip_unknown", c_char_p)]


class Etm(Structure):
    C_NAME = "struct tl_input_etm"
    _fields_ = [("trcidr0", c_uint32), ("trcidr1", c_uint32), ("trcidr2", c_uint32), ("trcidr8", c_uint32),
                ("trcconfigr", c_uint32), ("trctraceidr", c_uint32)]


class Part(Structure):
    C_NAME = "struct tl_input_part"
    _fields_ = [("instructions", Range), ("snapshots", Range), ("level", c_int), ("interval", c_uint64), ("split", c_int)]


class InputOptions(Structure):
    C_NAME = "struct tl_input_options"
    _fields_ = [("size", c_size_t), ("format", c_char_p), ("filter", Filter), ("programs", Programs), ("dump", DumpOptions),
                ("intel_pt", IntelPt), ("xray", Xray), ("xtrace", Xtrace), ("raw_names", c_bool), ("strict", c_bool),
                ("exact", c_bool), ("per_thread", c_bool), ("file_order", c_bool), ("jobs", c_uint), ("progress", c_void_p),
                ("progress_arg", c_void_p), ("detail", c_int), ("depth", c_uint32), ("formulas", POINTER(c_char_p)),
                ("formula_count", c_size_t), ("labels", POINTER(c_char_p)), ("label_count", c_size_t),
                ("address_filter", c_char_p), ("inlined", c_bool), ("branches", c_bool), ("packed", c_bool),
                ("share", c_uint32), ("shares", c_uint32), ("quick", c_bool),
                ("part", Part), ("chain", c_void_p), ("nanoseconds", c_bool), ("etm", Etm)]


class Damage(Structure):
    C_NAME = "struct tl_damage"
    _fields_ = [("status", c_int), ("text", c_char_p), ("offset", c_uint64), ("length", c_uint64), ("record", c_uint64),
                ("path", c_char_p)]


class Call(Structure):
    C_NAME = "struct tl_call"
    _fields_ = [("id", c_uint64), ("parent", c_uint64), ("process", c_int64), ("thread", c_int64), ("start", c_uint64),
                ("end", c_uint64), ("self_", c_uint64), ("depth", c_uint32), ("function", c_uint32), ("flags", c_uint)]


class CallFunction(Structure):
    C_NAME = "struct tl_call_function"
    _fields_ = [("name", c_char_p), ("file", c_char_p), ("object", c_char_p), ("line", c_uint32), ("wanted", c_bool),
                ("id", c_uint64), ("address", c_uint64)]


class CallsInfo(Structure):
    C_NAME = "struct tl_calls_info"
    _fields_ = [("frequency", c_uint64), ("origin", c_uint64), ("clock", c_int), ("numbered", c_bool), ("profiled", c_bool)]


class QueryValue(Structure):
    C_NAME = "struct tl_query_value"
    _fields_ = [("type", c_int), ("integer", c_int64), ("real", c_double), ("text", c_void_p), ("size", c_size_t)]


class DiffRow(Structure):
    C_NAME = "struct tl_diff_row"
    _fields_ = [("function", POINTER(Function)), ("caller", POINTER(Function)), ("file", c_char_p), ("line", c_uint32),
                ("in_before", c_bool), ("in_after", c_bool), ("calls_before", c_uint64), ("calls_after", c_uint64),
                ("before", POINTER(c_int64)), ("after", POINTER(c_int64))]


class FlameOptions(Structure):
    C_NAME = "struct tl_flame_options"
    _fields_ = [("size", c_size_t), ("form", c_int), ("icicle", c_bool), ("threads", c_bool), ("threshold", c_double),
                ("most_frames", c_uint32), ("most_depth", c_uint32), ("events", POINTER(c_uint32)), ("event_count", c_uint32),
                ("name", c_char_p), ("baseline_name", c_char_p), ("when", c_char_p), ("width", c_uint32),
                ("estimated", POINTER(c_bool))]


class FlowOptions(Structure):
    C_NAME = "struct tl_flow_options"
    _fields_ = [("size", c_size_t), ("window", c_uint32), ("meet", c_uint32), ("listed", c_uint32)]


class FlowSpot(Structure):
    C_NAME = "struct tl_flow_spot"
    _fields_ = [("function", c_char_p), ("object", c_char_p), ("into", c_uint64), ("offset", c_uint64), ("address", c_uint64)]


class FlowDifference(Structure):
    C_NAME = "struct tl_flow_difference"
    _fields_ = [("reason", c_int), ("has_last", c_bool), ("last", FlowSpot * 2), ("has_next", c_bool * 2), ("next", FlowSpot * 2),
                ("ordinal", c_uint64 * 2), ("instructions", c_uint64 * 2), ("meets", c_bool), ("offset", c_uint64 * 2)]


class FlowParting(Structure):
    C_NAME = "struct tl_flow_parting"
    _fields_ = [("has_last", c_bool), ("last", FlowSpot), ("next", FlowSpot * 2), ("has_next", c_bool * 2), ("times", c_uint64),
                ("instructions", c_uint64 * 2), ("ordinal", c_uint64)]


class FlowStream(Structure):
    C_NAME = "struct tl_flow_stream"
    _fields_ = [("process", c_uint64 * 2), ("thread", c_uint64 * 2), ("instructions", c_uint64 * 2), ("common", c_uint64),
                ("differences", c_uint64), ("missing", c_uint64), ("listed", c_uint64), ("partings", c_uint64),
                ("complete", c_bool)]


STRUCTS = [Error, Event, Function, Position, Arc, Context, Totals, Latency, BinarySpec, Range, Filter, Programs, DumpOptions,
           IntelPt, Xray, Xtrace, Part, InputOptions, Damage, Call, CallFunction, CallsInfo, QueryValue, DiffRow,
           FlameOptions, FlowOptions, FlowSpot, FlowDifference, FlowParting, FlowStream]

RELEASE_STREAM = ctypes.CFUNCTYPE(None, c_void_p)


class ArrowStream(Structure):
    """struct ArrowArrayStream of the Arrow C data interface."""
    _fields_ = [("get_schema", c_void_p), ("get_next", c_void_p), ("get_last_error", c_void_p), ("release", c_void_p),
                ("private_data", c_void_p)]


WRITE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, POINTER(Error))


class Exporter(Structure):
    """The head of struct tl_exporter, which the library owns: what stands behind is not looked at."""
    _fields_ = [("name", c_char_p), ("suffix", c_char_p), ("help", c_char_p), ("write", WRITE)]


ERR = POINTER(Error)
HANDLE = POINTER(c_void_p)
# name: (result, arguments)
FUNCTIONS = {
    "tl_version": (c_char_p, []),
    "tl_status_name": (c_char_p, [c_int]),
    "tl_input_open": (c_int, [HANDLE, POINTER(c_char_p), c_size_t, POINTER(InputOptions), POINTER(c_char_p), ERR]),
    "tl_input_close": (None, [c_void_p]),
    "tl_input_fold": (c_int, [c_void_p, HANDLE, ERR]),
    "tl_input_failed": (c_char_p, [c_void_p]),
    "tl_input_format": (POINTER(c_char_p), [c_void_p]),
    "tl_input_dump": (c_int, [c_void_p, c_int, c_void_p, ERR]),
    "tl_input_calls": (c_int, [c_void_p, c_void_p, HANDLE, ERR]),
    "tl_input_damage_count": (c_uint64, [c_void_p, POINTER(c_uint64)]),
    "tl_input_damage": (c_int, [c_void_p, c_size_t, POINTER(Damage), c_size_t]),
    "tl_calls_info": (c_int, [c_void_p, POINTER(CallsInfo), c_size_t]),
    "tl_calls_next": (c_int, [c_void_p, POINTER(POINTER(Call)), ERR]),
    "tl_calls_function": (c_int, [c_void_p, c_uint32, POINTER(CallFunction), c_size_t, ERR]),
    "tl_calls_arrow": (c_int, [c_void_p, c_void_p, ERR]),
    "tl_calls_close": (None, [c_void_p]),
    "tl_profile_free": (None, [c_void_p]),
    "tl_profile_format": (c_char_p, [c_void_p]),
    "tl_profile_frequency": (c_uint64, [c_void_p]),
    "tl_profile_event_count": (c_uint32, [c_void_p]),
    "tl_profile_event": (POINTER(Event), [c_void_p, c_uint32]),
    "tl_profile_function_count": (c_uint32, [c_void_p]),
    "tl_profile_function": (POINTER(Function), [c_void_p, c_uint32]),
    "tl_profile_function_totals": (c_int, [c_void_p, c_uint32, c_uint32, POINTER(Totals), c_size_t]),
    "tl_profile_latency": (c_bool, [c_void_p, c_uint32, c_uint32, POINTER(Latency), c_size_t]),
    "tl_profile_chosen": (c_bool, [c_void_p, c_uint32]),
    "tl_profile_total": (POINTER(c_int64), [c_void_p]),
    "tl_profile_arc_count": (c_uint32, [c_void_p]),
    "tl_profile_arc": (POINTER(Arc), [c_void_p, c_uint32]),
    "tl_profile_arc_cost": (POINTER(c_int64), [c_void_p, c_uint32]),
    "tl_profile_context_count": (c_uint32, [c_void_p]),
    "tl_profile_context": (POINTER(Context), [c_void_p, c_uint32]),
    "tl_profile_context_self": (POINTER(c_int64), [c_void_p, c_uint32]),
    "tl_profile_context_inclusive": (POINTER(c_int64), [c_void_p, c_uint32]),
    "tl_profile_merge": (c_int, [HANDLE, POINTER(c_void_p), c_size_t, ERR]),
    "tl_profile_diff": (c_int, [HANDLE, c_void_p, c_void_p, c_void_p, ERR]),
    "tl_diff_event_count": (c_uint32, [c_void_p]),
    "tl_diff_event": (POINTER(Event), [c_void_p, c_uint32]),
    "tl_diff_row_count": (c_uint32, [c_void_p]),
    "tl_diff_row": (c_int, [c_void_p, c_uint32, POINTER(DiffRow), c_size_t]),
    "tl_diff_free": (None, [c_void_p]),
    "tl_flame_has_page": (c_bool, []),
    "tl_flame_write": (c_int, [c_void_p, c_void_p, POINTER(FlameOptions), c_void_p, ERR]),
    "tl_input_flow": (c_int, [c_void_p, c_void_p, POINTER(FlowOptions), HANDLE, POINTER(c_int), ERR]),
    "tl_flow_stream_count": (c_size_t, [c_void_p]),
    "tl_flow_unpaired": (c_size_t, [c_void_p, c_bool]),
    "tl_flow_stream": (c_int, [c_void_p, c_size_t, POINTER(FlowStream), c_size_t]),
    "tl_flow_difference": (c_int, [c_void_p, c_size_t, c_uint64, POINTER(FlowDifference), c_size_t]),
    "tl_flow_parting": (c_int, [c_void_p, c_size_t, c_uint64, POINTER(FlowParting), c_size_t]),
    "tl_flow_stack": (c_int, [c_void_p, c_size_t, c_uint64, POINTER(FlowSpot), c_size_t]),
    "tl_flow_free": (None, [c_void_p]),
    "tl_exporter_find": (POINTER(Exporter), [c_char_p]),
    "tl_output_open": (c_int, [HANDLE, c_char_p, ERR]),
    "tl_output_open_memory": (c_int, [HANDLE, ERR]),
    "tl_output_bytes": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "tl_output_commit": (c_int, [c_void_p, ERR]),
    "tl_output_discard": (None, [c_void_p]),
    "tl_query_open": (c_int, [HANDLE, ERR]),
    "tl_query_close": (None, [c_void_p]),
    "tl_query_add": (c_int, [c_void_p, POINTER(c_char_p), c_size_t, POINTER(InputOptions), POINTER(c_char_p), ERR]),
    "tl_query_start": (c_int, [c_void_p, c_char_p, c_void_p, ERR]),
    "tl_query_next": (c_int, [c_void_p, ERR]),
    "tl_query_message": (c_char_p, [c_void_p]),
    "tl_query_column_count": (c_size_t, [c_void_p]),
    "tl_query_column_name": (c_char_p, [c_void_p, c_size_t]),
    "tl_query_column": (c_int, [c_void_p, c_size_t, POINTER(QueryValue), c_size_t]),
}


def load():
    """The library: $TRACELATHE_LIBRARY, else the installed one."""
    library = ctypes.CDLL(os.environ.get("TRACELATHE_LIBRARY", SONAME))
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library
