"""What a model does where nothing follows: of questions whose answer follows, and some that cannot be determined
(`--open`):

    right               of the questions whose answer follows, those answered with it
    abstained wrongly   of these, those answered "cannot be determined"
    abstained rightly   of the questions that cannot be determined, those answered so
    guessed             of these, those answered with a relation
    score               the mean over all questions of +1 for a right answer (that it is open among them), 0 for
                        abstaining wrongly, -1 for a wrong answer or a guess

A guess among all n choices has a score of (3 - n) / n where the answer follows and (2 - n) / n where it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proband.core.metrics import chosen_answer
from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import WRONG, Answer, Item
from proband.stats import Mean, Scores, clusters_of
from proband.stats.ranking import AUC, WORST
from proband.suites.kinship.world.relations import UNDETERMINED

HEADER = ("model", "right, %", "abstained wrongly, %", "abstained rightly, %", "guessed, %", "score", "95 % interval")


def outcome(item: Item, answer: Answer) -> str:
    """
    >>> item = Item(id="a", suite="kinship", prompt="?", choices=("aunt", "niece", "cannot be determined"), gold=0)
    >>> [outcome(item, Answer(item_id="a", scores=s)) for s in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), ())]
    ['right', 'wrong', 'abstained wrongly', 'wrong']
    >>> outcome(item, Answer(item_id="a", scores=(1.0, 1.0, 0.0)))  # a tie is no answer
    'wrong'
    """
    chosen = chosen_answer(item, answer)
    right = item.gold is not None and chosen == item.choices[item.gold]
    if item.gold is not None and item.choices[item.gold] == UNDETERMINED:
        return "abstained rightly" if right else "guessed"
    return "right" if right else "abstained wrongly" if chosen == UNDETERMINED else "wrong"


def preference_for_open(item: Item, answer: Answer) -> tuple[float, float] | None:
    """How far "cannot be determined" is preferred to the best relation, and whether it is right; None where it is no
    choice.

    >>> item = Item(id="a", suite="kinship", prompt="?", choices=("aunt", "niece", "cannot be determined"), gold=2)
    >>> preference_for_open(item, Answer(item_id="a", scores=(-2.0, -1.0, -1.5)))
    (-0.5, 1.0)
    """
    if UNDETERMINED not in item.choices or item.gold is None:
        return None
    place = item.choices.index(UNDETERMINED)
    truth = float(item.gold == place)
    if answer.status in WRONG or not answer.scores:
        return (-WORST if truth else WORST), truth
    others = [score for at, score in enumerate(answer.scores) if at != place]
    return answer.scores[place] - max(others), truth


TELLING_OPEN_APART = replace(
    AUC,
    name="telling_open_apart",
    each=preference_for_open,
    title='area under the ROC curve of "cannot be determined": open against answerable stories',
)

VALUE = {"right": 1.0, "abstained rightly": 1.0, "abstained wrongly": 0.0, "wrong": -1.0, "guessed": -1.0}


def table(results: Results, seed: int) -> Sequence[Sheet]:
    """Of every run over items of which some cannot be determined; nothing for others."""
    rows = []
    asked: list[Item] = []
    for run, label in enumerate(results.labels):
        pairs = [(item, answer) for item, answer in results.scored(run) if UNDETERMINED in item.choices]
        if pairs:
            asked = [item for item, _ in pairs]
            rows.append((label, *_figures(asked, [outcome(*pair) for pair in pairs])))
    if not rows:
        return ()
    guesses = [
        ((2 if item.choices[item.gold or 0] == UNDETERMINED else 3) - len(item.choices)) / len(item.choices)
        for item in asked
    ]
    rows.append(("*a guess*", None, None, None, None, round(sum(guesses) / len(guesses), 3), ""))
    return (
        Sheet(
            name="abstention",
            title="Where nothing follows: right, abstained, guessed",
            header=HEADER,
            rows=tuple(rows),
            note="right and abstained wrongly: of the questions whose answer follows; abstained rightly and guessed: "
            "of the open ones. Score: +1 for a right answer, 0 for abstaining wrongly, "
            "-1 for a wrong answer or a guess.",
        ),
    )  # fmt: skip


def _figures(items: Sequence[Item], outcomes: Sequence[str]) -> tuple[float | str | None, ...]:
    follows = [each for each in outcomes if each in ("right", "wrong", "abstained wrongly")]
    opens = [each for each in outcomes if each in ("abstained rightly", "guessed")]
    scores = Scores.of(
        [VALUE[each] for each in outcomes], clusters=[set(clusters_of(item)) for item in items], estimator=Mean()
    )
    found = scores.interval()
    span = "too few" if found.few else f"[{found.low:.3f}, {found.high:.3f}]"
    of = [(follows, "right"), (follows, "abstained wrongly"), (opens, "abstained rightly"), (opens, "guessed")]
    shares = [round(100 * own.count(name) / len(own), 1) if own else None for own, name in of]
    return *shares, round(found.mean, 3), span


ABSTENTION = Analysis(
    name="abstention", help="Right, abstained and guessed, where nothing follows", of=table, always=True
)
