"""`proband study`: the stages of a TOML file, run in order, and one report over all of them.

A finished stage is not repeated: its folder is named after everything that it depends on (stages.py). An interrupted
stage resumes, and a report over the same stages is not written again.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from proband import reporting, suites
from proband.core.errors import ProbandError
from proband.core.files import DATA, read_json, sha256_file, write_json
from proband.core.plugins import name_list
from proband.core.progress import Verbosity, log
from proband.pipeline.asking.setup import LoadedModels
from proband.pipeline.build import versions
from proband.pipeline.report import item_sets
from proband.pipeline.studies.stages import RunStage, Stage, contents
from proband.pipeline.studies.study_file import StageGrid, StudyFile, read_study
from proband.reporting.tables import check_folder


def study(
    file: str | Path,
    *,
    out: str | Path,
    parameters: Mapping[str, Any] | None = None,
    dry_run: bool = False,
    part: str = "",
    engine: Literal["local", "ray"] = "local",
    workers: int | None = None,
    jobs: int = 1,
) -> dict[str, Any]:
    """Run a study: a grid of build, train, run and random seeds, with its report; the same command resumes.

    Example: proband study study.toml -o study --dry-run

    :param file: A TOML file, or the name of a shipped study (`proband list studies`).
    :param dry_run: Print the stages and which are done; run nothing.
    :param part: Only the runs with one of these texts (with commas) in their names, and what they need; no report.
    """
    path, folder = study_path(file), Path(out)
    read = read_study(path, parameters or {})
    stages = stages_of(read, path, folder, part, engine=engine, workers=workers)
    if not part and not any(stage.verb == "run" for stage in stages):
        raise ProbandError("has no [[run]]: nothing to report", file=path)
    asked = [stage for stage in stages if isinstance(stage, RunStage)]
    check_runs(read, asked, file=path)
    if dry_run:
        states = [{**about(stage), "state": "done" if stage.finished() else "to do"} for stage in stages]
        return {"title": read.study.title, "stages": states}
    if not part:
        check_folder(folder)  # before any stage
    if jobs > 1 and engine != "local":
        raise ProbandError("--jobs needs the local engine: the ray engine distributes the items of one run at a time")
    if jobs > 1 and any(stage.run_options.max_cost is not None for stage in asked):
        raise ProbandError("--jobs cannot keep a max-cost, which the runs of a study share")
    if jobs > 1:
        perform_at_once(stages, jobs=jobs, file=path)
    models, folders = LoadedModels(), [stage.folder for stage in asked]
    lines, failed = list[StageLine](), list[ProbandError]()
    for at, stage in enumerate(stages, start=1):
        try:
            lines.append(perform(stage, models, folders, at=f"{at} of {len(stages)}", file=path))
        except ProbandError as error:  # the others are done all the same
            log(f"    failed: {error}")
            failed.append(error)
            lines.append({**about(stage), "state": "failed", "reason": str(error)})
    done = [stage for stage, line in zip(stages, lines, strict=True) if line["state"] in ("ran", "done")]
    runs = [stage.folder for stage in done if isinstance(stage, RunStage)]
    if failed and (part or not runs):
        raise failed[0]
    if part:
        return {"title": f"{read.study.title}, part {part}", "stages": lines}
    if not runs:
        reasons = dict.fromkeys(line["reason"] for line in lines if line["state"] == "skipped")
        raise ProbandError("no model could be run: " + "; ".join(reasons), file=path)
    result = write_study(read, path, lines, runs, out=folder)
    if failed:
        more = f"; {len(failed) - 1} more stages failed" if len(failed) > 1 else ""
        raise ProbandError(f"{failed[0]}{more} (the report of the {len(runs)} runs that are finished is in {folder})")
    return {**result, "title": read.study.title, "stages": lines}


def write_study(
    read: StudyFile, path: Path, lines: Sequence[StageLine], runs: Sequence[Path], *, out: Path
) -> Mapping[str, Any]:
    """Write the report of the runs, and then study.json with their provenance. If study.json exists, nothing is
    written."""
    made = {"title": read.study.title, "study": path.name, "study_sha256": sha256_file(path), "versions": versions()}
    noted = [{name: value for name, value in line.items() if name not in ("folder", "state")} for line in lines]
    shown = {name: getattr(read.report, name) for name in ("tables", "claims", "split")}
    note = {**made, "parameters": contents(read.parameters), "stages": noted, "report": shown}
    there = read_json(out / "study.json") if (out / "study.json").exists() else {}
    done, page = note.items() <= there.items() and (out / "index.html").exists(), {"page": str(out / "index.html")}
    log("report" + "  (done)" * done)
    if done:
        return {**there["result"], **page}
    result = reporting.write_report(item_sets(runs), out=out, title=read.study.title, **shown)
    write_json(out / "study.json", {**note, "result": {n: value for n, value in result.items() if n not in page}})
    return result


def study_path(file: str | Path) -> Path:
    """A file, or the name of a study that ships with Proband."""
    path = Path(file)
    if path.is_file() or path.suffix == ".toml":
        return path
    shipped = DATA.parent / "studies" / f"{file}.toml"
    if not shipped.exists():
        known = ", ".join(sorted(each.stem for each in shipped.parent.glob("*.toml")))
        raise ProbandError(f"no such file, and no study of that name ships with Proband; there are {known}", file=path)
    return shipped


# ---- stages --------------------------------------------------------------------------------------------------------


def stages_of(read: StudyFile, path: Path, out: Path, part: str, **shared: Any) -> list[Stage]:
    """The stages of a study file or of a part of it, in the order in which one process runs them."""
    stages = StageGrid(read, file=path, out=out, **shared).stages()
    if not part:
        return stages
    chosen = [stage for stage in stages if stage.verb == "run" and any(text in stage.name for text in name_list(part))]
    if not chosen:
        raise ProbandError(f"--part {part}: no run has this in its name; --dry-run lists the runs")
    for stage in chosen:
        chosen += filter(None, (getattr(stage, name, None) for name in ("items", "trained")))  # and what these need
    keys = {stage.key for stage in chosen}
    return [stage for stage in stages if stage.key in keys]


StageLine = dict[str, Any]  # verb, name, seed, key, folder, state (done, to do, ran, skipped, failed), reason


def about(stage: Stage) -> StageLine:
    return {"verb": stage.verb, "name": stage.name, "seed": stage.seed, "key": stage.key, "folder": str(stage.folder)}


def perform(stage: Any, models: LoadedModels, among: Sequence[Path] = (), *, at: str, file: Path) -> StageLine:
    """Finish a stage; an optional run may be skipped, with the reason."""
    line, done = about(stage), stage.finished()
    log(f"{at}  {stage.verb}  {stage.name}" + "  (done)" * done)
    if done:
        return {**line, "state": "done"}
    try:
        stage.do(models, among)
    except ProbandError as error:
        if not stage.optional:
            raise ProbandError(f"{stage.verb} {stage.name}: {error}", file=file, line=stage.line) from None
        log(f"    left out: {error}")
        return {**line, "state": "skipped", "reason": str(error)}
    return {**line, "state": "ran"}


def check_runs(read: StudyFile, runs: Sequence[RunStage], *, file: Path) -> None:
    """Whether the runs that are left can be done, and their suites have what [report] names."""
    for stage in runs:
        if not stage.optional and not stage.finished():
            try:
                stage.check()
            except ProbandError as error:
                raise ProbandError(f"run {stage.name}: {error}", file=file, line=stage.line) from None
    named = [suites.suite(name) for name in sorted({stage.items.suite for stage in runs})]
    known = [table.name for suite in named for table in suite.tables]
    for name in read.report.tables or ():
        if name not in known:
            raise ProbandError(f"[report] tables: no {name!r}; there are {', '.join(known) or 'none'}", file=file)


# ---- several stages at a time (`--jobs N`), in processes of their own ------------------------------------------------


OF_THIS_PROCESS = LoadedModels()


def perform_at_once(stages: Sequence[Stage], *, jobs: int, file: Path) -> None:
    """All builds, then all trainings, then all runs, in parallel. The loop of `study` repeats a failed stage alone and
    raises its error."""
    others = set(multiprocessing.active_children())
    # not core/worker_processes.Pool, whose workers are forked (CUDA) daemons (a build has workers of its own), in order
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _begin, (Verbosity.quiet,)) as pool:
        try:
            for verb in ("build", "train", "run"):
                left = [(at, each) for at, each in enumerate(stages, 1) if each.verb == verb and not each.finished()]
                wait([pool.submit(_perform, stage, f"{at} of {len(stages)}", file) for at, stage in left])
        except BrokenProcessPool:
            log("    a process was killed")
        except BaseException:  # Ctrl-C: what a stage has finished of its work is kept
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise


def _begin(quiet: bool) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    Verbosity.quiet = quiet


def _perform(stage: Stage, at: str, file: Path) -> None:
    with suppress(ProbandError):
        perform(stage, OF_THIS_PROCESS, at=at, file=file)
