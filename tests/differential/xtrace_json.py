#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JSON over xtrace, of every command that has it: addresses, opcodes and other 64-bit values are hexadecimal strings, and no
number is beyond 2^53, which readers of JSON may round. Numbers are taken as they are written. Which values are addresses is
known from the trace itself: no number is one of those that its tokens and snapshots have, if it is too large for a count.
Not here: `query`, whose numbers are those of SQL (docs/query.md)."""
import json
import subprocess
import tempfile

import common
import xtrace_model as model

EXACT = 1 << 53
# Names of what is an address, an opcode or a register's value, in whatever table.
RAW = ("pc", "address", "opcode", "value", "begin_pc", "end_pc", "from_pc", "to_pc", "sp", "ip")
ANALYSES = ("mix", "footprint", "reuse", "cache", "branches", "dependences", "sharing", "syscalls", "blocks", "bbv")
COMMANDS = (
    ("info",), ("check",), ("check", "--strict"), ("check", "--rules"), ("report",), ("report", "--interval", "500"), ("tree",),
    ("annotate",), ("dump",), ("dump", "--instructions"), ("dump", "--snapshots"), ("dump", "--calls"),
    ("convert", "--to", "json"), ("convert", "--to", "jsonl"),
    *(("analyze", "--" + name) for name in ANALYSES),
    ("analyze", *("--" + name for name in ANALYSES if name != "bbv"), "--interval", "300"),
)
seen = 0


class Number(str):
    """A number as it is written."""


def documents(text):
    """One object, or one a line."""
    read = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number)
    at = 0
    while at < len(text):
        while at < len(text) and text[at].isspace():
            at += 1
        if at < len(text):
            value, at = read.raw_decode(text, at)
            yield value


def numbers(value, name=""):
    if isinstance(value, dict):
        for key, part in value.items():
            yield from numbers(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from numbers(part, name)
    elif isinstance(value, Number):
        yield name, value


def values_of(streams):
    """Addresses and registers of the trace that no count of it reaches."""
    found = set()
    for stream in streams:
        for event in stream.events:
            if event[0] in "iaz":
                found.add(event[2] if event[0] != "z" else event[1])
            if event[0] == "i":
                found.add(event[3])
        for snapshot in stream.snapshots:
            found.update(snapshot["x"])
    return {value for value in found if value >= 1 << 24}


def wrong(name, number, values):
    """Why this is no number; None: it is one."""
    if name in RAW:
        return "an address or a register's value"
    if not number.lstrip("-").isdigit():
        return None
    if int(number) in values:
        return "a value of the trace"
    return "beyond 2^53" if abs(int(number)) >= EXACT else None


def audit(what, text, values):
    global seen
    for document in documents(text):
        for name, number in numbers(document):
            seen += 1
            why = wrong(name, number, values)
            if why:
                common.fail(what, "has", name, number, "as a number:", why)
                return


def check_audit():
    text = '{"pc":4,"a":[{"b":9007199254740992}],"c":16777216,"d":1.5}\n{"e":"0x4","f":9007199254740991}'
    common.expect("what is found", [bool(wrong(name, number, {1 << 24})) for document in documents(text)
                                    for name, number in numbers(document)], [True, True, True, False, False])


def main():
    check_audit()
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("u4-thr-time", "k1-core-el01"):
            streams = [model.Stream(path) for path in model.unpack(name, scratch)]
            paths, values = [stream.path for stream in streams], values_of(streams)
            answered = 0
            for command in COMMANDS:
                if len(paths) == 1:
                    command = tuple(word for word in command if word != "--sharing")
                option = [] if command[0] == "convert" else ["--json"]
                done = subprocess.run([common.command(), command[0], *option, *command[1:], *paths], capture_output=True,
                                      text=True, check=False)
                answered += done.returncode in (0, 1)
                audit("%s: %s" % (name, " ".join(command)), done.stdout, values)
            common.expect(name + ": commands that answered", answered, len(COMMANDS))
    common.finish(seen, "numbers")


main()
