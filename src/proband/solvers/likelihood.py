r"""Solver `likelihood`: prefer the choice that makes the completed prompt likeliest.

    score(choice) = log P(choice and what follows it | what precedes it)

is the sum over the tokens, or the mean per token or word. A prompt has a blank (`___`) for the choice; without a blank
the choice follows the prompt as "Answer: choice".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from proband.core.protocols import Norm, ScoresText, Text, method_of
from proband.core.suite import Solver
from proband.core.types import Answer, Item


@dataclass(frozen=True, kw_only=True)
class LikelihoodOptions:
    """How the tokens of a choice are scored."""

    method: Annotated[
        str, Meta(description="pll, pll-word-l2r, pll-whole-word (masked), ll (causal); default: first")
    ] = ""
    norm: Annotated[Norm, Meta(description="sum of log-probabilities, or their mean per token or word")] = "sum"


def completions(prompt: str, choices: Sequence[str]) -> list[Text]:
    """The prompt completed with each choice; the text before the choice is context.

    >>> completions("Story.\\nSharon is the ___ of Arthur.", ["aunt", "niece"])[1]
    Text(text='Story.\\nSharon is the niece of Arthur.', start=20)
    """
    before, blank, after = prompt.rpartition("___")
    before = before.rstrip("_")  # a blank may be longer
    if not blank:
        before, after = f"{prompt}\nAnswer: ", ""
    return [Text(before + choice + after, start=len(before.rstrip())) for choice in choices]


def solve(items: Sequence[Item], model: ScoresText, *, seed: int, options: LikelihoodOptions) -> list[Answer]:
    """One score per choice of every item, all texts in one call of the model."""
    batch = [completions(item.prompt, item.choices) for item in items]
    scored = iter(model.score([text for each in batch for text in each], method=method_of(model, options.method)))
    return [
        Answer(item_id=item.id, scores=tuple(next(scored).normalised(options.norm) for _ in each))
        for item, each in zip(items, batch, strict=True)
    ]


def sends(items: Sequence[Item], model: ScoresText, *, seed: int, options: LikelihoodOptions) -> list[list[str]]:
    """The texts that are scored."""
    return [[text.text for text in completions(item.prompt, item.choices)] for item in items]


LIKELIHOOD = Solver(
    name="likelihood",
    help="the choice that makes the completed prompt likeliest",
    needs=ScoresText,
    solve=solve,
    options=LikelihoodOptions,
    sends=sends,
)
