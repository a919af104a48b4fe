"""Metrics as objects: what is measured, in which unit, and which direction is better.

Over an *item*: `of(item, answer)` gives no number (None: does not apply), one, or several (one per blank). Over a
*set*: `each(item, answer)` gives a record of numbers per item, and `of(records, weights)` one number for all of them.

Whether a metric applies to an answer may depend on the item, never on what was answered: a metric that left answers out
by looking at them would be over a part of them. A metric that suits some runs only (F1 where the answers decide) says
so of the run (`applies`).

An answer that is skipped or not covered is left out of every metric. A reply that could not be read, was withheld or
failed (`status` in `types.WRONG`) counts as wrong: the metrics here give it their worst number, and a suite's own
metric must do the same where it applies to such a run.

A suite may declare any metric over sets; its intervals and paired tests come by themselves (`stats.estimators`), from
calls of `of` in which some records weigh 0 instead of 1. For that, the first column of a record is what records are
ordered by (the score) and the other columns are labels (the truth); `weights` are counts, and only their proportions
may matter (a record that weighs 2 is two records, one that weighs 0 is none); and there must be an answer for any
weights, also where no true record is left. A metric that jumps, like recall at a given precision, says so (`jumps`):
its intervals come from a bootstrap by cluster. A `unit` of "share" keeps the interval within [0, 1]. `AUC` below is an
example:

    Metric(name="auc", of=area_under_roc, over="set", each=score_and_truth)

Shortcuts: which items those that a suite declares (`Suite.baselines`) answer rightly, whether or not they were run.
Each learns from what it may see (training items, or all others where there are none) and answers the items of the
other splits. Reports ask twice, for a table and for a column, and pay once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.types import LEFT_OUT, WRONG, Answer, Item, Run, Split

if TYPE_CHECKING:
    from proband.core.protocols import Score, ScoresText

Floats = NDArray[np.float64]
WARNED = 0.05  # share of unread replies above which a score is doubtful
WORST = 1e300  # a finite number beyond every score


@dataclass(frozen=True, kw_only=True)
class Metric:
    """`Metric(name="accuracy", of=accuracy_of)`; bold, arrows, percent signs and sentences follow from the fields."""

    name: str
    of: Callable[..., Any]
    unit: Literal["share", "nats", "count"] = "share"
    better: Literal["high", "low"] = "high"
    over: Literal["item", "set"] = "item"
    each: Callable[[Item, Answer], Sequence[float] | None] | None = None  # of a set metric: the record of one item
    title: str = ""  # in words, where the name does not say enough
    chance: Callable[[Floats], float] | None = None  # of a set metric: the score without knowledge, by its records
    applies: Callable[[Run], bool] = lambda run: True  # whether the answers of a run are of the kind that it measures
    jumps: bool = False  # of a set metric: a small change of the records may move it far; its interval is a bootstrap

    @property
    def percent(self) -> bool:
        """Shares are printed in percent."""
        return self.unit == "share"

    def numbers(self, item: Item, answer: Answer) -> list[float]:
        """The numbers of one item, as a list.

        >>> item = Item(id="a", suite="s", prompt="?", choices=("x", "y"), gold=0)
        >>> ACCURACY.numbers(item, Answer(item_id="a", scores=(-1.0, -2.0)))
        [1.0]
        """
        value = None if answer.status in LEFT_OUT else self.of(item, answer)
        if value is None:
            return []
        return [float(value)] if isinstance(value, (int, float)) else [float(each) for each in value]

    def value(self, item: Item, answer: Answer) -> float | None:
        """The mean of these numbers; None where there are none, or the metric is over sets."""
        numbers = self.numbers(item, answer) if self.over == "item" else []
        return sum(numbers) / len(numbers) if numbers else None

    def ahead(self, a: float, b: float) -> bool:
        """Whether `a` is strictly better than `b`."""
        return a > b if self.better == "high" else a < b


def best_choices(answer: Answer) -> tuple[int, ...]:
    """The choices with the highest score: one, several where they tie, none where there are no scores.

    >>> best_choices(Answer(item_id="a", scores=(0.1, 0.5, 0.5))), best_choices(Answer(item_id="a"))
    ((1, 2), ())
    """
    best = max(answer.scores, default=0.0)
    return tuple(at for at, score in enumerate(answer.scores) if score == best)


def chosen_answer(item: Item, answer: Answer) -> str:
    """The chosen answer in words: the choice with the highest score, all of them where several tie.

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


def score_and_truth(item: Item, answer: Answer) -> tuple[float, float] | None:
    """Of an item with two choices: how far the first is preferred to the second, and whether it is right. An unread
    answer prefers the wrong one more than any other answer does.

    >>> item = Item(id="a", suite="s", prompt="?", choices=("x", "y"), gold=0)
    >>> score_and_truth(item, Answer(item_id="a", scores=(1.0, 0.5)))
    (0.5, 1.0)
    >>> score_and_truth(item, Answer(item_id="a", status="unread"))
    (-1e+300, 1.0)
    """
    if item.gold is not None and answer.status in WRONG and len(item.choices) == 2:
        return (-WORST if item.gold == 0 else WORST), float(item.gold == 0)
    if item.gold is None or len(answer.scores) != 2:
        return None
    return answer.scores[0] - answer.scores[1], float(item.gold == 0)


def area_under_roc(records: Floats, weights: Floats) -> float:
    """P(a true item's score > a false item's) + P(equal)/2; 0.5 where one kind is missing.

    >>> area_under_roc(np.array([[2.0, 1], [1.0, 0], [0.0, 1]]), np.ones(3))
    0.5
    """
    score, truth = records[:, 0], records[:, 1] > 0.5
    values, place = np.unique(score, return_inverse=True)
    true = np.bincount(place, weights=weights * truth, minlength=len(values))
    false = np.bincount(place, weights=weights * ~truth, minlength=len(values))
    total = true.sum() * false.sum()
    if not total:
        return 0.5
    below = np.cumsum(false) - false
    return float((true * (below + false / 2)).sum() / total)


def average_precision(records: Floats, weights: Floats) -> float:
    """sum over scores of precision x gain in recall, the highest scores first (scikit-learn's definition).

    >>> average_precision(np.array([[3.0, 1], [2.0, 0], [1.0, 1]]), np.ones(3)).__round__(4)
    0.8333
    """
    score, truth = records[:, 0], records[:, 1] > 0.5
    values, place = np.unique(-score, return_inverse=True)
    true = np.cumsum(np.bincount(place, weights=weights * truth, minlength=len(values)))
    result = np.cumsum(np.bincount(place, weights=weights, minlength=len(values)))
    if not len(true) or not true[-1]:
        return 0.0
    gained = np.diff(true, prepend=0.0)
    return float((gained * true / np.maximum(result, 1e-12)).sum() / true[-1])


def f1(records: Floats, weights: Floats) -> float:
    """2 TP / (2 TP + FP + FN), an item counting as said to be true where its score is above 0.

    >>> f1(np.array([[1.0, 1], [1.0, 0], [-1.0, 0]]), np.ones(3)).__round__(4)
    0.6667
    """
    positive, truth = records[:, 0] > 0, records[:, 1] > 0.5
    hits = float((weights * (positive & truth)).sum())
    wrong = float((weights * (positive != truth)).sum())
    return 2 * hits / (2 * hits + wrong) if hits or wrong else 0.0


def best_threshold(scores: Floats, truth: Floats) -> float:
    """The score from which on items are called true, such that most are right; of several, the highest.

    >>> best_threshold(np.array([0.9, 0.8, 0.7, 0.1]), np.array([1.0, 0.0, 1.0, 0.0]))
    0.9
    """
    levels = np.append(np.unique(scores), np.inf)[::-1]  # the first takes none
    order = np.argsort(-scores, kind="stable")
    taken = np.searchsorted(-scores[order], -levels, side="right")
    gained = np.append(0.0, np.cumsum(2 * truth[order] - 1))[taken]  # true ones less false ones among those taken
    return float(levels[int(np.argmax(gained))])


def accuracy_of_decisions(records: Floats, weights: Floats) -> float:
    """The share of items whose score has the sign of the truth; a score of 0 counts one half.

    >>> accuracy_of_decisions(np.array([[1.0, 1], [0.0, 0], [2.0, 0]]), np.ones(3))
    0.5
    """
    score, truth = records[:, 0], records[:, 1] > 0.5
    right = np.where(score == 0, 0.5, (score > 0) == truth)
    return float((weights * right).sum() / weights.sum()) if weights.sum() else 0.0


def share_of_true(records: Floats) -> float:
    """What average precision is at chance."""
    return float((records[:, 1] > 0.5).mean())


def always_yes(records: Floats) -> float:
    """The F1 of calling every item true: 2 p / (1 + p).

    >>> always_yes(np.array([[0.0, 1], [0.0, 0], [0.0, 0]]))
    0.5
    """
    share = share_of_true(records)
    return 2 * share / (1 + share)


def one_answer(records: Floats) -> float:
    """The accuracy of the more frequent answer."""
    return max(share_of_true(records), 1 - share_of_true(records))


ACCURACY = Metric(name="accuracy", of=accuracy_of)
_ranking = partial(Metric, over="set", each=score_and_truth)
AUC = _ranking(name="auc", of=area_under_roc, title="area under the ROC curve", chance=lambda records: 0.5)
AVERAGE_PRECISION = _ranking(name="average_precision", of=average_precision, chance=share_of_true)
F1 = _ranking(name="f1", of=f1, title="F1", chance=always_yes)
YES_NO_ACCURACY = _ranking(name="accuracy", of=accuracy_of_decisions, chance=one_answer)


# ---- which items a score is over -------------------------------------------------------------------------------------
#
# One rule for runs, tables, comparisons and plans. A score is over the test items; where there are none, over the valid
# ones; only a set that has neither is scored on its training items. `--split` names others. A run asks a model the
# items that are scored and no others, so that nothing is spent on training items and on those that worked examples
# (option `shots`) are taken from.

SPLITS: tuple[Split, ...] = get_args(Split)  # train, valid, test
EVERY = "all"


def scored_splits(there: Collection[str], wanted: str = "") -> tuple[Split, ...]:
    """The splits that are scored, of those that are `there`; `wanted` is a split, several with commas, or all.

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
    """The splits that a user names, none for all of them; another word is an error.

    >>> named_splits("valid, test"), named_splits("all")
    (('valid', 'test'), ())
    """
    names = tuple(name.strip() for name in wanted.split(","))
    if names == (EVERY,):
        return ()
    if unknown := next((name for name in names if name not in SPLITS), None):
        raise ProbandError(f"--split {wanted}: {unknown!r} is not one of {', '.join((*SPLITS, EVERY))}")
    return names


def splits_in_words(splits: Sequence[str], noun: str = "items") -> str:
    """
    >>> splits_in_words(("test",)), splits_in_words(("train", "valid", "test"), "item")
    ('test items', 'train, valid and test item')
    """
    *first, last = splits or ("no",)
    return f"{', '.join(first)} and {last} {noun}" if first else f"{last} {noun}"


# ---- scores of texts -------------------------------------------------------------------------------------------------


Norm = Literal["sum", "token", "word"]


def method_of(model: ScoresText, name: str) -> str:
    """The named scoring method, or the model's first."""
    if name and name not in model.methods:
        raise ProbandError(f"'method' is {name!r}; this model has {', '.join(model.methods)}")
    return name or model.methods[0]


def normalised(score: Score, norm: Norm) -> float:
    """
    >>> from proband.core.protocols import Score
    >>> normalised(Score(-6.0, 3, 2), "token")
    -2.0
    """
    return score.total / {"sum": 1, "token": max(score.tokens, 1), "word": max(score.words, 1)}[norm]


# ---- shortcuts: items that can be answered without what a suite asks for ---------------------------------------------


NOT_ASKED = -1
Right = Mapping[str, NDArray[np.int8]]  # shortcut -> per item, in order: 1 right, 0 wrong, NOT_ASKED
_last: tuple[str, Right] | None = None


class Shortcut(Protocol):
    """A model (`-m baseline:NAME`) that needs nothing of what a suite asks for. Without training items it learns from
    the others, and no item counts for its own answer."""

    def learn(self, items: Iterable[Item]) -> Shortcut: ...

    def answer(self, items: Sequence[Item]) -> list[Answer]: ...


def answered_rightly(
    baselines: Mapping[str, Callable[[], Shortcut]], items: Callable[[], Iterable[Item]], *, known_as: str
) -> Right:
    """By shortcut and item; empty where an item lacks what they need. `known_as` is the hash of the items."""
    global _last
    key = f"{known_as} {sorted(baselines)}"
    if _last is None or _last[0] != key:
        try:
            _last = key, {name: _right(make().learn(items()), items()) for name, make in baselines.items()}
        except ProbandError:  # hidden answers, rows of others without facts
            _last = key, {}
    return _last[1]


def _right(shortcut: Shortcut, items: Iterable[Item]) -> NDArray[np.int8]:
    right = array("b")
    for item in items:
        if item.split == "train" or item.gold is None or not item.choices:
            right.append(NOT_ASKED)
            continue
        (answer,) = shortcut.answer([item])
        right.append(answer.scores.index(max(answer.scores)) == item.gold)
    return np.frombuffer(right, dtype=np.int8)
