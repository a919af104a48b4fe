"""Who answers the chunks of a run: this process, its threads (endpoints, which answer several items at a time), or the
workers of a Ray cluster; what becomes of items that fail; and what was used.

An item that is longer than the model's window: `--too-long` decides.

    fail      the run stops and names the item
    skip      the item gets an answer of status "skipped", which no metric counts
    cut-left  the text loses its beginning (models on this machine, which know their tokens)

An item that the model or its server cannot answer (a refused prompt, a reply that stays unusable, a score that is not a
number): `--on-error` decides.

    fail      the run stops and names the item
    record    the item gets an answer of status "error", which counts as wrong

A reply that the server's filter withheld is an answer of status "content_filter" in any case; it counts as wrong too.
What no item is to blame for (a wrong key, a server that is away) always stops the run.

On Ray each worker loads the model once. What a chunk's answers are does not depend on who computes them, except that a
sentence shared by two chunks may be scored twice, in different company, and so differ in its last digits from a local
run's.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from proband import suites
from proband.core.errors import ModelFailed, ProbandError, TooLong, Unavailable, Withheld
from proband.core.files import inconsistent, read_items
from proband.core.protocols import Concurrent, LearnsFromItems, MeasuresTexts, Model
from proband.core.types import Answer, Item
from proband.core.worker_processes import cluster
from proband.pipeline.asking.model_calls import Cached, Fits, Measuring, without_surrogates
from proband.pipeline.asking.setup import Job, OnError, TooLongChoice, choose_solver, reads

Solve = Callable[..., Sequence[Answer]]
FAILURES = (ModelFailed, TooLong, Withheld)  # that an item is to blame for
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
    answer = answering(job, model)
    if isinstance(model, Concurrent):
        in_threads(answer, model, chunks, collector.put, collector.tick)
        return
    for number, items in chunks:
        collector.put(number, items, answer(items))
        collector.tick()


def in_threads(
    answer: Callable[[Sequence[Item]], list[Answer]],
    model: Concurrent,
    chunks: Chunks,
    put: Callable[[int, Sequence[Item], Sequence[Answer]], None],
    tick: Callable[[], None] = lambda: None,
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
                put(number, items, future.result())
        if failed is not None:
            raise failed

    def wait_for_some() -> None:
        collect(wait(under_way, timeout=TICK, return_when=FIRST_COMPLETED).done)
        tick()

    with model.session() as cancel, ThreadPoolExecutor(model.concurrency, thread_name_prefix="answering") as pool:
        try:
            for number, items in chunks:
                under_way[pool.submit(answer, items)] = number, items
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
        self.answering = answering(job, self.model)

    def answer(self, items: Sequence[Item]) -> tuple[list[Answer], dict[str, Any]]:
        """The answers, and what the model has used so far."""
        if isinstance(self.model, Concurrent):
            collected: dict[int, Sequence[Answer]] = {}
            singles = ((number, [item]) for number, item in enumerate(items))
            in_threads(self.answering, self.model, singles, lambda number, _, given: collected.update({number: given}))
            answers = [answer for _, each in sorted(collected.items()) for answer in each]
        else:
            answers = list(self.answering(items))
        return answers, usage_of(self.model)


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


# ---- answers to some items, of which single ones may fail ------------------------------------------------------------


def answering(job: Job, model: Model) -> Answering:
    """The model remembers what it was asked, and has learnt what it must beforehand."""
    how, solver = job.how, choose_solver(suites.suite(job.suite), model, job.solver)
    if isinstance(model, LearnsFromItems):
        model = model.learn(read_items(job.items, reads(model)))
    if how.too_long == "cut-left":
        model = with_truncation(model)
    return Answering(
        solve=job.solve(solver),
        solver=solver.name,
        model=Cached(model, how.cache_folder).wrapped(),
        alone=Cached(model, None).wrapped(),
        too_long=how.too_long,
        on_error=how.on_error,
    )


def with_truncation(model: Model) -> Model:
    """A copy of the model that cuts texts at the left."""
    if not hasattr(model, "cut_left"):
        raise ProbandError(
            f"--too-long cut-left needs a language model on this machine; {model.name} takes skip or fail"
        )
    cutting = copy.copy(model)
    cutting.cut_left = True
    return cutting


@dataclass(frozen=True, kw_only=True)
class Answering:
    """A solver and its model. `alone` is the same model without a memory, to ask about single items when a chunk has
    failed: what a model says depends on the batch in its last digits, and single items must not reach the cache."""

    solve: Solve
    solver: str
    model: Model
    alone: Any
    too_long: TooLongChoice = "fail"
    on_error: OnError = "fail"

    def __call__(self, items: Sequence[Item]) -> list[Answer]:
        try:
            return self._answers(items, self.model)
        except Unavailable:
            raise
        except FAILURES as error:
            if len(items) == 1:
                return [self._outcome(items[0], error)]
            return self._without_failures(items, error)

    def _answers(self, items: Sequence[Item], model: Model) -> list[Answer]:
        """Checked answers; whatever goes wrong in code that is not ours is a failure of the model."""
        try:
            answers = list(self.solve(items, model=model))
        except (ProbandError, Fits, OSError, MemoryError):
            raise
        except Exception as error:
            if _is_ours(error):
                raise
            raise ModelFailed(f"{self.model.name}: {type(error).__name__}: {error}") from error
        check_answers(items, answers, solver=self.solver, model=self.model.name)
        return [_written(answer) for answer in answers]

    def _without_failures(self, items: Sequence[Item], first: Exception) -> list[Answer]:
        """The items that fail by themselves, each with what becomes of it; the others are answered together."""
        failed: dict[str, Answer] = {}
        for item in items:
            if (error := self._failure(item, too_long=isinstance(first, TooLong))) is not None:
                failed[item.id] = self._outcome(item, error)
        if not failed:
            raise ProbandError(f"an item from {items[0].id!r} to {items[-1].id!r}: {first}") from first
        rest = [item for item in items if item.id not in failed]
        answers = {each.item_id: each for each in (self(rest) if rest else ())}
        return [failed.get(item.id) or answers[item.id] for item in items]

    def _failure(self, item: Item, *, too_long: bool) -> ProbandError | None:
        """Why an item fails by itself; whether it fits is seen without asking a model that can tell."""
        measures = too_long and isinstance(self.alone, MeasuresTexts)
        try:
            self._answers([item], Measuring(self.alone).wrapped() if measures else self.alone)
        except Fits:
            pass
        except Unavailable:
            raise
        except FAILURES as error:
            return error
        return None

    def _outcome(self, item: Item, error: ProbandError) -> Answer:
        """What becomes of an item that fails: an answer that says so, or the end of the run."""
        if isinstance(error, Withheld):
            return Answer(item_id=item.id, text=error.text, status="content_filter")
        if isinstance(error, TooLong) and self.too_long != "fail":
            return Answer(item_id=item.id, text=str(error), status="skipped")
        if self.on_error == "record":
            return Answer(item_id=item.id, text=str(error), status="error")
        if isinstance(error, TooLong):
            raise ProbandError(f"item {item.id!r}: {error} (--too-long skip or cut-left continues)") from None
        raise ProbandError(f"item {item.id!r}: {error} (--on-error record continues)") from error.__cause__


def _is_ours(error: Exception) -> bool:
    """Whether an error was raised by our own code: then it is an internal one."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and str(at.tb_frame.f_globals.get("__name__", "")).startswith("proband.")


def _written(answer: Answer) -> Answer:
    """The answer with a text that a file can hold."""
    text = without_surrogates(answer.text) if answer.text else answer.text
    return answer if text == answer.text else msgspec.structs.replace(answer, text=text)


def check_answers(items: Sequence[Item], answers: Sequence[Answer], *, solver: str, model: str = "") -> None:
    """One answer per item, in order, a finite score per choice: a solver that breaks this is stopped here."""
    who = f"{model}, solver {solver}" if model else f"solver {solver}"
    if len(answers) != len(items):
        raise ModelFailed(f"{who} gave {len(answers)} answers for {len(items)} items")
    for item, answer in zip(items, answers, strict=True):
        if not isinstance(answer, Answer):
            raise ModelFailed(f"{who} gave {type(answer).__name__} for item {item.id!r}, which is no Answer")
        if answer.item_id != item.id:
            raise ModelFailed(f"{who} answered {answer.item_id!r} where {item.id!r} was asked")
        if item.choices and answer.scores and len(answer.scores) != len(item.choices):
            raise ModelFailed(f"{who}: {len(answer.scores)} scores for {len(item.choices)} choices of {item.id!r}")
        if wrong := inconsistent(answer):
            raise ModelFailed(f"{who}, item {item.id!r}: {wrong}")


# ---- what a run has used, over all processes that worked on it, added up in run.json ---------------------------------


Usage = dict[str, float | None]
MAXIMA = ("longest_seconds",)  # kept as the largest; also the notes that begin with "without_", which are 1 or absent


def usage_of(model: Model) -> Usage:
    """What a model has used since it was loaded; nothing for models on this machine."""
    usage = getattr(model, "usage", None)
    return dict(usage()) if callable(usage) else {}


def add_usage(one: Mapping[str, float | None], other: Mapping[str, float | None]) -> Usage:
    """
    >>> add_usage({"requests": 70.0, "cost": None, "without_seed": 1.0}, {"requests": 37.0, "without_seed": 1.0})
    {'requests': 107.0, 'cost': None, 'without_seed': 1.0}
    """
    return {name: _sum(name, one.get(name, 0.0), other.get(name, 0.0)) for name in dict.fromkeys((*one, *other))}


def _sum(name: str, a: float | None, b: float | None) -> float | None:
    if a is None or b is None:
        return a or b or None  # a sum with what is not known is what is known, if anything is
    return max(a, b) if _is_maximum(name) else a + b


def usage_since(now: Mapping[str, float | None], before: Mapping[str, float | None]) -> Usage:
    """What was used between two moments of one model.

    >>> usage_since({"requests": 12.0, "cost": None}, {"requests": 2.0, "cost": None})
    {'requests': 10.0, 'cost': None}
    """
    return {
        name: value if value is None or _is_maximum(name) else value - (before.get(name) or 0.0)
        for name, value in now.items()
    }


def _is_maximum(name: str) -> bool:
    return name in MAXIMA or (name.startswith("without_") and name != "without_usage")


def usage_in_words(usage: Mapping[str, float | None]) -> str:
    """For people.

    >>> usage_in_words({"requests": 107.0, "retries": 3.0, "answered": 100.0, "prompt_tokens": 12345.0,
    ...           "completion_tokens": 678.0, "cost": 0.0123, "seconds": 84.0, "longest_seconds": 3.2})
    '107 requests (3 retries), 12,345 tokens in, 678 out, cost 0.0123, 0.84 s per answer (longest 3.2 s)'
    >>> usage_in_words({"requests": 2.0, "prompt_tokens": None, "completion_tokens": None, "tokens": 9.0})
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
