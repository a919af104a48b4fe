"""`length:short` and `length:long`: a model without weights that prefers short or long texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.protocols import Score, Text
from proband.models import ModelKind


@dataclass(frozen=True, kw_only=True)
class LengthOptions:
    """Loading a length model."""

    weight: Annotated[float, Meta(description="nats per character", gt=0)] = 1.0


class Length:
    """Scores a text by its number of characters (protocol ScoresText)."""

    methods = ("ll",)

    def __init__(self, *, name: str = "length:short", weight: float = -1.0) -> None:
        self.name, self.weight = name, weight

    def identity(self) -> Mapping[str, str]:
        return {"kind": "length", "weight": repr(self.weight), "version": "1"}

    def score(self, texts: Sequence[Text], *, method: str = "ll") -> list[Score]:
        return [
            Score(self.weight * len(text.text), tokens=len(text.text), words=len(text.text.split())) for text in texts
        ]


def load(rest: str, *, options: LengthOptions) -> Length:
    signs = {"short": -1.0, "long": 1.0}
    if rest not in signs:
        raise ProbandError(f"no model length:{rest}; there are {', '.join(signs)}")
    return Length(name=f"length:{rest}", weight=signs[rest] * options.weight)


KIND = ModelKind(name="length", help="prefers short or long texts: length:short|long", options=LengthOptions, load=load)
