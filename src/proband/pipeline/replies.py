"""Published replies scored again: under the labels they were published with, and under those that are proved.

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
    """Scores before and after, written to replies.json; items whose label is not proved go to
    exclusions.jsonl."""
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
        raise ProbandError("no reply is to a question of the source", file=path)
    levels = {level: _level(own) for level, own in group_by_key((each.level, each) for each in replies).items()}
    figures = {"replies": len(replies), "other replies": unknown, "readers": _agreement(replies), "levels": levels}
    write_json(out / "replies.json", figures)
    lists = (
        {**name, "verdict": judged.verdict, **_proof(judged)}
        for row, judged in audited
        for name in names.get((row.text, row.question), ())
        if judged.verdict != "entailed"
    )
    write_jsonl(out / "exclusions.jsonl", lists)
    return {"replies": len(replies), "models": levels}


def _proof(judged: RowVerdict) -> dict[str, str | None]:
    steps = ", ".join(filter(None, (judged.facts[number].relation for number in judged.proof)))
    why = f"follows from {steps}" + " (reversed)" * judged.reversed if steps else "".join(judged.sentences[-1:])
    return {"label": judged.label, "right": judged.right or None, "why": why}


def _scored(row: AuditRow, judged: RowVerdict, judge: Judge, path: Path) -> ScoredReply:
    cells = row.cells
    if not isinstance(cells.get("model"), str) or not {"read_answer", "reply"} & cells.keys():
        raise ProbandError("a reply has the columns 'model' and 'read_answer' or 'reply'", file=path, line=row.line)
    choices = judge.choices(judged)
    whole, own = str(cells.get("reply") or ""), None
    if "reply" in cells and choices:
        place = Choices(names_of(choices)).read(whole)
        own = judge.credits(choices[place] if place is not None else "", judged)
    answer = str(cells.get("read_answer", whole) or "")
    proved = judge.credits(answer, judged)
    score = cells.get("score", float(answer.strip().lower() == row.answer.strip().lower()))
    try:
        published = float(score)
    except (TypeError, ValueError):
        raise ProbandError(f"'score' is {score!r}, not a number", file=path, line=row.line) from None
    return ScoredReply(
        level=str(cells.get("level", "all")),
        model=cells["model"],
        item=f"{row.text}\n{row.question}",
        published=published,
        proved=None if proved is None else float(proved),
        own=None if own is None else float(own),
    )


def _agreement(replies: Sequence[ScoredReply]) -> dict[str, int]:
    """How often our reading of the whole reply and theirs differ on whether it is right."""
    both = [(each.proved, each.own) for each in replies if each.own is not None and each.proved is not None]
    theirs, ours = sum(a > b for a, b in both), sum(a < b for a, b in both)
    return {"replies": len(both), "right by theirs alone": theirs, "right by ours alone": ours}


# ---- models, before and after --------------------------------------------------------------------------------------


def _figures(replies: Sequence[ScoredReply]) -> dict[str, Any]:
    """The scores of a model's replies; `settled` are those to items with a proved answer."""
    settled = [each for each in replies if each.proved is not None]
    items = [each.item for each in settled]
    before, after, own = ([getattr(each, what) for each in settled] for what in ("published", "proved", "own"))
    change = stats.difference(after, before, clusters=items)
    return {
        "replies": len(replies),
        "published": _estimate([each.published for each in replies], [each.item for each in replies]),
        "settled": len(settled),
        "published on settled": _estimate(before, items),
        "proved": _estimate(after, items),
        "change": {**_rounded(change, "value"), "p": change.p},
        "read again": _estimate(own, items) if None not in own else None,
    }


def _estimate(values: Sequence[float], clusters: Sequence[str]) -> dict[str, float]:
    return _rounded(stats.mean(values, clusters=clusters, share=True), "mean")


def _rounded(made: Any, value: str) -> dict[str, float]:
    return {name: round(getattr(made, name), 5) for name in (value, "low", "high")}


def _level(replies: Sequence[ScoredReply]) -> dict[str, Any]:
    counts = {"items": len({each.item for each in replies})}
    counts["settled items"] = len({each.item for each in replies if each.proved is not None})
    if not counts["settled items"]:
        return {"models": {}, **counts}
    models = group_by_key((each.model, each) for each in replies)
    figures = {name: _figures(own) for name, own in models.items()}
    for name, p in zip(figures, stats.holm_where_tested([each["change"]["p"] for each in figures.values()])):
        figures[name]["change"]["p corrected"] = p
    columns = {"published": "published", "proved": "proved", "read again": "own"}
    if not all(each["read again"] for each in figures.values()):
        del columns["read again"]
    means = {what: {name: each[what]["mean"] for name, each in figures.items()} for what in columns}
    published, proved = means["published"], means["proved"]
    return {
        **counts,
        "all models": _figures(replies),
        "models": figures,
        "order": {what: sorted(own, key=lambda name, own=own: (-own[name], name)) for what, own in means.items()},  # type: ignore[misc]
        "pairs": {what: _pairs(models, column) for what, column in columns.items()},
        "swapped": [
            (a, b) for a, b in permutations(figures, 2) if published[a] > published[b] and proved[a] < proved[b]
        ],
    }


def _pairs(models: Mapping[str, Sequence[ScoredReply]], what: str) -> dict[str, int | list[tuple[str, str]]]:
    """Paired tests of every two models on their common items with a proved answer, corrected together."""
    means: dict[str, dict[str, float]] = {}
    for name, replies in models.items():
        by_item = group_by_key((each.item, getattr(each, what)) for each in replies if each.proved is not None)
        means[name] = {item: float(np.mean(values)) for item, values in by_item.items()}
    tests = []
    for a, b in combinations(means, 2):
        both = [item for item in means[a] if item in means[b]]
        tests.append((a, b, stats.difference([means[a][i] for i in both], [means[b][i] for i in both])))
    corrected = stats.holm_where_tested([test.p for _, _, test in tests])
    found = [(a, b) if t.value > 0 else (b, a) for (a, b, t), p in zip(tests, corrected) if p is not None and p < LEVEL]
    return {"tested": len(tests), "different": len(found), "better": found}


# ---- as a table ----------------------------------------------------------------------------------------------------

HEAD: Final = ("model", "replies", "published", "proved", "change", "p (Holm)", "read again")


def table_rows(level: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A row per model, the best under the proved labels first; scores with their 95 % intervals."""

    def cell(of: Mapping[str, float] | None, value: str = "mean", form: str = ".1f") -> str:
        if of is None:
            return "–"
        mean, low, high = (format(100 * of[name], form) for name in (value, "low", "high"))
        return f"{mean} [{low}, {high}]"

    def row(name: str, of: Mapping[str, Any]) -> tuple[str, ...]:
        p, change = of["change"].get("p corrected"), cell(of["change"], "value", "+.1f")
        scores = cell(of["published"]), cell(of["proved"]), change
        return name, str(of["replies"]), *scores, "–" if p is None else f"{p:.2g}", cell(of["read again"])

    rows = [row(name, level["models"][name]) for name in level.get("order", {}).get("proved", ())]
    return [*rows, row("all models", level["all models"])] if rows else []
