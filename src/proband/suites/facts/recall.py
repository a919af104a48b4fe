r"""Recalling a fact: of the sentences with each answer, which does the model find likeliest?

    score(y) = log P(wording with subject x and answer y)                                   (BEAR: the sum over tokens)
    pmi(y)   = score(y) - log P(the same wording with a word that says nothing in place of x and answer y)

Every wording is scored by itself; accuracy is the mean over wordings. A causal model reads the sentence from the left:
what stands before the blank is the same for all answers and drops out. A masked model sees both sides, so all tokens
of the sentence count.

What an answer gets without a subject is the *prior*: a model that prefers *London* whatever the country is right about
some countries. Solver `prior` asks for it alone, and its accuracy is what recall has to be above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.metrics import Metric, accuracy_of
from proband.core.protocols import Floats, HasVectors, Score, ScoresText, Text
from proband.core.suite import Solver
from proband.core.types import WRONG, Answer, Item
from proband.solvers import DIRECT
from proband.solvers.generate import Asking, make_generate_solver
from proband.solvers.likelihood import completions, method_of
from proband.solvers.replies import Choices, names_of, without_thoughts
from proband.suites.facts.relations import asked, capitalised

NEUTRAL = "it"  # stands for the subject where the prior is asked for
DIGITS = 4  # of a score in the answers file


@dataclass(frozen=True, kw_only=True)
class RecallOptions:
    """How the sentences are scored."""

    method: Annotated[
        str, Meta(description="pll, pll-word-l2r, pll-whole-word (masked), ll (causal); default: first")
    ] = ""
    norm: Annotated[
        Literal["sum", "token", "pmi"],
        Meta(description="sum over tokens (as BEAR), mean per token, or sum less the prior"),
    ] = "sum"


def prompts_of(item: Item) -> list[str]:
    """The fact in every wording; a varied item may have one alone."""
    return list(item.facts.get("prompts") or [item.prompt])


def neutral_prompts(item: Item) -> list[str]:
    """The same wordings about nothing."""
    wordings = item.facts.get("wordings")
    if not wordings:
        raise ProbandError(f"{item.id} has no 'wordings' in its facts: its prior cannot be asked for")
    return [asked(wording, NEUTRAL) for wording in wordings]


def sentences(prompt: str, choices: Sequence[str], method: str) -> list[Text]:
    """The sentence with each answer; of a masked model all tokens count.

    >>> sentences("The capital of France is ___.", ["Paris"], "pll")
    [Text(text='The capital of France is Paris.', start=0)]
    >>> sentences("___ is the colour of snow.", ["white"], "ll")
    [Text(text='White is the colour of snow.', start=0)]
    """
    texts = completions(prompt, choices)
    return [Text(capitalised(text.text), text.start if method == "ll" else 0) for text in texts]


def recall(items: Sequence[Item], model: ScoresText, *, seed: int, options: RecallOptions) -> list[Answer]:
    """One score per answer and wording; all sentences in one call of the model."""
    if options.norm == "pmi":
        plain = _scores(items, model, options, prompts_of)
        prior = _scores(items, model, options, neutral_prompts)
        return [_answer(item, [a - b for a, b in zip(*each)]) for item, each in zip(items, zip(plain, prior))]
    return [_answer(item, scores) for item, scores in zip(items, _scores(items, model, options, prompts_of))]


def prior(items: Sequence[Item], model: ScoresText, *, seed: int, options: RecallOptions) -> list[Answer]:
    """The same of wordings without a subject."""
    return [_answer(item, scores) for item, scores in zip(items, _scores(items, model, options, neutral_prompts))]


def _scores(items: Sequence[Item], model: ScoresText, options: RecallOptions, prompts: Any) -> list[list[Floats]]:
    """Of each item, a row of scores for each wording."""
    method = method_of(model, options.method)
    batch = [[sentences(prompt, item.choices, method) for prompt in prompts(item)] for item in items]
    scored = iter(model.score([text for item in batch for wording in item for text in wording], method=method))
    by_token = options.norm == "token"
    return [
        [np.array([_value(next(scored), by_token) for _ in wording], dtype=np.float64) for wording in item]
        for item in batch
    ]


def _value(score: Score, by_token: bool) -> float:
    return score.total / max(score.tokens, 1) if by_token else score.total


def _answer(item: Item, wordings: Sequence[Floats]) -> Answer:
    """The mean over wordings, and each of them."""
    mean = np.mean(wordings, axis=0)
    kept = tuple({"scores": [round(float(score), DIGITS) for score in scores]} for scores in wordings)
    return Answer(item_id=item.id, scores=tuple(round(float(score), DIGITS) for score in mean), blanks=kept)


def sends(items: Sequence[Item], model: ScoresText, *, seed: int, options: RecallOptions) -> list[list[str]]:
    """The sentences that are scored."""
    method = method_of(model, options.method)
    return [
        [text.text for prompt in prompts_of(item) for text in sentences(prompt, item.choices, method)] for item in items
    ]


# ---- word vectors --------------------------------------------------------------------------------------------------


def offset(items: Sequence[Item], model: HasVectors, *, seed: int, options: Any) -> list[Answer]:
    r"""score(y) = cos(y, x + mean of (y' - x') over the other facts (x', y') of the relation).

    The baseline learns the relation from the other facts, which a language model is not shown."""
    words = list(dict.fromkeys(w for item in items for w in (item.facts["subject"], *item.choices)))
    vectors = {word: vector for word, vector in zip(words, _vectors(model, words)) if vector is not None}
    steps: dict[str, list[Floats]] = {}
    for item in items:
        if (pair := _known_pair(item, vectors)) is not None:
            steps.setdefault(str(item.tags["relation"]), []).append(pair[1] - pair[0])
    totals = {relation: (np.sum(listed, axis=0), len(listed)) for relation, listed in steps.items()}
    return [_nearest(item, vectors, *totals.get(str(item.tags["relation"]), (0.0, 0))) for item in items]


def _vectors(model: HasVectors, names: Sequence[str]) -> list[Floats | None]:
    """A name of several words is the mean of theirs; None where one is unknown."""
    parts = [name.replace("-", " ").split() for name in names]
    flat = list(dict.fromkeys(spelled for each in parts for word in each for spelled in (word, word.lower())))
    table, known = model.vectors(flat)
    rows = {word: table[at] for at, word in enumerate(flat) if known[at]}
    known_parts = [[word if word in rows else word.lower() for word in each] for each in parts]
    return [
        np.mean([rows[word] for word in each], axis=0) if each and all(word in rows for word in each) else None
        for each in known_parts
    ]


def _known_pair(item: Item, vectors: Mapping[str, Floats]) -> tuple[Floats, Floats] | None:
    pair = vectors.get(item.facts["subject"]), vectors.get(item.facts["object"])
    return None if pair[0] is None or pair[1] is None else (pair[0], pair[1])


def _nearest(item: Item, vectors: Mapping[str, Floats], total: Any, count: int) -> Answer:
    pair = _known_pair(item, vectors)
    missing = [word for word in (item.facts["subject"], *item.choices) if word not in vectors]
    if pair is None or count < 2:
        return Answer(item_id=item.id, text=f"no vector for {', '.join(missing[:3])}", status="not covered")
    goal = pair[0] + (total - (pair[1] - pair[0])) / (count - 1)
    scores = []
    for choice in item.choices:
        vector = vectors.get(choice)
        norm = 0.0 if vector is None else float(np.linalg.norm(vector) * np.linalg.norm(goal))
        scores.append(float(vector @ goal) / norm if vector is not None and norm else -1.0)
    return Answer(item_id=item.id, scores=tuple(round(score, 6) for score in scores))


# ---- replies in words ----------------------------------------------------------------------------------------------


def read_reply(item: Item, reply: str, sent: str) -> Answer:
    """The answer that a reply names, by any of its names; a reply that names none is wrong, and kept."""
    if not without_thoughts(reply):
        return Answer(item_id=item.id, text=reply, status="unread")
    place = _names(item.choices, item.choices[item.gold or 0], tuple(item.facts.get("accepted", ()))).read(reply)
    scores = () if place is None else tuple(float(i == place) for i in range(len(item.choices)))
    return Answer(item_id=item.id, text=reply, scores=scores)


@cache
def _names(choices: tuple[str, ...], right: str, accepted: tuple[str, ...]) -> Choices:
    return Choices(names_of(choices, {name: right.casefold() for name in accepted}))


ASKING = Asking(
    prompts=Path(__file__).parent / "prompts",
    default="open",
    read=read_reply,
    answer=lambda item: item.choices[item.gold or 0],
)
RECALL = Solver(
    name="likelihood",
    help="the answer that makes the sentence likeliest, in every wording",
    needs=ScoresText,
    solve=recall,
    options=RecallOptions,
    sends=sends,
)
PRIOR = replace(
    RECALL, name="prior", help="the same without a subject: what recall has to be above", solve=prior, sends=None
)
OFFSET = Solver(
    name="offset",
    help="word vectors: the mean step from subject to object, learned from the other facts",
    needs=HasVectors,
    solve=offset,
    needs_all_items=True,
)
SOLVERS = (DIRECT, RECALL, PRIOR, make_generate_solver(ASKING), OFFSET)


# ---- metrics -------------------------------------------------------------------------------------------------------


def _by_wording(item: Item, answer: Answer) -> list[float]:
    """Whether the fact is recalled in each wording."""
    return [accuracy_of(item, Answer(item_id=item.id, scores=tuple(blank["scores"]))) or 0.0 for blank in answer.blanks]


def recalled(item: Item, answer: Answer) -> float | None:
    """The share of wordings in which the right answer is preferred.

    >>> item = Item(id="a", suite="facts", prompt="?", choices=("Paris", "Rome"), gold=0)
    >>> both = ({"scores": [-1.0, -2.0]}, {"scores": [-3.0, -2.0]})
    >>> recalled(item, Answer(item_id="a", scores=(-2.0, -2.0), blanks=both))
    0.5
    """
    if answer.status in WRONG:
        return 0.0
    if answer.blanks:
        rights = _by_wording(item, answer)
        return sum(rights) / len(rights)
    return accuracy_of(item, answer) if answer.scores else 0.0


def chosen(answer: Answer) -> list[int]:
    """The answer preferred in each wording; of several, the first."""
    return [int(np.argmax(blank["scores"])) for blank in answer.blanks]


def consistent(item: Item, answer: Answer) -> float | None:
    """ParaRel's consistency: of the pairs of wordings, the share that give the same answer, right or wrong.

    >>> item = Item(id="a", suite="facts", prompt="?", choices=("Paris", "Rome"), gold=0)
    >>> three = ({"scores": [2, 1]}, {"scores": [2, 1]}, {"scores": [1, 2]})
    >>> round(consistent(item, Answer(item_id="a", blanks=three)), 3)
    0.333
    """
    given = chosen(answer)
    pairs = [a == b for at, a in enumerate(given) for b in given[at + 1 :]]
    return sum(pairs) / len(pairs) if pairs else None


def known(item: Item, answer: Answer) -> float | None:
    """Whether the fact is recalled in every wording."""
    rights = _by_wording(item, answer)
    return float(min(rights) == 1.0) if len(rights) > 1 else None


def right_if_consistent(item: Item, answer: Answer) -> float | None:
    """Of the facts that get one answer in all wordings: whether it is right."""
    given = set(chosen(answer))
    return float(given == {item.gold}) if len(answer.blanks) > 1 and len(given) == 1 else None


def reciprocal_rank(item: Item, answer: Answer) -> float | None:
    """1 / place of the right answer, mean over wordings; a tie takes the middle place."""
    if answer.status in WRONG:
        return 0.0
    rows = [blank["scores"] for blank in answer.blanks] or ([answer.scores] if answer.scores else [])
    if not rows or item.gold is None:
        return None
    return float(np.mean([1 / _rank(np.asarray(row), item.gold) for row in rows]))


def _rank(scores: Floats, gold: int) -> float:
    """
    >>> _rank(np.array([0.1, 0.5, 0.5]), 1)
    1.5
    """
    return float((scores > scores[gold]).sum() + ((scores == scores[gold]).sum() + 1) / 2)


ACCURACY = Metric(name="accuracy", of=recalled)
METRICS = (
    ACCURACY,
    Metric(name="known", of=known, title="recalled in every wording"),
    Metric(name="consistency", of=consistent, title="same answer in two wordings"),
    Metric(name="right_if_consistent", of=right_if_consistent, title="right, where all wordings give one answer"),
    Metric(name="reciprocal_rank", of=reciprocal_rank, title="1 / place of the right answer"),
)
