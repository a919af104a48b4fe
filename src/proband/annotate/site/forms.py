"""Forms: a bounded body, clean text. A character that no database can hold or no reader can see is left out."""

from __future__ import annotations

import re
import unicodedata
from typing import Any
from urllib.parse import parse_qsl

LARGEST = 64 * 1024  # bytes of a form
FIELDS = 200
KEPT = "\n\t"
ID = re.compile(r"[A-Za-z0-9-]{8,64}")


def bounded(number: int) -> int:
    """A number from an address, no larger than a column holds."""
    return min(number, 2_147_483_647)


class TooLarge(Exception):
    pass


class BadForm(Exception):
    pass


def clean(text: str) -> str:
    r"""Text as it is stored: one kind of line end, no control characters, no halves of characters.

    >>> clean("a\r\nb\x00\x07c\ud800"), clean("e\u0301")
    ('a\nbc', 'é')
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = (c for c in text if c in KEPT or unicodedata.category(c) not in ("Cc", "Cs"))
    return unicodedata.normalize("NFC", "".join(kept))


async def read_form(request: Any) -> dict[str, str]:
    """The fields of a form, cleaned; the last of several with one name counts."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise BadForm
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST:
            raise TooLarge
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, max_num_fields=FIELDS, encoding="utf-8", errors="strict"
        )
    except (UnicodeDecodeError, ValueError):
        raise BadForm from None
    return {clean(name): clean(value) for name, value in pairs}
