"""The words of a one-column Parquet file of texts, without a Parquet library.

Reads what such a file holds when pandas writes it: Thrift's compact protocol for the headers, Snappy or no compression,
one optional BYTE_ARRAY column in dictionary or plain pages of version 1. Anything else is refused by name.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError

PLAIN, DICTIONARY = 0, (2, 8)


def read_texts(path: Path) -> list[str]:
    """All values of the file's only column, in order."""
    data = path.read_bytes()
    if len(data) < 12 or data[:4] != b"PAR1" or data[-4:] != b"PAR1":
        raise ProbandError("is not a Parquet file", file=path)
    try:
        return _read(data, path)
    except (IndexError, KeyError, struct.error, TypeError, UnicodeDecodeError):
        raise ProbandError("is a broken Parquet file, or not of the kind this reads", file=path) from None


def _read(data: bytes, path: Path) -> list[str]:
    footer = Thrift(data, len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]).struct()
    schema, rows, groups = footer[2], footer[3], footer[4]
    if len(schema) != 2 or schema[1].get(1) != 6:
        raise ProbandError("must have one column of texts", file=path)
    optional = schema[1].get(3) == 1
    texts: list[str] = []
    for group in groups:
        texts += _column(data, group[1][0][3], optional=optional, file=path)
    if len(texts) != rows:
        raise ProbandError(f"holds {len(texts)} texts but says {rows}", file=path)
    return texts


def _column(data: bytes, meta: dict[int, Any], *, optional: bool, file: Path) -> list[str]:
    if meta[4] not in (0, 1):
        raise ProbandError(f"compression {meta[4]} is neither none nor Snappy", file=file)
    at, wanted = meta.get(11, meta[9]), meta[5]  # dictionary page, else first data page; number of values
    words: list[str] = []
    texts: list[str] = []
    while len(texts) < wanted:
        reader = Thrift(data, at)
        header = reader.struct()
        at = reader.at + header[3]
        page = data[reader.at : at]
        page = snappy(page) if meta[4] == 1 else page
        if header[1] == 2:
            words = plain(page, 0, header[7][1])
            continue
        if header[1] != 0:
            raise ProbandError(f"a page of type {header[1]} is not one this reads", file=file)
        count, encoding, begin = header[5][1], header[5][2], 0
        if optional:  # a run of definition levels; all of them 1, since a name is never missing
            begin = 4 + struct.unpack_from("<I", page, 0)[0]
        if encoding == PLAIN:
            texts += plain(page, begin, count)
        elif encoding in DICTIONARY:
            texts += [words[i] for i in hybrid(page, begin + 1, width=page[begin], count=count)]
        else:
            raise ProbandError(f"encoding {encoding} is not one this reads", file=file)
    return texts


def plain(page: bytes, at: int, count: int) -> list[str]:
    """Texts stored as a length of four bytes and UTF-8.

    >>> plain(bytes([2, 0, 0, 0]) + b"of" + bytes([1, 0, 0, 0]) + b"a", 0, 2)
    ['of', 'a']
    """
    texts = []
    for _ in range(count):
        (length,) = struct.unpack_from("<I", page, at)
        texts.append(page[at + 4 : at + 4 + length].decode())
        at += 4 + length
    return texts


def hybrid(page: bytes, at: int, *, width: int, count: int) -> list[int]:
    """Numbers of `width` bits in runs: a repeated one, or packed groups of eight.

    >>> hybrid(bytes([6, 9, 3, 0b10001000, 0b11000110, 0b11111010]), 0, width=3, count=11)
    [9, 9, 9, 0, 1, 2, 3, 4, 5, 6, 7]
    """
    numbers: list[int] = []
    size = (width + 7) // 8
    while len(numbers) < count:
        header, at = varint(page, at)
        if header & 1:
            length = (header >> 1) * width
            bits = int.from_bytes(page[at : at + length], "little")
            numbers += [(bits >> (i * width)) & ((1 << width) - 1) for i in range((header >> 1) * 8)]
            at += length
        else:
            numbers += [int.from_bytes(page[at : at + size], "little")] * (header >> 1)
            at += size
    return numbers[:count]


def snappy(data: bytes) -> bytes:
    """Snappy's raw format: a length, then literals and copies of what came before.

    >>> snappy(bytes([9, 2 << 2]) + b"abc" + bytes([5 << 2 | 0b10, 2, 0]))
    b'abcbcbcbc'
    """
    size, at = varint(data, 0)
    out = bytearray()
    end = len(data)
    while at < end:
        tag = data[at]
        at += 1
        kind = tag & 3
        if kind == 0:
            length = (tag >> 2) + 1
            if length > 60:
                extra = length - 60
                length = int.from_bytes(data[at : at + extra], "little") + 1
                at += extra
            out += data[at : at + length]
            at += length
            continue
        if kind == 1:
            length, offset = ((tag >> 2) & 7) + 4, ((tag >> 5) << 8) | data[at]
            at += 1
        else:
            width = 2 if kind == 2 else 4
            length, offset = (tag >> 2) + 1, int.from_bytes(data[at : at + width], "little")
            at += width
        begin = len(out) - offset
        if not 0 <= begin < len(out):
            raise ProbandError("a Snappy block copies from outside itself")
        piece = out[begin : begin + length]
        while len(piece) < length:  # a copy may run into what it writes
            piece += piece[: length - len(piece)]
        out += piece
    if len(out) != size:
        raise ProbandError(f"a Snappy block of {len(out)} bytes should have {size}")
    return bytes(out)


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


class Thrift:
    """Thrift's compact protocol, as far as Parquet headers use it: structs become {field number: value}."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self._int()
            fields[number] = self._value(head & 15)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._int()
        if kind == 7:
            self.at += 8
            return struct.unpack_from("<d", self.data, self.at - 8)[0]
        if kind == 8:
            length, self.at = varint(self.data, self.at)
            self.at += length
            return self.data[self.at - length : self.at]
        if kind in (9, 10):
            head = self._byte()
            size = head >> 4
            if size == 15:
                size, self.at = varint(self.data, self.at)
            # a boolean in a list takes a byte of its own
            return [self._byte() == 1 if head & 15 in (1, 2) else self._value(head & 15) for _ in range(size)]
        if kind == 12:
            return self.struct()
        raise ProbandError(f"a Thrift value of kind {kind} is not one this reads")

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _int(self) -> int:
        value, self.at = varint(self.data, self.at)
        return (value >> 1) ^ -(value & 1)
