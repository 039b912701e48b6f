#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second reader of xtrace, as plain as the format's description (docs/formats/xtrace.md, sections 2 and 3): slow, and
sure. It knows the layout we write and no other; errors are exceptions. Also a program: prints the tokens of a file."""
import struct
import sys

VAL = {0: "STXR", 1: "MRS", 2: "SVCARG", 3: "SVCRET", 4: "DC", 5: "TARGET_B"}
SYSREGS = ("fpcr", "fpsr", "nzcv", "tpidr_el0", "tpidrro_el0", "ttbr0_el1", "elr_el1", "spsr_el1", "esr_el1", "tpidr_el1",
           "daif")


class Malformed(Exception):
    def __init__(self, offset, why):
        super().__init__("offset %d: %s" % (offset, why))
        self.offset = offset


def u64s(data, count):
    return list(struct.unpack("<%dQ" % count, data))


def tokens(data):
    """Dictionaries of every token, with `offset`, `token` and the fields of its payload."""
    at = 0
    pc = None

    def take(size):
        nonlocal at
        if at + size > len(data):
            raise Malformed(start, "cut short")
        at += size
        return data[at - size:at]

    while at < len(data):
        start = at
        byte = take(1)[0]
        family, high = byte & 7, byte >> 3
        if family == 1 and high & 7 in (0, 1):
            # "INST defaults to the PC of the previous instruction + 4".
            if high & 7:
                pc = u64s(take(8), 1)[0]
            elif pc is not None:
                pc += 4
            yield {"offset": start, "token": "PCINST" if high & 7 else "INST", "el": high >> 3, "pc": pc,
                   "opcode": struct.unpack("<I", take(4))[0]}
        elif family == 2 and byte >> 4 <= 8:
            address = u64s(take(8), 1)[0]
            yield {"offset": start, "token": "STORE" if high & 1 else "LOAD", "address": address,
                   "size": 1 << (byte >> 4), "value": int.from_bytes(take(1 << (byte >> 4)), "little")}
        elif family == 3 and high in VAL:
            yield {"offset": start, "token": VAL[high], "value": u64s(take(8), 1)[0]}
        elif family == 4 and high == 1:
            yield {"offset": start, "token": "ALLGPR", "x": u64s(take(256), 32)}
        elif family == 4 and high == 3:
            yield {"offset": start, "token": "MISC_FLAGS", "value": u64s(take(8), 1)[0]}
        elif family == 4 and high == 4:
            count = u64s(take(8), 1)[0]
            if count * 16 > len(data) - at:
                raise Malformed(start, "more iovecs than bytes")
            yield {"offset": start, "token": "SYSCALL_VEC", "iovecs": [tuple(u64s(take(16), 2)) for _ in range(count)]}
        elif family == 7 and high == 0:
            yield {"offset": start, "token": "TIME", "value": u64s(take(8), 1)[0]}
        else:
            raise Malformed(start, "no such token: %02x" % byte)


def instructions(data):
    """(el, pc, opcode, [(store, address, size, value)], token) of every instruction."""
    last = None
    for token in tokens(data):
        if token["token"] in ("INST", "PCINST"):
            if last:
                yield last
            last = (token["el"], token["pc"], token["opcode"], [], token)
        elif token["token"] in ("LOAD", "STORE"):
            last[3].append((token["token"] == "STORE", token["address"], token["size"], token["value"]))
    if last:
        yield last


def snapshots(data):
    """Dictionaries of every record behind a header of 24 bytes; the vector length is that of the last eight bytes."""
    bits = u64s(data[-8:], 1)[0]
    length = bits // 8
    predicate = (length // 8 + 15) // 16 * 16
    size = 32 + 256 + 32 * length + 16 * predicate + predicate + length * length + 88 + 8
    if (len(data) - 24) % size:
        raise Malformed(len(data), "no whole number of records")
    for at in range(24, len(data), size):
        record = data[at:at + size]
        place = 0

        def take(count):
            nonlocal place
            place += count
            return record[place - count:place]

        file, index, user, total = u64s(take(32), 4)
        one = {"offset": at, "file": file, "stream_offset": index, "user": user, "total": total, "x": u64s(take(256), 32)}
        one["z"] = [int.from_bytes(take(length), "little") for _ in range(32)]
        one["p"] = [int.from_bytes(take(predicate)[:length // 8], "little") for _ in range(16)]
        one["ffr"] = int.from_bytes(take(predicate)[:length // 8], "little")
        one["za_nonzero"] = sum(byte != 0 for byte in take(length * length))
        one.update(zip(SYSREGS, u64s(take(88), 11)))
        one["vl"] = u64s(take(8), 1)[0]
        if one["vl"] != bits:
            raise Malformed(at + size - 8, "another vector length")
        yield one


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as stream:
        for line in tokens(stream.read()):
            print(line)
