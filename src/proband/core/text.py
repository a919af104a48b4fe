"""Names made safe, and the fingerprint of a data set."""

from __future__ import annotations

import hashlib
import re

MODULUS = 1 << 256


def slug(name: str) -> str:
    """A name that is safe as a file name and an anchor.

    >>> slug("Groups × probes / v1"), slug("hf:FacebookAI/roberta-base")
    ('groups-probes-v1', 'hf-facebookai-roberta-base')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "x"


class Fingerprint:
    """Of the content of a data set, whatever its files are called and however its records are ordered: the sum of the
    sha256 of all records, as 64 hexadecimal digits.

    >>> one, other = Fingerprint(), Fingerprint()
    >>> for record in ("a", "b"): one.add(record)
    >>> for record in ("b", "a"): other.add(record)
    >>> one.hex() == other.hex() != Fingerprint().hex()
    True
    """

    def __init__(self) -> None:
        self.sum = 0

    def add(self, *fields: object) -> None:
        text = "\x1f".join(map(str, fields))
        self.sum = (self.sum + int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")) % MODULUS

    def hex(self) -> str:
        return f"{self.sum:064x}"
