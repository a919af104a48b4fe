"""Who answers the chunks of a run: this process, its threads (endpoints, which answer several items at a time), or the
workers of a Ray cluster; and what they have used.

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
from proband.core.protocols import Concurrent, Model
from proband.core.types import Answer, Item
from proband.core.worker_processes import cluster
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


def answer_chunks(job: Job, model: Model, chunks: Chunks, collector: Collector) -> None:
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


# ---- what a run has used, over all processes that worked on it, added up in run.json ---------------------------------


Usage = dict[str, float | None]
MAXIMA = ("longest_seconds",)  # kept as the largest; also the notes that begin with "without_", which are 1 or absent


def usage_of(model: Model) -> Usage:
    """What a model has used since it was loaded; nothing for models on this machine."""
    usage = getattr(model, "usage", None)
    return dict(usage()) if callable(usage) else {}


def added(one: Mapping[str, float | None], other: Mapping[str, float | None]) -> Usage:
    """
    >>> added({"requests": 70.0, "prompt_tokens": None, "without_seed": 1.0}, {"requests": 37.0, "without_seed": 1.0})
    {'requests': 107.0, 'prompt_tokens': None, 'without_seed': 1.0}
    """
    return {name: _sum(name, one.get(name, 0.0), other.get(name, 0.0)) for name in dict.fromkeys((*one, *other))}


def _sum(name: str, a: float | None, b: float | None) -> float | None:
    if a is None or b is None:
        return a or b or None  # a sum with what is not known is what is known, if anything is
    return max(a, b) if _is_maximum(name) else a + b


def since(now: Mapping[str, float | None], before: Mapping[str, float | None]) -> Usage:
    """What was used between two moments of one model.

    >>> since({"requests": 12.0, "cost": None}, {"requests": 2.0, "cost": None})
    {'requests': 10.0, 'cost': None}
    """
    return {
        name: value if value is None or _is_maximum(name) else value - (before.get(name) or 0.0)
        for name, value in now.items()
    }


def _is_maximum(name: str) -> bool:
    return name in MAXIMA or (name.startswith("without_") and name != "without_usage")


def in_words(usage: Mapping[str, float | None]) -> str:
    """For people.

    >>> in_words({"requests": 107.0, "retries": 3.0, "answered": 100.0, "prompt_tokens": 12345.0,
    ...           "completion_tokens": 678.0, "cost": 0.0123, "seconds": 84.0, "longest_seconds": 3.2})
    '107 requests (3 retries), 12,345 tokens in, 678 out, cost 0.0123, 0.84 s per answer (longest 3.2 s)'
    >>> in_words({"requests": 2.0, "answered": 2.0, "prompt_tokens": None, "completion_tokens": None, "tokens": 9.0})
    '2 requests, tokens not known (the server does not tell), tokens 9'
    """
    rest = {name: value for name, value in usage.items() if value is None or value != 0}
    parts: list[str] = []
    if (requests := rest.pop("requests", None)) is not None:
        retries = rest.pop("retries", None)
        parts.append(
            f"{requests:,.0f} request{'s' * (requests != 1)}" + (f" ({retries:,.0f} retries)" if retries else "")
        )
    answered, silent = rest.pop("answered", None), rest.pop("without_usage", None)
    if "prompt_tokens" in usage:
        into, out = rest.pop("prompt_tokens", 0.0), rest.pop("completion_tokens", 0.0)
        if into is None or out is None:
            parts.append("tokens not known (the server does not tell)")
        else:
            missing = f" (not known for {silent:,.0f} answers)" if silent else ""
            parts.append(f"{into:,.0f} tokens in, {out:,.0f} out{missing}")
    if "cost" in usage:
        cost = rest.pop("cost", 0.0)
        parts.append("cost not known" if cost is None else f"cost {cost:,.4f}")
    seconds, longest = rest.pop("seconds", None), rest.pop("longest_seconds", None)
    if seconds and answered:
        parts.append(f"{seconds / answered:.2g} s per answer (longest {longest or 0.0:.2g} s)")
    names = {"unparsed": "replies without a letter", "cut_off": "replies cut off at the limit"}
    for name, value in rest.items():
        if name.startswith("without_"):
            parts.append(f"the server takes no {name.removeprefix('without_')}")
        else:
            parts.append(
                f"{names.get(name, name.replace('_', ' '))} {'not known' if value is None else f'{value:,.10g}'}"
            )
    return ", ".join(parts)
