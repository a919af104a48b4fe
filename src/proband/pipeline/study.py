"""`proband study` and `proband paper`: the stages of a TOML file, run in order, and one report over all of them.

A stage that is finished is not redone: its folder is named by all that it depends on (stages.py). A stage that was
interrupted resumes. `paper SUITE` is the study of that name that ships with Proband.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from proband import reporting, suites
from proband.core.errors import ProbandError
from proband.core.files import DATA, read_json, sha256_file, sha256_text, write_json, write_text
from proband.core.progress import Verbosity, log
from proband.pipeline.build import versions
from proband.pipeline.report import item_sets
from proband.pipeline.studies.grid import StageGrid
from proband.pipeline.studies.stages import Models, RunStage, Stage, TrainStage, contents, key_of, sources
from proband.pipeline.studies.study_file import StudyFile, read_study
from proband.reporting.write import check_folder

PAUSE = 0.5  # seconds, where no stage is ready


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
    """Run every stage that is not done yet, `jobs` at a time, then the report; `dry_run` only says what is to do.
    `part` ("embedded:mlm,embedded:minilm"): the runs with one of these texts in their names and what they need, without
    the report; parts may be done in any order, on several machines."""
    path, folder, given = study_path(file), Path(out), parameters or {}
    read = read_study(path, given)
    stages = stages_of(path, folder, given, part)
    if not part and not any(stage.verb == "run" for stage in stages):
        raise ProbandError("has no [[run]]: nothing to report", file=path)
    check_runs(read, [stage for stage in stages if isinstance(stage, RunStage)], file=path)
    if dry_run:
        return {"title": read.study.title, "stages": [plan_line(stage) for stage in stages]}
    if jobs > 1:
        if engine != "local":
            raise ProbandError(
                "--jobs is for the local engine: the ray engine shares out the items of one run at a time"
            )
        perform_at_once((path, folder, given, part), count=len(stages), jobs=jobs)
    models, lines, failed = Models(engine=engine, workers=workers), list[StageLine](), list[ProbandError]()
    tried = False
    for at, stage in enumerate(stages, start=1):
        if stage.verb != "build" and not tried:
            tried = True
            try_runs([each for each in stages if isinstance(each, RunStage)], models, file=path)
        try:
            lines.append(perform(stage, models, at=f"{at} of {len(stages)}", file=path))
        except ProbandError as error:  # the others are done all the same
            log(f"    failed: {error}")
            failed.append(error)
            lines.append({**about(stage), "state": "failed", "reason": str(error)})
    if part:
        if failed:
            raise failed[0]
        return {"title": f"{read.study.title}, part {part}", "stages": lines}
    done = [stage for stage, line in zip(stages, lines, strict=True) if line["state"] in ("ran", "done")]
    runs = [stage for stage in done if isinstance(stage, RunStage)]
    if not runs and failed:
        raise failed[0]
    if not runs:
        reasons = dict.fromkeys(line["reason"] for line in lines if line["state"] == "skipped")
        raise ProbandError("no model could be run: " + "; ".join(reasons), file=path)
    write_curves([stage for stage in stages if isinstance(stage, TrainStage) and stage.finished()], out=folder)
    result = write_report(read, runs, out=folder)
    of_file = {"title": read.study.title, "study": path.name, "study_sha256": sha256_file(path)}
    noted = [{name: value for name, value in line.items() if name not in ("folder", "state")} for line in lines]
    write_json(
        folder / "study.json",
        {**of_file, "parameters": contents(read.parameters), "versions": versions(), "stages": noted},
    )
    if failed:
        more = f"; {len(failed) - 1} more stages failed" if len(failed) > 1 else ""
        raise ProbandError(f"{failed[0]}{more} (the report of the {len(runs)} runs that are finished is in {folder})")
    return {**result, "title": read.study.title, "stages": lines}


class HowToStudy(TypedDict, total=False):
    """The options of `study` that `paper` has too."""

    dry_run: bool
    part: str
    engine: Literal["local", "ray"]
    workers: int | None
    jobs: int


def paper(
    suite: str,
    *,
    data: str | Path,
    out: str | Path,
    models: Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
    **how: Unpack[HowToStudy],
) -> dict[str, Any]:
    """The study that reproduces a suite's paper, ours beside the published figures, with its claims."""
    if suite not in suites.names():
        raise ProbandError(f"no suite {suite!r}; there are {', '.join(suites.names())}")
    if not Path(data).exists():
        raise ProbandError("no such folder", file=data)
    given = {**(parameters or {}), "data": str(data), **({"models": list(models)} if models else {})}
    return study(suite, out=out, parameters=given, **how)


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


def stages_of(path: Path, out: Path, parameters: Mapping[str, Any], part: str) -> list[Stage]:
    """The stages of a study file or of a part of it, in the order in which one process runs them."""
    stages = StageGrid(read_study(path, parameters), file=path, out=out).stages()
    if not part:
        return stages
    texts = [text.strip() for text in part.split(",") if text.strip()]
    chosen = [stage for stage in stages if stage.verb == "run" and any(text in stage.name for text in texts)]
    if not chosen:
        raise ProbandError(f"--part {part}: no run has it in its name; --dry-run lists them")
    for stage in chosen:
        chosen.extend(requirements(stage))  # and so on, for those that are added
    keys = {stage.key for stage in chosen}
    return [stage for stage in stages if stage.key in keys]


class StageLine(TypedDict, total=False):
    """What is said of a stage: `state` is done, to do, ran, skipped or failed."""

    verb: str
    name: str
    seed: int
    key: str
    folder: str
    state: str
    reason: str
    items: int | None
    calls: int | None
    minutes: float


def plan_line(stage: Any) -> StageLine:
    """A line of the dry run."""
    items, calls = stage.planned()
    state = "done" if stage.finished() else "to do"
    line: StageLine = {"verb": stage.verb, "name": stage.name, "state": state, "items": items, "calls": calls}
    return {**line, "minutes": round(stage.minutes(), 1)} if isinstance(stage, TrainStage) else line


def about(stage: Stage) -> StageLine:
    return {"verb": stage.verb, "name": stage.name, "seed": stage.seed, "key": stage.key, "folder": str(stage.folder)}


def try_runs(runs: Sequence[RunStage], models: Models, *, file: Path) -> None:
    """Once the items are there and before anything long begins: a model that answers at once is asked the first item of
    each of its runs. A run that cannot be done is an error now."""
    for stage in runs:
        if stage.finished() or stage.optional or stage.trained or not stage.items.finished():
            continue
        try:
            stage.try_first_item()
        except ProbandError as error:
            raise ProbandError(f"run {stage.name}: {error}", file=file, line=stage.line) from None


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


def write_report(read: StudyFile, runs: Sequence[RunStage], *, out: Path) -> dict[str, Any]:
    """The report over all runs; written again only if a run, the title, a line of [report] or the code that writes it
    (Proband's, and that of the suites) has changed."""
    part, place = read.report, out / "stages" / "report.json"
    packages = {"proband", *(suites.suite(run.items.suite).build.__module__.split(".")[0] for run in runs)}
    key = key_of(
        "report", runs=[run.key for run in runs], title=read.study.title, part=sha256_text(repr(part)),
        sources=[sources(package) for package in sorted(packages)], versions=versions(),
    )  # fmt: skip
    if place.exists() and (out / "index.html").exists():
        there = read_json(place)
        if there.get("key") == key:
            return dict(there["report"])
    log("report")
    check_folder(out)
    result = reporting.write_report(
        item_sets([run.folder for run in runs]),
        out=out,
        title=read.study.title,
        tables=part.tables,
        claims=part.claims,
        analyses=part.analyses,
        split=part.split,
    )
    write_json(place, {"key": key, "report": result})
    return dict(result)


# ---- several stages at a time (`--jobs N`), in processes of their own ------------------------------------------------
#
# Every process has the same list of stages and takes the first that is ready: those it needs are finished, and nobody
# else holds its lock. So the command may also be given several times, on machines that share a disk. What fails here is
# left to the loop of `study`, which does it again, alone, and raises its error.


def perform_at_once(arguments: tuple[Path, Path, Mapping[str, Any], str], *, count: int, jobs: int) -> None:
    """`arguments` are those of `stages_of`, which gives the same `count` stages in every process."""
    context: Any = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
    failed = context.RawArray(ctypes.c_bool, count)
    given = (arguments, failed, (Verbosity.verbose, Verbosity.quiet))
    processes = [context.Process(target=_work, args=given, daemon=True) for _ in range(jobs)]
    try:
        for process in processes:
            process.start()
        for process in processes:
            process.join()
    finally:
        for process in processes:
            if process.pid is not None:  # Ctrl-C: what a stage has finished of its work is kept, as ever
                process.terminate()
                process.join()


def _work(arguments: tuple[Path, Path, Mapping[str, Any], str], failed: Any, loud: tuple[bool, bool]) -> None:
    """Perform what is ready until every stage is finished, has failed or needs one that has."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    Verbosity.verbose, Verbosity.quiet = loud
    stages = stages_of(*arguments)
    models, place = Models(), {stage.key: at for at, stage in enumerate(stages)}
    left = dict(enumerate(stages))
    while left:
        done = False
        for at, stage in list(left.items()):
            needed = [place[each.key] for each in requirements(stage) if each.key in place]
            if failed[at] or stage.finished() or any(failed[each] for each in needed):
                failed[at] = not stage.finished()
                del left[at]
                continue
            if any(each in left and not stages[each].finished() for each in needed):
                continue
            with claim(stage) as mine:
                if not mine or stage.finished():
                    continue
                with suppress(ProbandError):
                    perform(stage, models, at=f"{at + 1} of {len(stages)}", file=arguments[0])
                failed[at] = not stage.finished()
            done = True
            break  # the first that is ready: a net that was just trained comes before later trainings
        if left and not done:
            time.sleep(PAUSE)


def requirements(stage: Stage) -> list[Stage]:
    """The stages whose results it reads."""
    if isinstance(stage, RunStage):
        return [stage.items, *([stage.trained] if stage.trained else [])]
    return [stage.items] if isinstance(stage, TrainStage) else []


@contextmanager
def claim(stage: Stage) -> Iterator[bool]:
    """Whether the stage is this process's to do."""
    from filelock import FileLock, Timeout

    folder = stage.folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.with_name(f"{folder.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()
