"""Options by name and value, from text and as they are; what is none is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest

from proband.core.errors import ProbandError
from proband.core.plugins import Meta, described, read_options


@dataclass(frozen=True, kw_only=True)
class Some:
    min_count: Annotated[int, Meta(description="fewest", ge=1)] = 5
    made_from: Annotated[Literal["right", "paper"], Meta(description="which")] = "right"


def test_names_with_either_mark_and_values_as_text() -> None:
    assert read_options(Some, {"min-count": "2", "made_from": "paper"}, of="x") == Some(min_count=2, made_from="paper")
    assert [(field.name, field.choices) for field in described(Some)] == [
        ("min-count", ()),
        ("made-from", ("right", "paper")),
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"least": 1}, "x has no option 'least'; it has made-from, min-count"),
        ({"made-from": "printed"}, "x: 'made-from' is 'printed'; it must be one of right, paper"),
        ({"min-count": "0"}, "x: 'min-count'"),
    ],
)
def test_what_is_no_option_is_named(given: dict[str, object], message: str) -> None:
    with pytest.raises(ProbandError) as error:
        read_options(Some, given, of="x")
    assert str(error.value).startswith(message)


def test_help_is_in_sentence_case() -> None:
    """A text that begins with the values of the option keeps them as they are typed."""

    @dataclass(frozen=True, kw_only=True)
    class Options:
        count: Annotated[int, Meta(description="number of stories")] = 1
        device: Annotated[str, Meta(description="cpu, cuda or auto")] = "auto"
        plain: int = 0

    assert [field.help for field in described(Options)] == ["Number of stories.", "cpu, cuda or auto.", ""]
