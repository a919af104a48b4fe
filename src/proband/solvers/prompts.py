"""Prompts: Jinja templates, one file each, that a user can copy and change.

docs/asking.md lists the fields that a template can use. A suite may have a bank of rewordings: rewordings.txt has one
instruction per line, which may use the same fields; it replaces INSTRUCTION in the common text, rewordings.jinja.
These are the prompts `reworded-1`, ...; a user's file of such lines, `mine.txt`, gives `mine.txt#1`, ...
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import read_utf8
from proband.core.types import Item

SUFFIX = ".jinja"
BANK = "rewordings"  # the name of both files
REWORDED = re.compile(r"reworded-(\d+)")


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A template: its name, where it is, and its text."""

    name: str
    path: Path
    text: str

    @property
    def sha(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    def __post_init__(self) -> None:
        """Raise an error if the text is not a valid template."""
        import jinja2

        try:
            _compile(self.text)
        except jinja2.TemplateSyntaxError as error:
            raise ProbandError(f"not a template: {error.message}", file=self.path, line=error.lineno) from None

    def render(self, **values: Any) -> str:
        """The text for one item, without leading or trailing white space."""
        import jinja2

        try:
            return str(_compile(self.text).render(**values)).strip()
        except (jinja2.TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ProbandError(f"cannot be filled in: {' '.join(str(error).split())}", file=self.path) from None


@cache
def _compile(text: str) -> Any:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    # a prompt is plain text, not HTML: nothing is escaped
    made = SandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    return made.from_string(text)


def shipped_prompts(folder: Path) -> list[str]:
    """The names of the prompts in a suite's folder, rewordings last."""
    names = sorted(path.stem for path in folder.glob(f"*{SUFFIX}") if path.stem != BANK)
    return [*names, *rewordings(folder)]


def rewordings(folder: Path) -> list[str]:
    """The names of the rewordings that a suite ships."""
    bank = folder / f"{BANK}.txt"
    return [f"reworded-{n}" for n in range(1, len(instructions(bank)) + 1)] if bank.exists() else []


def instructions(path: Path) -> list[str]:
    """The lines of a bank of rewordings; `#` begins a comment."""
    results = [line for line in map(str.strip, read_utf8(path).splitlines()) if line and not line.startswith("#")]
    if not results:
        raise ProbandError("contains no instruction: one a line", file=path)
    return results


def expand_names(names: Sequence[str], folder: Path, *, default: str) -> list[str]:
    """The prompts that a user names, one by one: `all` is the default prompt and its rewordings, a file of instructions
    (.txt) each of its lines."""
    out: list[str] = []
    for name in names:
        if name == "all":
            if not rewordings(folder):
                known = ", ".join(shipped_prompts(folder))
                raise ProbandError(f"--prompt all: this suite has no rewordings; it has {known}")
            out += [default, *rewordings(folder)]
        elif name.endswith(".txt"):
            out += [f"{name}#{n}" for n in range(1, len(instructions(Path(name))) + 1)]
        else:
            out.append(name)
    return list(dict.fromkeys(out))


def short_name(name: str) -> str:
    """The name of a prompt in folders and reports.

    >>> short_name("mine/own.jinja"), short_name("mine/bank.txt#3"), short_name("letters")
    ('own', 'bank-3', 'letters')
    """
    path, _, number = name.partition("#")
    return f"{Path(path).stem}-{number}" if number else Path(path).stem


def read_prompt(name: str, folder: Path, *, default: str) -> Prompt:
    """A shipped prompt by name, a rewording, or a file of the user's own."""
    name = name or default
    bank, _, number = name.partition("#")
    if match := REWORDED.fullmatch(name):
        return _read_rewording(folder / f"{BANK}.txt", int(match[1]), folder, name=name)
    if number.isdecimal():
        return _read_rewording(Path(bank), int(number), folder, name=short_name(name))
    names = shipped_prompts(folder)
    path = folder / f"{name}{SUFFIX}" if name in names else Path(name)
    if not path.exists() and path.parent != folder and not path.suffix and "/" not in name:
        raise ProbandError(f"no prompt {name!r}: there are {', '.join(names)}, or name a file")
    return Prompt(name=path.stem, path=path, text=read_utf8(path))


def _read_rewording(bank: Path, number: int, folder: Path, *, name: str) -> Prompt:
    """The prompt of a rewording: the common text with its instruction."""
    lines = instructions(bank)
    if not 1 <= number <= len(lines):
        raise ProbandError(f"no prompt {name!r}: there are {len(lines)} instructions", file=bank)
    around = read_utf8(folder / f"{BANK}{SUFFIX}")
    return Prompt(name=name, path=bank, text=around.replace("INSTRUCTION", lines[number - 1]))


def values_of(item: Item, more: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an item for templates."""
    return {
        "prompt": item.prompt,
        "choices": list(item.choices),
        "letters": list(ascii_uppercase[: len(item.choices)]),
        "tags": dict(item.tags),
        "facts": dict(item.facts),
        **more,
    }


def pick_shots(item: Item, pool: Sequence[Item], *, count: int, seed: int) -> list[Item]:
    """`count` examples for an item, by seed and item, none of which shares a cluster with it.

    >>> pool = [Item(id=str(i), suite="s", prompt=f"{i}?", facts={"clusters": [f"c{i % 3}"]}) for i in range(9)]
    >>> [shot.id for shot in pick_shots(pool[0], pool, count=3, seed=0)]
    ['8', '1', '7']
    """
    own, chosen = set(item.facts.get("clusters", ())), list[Item]()
    order = random.Random(f"{seed} shots {item.id}")
    for place in order.sample(range(len(pool)), len(pool)):
        each = pool[place]
        if each.id != item.id and each.prompt != item.prompt and not own & set(each.facts.get("clusters", ())):
            chosen.append(each)
            if len(chosen) == count:
                return chosen
    few = f"only {len(chosen)} of the {len(pool)} examples share no cluster with it; give fewer shots"
    raise ProbandError(f"{item.id}: {few}")
