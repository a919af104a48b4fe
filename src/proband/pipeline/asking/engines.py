"""Who answers the chunks of a run: this process, or the workers of a Ray cluster. Answers come back in order.

On Ray each worker loads the model once. What a chunk's answers are does not depend on who computes them, except that a
sentence shared by two chunks may be scored twice, in different company, and so differ in its last digits from a local
run's.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.pipeline.asking.job import Job

Answered = tuple[Sequence[Item], Sequence[Answer]]
WAITING = 2  # chunks a worker has in hand at most, so that memory stays flat


def answered(job: Job, model: Any, chunks: Iterable[Sequence[Item]]) -> Iterator[Answered]:
    """Every chunk with its answers; `model` is the one that this process has loaded."""
    if job.how.engine == "local":
        solve = job.solve_with(model)
        return ((chunk, list(solve(chunk))) for chunk in chunks)
    if job.how.engine != "ray":
        raise ProbandError(f"no engine {job.how.engine!r}; there are local, ray")
    if job.model is None:
        raise ProbandError("the ray engine loads the model in each worker: name it, as in 'hf:roberta-large'")
    return on_ray(job, chunks)


class Worker:
    """Lives in a process of its own."""

    def __init__(self, job: Job) -> None:
        self.solve = job.solve_with(job.load())

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return list(self.solve(items))


def on_ray(job: Job, chunks: Iterable[Sequence[Item]]) -> Iterator[Answered]:
    with cluster(job.how.workers) as ray:
        yield from _in_order(ray, job, chunks)


@contextmanager
def cluster(workers: int | None) -> Iterator[Any]:
    """Joins the cluster at $RAY_ADDRESS, or starts one on this machine; errors of workers become one line."""
    try:
        import ray
    except ImportError:
        raise ProbandError("the ray engine is not installed: pip install 'proband[ray]'") from None
    mine = not ray.is_initialized()
    if mine:
        ray.init(
            address=os.environ.get("RAY_ADDRESS"),
            num_cpus=None if "RAY_ADDRESS" in os.environ else workers,
            include_dashboard=False,
            log_to_driver=False,
            configure_logging=False,
        )
    try:
        yield ray
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        raise cause if isinstance(cause, ProbandError) else ProbandError(f"a worker failed: {cause!r}") from None
    except ray.exceptions.RayActorError as error:
        raise ProbandError(f"a worker died: {' '.join(str(error).split())[:200]}") from None
    finally:
        if mine:
            ray.shutdown()


def _in_order(ray: Any, job: Job, chunks: Iterable[Sequence[Item]]) -> Iterator[Answered]:
    """Chunks go round the workers; a few are under way at a time."""
    resources = ray.cluster_resources()
    gpus, cpus = int(resources.get("GPU", 0)), int(resources.get("CPU", 1))
    actor = ray.remote(num_cpus=1, num_gpus=1 if gpus else 0)(Worker)
    team = [actor.remote(job) for _ in range(job.how.workers or gpus or cpus)]
    waiting: deque[tuple[Sequence[Item], Any]] = deque()
    for at, chunk in enumerate(chunks):
        waiting.append((chunk, team[at % len(team)].answer.remote(chunk)))
        if len(waiting) >= WAITING * len(team):
            first, promise = waiting.popleft()
            yield first, ray.get(promise)
    for first, promise in waiting:
        yield first, ray.get(promise)
