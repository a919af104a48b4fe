"""What a score is read beside: shortcuts, answers that need no composing, and published figures.

A score shows reasoning only as far as it is above these:

    baseline:genders      the genders of the two people of the question
    baseline:ends         the facts about these two people, each from their side; nothing in between
    baseline:generations  and how many generations lie between them, summed over the shortest way
    baseline:path         the first and the last fact of the shortest way between the two, and the generations: as the
                          last, whatever noise there is
    baseline:words        the words of the text without kin words and names (naive Bayes)
    baseline:positions    the sentences in which the two are first named, and how many there are

Each counts labels by such a key over the training stories, with the labels of the key's last part (the gender of the
person asked for) where a key is new. Where there are no training stories it counts over all others: never over the
story that it answers.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any, Final

import numpy as np

from proband.core.errors import ProbandError
from proband.core.metrics import Floats
from proband.core.shortcuts import answered_rightly
from proband.core.suite import Analysis, MeasuredOn, Published, Results, Sheet
from proband.core.types import Answer, Item, Tag
from proband.suites.kinship.logic.closure import shortest_path
from proband.suites.kinship.reading.lexicon import KIN
from proband.suites.kinship.reading.reader import story_of
from proband.suites.kinship.world.rules import NONE, converse, of_item

# how many generations up somebody of the relation is
UP: Final = {"parent": 1, "child": -1, "grandparent": 2, "grandchild": -2, "pibling": 1, "nibling": -1,
             "parent-in-law": 1, "child-in-law": -1}  # fmt: skip
SMOOTHING: Final = 0.5
KEYS: Final = 3  # sentences further on count as this far

Key = Callable[[Item], Hashable]


def genders(item: Item) -> tuple[str, ...]:
    """Of the asker and of the one asked for."""
    given = item.facts.get("genders") or [NONE] * len(item.facts["names"])
    return tuple(given[person] for person in item.facts["query"])


def ends(item: Item) -> tuple[Hashable, ...]:
    """The words for the others of facts about the asker, and for the asked-for person in facts about them."""
    facts, rules = item.facts, of_item(item)
    x, z = facts["query"]
    sides = [tuple(edge) for edge in facts["edges"] if edge[1] is not None]
    sides += [converse(rules, edge, facts["genders"]) for edge in sides]
    first = sorted(word for i, word, _ in sides if i == x)
    last = sorted(word for _, word, j in sides if j == z)
    return tuple(first), tuple(last)


def generations(item: Item) -> tuple[Hashable, ...]:
    """Both ends, and the generations from the asker up to the asked."""
    return *ends(item), _climbed(item, way(item))


def path(item: Item) -> tuple[Hashable, ...]:
    """The first and the last fact of the shortest way, and the generations."""
    words = way(item)
    return tuple(words[:1]), tuple(words[-1:]), _climbed(item, words)


def way(item: Item) -> list[str]:
    """The words along a shortest way from the asker to the asked, each for the next person seen from the one before.

    >>> facts = {"names": ["Al", "Bo", "Cy"], "genders": ["male"] * 3, "query": [0, 2], "rules": "sound",
    ...          "edges": [[0, "father", 1], [2, "son", 1]]}
    >>> way(Item(id="a", suite="kinship", prompt="", facts=facts))
    ['father', 'father']
    """
    facts, rules = item.facts, of_item(item)
    here, words = facts["query"][0], list[str]()
    for edge in shortest_path([tuple(edge) for edge in facts["edges"] if edge[1] is not None], facts["query"]) or ():
        _, word, here = edge if edge[0] == here else converse(rules, edge, facts["genders"])
        words.append(word)
    return words


def _climbed(item: Item, words: Sequence[str]) -> int:
    rules = of_item(item)
    return sum(UP.get(rules.neutrals[rules.code[word]], 0) for word in words)


def positions(item: Item) -> tuple[Hashable, ...]:
    """The sentences in which the two are first named, and how many there are."""
    parts = re.split(r"(?<=[.!?])\s+|\n", story_of(item))
    names = [item.facts["names"][person] for person in item.facts["query"]]
    x, z = (next((n for n, part in enumerate(parts) if name in part), len(parts)) for name in names)
    return min(x, KEYS), min(z, KEYS), x < z, min(len(parts), 2 * KEYS)


class LabelCounts:
    """Labels counted by a key (protocol LearnsFromItems)."""

    def __init__(self, name: str, key: Key) -> None:
        self.name, self.key = f"baseline:{name}", key
        self.labels: dict[Hashable, Counter[str]] = defaultdict(Counter)
        self.backing: dict[Hashable, Counter[str]] = defaultdict(Counter)
        self.tested: set[str] = set()  # stories that were counted and are asked too

    def identity(self) -> Mapping[str, str]:
        return {"kind": "baseline", "name": self.name, "method": "labels counted by key"}

    def learn(self, items: Iterable[Item]) -> LabelCounts:
        learned = LabelCounts(self.name.removeprefix("baseline:"), self.key)
        for item in _to_learn_from(items, self.name):
            learned.labels[self.key(item)][item.facts["target"]] += 1
            learned.backing[genders(item)[1]][item.facts["target"]] += 1
            if item.split != "train":
                learned.tested.add(item.id)
        return learned

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [Answer(item_id=item.id, scores=self._scores(item)) for item in items]

    def _scores(self, item: Item) -> tuple[float, ...]:
        own, other = self.labels.get(self.key(item), Counter()), self.backing.get(genders(item)[1], Counter())
        if item.id in self.tested:
            itself = Counter([item.facts["target"]])
            own, other = own - itself, other - itself
        counts = {word: own[word] + SMOOTHING * other[word] / max(1, other.total()) for word in (*own, *other)}
        return by_choice(item, counts)


class NaiveBayes:
    """Words of the text without kin words and names (protocol LearnsFromItems)."""

    name = "baseline:words"

    def __init__(self) -> None:
        self.labels: Counter[str] = Counter()
        self.words: dict[str, Counter[str]] = defaultdict(Counter)
        self.known: set[str] = set()
        self.tested: set[str] = set()  # stories that were counted and are asked too

    def identity(self) -> Mapping[str, str]:
        return {"kind": "baseline", "name": self.name, "method": "naive Bayes over words that are no kin words"}

    def learn(self, items: Iterable[Item]) -> NaiveBayes:
        learned = NaiveBayes()
        for item in _to_learn_from(items, self.name):
            target = item.facts["target"]
            learned.labels[target] += 1
            learned.words[target].update(_words(item))
            if item.split != "train":
                learned.tested.add(item.id)
        learned.known = set(chain.from_iterable(learned.words.values()))
        return learned

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        labels = sorted(self.labels)
        totals = np.array([self.words[label].total() + SMOOTHING * len(self.known) for label in labels])
        counts = {word: np.array([self.words[label][word] for label in labels]) for word in self.known}
        return [
            Answer(item_id=item.id, scores=by_choice(item, self._likely(item, labels, totals, counts)))
            for item in items
        ]

    def _likely(
        self, item: Item, labels: Sequence[str], totals: Floats, counts: Mapping[str, Floats]
    ) -> dict[str, float]:
        """P(label) x product of P(word | label), in proportion to the likeliest; the story itself does not count."""
        words = sorted(word for word in _words(item) if word in self.known)
        itself = item.facts["target"] if item.id in self.tested else None
        own = np.array([float(label == itself) for label in labels])
        said = np.array([self.labels[label] for label in labels]) - own
        table = np.array([counts[word] for word in words]).reshape(len(words), len(labels)) - own + SMOOTHING
        with np.errstate(divide="ignore"):
            logs = np.log(said) + np.log(table / (totals - own * len(words))).sum(0)
        likely = np.exp(logs - logs.max())
        return {label: float(value) for label, value, count in zip(labels, likely, said) if count > 0}


def _words(item: Item) -> set[str]:
    names = {name.casefold() for name in item.facts["names"]}
    words = set(re.findall(r"[\w'-]+", story_of(item).casefold()))
    return {word for word in words - names if word not in KIN}


def _to_learn_from(items: Iterable[Item], name: str) -> list[Item]:
    """The training stories, or all where there are none (then each is left out when it is asked itself)."""
    train, every = list[Item](), list[Item]()
    for item in items:
        if item.facts.get("target") is None or "query" not in item.facts or "names" not in item.facts:
            raise ProbandError(f"{name}: item {item.id!r} has no 'names', 'query' and 'target' in its facts")
        (train if item.split == "train" else every).append(item)
    return train or every


def by_choice(item: Item, counts: Mapping[str, float]) -> tuple[float, ...]:
    """Shares of the choices; for yes and no, of the relation that is asked about and of the others.

    >>> item = Item(id="a", suite="kinship", prompt="...\\nIs Sharon the aunt of Arthur?", choices=("yes", "no"))
    >>> by_choice(item, {"aunt": 3.0, "niece": 1.0})
    (0.75, 0.25)
    """
    total = sum(counts.values()) or 1.0
    if item.choices == ("yes", "no"):
        question = item.prompt.rsplit("\n", 1)[-1]
        yes = sum(count for word, count in counts.items() if f" {word} of " in question) / total
        return yes, 1.0 - yes
    return tuple(round(counts.get(choice, 0.0) / total, 6) for choice in item.choices)


SHORTCUTS: Final[Mapping[str, Callable[[], Any]]] = {
    "genders": lambda: LabelCounts("genders", genders),
    "ends": lambda: LabelCounts("ends", ends),
    "generations": lambda: LabelCounts("generations", generations),
    "path": lambda: LabelCounts("path", path),
    "words": NaiveBayes,
    "positions": lambda: LabelCounts("positions", positions),
}


def table(results: Results, seed: int) -> Sequence[Sheet]:
    """Accuracy of every shortcut on the test stories, by number of facts; nothing without training stories."""
    items = [item for item in results.items() if item.facts.get("target") and item.facts.get("edges") and item.choices]
    test = [item for item in items if item.split == "test"]
    if len(items) == len(test) or not test or any(not item.facts.get("genders") for item in items):
        return ()
    counts = Counter(int(item.tags["k"]) for item in test)
    lengths = sorted(counts)
    accuracy: dict[str, list[float]] = {}
    for name, solved in answered_rightly(SHORTCUTS, results.items, known_as=results.runs[0].items_sha).items():
        right = Counter(int(item.tags["k"]) for item in test if solved.get(item.id))
        accuracy[f"baseline:{name}"] = [round(100 * right[k] / counts[k], 1) for k in lengths]
    if not accuracy:
        return ()
    accuracy["best shortcut"] = [max(column) for column in zip(*accuracy.values())]
    return (
        Sheet(
            name="shortcuts",
            title="Shortcuts: what can be answered without composing, in percent",
            header=("what it uses", *(f"k = {k}" for k in lengths)),
            rows=tuple((name, *values) for name, values in accuracy.items()),
            note="Counted on the training stories. A score shows composing only as far as it is above the best; "
            "chance is not the mark.",
        ),
    )


SHORTCUT_TABLE = Analysis(name="shortcuts", help="What can be answered without composing", of=table, always=True)


# ---- published figures ---------------------------------------------------------------------------------------------
#
# Table 3.2 (people) and table 3.8 (networks under noise) of the thesis, and by number of facts a later system (CTP,
# Minervini et al. 2020) and the GAT of its program, as R5 (Lu et al. 2022) prints it.
#
# The networks of table 3.8 were trained on one kind of stories (k = 2, 3) and tested on another, so the training data
# are part of the model's name. Two columns of its first block (RN and BERT trained on clean stories) cannot be told
# apart in our text of the paper and are left out.

# CLUTRR's releases, by the content of their rows. Those of stories of up to ten facts: people were given a sample.
K234 = "a6b8f6be76e5ef6246c75aff8e0aea8e432212a241a5480c2756b7e0eb075ec3"
K23 = "99cec1773ccd905819cd8042e96008ea6a702d220260333dd17875b07363717c"
RELEASES: Final = {
    "data_db9b8f04": ("CLUTRR, generalisation, trained on k = 2, 3, 4", K234),
    "data_089907f8": ("CLUTRR, generalisation, trained on k = 2, 3", K23),
    "data_7c5b0e70": (
        "CLUTRR, robustness, trained on clean",
        "19b609000f53e7a43a37ef9e241a03eebdb439b010d30a04c5b5f8a5b633f949",
    ),
    "data_06b8f2a1": (
        "CLUTRR, robustness, trained on supporting",
        "e9dc5783ab0cebde732e2e2d04821c79aa3e5794f45ced62ce98f10c0f79bb73",
    ),
    "data_523348e6": (
        "CLUTRR, robustness, trained on irrelevant",
        "3b921da08151f7ec8adfb430d3a9b361dff90688f3cc5624c5bf22d40ce22180",
    ),
    "data_d83ecc3e": (
        "CLUTRR, robustness, trained on disconnected",
        "ab639f926d14b12d0b6a7f2da0d804a44c5dd8ed57227e431ca9d5d8937d7528",
    ),
}
IN_STORIES: Final[Mapping[str, Tag]] = {"form": "story"}
SOURCES: Final = {"ctp": "uclnlp/ctp, README: one run", "r5": "Lu et al. 2022 (R5), table 2"}


def _rows(name: str) -> Iterator[dict[str, str]]:
    return csv.DictReader((files("proband") / "data" / "kinship" / name).read_text(encoding="utf-8").splitlines())


@cache
def published_values() -> Mapping[str, Mapping[int | None, float]]:
    """Tables 3.1 and 3.2, of people: figure -> k (None where it has none) -> value.

    >>> published_values()["paraphrases"], published_values()["jaccard_bigrams"]
    ({1: 1868, 2: 1890, 3: 2258}, {None: 0.0385})
    """
    values: dict[str, dict[int | None, float]] = {}
    for row in _rows("people.csv"):
        k = int(row["k"]) if row["k"] else None
        values.setdefault(row["figure"], {})[k] = float(row["value"]) if "." in row["value"] else int(row["value"])
    return values


@cache
def published() -> Sequence[Published]:
    """
    >>> [p.value for p in published() if p.model == "people (time limited)"]
    [0.848, 0.773, 0.477, 0.424, 0.406]
    """
    both = frozenset({K23, K234})  # people read a sample of unknown size
    sample = MeasuredOn(data="CLUTRR, generalisation", fingerprints=both, conditions=IN_STORIES)
    figures = [
        _figure(f"people ({name})", "clean", k, value, "Sinha 2022, table 3.2", sample)
        for name, figure in (("time limited", "time_limited"), ("unlimited time", "unlimited"))
        for k, value in published_values()[figure].items()
    ]
    for row in _rows("published.csv"):
        if row["release"]:  # an average is no cell of ours
            data, fingerprint = RELEASES[row["release"]]
            later = SOURCES.get(row["table"])
            on = MeasuredOn(
                data=data,
                fingerprints=frozenset({fingerprint}),
                conditions={} if later else IN_STORIES,
                questions=int(row["questions"]),
            )
            k, source = int(row["k"]) if row["k"] else None, later or f"Sinha 2022, table {row['table']}"
            figures.append(_figure(row["model"], row["task"], k, float(row["value"]), source, on))
    return figures


def _figure(model: str, task: str, k: int | None, value: float, source: str, on: MeasuredOn) -> Published:
    group: dict[str, Tag] = {"task": task, **({"k": k} if k else {})}
    return Published(model=model, metric="accuracy", group=group, value=value, source=source, on=on)


@cache
def thesis_noise() -> Mapping[tuple[str, str, str], tuple[float, float]]:
    """Table 3.8: (model, kind of training stories, kind of test stories) -> accuracy and standard deviation over ten
    sets of stories; without kinds the average that it prints.

    >>> thesis_noise()["GAT", "clean", "supporting"], thesis_noise()["GAT", "", ""]
    ((0.24, 0.2), (0.77, 0.09))
    """
    cells = {}
    for row in _rows("published.csv"):
        if row["table"].startswith("3.8"):
            model, _, trained = row["model"].removesuffix(")").partition(" (trained on ")
            cells[model, trained, row["task"]] = float(row["value"]), float(row["sd"])
    return cells
