"""A profile for others: JSON, Markdown, a Hugging Face model card, rows for a data frame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from proband.core.files import dumps, slug
from proband.core.suite import MeasuredOn, Published, Table
from proband.reporting.numbers import formatting
from proband.reporting.numbers.score_tables import Row, ScoreTable
from proband.reporting.profile import SCORE, CapabilityRow, Profile, if_read
from proband.reporting.tables import markdown

LEGEND = "✓ above chance and every shortcut (corrected over {} rows); ✓ at: the score with 80 % power; ? no verdict."
LEVELS = ("chance", "best shortcut", "✓ at", "effect of unread replies")


def plain_row(row: CapabilityRow) -> dict[str, str | float | None]:
    """For JSON and data frames."""
    e, level, best = row.estimate, row.level, row.shortcut
    interval = e is not None and not e.few
    return {
        "capability": row.capability.does,
        "model": row.model,
        "score": None if e is None else e.mean,
        "low": e.low if e is not None and interval else None,
        "high": e.high if e is not None and interval else None,
        "n": 0 if e is None else e.n,
        "chance": row.chance,
        "shortcut": None if best is None else best.value,
        "shortcut_name": None if best is None else best.name,
        "level": None if level is None else level.value,
        "p": None if row.test is None else row.test.p,
        "p_holm": None if row.test is None else row.test.p_holm,
        "can": row.can,
        "verdict": None if e is None else row.no_verdict or ("above every level" if row.can else "not shown"),
        "ticked_at": row.ticked_at,
        "unread": row.unread,
        "score_among_read": row.among_read,
        "score_if_unread_are_right": None if row.bounds is None else row.bounds[1],
        "people": None if row.capability.people is None else row.capability.people.value,
        "metric": None if row.metric is None else formatting.metric(row.metric),
        "items": row.capability.items,
        "reason": row.reason or None,
    }


def as_json(profile: Profile) -> dict[str, Any]:
    return {
        "title": profile.title,
        "models": list(profile.models),
        "names": dict(profile.models),
        "sentences": [{"model": model, "sentence": text} for model, text in profile.sentences],
        "rows_corrected_together": profile.family,
        "notes": list(profile.notes),
        "capabilities": list(map(plain_row, profile.rows)),
        "between_models": [test.record() for test in profile.contrasts],
        "references": {name: dict(means) for name, means in profile.references.items()},
    }


def as_table(profile: Profile) -> ScoreTable:
    """A row per capability; with people and the models that ship; in words also levels, unread replies and items."""
    rows: list[Row] = []
    for each in profile.capabilities:
        for row in profile.of(each):
            chance, least = ("–" if each is None else f"{100 * each:.1f}" for each in (row.chance, row.ticked_at))
            shortcut = f"{100 * row.shortcut.value:.1f} ({row.shortcut.name})" if row.shortcut else "–"
            counted = f"{row.estimate.n} · {each.items}" if row.estimate else row.reason
            more = chance, shortcut, least, if_read(row).strip(" ()") or "–", counted
            rows.append(((each.does,), profile.models[row.model], row.estimate, *more))
        others = {name: (own[each.does], "these items") for name, own in profile.references.items() if each.does in own}
        others |= {"people": (each.people.value, each.people.source)} if each.people else {}
        for name, (value, source) in others.items():
            on = MeasuredOn(data="other items", fingerprints=frozenset())
            figure = Published(model=name, metric="score", group={}, value=value, source=source, on=on)
            rows.append(((each.does,), name, figure, "–", "–", "–", "–", source))
    note = " ".join([LEGEND.format(profile.family), *profile.notes])
    layout = Table(name="profile", title=profile.title, rows=("capability",), columns=(), metric="score", note=note)
    names = tuple(profile.models.values())
    own: dict[str, Any] = {"labels": names, "hues": range(len(names)), "columns": ((),), "rows": tuple(rows)}
    made = ScoreTable(name="profile", title="", layout=layout, metric=SCORE, **own).with_caption()
    return replace(made, header=(*made.header, *LEVELS, "items"))


def model_card(profile: Profile, panel: str) -> str:
    """`model-index` as model cards on Hugging Face have it, of every model; then the table and its key."""
    entries = "".join(
        f"- name: {dumps(profile.models[model])}\n  results:\n"
        + "".join(
            f"  - {dumps(_card_result(row, panel))}\n" for row in profile.rows if row.model == model and row.estimate
        )
        for model in profile.models
    )  # JSON is YAML
    title = f"## Relational knowledge and reasoning (Proband {panel})"
    return f"---\nmodel-index:\n{entries}---\n\n{title}\n\n{markdown(as_table(profile))}"


def _card_result(row: CapabilityRow, panel: str) -> dict[str, Any]:
    assert row.estimate is not None
    assert row.metric is not None
    score = (row.metric.name, formatting.metric(row.metric), row.estimate.mean)
    metrics = (score, ("unread", "replies that could not be read", row.unread))
    return {
        "task": {"type": "text-generation", "name": row.capability.does},
        "dataset": {"type": f"proband/{slug(panel)}", "name": f"Proband {panel}"},
        "metrics": [{"type": kind, "name": name, "value": round(100 * value, 1)} for kind, name, value in metrics],
    }
