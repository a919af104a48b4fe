"""`proband report`: one folder with a page, tables and figures of any number of runs; and the scores of one run, as in
the report.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from proband import suites
from proband.core import files
from proband.core.errors import ProbandError
from proband.core.metrics import Estimate, Metric
from proband.core.plugins import name_list
from proband.core.progress import log
from proband.core.suite import Suite, Table
from proband.core.types import Run
from proband.models import title_of
from proband.pipeline.asking.items_and_answers import Outline, RunAnswers
from proband.pipeline.steps import steps_of_runs
from proband.reporting import AnsweredRun, ItemSet, check_folder, write_leaderboard, write_report
from proband.reporting.findings import constant_answers
from proband.reporting.numbers import formatting
from proband.reporting.numbers.study import VARIATION, Study

FEW_WORDS = 8  # a reply with fewer has no steps


def report(
    runs: str | Path | Sequence[str | Path],
    *,
    out: str | Path,
    items: str | Path | None = None,
    title: str | None = None,
    seed: int = 0,
    split: str = "",
    leaderboard: bool = False,
    tables: str | Sequence[str] = "",
    claims: bool = False,
    force: bool = False,
) -> Mapping[str, Any]:
    """Write a report of runs: index.html, which opens from disk, with tables (md, tex, csv) and figures.

    Replies in words are checked sentence by sentence, as by `proband steps`.

    Example: proband report runs -o report

    :param runs: Run folders, or folders that contain them.
    :param title: Title of the report.
    :param tables: The suite's tables to write, with commas, or all (default: the usual).
    :param claims: Test the claims of the suite's paper, with the runs that each needs.
    :param leaderboard: One static page of models and item sets, with ranks and groups.
    """
    folders, folder = [Path(run) for run in ([runs] if isinstance(runs, (str, Path)) else runs)], Path(out)
    check_folder(folder, force=force or leaderboard)  # a leaderboard knows its own files
    sets, notes = item_sets(folders, items=items), list[tuple[str, str]]()
    if leaderboard and (claims or tables):
        raise ProbandError("a leaderboard has neither tables of a suite nor claims: leave out --leaderboard")
    if leaderboard:
        return write_leaderboard(sets, out=folder, title=title, seed=seed, split=split, force=force)
    if in_words := runs_in_words(folders):
        notes = steps_of_runs(in_words, out=folder, items=items, force=force)
    return write_report(
        sets, out=folder, title=title, seed=seed, split=split, tables=name_list(tables) or None,
        claims=claims, notes=notes, force=force,
    )  # fmt: skip


def item_sets(runs: Sequence[str | Path], *, items: str | Path | None = None) -> list[ItemSet]:
    """The runs in and below these folders, by the items that they answered."""
    results: dict[tuple[str, str], tuple[Path, list[AnsweredRun]]] = {}
    twins: dict[str, Path] = {}
    unbegun: list[Path] = []
    for folder in files.run_folders(runs):
        run, answers = files.read_run(folder / "run.json"), RunAnswers(folder)
        run = msgspec.structs.replace(run, label=run.label or title_of(run.model))
        if not answers.begun():
            unbegun.append(answers.finished)
            continue
        key = (run.suite, run.items_sha)
        if key not in results:
            results[key] = (files.items_of(folder, run, items), [])
        # what two copies of one run share: everything except paths and versions
        own = (run.suite, run.solver, run.model, run.seed, run.items_sha, run.identity, run.settings, run.net)
        content = files.dumps([*own, *(files.sha256_file(path) for path in answers.files if path.exists())])
        if (same := twins.setdefault(content, folder)) is not folder:
            log(f"{folder}: the same run as {same}; counted once")
            continue
        results[key][1].append(_answered(answers, run, results[key][0]))
    if not results and unbegun:
        raise ProbandError("no answers yet: the run has not started", file=unbegun[0])
    for path in unbegun:
        log(f"{path.parent}: no answers yet; left out")
    made = list[ItemSet]()
    for (name, _), (path, answered) in results.items():
        manifest, source = files.read_manifest(path), set_name(path.parent)
        suite = with_tag_tables(suites.suite(name), manifest.get("columns", {}).get("tags", ()))
        made.append(ItemSet(suite=suite, items_from=path, answered=answered, manifest=manifest, source=source))
    return made


def with_tag_tables(suite: Suite, tags: Sequence[str]) -> Suite:
    """Also with a table by each of these tags, which the user named when the items were built."""
    own = [table.name for table in suite.tables]
    names = formatting.unique([*own, *(files.slug(f"by-{tag}") for tag in tags)])[len(own) :]
    tables = (Table(name=name, title=f"Accuracy by {tag}", rows=(tag,)) for name, tag in zip(names, tags))
    return replace(suite, tables=(*suite.tables, *tables))


def runs_in_words(runs: Sequence[Path]) -> list[Path]:
    """The folders of runs with replies of several words, in a suite with a prover: `steps` checks their sentences."""
    there, in_words = [run for run in runs if run.is_dir()], list[Path]()  # the report itself says which are not
    for folder in files.run_folders(there):
        run = files.read_run(folder / "run.json")
        suite = suites.suite(run.suite)
        if suite.audit and any(each.name == run.solver and each.in_words for each in suite.solvers):
            with suppress(ProbandError):  # one that has not finished has no answers there yet
                answers = files.read_answers(RunAnswers(folder).finished)
                in_words += [folder] if any(len((each.text or "").split()) >= FEW_WORDS for each in answers) else []
    return in_words


def _answered(answers: RunAnswers, run: Run, items: Path) -> AnsweredRun:
    """The answers of a run, in the order of the items; of an unfinished run, those so far."""
    total = int(run.settings.get("asked") or files.count_lines(items))
    if answers.complete(total):
        return AnsweredRun(run=run, answers=answers.finished)
    known, folder = answers.so_far(), answers.finished.parent
    in_order = [known[item.id] for item in files.read_items(items, Outline) if item.id in known]
    if len(in_order) < len(known):
        strange = next(iter(known.keys() - {answer.item_id for answer in in_order}))
        raise ProbandError(f"answers item {strange!r}, which does not exist", file=answers.finished)
    unfinished = f"{len(in_order):,} of {total:,} answers"
    log(f"{folder}: not finished, {unfinished}; rerun the `proband run` command to resume it")
    return AnsweredRun(run=run, answers=in_order, unfinished=unfinished)


def set_name(folder: Path) -> str:
    """The name of an item set: that of its folder; in a study, without the key at its end.

    >>> set_name(Path("runs/items")), set_name(Path("out/stages/build/clean-59f834f9fa"))
    ('items', 'clean')
    """
    return folder.name.rpartition("-")[0] if folder.parts[-3:-1] == ("stages", "build") else folder.name


# ---- the scores of one run -------------------------------------------------------------------------------------------


LISTED_VALUES = 12  # values of a tag that are listed


def score(folder: str | Path, *, split: str = "") -> dict[str, Any]:
    """The number of answers and their mean; None if the metric applies to none of them. `groups` are the same
    per value of the tags of the suite's first table, `others` the other metrics over the same items. `split`: the items
    that are scored, if not those that core/metrics.py settles on."""
    sets = item_sets([folder])[0]
    study = Study(sets, sets.suite.metrics, split=split)
    (cell,), (answered,) = study.cell(study.main, {}), study.answered_items
    groups = []
    tags = [tag for table in sets.suite.tables[:1] for tag in (*table.rows, *table.columns)]
    for tag in [*tags, *([VARIATION] if study.varied else [])]:
        codes = study.tags.get(tag)
        values = [value for value in codes.values if tag != "split" or value in study.splits] if codes else []
        for value in sorted(values, key=lambda v: (isinstance(v, str), v)) if 1 < len(values) <= LISTED_VALUES else ():
            (part,) = study.cell(study.main, {tag: value})
            if part is not None:
                groups.append(_line(formatting.group({tag: value}), part))
    more = [each for each in sets.suite.metrics if each is not study.main and ":" not in each.name]
    others = [{**_line(study.scope, each), **_metric(of)} for of in more for each in study.cell(of, {}) if each]
    return {
        **_metric(study.main),
        "split": list(study.splits),
        **_line(study.scope, cell),
        "answers": len(answered.lines),
        "skipped": len(answered.of_status("skipped")),
        "uncovered": len(answered.of_status("not covered")),
        "withheld": len(answered.of_status("content_filter")),
        "errors": answered.errors,
        "groups": groups,
        "others": others,
        "legend": legend(sets.suite, [each["group"] for each in groups]),
        "constant": "".join(constant_answers(study).values()),
    }


def legend(suite: Suite, labels: Sequence[str]) -> str:
    """The meaning of the abbreviations in these labels."""
    words_used = {word for label in labels for word in re.findall(r"\w+", label)}
    return ", ".join(f"{short}: {text}" for short, text in suite.abbreviations.items() if short in words_used)


def _metric(metric: Metric) -> dict[str, str]:
    return {"metric": metric.name, "unit": metric.unit, "title": formatting.metric(metric)}


def _line(name: str, cell: Estimate | None) -> dict[str, Any]:
    if cell is None:
        return {"group": name, **dict.fromkeys(("mean", "low", "high", "chance")), "n": 0, "few": False, "unread": 0.0}
    own = {each: getattr(cell, each) for each in ("mean", "low", "high", "n", "few")}
    return {"group": name, **own, "chance": cell.chance, "unread": cell.unread}
