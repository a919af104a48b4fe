"""Work for people: what a kind of task is made of that a suite declares (`Suite.tasks`) and `proband annotate` runs.

A task reads its units from a suite's files, shows them, reads answers and makes something of them. The `body` of a unit
is the task's own record; two of its keys mean the same everywhere: `media`, a picture or clip by its name beside the
file, and `stories`, texts by other people (`id`, `author`, `text`), which leave the unit when their author is erased.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from proband.core.agreement.aggregation import wilson
from proband.core.files import encode, read_records
from proband.core.types import Judgment

Body = Mapping[str, Any]
Form = Mapping[str, str]
Figure = dict[str, Any]  # {"here", "published", "unit"}: a share (with its 95 % interval and n), a count, a number
Labels = Mapping[str, str | None]  # part -> label; None where people do not agree
Role = Literal["main", "trial", "gold", "attention"]
WHOLE = "choice"  # the part of a unit that has one label


class Unit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person works on at a time, a line of units.jsonl. `body` may hold what people must not see; `gold` is the
    known answer of a check; `excluded` (`barred` in the file) are the hashes of people who must not see it."""

    id: str
    role: Role = "main"
    clause: str = ""
    body: dict[str, Any]
    gold: Any = None
    excluded: tuple[str, ...] = msgspec.field(default=(), name="barred")

    def row(self) -> dict[str, Any]:
        """As the database has it."""
        return {
            "name": self.id,
            "role": self.role,
            "clause": self.clause,
            "body": encode(self.body).decode(),
            "gold": None if self.gold is None else encode(self.gold).decode(),
            "excluded": self.excluded,
        }


def read_units(path: Path) -> Iterator[Unit]:
    return read_records(path, Unit, key="id")


class Invalid(Exception):
    """A form that is not a whole answer: the field to go to and a sentence for the person (a key of the texts)."""

    def __init__(self, field: str, text: str, **values: object) -> None:
        super().__init__(text)
        self.field, self.text, self.values = field, text, values


@dataclass(frozen=True, kw_only=True)
class Check:
    """One live check of a text: whether it is met, and the sentence that says so (a key of the texts)."""

    met: bool
    text: str
    values: Mapping[str, object] = field(default_factory=dict)
    stops: bool = True  # an unmet one that does not stop is a hint


@dataclass(frozen=True, kw_only=True)
class Part:
    """What has a label of its own in a unit: its id, its number on the page, its text, and what stands above it."""

    id: str
    place: int
    text: str
    title: str = ""


# ---- what people did -----------------------------------------------------------------------------------------------


class Written(Protocol):
    """An answer of the task whose answers are reviewed."""

    @property
    def id(self) -> str: ...
    @property
    def worker(self) -> str: ...
    @property
    def body(self) -> Body: ...  # of the unit
    @property
    def answer(self) -> Body: ...


class Answered(Written, Protocol):
    """The last revision of one person's answer to one unit."""

    @property
    def unit(self) -> str: ...
    @property
    def gold(self) -> Any: ...
    @property
    def seconds(self) -> float: ...


class Collected(Protocol):
    """The answers of a study; `labels` is the label of every part by the task's own rule and the owner's decisions."""

    @property
    def units(self) -> Mapping[int, Mapping[str, Any]]: ...  # number -> name, clause, body
    @property
    def labels(self) -> Labels: ...
    @property
    def groups(self) -> Mapping[str, str]: ...  # part -> unit
    @property
    def complete(self) -> Mapping[str, int]: ...  # unit -> answers with which it is complete

    def counted(self, panel: str = "crowd") -> Sequence[Answered]: ...
    def judgments(self, panel: str = "crowd") -> Iterator[Judgment]: ...


# ---- the task ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class HumanTask:
    """Files are named "package:file": `page` is a Jinja template that extends "unit.html" and shows `unit`, `guide` one
    with examples below the instructions, `texts` the words of its pages (TOML: `name`, `instructions`, a name for every
    label, `part`, the names of figures), `sample` a file of units for `proband annotate demo`."""

    name: str
    page: str
    texts: str
    sample: str
    guide: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)  # of project.toml

    # ---- units
    units: Callable[[Path], Iterator[Unit]]  # from a suite's files
    shown: Callable[[Body], dict[str, Any]]  # all that leaves the server
    unit_text: Callable[[Body], str]  # what the unit is about, for exports
    parts: Callable[[Body], Sequence[Part]] = lambda body: ()
    choices: Callable[[Body], Sequence[str]] = lambda body: ()  # the labels of a part
    keeps_items: bool = False  # the project keeps the items themselves: a run of people answers them
    reviews: str = ""  # the task whose answers are its units
    of_answers: Callable[[Iterable[Written]], Iterator[Unit]] | None = None  # units from a project of that task
    reviewed: bool = False  # its answers are: exports say in which project they were written

    # ---- answers
    answer: Callable[[Body, Form], dict[str, Any]]  # reads a form; raises Invalid
    fields: Callable[[Body, Body], dict[str, str]]  # an answer as the fields of its form
    labels: Callable[[Body, Body], Sequence[tuple[str, str]]] = lambda body, answer: ()  # (part, label)
    agreed: Callable[[Body, Body, Any], float] | None = None  # share of a known answer; None: by labels
    checks: Callable[[Body, Form], list[Check]] = lambda body, form: []  # what a text still lacks
    practice: Callable[[Body, Body, Any], Sequence[Check]] | None = None  # of a trial, where `gold` does not say it
    writing: Callable[[Body], Sequence[str]] = lambda answer: ()  # the texts that a person typed
    detail: Callable[[Body, str], Any] = lambda answer, part: None  # what else was said of a part, for CSV

    # ---- results
    dissent: int | None = None  # people who may disagree with a label that is kept; None: the majority decides
    of_at_most: int = 100  # people whose agreement is wanted
    positive: str = ""  # the label whose share a plan is for
    figures: Callable[[Collected], Mapping[str, Figure]] = lambda results: {}  # of the paper's own section
    suite_input: Callable[[Collected, Path, Path], dict[str, Any]]  # (results, folder, project): what the suite reads

    def share_right(self, body: Body, answer: Body, gold: Any) -> float:
        """The share of a known answer that is right; `gold` is part -> label, or the label of the whole."""
        if self.agreed is not None:
            return self.agreed(body, answer, gold)
        known = gold if gold is None or isinstance(gold, Mapping) else {WHOLE: gold}
        return share_right(self.labels(body, answer), known)


# ---- what tasks share ----------------------------------------------------------------------------------------------


def text_of(form: Form, name: str, *, most: int) -> str:
    """A text field, tidied; Invalid if it is empty or too long."""
    value = form.get(name, "").strip()
    if not value:
        raise Invalid(name, "invalid.empty")
    if len(value) > most:
        raise Invalid(name, "invalid.long", most=most)
    return value


def one_of(form: Form, name: str, options: Sequence[str]) -> str:
    value = form.get(name, "")
    if value not in options:
        raise Invalid(name, "invalid.choose")
    return value


def share_right(given: Iterable[tuple[str, str]], known: Mapping[str, str] | None) -> float:
    """The share of a known answer, part by part, that somebody gave; 1 where nothing is known.

    >>> share_right([("a", "yes"), ("b", "no")], {"a": "yes", "b": "yes"})
    0.5
    """
    answers = dict(given)
    return sum(answers.get(part) == label for part, label in known.items()) / len(known) if known else 1.0


def share(part: int, whole: int, published: float | None = None) -> Figure:
    low, high = wilson(part, whole) if whole else (None, None)
    here = part / whole if whole else None
    return {"here": here, "low": low, "high": high, "n": whole, "published": published, "unit": "share"}


def value(here: float | None, published: float | None = None, *, unit: str = "count") -> Figure:
    return {"here": here, "published": published, "unit": unit}


def mean(values: Sequence[float], published: float | None = None, *, unit: str = "number") -> Figure:
    return value(round(statistics.fmean(values), 3) if values else None, published, unit=unit)
