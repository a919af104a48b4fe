"""Like beside like: which published figures may stand beside an item set, and in what our lines differ from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from proband.core.suite import Published
from proband.core.types import Tag

NEARLY = 0.98  # of the published number of questions: a few items without a negative are no other measurement
SIGNS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ"


def comparable(figures: Iterable[Published], manifest: Mapping[str, Any]) -> list[Published]:
    """The figures that were measured on the data of this manifest, known by its content."""
    found = manifest.get("fingerprint")
    return [figure for figure in figures if found in figure.on.fingerprints]


def differences(
    cells: Iterable[tuple[Published, int]], manifest: Mapping[str, Any], tags: Mapping[str, Tag]
) -> list[str]:
    """In what a line of ours differs from the published figures beside it: (figure, our questions in the cell)."""
    conditions: dict[str, None] = {}
    shares: list[float] = []
    for figure, questions in cells:
        conditions.update(dict.fromkeys(_conditions(figure, manifest, tags)))
        if figure.on.questions:
            shares.append(questions / figure.on.questions)
    fewer = min(shares, default=1.0)
    more = max(shares, default=1.0)
    said = [f"{100 * fewer:.3g} % of the questions of the published rows"] if fewer < NEARLY else []
    if more > 1 / NEARLY:
        said.append(f"{more:.3g} times the questions of the published rows: others are among them")
    return [*conditions, *said]


def _conditions(figure: Published, manifest: Mapping[str, Any], tags: Mapping[str, Tag]) -> Iterator[str]:
    """
    >>> from proband.core.suite import MeasuredOn
    >>> on = MeasuredOn(data="D", fingerprints=frozenset(), conditions={"options": 2, "run.hidden": 128, "k": 3})
    >>> figure = Published(model="m", metric="accuracy", group={}, value=0.5, source="p", on=on)
    >>> list(_conditions(figure, {"conditions": {"options": 4, "k": 3}}, {"run.hidden": 256}))
    ['options: 4, published 2', 'hidden: 256, published 128']
    """
    ours = manifest.get("conditions", {})
    of_runs = {name for name in figure.on.conditions if name.startswith("run.")}
    for name, value in figure.on.conditions.items():
        of_run = name in of_runs
        if of_run and not of_runs <= tags.keys():
            continue  # of another kind of system
        here = tags[name] if of_run else ours.get(name, "not known")
        if here != value:
            yield f"{name.removeprefix('run.')}: {here}, published {value}"


def signs(notes: Mapping[Any, Sequence[str]]) -> dict[str, str]:
    """A sign for each note, in the order in which they occur.

    >>> signs({"a": ["few"], "b": ["few", "other"]})
    {'few': 'ᵃ', 'other': 'ᵇ'}
    """
    every = dict.fromkeys(note for each in notes.values() for note in each)
    return {note: SIGNS[at] if at < len(SIGNS) else f"⁽{at}⁾" for at, note in enumerate(every)}
