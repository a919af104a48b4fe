r"""Zero-shot with language models (section 2.4): the option whose analogy sentence has the lowest pseudo-perplexity.

    PPPL(S) = exp(-sum_i log P(w_i | S without i))                                              (equation 1)

Scores are -log PPPL, so higher is preferred. As printed the sum is not divided by the length; `norm` offers that. For a
causal model the same sum runs over log P(w_i | w_<i). PMI subtracts the prior of the option, its score beside a query
that says nothing:

    PMI(option; query) = log P(T(query, option)) - log P(T(something, option))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from msgspec import Meta

from proband.core.protocols import ScoresText, Text
from proband.core.types import Answer, Item
from proband.solvers.likelihood import LikelihoodOptions, method_of, normalised
from proband.suites.analogy.item_pairs import query_and_options
from proband.suites.analogy.relations import Pair
from proband.suites.analogy.templates import DEFAULT, TEMPLATES, fill_spans

NOTHING = ("something", "something")


@dataclass(frozen=True, kw_only=True)
class ScoringOptions(LikelihoodOptions):
    """How an analogy sentence is scored; norm `sum` is equation 1 as printed."""

    template: Annotated[str, Meta(description=f"one of {', '.join(TEMPLATES)}, or text")] = DEFAULT
    span: Annotated[Literal["sentence", "option"], Meta(description="option: only the option's tokens count")] = (
        "sentence"
    )


def _answers(
    items: Sequence[Item], model: ScoresText, *, seed: int, options: ScoringOptions, less_prior: bool
) -> list[Answer]:
    """-log PPPL of each option's sentence, less the option's prior (the same sentence about "something") or not. With
    span `option` only its own tokens count, the query being context."""
    asked = [(*query_and_options(item), item.facts.get("template", options.template)) for item in items]
    texts = dict.fromkeys((query, option, name) for query, choices, name in asked for option in choices)
    if less_prior:
        texts |= dict.fromkeys((NOTHING, option, name) for _, option, name in list(texts))
    scored = model.score(
        [_text(*each, options) for each in texts], method=method_of(model, options.method)
    )  # each distinct (query, option) once
    value = {text: normalised(score, options.norm) for text, score in zip(texts, scored, strict=True)}
    return [
        Answer(
            item_id=item.id,
            scores=tuple(value[query, c, name] - (value[NOTHING, c, name] if less_prior else 0.0) for c in choices),
        )
        for item, (query, choices, name) in zip(items, asked, strict=True)
    ]


def _text(query: Pair, option: Pair, template: str, options: ScoringOptions) -> Text:
    """An item that was varied has a template of its own."""
    text, spans = fill_spans(template, query, option)
    return Text(text, min(spans[2:])[0] if options.span == "option" else 0)


pppl, pmi = partial(_answers, less_prior=False), partial(_answers, less_prior=True)
