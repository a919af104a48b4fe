r"""a : b :: c : ? over a whole vocabulary, the classical way to ask word vectors for analogies.

All vectors have length 1, and the answer d is the word of the vocabulary that maximises

    3CosAdd        cos(d, b) - cos(d, a) + cos(d, c)                      (Mikolov et al. 2013)
    3CosMul        cos(d, b) cos(d, c) / (cos(d, a) + eps)                (Levy & Goldberg 2014; cosines in [0, 1])
    PairDirection  cos(d - c, b - a)
    LRCos          P(d is a tail of R) cos(d, c)                          (Drozd et al. 2016)
    similar-to-b   cos(d, c)                                              (control: nothing is learnt from a : b)

with a, b and c excluded from the answers or not (Linzen 2016 shows how much the exclusion does). P is a logistic
regression that has seen the relation's other tuples. A question is right if any accepted tail comes first.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.protocols import HasVectors
from proband.core.types import Answer, Item
from proband.suites.analogy.relations import facts_of
from proband.suites.analogy.solvers.cosine import EPS, Rows, spellings, unit

Row = NDArray[np.floating]


# d's cosines with a, b and c, cos(a, b), and cos(c, b) - cos(c, a) -> what is maximised; |x - y|^2 = 2 - 2 x.y
METHODS: dict[str, Callable[[Row, Row, Row, float, float], Row]] = {
    "3cosadd": lambda to_a, to_b, to_c, a_b, c_ab: to_b - to_a + to_c,
    "3cosmul": lambda to_a, to_b, to_c, a_b, c_ab: (to_b + 1) * (to_c + 1) / (2 * (to_a + 1 + 2 * EPS)),
    "pair-direction": lambda to_a, to_b, to_c, a_b, c_ab: (
        (to_b - to_a - c_ab) / np.sqrt(np.maximum(2 - 2 * to_c, 1e-9) * max(2 - 2 * a_b, 1e-9))
    ),
    "similar-to-b": lambda to_a, to_b, to_c, a_b, c_ab: to_c,
}


class Space:
    """The searched words: the first `count` of the model's table (they are ordered by frequency), at length 1."""

    def __init__(self, model: HasVectors, count: int) -> None:
        self.words = list(model.vocabulary[:count])
        self.matrix: Rows = unit(np.asarray(model.matrix[:count], dtype=np.float32))
        self.number = {word: at for at, word in reversed(list(enumerate(self.words)))}  # of two alike, the first

    def find(self, word: str) -> int | None:
        return next((self.number[form] for form in spellings(word) if form in self.number), None)

    def find_all(self, words: Iterable[str]) -> list[int]:
        return [at for word in words if (at := self.find(word)) is not None]


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How the vocabulary is searched."""

    method: Annotated[
        Literal["3cosadd", "3cosmul", "pair-direction", "lrcos", "similar-to-b"], Meta(description="what is maximised")
    ] = "3cosadd"
    exclude: Annotated[bool, Meta(description="leave a, b and c out of the answers")] = True
    words: Annotated[int, Meta(description="search only the first N words of the table", ge=1)] = 200_000


def retrieve(items: Sequence[Item], model: HasVectors, *, seed: int, options: SearchOptions) -> list[Answer]:
    """The best word as text, and the rank of the best accepted tail in `blanks` (none: a word is not in the table)."""
    searched = Space(model, options.words)
    by_relation: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if not facts_of(item).answers:
            raise ProbandError(f"{item.id} asks for no word: this solver is for items built with setting retrieval")
        by_relation[str(item.tags["relation"])].append(item)
    answers: dict[str, Answer] = {}
    for name, own in by_relation.items():
        combine = METHODS.get(options.method)
        if combine is None:
            scores = lrcos_scores(own, searched, seed=f"{seed} {name}")
        else:
            scores = combination_scores(own, searched, combine)
        for item, row in zip(own, scores, strict=True):
            answers[item.id] = _answer(item, row, searched, exclude=options.exclude)
    return [answers[item.id] for item in items]


def _three(item: Item) -> tuple[str, str, str]:
    facts = facts_of(item)
    return *facts.query, facts.head


def _answer(item: Item, scores: Row | None, searched: Space, *, exclude: bool) -> Answer:
    golds = searched.find_all(facts_of(item).answers)
    if scores is None or not golds:
        return Answer(item_id=item.id, blanks=({"rank": None},))
    if exclude:
        scores = scores.copy()
        scores[searched.find_all(_three(item))] = -np.inf
    best = scores[golds].max()
    rank = int((scores > best).sum()) + 1 if np.isfinite(best) else len(scores)
    return Answer(item_id=item.id, text=searched.words[int(scores.argmax())], blanks=({"rank": rank},))


def combination_scores(
    items: Sequence[Item], searched: Space, combine: Callable[[Row, Row, Row, float, float], Row]
) -> list[Row | None]:
    """Cosines of the relation's own words to the whole table once; each question is then three rows of that."""
    words = list(dict.fromkeys(word for item in items for word in _three(item)))
    known = {word: at for word in words if (at := searched.find(word)) is not None}
    rows = dict(zip(known, searched.matrix[list(known.values())] @ searched.matrix.T, strict=True)) if known else {}
    scores: list[Row | None] = []
    for item in items:
        a, b, c = _three(item)
        if a not in rows or b not in rows or c not in rows:
            scores.append(None)
        else:
            a_b, c_ab = float(rows[a][known[b]]), float(rows[b][known[c]] - rows[a][known[c]])
            scores.append(combine(rows[a], rows[b], rows[c], a_b, c_ab))
    return scores


def lrcos_scores(items: Sequence[Item], searched: Space, *, seed: str) -> list[Row | None]:
    """One classifier per head c, trained on the tails of the other tuples against heads and random words."""
    about = [facts_of(item) for item in items]
    pairs = dict.fromkeys([*(facts.query for facts in about), *((facts.head, facts.answers[0]) for facts in about)])
    rng = random.Random(f"lrcos {seed}")
    others = rng.sample(range(len(searched.words)), min(len(searched.words), 2 * len(pairs)))

    @cache
    def scores(head: str) -> Row | None:
        at = searched.find(head)
        tails = searched.find_all(t for h, t in pairs if h != head)
        heads = searched.find_all(h for h, _ in pairs if h != head)
        if at is None or len(tails) < 2:
            return None
        x = searched.matrix[[*tails, *heads, *others]].astype(np.float64)
        y = np.array([1.0] * len(tails) + [0.0] * (len(heads) + len(others)))
        weights = logistic(x, y, ridge=0.03)
        logit = searched.matrix @ weights[:-1].astype(np.float32) + np.float32(weights[-1])
        chance = 1 / (1 + np.exp(-np.clip(logit, -30, 30)))
        weighted: Row = chance * (searched.matrix @ searched.matrix[at] + 1) / 2
        return weighted

    return [scores(facts.head) for facts in about]


def logistic(x: Rows, y: Row, *, ridge: float = 1.0, steps: int = 50) -> Row:
    r"""argmin_w  sum_i log(1 + exp(-(2 y_i - 1) w.x_i)) + ridge/2 |w|^2, by Newton's method; the last weight is free of
    the penalty and of any input (the intercept).

    >>> logistic(np.array([[-1.0], [1.0]]), np.array([0.0, 1.0])).round(3).tolist()
    [0.675, 0.0]
    """
    x = np.hstack([x, np.ones((len(x), 1))])
    penalty = np.full(x.shape[1], ridge)
    penalty[-1] = 1e-9
    w: Row = np.zeros(x.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-(x @ w)))
        gradient = x.T @ (p - y) + penalty * w
        step = np.linalg.solve(x.T * (p * (1 - p)) @ x + np.diag(penalty), gradient)
        w = w - step
        if np.abs(step).max() < 1e-9:
            break
    return w
