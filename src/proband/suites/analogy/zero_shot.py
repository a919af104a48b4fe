r"""Zero-shot with language models (section 2.4): the option whose analogy sentence has the lowest pseudo-perplexity.

    PPPL(S) = exp(-sum_i log P(w_i | S without i))                                              (equation 1)

Scores are -log PPPL, so higher is preferred. As printed the sum is not divided by the length; `norm` offers that. For a
causal model the same sum runs over log P(w_i | w_<i). PMI takes away what the option is worth on its own:

    PMI(option; query) = log P(T(query, option)) - log P(T(something, option))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proband.core.errors import ProbandError
from proband.core.protocols import AnswersItems, Chooses, Question, Score, ScoresText, Text
from proband.core.types import Answer, Item
from proband.suites.analogy.reading import query_and_options
from proband.suites.analogy.relations import Pair
from proband.suites.analogy.templates import DEFAULT, fill, option_start

NORMS: dict[str, Callable[[Score], float]] = {
    "sum": lambda score: score.total,  # equation 1 as printed
    "token": lambda score: score.total / max(1, score.tokens),
    "word": lambda score: score.total / max(1, score.words),
}
ANYTHING = ("something", "something")


def pppl(
    items: Sequence[Item],
    model: ScoresText,
    *,
    seed: int,
    template: str = DEFAULT,
    norm: str = "sum",
    method: str = "",
    span: str = "sentence",
) -> list[Answer]:
    """-log PPPL of each option's sentence. With span `option` only its own tokens count, the query being context."""
    wanted = {item.id: query_and_options(item) for item in items}
    texts = {
        (query, option): _text(template, query, option, span)
        for query, options in wanted.values()
        for option in options
    }
    values = score_distinct(list(texts.values()), model, method=method, norm=norm)
    return [
        Answer(item_id=item.id, scores=tuple(values[texts[query, option]] for option in options))
        for item in items
        for query, options in [wanted[item.id]]
    ]


def pmi(
    items: Sequence[Item],
    model: ScoresText,
    *,
    seed: int,
    template: str = DEFAULT,
    norm: str = "sum",
    method: str = "",
    span: str = "sentence",
) -> list[Answer]:
    """log P of the sentence, less log P of the same sentence about "something"."""
    wanted = {item.id: query_and_options(item) for item in items}
    joint, alone = {}, {}
    for query, options in wanted.values():
        for option in options:
            joint[query, option] = _text(template, query, option, span)
            alone[option] = _text(template, ANYTHING, option, span)
    values = score_distinct([*joint.values(), *alone.values()], model, method=method, norm=norm)
    return [
        Answer(
            item_id=item.id,
            scores=tuple(values[joint[query, option]] - values[alone[option]] for option in options),
        )
        for item in items
        for query, options in [wanted[item.id]]
    ]


def _text(template: str, query: Pair, option: Pair, span: str) -> Text:
    if span not in ("sentence", "option"):
        raise ProbandError(f"'span' is {span!r}; there are sentence, option")
    start = option_start(template, query, option) if span == "option" else 0
    return Text(fill(template, query, option), start)


def score_distinct(texts: Sequence[Text], model: ScoresText, *, method: str, norm: str) -> dict[Text, float]:
    """Each distinct text once, in one call."""
    if norm not in NORMS:
        raise ProbandError(f"'norm' is {norm!r}; there are {', '.join(NORMS)}")
    method = method or model.methods[0]
    if method not in model.methods:
        raise ProbandError(f"'method' is {method!r}; this model has {', '.join(model.methods)}")
    distinct = list(dict.fromkeys(texts))
    return {
        text: NORMS[norm](score) for text, score in zip(distinct, model.score(distinct, method=method), strict=True)
    }


def choose(items: Sequence[Item], model: Chooses, *, seed: int) -> list[Answer]:
    """The question put in words."""
    asked = [Question(item.prompt, item.choices) for item in items]
    return [
        Answer(item_id=item.id, scores=tuple(choice.scores), text=choice.text)
        for item, choice in zip(items, model.choose(asked), strict=True)
    ]


def as_is(items: Sequence[Item], model: AnswersItems, *, seed: int) -> list[Answer]:
    """For baselines, which take items as they are."""
    return list(model.answer(items))
