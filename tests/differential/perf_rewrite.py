# SPDX-License-Identifier: Apache-2.0
"""Writes a recording of samples (perf.data of a little-endian machine) anew, as other machines and older perfs would have written it:
in the other byte order, with the header of the first version, with short attributes, as a pipe's records.

Layouts: uapi/linux/perf_event.h (perf_event_attr, PERF_RECORD_*) and tools/perf/Documentation/perf.data-file-format.txt. Features are
left out, and so are records that say nothing of samples."""
import struct

HEADER = 104
(MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP2, FINISHED_ROUND, HEADER_ATTR) = (1, 2, 3, 4, 7, 9, 10, 68, 64)
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID = (1 << bit for bit in range(10))
IDENTIFIER = 1 << 16
BUILD_ID = 1 << 14  # of misc: a MMAP2 has a build id in place of an inode

# Attributes by their sizes, as they grew.
SIZES = (64, 72, 80, 96, 104, 112, 120, 128)
# What stands in an attribute: so many bytes each; the flags, bits from the first of a byte on, are the seventh.
FIELDS = (4, 4, 8, 8, 8, 8, 0, 4, 4, 8, 8, 8, 8, 4, 4, 8, 4, 2, 2, 4, 4, 8)


def swapped(data, sizes):
    """Fields of these sizes in the other order; 0: eight bytes of flags, whose bits are counted from the other end of each byte."""
    out, at = b"", 0
    for size in sizes:
        if at >= len(data):
            break
        field = data[at:at + (size or 8)]
        out += field[::-1] if size else bytes(int("{:08b}".format(byte)[::-1], 2) for byte in field)
        at += size or 8
    return out + data[at:]


class Recording:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        magic, _, self.attr_size, attrs, size, data_at, data_size = struct.unpack_from("<8sQQQQQQ", data)
        assert magic == b"PERFILE2"
        self.attrs = []
        for at in range(attrs, attrs + size, self.attr_size):
            ids_at, ids_size = struct.unpack_from("<QQ", data, at + self.attr_size - 16)
            self.attrs.append((data[at:at + self.attr_size - 16], data[ids_at:ids_at + ids_size]))
        self.kinds = struct.unpack_from("<Q", self.attrs[0][0], 24)[0]
        self.records, at = [], data_at
        while at < data_at + data_size:
            length = struct.unpack_from("<H", data, at + 6)[0]
            if struct.unpack_from("<I", data, at)[0] in (MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP2, FINISHED_ROUND):
                self.records.append(data[at:at + length])
            at += length

    # ---- the other byte order ----

    def trailer(self):
        """Sizes of what stands behind all records but samples (sample_id_all)."""
        return [size for bit, sizes in ((TID, (4, 4)), (TIME, (8,)), (ID, (8,)), (STREAM_ID, (8,)), (CPU, (4, 4)), (IDENTIFIER, (8,)))
                if self.kinds & bit for size in sizes]

    def swapped_record(self, record):
        kind, misc = struct.unpack_from("<IH", record)
        head, body = swapped(record[:8], (4, 2, 2)), record[8:]
        words = [8] * (len(body) // 8)
        if kind == FINISHED_ROUND:
            return head
        if kind == SAMPLE:
            at = sum(8 for bit in (IDENTIFIER, IP) if self.kinds & bit)
            if self.kinds & TID:
                words[at // 8:at // 8 + 1] = [4, 4]
            at += sum(8 for bit in (TID, TIME, ADDR, ID, STREAM_ID) if self.kinds & bit)
            if self.kinds & CPU:
                place = at // 8 + (1 if self.kinds & TID else 0)
                words[place:place + 1] = [4, 4]
            return head + swapped(body, words)
        behind = self.trailer()
        start = len(body) - sum(behind)
        fixed = {COMM: (4, 4), EXIT: (4, 4, 4, 4, 8), FORK: (4, 4, 4, 4, 8), MMAP: (4, 4, 8, 8, 8), LOST: (8, 8),
                 MMAP2: (4, 4, 8, 8, 8, 4, 4, 8, 8, 4, 4)}[kind]
        if kind == MMAP2 and misc & BUILD_ID:
            fixed = (4, 4, 8, 8, 8) + (1,) * 24 + (4, 4)
        return head + swapped(body[:sum(fixed)], fixed) + body[sum(fixed):start] + swapped(body[start:], behind)

    # ---- files ----

    def write(self, path, swap=False, attr_size=None, first=False, cut=0):
        """`attr_size`: bytes of an attribute; `first`: as version 1; `cut`: bytes that are missing at the end."""
        order = ">" if swap else "<"
        attrs = [(self.attr(attr, attr_size), ids) for attr, ids in self.attrs]
        size = len(attrs[0][0]) + 16
        at = HEADER + sum(len(ids) for _, ids in attrs)
        records = b"".join(map(self.swapped_record, self.records) if swap else self.records)
        magic = b"PERFFILE" if first else b"2ELIFREP" if swap else b"PERFILE2"
        out = magic + struct.pack(order + "8Q", HEADER, size, at, size * len(attrs), at + size * len(attrs),
                                                             len(records), 0, 0) + bytes(32)
        ids_at, table = HEADER, b""
        for attr, ids in attrs:
            out += swapped(ids, [8] * (len(ids) // 8)) if swap else ids
            table += (swapped(attr, FIELDS) if swap else attr) + struct.pack(order + "QQ", ids_at, len(ids))
            ids_at += len(ids)
        out += table + records
        with open(path, "wb") as file:
            file.write(out[:len(out) - cut])
        return path

    @staticmethod
    def attr(attr, size):
        """With so many bytes, which it says itself in its second field."""
        if size is None:
            return attr
        attr = attr[:size].ljust(size, b"\0")
        return attr[:4] + struct.pack("<I", size) + attr[8:]

    def write_pipe(self, path, swap=False):
        """What perf record writes into a pipe: attributes are records, too."""
        order = ">" if swap else "<"
        out = (b"2ELIFREP" if swap else b"PERFILE2") + struct.pack(order + "Q", 16)
        for attr, ids in self.attrs:
            body = swapped(attr, FIELDS) + swapped(ids, [8] * (len(ids) // 8)) if swap else attr + ids
            out += struct.pack(order + "IHH", HEADER_ATTR, 0, 8 + len(body)) + body
        with open(path, "wb") as file:
            file.write(out + b"".join(map(self.swapped_record, self.records) if swap else self.records))
        return path
