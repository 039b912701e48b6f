#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stream in several numbered files is one stream: every command says of it what it says of the same stream in one file.

  xtrace_numbered.py PROGRAM

Good traces are cut at instructions with their PC, and at random bytes, also inside tokens, where only the first file can be
recognised alone; their snapshots say the file and the byte in it. Files may be packed, each by itself."""
import glob
import gzip
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import common

GOLDEN = os.path.join(common.ROOT, "tests", "golden", "xtrace")
TRACES = ("u1-recur-vl128", "k1-core-el01", "u4-thr-time")
HEADER, RECORD = 24, 1424
COMMANDS = (
    ("check",),
    ("check", "--rules"),
    ("dump", "--instructions"),
    ("dump", "--json"),
    ("dump", "--calls"),
    ("report", "--csv"),
    ("analyze", "--mix", "--csv"),
    ("analyze", "--bbv"),
    ("convert", "--to", "folded"),
)


def unpack(name, folder):
    os.mkdir(folder)
    for packed in glob.glob(os.path.join(GOLDEN, name, "*.zst")):
        path = os.path.join(folder, os.path.basename(packed)[:-4])
        subprocess.run(["zstd", "-dqf", packed, "-o", path], check=True)
        os.chmod(path, 0o644)
    return sorted(glob.glob(os.path.join(folder, "*.xinsndata.bin")))


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def instructions(data):
    """Where tokens PCINST are."""
    at, found = 0, []
    while at < len(data):
        byte, family = data[at], data[at] & 7
        if family == 1:
            found += [at] if byte & 8 else []
            at += 13 if byte & 8 else 5
        elif family == 2:
            at += 9 + (1 << (byte >> 4))
        elif byte == 0x0c:
            at += 257
        else:
            at += 9 + (16 * struct.unpack_from("<Q", data, at + 1)[0] if byte == 0x24 else 0)
    return found


def split(stream, folder, count, rnd, anywhere):
    """The numbered files of a stream, and its snapshots beside them."""
    with open(stream, "rb") as file:
        data = file.read()
    with open(stream.replace("xinsndata", "xsnapshot"), "rb") as file:
        records = bytearray(file.read())
    # Among instructions, one that a snapshot is of: its file is the one that begins there.
    last, = struct.unpack_from("<Q", records, len(records) - RECORD + 8)
    places = range(1, len(data)) if anywhere else [at for at in instructions(data)[1:] if at != last]
    begins = [0] + sorted(rnd.sample(places, count - 1) if anywhere else [last] + rnd.sample(places, count - 2))
    for at in range(HEADER, len(records), RECORD):
        place, = struct.unpack_from("<Q", records, at + 8)
        number = max(i for i in range(count) if begins[i] <= place)
        struct.pack_into("<QQ", records, at, number, place - begins[number])
    base = os.path.join(folder, os.path.basename(stream))
    for number, begin in enumerate(begins):
        write(f"{base}.{number}", data[begin:begins[number + 1] if number + 1 < count else len(data)])
    write(base.replace("xinsndata", "xsnapshot"), records)
    return [f"{base}.{number}" for number in range(count)]


def answer(command, files, cwd=None):
    done = subprocess.run([common.command(), *command, *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def without_names(result):
    """Files have other names, and that is all."""
    status, out, err = result
    return status, *(re.sub(rb"\.bin\.[0-9]+", b".bin", text.replace(b"/split/", b"/whole/")) for text in (out, err))


def same(name, streams, given):
    for command in COMMANDS:
        common.expect(f"{name}: {' '.join(command)}", without_names(answer(command, given)), answer(command, streams))


def packed(name, streams, files, folder):
    """Each file is packed by itself, some with zstd, some with gzip."""
    os.mkdir(os.path.join(folder, "packed"))
    made = []
    for path in [one for numbered in files for one in numbered]:
        to = os.path.join(folder, "packed", os.path.basename(path))
        if path[-1] in "02468":
            made.append(to + ".zst")
            subprocess.run(["zstd", "-q", path, "-o", made[-1]], check=True)
        else:
            made.append(to + ".gz")
            with open(path, "rb") as file, gzip.open(made[-1], "wb") as out:
                out.write(file.read())
    for path in {numbered[0][:-2].replace("xinsndata", "xsnapshot") for numbered in files}:
        shutil.copy(path, os.path.join(folder, "packed"))
    for command in COMMANDS:
        got = answer(command, made)
        common.expect(f"{name}, packed: {' '.join(command)}", (got[0], got[1]), answer(command, streams)[:2])


def calls(name, streams, files):
    """The tables of the calls, of the first of the streams."""
    ask = ["SELECT thread, count(*), sum(duration), max(depth) FROM calls GROUP BY thread ORDER BY thread"]
    common.expect(f"{name}: query", answer(["query", "--csv"], [files[0][0]] + ask),
                  answer(["query", "--csv"], streams[:1] + ask))


def sums(name, folder):
    """Of all files of a directory, those of a stream are read once."""
    made = []
    for kind in ("whole", "split"):
        out = os.path.join(folder, kind + ".folded")
        done = answer(["merge", "--to", "folded", "-o", out], sorted(glob.glob(os.path.join(folder, kind, "*"))))
        with open(out, "rb") as file:
            made.append((done[0], file.read()))
    common.expect(f"{name}: merge of all files", made[1], made[0])


def slices(name, streams, given, folder):
    """Traces and programs that are cut out are the same to the byte."""
    for form in ([], ["--to", "elf"]):
        if form and name != TRACES[0]:
            continue
        made = []
        for number, files in enumerate((streams, given)):
            out = os.path.join(folder, f"slice{number}")
            options = ["--thread", "0"] if len(streams) > 1 else []
            done = answer(["slice", "--snapshots", "1..2", *options, *form, "-o", out], files)
            with open(out, "rb") as file:
                made.append((done[0], file.read()))
        common.expect(f"{name}: slice {' '.join(form)}", made[1], made[0])


def whole_again(stream, first, folder):
    """All of a stream is written as one file, whose snapshots are those of the stream in one file."""
    out = os.path.join(folder, "again.xinsndata.bin")
    answer(["slice", "--snapshots", "0..", "-o", out], [first])
    for kind in ("xinsndata", "xsnapshot"):
        with open(out.replace("xinsndata", kind), "rb") as made, open(stream.replace("xinsndata", kind), "rb") as file:
            common.expect(f"{first}: {kind} is written as one", made.read(), file.read())


def damage(files):
    """A file that is missing is told: in the middle by its number, at the end if a snapshot is in it."""
    with open(files[0].replace("xinsndata", "xsnapshot")[:-2], "rb") as file:
        last, = struct.unpack_from("<Q", file.read()[-RECORD:])
    for number in {1, last} - {0}:
        with tempfile.TemporaryDirectory() as scratch:
            for path in files + [files[0].replace("xinsndata", "xsnapshot")[:-2]]:
                if path != files[number]:
                    shutil.copy(path, scratch)
            done = answer(["info"], [os.path.join(scratch, os.path.basename(files[0]))])
            common.expect(f"{files[number]} is missing", done[0], 1)
            if number + 1 < len(files):
                common.expect(f"{files[number]} is named", re.findall(rb"numbered file of the stream is missing", done[2]),
                              [b"numbered file of the stream is missing"])


def wrong_numbers(files):
    """A snapshot that names another file than its place is in."""
    path = files[0].replace("xinsndata", "xsnapshot")[:-2]
    with open(path, "rb") as file:
        good = file.read()
    records = bytearray(good)
    last = len(records) - RECORD
    number, = struct.unpack_from("<Q", records, last)
    records[last] ^= 1
    write(path, records)
    common.expect(f"file {number ^ 1} instead of {number}", b"xtrace.snapshot." in answer(["check"], [files[0]])[1], True)
    write(path, good)


def main():
    if not shutil.which("zstd"):
        common.skip("no zstd")
    rnd = random.Random(13)
    with tempfile.TemporaryDirectory() as scratch:
        for name in TRACES:
            folder = os.path.join(scratch, name)
            os.mkdir(folder)
            streams = unpack(name, os.path.join(folder, "whole"))
            os.mkdir(os.path.join(folder, "split"))
            several = os.path.join(folder, "split")
            files = [split(stream, several, rnd.randrange(3, 6), rnd, False) for stream in streams]
            every = [path for numbered in files for path in numbered]
            rnd.shuffle(every)
            # Streams are in the order in which one of their files comes first.
            order = sorted(range(len(streams)), key=lambda i, files=files: min(map(every.index, files[i])))
            same(f"{name}, all files in any order", [streams[i] for i in order], every)
            same(f"{name}, last files", streams, [numbered[-1] for numbered in files])
            files = [split(stream, several, len(numbered), rnd, True) for stream, numbered in zip(streams, files)]
            same(f"{name}, first files", streams, [numbered[0] for numbered in files])
            packed(name, streams, files, folder)
            calls(name, streams, files)
            sums(name, folder)
            slices(name, streams, [numbered[0] for numbered in files], folder)
            if len(streams) == 1:
                whole_again(streams[0], files[0][0], folder)
                wrong_numbers(files[0])
                damage(files[0])
    common.finish(len(TRACES), "traces in numbered files")


main()
