"""Zero-shot with language models (section 2.4): the option whose analogy sentence has the lowest pseudo-perplexity.

    PPPL(S) = exp(-sum_i log P(w_i | S without i))                                              (equation 1)

Scores are -log PPPL, so higher is preferred. As printed the sum is not divided by the length; `norm` offers that. For a
causal model the same sum runs over log P(w_i | w_<i). PMI subtracts the prior of the option, its score with an
uninformative query:

    PMI(option; query) = log P(T(query, option)) - log P(T(something, option))
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.protocols import ScoresText, Text, method_of
from proband.core.types import Answer, Item
from proband.solvers.likelihood import LikelihoodOptions
from proband.suites.analogy.relations import Pair, facts_of, query_and_options

# ---- analogy templates T: a sentence with places for two tuples (section 2 of the paper) ---------------------------
# The first is the paper's ("the most reliable general-purpose prompt", section 2.4). The others are paraphrases, to
# check that a conclusion does not depend on the template.


TEMPLATES = {
    "what-is-to": "What {h1} is to {t1}, {h2} is to {t2}.",
    "is-to-as": "{h1} is to {t1} as {h2} is to {t2}.",
    "to-what": "{h1} is to {t1} what {h2} is to {t2}.",
    "to-is-like": "{h1} to {t1} is like {h2} to {t2}.",
    "relation-same": "The relation between {h1} and {t1} is the same as the relation between {h2} and {t2}.",
    "goes-with": "{h1} goes with {t1} in the same way as {h2} goes with {t2}.",
    "colons": "{h1} : {t1} :: {h2} : {t2}",
}
DEFAULT = "what-is-to"
PLACES = ("{h1}", "{t1}", "{h2}", "{t2}")
Span = tuple[int, int]


def pattern(name: str) -> str:
    """The template of that name; a text with the four places is itself a template.

    >>> pattern("colons"), pattern("{h1}/{t1} = {h2}/{t2}")
    ('{h1} : {t1} :: {h2} : {t2}', '{h1}/{t1} = {h2}/{t2}')
    """
    template = TEMPLATES.get(name, name)
    if any(template.count(place) != 1 for place in PLACES):
        raise ProbandError(
            f"no template {name!r}: there are {', '.join(TEMPLATES)}, or give text with {' '.join(PLACES)}"
        )
    return template


def fill(template: str, query: Pair, option: Pair) -> str:
    """
    >>> fill("what-is-to", ("Paris", "France"), ("Rome", "Italy"))
    'What Paris is to France, Rome is to Italy.'
    """
    return fill_spans(template, query, option)[0]


def fill_spans(template: str, query: Pair, option: Pair) -> tuple[str, tuple[Span, Span, Span, Span]]:
    """The sentence, and the character spans of h1, t1, h2, t2.

    >>> text, spans = fill_spans("is-to-as", ("Paris", "France"), ("Rome", "Italy"))
    >>> [text[a:b] for a, b in spans]
    ['Paris', 'France', 'Rome', 'Italy']
    """
    words = dict(zip(PLACES, (*query, *option), strict=True))
    text, spans = "", {}
    for part in re.split(r"(\{[ht][12]\})", pattern(template)):
        word = words.get(part, part)
        spans[part] = (len(text), len(text) + len(word))
        text += word
    return text, (spans["{h1}"], spans["{t1}"], spans["{h2}"], spans["{t2}"])


def template_of(item: Item) -> str:
    """The template that an item is built with."""
    return facts_of(item).template or DEFAULT


def question(template: str, query: Pair) -> str:
    """The question of an item.

    >>> question("what-is-to", ("Paris", "France"))
    'Which pair completes the analogy? What Paris is to France, ___ is to ___.'
    """
    return "Which pair completes the analogy? " + fill(template, query, ("___", "___"))


# ---- the solver -----------------------------------------------------------------------------------------------------


NOTHING = ("something", "something")


@dataclass(frozen=True, kw_only=True)
class ScoringOptions(LikelihoodOptions):
    """How an analogy sentence is scored; norm `sum` is equation 1 as printed."""

    template: Annotated[str, Meta(description=f"one of {', '.join(TEMPLATES)}, or text; items' own first")] = DEFAULT
    span: Annotated[
        Literal["sentence", "option"], Meta(description="texts to score: the sentence, or only the option's tokens")
    ] = "sentence"


def _answers(
    items: Sequence[Item], model: ScoresText, *, seed: int, options: ScoringOptions, less_prior: bool
) -> list[Answer]:
    """-log PPPL of each option's sentence, minus the option's prior (the same sentence about "something") if
    `less_prior`. With span `option` only its own tokens count; the query is context."""
    questions = [(*query_and_options(item), facts_of(item).template or options.template) for item in items]
    texts = dict.fromkeys((query, option, name) for query, choices, name in questions for option in choices)
    if less_prior:
        texts |= dict.fromkeys((NOTHING, option, name) for _, option, name in list(texts))
    scored = model.score(
        [_text(*each, options) for each in texts], method=method_of(model, options.method)
    )  # each distinct (query, option) once
    value = {text: score.normalised(options.norm) for text, score in zip(texts, scored, strict=True)}
    return [
        Answer(
            item_id=item.id,
            scores=tuple(value[query, c, name] - (value[NOTHING, c, name] if less_prior else 0.0) for c in choices),
        )
        for item, (query, choices, name) in zip(items, questions, strict=True)
    ]


def _text(query: Pair, option: Pair, template: str, options: ScoringOptions) -> Text:
    text, spans = fill_spans(template, query, option)
    return Text(text, min(spans[2:])[0] if options.span == "option" else 0)


pppl, pmi = partial(_answers, less_prior=False), partial(_answers, less_prior=True)
