"""Every text that people read, from files that can be translated: texts.toml here, and one of each task's own."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from proband.core.errors import ProbandError
from proband_annotate.human_task import Check
from proband_annotate.tasks import task


@cache
def texts() -> dict[str, str]:
    """Dotted key -> text, without those of tasks."""
    return flattened(tomllib.loads(files("proband_annotate").joinpath("texts.toml").read_text("utf-8")), "")


@cache
def texts_of(kind: str) -> dict[str, str]:
    """The texts of a task; keys begin with its name."""
    package, _, name = task(kind).texts.partition(":")
    return flattened(tomllib.loads(files(package).joinpath(name).read_text("utf-8")), f"{kind}.")


def flattened(table: dict[str, Any], prefix: str) -> dict[str, str]:
    """
    >>> flattened({"ask": "Why? ", "labels": {"yes": "Yes"}}, "judge.")
    {'judge.ask': 'Why?', 'judge.labels.yes': 'Yes'}
    """
    made: dict[str, str] = {}
    for name, value in table.items():
        made |= flattened(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value.strip()}
    return made


def words(name: str) -> str:
    """A text as it is in its file."""
    known = texts()
    if name not in known:
        known = texts_of(name.partition(".")[0])
    if name not in known:
        raise ProbandError(f"there is no text {name!r}")
    return known[name]


def text(name: str, **values: object) -> str:
    """A text with its values; a check as a value becomes its sentence.

    >>> text("unit.progress", done=2, all=10)
    'Task 2 of 10'
    """
    return words(name).format(**{key: _in_words(value) for key, value in values.items()})


def _in_words(value: object) -> object:
    return text(value.text, **value.values) if isinstance(value, Check) else value


def number_of(what: str, number: object) -> str:
    """A number with its noun; the first form is for one.

    >>> number_of("tasks", 1), number_of("tasks", 2)
    ('1 task', '2 tasks')
    """
    one, _, more = words(f"number.{what}").partition(" | ")
    return (one if str(number) == "1" else more).format(number=number)


def label_name(kind: str, label: str) -> str:
    """A label as people read it: the task's word for it, or the label itself."""
    return texts_of(kind).get(f"{kind}.{label}", label)


def paragraphs(words: str) -> list[str]:
    """The paragraphs of a longer text; blank lines separate them.

    >>> paragraphs("One\\nline.\\n\\nTwo.")
    ['One line.', 'Two.']
    """
    return [" ".join(part.split()) for part in words.split("\n\n") if part.strip()]
