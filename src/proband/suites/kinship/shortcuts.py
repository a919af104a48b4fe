"""Shortcuts: linear models that answer without composing. Only a score above all of them shows reasoning.

docs/kinship.md lists them. Each is multinomial logistic regression with an L2 penalty (Hastie, Tibshirani and Friedman
2009, section 4.4) over indicator features. A feature set has its parts and their conjunction, so the parts answer a
combination that training lacks. The model is fitted on the training stories. Stories whose choices no training story
has (a set without training stories, open stories, other worlds) are also cross-fitted: those with the same choices are
split into `FOLDS` parts, both stories of a pair in one, and each part is answered by a model of the others. They keep
whichever of the two models is right more often.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.suites.kinship.logic.closure import asked_path
from proband.suites.kinship.reading.lexicon import KIN
from proband.suites.kinship.world.relations import NO_GENDER, UP, turned
from proband.suites.kinship.world.rules import YES_NO, asked_relation, facts_of, of_item, story_of

FOLDS: Final = 5
PENALTY: Final = 1.0  # loss + PENALTY/2 |w|^2: scikit-learn's default (C = 1)
MANY: Final = 3  # sentences and repetitions beyond this count as this many
WINDOW: Final = 4  # words on each side of a name that are near it
SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n")
WORD: Final = re.compile(r"[\w'-]+")
Features = Iterable[Hashable]


class Clues:
    """The parts of an item that shortcuts use, each computed when it is first needed.

    >>> facts = {"names": ["Al", "Bo", "Cy"], "genders": ["male"] * 3, "query": [0, 2], "rules": "sound",
    ...          "edges": [[0, "father", 1], [2, "son", 1]], "target": "grandfather"}
    >>> clues = Clues(Item(id="a", suite="kinship", prompt="Al's father is Bo.", facts=facts), needed_by="a test")
    >>> clues.way, clues.heights, clues.kin_words
    (['father', 'father'], [1, 2], ['father'])
    """

    def __init__(self, item: Item, *, needed_by: str) -> None:
        if item.facts.get("target") is None or "query" not in item.facts or "names" not in item.facts:
            raise ProbandError(f"{needed_by}: item {item.id!r} has no 'names', 'query' and 'target' in its facts")
        self.item, self.facts, self.rules = item, facts_of(item), of_item(item)

    @cached_property
    def genders(self) -> tuple[str, str]:
        """The genders of the asker and of the person asked about."""
        known = self.facts.genders or (NO_GENDER,) * len(self.facts.names)
        x, z = self.facts.pair
        return known[x], known[z]

    @cached_property
    def ends(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The words in facts about the asker, and in facts about the person asked about."""
        x, z = self.facts.pair
        sides = [edge for edge in self.facts.edges if x in edge or z in edge]
        sides += [turned(edge, self.facts.genders, self.rules.back) for edge in sides]
        return tuple(sorted(word for i, word, _ in sides if i == x)), tuple(sorted(w for _, w, j in sides if j == z))

    @cached_property
    def way(self) -> list[str]:
        """The words along a shortest path from the asker to the person asked about, each for the next person."""
        path = asked_path(self.rules, self.facts.genders, self.facts.edges, self.facts.pair)
        return [word for _, word, _ in path]

    @cached_property
    def heights(self) -> list[int]:
        """The generation that each step of the path reaches."""
        steps = [UP.get(self.rules.neutrals[self.rules.code[word]], 0) for word in self.way]
        return [sum(steps[: n + 1]) for n in range(len(steps))]

    @property
    def climbed(self) -> int:
        return self.heights[-1] if self.heights else 0

    @cached_property
    def positions(self) -> tuple[int, int, bool, int]:
        """The sentences in which the two names first occur, which comes first, and the number of sentences."""
        parts = SENTENCE.split(story_of(self.item))
        names = (self.facts.names[person] for person in self.facts.pair)
        x, z = (next((n for n, part in enumerate(parts) if name in part), len(parts)) for name in names)
        return min(x, MANY), min(z, MANY), x < z, min(len(parts), 2 * MANY)

    @cached_property
    def words(self) -> list[str]:
        """The words of the story; a name is one word (the_town_hall)."""
        text = story_of(self.item).casefold().replace("'s", " 's")
        for name in sorted(self.names, key=len, reverse=True):
            text = text.replace(name.replace("_", " "), name)
        return WORD.findall(text)

    @cached_property
    def names(self) -> list[str]:
        return [name.casefold().replace(" ", "_") for name in self.facts.names]

    def is_kin(self, word: str) -> bool:
        """Is it a word for a relation: of a family, or of the item's world?"""
        return word in KIN or word in self.rules.code

    @property
    def kin_words(self) -> list[str]:
        return [word for word in self.words if self.is_kin(word)]

    @property
    def other_words(self) -> set[str]:
        return {word for word in set(self.words) - set(self.names) if not self.is_kin(word)}

    def near(self) -> Iterator[tuple[str, int, str]]:
        """The kin words next to a name of the question: which name, how far, the word."""
        two = {self.names[person]: side for side, person in zip("xz", self.facts.pair)}
        for at, word in enumerate(self.words):
            if side := two.get(word):
                for place in range(max(0, at - WINDOW), min(len(self.words), at + WINDOW + 1)):
                    if self.is_kin(self.words[place]):
                        yield side, place - at, self.words[place]


def ends(clues: Clues) -> Features:
    first, last = clues.ends
    yield from (("asker", word) for word in first)
    yield from (("asked", word) for word in last)
    yield from (("climbed", clues.climbed), (first, last), (first, last, clues.climbed))


def path(clues: Clues) -> Features:
    yield from (("at", word, height) for word, height in zip(clues.way, clues.heights))
    ends = tuple(clues.way[:1]), tuple(clues.way[-1:]), clues.climbed
    yield from (*zip(("first", "last", "climbed"), ends), ends)


def repeated(words: Sequence[str]) -> Features:
    """
    >>> sorted(repeated(["son", "son", "aunt"]))
    [('aunt', 1), ('son', 1), ('son', 2)]
    """
    for word in set(words):
        yield from ((word, times) for times in range(1, min(words.count(word), MANY) + 1))


def near(clues: Clues) -> Features:
    for side, distance, word in clues.near():
        yield from ((side, word), (side, distance, word))


FEATURES: Final[Mapping[str, Callable[[Clues], Features]]] = {
    "genders": lambda clues: [],
    "ends": ends,
    "path": path,
    "kin-words": lambda clues: repeated(clues.kin_words),
    "near": near,
    "words": lambda clues: clues.other_words,
    "positions": lambda clues: [*enumerate(clues.positions), clues.positions],
}


class Question(NamedTuple):
    """The features of an item for one shortcut, as numbers."""

    features: tuple[int, ...]
    label: str
    fold: int


class LinearShortcut:
    """A model (`-m baseline:NAME`; protocol LearnsFromItems) over indicator features."""

    def __init__(self, name: str) -> None:
        self.name, self._features = f"baseline:{name}", FEATURES[name]
        self.numbers: dict[Hashable, int] = {}
        self.model = LogisticRegression([], 0)
        self.own: dict[str, LogisticRegression] = {}  # item -> its model, if different from `model`

    def identity(self) -> Mapping[str, str]:
        return {"kind": "baseline", "name": self.name, "method": "logistic regression over indicator features"}

    def question(self, item: Item) -> Question:
        clues = Clues(item, needed_by=self.name)
        x, z = clues.genders
        seen = [("gender", z), ("genders", x, z), *self._features(clues)]
        numbers = sorted({self.numbers.setdefault(each, len(self.numbers)) for each in seen})
        _, *pair = item.facts.get("clusters") or [""]
        fold = zlib.crc32((pair[0] if pair else item.id).encode()) % FOLDS
        return Question(tuple(numbers), item.facts["target"], fold)

    def learn(self, items: Iterable[Item]) -> Self:
        self.numbers, self.own = {}, {}
        train, known = list[Question](), set[tuple[str, ...]]()
        rest: dict[tuple[str, ...], dict[str, Question]] = {}  # by choices and item
        for item in items:
            if item.split == "train":
                train.append(self.question(item))
                known.add(item.choices)
            else:
                rest.setdefault(item.choices, {})[item.id] = self.question(item)
        every = train or [question for some in rest.values() for question in some.values()]
        self.model = LogisticRegression(every, len(self.numbers))
        for some in (some for choices, some in rest.items() if choices not in known):
            crossed = self._crossed(some)
            gained = sum(
                (crossed[name].best(each.features) == each.label) - (self.model.best(each.features) == each.label)
                for name, each in some.items()
            )
            if not train or gained > 0:
                self.own |= crossed
        return self

    def _crossed(self, some: Mapping[str, Question]) -> dict[str, LogisticRegression]:
        """For each of some stories, a model of those in other folds."""
        parts = ([each for each in some.values() if each.fold != fold] for fold in range(FOLDS))
        models = [LogisticRegression(part, len(self.numbers)) for part in parts]
        return {name: models[each.fold] for name, each in some.items()}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [Answer(item_id=item.id, scores=self._scores(item)) for item in items]

    def _scores(self, item: Item) -> tuple[float, ...]:
        """Probabilities of the choices; for yes and no, of the relation asked about and of all others."""
        question = self.question(item)
        shares = self.own.get(item.id, self.model).probabilities(question.features)
        if item.choices == YES_NO:
            yes = shares.get(asked_relation(item), 0.0)
            return round(yes, 6), round(1.0 - yes, 6)
        return tuple(round(shares.get(choice, 0.0), 6) for choice in item.choices)


class LogisticRegression:
    """P(label | features) = softmax of the sum of the features' weights; fitted by L-BFGS.

    >>> questions = [Question((0,), "aunt", 0), Question((1,), "niece", 0)] * 9
    >>> max(LogisticRegression(questions, 2).probabilities((1, 7)).items(), key=lambda each: each[1])[0]
    'niece'
    """

    def __init__(self, questions: Sequence[Question], features: int) -> None:
        from scipy.optimize import minimize
        from scipy.sparse import csr_matrix

        self.labels = sorted({question.label for question in questions})
        at = {label: n for n, label in enumerate(self.labels)}
        lengths = np.cumsum([0, *(len(question.features) for question in questions)])
        columns = np.fromiter((n for question in questions for n in question.features), dtype=np.int64)
        design = csr_matrix((np.ones(len(columns)), columns, lengths), shape=(len(questions), features))
        truth = np.zeros((len(questions), len(self.labels)))
        truth[np.arange(len(questions)), [at[question.label] for question in questions]] = 1.0
        shape = features, len(self.labels)

        def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            weights = flat.reshape(shape)
            logits = design @ weights
            top = logits.max(axis=1, keepdims=True)
            total = top + np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
            gradient = design.T @ (np.exp(logits - total) - truth) + PENALTY * weights
            value = float((total - logits)[truth == 1].sum() + PENALTY / 2 * (flat @ flat))
            return value, gradient.ravel()

        start = np.zeros(shape[0] * shape[1])
        solved = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}) if questions else None
        self.weights = (solved.x if solved is not None else start).reshape(shape)

    def probabilities(self, features: Sequence[int]) -> dict[str, float]:
        known = [n for n in features if n < len(self.weights)]
        logits = self.weights[known].sum(axis=0)
        shares = np.exp(logits - logits.max()) if len(logits) else logits
        return dict(zip(self.labels, (shares / shares.sum()).tolist(), strict=True)) if len(logits) else {}

    def best(self, features: Sequence[int]) -> str:
        """The most probable label; none without labels."""
        shares = self.probabilities(features)
        return max(shares, key=lambda label: shares[label], default="")


SHORTCUTS: Final = {name: partial(LinearShortcut, name) for name in FEATURES}
