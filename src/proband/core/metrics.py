"""Metrics as objects. A metric defines a quantity, its unit, and which direction is better.

Metrics over an *item*: `of(item, answer)` gives one number, several (one per blank), or None if it does not apply.
Metrics over a *set*: `each(item, answer)` gives a record of numbers per item, and `of(records, weights)` gives one
number for all records (`stats.ranking.AUC` is an example).

Whether a metric applies may depend on the item or on the run (`applies`), never on the answer. Every metric leaves out
answers that are skipped or not covered. A reply that could not be read, was withheld or failed (`status` in
`types.WRONG`) counts as wrong: every metric, including a suite's own, gives it the worst number.

Intervals and tests of a metric over sets come from calls of `of` with other weights (`stats.estimators`). The first
column of a record is its score, the others are labels. `weights` are counts; only their proportions matter, and `of`
must give a number for any weights. A discontinuous metric, like recall at a given precision, declares `jumps`: its
intervals come from a bootstrap by cluster.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.types import LEFT_OUT, WRONG, Answer, Item, Record, Run, Split, Tag

if TYPE_CHECKING:
    from proband.core.protocols import AnswersItems, LearnsFromItems

Floats = NDArray[np.float64]
WARNED = 0.05  # share of unread replies above which a score is doubtful


@dataclass(frozen=True, kw_only=True)
class Metric:
    """`Metric(name="accuracy", of=accuracy_of)`; bold, arrows, percent signs and sentences follow from the fields."""

    name: str
    of: Callable[..., Any]
    unit: Literal["share", "nats", "count"] = "share"
    better: Literal["high", "low"] = "high"
    over: Literal["item", "set"] = "item"
    each: Callable[[Item, Answer], Sequence[float] | None] | None = None  # of a set metric: the record of one item
    title: str = ""  # in words, if the name is not clear enough
    chance: Callable[[Floats], float] | None = None  # of a set metric: the chance level, from its records
    applies: Callable[[Run], bool] = lambda run: True  # whether it can measure the answers of a run
    jumps: bool = False  # of a set metric: discontinuous in the records; its interval is a bootstrap

    @property
    def percent(self) -> bool:
        """Shares are printed in percent."""
        return self.unit == "share"

    @property
    def counts_right_choices(self) -> bool:
        """Whether it is an accuracy, so that guessing, shortcuts and the most frequent answer have one too."""
        return self.name == "accuracy"

    def numbers(self, item: Item, answer: Answer) -> list[float]:
        """The numbers of one item; an empty list if the metric does not apply.

        >>> item = Item(id="a", suite="s", prompt="?", choices=("x", "y"), gold=0)
        >>> ACCURACY.numbers(item, Answer(item_id="a", scores=(-1.0, -2.0)))
        [1.0]
        """
        value = None if answer.status in LEFT_OUT else self.of(item, answer)
        if value is None:
            return []
        return [float(value)] if isinstance(value, (int, float)) else [float(each) for each in value]

    def value(self, item: Item, answer: Answer) -> float | None:
        """The mean of these numbers; None if there are none or the metric is over sets."""
        numbers = self.numbers(item, answer) if self.over == "item" else []
        return sum(numbers) / len(numbers) if numbers else None

    def ahead(self, a: float, b: float) -> bool:
        """Whether `a` is strictly better than `b`."""
        return a > b if self.better == "high" else a < b


class Estimate(Record, frozen=True, kw_only=True):
    """One cell of a table: a mean (or a set metric) of one system with its interval over `n` items.

    `few`: too few clusters for an interval, which is not printed. `seeds`: how many training seeds the mean is over;
    `from_seeds`: the share of its variance due to them. Statistics fill the fields up to `note`, a study the others.
    """

    metric: str = ""
    group: dict[str, Tag] = {}  # noqa: RUF012  each record has its own
    mean: float
    low: float
    high: float
    n: int
    clusters: int = 0
    effective: float = 0.0  # effective sample size: the equivalent number of clusters of equal size
    few: bool = False
    seeds: int = 1
    from_seeds: float | None = None
    note: str = ""  # why the interval may be too short: seeds that disagree, clusters all right or all wrong
    sd: float | None = None  # over the training seeds
    chance: float | None = None  # accuracy of guessing on the same items, if that has a meaning
    shortcut: float | None = None  # accuracy of the best of the suite's own baselines that were run
    apart: tuple[float, float, float | None] | None = None  # from the level to beat: interval and p of the difference
    unread: float = 0.0  # share of the items whose reply could not be read; they count as wrong
    skipped: int = 0  # items of the selection that were not asked; they do not count
    uncovered: int = 0  # items of the selection that the model knows nothing of; they do not count
    mark: str = ""  # behind its interval, where it replaces the sign against the level

    @property
    def level(self) -> float | None:
        """The level to beat: chance, or the best shortcut if that is higher."""
        return max((each for each in (self.chance, self.shortcut) if each is not None), default=None)

    @property
    def against_level(self) -> str:
        """`above`, `below` or `at` that level, by the interval; empty without level or interval."""
        if self.level is None or self.few:
            return ""
        low, high, _ = self.apart or (self.low - self.level, self.high - self.level, None)
        return "above" if low > 0 else "below" if high < 0 else "at"


def best_choices(answer: Answer) -> tuple[int, ...]:
    """The choices with the highest score: one, several in a tie, none without scores.

    >>> best_choices(Answer(item_id="a", scores=(0.1, 0.5, 0.5))), best_choices(Answer(item_id="a"))
    ((1, 2), ())
    """
    best = max(answer.scores, default=0.0)
    return tuple(at for at, score in enumerate(answer.scores) if score == best)


def chosen_answer(item: Item, answer: Answer) -> str:
    """The text of the choice with the highest score; in a tie all of them.

    >>> item = Item(id="a", suite="s", prompt="?", choices=("x", "y", "z"), gold=0)
    >>> chosen_answer(item, Answer(item_id="a", scores=(0.1, 0.5, 0.5)))
    'y|z'
    """
    return "|".join(item.choices[at] for at in best_choices(answer)) if item.choices else ""


def accuracy_of(item: Item, answer: Answer) -> float | None:
    """1 if the gold choice has the highest score; a tie among t choices that includes gold counts 1/t.

    >>> item = Item(id="a", suite="s", prompt="?", choices=("x", "y"), gold=0)
    >>> [accuracy_of(item, Answer(item_id="a", scores=scores)) for scores in ((-1.0, -2.0), (0, 0))]
    [1.0, 0.5]
    >>> accuracy_of(item, Answer(item_id="a", text="I cannot say.", status="unread"))
    0.0
    """
    if item.gold is not None and answer.status in WRONG:
        return 0.0
    if item.gold is None or not answer.scores:
        return None
    best = best_choices(answer)
    return 1.0 / len(best) if item.gold in best else 0.0


ACCURACY = Metric(name="accuracy", of=accuracy_of)


# ---- which items are scored ------------------------------------------------------------------------------------------
#
# One rule for runs, tables, comparisons and plans: score the test items; without test items, the valid items; without
# either, the training items. `--split` selects other splits. A run asks a model only the items that are scored.

SPLITS: tuple[Split, ...] = get_args(Split)  # train, valid, test


def scored_splits(there: Collection[str], wanted: str = "") -> tuple[Split, ...]:
    """The splits that are scored, among those present (`there`); `wanted`: a split, several with commas, or all.

    >>> scored_splits({"train", "valid", "test"}), scored_splits({"train", "valid"}), scored_splits({"train"})
    (('test',), ('valid',), ('train',))
    >>> scored_splits({"train", "valid", "test"}, "valid,test"), scored_splits({"train", "test"}, "all")
    (('valid', 'test'), ('train', 'test'))
    """
    present = tuple(split for split in SPLITS if split in there)
    if not wanted:
        return present[-1:]
    names = named_splits(wanted)
    results = tuple(split for split in present if not names or split in names)
    if not results:
        raise ProbandError(f"--split {wanted}: there are no such items, only {splits_in_words(present)}")
    return results


def named_splits(wanted: str) -> tuple[str, ...]:
    """The splits that a user names, an empty tuple for all; any other word is an error.

    >>> named_splits("valid, test"), named_splits("all")
    (('valid', 'test'), ())
    """
    names = tuple(name.strip() for name in wanted.split(","))
    if names == ("all",):
        return ()
    if unknown := next((name for name in names if name not in SPLITS), None):
        raise ProbandError(f"--split {wanted}: {unknown!r} is not one of {', '.join((*SPLITS, 'all'))}")
    return names


def splits_in_words(splits: Sequence[str], noun: str = "items") -> str:
    """
    >>> splits_in_words(("test",)), splits_in_words(("train", "valid", "test"), "item")
    ('test items', 'train, valid and test item')
    """
    *first, last = splits or ("no",)
    return f"{', '.join(first)} and {last} {noun}" if first else f"{last} {noun}"


# ---- shortcuts: models (`-m baseline:NAME`) without the skill that a suite tests -------------------------------------

NOT_ASKED = -1
Right = Mapping[str, NDArray[np.int8]]  # shortcut -> per item, in order: 1 right, 0 wrong, NOT_ASKED
_last: tuple[str, Right] | None = None


def answered_rightly(
    baselines: Mapping[str, Callable[[], LearnsFromItems]], items: Callable[[], Iterable[Item]], *, known_as: str
) -> Right:
    """Whether each shortcut is right on each item; empty if an item lacks data for it. `known_as`: the items' hash."""
    global _last
    key = f"{known_as} {sorted(baselines)}"
    if _last is None or _last[0] != key:
        try:
            _last = key, _right({name: make().learn(items()) for name, make in baselines.items()}, items())
        except ProbandError:  # hidden answers, rows of others without facts
            _last = key, {}
    return _last[1]


def _right(shortcuts: Mapping[str, AnswersItems], items: Iterable[Item]) -> Right:
    """Item by item, so that shortcuts that read the same of an item read it once."""
    right = {name: array("b") for name in shortcuts}
    for item in items:
        asked = not (item.split == "train" or item.gold is None or not item.choices)
        for name, shortcut in shortcuts.items():
            scores = shortcut.answer([item])[0].scores if asked else ()
            right[name].append(scores.index(max(scores)) == item.gold if asked else NOT_ASKED)
    return {name: np.frombuffer(own, dtype=np.int8) for name, own in right.items()}
