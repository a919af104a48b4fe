"""A leaderboard: models x item sets from a folder of runs, as a page that can be hosted as it is.

A cell is the main metric with its interval. Models of one item set that no test tells apart share a letter (a compact
letter display): every pair is tested, and Holm's correction is over all pairs of the set. A rank is a range, from one
more than the number of models that are significantly better.

Of an item set with variations, a cell is about the source items, with two columns of its own (the surviving accuracy,
and the contamination gap between items and their twins); the tables of variations.py stand below.

What is known of an item set is kept in sets/NAME.json with a fingerprint of its runs: a further run changes its own
item set and the page, nothing else.
"""

from __future__ import annotations

import dataclasses
import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, cast

import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import csv_lines, dumps, figure, read_json, sha256_file, sha256_text, slug, write_text
from proband.core.statistics.spread import holm
from proband.core.suite import Results, Sheet
from proband.reporting.numbers import words
from proband.reporting.numbers.cells import ALPHA, Comparison, Study
from proband.reporting.numbers.item_sets import AnsweredRun, ItemSet, names
from proband.reporting.numbers.words import BY_THEMSELVES, short_model, unique
from proband.reporting.page.page import page_of
from proband.reporting.variations import effects_of, variation_sheets

FIELDS = ("mean", "low", "high", "n", "clusters", "few", "seeds")  # of an estimate
LAYOUT = 3  # of sets/*.json; raised when their content changes


def write_leaderboard(
    sets: Sequence[ItemSet], *, out: Path, title: str | None = None, split: str = "", seed: int = 0, force: bool = False
) -> dict[str, Any]:
    """Write index.html, leaderboard.json and .csv, and sets/*.json; a file that stays the same is left alone."""
    if not sets:
        raise ProbandError("nothing to report: no run was given")
    if (out / "index.html").exists() and not (out / "leaderboard.json").exists() and not force:
        raise ProbandError("is there already and no leaderboard wrote it; name another folder, or give --force",
                           file=out / "index.html")  # fmt: skip
    boards, reused = [], 0
    keys = unique([slug(each.suite.name + (f"-{each.source}" if each.source else "")) for each in sets])
    for each, key, name in zip(sets, keys, names(sets, keys)):
        file, fingerprint = out / "sets" / f"{key}.json", _fingerprint(each, split, seed)
        known = read_json(file) if file.exists() else {}
        if known.get("fingerprint") == fingerprint:
            numbers = known
            reused += 1
        else:
            numbers = _board(each, split=split, seed=seed)
        # a second item set of a suite changes the name of the first, not its numbers
        _write(file, dumps({**numbers, "name": name, "fingerprint": fingerprint}) + "\n")
        boards.append(read_json(file))
    for old in (out / "sets").glob("*.json"):
        if old.stem not in keys:
            old.unlink()
    rows = _rows(boards)
    heading = title or "Leaderboard"
    _write(out / "leaderboard.json", dumps({"title": heading, "sets": boards}) + "\n")
    _write(out / "leaderboard.csv", _csv(boards, rows))
    _write(out / "index.html", page_of("leaderboard", title=heading, boards=boards, rows=rows, place=_place))
    return {
        "page": str(out / "index.html"),
        "models": len(rows),
        "item sets": len(boards),
        "computed again": len(boards) - reused,
        "scores": [line for board in boards for line in _lines(board)],
    }


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        write_text(path, text)


def _fingerprint(items: ItemSet, split: str, seed: int) -> str:
    """Of everything that the numbers of an item set depend on."""
    runs = sorted(map(_content, items.answered))
    return sha256_text(dumps([LAYOUT, split, seed, items.runs[0].items_sha, items.source, runs]))


def _content(answered: AnsweredRun) -> str:
    run, given = answered.run, answered.answers
    answers = sha256_file(given) if isinstance(given, Path) else sha256_text(dumps(list(given)))
    return dumps([run.model, run.solver, run.label, run.settings, run.usage, run.identity, answers])


# ---- one item set --------------------------------------------------------------------------------------------------


def _board(items: ItemSet, *, split: str, seed: int) -> dict[str, Any]:
    study = Study(items, seed=seed, split=split)
    study.rank()
    varied = effects_of(items.manifest)
    cells, pairs = study.cell(study.main, {}), study.pairs(study.main, {})
    results = cast(Results, dataclasses.replace(study.items, splits=study.splits))
    decided = [pair for pair in pairs if not pair.undecided]
    clear = [pair for pair, p in zip(decided, holm([pair.p for pair in decided])) if p < ALPHA]
    ahead = [_ahead(pair, study.labels) for pair in clear]
    groups = letters(len(study.systems), ahead) if decided else [""] * len(study.systems)
    sheets = variation_sheets(results, study.main) if varied else []
    systems = []
    for at, (system, cell) in enumerate(zip(study.systems, cells)):
        if cell is None:
            continue
        better = sum(low == at for _, low in ahead)
        worse = sum(high == at for high, _ in ahead)
        systems.append(
            {
                "model": short_model(str(system.tags["run.model"])),
                "label": system.label,
                "details": words.how_asked(items.runs[system.runs[0]]) or items.runs[system.runs[0]].solver,
                **{name: getattr(cell.estimate, name) for name in FIELDS},
                "chance": cell.chance,
                "unread": cell.unread,
                "group": groups[at],
                "rank": [better + 1, len(study.systems) - worse] if decided else None,
                "unfinished": next((items.answered[run].unfinished for run in system.runs), ""),
                **_of_variations(system.label, sheets),
                **_spent([items.runs[run].usage for run in system.runs]),
            }
        )
    return {
        "suite": items.suite.name,
        "question": items.suite.question,
        "source": items.source,
        "items_sha": items.runs[0].items_sha,
        "metric": words.metric(study.main),
        "unit": study.main.unit,
        "better": study.main.better,
        "scope": study.scope,
        "tests": len(decided),
        "systems": systems,
        "sheets": [dataclasses.asdict(sheet) for sheet in sheets],
    }


def _of_variations(label: str, sheets: Sequence[Sheet]) -> dict[str, tuple[str, str] | None]:
    """Two figures of a system, with their intervals, from the tables of variations: what survives, and the gap."""
    figures: dict[str, tuple[str, str] | None] = {"surviving": None, "gap": None}
    for sheet in sheets:
        for line in (dict(zip(sheet.header, row)) for row in sheet.rows if row[0] == label):
            if sheet.name == "surviving":
                figures["surviving"] = (str(line["surviving"]), str(line["95 % of surviving"]))
            elif line["right answer"] == "twin":
                figures["gap"] = (str(line["difference"]), str(line["95 %"]))
    return figures


def _ahead(pair: Comparison, labels: Sequence[str]) -> tuple[int, int]:
    """The better and the worse of a pair that differs, by their places."""
    places = labels.index(pair.a), labels.index(pair.b)
    return places if pair.better == pair.a else (places[1], places[0])


def _spent(usage: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
    """Cost and seconds of all runs of a system, None where they are not known."""

    def total(name: str) -> float | None:
        known = [value for each in usage if (value := each.get(name)) is not None]
        return sum(known) if known else None

    return {"cost": total("cost"), "seconds": total("seconds")}


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
    ordered = sorted(columns, key=sorted)
    return ["".join(name for name, column in zip(_names(), ordered) if at in column) for at in range(size)]


def _names() -> Iterator[str]:
    """a, b, ..., z, then a1, b1, ..."""
    return (letter + (str(turn) if turn else "") for turn in count() for letter in string.ascii_lowercase)


# ---- all of them ---------------------------------------------------------------------------------------------------


def _rows(boards: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row per model, or per label where a model was asked in several ways; the best first, by the mean of the
    middles of their ranks."""
    counts = [Counter(system["model"] for system in board["systems"]) for board in boards]
    several = {model for models in counts for model, number in models.items() if number > 1}
    rows: dict[str, dict[int, Any]] = {}
    for at, board in enumerate(boards):
        for system in board["systems"]:
            name, solver = system["label"], system["details"].partition(",")[0]
            if system["model"] not in several:
                name = system["model"]
            elif name == system["model"] and solver not in BY_THEMSELVES:  # the only one here, but not on another board
                name = f"{name} · {solver}"
            rows.setdefault(name, {})[at] = system

    def order(name: str) -> tuple[float, str]:
        middles = [
            (sum(system["rank"]) / 2 if system["rank"] else (len(boards[at]["systems"]) + 1) / 2)
            / (len(boards[at]["systems"]) + 1)
            for at, system in rows[name].items()
        ]
        return float(np.mean(middles)), name

    means = {name: round(order(name)[0], 9) for name in rows}
    return [
        {
            "name": name,
            "place": 1 + sum(mean < means[name] for mean in means.values()),
            "tied": sum(mean == means[name] for mean in means.values()) > 1,
            "cells": [rows[name].get(at) for at in range(len(boards))],
        }
        for name in sorted(rows, key=order)
    ]


def _place(value: float, board: Mapping[str, Any]) -> float:
    """Where a value stands on the axis of its item set, from 0 to 100: shares from 0 to 1, others over their range."""
    if board["unit"] == "share":
        return round(100 * min(max(value, 0.0), 1.0), 2)
    ends = [end for system in board["systems"] for end in (system["low"], system["high"])]
    low, high = min(ends), max(ends)
    return float(round(100 * (min(max(value, low), high) - low) / ((high - low) or 1.0), 2))


def _lines(board: Mapping[str, Any]) -> list[dict[str, Any]]:
    def shown(value: float) -> str:
        return figure(value, board["unit"]) + ("%" if board["unit"] == "share" else "")

    return [
        {
            "items": board["name"],
            "model": system["label"],
            "asked": system["details"],
            "metric": board["metric"],
            "mean": shown(system["mean"]),
        }
        | {"interval": "too few to tell" if system["few"] else f"[{shown(system['low'])}, {shown(system['high'])}]"}
        | {"group": system["group"], "rank": "–".join(map(str, dict.fromkeys(system["rank"] or ()))), "n": system["n"]}
        for system in board["systems"]
    ]


def _csv(boards: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> str:
    head = ["model", "items", "metric", "mean", "low", "high", "n", "group", "best rank", "worst rank"]
    lines = [[*head, "surviving", "contamination gap", "cost", "seconds"]]
    for row in rows:
        for board, system in zip(boards, row["cells"]):
            if system is not None:
                values = [system[name] for name in ("mean", "low", "high", "n", "group")]
                varied = [(system[name] or ("",))[0] for name in ("surviving", "gap")]
                named = [row["name"], board["name"], board["metric"]]
                ranks = system["rank"] or ("", "")
                lines.append([*named, *values, *ranks, *varied, system["cost"], system["seconds"]])
    return "".join(csv_lines(lines, guarded=False))
