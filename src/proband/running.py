"""Items in, answers out: the only place where a suite meets a model.

A run is a folder: run.json says what ran on what, answers.jsonl grows a chunk of items at a time and is complete when
it has one answer per item. The same command given again goes on where it stopped; the bytes are those of an
uninterrupted run, because a chunk is always the same items and the model's batches depend on the chunk alone.
"""

from __future__ import annotations

import copy
import fcntl
import json
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from proband.core.cache import Cache
from proband.core.errors import ProbandError
from proband.core.files import (
    atomic,
    dumps,
    items_path,
    parse,
    read_items,
    read_json,
    sha256_file,
    write_json,
)
from proband.core.progress import Progress
from proband.core.protocols import Choice, Question, Score, Text
from proband.core.types import Answer, Item, Run, Solver, Suite

Engine = Callable[[Callable[[Sequence[Item]], Sequence[Answer]], Iterable[Sequence[Item]]], Iterable[Sequence[Answer]]]
CHUNK = 256  # items answered between two writes
PACKAGES = ("proband", "numpy", "torch", "transformers", "tokenizers", "gguf", "httpx")


# ---- a model whose answers are remembered --------------------------------------------------------------------------


def remembering(model: Any, folder: Path | None) -> Any:
    """A shallow copy of the model whose `score`, `choose` and `generate` ask the cache first.

    It stays an object of the model's own class, so that a solver can still ask what it is able to do.
    """
    memory, copied = Memory(model, folder), copy.copy(model)
    for call in ("score", "choose", "generate"):
        if hasattr(model, call):
            object.__setattr__(copied, call, getattr(memory, call))
    return copied


class Memory:
    """What a model has said, and the model for what it has not."""

    def __init__(self, model: Any, folder: Path | None) -> None:
        self.model, self.folder = model, folder
        self.identity = dict(model.identity())
        self.caches: dict[str, Cache] = {}

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        found = self._through(
            {"call": "score", "method": method},
            [dumps([text.text, text.start]) for text in texts],
            lambda wanted, report: self._ask("score", [texts[i] for i in wanted], report, method=method),
        )
        return [Score(total, tokens, words) for total, tokens, words in found]

    def choose(self, questions: Sequence[Question]) -> list[Choice]:
        found = self._through(
            {"call": "choose"},
            [dumps([question.prompt, question.choices]) for question in questions],
            lambda wanted, report: self._ask("choose", [questions[i] for i in wanted], report),
        )
        return [Choice(tuple(scores), text) for scores, text in found]

    def generate(self, prompts: Sequence[str], **settings: Any) -> list[str]:
        found = self._through(
            {"call": "generate", **settings},
            list(prompts),
            lambda wanted, report: self._ask("generate", [prompts[i] for i in wanted], report, **settings),
        )
        return [str(text) for text in found]

    def _ask(self, call: str, requests: list[Any], report: Callable[[int, Any], None] | None, **options: Any) -> Any:
        if report is not None:
            options["on_result"] = lambda at, value: report(at, _plain(value))
        return [_plain(value) for value in getattr(self.model, call)(requests, **options)]

    def _through(self, settings: Mapping[str, Any], keys: list[str], ask: Callable[..., Sequence[Any]]) -> list[Any]:
        """Look each key up; put the distinct unknown ones to the model in one call, and remember them.

        A remote model's answers cost money one by one and do not depend on a batch: each is written down as it
        arrives. A local model's answers are one record.
        """
        name = dumps(settings)
        if self.folder is not None and name not in self.caches:
            self.caches[name] = Cache(self.folder, identity=self.identity, settings=settings)
        cache = self.caches.get(name)
        known = cache.known if cache else {}
        first: dict[str, int] = {}
        for at, key in enumerate(keys):
            if key not in known:
                first.setdefault(key, at)
        fresh: dict[str, Any] = {}
        if first:
            wanted, names = list(first.values()), list(first)
            if cache is not None and getattr(self.model, "reports_each", False):
                values = ask(wanted, lambda at, value: cache.put([names[at]], [value]))
            else:
                values = ask(wanted, None)
                if cache is not None:
                    cache.put(names, values)
            fresh = dict(zip(names, values, strict=True))
        return [fresh[key] if key in fresh else known[key] for key in keys]


def _plain(value: Any) -> Any:
    if isinstance(value, Score):
        return [value.total, value.tokens, value.words]
    if isinstance(value, Choice):
        return [list(value.scores), value.text]
    return value


# ---- running -------------------------------------------------------------------------------------------------------


def choose_solver(suite: Suite, model: Any, name: str | None, *, setting: str = "") -> Solver:
    """The solver a user named, or the suite's first that the model can serve: of those made for the items' setting, if
    there are any, else of the general ones."""
    if name is not None:
        solver = next((s for s in suite.solvers if s.name == name), None)
        if solver is None:
            raise ProbandError(
                f"{suite.name} has no solver {name!r}; it has {', '.join(s.name for s in suite.solvers)}"
            )
        if not isinstance(model, solver.needs):
            raise ProbandError(f"solver {name} needs a model that {_what(solver.needs)}; {model.name} does not")
        return solver
    for solver in sorted(suite.solvers, key=lambda solver: solver.setting != setting):
        if isinstance(model, solver.needs) and solver.setting in ("", setting):
            return solver
    raise ProbandError(f"{model.name} can serve none of the solvers of {suite.name}")


def _what(protocol: type) -> str:
    words = {
        "ScoresText": "scores text",
        "EmbedsWords": "gives word embeddings in context",
        "HasVectors": "has word vectors",
        "EmbedsPairs": "gives relation embeddings",
        "EmbedsSentences": "gives sentence embeddings",
        "Chooses": "answers multiple choice",
        "Generates": "generates text",
        "PredictsWords": "predicts words in a blank",
        "AnswersItems": "takes items as they are",
    }
    return words.get(protocol.__name__, f"has {protocol.__name__}")


def run(
    suite: Suite,
    folder: Path,
    model: Any,
    *,
    out: Path,
    solver: str | None = None,
    seed: int = 0,
    limit: int | None = None,
    cache: Path | None = None,
    options: Mapping[str, Any] | None = None,
    engine: Engine = map,
) -> Run:
    """Answer the items of `folder` with `model` into `out`; resumes where an earlier call stopped.

    `engine(solve, chunks)` gives the answers of each chunk in order: `map` does it here and now, another may hand
    the chunks to other processes.
    """
    items = read_items(folder)
    if items[0].suite != suite.name:
        raise ProbandError(f"these are items of {items[0].suite}, not {suite.name}", file=items_path(folder))
    items = items[:limit] if limit is not None else items
    chosen = choose_solver(suite, model, solver)
    settings = {**{option.name: option.default for option in chosen.options}, **(options or {})}
    described = Run(
        suite=suite.name,
        solver=chosen.name,
        model=model.name,
        seed=seed,
        items_sha=sha256_file(items_path(folder)),
        items=os.path.relpath(folder, out),
        versions=versions(),
        identity={str(k): str(v) for k, v in model.identity().items()},
        settings={**settings, **({"limit": limit} if limit is not None else {})},
    )
    out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        begin(out, described)
        asked = remembering(model, cache)
        answers = out / "answers.jsonl"
        whole = chosen.whole or bool(getattr(model, "whole", False))  # a majority must see all items at once
        done = keep_whole_chunks(answers, items, whole=whole)
        with Progress(f"{suite.name} · {model.name}", total=len(items)) as bar:
            bar.advance(done)
            todo = list(chunks(items, done, whole=whole))
            solve = partial(chosen.solve, model=asked, seed=seed, **_keywords(settings))
            for chunk, answered in zip(todo, engine(solve, todo), strict=True):
                said = list(answered)
                check_answers(chunk, said, solver=chosen.name)
                append(answers, said)
                bar.advance(len(chunk))
        usage = getattr(model, "usage", None)
        finished = Run(**{**described.__dict__, "usage": dict(usage()) if callable(usage) else {}})
        write_json(out / "run.json", finished)
    return finished


def _keywords(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name.replace("-", "_"): value for name, value in settings.items()}


def chunks(items: Sequence[Item], done: int, *, whole: bool) -> Iterator[Sequence[Item]]:
    if whole:
        if done < len(items):
            yield items
        return
    for start in range(done, len(items), CHUNK):
        yield items[start : start + CHUNK]


def check_answers(items: Sequence[Item], answers: Sequence[Answer], *, solver: str) -> None:
    """One answer per item, in order, a finite score per choice: a solver that breaks this is stopped here."""
    if len(answers) != len(items):
        raise ProbandError(f"solver {solver} gave {len(answers)} answers for {len(items)} items")
    for item, answer in zip(items, answers, strict=True):
        if answer.item_id != item.id:
            raise ProbandError(f"solver {solver} answered {answer.item_id!r} where {item.id!r} was asked")
        if item.choices and answer.scores and len(answer.scores) != len(item.choices):
            raise ProbandError(f"{item.id}: {len(answer.scores)} scores for {len(item.choices)} choices")
        parse(Answer, {"item_id": item.id, "scores": [float(s) for s in answer.scores]}, file=f"solver {solver}")


def append(path: Path, answers: Sequence[Answer]) -> None:
    with open(path, "a", encoding="utf-8", newline="\n") as file:
        file.write("".join(dumps(answer) + "\n" for answer in answers))
        file.flush()
        os.fsync(file.fileno())


def keep_whole_chunks(path: Path, items: Sequence[Item], *, whole: bool) -> int:
    """Cut a half-written tail off answers.jsonl; returns how many items are answered.

    A line counts if it parses and answers the item at its place; whole chunks of such lines are kept.
    """
    if not path.exists():
        return 0
    good: list[bytes] = []
    with open(path, "rb") as file:
        for item, line in zip(items, file, strict=False):
            if not _answers(line, item):
                break
            good.append(line)
    done = len(good)
    if done < len(items):
        done = 0 if whole else done // CHUNK * CHUNK
    with atomic(path) as file:
        file.write(b"".join(good[:done]).decode("utf-8"))
    return done


def _answers(line: bytes, item: Item) -> bool:
    if not line.endswith(b"\n"):
        return False
    try:
        return parse(Answer, json.loads(line), file="answers").item_id == item.id
    except (ValueError, ProbandError):
        return False


# ---- the folder ----------------------------------------------------------------------------------------------------


def begin(out: Path, run: Run) -> None:
    """Write run.json, or make sure that the one there describes this very run."""
    path = out / "run.json"
    if not path.exists():
        if (out / "answers.jsonl").exists():
            raise ProbandError("holds answers.jsonl but no run.json; name another folder", file=out)
        write_json(path, run)
        return
    there = parse(Run, read_json(path), file=path)
    for name in ("suite", "solver", "model", "seed", "items_sha", "identity", "settings"):
        old, new = dumps(getattr(there, name)), dumps(getattr(run, name))
        if old != new:
            raise ProbandError(
                f"{name!r} differs: this folder holds a run with {old[:80]}, now it is {new[:80]}; name another folder",
                file=path,
            )


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """One process at a time per run folder; the lock goes with the process, however it ends."""
    with open(out / ".lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ProbandError("another process is writing this run", file=out) from None
        yield


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
