"""Several stages of a study at a time (`study --jobs N`), in processes of their own.

Every process has the same list of stages and takes the first that is ready: those it needs are finished, and nobody
else holds its lock. So the command may also be given several times, on machines that share a disk. What fails here is
left to the loop of study.py, which does it again, alone, and raises its error.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.progress import Loudness
from proband.pipeline.studies.stages import Models, RunStage, Stage, TrainStage

PAUSE = 0.5  # seconds, where no stage is ready
Perform = Callable[..., object]  # of a stage, the models, and `at`: which stage of how many


def do_at_once(make_stages: Callable[[], Sequence[Stage]], perform: Perform, *, count: int, jobs: int) -> None:
    """`make_stages` gives the same `count` stages in every process."""
    context: Any = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
    failed = context.RawArray(ctypes.c_bool, count)
    loud = (Loudness.verbose, Loudness.quiet)
    processes = [
        context.Process(target=_work, args=(make_stages, perform, failed, loud), daemon=True) for _ in range(jobs)
    ]
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


def _work(make_stages: Callable[[], Sequence[Stage]], perform: Perform, failed: Any, loud: tuple[bool, bool]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    Loudness.verbose, Loudness.quiet = loud
    work_through(make_stages(), failed, perform)


def work_through(stages: Sequence[Stage], failed: Any, perform: Perform) -> None:
    """Do what is ready until every stage is finished, has failed or needs one that has."""
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
                    perform(stage, models, at=f"{at + 1} of {len(stages)}")
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
    """Whether the stage is this process's to do. Seeds that are trained together have one lock."""
    from filelock import FileLock, Timeout

    group = [stage, *stage.together] if isinstance(stage, TrainStage) else [stage]
    folder: Path = min(each.folder for each in group)
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
