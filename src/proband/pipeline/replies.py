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
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from proband import stats
from proband.core.errors import ProbandError
from proband.core.files import group_by_key, write_json, write_jsonl, write_text
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
    """Scores before and after, written to replies.json and replies.md; items whose label is not proved go to
    exclusions.jsonl."""
    verdicts = {(row.text, row.question): judged for row, judged, _ in audited}
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
    levels = {level: _level([each for each in replies if each.level == level]) for level in _ordered(replies, "level")}
    figures = {"replies": len(replies), "other replies": unknown, "readers": _agreement(replies), "levels": levels}
    write_json(out / "replies.json", figures)
    write_text(out / "replies.md", markdown(figures))
    lists = (
        {**name, "verdict": judged.verdict, **_proof(judged)}
        for row, judged, _ in audited
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


def _ordered(replies: Sequence[ScoredReply], name: str) -> list[str]:
    return list(dict.fromkeys(getattr(each, name) for each in replies))


def _agreement(replies: Sequence[ScoredReply]) -> dict[str, int]:
    """How often our reading of the whole reply and theirs differ on whether it is right."""
    both = [(each.proved, each.own) for each in replies if each.own is not None and each.proved is not None]
    theirs, ours = sum(a > b for a, b in both), sum(a < b for a, b in both)
    return {"replies": len(both), "right by theirs alone": theirs, "right by ours alone": ours}


# ---- models, before and after --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ModelScores:
    """A model's replies at one level, reply by reply: `settled` are those to items with a proved answer."""

    name: str
    replies: Sequence[ScoredReply]

    def column(self, what: str, *, settled: bool = True) -> tuple[list[float], list[str]]:
        chosen = [each for each in self.replies if not settled or each.proved is not None]
        return [getattr(each, what) for each in chosen], [each.item for each in chosen]

    def item_means(self, what: str) -> dict[str, float]:
        values, items = self.column(what)
        return {item: float(np.mean(each)) for item, each in group_by_key(zip(items, values)).items()}

    def figures(self) -> dict[str, Any]:
        before, items = self.column("published")
        after, _ = self.column("proved")
        change = stats.difference(after, before, clusters=items)
        values, every = self.column("published", settled=False)
        own, _ = self.column("own")
        return {
            "replies": len(self.replies),
            "published": _estimate(values, every),
            "settled": len(before),
            "published on settled": _estimate(before, items),
            "proved": _estimate(after, items),
            "change": {**_rounded(change, "value"), "p": change.p},
            "read again": _estimate(own, items) if None not in own else None,
        }


def _estimate(values: Sequence[float], clusters: Sequence[str]) -> dict[str, float]:
    made = stats.mean(values, clusters=clusters, share=True)
    return _rounded(made, "mean")


def _rounded(made: Any, value: str) -> dict[str, float]:
    return {name: round(getattr(made, name), 5) for name in (value, "low", "high")}


def _level(replies: Sequence[ScoredReply]) -> dict[str, Any]:
    models = [ModelScores(name=n, replies=[r for r in replies if r.model == n]) for n in _ordered(replies, "model")]
    together = ModelScores(name="all", replies=replies)
    if not any(each.proved is not None for each in replies):
        return {"models": {}, "items": len({each.item for each in replies}), "settled items": 0}
    figures = {model.name: model.figures() for model in models}
    for name, p in zip(figures, stats.holm_where_tested([each["change"]["p"] for each in figures.values()])):
        figures[name]["change"]["p corrected"] = p
    read = all(each["read again"] for each in figures.values())
    columns = {"published": "published", "proved": "proved", **({"read again": "own"} if read else {})}
    order = {
        what: sorted(figures, key=lambda name, what=what: (-figures[name][what]["mean"], name))  # type: ignore[misc]
        for what in columns
    }
    return {
        "items": len({each.item for each in replies}),
        "settled items": len({each.item for each in replies if each.proved is not None}),
        "all models": together.figures(),
        "models": figures,
        "order": order,
        "pairs": {what: _pairs(models, column) for what, column in columns.items()},
        "swapped": _swapped(figures, "published", "proved"),
    }


def _pairs(models: Sequence[ModelScores], what: str) -> dict[str, int | list[tuple[str, str]]]:
    """Paired tests of every two models on their common items with a proved answer, corrected together."""
    tests = []
    for one, other in combinations(models, 2):
        a, b = one.item_means(what), other.item_means(what)
        both = [item for item in a if item in b]
        tests.append((one.name, other.name, stats.difference([a[i] for i in both], [b[i] for i in both])))
    corrected = stats.holm_where_tested([test.p for _, _, test in tests])
    found = [(a, b) if t.value > 0 else (b, a) for (a, b, t), p in zip(tests, corrected) if p is not None and p < LEVEL]
    return {"tested": len(tests), "different": len(found), "better": found}


def _swapped(figures: Mapping[str, Any], before: str, after: str) -> list[tuple[str, str]]:
    """Pairs of which the first is published as better and is not."""
    mean = {name: (each[before]["mean"], each[after]["mean"]) for name, each in figures.items()}
    return [
        (a, b)
        for a, b in ((x, y) for x in mean for y in mean if x != y)
        if mean[a][0] > mean[b][0] and mean[a][1] < mean[b][1]
    ]


# ---- as a table ----------------------------------------------------------------------------------------------------

HEAD: Final = (
    "model",
    "replies",
    "published",
    "95 %",
    "proved",
    "95 %",
    "change",
    "95 %",
    "p (Holm)",
    "read again",
    "95 %",
)


def table_rows(level: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A row per model, the best under the proved labels first."""
    rows = [_table_row(name, level["models"][name]) for name in level.get("order", {}).get("proved", ())]
    return [*rows, _table_row("all models", level["all models"])] if rows else []


def _table_row(name: str, figures: Mapping[str, Any]) -> tuple[str, ...]:
    def percent(value: float) -> str:
        return f"{100 * value:.1f}"

    def span(of: Mapping[str, float], form: str = ".1f") -> str:
        return f"[{100 * of['low']:{form}}, {100 * of['high']:{form}}]"

    corrected = figures["change"].get("p corrected")
    published, proved, change, again = (figures[name] for name in ("published", "proved", "change", "read again"))
    return (
        name,
        f"{figures['replies']}",
        percent(published["mean"]),
        span(published),
        percent(proved["mean"]),
        span(proved),
        f"{100 * change['value']:+.1f}",
        span(change, "+.1f"),
        "–" if corrected is None else f"{corrected:.2g}",
        percent(again["mean"]) if again else "–",
        span(again) if again else "",
    )


def markdown(figures: Mapping[str, Any]) -> str:
    lines = []
    for level, each in figures["levels"].items():
        lines += [f"## {level}", "", f"{each['settled items']} of {each['items']} items have a proved answer.", ""]
        lines += [f"| {' | '.join(HEAD)} |", "|---|" + "---:|" * (len(HEAD) - 1)]
        lines += [f"| {' | '.join(row)} |" for row in table_rows(each)]
        for a, b in each.get("swapped", ()):
            lines.append(f"\n{a} is published as better than {b}; under the proved labels it is not.")
        lines.append("")
    return "\n".join(lines)
