"""The wrapper between a solver and its model, for every request for text or scores.

Cached looks up each request, sends the rest to the model, checks and stores the results
Counting sends nothing and counts the requests (`run --dry-run`)
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from proband.core.errors import ModelFailed, ProbandError
from proband.core.files import cache_folder, dumps, without_surrogates
from proband.core.protocols import Chat, Chats, Concurrent, Model, Reply, Score, Text

RESULTS: dict[str, Any] = {"score": Score, "generate": str, "chat": str, "replies": Reply}
BLANKS: dict[str, Any] = {"score": (0.0, 1, 1), "replies": ("", None)}  # results that say nothing; of others: ""
SHOWN = 60  # characters of a request in a message
DIGEST = 32  # hexadecimal digits of the checksum before each record of the cache
CHARACTERS = 4.0  # per token, where the tokenizer is at the other end


M = TypeVar("M", bound=Model)


def redirected(model: M, calls: Mapping[str, Any]) -> M:
    """A shallow copy of the model with other attributes: its calls may go another way, and a solver can still see what
    it is able to do, also where it looks at the object's own attributes."""
    made = copy.copy(model)
    for name, call in calls.items():
        object.__setattr__(made, name, call)
    return made


def _key(request: Text | Chat | str) -> str:
    if isinstance(request, str):
        return request
    return dumps([request.text, request.start] if isinstance(request, Text) else request)


# ---- asked, checked and kept ---------------------------------------------------------------------------------------


class Cached:
    """The model, called only for requests that are not cached. Several threads may ask a model that is `Concurrent`."""

    def __init__(self, model: Model, folder: Path | None) -> None:
        self.model, self.folder, self.identity = model, folder, dict(model.identity())
        self.one_by_one = isinstance(model, Concurrent)
        self.known: dict[str, CachedCalls] = {}
        self.lock = threading.Lock()

    def wrapped(self) -> Model:
        """The model with its calls redirected to this wrapper."""
        return redirected(self.model, {call: partial(self.call, call) for call in RESULTS if hasattr(self.model, call)})

    def call(self, call: str, requests: Sequence[Any], **settings: Any) -> list[Any]:
        kind, keys = RESULTS[call], [_key(each) for each in requests]
        values = self.answers(call, requests, keys, **settings)
        return values if kind is str else [kind(*value) for value in values]

    def answers(self, call: str, requests: Sequence[Any], keys: list[str], **settings: Any) -> list[Any]:
        """Of each request, the fields of its result (of a text: the text). The distinct unknown ones are asked in one
        call; what another thread is asking is waited for, and asked here only if that failed."""
        known = self.cached_calls_of(call, settings)
        fresh: dict[str, Any] = {}
        while True:
            with self.lock:
                missing = {
                    key: request
                    for key, request in zip(keys, requests, strict=True)
                    if key not in fresh and key not in known.answers
                }
                if not missing:
                    return [fresh[key] if key in fresh else known.answers[key] for key in keys]
                mine = {key: request for key, request in missing.items() if key not in known.under_way}
                waiting = [known.under_way[key] for key in missing if key not in mine]
                known.under_way.update(dict.fromkeys(mine, threading.Event()))
            try:
                fresh |= self._ask(call, mine, known, settings)
            finally:
                with self.lock:
                    for key in mine:
                        known.under_way.pop(key).set()
            for event in waiting:
                event.wait()

    def cached_calls_of(self, call: str, settings: dict[str, Any]) -> CachedCalls:
        about = {"call": call, **settings}
        with self.lock:
            name = dumps(about)
            if name not in self.known:
                self.known[name] = CachedCalls(self.folder, identity=self.identity, settings=about)
            return self.known[name]

    def _ask(self, call: str, wanted: dict[str, Any], known: CachedCalls, settings: dict[str, Any]) -> dict[str, Any]:
        """Ask the model. An endpoint's answers cost money one by one and do not depend on a batch: each is written
        down as it arrives. The answers of a model on this machine are one record."""
        if not wanted:
            return {}
        names, requests = list(wanted), list(wanted.values())
        report: dict[str, Any] = {}
        if self.one_by_one:

            def keep(at: int, value: Any) -> None:
                plain = self._plain(call, value, requests[at])
                with self.lock:
                    known.put([names[at]], [plain])

            report["on_result"] = keep
        try:
            results = getattr(self.model, call)(requests, **settings, **report)
        except (ProbandError, OSError, MemoryError):
            raise
        except Exception as error:
            raise ModelFailed(f"{self.model.name}: {call} raised {type(error).__name__}: {error}") from error
        given = len(results) if hasattr(results, "__len__") else None
        if given != len(requests):
            what = f"{given} results" if given is not None else f"{type(results).__name__}, not a list,"
            raise ModelFailed(f"{self.model.name}: {call} gave {what} for {len(requests)} requests")
        values = [self._plain(call, value, request) for value, request in zip(results, requests, strict=True)]
        if self.folder is not None and not self.one_by_one:
            known.put(names, values)
        return dict(zip(names, values, strict=True))

    def _plain(self, call: str, value: Any, request: Any) -> Any:
        """A result as the cache keeps it; one of another kind, or a number that is not finite, is refused."""
        kind = RESULTS[call]
        if not isinstance(value, kind):
            wanted = "text" if kind is str else f"a {kind.__name__} (proband.core.protocols)"
            problem = f"gave {type(value).__name__} where {wanted} is wanted"
        else:
            try:  # `astuple` would copy each of them
                return _storable(value if kind is str else [getattr(value, each.name) for each in fields(value)])
            except ValueError as error:
                problem = f"gave a number that is not finite ({error})"
        text = getattr(request, "text", request)
        shown = str(text[-1][1] if isinstance(text, tuple) else text)[:SHOWN]
        raise ModelFailed(f"{self.model.name}: {call} {problem}, for {shown!r}")


def _storable(value: Any) -> Any:
    """A result as the cache keeps it; a ValueError names what is not a finite number where one is wanted."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, (tuple, list)):
        return tuple(map(_storable, value))
    value = value.item() if hasattr(value, "item") else value  # of numpy, and single values of torch
    if value is not None and not (isinstance(value, (int, float)) and math.isfinite(value)):
        raise ValueError(value)
    return value


# ---- counted -------------------------------------------------------------------------------------------------------


class Counting(Cached):
    """Sends nothing: counts the requests of a run, and those in the cache. Its answers are blanks."""

    def __init__(self, model: Model, folder: Path | None) -> None:
        super().__init__(model, folder)
        self.texts: dict[str, str] = {}  # key of each distinct request -> its text
        self.cached: set[str] = set()
        self.most_tokens = 0  # of all replies, if each were as long as it may be

    def answers(self, call: str, requests: Sequence[Any], keys: list[str], **settings: Any) -> list[Any]:
        known = self.cached_calls_of(call, settings)
        for key, request in zip(keys, requests, strict=True):
            name = dumps([call, settings, key])
            if key in known.answers:
                self.cached.add(name)
            elif name not in self.texts:
                self.texts[name] = self._text(call, request, settings)
                self.most_tokens += int(settings.get("max_tokens", 0))
        return [BLANKS.get(call, "") for _ in requests]

    def _text(self, call: str, request: Any, settings: dict[str, Any]) -> str:
        if call in ("chat", "replies") and isinstance(self.model, Chats):
            return self.model.rendered(request, **settings)
        return str(getattr(request, "text", request))

    def figures(self) -> dict[str, Any]:
        """As in a forecast. Tokens are counted by the model's own tokenizer, or estimated from the characters; every
        reply is taken to be as long as it may be."""
        texts = list(self.texts.values())
        tokenizer, prices = getattr(self.model, "tokenizer", None), getattr(self.model, "prices", None)
        if tokenizer is not None and texts:
            read = sum(len(ids) for ids in tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"])
        else:
            read = round(sum(map(len, texts)) / CHARACTERS)
        return {
            "calls": len(texts),
            "cached": len(self.cached),
            "tokens_in": read,
            "tokens_counted": tokenizer is not None,
            "tokens_out": self.most_tokens,
            "cost": None if prices is None else prices.of(read, self.most_tokens),
        }


# ---- the cache: earlier answers of models ---------------------------------------------------------------------------


def cache_of(cache: Path | bool) -> Path | None:
    """Where the option of a run says that answers are kept, if anywhere."""
    return cache_folder() if cache is True else Path(cache) if cache else None


class CachedCalls:
    """The answers of one model to one kind of call under one setting: on disk, or in memory where there is no folder.

    One append-only file per model identity. A line is a record: a checksum, a space, and JSON

        {"about": {...}, "keys": [...], "values": [...]}

    that holds the answers of one batch of requests. A model's last digits depend on what a sentence was batched with;
    a record is kept whole or not at all, so a resumed run asks for the same batches and gives the same bytes (not so a
    run that shares some sentences with another one). A torn or altered line fails its checksum and is computed anew.
    A record is served only where identity and settings (`about`) are equal, letter for letter. Nothing is unpickled.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> CachedCalls(folder, identity={"name": "m"}, settings={"method": "pll"}).put(["a b"], [[-1.5, 2]])
    >>> CachedCalls(folder, identity={"name": "m"}, settings={"method": "pll"}).answers["a b"]
    [-1.5, 2]
    >>> CachedCalls(folder, identity={"name": "other"}, settings={"method": "pll"}).answers
    {}
    """

    def __init__(self, folder: Path | None, *, identity: Mapping[str, str], settings: Mapping[str, Any]) -> None:
        self.about = json.loads(dumps({"identity": dict(identity), "settings": dict(settings)}))
        name = hashlib.sha256(msgspec.json.encode(self.about, order="sorted")).hexdigest()[:40]
        self.path = folder / "answers" / f"{name}.log" if folder else None
        self.answers: dict[str, Any] = {}
        self.under_way: dict[str, threading.Event] = {}  # asked by another thread just now
        if self.path is not None:
            self._read(self.path)

    def put(self, keys: Sequence[str], values: Sequence[Any]) -> None:
        """Append one record and flush it to the disk; only then are its answers known."""
        if self.path is None:
            self.answers.update(zip(keys, values, strict=True))
            return
        from filelock import FileLock

        body = dumps({"about": self.about, "keys": list(keys), "values": list(values)}).encode()
        line = hashlib.sha256(body).hexdigest()[:DIGEST].encode() + b" " + body + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # two runs of one model may append at a time
            with FileLock(self.path.with_suffix(".lock")), open(self.path, "ab+") as file:
                if file.tell() and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n":
                    line = b"\n" + line  # a killed writer left a torn line: close it, its checksum will fail
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise ProbandError(f"the answer cache cannot be written: {error.strerror}", file=self.path) from None
        self.answers.update(zip(keys, json.loads(body)["values"], strict=True))

    def _read(self, path: Path) -> None:
        try:
            with open(path, "rb") as file:
                for record in filter(None, map(self._checked, file)):
                    self.answers.update(zip(record["keys"], record["values"], strict=True))
        except FileNotFoundError:
            return
        except OSError as error:
            raise ProbandError(f"the answer cache cannot be read: {error.strerror}", file=path) from None

    def _checked(self, line: bytes) -> dict[str, Any] | None:
        body = line[DIGEST + 1 :].rstrip(b"\n")
        if line[: DIGEST + 1] != hashlib.sha256(body).hexdigest()[:DIGEST].encode() + b" ":
            return None
        record: dict[str, Any] = json.loads(body)
        return record if record["about"] == self.about else None
