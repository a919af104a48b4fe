"""Forms: what is too large or no form is refused, and what is stored is clean."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from proband_annotate.site.forms import FIELDS, LARGEST, Refused, bounded, read_form

FORM = "application/x-www-form-urlencoded"


def read(*chunks: bytes, kind: str = FORM) -> dict[str, str]:
    async def stream() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    form = read_form(SimpleNamespace(headers={"content-type": kind}, stream=stream))
    with ThreadPoolExecutor(1) as apart:  # the browser of other tests has a loop in this thread
        return apart.submit(asyncio.run, form).result()


def test_fields_are_clean_and_the_last_of_one_name_counts() -> None:
    body = b"text=a%0D%0Ab%00%07&accent=e%CC%81&unit=1&unit=2&empty="
    wanted = {"text": "a\nb", "accent": "\u00e9", "unit": "2", "empty": ""}
    assert read(body) == read(body[:9], body[9:]) == read(body, kind=f"{FORM.upper()}; charset=utf-8") == wanted


@pytest.mark.parametrize(
    ("body", "kind", "refused"),
    [
        (b"a=1", "application/json", (400, "bad_form")),
        (b"a=1", "", (400, "bad_form")),
        (b"a=%FF", FORM, (400, "bad_form")),  # no UTF-8
        ("a=\u00e9".encode(), FORM, (400, "bad_form")),  # not encoded
        (b"a=1&" * FIELDS + b"a=1", FORM, (400, "bad_form")),
        (b"a=" + b"x" * (LARGEST - 1), FORM, (413, "too_large")),
    ],
)
def test_what_is_no_form_is_refused(body: bytes, kind: str, refused: tuple[int, str]) -> None:
    with pytest.raises(Refused) as caught:
        read(body, kind=kind)
    assert (caught.value.status, caught.value.name) == refused


def test_the_largest_forms_are_read() -> None:
    assert len(read(b"a=" + b"x" * (LARGEST - 2))["a"]) == LARGEST - 2
    assert read(b"&".join([b"a=1"] * FIELDS)) == {"a": "1"}
    assert (bounded(7), bounded(2**31)) == (7, 2**31 - 1)
