"""Records are strict when read, give the same bytes for the same values, and are never changed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from proband.core.files import encode
from proband.core.metrics import Estimate
from proband.core.types import LEFT_OUT, WRONG, Answer, Fact, Item, Judgment, Record, Run

RECORDS: list[Record] = [
    Item(id="a", suite="s", prompt="?", choices=("x", "y"), gold=1, tags={"k": 2}, facts={"clusters": ["c"]}),
    Answer(item_id="a", scores=(0.5, -1.0), status="unread", text="Well."),
    Judgment(item_id="a", worker="w", value="yes", seconds=1.5),
    Run(suite="s", solver="direct", model="baseline:random", seed=0, items_sha="0"),
    Estimate(mean=0.5, low=0.25, high=0.75, n=4),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda each: type(each).__name__)
def test_a_record_comes_back_as_it_was_and_takes_nothing_else(record: Record) -> None:
    written: dict[str, Any] = msgspec.json.decode(encode(record))
    assert msgspec.convert(written, type(record)) == record
    with pytest.raises(msgspec.ValidationError, match="unknown field `more`"):
        msgspec.convert({**written, "more": 1}, type(record))
    with pytest.raises(AttributeError):
        setattr(record, next(iter(written)), "other")


def test_what_was_not_requested_is_not_written() -> None:
    """`logprob` of 0.0 is a number, no logprob is none: a reader can tell them apart."""
    answers = Answer(item_id="a"), Answer(item_id="a", logprob=0.0)
    plain, certain = (msgspec.json.decode(encode(each)) for each in answers)
    assert "logprob" not in plain
    assert certain["logprob"] == 0.0


def test_a_status_is_an_answer_a_wrong_one_or_left_out() -> None:
    every = set(msgspec.inspect.type_info(Answer).fields[4].type.values)  # type: ignore[attr-defined]
    assert every == {"", *WRONG, *LEFT_OUT}
    assert not {*WRONG} & {*LEFT_OUT}


def test_a_fact_is_asserted_unless_it_says_otherwise() -> None:
    assert Fact("Ann", "parent", "Bo") == ("Ann", "parent", "Bo", None, False, -1)
