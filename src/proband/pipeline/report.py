"""`proband report`: one folder with a page, tables and figures over any number of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import dumps, read_items, read_json, read_run, sha256_file
from proband.core.progress import say
from proband.core.run_folder import items_of, run_folders
from proband.core.types import Run
from proband.pipeline.asking.answers_file import ANSWERS, WAITING, answers_so_far, count_lines
from proband.report.numbers.sources import Answered, ItemSet

PathLike = str | Path


def report(
    runs: Sequence[PathLike],
    *,
    out: PathLike,
    items: PathLike | None = None,
    title: str | None = None,
    seed: int = 0,
    **what: Any,
) -> Mapping[str, Any]:
    """Write the report of all runs in and below these folders. `items` says where the items are, if they have moved;
    `what` are the tables, claims and analyses of `report.write_report`."""
    from proband.report import write_report

    sets = item_sets(runs, items=items)
    return write_report(sets, out=Path(out), title=title, seed=seed, **what)


def item_sets(runs: Sequence[PathLike], *, items: PathLike | None = None) -> list[ItemSet]:
    """The runs in and below these folders, by the items that they answered."""
    found: dict[tuple[str, str], tuple[Path, list[Answered]]] = {}
    twins: dict[str, Path] = {}
    unbegun: list[Path] = []
    for folder in run_folders(runs):
        run, answers = read_run(folder / "run.json"), folder / ANSWERS
        if not answers.exists() or (not answers.stat().st_size and not (folder / WAITING).exists()):
            unbegun.append(answers)
            continue
        key = (run.suite, run.items_sha)
        if key not in found:
            found[key] = (items_of(folder, run, items), [])
        if (same := twins.setdefault(_content(run, answers), folder)) is not folder:
            say(f"{folder}: the same run as {same}; counted once")
            continue
        found[key][1].append(_answered(folder, run, found[key][0]))
    if not found and unbegun:
        raise ProbandError("no answers yet; the run has not begun to answer", file=unbegun[0])
    for path in unbegun:
        say(f"{path.parent}: no answers yet; left out")
    return [
        ItemSet(
            suite=suites.suite(name),
            items_from=path,
            answered=answered,
            manifest=read_json(path.parent / "manifest.json") if (path.parent / "manifest.json").exists() else {},
            source=set_name(path.parent),
        )
        for (name, _), (path, answered) in found.items()
    ]


def _answered(folder: Path, run: Run, items: Path) -> Answered:
    """The answers of a run. One that has not finished, perhaps because it is still running, is taken as it is at this
    moment, in the order of the items."""
    total = int(run.settings.get("asked", run.settings.get("limit")) or count_lines(items))
    if count_lines(folder / ANSWERS, torn=False) >= total:
        return Answered(run=run, answers=folder / ANSWERS)
    known = answers_so_far(folder)
    in_order = [known[item.id] for item in read_items(items, Named) if item.id in known]
    if len(in_order) < len(known):
        strange = next(iter(known.keys() - {answer.item_id for answer in in_order}))
        raise ProbandError(f"answers item {strange!r}, which is not there", file=folder / ANSWERS)
    unfinished = f"{len(in_order):,} of {total:,} answers"
    say(f"{folder}: not finished, {unfinished}; rerun the `proband run` command to resume it")
    return Answered(run=run, answers=in_order, unfinished=unfinished)


class Named(msgspec.Struct):
    """An item as far as its name."""

    id: str
    suite: str


def _content(run: Run, answers: Path) -> str:
    """What two copies of one run have in common: everything but where it was made, and with which versions."""
    own = (run.suite, run.solver, run.model, run.seed, run.items_sha, run.identity, run.settings, run.net)
    return dumps([*own, sha256_file(answers)])


def set_name(folder: Path) -> str:
    """The name of an item set: that of its folder; in a study, without the key at its end.

    >>> set_name(Path("runs/items")), set_name(Path("out/stages/build/clean-59f834f9fa"))
    ('items', 'clean')
    """
    return folder.name.rpartition("-")[0] if folder.parts[-3:-1] == ("stages", "build") else folder.name
