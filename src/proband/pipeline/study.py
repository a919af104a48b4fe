"""`proband study` and `proband paper`: the stages of a TOML file, run in order, and one report over all of them.

A stage that is finished is not redone: its folder is named by all that it depends on (stages.py). A stage that was
interrupted resumes. `paper SUITE` is the study of that name that ships with Proband.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from proband import reporting, suites
from proband.core.errors import ProbandError
from proband.core.files import DATA, read_json, sha256_file, write_json, write_text
from proband.core.progress import Verbosity, log
from proband.pipeline.asking.items_and_answers import name_list
from proband.pipeline.build import versions
from proband.pipeline.report import item_sets
from proband.pipeline.studies.grid import StageGrid
from proband.pipeline.studies.stages import Models, RunStage, Stage, TrainStage, contents
from proband.pipeline.studies.study_file import StudyFile, read_study
from proband.reporting.folder import check_folder


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
    :param parameters: Parameter of the study; repeatable.
    :param dry_run: Print the stages and which are done; run nothing.
    :param part: Only the runs with one of these texts (with commas) in their names, and what they need; no report.
    :param jobs: Stages at a time, each in its own process.
    """
    path, folder = study_path(file), Path(out)
    read = read_study(path, parameters or {})
    stages = stages_of(read, path, folder, part)
    if not part and not any(stage.verb == "run" for stage in stages):
        raise ProbandError("has no [[run]]: nothing to report", file=path)
    check_runs(read, [stage for stage in stages if isinstance(stage, RunStage)], file=path)
    if dry_run:
        states = [{**about(stage), "state": "done" if stage.finished() else "to do"} for stage in stages]
        return {"title": read.study.title, "stages": states}
    if jobs > 1 and engine != "local":
        raise ProbandError("--jobs is for the local engine: the ray engine shares out the items of one run at a time")
    if jobs > 1:
        perform_at_once(stages, jobs=jobs, file=path)
    models, lines, failed = Models(engine=engine, workers=workers), list[StageLine](), list[ProbandError]()
    for at, stage in enumerate(stages, start=1):
        try:
            lines.append(perform(stage, models, at=f"{at} of {len(stages)}", file=path))
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
    write_curves([stage for stage in stages if isinstance(stage, TrainStage) and stage.finished()], out=folder)
    if failed:
        more = f"; {len(failed) - 1} more stages failed" if len(failed) > 1 else ""
        raise ProbandError(f"{failed[0]}{more} (the report of the {len(runs)} runs that are finished is in {folder})")
    return {**result, "title": read.study.title, "stages": lines}


def write_study(
    read: StudyFile, path: Path, lines: Sequence[StageLine], runs: Sequence[Path], *, out: Path
) -> Mapping[str, Any]:
    """The report of the runs, and study.json: how it came about."""
    log("report")
    check_folder(out)
    shown = {name: getattr(read.report, name) for name in ("tables", "claims", "analyses", "split")}
    result = reporting.write_report(item_sets(runs), out=out, title=read.study.title, **shown)
    of_file = {"title": read.study.title, "study": path.name, "study_sha256": sha256_file(path)}
    made = {"parameters": contents(read.parameters), "versions": versions()}
    noted = [{name: value for name, value in line.items() if name not in ("folder", "state")} for line in lines]
    write_json(out / "study.json", {**of_file, **made, "stages": noted})
    return result


def paper(
    suite: str,
    *,
    data: str | Path,
    out: str | Path,
    models: Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
    dry_run: bool = False,
    part: str = "",
    engine: Literal["local", "ray"] = "local",
    workers: int | None = None,
    jobs: int = 1,
) -> dict[str, Any]:
    """Run the study that reproduces a paper: our tables next to the published figures, and tests of its claims.

    Example: proband paper analogy --data BATS -m embedded:glove -o tables

    :param suite: Suite whose paper is reproduced; see `proband list studies`.
    :param data: Folder of the paper's own data.
    :param models: A model to run; repeatable.
    :param parameters: Parameter of the study; repeatable.
    :param dry_run: Print the stages and which are done; run nothing.
    :param part: Only the runs with one of these texts (with commas) in their names, and what they need; no report.
    :param jobs: Stages at a time, each in its own process.
    """
    if suite not in suites.names():
        raise ProbandError(f"no suite {suite!r}; there are {', '.join(suites.names())}")
    if not Path(data).exists():
        raise ProbandError("no such folder", file=data)
    given = {**(parameters or {}), "data": str(data), **({"models": list(models)} if models else {})}
    options: dict[str, Any] = {"dry_run": dry_run, "part": part, "engine": engine, "workers": workers, "jobs": jobs}
    return study(suite, out=out, parameters=given, **options)


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


def stages_of(read: StudyFile, path: Path, out: Path, part: str) -> list[Stage]:
    """The stages of a study file or of a part of it, in the order in which one process runs them."""
    stages = StageGrid(read, file=path, out=out).stages()
    if not part:
        return stages
    chosen = [stage for stage in stages if stage.verb == "run" and any(text in stage.name for text in name_list(part))]
    if not chosen:
        raise ProbandError(f"--part {part}: no run has it in its name; --dry-run lists them")
    for stage in chosen:
        chosen.extend(requirements(stage))  # and so on, for those that are added
    keys = {stage.key for stage in chosen}
    return [stage for stage in stages if stage.key in keys]


StageLine = dict[str, Any]  # verb, name, seed, key, folder, state (done, to do, ran, skipped, failed), reason


def about(stage: Stage) -> StageLine:
    return {"verb": stage.verb, "name": stage.name, "seed": stage.seed, "key": stage.key, "folder": str(stage.folder)}


def perform(stage: Any, models: Models, *, at: str, file: Path) -> StageLine:
    """Do what is left of a stage; a run that is optional may be skipped, with the reason."""
    line = about(stage)
    if stage.finished():
        log(f"{at}  {stage.verb}  {stage.name}  (done)")
        return {**line, "state": "done"}
    log(f"{at}  {stage.verb}  {stage.name}")
    try:
        stage.do(models)
    except ProbandError as error:
        if not getattr(stage, "optional", False):
            raise ProbandError(f"{stage.verb} {stage.name}: {error}", file=file, line=stage.line) from None
        log(f"    left out: {error}")
        return {**line, "state": "skipped", "reason": str(error)}
    return {**line, "state": "ran"}


def check_runs(read: StudyFile, runs: Sequence[RunStage], *, file: Path) -> None:
    """Whether the runs that are left can be done, and their suites have what [report] names."""
    for stage in runs:
        if not stage.finished():
            try:
                stage.check()
            except ProbandError as error:
                if not stage.optional:
                    raise ProbandError(f"run {stage.name}: {error}", file=file, line=stage.line) from None
    named = [suites.suite(name) for name in sorted({stage.items.suite for stage in runs})]
    for kind, wanted, known in (
        ("tables", read.report.tables or (), [table.name for suite in named for table in suite.tables]),
        ("analyses", read.report.analyses, [analysis.name for suite in named for analysis in suite.analyses]),
    ):
        for name in wanted:
            if name not in known:
                raise ProbandError(f"[report] {kind}: no {name!r}; there are {', '.join(known) or 'none'}", file=file)


def write_curves(stages: Sequence[TrainStage], *, out: Path) -> None:
    """The learning curves of all trainings, a line per epoch: OUT/curves.csv. `kept` marks the epoch whose weights are
    those of the net."""
    lines = ["training,net,seed,epoch,loss,held_out,kept"]
    for stage in stages:
        note = read_json(stage.folder / "net.json")
        for line in note.get("curve", ()):
            numbers = ",".join(f"{line[name]:.4f}" if name in line else "" for name in ("loss", "valid"))
            kept = int(line["epoch"] == note.get("kept"))
            lines.append(f"{stage.name},{stage.net},{stage.seed},{line['epoch']},{numbers},{kept}")
    if len(lines) > 1:
        write_text(out / "curves.csv", "\n".join(lines) + "\n")


# ---- several stages at a time (`--jobs N`), in processes of their own ------------------------------------------------


OF_THIS_PROCESS = Models()


def perform_at_once(stages: Sequence[Stage], *, jobs: int, file: Path) -> None:
    """Every stage once those it needs have been performed. What fails here is left to the loop of `study`, which does
    it again, alone, and raises its error."""
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
    waiting, under_way = list(range(len(stages))), dict[Future[None], int]()
    with ProcessPoolExecutor(jobs, context, _begin, (Verbosity.verbose, Verbosity.quiet)) as pool:
        try:
            while waiting or under_way:
                unfinished = {stages[at].key for at in (*waiting, *under_way.values())}
                ready = [at for at in waiting if not unfinished & {each.key for each in requirements(stages[at])}]
                for at in ready[: jobs - len(under_way)]:
                    waiting.remove(at)
                    if not stages[at].finished():
                        under_way[pool.submit(_perform, stages[at], f"{at + 1} of {len(stages)}", file)] = at
                for done in wait(under_way, return_when=FIRST_COMPLETED).done:
                    del under_way[done]
        except BrokenProcessPool:
            log("    a process was killed")
        except BaseException:  # Ctrl-C: what a stage has finished of its work is kept
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise


def _begin(verbose: bool, quiet: bool) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    Verbosity.verbose, Verbosity.quiet = verbose, quiet


def _perform(stage: Stage, at: str, file: Path) -> None:
    with suppress(ProbandError):
        perform(stage, OF_THIS_PROCESS, at=at, file=file)


def requirements(stage: Stage) -> list[Stage]:
    """The stages whose results it reads."""
    if isinstance(stage, RunStage):
        return [stage.items, *([stage.trained] if stage.trained else [])]
    return [stage.items] if isinstance(stage, TrainStage) else []
