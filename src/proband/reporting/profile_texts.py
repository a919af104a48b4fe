"""A profile for others: JSON, Markdown, a Hugging Face model card, rows for a data frame."""

from __future__ import annotations

from typing import Any

from proband.core.files import dumps, markdown_table, md, slug
from proband.reporting.numbers import formatting
from proband.reporting.profile import CapabilityRow, Profile

LEGEND = "Brackets: 95 % intervals. Bold: above chance and every shortcut"


def plain_rows(profile: Profile) -> list[dict[str, str | float | None]]:
    """One line per capability and model."""
    return [_plain(row) for row in profile.rows]


def _plain(row: CapabilityRow) -> dict[str, str | float | None]:
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
        "p": None if row.test is None else row.test.difference.p,
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
    tests = [{"about": test.about, "p_holm": test.p_holm, **test.difference.record()} for test in profile.contrasts]
    return {
        "title": profile.title,
        "models": list(profile.models),
        "names": {model: profile.name(model) for model in profile.models},
        "sentences": [{"model": model, "sentence": text} for model, text in profile.sentences],
        "rows_corrected_together": profile.family,
        "notes": list(profile.notes),
        "capabilities": plain_rows(profile),
        "between_models": tests,
        "references": {name: dict(means) for name, means in profile.references.items()},
    }


def as_markdown(profile: Profile) -> str:
    """The sentences and the table."""
    lines = [f"# {profile.title}", "", *(f"- {md(text)}" for _, text in profile.sentences), "", table(profile), ""]
    lines += [f"{LEGEND} (corrected over the {profile.family} rows of the panel).", ""]
    lines += [line for note in profile.notes for line in (md(note), "")]
    return "\n".join(lines)


def table(profile: Profile) -> str:
    names = [profile.name(model) for model in profile.models]
    head = ["capability", *(md(name) for name in names), "chance", "best shortcut", "items"]
    body = []
    for each in profile.capabilities:
        rows = profile.of(each)
        first = next((row for row in rows if row.levels), rows[0])
        chance = "–" if first.chance is None else f"{100 * first.chance:.1f}"
        best = "–" if first.shortcut is None else f"{100 * first.shortcut.value:.1f} ({md(first.shortcut.name)})"
        count = max((row.estimate.n for row in rows if row.estimate), default=0)
        body.append([each.does, *map(_cell, rows), chance, best, f"{count} · {md(each.items)}"])
    return markdown_table(head, body)


def _cell(row: CapabilityRow) -> str:
    e = row.estimate
    if e is None:
        return f"– ({md(row.reason)})"
    shown = f"{100 * e.mean:.1f}" if e.few else f"{100 * e.mean:.1f} [{100 * e.low:.1f}, {100 * e.high:.1f}]"
    if row.unread:
        shown += f", {100 * row.unread:.1f} % unread" + (" (no verdict)" if row.no_verdict else "")
    return f"**{shown}**" if row.can else shown


def model_card(profile: Profile, panel: str) -> str:
    """`model-index` as model cards on Hugging Face have it, of every model; then the table and its key."""
    entries = "".join(
        f"- name: {dumps(profile.name(model))}\n  results:\n"
        + "".join(
            f"  - {dumps(_card_result(row, panel))}\n" for row in profile.rows if row.model == model and row.estimate
        )
        for model in profile.models
    )  # JSON is YAML
    title = f"## Relational knowledge and reasoning (Proband {panel})"
    return (
        f"---\nmodel-index:\n{entries}---\n\n{title}\n\n{table(profile)}\n\n{LEGEND}. Unread replies count as wrong.\n"
    )


def _card_result(row: CapabilityRow, panel: str) -> dict[str, Any]:
    assert row.estimate is not None
    assert row.metric is not None
    metric = {
        "type": row.metric.name,
        "name": formatting.metric(row.metric),
        "value": round(100 * row.estimate.mean, 1),
    }
    return {
        "task": {"type": "text-generation", "name": row.capability.does},
        "dataset": {"type": f"proband/{slug(panel)}", "name": f"Proband {panel}"},
        "metrics": [
            metric,
            {"type": "unread", "name": "replies that could not be read", "value": round(100 * row.unread, 1)},
        ],
    }
