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

import re
from abc import ABC, abstractmethod
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.files import data_rows
from proband.core.metrics import answered_rightly
from proband.core.suite import Analysis, MeasuredOn, Published, Results, Sheet
from proband.core.types import Answer, Item, Tag
from proband.suites.kinship.logic.closure import shortest_path
from proband.suites.kinship.reading.lexicon import KIN
from proband.suites.kinship.world.relations import UP
from proband.suites.kinship.world.rules import NONE, YES_NO, asked_relation, converse, facts_of, of_item, story_of

SMOOTHING: Final = 0.5
KEYS: Final = 3  # sentences further on count as this far
SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n")
WORD: Final = re.compile(r"[\w'-]+")


class Clues:
    """What the shortcuts use of an item, each part read when it is first needed.

    >>> facts = {"names": ["Al", "Bo", "Cy"], "genders": ["male"] * 3, "query": [0, 2], "rules": "sound",
    ...          "edges": [[0, "father", 1], [2, "son", 1]], "target": "grandfather"}
    >>> clues = Clues(Item(id="a", suite="kinship", prompt="", facts=facts), needed_by="baseline:path")
    >>> clues.way, clues.path
    (['father', 'father'], (('father',), ('father',), 2))
    """

    def __init__(self, item: Item, *, needed_by: str) -> None:
        if item.facts.get("target") is None or "query" not in item.facts or "names" not in item.facts:
            raise ProbandError(f"{needed_by}: item {item.id!r} has no 'names', 'query' and 'target' in its facts")
        self.item, self.facts, self.rules = item, facts_of(item), of_item(item)

    @cached_property
    def genders(self) -> tuple[str, str]:
        """Of the asker and of the one asked for."""
        known = self.facts.genders or (NONE,) * len(self.facts.names)
        x, z = self.facts.pair
        return known[x], known[z]

    @cached_property
    def ends(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The words for the others of facts about the asker, and for the asked-for person in facts about them."""
        x, z = self.facts.pair
        sides = [edge for edge in self.facts.edges if x in edge or z in edge]
        sides += [converse(self.rules, edge, self.facts.genders) for edge in sides]
        return tuple(sorted(word for i, word, _ in sides if i == x)), tuple(sorted(w for _, w, j in sides if j == z))

    @property
    def generations(self) -> Hashable:
        """Both ends, and the generations from the asker up to the asked."""
        return *self.ends, self.climbed

    @property
    def path(self) -> Hashable:
        """The first and the last fact of the shortest way, and the generations."""
        return tuple(self.way[:1]), tuple(self.way[-1:]), self.climbed

    @cached_property
    def way(self) -> list[str]:
        """The words along a shortest way from the asker to the asked, each for the next seen from the one before."""
        here, words = self.facts.pair[0], list[str]()
        for edge in shortest_path(self.facts.edges, self.facts.pair) or ():
            _, word, here = edge if edge[0] == here else converse(self.rules, edge, self.facts.genders)
            words.append(word)
        return words

    @cached_property
    def climbed(self) -> int:
        return sum(UP.get(self.rules.neutrals[self.rules.code[word]], 0) for word in self.way)

    @cached_property
    def positions(self) -> Hashable:
        """The sentences in which the two are first named, and how many there are."""
        parts = SENTENCE.split(story_of(self.item))
        names = (self.facts.names[person] for person in self.facts.pair)
        x, z = (next((n for n, part in enumerate(parts) if name in part), len(parts)) for name in names)
        return min(x, KEYS), min(z, KEYS), x < z, min(len(parts), 2 * KEYS)

    @cached_property
    def words(self) -> set[str]:
        names = {name.casefold() for name in self.facts.names}
        return {word for word in set(WORD.findall(story_of(self.item).casefold())) - names if word not in KIN}


Key = Callable[[Clues], Hashable]
_last: Clues | None = None


def clues_of(item: Item, needed_by: str) -> Clues:
    """Several shortcuts look at an item, one after the other: it is read once."""
    global _last
    if _last is None or _last.item is not item:
        _last = Clues(item, needed_by=needed_by)
    return _last


class ShortcutClue(NamedTuple):
    """What one shortcut uses of an item."""

    key: Hashable
    gender: str  # of the person asked for
    label: str
    choices: tuple[str, ...]
    asked: str  # the relation of a yes/no question


class CountedLabels(ABC):
    """What shortcuts share (protocols core.metrics.Shortcut, LearnsFromItems): they count labels over the training
    stories or, where there are none, over all others, of which each is left out when it is asked itself."""

    name: str

    def __init__(self) -> None:
        self.trained = False  # whether there are training stories
        self.counted: set[str] = set()  # the other stories that `learn` was given
        self.forget()

    @abstractmethod
    def forget(self) -> None:
        """Begin to count."""

    @abstractmethod
    def key(self, clues: Clues) -> Hashable: ...

    @abstractmethod
    def add(self, clue: ShortcutClue) -> None: ...

    @abstractmethod
    def label_counts(self, clue: ShortcutClue, *, itself: bool) -> Mapping[str, float]:
        """How much speaks for each label; `itself`: less what the story itself brought."""

    def clue(self, item: Item) -> ShortcutClue:
        clues = clues_of(item, self.name)
        asked = asked_relation(item) if item.choices == YES_NO else ""
        return ShortcutClue(self.key(clues), clues.genders[1], item.facts["target"], item.choices, asked)

    def count(self, clue: ShortcutClue, *, train: bool) -> None:
        if train and not self.trained:  # what was counted of others does not count
            self.trained = True
            self.forget()
        if train == self.trained:
            self.add(clue)

    def scores(self, clue: ShortcutClue, *, counted: bool) -> tuple[float, ...]:
        """Shares of the choices; for yes and no, of the relation that is asked about and of the others."""
        counts = self.label_counts(clue, itself=counted and not self.trained)
        total = sum(counts.values()) or 1.0
        if clue.asked:
            yes = counts.get(clue.asked, 0.0) / total
            return yes, 1.0 - yes
        return tuple(round(counts.get(choice, 0.0) / total, 6) for choice in clue.choices)

    def learn(self, items: Iterable[Item]) -> Self:
        self.trained = False
        self.counted.clear()
        self.forget()
        for item in items:
            self.count(self.clue(item), train=item.split == "train")
            if item.split != "train":
                self.counted.add(item.id)
        return self

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [
            Answer(item_id=item.id, scores=self.scores(self.clue(item), counted=item.id in self.counted))
            for item in items
        ]


class LabelCounts(CountedLabels):
    """Labels counted by a key."""

    def __init__(self, name: str, key: Key) -> None:
        self.name, self._key = f"baseline:{name}", key
        super().__init__()

    def identity(self) -> Mapping[str, str]:
        return {"kind": "baseline", "name": self.name, "method": "labels counted by key"}

    def forget(self) -> None:
        self.labels: dict[Hashable, Counter[str]] = defaultdict(Counter)
        self.backing: dict[str, Counter[str]] = defaultdict(Counter)

    def key(self, clues: Clues) -> Hashable:
        return self._key(clues)

    def add(self, clue: ShortcutClue) -> None:
        self.labels[clue.key][clue.label] += 1
        self.backing[clue.gender][clue.label] += 1

    def label_counts(self, clue: ShortcutClue, *, itself: bool) -> Mapping[str, float]:
        own, other = self.labels.get(clue.key, Counter()), self.backing.get(clue.gender, Counter())
        if itself:
            own, other = own - Counter([clue.label]), other - Counter([clue.label])
        return {word: own[word] + SMOOTHING * other[word] / max(1, other.total()) for word in (*own, *other)}


class NaiveBayes(CountedLabels):
    """Words of the text without kin words and names; its keys are the numbers of the words, as bytes."""

    name = "baseline:words"

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        super().__init__()

    def identity(self) -> Mapping[str, str]:
        return {"kind": "baseline", "name": self.name, "method": "naive Bayes over words that are no kin words"}

    def forget(self) -> None:
        self.stories: Counter[str] = Counter()
        self.words: dict[str, Counter[int]] = defaultdict(Counter)  # label -> words
        self._table: WordTable | None = None

    def key(self, clues: Clues) -> bytes:
        numbers = self.numbers
        return array("i", [numbers.setdefault(word, len(numbers)) for word in sorted(clues.words)]).tobytes()

    def add(self, clue: ShortcutClue) -> None:
        assert isinstance(clue.key, bytes)
        self.stories[clue.label] += 1
        self.words[clue.label].update(np.frombuffer(clue.key, dtype=np.int32).tolist())
        self._table = None

    def label_counts(self, clue: ShortcutClue, *, itself: bool) -> Mapping[str, float]:
        assert isinstance(clue.key, bytes)
        self._table = self._table or WordTable(self.stories, self.words)
        return self._table.likelihoods(np.frombuffer(clue.key, dtype=np.int32), without=clue.label if itself else None)


class WordTable:
    """The counts of naive Bayes as arrays: words x labels. A word that was not counted says nothing."""

    def __init__(self, stories: Mapping[str, int], words: Mapping[str, Mapping[int, int]]) -> None:
        self.labels = sorted(stories)
        self.stories = np.array([float(stories[label]) for label in self.labels])
        counts = np.zeros((1 + max(chain.from_iterable(words.values()), default=-1), len(self.labels)))
        for column, label in enumerate(self.labels):
            counts[list(words[label]), column] = list(words[label].values())
        self.known: NDArray[np.bool_] = counts.sum(axis=1) > 0
        self.counts = counts + SMOOTHING
        self.totals = self.counts[self.known].sum(0)
        self.logs = np.log(self.counts) - np.log(self.totals)

    def likelihoods(self, words: NDArray[np.int32], *, without: str | None) -> dict[str, float]:
        """P(label) x product of P(word | label), in proportion to the likeliest; less a story of the label `without`
        that has these words."""
        words = words[words < len(self.known)]
        words = words[self.known[words]]
        stories, logs = self.stories, self.logs[words].sum(0)
        if without is not None:
            at = self.labels.index(without)
            stories = stories - (np.arange(len(self.labels)) == at)
            logs[at] = np.log((self.counts[words, at] - 1) / (self.totals[at] - len(words))).sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = logs + np.log(stories)
            likely = np.exp(logs - logs.max())
        return {label: float(value) for label, value, count in zip(self.labels, likely, stories) if count > 0}


SHORTCUTS: Final[Mapping[str, Callable[[], CountedLabels]]] = {
    "genders": lambda: LabelCounts("genders", lambda clues: clues.genders),
    "ends": lambda: LabelCounts("ends", lambda clues: clues.ends),
    "generations": lambda: LabelCounts("generations", lambda clues: clues.generations),
    "path": lambda: LabelCounts("path", lambda clues: clues.path),
    "words": NaiveBayes,
    "positions": lambda: LabelCounts("positions", lambda clues: clues.positions),
}


def table(results: Results, seed: int) -> Sequence[Sheet]:
    """Accuracy of every shortcut on the test stories, by number of facts; nothing without training stories."""
    lengths_of, train = list[int](), False  # 0: not a test story
    for item in results.items():
        facts = item.facts
        complete = bool(facts.get("target") and facts.get("edges") and item.choices)
        if complete and not facts.get("genders"):
            return ()
        train = train or (complete and item.split != "test")
        lengths_of.append(int(item.tags["k"]) if complete and item.split == "test" else 0)
    k_of = np.array(lengths_of)
    lengths = sorted(set(lengths_of) - {0})
    if not train or not lengths:
        return ()
    right = answered_rightly(SHORTCUTS, results.items, known_as=results.runs[0].items_sha)
    accuracy = {
        f"baseline:{name}": [round(100 * int((own[k_of == k] == 1).sum()) / int((k_of == k).sum()), 1) for k in lengths]
        for name, own in right.items()
    }
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


@cache
def published_values() -> Mapping[str, Mapping[int | None, float]]:
    """Tables 3.1 and 3.2, of people: figure -> k (None where it has none) -> value.

    >>> published_values()["paraphrases"], published_values()["jaccard_bigrams"]
    ({1: 1868, 2: 1890, 3: 2258}, {None: 0.0385})
    """
    values: dict[str, dict[int | None, float]] = {}
    for row in data_rows("kinship/people.csv"):
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
    for row in data_rows("kinship/published.csv"):
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
    for row in data_rows("kinship/published.csv"):
        if row["table"].startswith("3.8"):
            model, _, trained = row["model"].removesuffix(")").partition(" (trained on ")
            cells[model, trained, row["task"]] = float(row["value"]), float(row["sd"])
    return cells
