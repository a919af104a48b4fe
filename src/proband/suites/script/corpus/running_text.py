"""Token lists as running text: what language models and people read."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.types import Item

BLANK = "____"
NO_SPACE_BEFORE = frozenset([*".,;:!?)%°'’", "n't", *("'" + end for end in ("s", "re", "ve", "ll", "d", "m"))])
NO_SPACE_AFTER = frozenset(["(", "$", "#"])
PROMPT = "{abstract}\n"  # what stands before the concrete text


def running(words: Sequence[str]) -> str:
    """
    >>> running("do n't rush , it 's hot ( very ) .".split())
    "don't rush, it's hot (very)."
    """
    text, glue = "", True
    for word in words:
        text += word if glue or word in NO_SPACE_BEFORE else " " + word
        glue = word in NO_SPACE_AFTER
    return text


def before(words: Sequence[str]) -> str:
    """The text in front of a blank, with the space that a word after it needs.

    >>> before("use a".split()), before(["("]), before([])
    ('use a ', '(', '')
    """
    text = running(words)
    return text if not words or words[-1] in NO_SPACE_AFTER else text + " "


def after(words: Sequence[str]) -> str:
    """The text behind a blank, with the space that it needs.

    >>> after("to stir .".split()), after(["."])
    (' to stir.', '.')
    """
    text = running(words)
    return text if not words or words[0] in NO_SPACE_BEFORE else " " + text


def with_blanks(words: Sequence[str], spans: Sequence[Sequence[int]], *, numbered: bool = False) -> str:
    """The concrete text with ____ for each word left out; numbered: [1: ____ ____].

    >>> with_blanks("use a wire whisk .".split(), [(2, 4)]), with_blanks(["stir"], [(0, 1)], numbered=True)
    ('use a ____ ____.', '[1: ____]')
    """
    shown: list[str] = []
    at = 0
    for number, (start, end) in enumerate(spans, start=1):
        shown.extend(words[at:start])
        gaps = [BLANK] * (end - start)
        shown.extend([f"[{number}: {' '.join(gaps)}]"] if numbered else gaps)
        at = end
    return running([*shown, *words[at:]])


def prompt(item: Item, template: str = PROMPT) -> str:
    """What a language model reads before the concrete text."""
    return template.replace("\\n", "\n").format(abstract=running(item.facts["abstract"]))
