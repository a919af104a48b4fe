"""What a kind of task is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proband.annotate.units import Unit

Body = Mapping[str, Any]
Form = Mapping[str, str]


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
    values: Mapping[str, object]
    stops: bool = True  # an unmet one that does not stop is a hint


@dataclass(frozen=True, kw_only=True)
class Kind:
    """`units(path)` reads a suite's files; `shown(body)` is all that leaves the server; `answer(body, form)` reads a
    form; `agreed(body, answer, gold)` is the share of a known answer that is right; `labels(body, answer)` gives
    (part, label) pairs whose agreement can be measured; `checks(body, form)` says what a text still lacks."""

    name: str
    units: Callable[[Path], Iterator[Unit]]
    shown: Callable[[Body], dict[str, Any]]
    answer: Callable[[Body, Form], dict[str, Any]]
    fields: Callable[[Body, Body], dict[str, str]]  # an answer as the fields of its form
    agreed: Callable[[Body, Body, Any], float]
    labels: Callable[[Body, Body], Sequence[tuple[str, str]]]
    checks: Callable[[Body, Form], list[Check]] = lambda body, form: []
    defaults: Mapping[str, Any] = None  # type: ignore[assignment]  # of project.toml


def text_of(form: Form, name: str, *, most: int) -> str:
    """A text field, tidied; Invalid if it is empty or too long."""
    value = form.get(name, "").strip()
    if not value:
        raise Invalid(name, "invalid.empty")
    if len(value) > most:
        raise Invalid(name, "invalid.long", most=most)
    return value


def share_right(given: Iterable[tuple[str, str]], known: Mapping[str, str] | None) -> float:
    """The share of a known answer, part by part, that somebody gave; 1 where nothing is known.

    >>> share_right([("a", "yes"), ("b", "no")], {"a": "yes", "b": "yes"})
    0.5
    """
    found = dict(given)
    return sum(found.get(part) == label for part, label in known.items()) / len(known) if known else 1.0


def one_of(form: Form, name: str, options: Sequence[str]) -> str:
    value = form.get(name, "")
    if value not in options:
        raise Invalid(name, "invalid.choose")
    return value
