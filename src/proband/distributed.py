"""Runs on a Ray cluster: each worker loads the model once and answers whole chunks; answers come back in order.

What a chunk's answers are does not depend on who computes them, except that a sentence shared by two chunks may be
scored twice, in different company, and so differ in its last digits from a local run's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item

if TYPE_CHECKING:
    from proband.running import Engine
    from proband.workbench import Job


class Worker:
    """Lives in a process of its own."""

    def __init__(self, job: Job) -> None:
        self.solve = job.solver_here()

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return self.solve(items)


def ray_engine(job: Job, *, workers: int | None = None) -> Engine:
    """An engine for `proband.running.run`. Joins the cluster at $RAY_ADDRESS, or starts one on this machine."""
    try:
        import ray
        from ray.util import ActorPool
    except ImportError:
        raise ProbandError("the ray engine is not installed: pip install 'proband[ray]'") from None

    def engine(
        solve: Callable[[Sequence[Item]], Sequence[Answer]], chunks: Iterable[Sequence[Item]]
    ) -> Iterator[Sequence[Answer]]:
        todo = list(chunks)
        if not todo:
            return
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
            yield from _ordered(ray, ActorPool, job, todo, workers)
        finally:
            if mine:
                ray.shutdown()

    return engine


def _ordered(
    ray: Any, pool: Any, job: Job, todo: list[Sequence[Item]], workers: int | None
) -> Iterator[Sequence[Answer]]:
    resources = ray.cluster_resources()
    gpus, cpus = int(resources.get("GPU", 0)), int(resources.get("CPU", 1))
    count = min(workers or gpus or cpus, len(todo))
    actor = ray.remote(num_cpus=1, num_gpus=1 if gpus else 0)(Worker)
    team = pool([actor.remote(job) for _ in range(count)])
    try:
        yield from team.map(lambda worker, items: worker.answer.remote(items), todo)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        raise cause if isinstance(cause, ProbandError) else ProbandError(f"a worker failed: {cause!r}") from None
