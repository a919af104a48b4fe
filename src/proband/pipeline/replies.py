"""Scores published replies again: with their published labels, and with the proved ones.

A file of replies has a row per reply: the question and its label, `model`, what was read out of the reply
(`read_answer`), the whole `reply`, its published `score`, and perhaps a `level` (sets of items that are scored apart).

published   the mean of the published scores (of `read_answer` against the label where there are none)
proved      the share of replies whose read answer is the proved one, over the items that have one
read again  the same, read out of the whole reply by the reader that scores our own runs

Replies to one item are one cluster of the intervals. Two models are compared on the means of their items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from proband import stats
from proband.core.errors import ProbandError
from proband.core.files import group_by_key, write_json, write_jsonl
from proband.proof.decisions import RowVerdict
from proband.proof.row_source import RowSource
from proband.proof.rows import AuditRow
from proband.proof.run import JudgedRows
from proband.proof.verdicts import Judge
from proband.solvers.replies import Choices, names_of

NAMES: Final = ("task", "level", "item", "id", "index")  # columns that name an item
LEVEL: Final = 0.05


class ScoredReply(NamedTuple):
    """A reply: `proved` and `own` are None where the item has no proved answer, `own` where our reader reads none."""

    level: str
    model: str
    item: str
    published: float
    proved: float | None
    own: float | None


def score_replies(
    path: Path, judge: Judge, audited: JudgedRows, columns: Mapping[str, str], out: Path
) -> dict[str, Any]:
    """Write the scores before and after to replies.json, and items without a proved label to exclusions.jsonl."""
    verdicts = {(row.text, row.question): judged for row, judged in audited}
    replies, unknown = list[ScoredReply](), 0
    names: dict[tuple[str, str], list[dict[str, Any]]] = {}  # what the file calls the items of a question
    for row in RowSource(str(path), columns):
        if row.bad:
            raise ProbandError(row.bad, file=path, line=row.line)
        judged = verdicts.get((row.text, row.question))
        unknown += judged is None
        if judged:
            name = {key: row.cells[key] for key in NAMES if key in row.cells}
            known = names.setdefault((row.text, row.question), [])
            known += [name] * (name not in known)
            replies.append(_scored(row, judged, judge, path))
    if not replies:
        raise ProbandError("no reply answers a question of the source", file=path)
    both = [(each.proved, each.own) for each in replies if each.own is not None and each.proved is not None]
    theirs, ours = sum(a > b for a, b in both), sum(a < b for a, b in both)
    readers = {"replies": len(both), "right by theirs alone": theirs, "right by ours alone": ours}
    levels = {level: _level(own) for level, own in group_by_key((each.level, each) for each in replies).items()}
    figures = {"replies": len(replies), "other replies": unknown, "readers": readers, "levels": levels}
    write_json(out / "replies.json", figures)
    lists = (
        {**name, "verdict": judged.verdict, "label": judged.label, "right": judged.right or None, "why": _why(judged)}
        for row, judged in audited
        for name in names.get((row.text, row.question), ())
        if judged.verdict != "entailed"
    )
    write_jsonl(out / "exclusions.jsonl", lists)
    return {"replies": len(replies), "models": levels}


def _why(judged: RowVerdict) -> str:
    steps = ", ".join(filter(None, (judged.facts[number].relation for number in judged.proof)))
    reason = "".join(judged.facts[number].who for number in judged.proof[-1:])  # a fact of a puzzle is a sentence
    return f"follows from {steps}" + " (reversed)" * judged.reversed if steps else reason


def _scored(row: AuditRow, judged: RowVerdict, judge: Judge, path: Path) -> ScoredReply:
    cells = row.cells
    if not isinstance(cells.get("model"), str) or not {"read_answer", "reply"} & cells.keys():
        raise ProbandError("a reply needs the columns 'model' and 'read_answer' or 'reply'", file=path, line=row.line)
    choices, whole, own = judge.choices(judged), str(cells.get("reply") or ""), None
    if "reply" in cells and choices:
        place = Choices(names_of(choices)).read(whole)
        own = judge.credits(choices[place] if place is not None else "", judged)
    answer = str(cells.get("read_answer", whole) or "")
    score = cells.get("score", float(answer.strip().lower() == row.answer.strip().lower()))
    try:
        published = float(score)
    except (TypeError, ValueError):
        raise ProbandError(f"'score' is {score!r}, not a number", file=path, line=row.line) from None
    by_proof = (None if each is None else float(each) for each in (judge.credits(answer, judged), own))
    item = f"{row.text}\n{row.question}"
    return ScoredReply(str(cells.get("level", "all")), cells["model"], item, published, *by_proof)


# ---- models, before and after --------------------------------------------------------------------------------------


def _figures(replies: Sequence[ScoredReply]) -> dict[str, Any]:
    """The scores of a model's replies; `settled` are those to items with a proved answer."""
    settled = [each for each in replies if each.proved is not None]
    items = [each.item for each in settled]
    before, after, own = ([getattr(each, what) for each in settled] for what in ("published", "proved", "own"))
    change = stats.difference(after, before, clusters=items)

    def rounded(known: Any, value: str = "mean") -> dict[str, float]:
        return {name: round(getattr(known, name), 5) for name in (value, "low", "high")}

    def estimate(values: Sequence[float], clusters: Sequence[str] = items) -> dict[str, float]:
        return rounded(stats.mean(values, clusters=clusters, share=True))

    return {
        "replies": len(replies),
        "published": estimate([each.published for each in replies], [each.item for each in replies]),
        "settled": len(settled),
        "published on settled": estimate(before),
        "proved": estimate(after),
        "change": {**rounded(change, "value"), "p": change.p},
        "read again": estimate(own) if None not in own else None,
    }


def _level(replies: Sequence[ScoredReply]) -> dict[str, Any]:
    settled = [each for each in replies if each.proved is not None]
    counts = {"items": len({each.item for each in replies}), "settled items": len({each.item for each in settled})}
    if not settled:
        return {"models": {}, **counts}
    models = group_by_key((each.model, each) for each in replies)
    figures = {name: _figures(own) for name, own in models.items()}
    for name, p in zip(figures, stats.holm_where_tested([each["change"]["p"] for each in figures.values()])):
        figures[name]["change"]["p corrected"] = p
    columns = {"published": "published", "proved": "proved", "read again": "own"}
    if not all(each["read again"] for each in figures.values()):
        del columns["read again"]
    means = {what: {name: -each[what]["mean"] for name, each in figures.items()} for what in columns}
    order = {what: sorted(own, key=lambda name, own=own: (own[name], name)) for what, own in means.items()}  # type: ignore[misc]
    published, proved = means["published"], means["proved"]
    swapped = [(a, b) for a, b in permutations(figures, 2) if published[a] < published[b] and proved[a] > proved[b]]
    pairs = {what: _pairs(settled, column) for what, column in columns.items()}
    both = {"all models": _figures(replies), "models": figures}
    return {**counts, **both, "order": order, "pairs": pairs, "swapped": swapped}


def _pairs(settled: Sequence[ScoredReply], what: str) -> dict[str, int | list[tuple[str, str]]]:
    """Paired tests of every two models on their common items with a proved answer, corrected together."""
    values = group_by_key(((each.model, each.item), getattr(each, what)) for each in settled)
    means = {key: float(np.mean(own)) for key, own in values.items()}
    items = group_by_key(means)
    tests = []
    for a, b in combinations(items, 2):
        if both := [item for item in items[a] if (b, item) in means]:
            tests.append((a, b, stats.difference([means[a, i] for i in both], [means[b, i] for i in both])))
    corrected = stats.holm_where_tested([test.p for _, _, test in tests])
    pairs = [(a, b) if t.value > 0 else (b, a) for (a, b, t), p in zip(tests, corrected) if p is not None and p < LEVEL]
    return {"tested": len(tests), "different": len(pairs), "better": pairs}
