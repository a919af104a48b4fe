"""The item browser's data: small script files, since a page opened from disk may load scripts but not fetch.

An index per item set holds what filters need (a code per tag, right or wrong per run); the items themselves lie in
shards of a few hundred that the page loads when it shows them. Of a large item set the browser has a sample, which a
second pass over the files picks out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import UNSET

from proband.core.errors import ProbandError
from proband.core.files import dumps
from proband.core.types import Answer, Item
from proband.reporting.draw.marks import look
from proband.reporting.numbers import formatting
from proband.reporting.numbers.cells import Study
from proband.reporting.numbers.item_sets import picked
from proband.stats.clusters import Floats, Ints
from proband.stats.ranking import best_threshold

SHOWN = 2000  # items in the browser
SHARD = 250  # items a file
FILTERED = 400  # a tag with more values than this is searched, not picked from a list
DRAWN = 240  # items that carry the suite's drawings
TRIED = 3  # drawn items after which it is known whether a suite draws answers too
DRAWING_BYTES = 8 * 2**20


def script(call: str, *values: Any) -> str:
    """A line of JavaScript that hands values over as JSON that is inert inside HTML and JavaScript alike.

    >>> script("f", "</script>")
    'f("\\\\u003c/script>");\\n'
    """
    text = ",".join(map(dumps, values)).replace("<", "\\u003c")
    return f"{call}({text});\n".replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def write_browser(
    study: Study,
    write: Callable[[str, str], None],
    *,
    order: Floats | None = None,
    facts: Mapping[int, Mapping[str, str]] | None = None,
) -> dict[str, int]:
    """Write the index and the shards of one item set by `write(file, text)`; returns how many items it has, shows and
    draws. `order`: a number for every item, the lowest first (NaN: last); `facts`: further facts of an item."""
    values = outcomes(study)
    places = sample(study, most=SHOWN)
    places = places if order is None else places[np.argsort(order[places], kind="stable")]
    browser = _Browser(study, places, [line[places] for line in values], facts or {})
    records = browser.records()
    for number, first in enumerate(range(0, len(records), SHARD)):
        part = records[first : first + SHARD]
        write(f"data/{study.key}-{number}.js", script("PROBAND.shard", study.key, number, part))
    write(f"data/{study.key}-index.js", script("PROBAND.index", study.key, browser.index(records)))
    return {"items": study.arrays.count, "shown": len(records), "drawings": sum("svg" in each for each in records)}


def outcomes(study: Study) -> list[Floats]:
    """The main metric of each item, a line per run; NaN where there is none. A metric that ranks items has no number
    for one of them: its items are right (1) or wrong (0) at the run's own threshold."""
    count, entry = study.arrays.count, [run.values(study.main.name) for run in study.arrays.runs]
    lines = []
    for run, (rows, numbers) in enumerate(entry):
        line = np.full(count, np.nan)
        if study.main.over == "item":  # the mean of its numbers
            counted = np.bincount(rows, minlength=count)
            total = np.bincount(rows, weights=numbers, minlength=count)
            line[counted > 0] = (total / np.maximum(counted, 1))[counted > 0]
        elif numbers.ndim == 2 and numbers.shape[1] == 2:  # a score and the truth
            read = ~np.isin(rows, study.arrays.runs[run].of_status("unread"))
            scores, truth = numbers[read].T
            line[rows[read]] = (scores >= best_threshold(scores, truth)) == (truth > 0.5)
        lines.append(line)
    return lines


class _Browser:
    """The items at `places` with everyone's answers; `values` are the main metric of each run for them."""

    def __init__(
        self, study: Study, places: Any, values: Sequence[Any], facts: Mapping[int, Mapping[str, str]]
    ) -> None:
        self.study, self.places, self.facts = study, places.tolist(), facts
        tags = study.arrays.tags
        self.listed = [name for name in study.arrays.written if len(tags[name].values) <= FILTERED]
        result = picked(study.items.items_from, Item, self.places)
        self.items = [result[place] for place in self.places]
        runs = [run for system in study.systems for run in system.runs]
        self.values = [values[run] for run in runs]
        self.answers = [self._answers(run) for run in runs]
        self.labels = [study.items.labels[run] for run in runs]

    def _answers(self, run: int) -> list[Answer | None]:
        answered = self.study.arrays.runs[run].answered
        line = np.searchsorted(answered, self.places)
        lines = {place: int(at) for place, at in zip(self.places, line) if at < len(answered) and answered[at] == place}
        result = picked(self.study.items.answered[run].answers, Answer, lines.values())
        return [result[lines[place]] if place in lines else None for place in self.places]

    def records(self) -> list[dict[str, Any]]:
        records, count = [self._record(i) for i in range(len(self.items))], len(self.items)
        spent, pictures, answered = 0, 0, True
        for i in range(count) if count <= DRAWN else [at * count // DRAWN for at in range(DRAWN)]:  # evenly spaced
            if spent >= DRAWING_BYTES:
                break
            if drawings := self._drawings(i, answers=answered):
                records[i]["svg"] = drawings
                spent += sum(len(svg) for svg in drawings.values())
                pictures += 1
                answered = answered and (pictures < TRIED or len(drawings) > 1)
        return records

    def index(self, records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        study, groups = self.study, groups_of(self.study)
        asked = [i for i, record in enumerate(records) if any(each is not None for each in record["answers"])]
        return {
            "suite": study.items.suite.name,
            "count": len(records),
            "total": study.arrays.count,
            "shard": SHARD,
            "ids": [record["id"] for record in records],
            "runs": self.labels,
            "looks": [look(hue) for hue, system in zip(study.hues, study.systems) for _ in system.runs],
            "tags": {
                name: {
                    "title": self._title(name),
                    "values": [formatting.tag(value) for value in study.arrays.tags[name].values],
                    "codes": study.arrays.tags[name].codes[self.places].tolist(),
                }
                for name in self.listed
            },
            "right": ["".join(map(self._sign, given, line.tolist())) for given, line in zip(self.answers, self.values)],
            "ranked": study.main.over == "set",
            "drawn": [i for i, record in enumerate(records) if "svg" in record],
            **({"asked": asked} if 0 < len(asked) < len(records) else {}),
            **({} if groups is None else {"groups": groups[self.places].tolist()}),
        }

    def _record(self, i: int) -> dict[str, Any]:
        item = self.items[i]
        record: dict[str, Any] = {"id": item.id, "prompt": item.prompt}
        if item.choices:
            record |= {"choices": item.choices, "gold": item.gold}
        own = {name: value for name, value in item.tags.items() if name not in self.listed}
        facts = dict(self.facts.get(self.places[i], {}))
        if own or facts:
            record["tags"] = {self._title(name): formatting.tag(value) for name, value in own.items()} | facts
        record["answers"] = [_answer(given[i], float(line[i])) for given, line in zip(self.answers, self.values)]
        text = self.study.items.suite.show(item)
        return record | ({"show": text} if text.strip() != item.prompt.strip() else {})

    def _title(self, tag: str) -> str:
        return self.study.items.suite.tag_titles.get(tag, formatting.name(tag))

    def _sign(self, answer: Answer | None, value: float) -> str:
        """1 right, 0 wrong, t a tie with the right choice, h partly right, u unread, f failed or withheld, s skipped,
        n not covered, - no verdict."""
        if answer is not None and answer.status:
            return "f" if answer.status in ("error", "content_filter") else answer.status[0]
        if value != value or not self.study.main.percent:
            return "-"
        if answer is not None and 0 < value < 1:
            return "t" if answer.scores else "h"
        return "1" if value >= 1 else "0"

    def _drawings(self, i: int, *, answers: bool) -> dict[str, str]:
        """The suite's drawing of the item, and one per run where it differs. Drawings are shown as images, so that
        nothing in them can run."""
        draw, item = self.study.items.suite.draw, self.items[i]
        plain = draw(item, None)
        result = {"": plain} if plain else {}
        for label, given in zip(self.labels, self.answers) if answers else ():
            answer = given[i]
            own = draw(item, answer) if answer is not None and not answer.status else None
            if own and own != plain:
                result[label] = own
        for svg in result.values():
            if not svg.startswith('<svg xmlns="http://www.w3.org/2000/svg"'):  # images need the namespace
                raise ProbandError(f"the drawing of item {item.id!r} does not begin with <svg xmlns=...>")
        return result


def _answer(answer: Answer | None, value: float) -> dict[str, Any] | None:
    if answer is None:
        return None
    fields = {
        "s": [round(float(score), 4) for score in answer.scores] or None,
        "t": answer.text,
        "l": None if answer.logprob is UNSET else round(answer.logprob, 4),
        "b": answer.blanks or None,
        "status": answer.status or None,
    }
    known = {name: each for name, each in fields.items() if each is not None}
    return {"v": None if value != value else round(value, 4), **known}


# ---- which items are shown, where there are too many -----------------------------------------------------------------


def sample(study: Study, *, most: int) -> Ints:
    """At most `most` places of items, in their order: all, or some drawn at random, with all variations of an item."""
    count, rng = study.arrays.count, np.random.default_rng(study.seed)
    if count <= most:
        return np.arange(count)
    groups = groups_of(study)
    groups = np.arange(count) if groups is None else groups
    names = np.unique(groups)
    chosen = rng.choice(names, size=max(1, most * len(names) // count), replace=False)
    return np.flatnonzero(np.isin(groups, chosen))


def groups_of(study: Study) -> Ints | None:
    """Of each item of a varied set a number that it shares with its source; None for other sets. The variations of an
    item follow it (pipeline/vary.py)."""
    tag = study.arrays.tags.get("variation")
    if tag is None or "original" not in tag.values:
        return None
    groups: Ints = np.cumsum((tag.codes == tag.values.index("original")) | (tag.codes < 0))
    return groups
