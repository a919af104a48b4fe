"""Forms: a bounded body and clean text. Characters that databases cannot store or readers cannot see are removed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

LARGEST = 64 * 1024  # bytes of a form
FIELDS = 200
KEPT = "\n\t"
ID = re.compile(r"[A-Za-z0-9-]{8,64}")


def number_in(form: Mapping[str, str], name: str) -> int:
    """The number in a field of at most eight digits; -1 if there is none.

    >>> [number_in({"unit": text}, "unit") for text in ("17", "", "-1", "²", "123456789")]
    [17, -1, -1, -1, -1]
    """
    value = form.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 9 else -1


def bounded(number: int) -> int:
    """A number from an address, limited to the size of a column."""
    return min(number, 2_147_483_647)


class Refused(Exception):
    """A request that gets this status and the message of this name."""

    def __init__(self, status: int, name: str) -> None:
        super().__init__(name)
        self.status, self.name = status, name


def clean(text: str) -> str:
    r"""Text as it is stored: uniform line ends, no control characters, no half characters.

    >>> clean("a\r\nb\x00\x07c\ud800"), clean("e\u0301")
    ('a\nbc', 'é')
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = (c for c in text if c in KEPT or unicodedata.category(c) not in ("Cc", "Cs"))
    return unicodedata.normalize("NFC", "".join(kept))


async def read_form(request: Any) -> dict[str, str]:
    """The cleaned fields of a form; the last of several with one name counts."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Refused(400, "bad_form")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST:
            raise Refused(413, "too_large")
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, max_num_fields=FIELDS, encoding="utf-8", errors="strict"
        )
    except (UnicodeDecodeError, ValueError):
        raise Refused(400, "bad_form") from None
    return {clean(name): clean(value) for name, value in pairs}
