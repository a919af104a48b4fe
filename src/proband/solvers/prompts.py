"""Prompts: Jinja templates, one file each, that a user can copy and change.

A template sees

    prompt, choices, tags, facts    of the item, and what its suite adds
    letters                         A, B, C, ... one per choice
    shots                           worked examples: the same fields, and `answer`
    think                           whether the model is to reason before it answers (--think)
    chat                            whether a chat model reads it; a base model goes on writing where the text ends
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from proband.core.errors import ProbandError
from proband.core.types import Item

SUFFIX = ".jinja"


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A template: its name, where it stands, and its text."""

    name: str
    path: Path
    text: str

    @property
    def sha(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    def check(self) -> None:
        """Whether the text is a template at all."""
        import jinja2

        try:
            _compiled(self.text)
        except jinja2.TemplateSyntaxError as error:
            raise ProbandError(f"not a template: {error.message}", file=self.path, line=error.lineno) from None

    def render(self, **values: Any) -> str:
        """The text for one item, without white space at its ends."""
        import jinja2

        self.check()
        try:
            return str(_compiled(self.text).render(**values)).strip()
        except (jinja2.TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ProbandError(f"cannot be filled in: {' '.join(str(error).split())}", file=self.path) from None


@cache
def _compiled(text: str) -> Any:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    # a prompt is plain text, not HTML: nothing is escaped
    made = SandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    return made.from_string(text)


def shipped(folder: Path) -> list[str]:
    """The names of the prompts in a suite's folder."""
    return sorted(path.stem for path in folder.glob(f"*{SUFFIX}"))


def read_prompt(name: str, folder: Path, *, default: str) -> Prompt:
    """A shipped prompt by name, or a file of the user's own."""
    names = shipped(folder)
    path = folder / f"{name or default}{SUFFIX}" if (name or default) in names else Path(name)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        if path.parent == folder or path.suffix or "/" in name:
            raise ProbandError(error.strerror or "cannot be read", file=path) from None
        raise ProbandError(f"no prompt {name!r}: there are {', '.join(names)}, or name a file") from None
    except UnicodeDecodeError:
        raise ProbandError("a prompt is UTF-8 text; this is not", file=path) from None
    prompt = Prompt(name=path.stem, path=path, text=text)
    prompt.check()
    return prompt


def values_of(item: Item, more: Mapping[str, Any]) -> dict[str, Any]:
    """What a template sees of an item."""
    return {
        "prompt": item.prompt,
        "choices": list(item.choices),
        "letters": list(ascii_uppercase[: len(item.choices)]),
        "tags": dict(item.tags),
        "facts": dict(item.facts),
        **more,
    }


def pick_shots(item: Item, pool: Sequence[Item], *, count: int, seed: int) -> list[Item]:
    """`count` examples for an item: a function of the seed and the item, none of the item's own clusters.

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
    raise ProbandError(
        f"{item.id}: only {len(chosen)} of the {len(pool)} examples share no cluster with it; give fewer --shots"
    )
