"""What tokens cost: prices per million, in and out."""

from __future__ import annotations

from dataclasses import dataclass

from proband.core.errors import ProbandError


@dataclass(frozen=True)
class Prices:
    """Per million tokens, in the user's currency."""

    into: float
    out: float

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """
        >>> Prices(0.15, 0.6).of(2_000_000, 500_000)
        0.6
        """
        return (prompt_tokens * self.into + completion_tokens * self.out) / 1e6


def read_prices(text: str | None, name: str) -> Prices | None:
    """`0.15,0.6`: in, out.

    >>> read_prices("0.15,0.6", "openai:m")
    Prices(into=0.15, out=0.6)
    """
    if text is None:
        return None
    try:
        into, out = map(float, text.split(","))
        if not (0 <= into < float("inf") and 0 <= out < float("inf")):
            raise ValueError
    except ValueError:
        raise ProbandError(f"{name}: 'prices' are two numbers: per million tokens in, per million out") from None
    return Prices(into, out)
