"""Main findings of an item set in sentences, and warnings about replies (unread, failed, unfinished runs, the spread
between the prompts of one model).

Where the best shortcut is wrong: the items that no shortcut of the suite gets right, a column of every report. A system
that composes scores as high there as elsewhere; one that uses the shortcut falls to chance. The best shortcut is the
one that is right most often on the scored items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from proband.core.files import group_by_key
from proband.core.metrics import ACCURACY, WARNED, Estimate, Metric, answered_rightly, best_choices
from proband.core.suite import Table
from proband.core.types import Answer, Item
from proband.reporting.numbers import formatting
from proband.reporting.numbers.comparisons import ALPHA, Comparison
from proband.reporting.numbers.formatting import is_baseline
from proband.reporting.numbers.score_tables import ScoreTable
from proband.reporting.numbers.study import Codes, Study
from proband.stats import Scores, holm

SENTENCES = 6
CHOSEN = ALPHA / 2  # for what is chosen among many cells, so that it and the headline hold 5 to 8 % together


def sentences(study: Study, table: ScoreTable | None, compared: Sequence[Comparison]) -> list[str]:
    texts = [_leader(study, compared)]
    if table is not None and table.rows and len(table.columns) > 1:
        models = dict(zip(table.labels, table.models))
        cells = [
            (label, table.heading(column), cell)
            for at, column in enumerate(table.columns)
            for _, label, *own in table.groups[-1]
            if isinstance(cell := own[at], Estimate) and not is_baseline(models[label])
        ]
        texts += _against_level(cells, table.metric)
    return [each for each in texts if each][:SENTENCES]


def _leader(study: Study, compared: Sequence[Comparison]) -> str:
    """The best model, the next best system, and whether they differ; empty for two baselines."""
    metric, sign = study.main, -1 if study.main.better == "high" else 1
    cells = {system.label: cell for system, cell in zip(study.systems, study.cell(metric, {})) if cell}
    ranked = sorted(cells, key=lambda label: sign * cells[label].mean)
    models = {system.label for system in study.systems if not system.of_suite}
    first = next((label for label in ranked if label in models), "")
    second = next((label for label in ranked if label != first), "")
    pair = next((c for c in compared if {c.a, c.b} == {first, second} and not c.group), None)
    if pair is None:
        return ""
    both = (cells[pair.a], cells[pair.b])
    if pair.n == max(cell.n for cell in both):
        return _leader_of(study, pair, cells[pair.b], study.scope)
    shared = f"the {formatting.count(pair.n, 'item')} that both answered"
    whole = [
        f"{label} has {formatting.value(cell.mean, metric)} on {formatting.count(cell.n, 'item')}"
        for label, cell in zip((pair.a, pair.b), both)
    ]
    text = _leader_of(study, pair, cells[pair.b], shared)
    return f"{text} Of all that each answered, {formatting.in_a_sentence(whole)}."


def _leader_of(study: Study, pair: Comparison, left: Estimate, scope: str) -> str:
    """Whether two systems differ on the items that both answered; `left` is the cell of the second."""
    metric = study.main
    name = f"{formatting.metric(metric)} on {scope}"
    low, high = (pair.low, pair.high) if metric.better == "high" else (-pair.high, -pair.low)
    gap = f"{formatting.distance(pair.value, metric)} {formatting.interval(low, high, metric)}"
    if pair.value == 0:
        return f"{pair.a} and {pair.b} have the same {name}, {formatting.value(pair.mean_a, metric)}."
    ahead = f"{pair.a} ({formatting.value(pair.mean_a, metric)}) and {pair.b} ({formatting.value(pair.mean_b, metric)})"
    if left.unread > WARNED:
        unread = f"{100 * left.unread:.0f} % of the replies of {pair.b} are unread"
        return f"No model leads on {name}: {ahead} cannot be compared, because {unread}."
    if pair.few:
        shared = formatting.count(pair.clusters, "cluster")
        return f"No model leads on {name}: {ahead} share {shared}, {formatting.TOO_FEW}."
    if pair.p_holm is None:
        once = "each was trained once" if pair.once == 2 else "one of them was trained once"
        return (
            f"{ahead}: these two trained networks differ by {gap} on such items; {once}, so the difference may be "
            "due to the training seeds (train each with three)."
        )
    p = f"Holm p {formatting.p_is(pair.p_holm)}" + (f"; {pair.note}" if pair.note else "")
    if pair.clear:
        best, way = ("highest", "above") if metric.better == "high" else ("lowest", "below")
        return f"{pair.a} has the {best} {name}, {formatting.value(pair.mean_a, metric)}: {gap} {way} {pair.b} ({p})."
    return f"No model leads on {name}: {ahead} differ by {gap}, which is not significant ({p})."


def _against_level(cells: Sequence[tuple[str, str, Estimate]], metric: Metric) -> list[str]:
    """The cells furthest above and furthest below chance or the best shortcut, and the models that do not differ from
    it. The extreme of many cells is far by chance alone, so p-values are Holm-corrected over all models and columns."""
    known = [each for each in cells if each[2].level and each[2].apart and each[2].apart[2] is not None]
    tested = [each for each in known if not each[2].few]
    corrected = dict(zip(map(id, tested), holm([cell.apart[2] or 0.0 for *_, cell in tested if cell.apart])))
    by_distance = sorted(known, key=lambda each: (-_distance(each[2]), each[0], each[1]))
    texts = []
    means = [_distance(cell) for *_, cell in by_distance]
    readable = [each for each in by_distance if not _unreadable(each[2])]
    for ends, way in ((readable[:1], "above"), (readable[::-1][:1], "below")):
        for each in ends:
            label, column, cell = each
            alone = means.count(_distance(cell)) == 1  # otherwise none is furthest
            if alone and cell.against_level == way and corrected.get(id(each), 1.0) < CHOSEN:
                gap = formatting.distance(_distance(cell), metric)
                low, high = sorted((cell.apart or (0.0, 0.0))[:2], key=abs)
                span = formatting.interval(abs(low), abs(high), metric)
                texts.append(f"{label} is furthest {way} {formatting.level_name(cell)} on {column}: by {gap} {span}.")
    at_level = group_by_key(
        ((column, formatting.level_name(cell)), label)
        for label, column, cell in by_distance
        if cell.against_level == "at"
    )
    for (column, name), labels in sorted(at_level.items(), key=lambda each: (-len(each[1]), each[0]))[:2]:
        verb = "is" if len(labels) == 1 else "are"
        texts.append(f"On {column}, {formatting.in_a_sentence(sorted(labels))} {verb} not distinguishable from {name}.")
    return texts


def _distance(cell: Estimate) -> float:
    return cell.mean - (cell.level or 0.0)


def _unreadable(cell: Estimate) -> bool:
    """Whether unread replies, which count as wrong, may be the reason for a low number: they are more than a few, or
    guesses in their place would reach chance."""
    below = (cell.chance or 0.0) - cell.mean
    return cell.unread > WARNED or 0 < below <= cell.unread


LISTED = 5  # items that failed, by name


def unread_warnings(study: Study) -> list[str]:
    """A sentence for each run that is not finished, that failed on some items, whose replies were withheld or whose
    solver sums them up, and for each system that left more than a few replies unreadable, or items unasked or not
    covered."""
    texts = []
    for each, label, answered in zip(study.answered, study.labels, study.answered_items, strict=True):
        errors = answered.errors
        if each.unfinished:
            texts.append(f"{label} is not finished: {each.unfinished}.")
        if errors:
            listed = "; ".join(f"{item} ({reason[:100]})" for item, reason in errors[:LISTED])
            listed += f"; and {len(errors) - LISTED} more" if len(errors) > LISTED else ""
            failed = formatting.count(len(errors), "item")
            texts.append(f"{label} failed on {failed}, which count as wrong: {listed}.")
        if withheld := len(answered.of_status("content_filter")):
            of = formatting.count(withheld, "item")
            texts.append(f"{label}: a filter withheld the replies to {of}, which count as wrong.")
        if each.run.summary.get("in_words"):
            texts.append(f"{label}: {each.run.summary['in_words']}.")
    for label, cell in zip(study.system_labels, study.cell(study.main, {})):
        if cell is not None and cell.unread > WARNED:
            texts.append(f"Warning: {100 * cell.unread:.1f} % of the replies of {label} are unread and count as wrong.")
        if cell is not None and cell.skipped:
            texts.append(f"{label} skipped {formatting.count(cell.skipped, 'item')}, which do not count.")
        if cell is not None and cell.uncovered:
            texts.append(f"{label} does not cover {formatting.count(cell.uncovered, 'item')}: left out of its scores.")
    return texts + list(constant_answers(study).values())


# ---- models that do not look at the question -----------------------------------------------------------------------


LOOKED_AT = 2000  # answers of a run, the first ones
FEWEST = 10  # fewest answers for a statement
MAJORITY = 0.3  # smallest share of the most frequent right answer for a warning about a constant answer
CONSTANT = 0.9  # share of one answer, or of one place among the options
BEYOND = 0.2  # by how much more often it is given than it is right


def constant_answers(study: Study) -> dict[str, str]:
    """Of each run that gives (nearly) the same answer, or the option at the same place, to all items, whatever is
    right, prefers a letter, or is right as often as one answer to all would be: a sentence that says so. Baselines are
    known to."""
    results = dict[str, str]()
    for at, (label, run) in enumerate(zip(study.labels, study.runs, strict=True)):
        if not is_baseline(run.model):
            pairs = list(islice(study.scored(at), LOOKED_AT))
            text = constant_answer(pairs) or preferred_letter(run.summary.get("letters", {}))
            text = text or (at_majority(pairs) if study.main.counts_right_choices else "")
            if text:
                results[label] = f"{label} {text}."
    return results


def constant_answer(pairs: Iterable[tuple[Item, Answer]]) -> str:
    """
    >>> items = [Item(id=str(i), suite="s", prompt="?", choices=("yes", "no"), gold=i % 2) for i in range(16)]
    >>> constant_answer([(item, Answer(item_id=item.id, scores=(0.0, 1.0))) for item in items])
    "answers 'no' to 16 of 16 items; 8 of these answers are right"
    >>> constant_answer([(item, Answer(item_id=item.id, scores=(1.0 - i % 2, i % 2))) for i, item in enumerate(items)])
    ''
    """
    given = [  # the answer and its place, each with the right one
        ((item.choices[best[0]], item.choices[item.gold]), (best[0] + 1, item.gold + 1))
        for item, answer in pairs
        if item.gold is not None and len(best := best_choices(answer)) == 1
    ]
    for at, words in enumerate(("answers {!r} to", "chooses option {} in") if len(given) >= FEWEST else ()):
        (most, count), *others = Counter(each[at][0] for each in given).most_common()
        right = sum(each[at][1] == most for each in given)
        if count >= CONSTANT * len(given) and count - right >= BEYOND * len(given):
            nearly = "nearly always " if others and at == 0 else ""
            return f"{nearly}{words.format(most)} {count} of {len(given)} items; {right} of these answers are right"
    return ""


def preferred_letter(letters: Mapping[str, Sequence[float]]) -> str:
    """Of the figures of solver `choose`, per letter its share and its share if the order had no influence.

    >>> preferred_letter({"A": [0.75, 0.5], "B": [0.25, 0.5]})
    'chooses letter A in 75.0 % of its replies, 50.0 % without position bias'
    >>> preferred_letter({"A": [0.55, 0.5], "B": [0.45, 0.5]})
    ''
    """
    letter, (share, unbiased) = max(letters.items(), key=lambda each: each[1][0] - each[1][1], default=("", (0, 0)))
    if share - unbiased < BEYOND:
        return ""
    return (
        f"chooses letter {letter} in {100 * share:.1f} % of its replies, {100 * unbiased:.1f} % without position bias"
    )


def at_majority(pairs: Sequence[tuple[Item, Answer]]) -> str:
    """Of answers among the same options: whether they are right as often as the most frequent right answer would be,
    given to all.

    >>> items = [Item(id=str(i), suite="s", prompt="?", choices=("yes", "no"), gold=int(i % 4 > 0)) for i in range(40)]
    >>> at_majority([(item, Answer(item_id=item.id, scores=(0.0, float(i > 3)))) for i, item in enumerate(items)])
    "is right on 72.5 %, not distinguishable from always answering 'no' (75.0 %)"
    >>> at_majority([(item, Answer(item_id=item.id, scores=(1.0 - item.gold, item.gold))) for item in items])
    ''
    """
    known = [(item, answer) for item, answer in pairs if item.gold is not None]
    if len(known) < FEWEST or len({item.choices for item, _ in known}) > 1:
        return ""
    ((text, count),) = Counter(item.choices[item.gold] for item, _ in known if item.gold is not None).most_common(1)
    share, right = count / len(known), ACCURACY
    if share < MAJORITY:
        return ""
    band = Scores.of([number for pair in known for number in right.numbers(*pair)]).interval()
    if not band.low <= share <= band.high:
        return ""
    always = f"not distinguishable from always answering {text!r} ({formatting.value(share, right)})"
    return f"is right on {formatting.value(band.mean, right)}, {always}"


# ---- where the best shortcut is wrong --------------------------------------------------------------------------------


SHORTCUT = "best shortcut"
SHORTCUT_WRONG, SHORTCUT_RIGHT = "where the best shortcut is wrong", "where it is right"


@dataclass(frozen=True, kw_only=True)
class BestShortcut:
    shares: Mapping[str, float]  # of the scored items that each shortcut answers rightly, the best one first
    items: int  # where the best one is wrong

    @property
    def in_words(self) -> str:
        return next(f"baseline:{name}, right on {100 * share:.1f} %" for name, share in self.shares.items())

    def table(self, metric: str) -> Table:
        return Table(
            name="shortcut",
            title=f"Where the best shortcut is wrong ({self.in_words})",
            columns=(SHORTCUT,),
            order={SHORTCUT: (SHORTCUT_WRONG, SHORTCUT_RIGHT)},
            metric=metric,
            note="A shortcut does not do the task, and a model that relies on it is wrong on these items. Shortcuts: "
            + ", ".join(f"{name} {100 * share:.1f} %" for name, share in self.shares.items()),
        )


def mark_by_shortcut(study: Study) -> BestShortcut | None:
    """Tag the items of a study with whether the best shortcut is right; None where it is everywhere, or nowhere."""
    suite, known_as = study.suite, study.runs[0].items_sha
    right = answered_rightly(suite.baselines, study.items, known_as=known_as)
    if not (study.main.counts_right_choices and right):
        return None
    scored = study.mask({})
    shares = {
        name: float(own[asked].mean()) if (asked := scored & (own >= 0)).any() else 0.0 for name, own in right.items()
    }
    best = sorted(shares, key=lambda name: -shares[name])
    codes = right[best[0]].astype(np.int32)
    wrong = int((codes[scored] == 0).sum())
    if not 0 < wrong < int(scored.sum()):
        return None
    study.tags = {**study.tags, SHORTCUT: Codes(values=(SHORTCUT_WRONG, SHORTCUT_RIGHT), codes=codes)}
    return BestShortcut(shares={name: shares[name] for name in best}, items=wrong)


def shortcut_headline(study: Study, best: BestShortcut) -> str:
    """The best system there and the one that loses most, if significant (Bonferroni over the systems); else nothing."""
    metric, on_wrong, on_right = study.main, {SHORTCUT: SHORTCUT_WRONG}, {SHORTCUT: SHORTCUT_RIGHT}
    everything, there = study.cell(metric, {}), study.cell(metric, on_wrong)
    of_wrong, of_right = study.scores(metric, on_wrong), study.scores(metric, on_right)
    cells = {
        at: (whole, cell)
        for at, (whole, cell) in enumerate(zip(everything, there))
        if whole and cell and not cell.few and not study.systems[at].baseline
    }
    falls = {
        at: whole.mean - cell.mean
        for at, (whole, cell) in cells.items()
        if (other := study.cell(metric, on_right)[at]) is not None
        and not other.few
        and (p := of_wrong[at].minus_selection(of_right[at], same_runs=True).p) is not None
        and len(cells) * p < ALPHA
    }
    most = max(falls, key=lambda at: falls[at], default=None)
    if most is None or falls[most] <= 0:
        return ""
    first = max(cells, key=lambda at: cells[at][1].mean)
    low, high = (
        f"{formatting.value(e.mean, metric)} {formatting.span(e, metric)}"
        for e in (cells[at][1] for at in (most, first))
    )
    wrong = f"Where the best shortcut ({best.in_words}) is wrong, {formatting.count(best.items, 'item')}"
    fall = f"{study.system_labels[most]} falls from {formatting.value(cells[most][0].mean, metric)} to {low}"
    ahead = f"; {study.system_labels[first]} has the highest {formatting.metric(metric)} there, {high}"
    return f"{wrong}, {fall}{ahead if first != most else ''}."
