"""The figures of a study: progress, time, pay, agreement, people, and those of the papers' own sections."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from proband.annotate.results.collected import Collected, Given
from proband.annotate.results.labels import labels
from proband.core.agreement.alpha import Alpha, krippendorff_alpha
from proband.core.agreement.audit import audit, wilson
from proband.core.agreement.gwet import gwet_ac1
from proband.core.agreement.workers import worker_quality


def figures(found: Collected) -> dict[str, Any]:
    """Everything `status` prints and the dashboard shows."""
    return {
        "title": found.project.title,
        "kind": found.project.kind,
        "state": found.state,
        "progress": progress(found),
        "time": times(found),
        "money": money(found),
        "agreement": agreement(found),
        "paper": paper_figures(found),
    }


def progress(found: Collected) -> dict[str, Any]:
    outcomes = Counter(person["outcome"] or "working" for person in found.people)
    late = sum(each.place is None for each in found.given)
    return {
        "units": len(found.units),
        "answers_wanted": found.places.get("crowd", 0),
        "answers": found.done.get("crowd", 0),
        "expert_answers_wanted": found.places.get("expert", 0),
        "expert_answers": found.done.get("expert", 0),
        "kept_but_not_counted": late,
        "people": len(found.people),
        "outcomes": dict(sorted(outcomes.items())),
    }


def times(found: Collected) -> dict[str, Any]:
    seconds = sorted(each.seconds for each in found.counted())
    if not seconds:
        return {"answers": 0}
    return {
        "answers": len(seconds),
        "mean_seconds": round(statistics.fmean(seconds), 1),
        "median_seconds": round(statistics.median(seconds), 1),
        "quartiles": [round(seconds[int(share * (len(seconds) - 1))], 1) for share in (0.25, 0.75)],
    }


def money(found: Collected) -> dict[str, Any]:
    """What was spent: every answer of the crowd that was sent is paid, unless its person was rejected."""
    pay, rejected = found.project.pay, {p["id"] for p in found.people if p["decision"] == "rejected"}
    paid = sum(each.panel == "crowd" and each.person_id not in rejected for each in found.given)
    median = times(found).get("median_seconds")
    cost = paid * pay.per_unit
    return {
        "currency": pay.currency,
        "answers_paid": paid,
        "cost": round(cost, 2),
        "with_fee": round(cost * (1 + pay.platform_fee), 2),
        "per_hour": round(pay.per_unit * 3600 / median, 2) if median else None,
        "fair_per_hour": pay.per_hour,
    }


def plain(value: Alpha) -> dict[str, Any]:
    if value.value is None:
        return {"value": None, "why": value.why}
    return {"value": round(value.value, 4), "low": round(value.low or 0.0, 4), "high": round(value.high or 0.0, 4)}


def agreement(found: Collected) -> dict[str, Any]:
    if found.votes is None:
        return {}
    return {
        "krippendorff_alpha": plain(krippendorff_alpha(found.votes, groups=found.groups, draws=1000)),
        "gwet_ac1": plain(gwet_ac1(found.votes, groups=found.groups, draws=1000)),
    }


# ---- people --------------------------------------------------------------------------------------------------------


def people_figures(found: Collected) -> list[dict[str, Any]]:
    """A line per person: what they did, how well, and what may be worth a look. Nothing here decides anything."""
    by_person: dict[int, list[Given]] = defaultdict(list)
    for each in found.given:
        by_person[each.person_id].append(each)
    votes = found.votes
    quality = {w.name: w for w in worker_quality(votes)} if votes is not None and len(votes.labels) > 1 else {}
    rows = []
    for person in found.people:
        mine = by_person[person["id"]]
        seconds = [each.seconds for each in mine]
        known = quality.get(person["worker"])
        row = {key: person[key] for key in ("id", "worker", "source", "panel", "outcome", "decision", "reason")}
        row |= {
            "answers": len(mine),
            "median_seconds": round(statistics.median(seconds), 1) if seconds else None,
            "checks": f"{person['checks_passed']}/{person['checks']}",
            "agreement": round(known.agreement, 3) if known and known.agreement is not None else None,
            "competence": round(known.competence, 3) if known else None,
            "flags": flags(found, person, mine),
        }
        rows.append(row)
    return rows


def flags(found: Collected, person: Any, mine: Sequence[Given]) -> list[str]:
    limits = found.project.signals
    made = []
    if mine and statistics.median(each.seconds for each in mine) < limits.fastest_seconds:
        made.append("very fast")
    if any(each.signals.get("pasted", 0) >= limits.paste_characters for each in mine):
        made.append("pasted text")
    typed = [each for each in mine if each.signals.get("keys") is not None and _length(each) > 60]
    if any(each.signals["keys"] < 0.3 * _length(each) for each in typed):
        made.append("more text than keys")
    if person["failed"]:
        made.append(f"failed {person['failed']} checks")
    given = [label for each in mine for _, label in found.kind.labels(each.body, each.answer)]
    if len(given) >= 10 and max(Counter(given).values()) == len(given):
        made.append("always the same label")
    return made


def _length(each: Given) -> int:
    return sum(len(text) for text in (each.answer.get("story", ""), *each.answer.get("steps", ())))


# ---- the papers' own figures ---------------------------------------------------------------------------------------


def share(part: int, whole: int) -> dict[str, Any]:
    low, high = wilson(part, whole) if whole else (None, None)
    return {"share": part / whole if whole else None, "low": low, "high": high, "n": whole}


def paper_figures(found: Collected) -> dict[str, Any]:
    return {"write": _written, "review": _reviewed, "judge": _judged, "simplify": _simplified, "solve": _solved}[
        found.project.kind
    ](found)


def _reviewed(found: Collected) -> dict[str, Any]:
    """Section 3.2.3: 79 % of the collected paraphrases passed the check where all the reviewers agree."""
    overlap = found.project.people.overlap
    votes: dict[str, list[str]] = defaultdict(list)
    reasons: Counter[str] = Counter()
    for each in found.counted():
        for verdict in each.answer["verdicts"]:
            votes[verdict["story"]].append(verdict["verdict"])
            reasons[verdict["reason"]] += verdict["verdict"] == "bad"
    whole = {story: given for story, given in votes.items() if len(given) >= overlap}
    passed = sum(set(given) == {"good"} for given in whole.values())
    return {
        "passed_review": share(passed, len(whole)),
        "published": 0.79,
        "reasons": {r: n for r, n in reasons.items() if n},
    }


def _judged(found: Collected) -> dict[str, Any]:
    """Section 3.3: 23 % nonsense; 3,147 positive and 13,224 negative of 30,703; 91.3 and 86.2 against experts."""
    made = labels(found)
    counts = Counter(label or "no agreement" for label in made.values())
    expert = {each.item_id: each.value for each in found.judgments("expert")}
    checked = audit(made, expert, positive="yes")
    return {
        "candidates": len(made),
        "labels": dict(sorted(counts.items())),
        "nonsense": share(counts["nonsense"], len(made)),
        "published_nonsense": 0.23,
        "expert_items": checked.items,
        "precision": checked.precision,
        "precision_interval": checked.precision_interval,
        "recall": checked.recall,
        "recall_interval": checked.recall_interval,
        "published_precision": 0.913,
        "published_recall": 0.862,
    }


def _written(found: Collected) -> dict[str, Any]:
    """Table 3.1: paraphrases and clauses by the number of facts, different words."""
    per: dict[int, list[Given]] = defaultdict(list)
    words: set[str] = set()
    for each in found.counted():
        per[len(each.body["edges"])].append(each)
        words |= set(re.findall(r"[\w'-]+", each.answer["story"].casefold()))
    rows = {
        f"k = {k}": {"paraphrases": len(mine), "clauses": len({tuple(e[1] for e in g.body["edges"]) for g in mine})}
        for k, mine in sorted(per.items())
    }
    return {"paraphrases": rows, "unique_words": len(words)}


def _simplified(found: Collected) -> dict[str, Any]:
    """Table 1: sequences, tokens, vocabulary, mean length of captions and of their explanations."""
    given = found.counted()
    texts = [re.findall(r"\w+|[^\w\s]", " ".join(each.answer["steps"]).casefold()) for each in given]
    captions = [re.findall(r"\w+|[^\w\s]", each.body["caption"].casefold()) for each in given]
    return {
        "sequences": len(texts),
        "tokens": sum(map(len, texts)),
        "vocabulary": len({token for text in texts for token in text}),
        "mean_length_caption": round(statistics.fmean(map(len, captions)), 1) if captions else None,
        "mean_length_explained": round(statistics.fmean(map(len, texts)), 1) if texts else None,
        "published_mean_lengths": [10.0, 37.9],
    }


def _solved(found: Collected) -> dict[str, Any]:
    """Table 3.2: accuracy by length, limited and unlimited time, and the difficulty that people report."""
    per: dict[Any, dict[str, list[Given]]] = defaultdict(lambda: defaultdict(list))
    for panel in ("crowd", "expert"):
        for each in found.counted(panel):
            per[each.body["k"]][panel].append(each)
    rows = {}
    for k, panels in sorted(per.items(), key=lambda pair: str(pair[0])):
        ratings = [e.answer["difficulty"] for mine in panels.values() for e in mine if e.answer["difficulty"]]
        rows[f"k = {k}"] = {
            "time_limited": share(sum(map(right, panels["crowd"])), len(panels["crowd"])),
            "unlimited": share(sum(map(right, panels["expert"])), len(panels["expert"])),
            "difficulty": round(statistics.fmean(ratings), 2) if ratings else None,
            "difficulty_sd": round(statistics.stdev(ratings), 2) if len(ratings) > 1 else None,
        }
    return {"by_length": rows}


def right(each: Given) -> bool:
    """In time, and as the gold has it."""
    return not each.answer["overtime"] and bool(each.answer["choice"] == each.gold)
