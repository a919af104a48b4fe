"""Who answers the chunks of a run: this process, its threads (endpoints, which answer several items at a time), or the
workers of a Ray cluster.

On Ray each worker loads the model once. What a chunk's answers are does not depend on who computes them, except that a
sentence shared by two chunks may be scored twice, in different company, and so differ in its last digits from a local
run's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Protocol

from proband.core.errors import ProbandError
from proband.core.processes.worker_processes import cluster
from proband.core.protocols import Concurrent
from proband.core.types import Answer, Item
from proband.pipeline.asking.job import Job

Chunks = Iterable[tuple[int, Sequence[Item]]]
WAITING = 2  # chunks a worker has in hand at most, so that memory stays flat
AHEAD = 256  # items that may be answered before an earlier one is
TICK = 0.5  # seconds after which the collector hears that time has passed


class Collector(Protocol):
    """Where answers go: in any order, each chunk once."""

    def put(self, number: int, items: Sequence[Item], answers: Sequence[Answer]) -> None: ...

    def tick(self) -> None:
        """Some time has passed."""

    def used(self, worker: int, usage: Mapping[str, Any]) -> None:
        """What the model of another process has used so far."""


def answer_chunks(job: Job, model: Any, chunks: Chunks, collector: Collector) -> None:
    """Answer every chunk; `model` is the one that this process has loaded."""
    if job.how.engine == "ray":
        if job.model is None:
            raise ProbandError("the ray engine loads the model in each worker: name it, as in 'hf:roberta-large'")
        with cluster(job.how.workers) as ray:
            _on_ray(ray, job, chunks, collector)
        return
    if job.how.engine != "local":
        raise ProbandError(f"no engine {job.how.engine!r}; there are local, ray")
    answering = job.answering(model)
    if isinstance(model, Concurrent):
        in_threads(answering, model, chunks, collector)
        return
    for number, items in chunks:
        collector.put(number, items, answering(items))
        collector.tick()


def in_threads(
    answering: Callable[[Sequence[Item]], list[Answer]], model: Concurrent, chunks: Chunks, collector: Collector
) -> None:
    """As many chunks at a time as the model takes. Where one fails, or the user interrupts, what is under way is
    cancelled; what was answered by then is collected."""
    under_way: dict[Future[list[Answer]], tuple[int, Sequence[Item]]] = {}

    def collect(done: Iterable[Future[list[Answer]]]) -> None:
        failed = None
        for future in sorted(done, key=lambda each: under_way[each][0]):
            number, items = under_way.pop(future)
            if error := future.exception():
                failed = failed or error
            else:
                collector.put(number, items, future.result())
        if failed is not None:
            raise failed

    def wait_for_some() -> None:
        collect(wait(under_way, timeout=TICK, return_when=FIRST_COMPLETED).done)
        collector.tick()

    with model.session() as cancel, ThreadPoolExecutor(model.concurrency, thread_name_prefix="answering") as pool:
        try:
            for number, items in chunks:
                under_way[pool.submit(answering, items)] = number, items
                while len(under_way) >= 2 * model.concurrency or number - _oldest(under_way, number) >= AHEAD:
                    wait_for_some()
            while under_way:
                wait_for_some()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            cancel()
            begun = [each for each in under_way if not each.cancelled()]
            wait(begun)
            collect([each for each in begun if each.exception() is None])
            raise


def _oldest(under_way: Mapping[Any, tuple[int, Any]], number: int) -> int:
    return min((each for each, _ in under_way.values()), default=number)


# ---- Ray -----------------------------------------------------------------------------------------------------------


class Worker:
    """Lives in a process of its own."""

    def __init__(self, job: Job) -> None:
        self.model = job.load()
        self.answering = job.answering(self.model)

    def answer(self, items: Sequence[Item]) -> tuple[list[Answer], dict[str, Any]]:
        """The answers, and what the model has used so far."""
        if isinstance(self.model, Concurrent):
            collected = Collected()
            in_threads(self.answering, self.model, ((n, [item]) for n, item in enumerate(items)), collected)
            answers = [answer for _, each in sorted(collected.answers.items()) for answer in each]
        else:
            answers = list(self.answering(items))
        usage = getattr(self.model, "usage", None)
        return answers, dict(usage()) if callable(usage) else {}


class Collected:
    """A collector in memory."""

    def __init__(self) -> None:
        self.answers: dict[int, Sequence[Answer]] = {}

    def put(self, number: int, items: Sequence[Item], answers: Sequence[Answer]) -> None:
        self.answers[number] = answers

    def tick(self) -> None:
        pass

    def used(self, worker: int, usage: Mapping[str, Any]) -> None:
        pass


def _on_ray(ray: Any, job: Job, chunks: Chunks, collector: Collector) -> None:
    """Chunks go round the workers; a few are under way at a time."""
    resources = ray.cluster_resources()
    gpus, cpus = int(resources.get("GPU", 0)), int(resources.get("CPU", 1))
    actor = ray.remote(num_cpus=1, num_gpus=1 if gpus else 0)(Worker)
    team = [actor.remote(job) for _ in range(job.how.workers or gpus or cpus)]
    waiting: deque[tuple[int, int, Sequence[Item], Any]] = deque()

    def collect() -> None:
        number, worker, items, promise = waiting.popleft()
        answers, usage = ray.get(promise)
        collector.used(worker, usage)
        collector.put(number, items, answers)
        collector.tick()

    for number, items in chunks:
        worker = number % len(team)
        waiting.append((number, worker, items, team[worker].answer.remote(items)))
        if len(waiting) >= WAITING * len(team):
            collect()
    while waiting:
        collect()
