"""A leaderboard: models x item sets from a folder of runs, as a static page.

A cell is the main metric with its interval, over the source items of a varied set. Models of an item set that do not
differ significantly share a letter (compact letter display): every pair is tested, Holm-corrected over all pairs of the
set. A rank is a range, from one more than the number of significantly better models. Lines are in the order of scores.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import dumps, slug, write_text
from proband.core.suite import Sheet
from proband.reporting.charts import Axis
from proband.reporting.numbers import formatting
from proband.reporting.numbers.comparisons import holm_corrected, pairs_of
from proband.reporting.numbers.formatting import BY_THEMSELVES, counts_of, short_model, unique
from proband.reporting.numbers.study import ItemSet, Study, names
from proband.reporting.page.page import page_of
from proband.reporting.tables import comma_separated

FIELDS = ("mean", "low", "high", "n", "clusters", "few", "seeds")  # of an estimate


def write_leaderboard(
    sets: Sequence[ItemSet], *, out: Path, title: str | None = None, split: str = "", seed: int = 0, force: bool = False
) -> dict[str, Any]:
    """Write index.html, leaderboard.json and leaderboard.csv."""
    if not sets:
        raise ProbandError("nothing to report: no run was given")
    if (out / "index.html").exists() and not (out / "leaderboard.json").exists() and not force:
        raise ProbandError("exists and is not a leaderboard; choose another folder, or use --force",
                           file=out / "index.html")  # fmt: skip
    keys = unique([slug(each.suite.name + (f"-{each.source}" if each.source else "")) for each in sets])
    studies = [Study(each, seed=seed, split=split) for each in sets]
    boards = [{"name": name, **_board(study)} for study, name in zip(studies, names(sets, keys), strict=True)]
    rows, heading = _rows(boards), title or "Leaderboard"
    write_text(out / "leaderboard.json", dumps({"title": heading, "sets": boards}) + "\n")
    values = ("mean", "low", "high", "n", "group", "unread")
    lines = [  # a line per model and item set
        (row["name"], board["name"], board["metric"], *(own[name] for name in values), *(own["rank"] or ("", "")))
        for row in rows
        for board, own in zip(boards, row["cells"])
        if own is not None
    ]
    header = ("model", "items", "metric", *values, "best rank", "worst rank")
    sheet = Sheet(name="leaderboard", title=heading, header=header, rows=tuple(lines))
    write_text(out / "leaderboard.csv", comma_separated(sheet))
    parts = [(each["name"].replace(" ", "-"), each["name"], 2) for each in boards]
    page = page_of("leaderboard", title=heading, parts=parts, boards=boards, rows=rows, place=_place)
    write_text(out / "index.html", page)
    scores = [line for board in boards for line in _lines(board)]
    counted = counts_of(system for study in studies for system in study.systems)
    return {"page": str(out / "index.html"), **counted, "item sets": len(boards), "scores": scores}


def _board(study: Study) -> dict[str, Any]:
    study.rank()
    decided = [pair for pair in holm_corrected(pairs_of(study, study.main, {}), together=True) if pair.p is not None]
    turned = [pair if pair.better == pair.a else pair.turned() for pair in decided if pair.clear]
    ahead = [(study.system_labels.index(pair.a), study.system_labels.index(pair.b)) for pair in turned]
    cells = [cell for cell in study.cell(study.main, {}) if cell is not None]  # systems without a score come last
    groups = letters(len(cells), ahead) if decided else [""] * len(cells)
    systems = []
    for at, (system, cell) in enumerate(zip(study.systems, cells)):
        first, model = study.runs[system.runs[0]], short_model(str(system.tags["run.model"]))
        better, worse = (sum(pair[side] == at for pair in ahead) for side in (1, 0))
        systems.append(
            {
                "model": model,
                "title": first.label if first.label and system.label.startswith(first.label) else model,
                "label": system.label,
                "details": formatting.how_asked(first) or first.solver,
                **{name: getattr(cell, name) for name in FIELDS},
                "chance": cell.chance,
                "unread": cell.unread,
                "group": groups[at],
                "rank": [better + 1, len(cells) - worse] if decided else None,
                "unfinished": next((study.answered[run].unfinished for run in system.runs), ""),
            }
        )
    return {
        "suite": study.suite.name,
        "question": study.suite.question,
        "source": study.source,
        "items_sha": study.runs[0].items_sha,
        "metric": formatting.metric(study.main),
        "unit": study.main.unit,
        "better": study.main.better,
        "scope": study.scope,
        "tests": len(decided),
        "systems": systems,
    }


def letters(size: int, different: Sequence[tuple[int, int]]) -> list[str]:
    """A compact letter display: two of the systems 0, 1, ... share a letter if and only if they do not differ.

    >>> letters(3, [(0, 2)])
    ['a', 'ab', 'b']
    >>> letters(2, []), letters(3, [(0, 1), (0, 2), (1, 2)])
    (['a', 'a'], ['a', 'b', 'c'])
    """
    columns: list[frozenset[int]] = [frozenset(range(size))]
    for one, other in different:
        parts = [part for c in columns for part in ((c - {one}, c - {other}) if {one, other} <= c else (c,))]
        columns = [
            c for at, c in enumerate(parts) if not any(c < d or (c == d and at > i) for i, d in enumerate(parts))
        ]
    ordered = sorted(columns, key=sorted)  # a, b, ..., z, then a1, b1, ...
    names = (letter + (str(turn) if turn else "") for turn in count() for letter in string.ascii_lowercase)
    named = list(zip(names, ordered))
    return ["".join(name for name, column in named if at in column) for at in range(size)]


def _rows(boards: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row per model, or per label where a model was asked in several ways. The best first: by the mean score where
    every item set has a share, by the mean place on each set where not."""
    counts = [Counter(system["title"] for system in board["systems"]) for board in boards]
    several = {model for models in counts for model, number in models.items() if number > 1}
    rows: dict[str, dict[int, Any]] = {}
    for at, board in enumerate(boards):
        for system in board["systems"]:
            name, solver = system["label"], system["details"].partition(",")[0]
            if system["title"] not in several:
                name = system["title"]
            elif name == system["title"] and solver not in BY_THEMSELVES:  # the only one here, but not on another board
                name = f"{name} · {solver}"
            rows.setdefault(name, {})[at] = system
    whole = all(len(row) == len(boards) for row in rows.values())
    places: dict[str, float] = {}
    for name, row in rows.items():
        own = [(boards[at], system) for at, system in row.items()]
        values = [each["systems"].index(system) / len(each["systems"]) for each, system in own]
        if whole and all(board["unit"] == "share" for board in boards):
            values = [(-1 if each["better"] == "high" else 1) * system["mean"] for each, system in own]
        places[name] = round(float(np.mean(values)), 9)
    return [
        {
            "name": name,
            "place": 1 + sum(place < places[name] for place in places.values()),
            "tied": sum(place == places[name] for place in places.values()) > 1,
            "cells": [rows[name].get(at) for at in range(len(boards))],
        }
        for name in sorted(rows, key=lambda name: (places[name], name))
    ]


def _place(value: float, board: Mapping[str, Any]) -> float:
    """The position of a value on the axis of its item set, from 0 to 100: shares from 0 to 1, others over their
    range."""
    ends = [end for system in board["systems"] for end in (system["low"], system["high"])]
    low, high = (0.0, 1.0) if board["unit"] == "share" else (min(ends), max(ends))
    return round(Axis(low, high if high > low else low + 1.0, 0, 100)(value), 2)


def _lines(board: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A line per system, as the terminal has it."""
    unit = board["unit"]
    return [
        {
            "items": board["name"],
            "metric": board["metric"],
            "model": each["label"],
            "solver": each["details"],
            "mean": formatting.figure(each["mean"], unit),
            "interval": formatting.TOO_FEW if each["few"] else formatting.interval(each["low"], each["high"], unit),
            "group": each["group"],
            "rank": "–".join(map(str, dict.fromkeys(each["rank"] or ()))),
            "n": each["n"],
        }
        for each in board["systems"]
    ]
