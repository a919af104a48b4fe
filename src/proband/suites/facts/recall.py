r"""Recalling a fact: of the sentences with each answer, which does the model find likeliest?

    score(y) = log P(wording with subject x and answer y)                                   (BEAR: the sum over tokens)

Every wording is scored by itself; accuracy is the mean over wordings. A causal model reads the sentence from the left:
what precedes the blank is the same for all answers and drops out. A masked model sees both sides, so all tokens
of the sentence count.

What an answer gets without a subject is the *prior*: a model that prefers *London* whatever the country is right about
some countries. Solver `prior` measures it alone: recall must score higher.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.metrics import Metric, accuracy_of, method_of, normalised
from proband.core.protocols import Floats, HasVectors, ScoresText, Text
from proband.core.suite import Solver
from proband.core.types import WRONG, Answer, Item
from proband.solvers import DIRECT
from proband.solvers.generate import Asking, make_generate_solver
from proband.solvers.likelihood import completions
from proband.solvers.replies import Choices, names_of, without_thoughts
from proband.suites.facts.relations import asked, capitalised

NEUTRAL = "it"  # stands for the subject where the prior is asked for
DIGITS, COSINE = 4, 6  # of a score in the answers file, and of a cosine


@dataclass(frozen=True, kw_only=True)
class RecallOptions:
    """How the sentences are scored."""

    method: Annotated[
        str, Meta(description="pll, pll-word-l2r, pll-whole-word (masked), ll (causal); default: first")
    ] = ""
    norm: Annotated[Literal["sum", "token"], Meta(description="sum over tokens (as BEAR), or mean per token")] = "sum"


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
    return [_answer(item, scores) for item, scores in zip(items, _scores(items, model, options, prompts_of))]


def prior(items: Sequence[Item], model: ScoresText, *, seed: int, options: RecallOptions) -> list[Answer]:
    """The same of wordings without a subject."""
    return [_answer(item, scores) for item, scores in zip(items, _scores(items, model, options, neutral_prompts))]


def _scores(
    items: Sequence[Item], model: ScoresText, options: RecallOptions, prompts: Callable[[Item], list[str]]
) -> list[list[Floats]]:
    """Of each item, a row of scores for each wording."""
    method = method_of(model, options.method)
    batch = [[sentences(prompt, item.choices, method) for prompt in prompts(item)] for item in items]
    scored = iter(model.score([text for item in batch for wording in item for text in wording], method=method))
    return [[np.array([normalised(next(scored), options.norm) for _ in wording]) for wording in item] for item in batch]


def _answer(item: Item, wordings: Sequence[Floats]) -> Answer:
    """The mean over wordings, and each of them."""
    mean, *rows = (tuple(np.round(row, DIGITS).tolist()) for row in (np.mean(wordings, axis=0), *wordings))
    return Answer(item_id=item.id, scores=mean, blanks=tuple({"scores": list(row)} for row in rows))


def sends(items: Sequence[Item], model: ScoresText, *, seed: int, options: RecallOptions) -> list[list[str]]:
    """The sentences that are scored."""
    method = method_of(model, options.method)
    return [
        [text.text for prompt in prompts_of(item) for text in sentences(prompt, item.choices, method)] for item in items
    ]


# ---- vectors of words ----------------------------------------------------------------------------------------------


def offset(items: Sequence[Item], model: HasVectors, *, seed: int, options: Any) -> list[Answer]:
    r"""score(y) = cos(y, x + mean of (y' - x') over the other facts (x', y') of the relation).

    The baseline learns the relation from the other facts, which a language model is not shown."""
    words = list(dict.fromkeys(w for item in items for w in (item.facts["subject"], *item.choices)))
    table, known = model.vectors([word.replace("-", " ") for word in words])
    vectors = {word: row for word, row, is_known in zip(words, table, known) if is_known}
    steps: dict[str, dict[str, Floats]] = {}
    for item in items:
        x, y = (vectors.get(item.facts[name]) for name in ("subject", "object"))
        if x is not None and y is not None:
            steps.setdefault(str(item.tags["relation"]), {})[item.id] = y - x
    totals = {relation: np.sum(list(each.values()), axis=0) for relation, each in steps.items()}
    answers = []
    for item in items:
        relation, x = str(item.tags["relation"]), vectors.get(item.facts["subject"])
        own = steps.get(relation, {}).get(item.id)
        if x is None or own is None or len(steps[relation]) < 2:
            missing = [word for word in (item.facts["subject"], *item.choices) if word not in vectors]
            text = f"no vector for {', '.join(missing[:3])}"
            answers.append(Answer(item_id=item.id, text=text, status="not covered"))
            continue
        goal = x + (totals[relation] - own) / (len(steps[relation]) - 1)
        scores = (_cosine(vectors[y], goal) if y in vectors else -1.0 for y in item.choices)
        answers.append(Answer(item_id=item.id, scores=tuple(round(score, COSINE) for score in scores)))
    return answers


def _cosine(a: Floats, b: Floats) -> float:
    norm = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / norm if norm else -1.0


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
    RECALL, name="prior", help="without the subject: the shortcut that recall must beat", solve=prior, sends=None
)
OFFSET = Solver(
    name="offset",
    help="word vectors: the mean offset from subject to object, learned from the other facts",
    needs=HasVectors,
    solve=offset,
    needs_all_items=True,
)
SOLVERS = (DIRECT, RECALL, PRIOR, make_generate_solver(ASKING), OFFSET)


# ---- metrics -------------------------------------------------------------------------------------------------------


def by_wording(item: Item, answer: Answer) -> list[float]:
    """Whether the fact is recalled in each wording; a reply in words is one."""
    if answer.status in WRONG or not (answer.blanks or answer.scores):
        return [0.0]
    rows = [blank["scores"] for blank in answer.blanks] or [answer.scores]
    return [accuracy_of(item, Answer(item_id=item.id, scores=tuple(row))) or 0.0 for row in rows]


def recalled(item: Item, answer: Answer) -> float | None:
    """The share of wordings in which the right answer is preferred.

    >>> item = Item(id="a", suite="facts", prompt="?", choices=("Paris", "Rome"), gold=0)
    >>> both = ({"scores": [-1.0, -2.0]}, {"scores": [-3.0, -2.0]})
    >>> recalled(item, Answer(item_id="a", scores=(-2.0, -2.0), blanks=both))
    0.5
    """
    return None if item.gold is None else float(np.mean(by_wording(item, answer)))


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
    pairs = [a == b for a, b in combinations(chosen(answer), 2)]
    return sum(pairs) / len(pairs) if pairs else None


def known(item: Item, answer: Answer) -> float | None:
    """Whether the fact is recalled in every wording."""
    return float(min(by_wording(item, answer)) == 1.0) if len(answer.blanks) > 1 else None


METRICS = (
    Metric(name="accuracy", of=recalled),
    Metric(name="known", of=known, title="recalled in every wording"),
    Metric(name="consistency", of=consistent, title="same answer in two wordings"),
)
