"""The item browser's data: small script files, since a page opened from disk may load scripts but not fetch.

An index per item set holds what filters need (a code per tag, right or wrong per run); the items themselves lie in
shards of a few hundred that the page loads when it shows them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import dumps, write_text
from proband.core.types import Answer, Item
from proband.report import words
from proband.report.cells import Study
from proband.report.collect import Joined, Values

SHARD = 250  # items a file
FILTERED = 400  # a tag with more values than this is searched, not picked from a list
SHOWN = 5000  # items that carry the suite's own text
DRAWN = 240  # items that carry the suite's drawings
TRIED = 3  # drawn items after which it is known whether a suite draws answers too
DRAWING_BYTES = 24 * 2**20


def script(call: str, *values: Any) -> str:
    """A line of JavaScript that hands values over; `<` never stands in it.

    >>> script("f", "</script>")
    'f("\\\\u003c/script>");\\n'
    """
    return f"{call}({','.join(safe_json(value) for value in values)});\n"


def safe_json(value: Any) -> str:
    """JSON that is inert inside HTML and JavaScript alike."""
    text = dumps(value)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def write_browser(study: Study, folder: Path) -> dict[str, int]:
    """Write the index and the shards of one item set; says how many items carry texts and drawings."""
    joined = study.joined
    items = joined.loaded.items
    shown, drawn = _spread(len(items), SHOWN), _spread(len(items), DRAWN)
    values = [_per_item(each, len(items)) for each in joined.metrics[joined.main]]
    listed = {name for name, tag in joined.tags.items() if len(tag.values) <= FILTERED}
    spent, pictures, answered = 0, [], True
    for number, first in enumerate(range(0, len(items), SHARD)):
        records = []
        for i in range(first, min(first + SHARD, len(items))):
            record = _record(joined, i, values, listed)
            if i in shown:
                record |= _text(joined, items[i])
            if i in drawn and spent < DRAWING_BYTES:
                drawings = _drawings(joined, i, answers=answered)
                if drawings:
                    record["svg"] = drawings
                    spent += sum(len(svg) for svg in drawings.values())
                    pictures.append(i)
                    answered = answered and (len(pictures) < TRIED or len(drawings) > 1)
            records.append(record)
        write_text(folder / f"{joined.key}-{number}.js", script("PROBAND.shard", joined.key, number, records))
    index = _index(study, values, listed) | {"drawn": pictures}
    write_text(folder / f"{joined.key}-index.js", script("PROBAND.index", joined.key, index))
    return {"items": len(items), "texts": len(shown), "drawings": len(pictures)}


def _spread(count: int, most: int) -> set[int]:
    """At most `most` places, evenly over `count`.

    >>> sorted(_spread(10, 5)), len(_spread(3, 5))
    ([0, 2, 4, 6, 8], 3)
    """
    return set(range(count)) if count <= most else {i * count // most for i in range(most)}


def _per_item(values: Values, count: int) -> list[float | None]:
    """The mean of an item's numbers; None where there is none."""
    total = np.bincount(values.rows, weights=values.numbers, minlength=count)
    counted = np.bincount(values.rows, minlength=count)
    means = total / np.maximum(counted, 1)
    return [round(mean, 4) if n else None for mean, n in zip(means.tolist(), counted.tolist())]


def _index(study: Study, values: Sequence[Sequence[float | None]], listed: set[str]) -> dict[str, Any]:
    joined = study.joined
    percent = study.percent(joined.main)
    return {
        "suite": joined.loaded.suite.name,
        "count": len(joined.loaded.items),
        "shard": SHARD,
        "runs": joined.labels,
        "metric": words.metric(joined.main),
        "tags": {
            name: {"values": [words.tag(value) for value in tag.values], "codes": tag.codes.tolist()}
            for name, tag in joined.tags.items()
            if name in listed
        },
        "right": ["".join(_sign(value, percent) for value in line) for line in values],
    }


def _sign(value: float | None, percent: bool) -> str:
    """1 right, 0 wrong, h in between, - no number or one that is no share."""
    if value is None or not percent:
        return "-"
    return "1" if value >= 1 else "0" if value <= 0 else "h"


def _record(joined: Joined, i: int, values: Sequence[Sequence[float | None]], listed: set[str]) -> dict[str, Any]:
    item = joined.loaded.items[i]
    record: dict[str, Any] = {"id": item.id, "prompt": item.prompt}
    if item.choices:
        record |= {"choices": item.choices, "gold": item.gold}
    if more := {name: words.tag(value) for name, value in item.tags.items() if name not in listed}:
        record["tags"] = more
    record["answers"] = [_answer(given[i], line[i]) for given, line in zip(joined.answers, values)]
    return record


def _answer(answer: Answer | None, value: float | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    short: dict[str, Any] = {"v": value}
    if answer.scores:
        short["s"] = [round(float(score), 4) for score in answer.scores]
    if answer.text is not None:
        short["t"] = answer.text
    if answer.blanks:
        short["b"] = answer.blanks
    return short


def _text(joined: Joined, item: Item) -> Mapping[str, str]:
    text = joined.loaded.suite.show(item)
    return {"show": text} if text.strip() != item.prompt.strip() else {}


def _drawings(joined: Joined, i: int, *, answers: bool) -> dict[str, str]:
    """The suite's drawing of the item, and one per run where it differs. Drawings are shown as images, so that
    nothing in them can run."""
    draw, item = joined.loaded.suite.draw, joined.loaded.items[i]
    plain = draw(item, None)
    found = {"": plain} if plain else {}
    for label, given in zip(joined.labels, joined.answers) if answers else ():
        own = draw(item, given[i]) if given[i] is not None else None
        if own and own != plain:
            found[label] = own
    for svg in found.values():
        if not svg.lstrip().startswith("<svg"):
            raise ProbandError(f"the drawing of item {item.id!r} is not an SVG element")
    return {label: _standalone(svg) for label, svg in found.items()}


def _standalone(svg: str) -> str:
    """An image needs the namespace that an element inside a page can do without."""
    head, end, rest = svg.lstrip().partition(">")
    return (
        svg.lstrip()
        if "xmlns=" in head
        else head.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1) + end + rest
    )


def parse_script(text: str) -> list[Any]:
    """The values handed over by a line of `script`, for tests and other programs.

    >>> parse_script(script("f", 1, {"a": "<b>"}))
    [1, {'a': '<b>'}]
    """
    start, end = text.index("("), text.rindex(")")
    values: list[Any] = json.loads(f"[{text[start + 1 : end]}]")
    return values
