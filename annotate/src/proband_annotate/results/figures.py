"""The figures of a study: progress, time, pay, agreement, people."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proband.stats.agreement.aggregation import agreement_with_others, mace
from proband.stats.agreement.coefficients import Alpha, Pair, gwet_ac1, krippendorff_alpha, pairwise
from proband_annotate.human_task import Figure, HumanTask
from proband_annotate.results.collected import Collected, SubmittedAnswer, computed_once
from proband_annotate.store.people import IN_QUOTA
from proband_annotate.terms import hourly
from proband_annotate.texts import number_of, text

SHARED = 5  # least labels that two people must share for their agreement to be shown


@computed_once
def figures(collected: Collected) -> dict[str, Any]:
    """Everything `status` prints and the dashboard shows."""
    return {
        "title": collected.project.title,
        "kind": collected.project.kind,
        "state": collected.state,
        "progress": progress(collected),
        "counted": uncounted(collected),
        "time": times(collected),
        "money": money(collected),
        "agreement": agreement(collected),
        "paper": dict(collected.task.figures(collected)),
    }


def progress(collected: Collected) -> dict[str, Any]:
    outcomes = Counter(person["outcome"] or "working" for person in collected.people)
    return {
        "units": len(collected.units),
        "answers_wanted": collected.slots.get("crowd", 0),
        "answers": collected.done.get("crowd", 0),
        "expert_answers_wanted": collected.slots.get("expert", 0),
        "expert_answers": collected.done.get("expert", 0),
        "kept_but_not_counted": sum(each.slot is None for each in collected.answers),
        "people": len(collected.people),
        "outcomes": dict(sorted(outcomes.items())),
        **({"quotas": quotas} if (quotas := quota_figures(collected)) else {}),
    }


def quota_figures(collected: Collected) -> dict[str, str]:
    """For each group with a quota, the number of people and the limit."""
    crowd = [person for person in collected.people if person["panel"] == "crowd" and person["decision"] != "rejected"]
    there = Counter(person["quota"] for person in crowd if person["outcome"] in IN_QUOTA)
    return {group: f"{there[group]} of {most}" for group, most in collected.project.quotas.most.items()}


def uncounted(collected: Collected) -> str:
    """Whose answers count, in a sentence for the dashboard and every export."""
    failed = {person["id"] for person in collected.people if person["outcome"] == "failed_checks"}
    out = [each for each in collected.answers if each.person_id in failed and each.slot is None]
    about = {
        "answers": number_of("answers", len(out)),
        "people": number_of("people", len({each.person_id for each in out})),
    }
    left = "owner.failed_closed" if collected.state == "closed" else "owner.failed_uncounted"
    return text("owner.failed_count" if collected.project.quality.count_failed else left, **about)


def times(collected: Collected) -> dict[str, Any]:
    seconds = sorted(each.seconds for each in collected.counted() if each.seconds)  # some tools give no times
    if not seconds:
        return {"answers": 0}
    return {
        "answers": len(seconds),
        "mean_seconds": round(statistics.fmean(seconds), 1),
        "median_seconds": round(statistics.median(seconds), 1),
        "quartiles": [round(seconds[int(share * (len(seconds) - 1))], 1) for share in (0.25, 0.75)],
    }


def money(collected: Collected) -> dict[str, Any]:
    """The amount spent, by the terms of each person; people still working count as if they stopped now."""
    pay, made = collected.project.pay, [collected.payment_of(person) for person in collected.people]
    median = times(collected).get("median_seconds")
    cost = float(sum(each.total for each in made)) + sum(
        float(row["by_platform"]) + float(row["bonus"]) for row in collected.erased
    )
    return {
        "currency": pay.currency,
        "tasks_paid": sum(each.tasks for each in made if each.total),
        "cost": round(cost, 2),
        "with_fee": round(cost * (1 + pay.platform_fee), 2),
        "per_hour": float(hourly(collected.terms[-1][2], median)) if median else None,
        "fair_per_hour": pay.per_hour,
    }


def plain(value: Alpha) -> dict[str, Any]:
    """
    >>> plain(Alpha(0.51, 0.4, 0.6)), plain(Alpha(0.51))  # of a single group
    ({'value': 0.51, 'low': 0.4, 'high': 0.6}, {'value': 0.51})
    """
    if value.value is None:
        return {"value": None, "why": value.why}
    return {name: round(number, 4) for name, number in vars(value).items() if isinstance(number, float)}


def agreement(collected: Collected) -> dict[str, Any]:
    if collected.votes is None:
        return {}
    return {
        "krippendorff_alpha": plain(krippendorff_alpha(collected.votes, groups=collected.groups, draws=1000)),
        "gwet_ac1": plain(gwet_ac1(collected.votes, groups=collected.groups, draws=1000)),
    }


# ---- the paper's own figures ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class FigureLine:
    """A figure as text."""

    name: str
    here: str
    interval: str
    published: str


def figure_lines(kind: str, figures: Mapping[str, Figure]) -> list[FigureLine]:
    """The figures in the papers' words."""
    made = []
    for key, figure in figures.items():
        name, _, length = key.partition(", ")
        low, high, unit = figure.get("low"), figure.get("high"), figure["unit"]
        ends = {"low": _with_unit(low, unit), "high": _with_unit(high, unit)}
        made.append(
            FigureLine(
                name=text(f"{kind}.figure.{name}") + (f", {length}" if length else ""),
                here=_with_unit(figure["here"], unit) or "–",
                interval=f"{text('owner.interval', **ends)}, n = {_counted(figure)}" if low is not None else "",
                published=_with_unit(figure["published"], unit),
            )
        )
    return made


def _counted(figure: Figure) -> str:
    """The number of answers, and of units if there are fewer."""
    n, groups = figure["n"], figure.get("groups", figure["n"])
    return f"{n:,}" if groups == n else text("owner.of_units", n=f"{n:,}", units=number_of("units", f"{groups:,}"))


def _with_unit(number: float | None, unit: str) -> str:
    """
    >>> _with_unit(0.5, "share"), _with_unit(1234, "count"), _with_unit(83, "seconds"), _with_unit(None, "count")
    ('50.0 %', '1,234', '83 s', '')
    """
    if number is None:
        return ""
    return {"share": f"{100 * number:.1f} %", "count": f"{number:,}", "seconds": f"{number:.0f} s"}.get(
        unit, f"{number:.3g}"
    )


# ---- people --------------------------------------------------------------------------------------------------------


@computed_once
def people_figures(collected: Collected) -> list[dict[str, Any]]:
    """A line per person: progress, quality and signals. Nothing here has an automatic effect."""
    by_person: dict[int, list[SubmittedAnswer]] = defaultdict(list)
    for each in collected.answers:
        by_person[each.person_id].append(each)
    quality = _quality(collected)
    rows = []
    for person in collected.people:
        mine = by_person[person["id"]]
        seconds = [each.seconds for each in mine]
        agreed, competence = quality.get(person["worker"], (None, None))
        row = {key: person[key] for key in ("id", "worker", "source", "panel", "outcome", "decision", "reason")}
        row |= {
            "answers": len(mine),
            "median_seconds": round(statistics.median(seconds), 1) if seconds else None,
            "checks": f"{person['checks_passed']}/{person['checks']}",
            "checks_share": person["checks_passed"] / person["checks"] if person["checks"] else None,
            "agreement": round(agreed, 3) if agreed is not None else None,
            "competence": round(competence, 3) if competence is not None else None,
            "pay": float(collected.payment_of(person).total),
            "flags": flags(collected, person, mine),
        }
        rows.append(row)
    return rows


@computed_once
def unit_figures(collected: Collected) -> list[dict[str, Any]]:
    """A line per unit: the number of answers, their labels and times; the most even votes first."""
    by_unit: dict[int, list[SubmittedAnswer]] = defaultdict(list)
    for each in collected.answers:
        by_unit[each.unit_id].append(each)
    rows = []
    for number, unit in collected.units.items():
        counted = [each for each in by_unit[number] if each.slot is not None and each.panel == "crowd"]
        per_part: dict[str, Counter[str]] = defaultdict(Counter)
        for each in counted:
            for part, label in zip(each.parts, each.labels, strict=True):
                per_part[part][label] += 1
        same = [max(votes.values()) / votes.total() for votes in per_part.values()]
        rows.append(
            {
                "number": number,
                "name": unit["name"],
                "text": collected.task.unit_text(unit["body"]),
                "answers": len(by_unit[number]),
                "counted": len(counted),
                "wanted": collected.complete.get(unit["name"], 0),
                "labels": dict(sum(per_part.values(), Counter[str]()).most_common()),
                "agreement": round(statistics.fmean(same), 3) if same else None,
                "seconds": round(statistics.median(each.seconds for each in counted), 1) if counted else None,
            }
        )
    return sorted(rows, key=lambda row: (row["agreement"] is None, row["agreement"] or 0.0, row["name"]))


def _quality(collected: Collected) -> dict[str, tuple[float | None, float]]:
    """Worker -> agreement with the majority of the others, competence by MACE."""
    votes = collected.votes
    if votes is None or len(votes.labels) < 2:
        return {}
    competence = mace(votes).competence
    assert competence is not None
    return dict(zip(votes.workers, zip(agreement_with_others(votes), competence.tolist(), strict=True), strict=True))


@computed_once
def pairs(collected: Collected) -> list[Pair]:
    """The agreement of every two people with enough common labels."""
    return pairwise(collected.votes, least=SHARED) if collected.votes is not None else []


@computed_once
def usual_seconds(collected: Collected) -> dict[int, float]:
    """Unit -> expected seconds: those of the kind, weighted by the length of the text."""
    work, lengths = collected.task, dict[int, int]()
    for number, unit in collected.units.items():
        body = unit["body"]
        lengths[number] = len(work.unit_text(body)) + sum(len(part.text) for part in work.parts(body))
    mean = statistics.fmean(lengths.values()) if lengths else 1.0
    expected = collected.project.time.expected_seconds
    return {number: expected * (0.5 + 0.5 * length / (mean or 1.0)) for number, length in lengths.items()}


def flags(collected: Collected, person: Any, mine: Sequence[SubmittedAnswer]) -> list[str]:
    limits = collected.project.signals
    made = []
    usual = usual_seconds(collected)
    pace = [each.seconds / usual[each.unit_id] for each in mine if each.seconds]
    if pace and statistics.median(pace) < limits.fastest_share:
        made.append(text("flag.fast"))
    if any(each.signals.get("pasted", 0) >= limits.paste_characters for each in mine):
        made.append(text("flag.pasted"))
    typed = [each for each in mine if each.signals.get("keys") is not None and _length(each, collected.task) > 60]
    if any(each.signals["keys"] < 0.3 * _length(each, collected.task) for each in typed):
        made.append(text("flag.typed"))
    if person["failed"]:
        made.append(text("flag.failed", count=person["failed"]))
    given = Counter(label for each in mine for label in each.labels)
    if given.total() >= 10 and len(given) == 1:
        made.append(text("flag.same"))
    return made


def _length(each: SubmittedAnswer, task: HumanTask) -> int:
    return sum(map(len, task.writing(each.answer)))
