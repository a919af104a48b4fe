"""The figures of the papers' own sections, from this study and as they were published.

A figure is {"here", "published", "unit"}: a share (with its 95 % interval and n), a count, a number or seconds. One
that the paper gives by length has the length in its name: "time_limited, k = 2".
"""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from proband.annotate.results.collected import Collected, Given
from proband.annotate.results.labels import labels
from proband.annotate.texts import text
from proband.core.agreement.audit import audit, wilson
from proband.core.suite import printed

Figure = dict[str, Any]
CLUTRR = "kinship/people.csv"  # tables 3.1 and 3.2 of the thesis


def paper_figures(found: Collected) -> dict[str, Figure]:
    kinds = {"write": _written, "review": _reviewed, "judge": _judged, "simplify": _simplified, "solve": _solved}
    return kinds[found.project.kind](found)


@dataclass(frozen=True, kw_only=True)
class Line:
    """A figure as people read it."""

    name: str
    here: str
    interval: str
    published: str


def lines(figures: Mapping[str, Figure]) -> list[Line]:
    """The figures in the papers' words."""
    made = []
    for key, figure in figures.items():
        name, _, length = key.partition(", ")
        low, high, unit = figure.get("low"), figure.get("high"), figure["unit"]
        ends = {"low": _written_as(low, unit), "high": _written_as(high, unit)}
        made.append(
            Line(
                name=text(f"figure.{name}") + (f", {length}" if length else ""),
                here=_written_as(figure["here"], unit) or "–",
                interval=f"{text('owner.interval', **ends)}, n = {figure['n']:,}" if low is not None else "",
                published=_written_as(figure["published"], unit),
            )
        )
    return made


def _written_as(number: float | None, unit: str) -> str:
    """
    >>> _written_as(0.5, "share"), _written_as(1234, "count"), _written_as(83, "seconds"), _written_as(None, "count")
    ('50.0 %', '1,234', '83 s', '')
    """
    if number is None:
        return ""
    return {"share": f"{100 * number:.1f} %", "count": f"{number:,}", "seconds": f"{number:.0f} s"}.get(
        unit, f"{number:.3g}"
    )


def share(part: int, whole: int, published: float | None = None) -> Figure:
    low, high = wilson(part, whole) if whole else (None, None)
    here = part / whole if whole else None
    return {"here": here, "low": low, "high": high, "n": whole, "published": published, "unit": "share"}


def value(here: float | None, published: float | None = None, *, unit: str = "count") -> Figure:
    return {"here": here, "published": published, "unit": unit}


def mean(values: Sequence[float], published: float | None = None, *, unit: str = "number") -> Figure:
    return value(round(statistics.fmean(values), 3) if values else None, published, unit=unit)


# ---- the thesis on CLUTRR, sections 3.2.3 to 3.2.5 -----------------------------------------------------------------


def _written(found: Collected) -> dict[str, Figure]:
    """Table 3.1: paraphrases and clauses by the number of facts, different words, overlap within a clause."""
    per: dict[int, dict[str, list[list[str]]]] = defaultdict(lambda: defaultdict(list))
    for each in found.counted():
        clause = "-".join(edge[1] for edge in each.body["edges"])
        per[len(each.body["edges"])][clause].append(re.findall(r"[\w'-]+", each.answer["story"].casefold()))
    made, paper = {}, printed(CLUTRR)
    for k, clauses in sorted(per.items()):
        made[f"paraphrases, k = {k}"] = value(sum(map(len, clauses.values())), paper["paraphrases"].get(k))
        made[f"clauses, k = {k}"] = value(len(clauses), paper["clauses"].get(k))
    groups = [stories for clauses in per.values() for stories in clauses.values()]
    words = {word for group in groups for story in group for word in story}
    made["unique_words"] = value(len(words), paper["unique_words"][None])
    for name, size in (("jaccard_unigrams", 1), ("jaccard_bigrams", 2)):
        overlaps = [
            jaccard(
                set(zip(*(a[n:] for n in range(size)), strict=False)),
                set(zip(*(b[n:] for n in range(size)), strict=False)),
            )
            for group in groups
            for a, b in combinations(group, 2)
        ]
        made[name] = mean(overlaps, paper[name][None])
    return made


def jaccard(a: set[Any], b: set[Any]) -> float:
    """
    >>> jaccard({1, 2}, {2, 3})
    0.3333333333333333
    """
    return len(a & b) / len(a | b) if a or b else 1.0


def _reviewed(found: Collected) -> dict[str, Figure]:
    """Section 3.2.3: 79 % of the collected paraphrases passed the check where all the reviewers agree."""
    votes: dict[str, list[str]] = defaultdict(list)
    reasons: Counter[str] = Counter()
    for each in found.counted():
        present = {story for story, _ in found.kind.labels(each.body, each.answer)}
        for verdict in (verdict for verdict in each.answer["verdicts"] if verdict["story"] in present):
            votes[verdict["story"]].append(verdict["verdict"])
            if verdict["verdict"] == "bad":
                reasons[verdict["reason"]] += 1
    least = {story: found.complete.get(unit, 1) for story, unit in found.groups.items()}
    whole = [set(given) for story, given in votes.items() if len(given) >= least[story]]
    passed = sum(given == {"good"} for given in whole)
    return {
        "passed_review": share(passed, len(whole), 0.79),
        **{f"reason_{reason}": value(count) for reason, count in reasons.most_common()},
    }


def _solved(found: Collected) -> dict[str, Figure]:
    """Table 3.2: accuracy by length, limited and unlimited time, and the difficulty that people report."""
    crowd, expert = _by_length(found.counted("crowd")), _by_length(found.counted("expert"))
    made, paper = {}, printed(CLUTRR)
    for k in sorted({*crowd, *expert}, key=str):
        ratings = [e.answer["difficulty"] for e in (*crowd[k], *expert[k]) if e.answer["difficulty"]]
        made[f"time_limited, k = {k}"] = share(sum(map(right, crowd[k])), len(crowd[k]), paper["time_limited"].get(k))
        made[f"unlimited, k = {k}"] = share(sum(map(right, expert[k])), len(expert[k]), paper["unlimited"].get(k))
        made[f"difficulty, k = {k}"] = mean(ratings, paper["difficulty"].get(k))
    for name, pool in (("seconds_limited", "crowd"), ("seconds_unlimited", "expert")):
        made[name] = mean([e.seconds for e in found.counted(pool)], paper[name][None], unit="seconds")
    return made


def _by_length(given: Iterable[Given]) -> dict[Any, list[Given]]:
    per: dict[Any, list[Given]] = defaultdict(list)
    for each in given:
        per[each.body["k"]].append(each)
    return per


def right(each: Given) -> bool:
    """In time, and as the gold has it."""
    return not each.answer["overtime"] and bool(each.answer["choice"] == each.gold)


# ---- Levy & Dagan 2016, section 3.3 --------------------------------------------------------------------------------


def _judged(found: Collected) -> dict[str, Figure]:
    """23 % nonsense; 3,147 positive and 13,224 negative of 30,703; 91.3 and 86.2 against experts."""
    made = labels(found)
    counts = Counter(label or "no_agreement" for label in made.values())
    expert = {each.item_id: each.value for each in found.judgments("expert")}
    checked = audit(made, expert, positive="yes")
    against = {}
    for name, here, interval, published in (
        ("precision", checked.precision, checked.precision_interval, 0.913),
        ("recall", checked.recall, checked.recall_interval, 0.862),
    ):
        low, high = interval or (None, None)
        against[name] = {**value(here, published, unit="share"), "low": low, "high": high, "n": checked.items}
    return {
        "candidates": value(len(made), 30703),
        "positive": value(counts["yes"], 3147),
        "negative": value(counts["no"], 13224),
        "nonsense": share(counts["nonsense"], len(made), 0.23),
        "no_agreement": value(counts["no_agreement"]),
        **against,
    }


# ---- KidsCook, table 1 ---------------------------------------------------------------------------------------------


def _simplified(found: Collected) -> dict[str, Figure]:
    """Sequences, tokens, vocabulary, mean length of captions and explanations; published: the training part."""
    given = found.counted()
    texts = [re.findall(r"\w+|[^\w\s]", " ".join(each.answer["steps"]).casefold()) for each in given]
    captions = [re.findall(r"\w+|[^\w\s]", each.body["caption"].casefold()) for each in given]
    return {
        "sequences": value(len(texts), 8125),
        "tokens": value(sum(map(len, texts)), 307573),
        "vocabulary": value(len({token for words in texts for token in words}), 3573),
        "mean_length_caption": mean([len(caption) for caption in captions], 10.0),
        "mean_length_explained": mean([len(words) for words in texts], 37.9),
    }
