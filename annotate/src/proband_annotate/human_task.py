"""Work for people: what a kind of task is made of that a suite declares (`Suite.tasks`) and `proband annotate` runs.

A task reads its units from a suite's files, shows them, reads answers and makes something of them. The `body` of a unit
is the task's own record; two of its keys mean the same everywhere: `media`, a picture or clip by its name next to the
file, and `stories`, texts by other people (`id`, `author`, `text`), which leave the unit when their author is erased.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from proband.core.files import encode, read_records

if TYPE_CHECKING:
    from proband_annotate.results.collected import Collected

Body = Mapping[str, Any]
Form = Mapping[str, str]
Figure = dict[str, Any]  # {"here", "published", "unit"}: a share (with its 95 % interval and n), a count, a number
Labels = Mapping[str, str | None]  # part -> label; None if people disagree
Role = Literal["main", "trial", "gold", "attention"]
WHOLE = "choice"  # the part of a unit that has one label


class Unit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One task for a person, a line of units.jsonl. `body` may contain what people must not see; `gold` is the known
    answer of a check; `excluded` are the hashes of people who must not see it."""

    id: str
    role: Role = "main"
    clause: str = ""
    body: dict[str, Any]
    gold: Any = None
    excluded: tuple[str, ...] = ()

    def row(self) -> dict[str, str | tuple[str, ...] | None]:
        """The unit as a row of the database."""
        return {
            "name": self.id,
            "role": self.role,
            "body": encode(self.body).decode(),
            "gold": None if self.gold is None else encode(self.gold).decode(),
            "excluded": self.excluded,
        }


def read_units(path: Path) -> Iterator[Unit]:
    return read_records(path, Unit, key="id")


class Invalid(Exception):
    """An incomplete form: the field, and a sentence for the person (a key of the texts)."""

    def __init__(self, field: str, text: str, **values: object) -> None:
        super().__init__(text)
        self.field, self.text, self.values = field, text, values


@dataclass(frozen=True, kw_only=True)
class Check:
    """One live check of a text: whether it is met, and its sentence (a key of the texts)."""

    met: bool
    text: str
    values: Mapping[str, object] = field(default_factory=dict)
    stops: bool = True  # if unmet: True stops, False asks for confirmation
    asks: bool = True  # if False, it is a hint without confirmation


@dataclass(frozen=True, kw_only=True)
class TaskPart:
    """A part of a unit with its own label: its id, its number on the page, its text and its heading."""

    id: str
    place: int
    text: str
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Field:
    """A field of a task's form: a choice between options (text -> form value), or a text."""

    name: str
    title: str  # a key of the texts
    options: Mapping[str, str] = field(default_factory=dict)
    required: bool = True


@dataclass(frozen=True, kw_only=True)
class Question:
    """A part of a unit for other tools: one text with one or more fields. What people must not see is masked."""

    title: str
    text: str
    fields: Sequence[Field]


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
    units: Callable[..., Iterator[Unit]]  # from a suite's files; if it `reviews`, also (path, texts that are known)
    shown: Callable[[Body], Body]  # all that leaves the server
    unit_text: Callable[[Body], str]  # what the unit is about, for exports
    parts: Callable[[Body], Sequence[TaskPart]] = lambda body: ()
    choices: Callable[[Body], Sequence[str]] = lambda body: ()  # the labels of a part
    keeps_items: bool = False  # the project stores the items themselves, because a run of people answers them
    reviews: str = ""  # the task whose answers are its units
    of_answers: Callable[..., Iterator[Unit]] | None = None  # (answers, known): units from a project of that task
    reviewed: bool = False  # its answers are reviewed: exports name the project they were written in

    # ---- answers
    answer: Callable[[Body, Form], Body]  # reads a form; raises Invalid
    fields: Callable[[Body, Body], dict[str, str]]  # an answer as the fields of its form
    labels: Callable[[Body, Body], Sequence[tuple[str, str]]] = lambda body, answer: ()  # (part, label)
    agreed: Callable[[Body, Body, Any], float] | None = None  # share of a known answer; None: by labels
    checks: Callable[[Body, Form], list[Check]] = lambda body, form: []  # what a text still lacks, or should not have
    practice: Callable[[Body, Body, Any], Sequence[Check]] | None = None  # checks of a trial without `gold`
    writing: Callable[[Body], Sequence[str]] = lambda answer: ()  # the texts that a person typed
    # (unit, answer, the person's answers to other units): the field of a text that was sent before, or empty
    repeated: Callable[[Body, Body, Sequence[tuple[Body, Body]]], str] = lambda body, answer, earlier: ""
    detail: Callable[[Body, str], Any] = lambda answer, part: None  # further data about a part, for CSV

    questions: Callable[[Body], Sequence[Question]] | None = None  # for other tools; None: not supported

    # ---- results
    dissent: int | None = None  # people who may disagree with a kept label; None: the majority decides
    of_at_most: int = 100  # people whose agreement counts, at most
    positive: str = ""  # the label whose share is planned for
    figures: Callable[[Collected], Mapping[str, Figure]] = lambda results: {}  # figures of the paper's section
    suite_input: Callable[[Collected, Path, Path], Body]  # (results, folder, project): what the suite reads

    def share_right(self, body: Body, answer: Body, gold: Any) -> float:
        """The share of a known answer that is right, part by part, or 1 if none is known; `gold` is part -> label, or
        the label of the whole."""
        if self.agreed is not None:
            return self.agreed(body, answer, gold)
        known = gold if isinstance(gold, Mapping) else {} if gold is None else {WHOLE: gold}
        labels = dict(self.labels(body, answer))
        return sum(labels.get(part) == label for part, label in known.items()) / len(known) if known else 1.0


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


def share(hits: Iterable[Sequence[bool]], published: float | None = None) -> Figure:
    """A share over units, each with one or more hits or misses, which go together: eighteen answers to six puzzles tell
    less than eighteen puzzles. The interval is that of every report (proband.stats), with a unit as a cluster.

    >>> figure = share([[True, True, True]] * 6)
    >>> figure["n"], figure["groups"], round(figure["low"], 2)
    (18, 6, 0.58)
    >>> round(share([[True]] * 18)["low"], 2)
    0.8
    """
    import numpy as np

    from proband.stats.clusters import Clusters
    from proband.stats.scores import Scores

    groups = [list(group) for group in hits if group]
    flat = np.fromiter((hit for group in groups for hit in group), dtype=np.float64)
    figure = {"n": len(flat), "groups": len(groups), "published": published, "unit": "share"}
    if not groups:
        return {**figure, "here": None, "low": None, "high": None}
    units = np.arange(len(groups))
    unit = np.repeat(units, [len(group) for group in groups])
    estimate = Scores.of(flat, clusters=Clusters(unit, units[:, None], np.zeros(1, dtype=np.int64))).interval()
    return {**figure, "here": estimate.mean, "low": estimate.low, "high": estimate.high}


def value(here: float | None, published: float | None = None, *, unit: str = "count") -> Figure:
    return {"here": here, "published": published, "unit": unit}


def mean(values: Sequence[float], published: float | None = None, *, unit: str = "number") -> Figure:
    return value(round(statistics.fmean(values), 3) if values else None, published, unit=unit)
