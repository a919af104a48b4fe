r"""Fact recall: the model's answer is the one whose sentence it finds likeliest.

    score(y) = log P(wording with subject x and answer y)                                   (BEAR: the sum over tokens)

Every wording is scored by itself; accuracy is the mean over wordings. A causal model reads the sentence from the left:
what precedes the blank is the same for all answers and drops out. A masked model sees both sides, so all tokens
of the sentence count.

The score of an answer without a subject is the *prior*: a model that prefers *London* for every country is
sometimes right. Solver `prior` measures it alone: recall must score higher.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from proband.core.metrics import Metric, accuracy_of
from proband.core.protocols import Floats32, HasVectors, ScoresText, Text, method_of
from proband.core.suite import Solver
from proband.core.types import WRONG, Answer, Item
from proband.solvers import DIRECT
from proband.solvers.generate import Asking, make_generate_solver
from proband.solvers.likelihood import LikelihoodOptions, completions
from proband.solvers.replies import Choices, names_of, read_choice, without_thoughts
from proband.suites.facts.relations import capitalised, prompt_of

NEUTRAL = "it"  # replaces the subject for the prior
DIGITS, COSINE = 4, 6  # decimals of a score in the answers file, and of a cosine


def sentences(prompt: str, choices: Sequence[str], method: str) -> list[Text]:
    """The sentence with each answer; for a masked model all tokens count.

    >>> sentences("The capital of France is ___.", ["Paris"], "pll")
    [Text(text='The capital of France is Paris.', start=0)]
    >>> sentences("___ is the colour of snow.", ["white"], "ll")
    [Text(text='White is the colour of snow.', start=0)]
    """
    texts = completions(prompt, choices)
    return [Text(capitalised(text.text), text.start if method == "ll" else 0) for text in texts]


def sentences_by_wording(item: Item, method: str, subject: str = "") -> list[list[Text]]:
    """The sentences of an item; `subject` replaces its own."""
    prompts = [prompt_of(each, subject) for each in item.facts["wordings"]] if subject else item.facts["prompts"]
    return [sentences(prompt, item.choices, method) for prompt in prompts]


def recall(
    items: Sequence[Item], model: ScoresText, *, seed: int, options: LikelihoodOptions, subject: str = ""
) -> list[Answer]:
    """Score every answer in every wording, in one call of the model; `subject` replaces the subject of each fact."""
    method = method_of(model, options.method)
    batch = [sentences_by_wording(item, method, subject) for item in items]
    scored = iter(model.score([text for item in batch for wording in item for text in wording], method=method))
    return [
        _answer(item, [np.array([next(scored).normalised(options.norm) for _ in wording]) for wording in wordings])
        for item, wordings in zip(items, batch, strict=True)
    ]


def _answer(item: Item, wordings: Sequence[Floats32]) -> Answer:
    """The mean over wordings, and each of them."""
    mean, *rows = (tuple(np.round(row, DIGITS).tolist()) for row in (np.mean(wordings, axis=0), *wordings))
    return Answer(item_id=item.id, scores=mean, blanks=tuple({"scores": list(row)} for row in rows))


def sends(items: Sequence[Item], model: ScoresText, *, seed: int, options: LikelihoodOptions) -> list[list[str]]:
    """The sentences that are scored."""
    method = method_of(model, options.method)
    return [[text.text for each in sentences_by_wording(item, method) for text in each] for item in items]


# ---- vectors of words ----------------------------------------------------------------------------------------------


def offset(items: Sequence[Item], model: HasVectors, *, seed: int, options: Any) -> list[Answer]:
    r"""score(y) = cos(y, x + mean of (y' - x') over the other facts (x', y') of the relation).

    The baseline learns the relation from the other facts, which a language model does not see."""
    words = list(dict.fromkeys(w for item in items for w in (item.facts["subject"], *item.choices)))
    table, known = model.vectors([word.replace("-", " ") for word in words])
    vectors = {word: row for word, row, is_known in zip(words, table, known) if is_known}
    steps: dict[str, dict[str, Floats32]] = {}
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


def _cosine(a: Floats32, b: Floats32) -> float:
    norm = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / norm if norm else -1.0


# ---- replies in words ----------------------------------------------------------------------------------------------


def read_reply(item: Item, reply: str, sent: str) -> Answer:
    """Read the answer that a reply gives, under any of its names; a reply without one is kept and counts as wrong."""
    names = _names(item.choices, item.choices[item.gold or 0], tuple(item.facts.get("accepted", ())))
    read = read_choice(item, reply, sent, names)
    return read if read.scores or not without_thoughts(reply) else Answer(item_id=item.id, text=reply)


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
    options=LikelihoodOptions,
    sends=sends,
)
prior = partial(recall, subject=NEUTRAL)
PRIOR = replace(RECALL, name="prior", help="recall without the subject, a shortcut to beat", solve=prior, sends=None)
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
    """Whether the fact is recalled in each wording; a generated reply counts as one wording."""
    if answer.status in WRONG or not (answer.blanks or answer.scores):
        return [0.0]
    rows = [blank["scores"] for blank in answer.blanks] or [answer.scores]
    return [accuracy_of(item, Answer(item_id=item.id, scores=tuple(row))) or 0.0 for row in rows]


def recalled(item: Item, answer: Answer) -> float | None:
    """The share of wordings in which the right answer is preferred."""
    return None if item.gold is None else float(np.mean(by_wording(item, answer)))


def consistent(item: Item, answer: Answer) -> float | None:
    """ParaRel's consistency: the share of pairs of wordings that give the same answer, right or wrong."""
    chosen = [int(np.argmax(blank["scores"])) for blank in answer.blanks]  # the first of equally good answers
    pairs = [a == b for a, b in combinations(chosen, 2)]
    return sum(pairs) / len(pairs) if pairs else None


def known(item: Item, answer: Answer) -> float | None:
    """Whether the fact is recalled in every wording."""
    return float(min(by_wording(item, answer)) == 1.0) if len(answer.blanks) > 1 else None


METRICS = (
    Metric(name="accuracy", of=recalled),
    Metric(name="known", of=known, title="recalled in every wording"),
    Metric(name="consistency", of=consistent, title="same answer in two wordings"),
)
