"""`proband items`: the answers of many systems to one set of items, item by item (item_analysis).

OUT has index.html, items.csv, suspects.jsonl (the items that an audit should see), tables/, figures/, report.json and,
with `short`, short/ with the items of a shorter test, which `proband run` takes; `estimate` is a run on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import sha256_file, write_csv, write_json, write_jsonl
from proband.pipeline.asking.items_and_answers import name_list
from proband.pipeline.item_analysis.item_response import LEAST_SYSTEMS
from proband.pipeline.item_analysis.item_study import ItemStudy, shown_facts
from proband.pipeline.item_analysis.short_tests import ShortTest
from proband.pipeline.logs import is_log, read_log
from proband.pipeline.logs.record import Wanted, join_logs
from proband.pipeline.report import item_sets
from proband.reporting.folder import Folder
from proband.reporting.numbers.cells import Study
from proband.reporting.numbers.item_sets import ItemSet
from proband.reporting.page.browse import outcomes, write_browser
from proband.reporting.page.page import items_page


def items(
    runs: Sequence[str | Path],
    *,
    out: str | Path,
    items: str | Path | None = None,
    by: str | Sequence[str] = "",
    group: str = "",
    short: int = 0,
    estimate: str | Path | None = None,
    cluster: str = "",
    split: str = "",
    seed: int = 0,
    force: bool = False,
) -> dict[str, Any]:
    """Item analysis: difficulty, discrimination, suspected label errors, reliability of the ranking.

    Example: proband items runs -o items

    :param runs: Run folders on one set of items, or logs of other tools.
    :param by: Tags that may explain difficulty, with commas (default: all).
    :param group: Systems to compare with the others: names with *, with commas.
    :param short: Write a short test of N items to OUT/short.
    :param estimate: A run on the short test of the same runs, N and seed: its score.
    :param cluster: Field of a log with what items share (default: cluster or clusters).
    """
    paths = [Path(run) for run in runs]
    wanted = Wanted(cluster=cluster, items=Path(items) if items else None)
    known = _one_set(paths, wanted)
    if len(known.answered) < LEAST_SYSTEMS:
        raise ProbandError(f"item analysis needs {LEAST_SYSTEMS} runs or more; there are {len(known.answered)}")
    study = Study(known, seed=seed, split=split)
    study.rank()
    seen = ItemStudy.of(study)
    at = study.items.items_at(seen.rows.tolist())
    ids = [at[row].id for row in seen.rows.tolist()]
    if estimate is not None and not short:
        raise ProbandError("--estimate needs --short N, the size of the test that the run answered")
    test = ShortTest.draw(seen.right, short, seed=seed) if short else None
    groups = [seen.group_sheet(group)] if group else []
    sheets = [seen.ranking_sheet(), seen.difficulty_sheet(name_list(by)), *groups, seen.suspects_sheet(ids)]
    result: dict[str, Any] = {
        "systems": len(study.systems),
        "items": len(ids),
        "suspects": len(seen.suspects()),
        "sheets": [{"title": s.title, "header": s.header, "rows": s.rows, "note": s.note} for s in sheets],
    }
    folder = Folder(Path(out), force=force)
    for sheet in sheets:
        folder.sheet(sheet)
    order = np.full(study.arrays.count, np.nan)
    order[seen.rows] = -seen.fit.difficulty
    browsed = write_browser(study, folder.add, order=order, facts=shown_facts(seen))
    lede = f"{len(study.systems)} systems on {len(ids):,} items that all of them have answered ({study.name})."
    page = items_page(study, sheets, browsed, lede=lede)
    folder.add("index.html", page)
    lines = [seen.record(place) for place in range(len(ids))]
    write_csv(folder.out / "items.csv", ("item", *lines[0]), ((name, *line.values()) for name, line in zip(ids, lines)))
    write_jsonl(folder.out / "suspects.jsonl", (at[int(seen.rows[place])] for place in seen.suspects()))
    if test is not None:
        result["short"] = _short(seen, ids, at, folder.out / "short", test, estimate=estimate)
    folder.finish(result)
    return {**result, "page": str(folder.out / "index.html")}


def _one_set(paths: Sequence[Path], wanted: Wanted) -> ItemSet:
    """The runs or logs as one item set."""
    if any(map(is_log, paths)):
        if len(paths) < LEAST_SYSTEMS:
            raise ProbandError(f"item analysis needs {LEAST_SYSTEMS} logs or more; there are {len(paths)}")
        return join_logs([read_log(path, wanted) for path in paths])
    sets = item_sets(paths, items=wanted.items)
    if len(sets) > 1:
        raise ProbandError(f"these are runs on {len(sets)} sets of items: name those of one")
    return replace(sets[0]).ordered()


def _short(
    seen: ItemStudy, ids: list[str], at: Any, folder: Path, test: ShortTest, *, estimate: str | Path | None
) -> dict[str, str | float]:
    """A short test as a folder of items; the score over all items of a run that answered it."""
    if estimate is not None:
        (own,) = item_sets([estimate])
        study = Study(own)
        answers = dict(zip((item.id for item in own.items()), outcomes(study)[0]))
        missing = [ids[place] for place in test.drawn if not np.isfinite(answers.get(ids[place], np.nan))]
        if missing:
            raise ProbandError(f"has no answer to {len(missing)} items of the short test: {missing[0]}", file=estimate)
        found = test.estimate(np.array([answers[ids[place]] for place in test.drawn]))
        ends = {"mean": found.mean, "low": found.low, "high": found.high}
        return {"system": study.labels[0], **ends, "items": len(test.drawn)}
    rows = [at[int(seen.rows[place])] for place in sorted(test.drawn.tolist())]
    write_jsonl(folder / "items.jsonl", rows)
    manifest = {**seen.study.items.manifest, "items": len(rows), "short test of": seen.study.items.runs[0].items_sha}
    splits = {split: sum(row.split == split for row in rows) for split in dict.fromkeys(row.split for row in rows)}
    manifest |= {"splits": splits, "sha256": {"items.jsonl": sha256_file(folder / "items.jsonl")}}
    write_json(folder / "manifest.json", manifest)
    return {"folder": str(folder), "items": len(rows)}
