"""Multiple choice by letter: the prompt, and which choice a reply means.

Models prefer some positions to others, so a question is asked under several cyclic rotations of its choices, and
choice c scores the mean over the rotations r of

    1[letter chosen under r stands for c]           where the model only writes a letter, or
    log P(letter of c under r | the letters)        where the server gives log-probabilities of the first token.
"""

from __future__ import annotations

import math
import re
from string import ascii_uppercase as LETTERS
from typing import Annotated, Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.protocols import Question

ASK = "Answer with the letter of the right choice only."
THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
LONGEST = 100_000  # characters of a reply that are read, counted from its end
WRAP = r"[\s*_`\"'“”(\[{]{0,20}"  # bounded, as all that may repeat: reading takes time in proportion to the length
LINK = r"[^A-Za-z\n]{0,20}(?:(?i:is|would be|should be)\b)?[^A-Za-z\n]{0,20}(?:(?i:choice|option|letter)\b)?"
STATED = re.compile(rf"(?i:answer)\b{LINK}{WRAP}([A-Z])(?![\w’'])")
NAMED = re.compile(rf"(?i:choice|option|letter)\b{WRAP}([A-Z])(?![\w’'])")
BOXED = re.compile(r"\\boxed\{\s*(?:\\text\{)?\s*([A-Z])\s*\}")


def rotations(choices: int, wanted: int) -> list[int]:
    """By how many places to shift, evenly spread.

    >>> rotations(22, 4), rotations(2, 4)
    ([0, 5, 11, 16], [0, 1])
    """
    turns = max(1, min(wanted, choices))
    return [i * choices // turns for i in range(turns)]


def prompt_of(question: Question, shift: int) -> str:
    """The question as a prompt, its choices shifted: letter p stands for choice (p + shift) mod n.

    >>> print(prompt_of(Question("Paris is to France as Rome is to", ("Italy", "Spain")), 1))
    Paris is to France as Rome is to
    <BLANKLINE>
    A. Spain
    B. Italy
    <BLANKLINE>
    Answer with the letter of the right choice only.
    """
    n = len(question.choices)
    if not 1 <= n <= len(LETTERS):
        raise ProbandError(f"a question with {n} choices cannot be asked with the letters A to Z")
    shown = [f"{LETTERS[p]}. {question.choices[(p + shift) % n]}" for p in range(n)]
    return "\n".join([question.prompt, "", *shown, "", ASK])


def choice_meant(reply: str, question: Question, shift: int) -> int | None:
    """Which choice a reply means, or None.

    >>> q = Question("?", ("red", "green", "blue"))
    >>> [choice_meant(r, q, 0) for r in ("B", "**(b)**", "The answer is C.", "A or B", "green", "I cannot say")]
    [1, 1, 2, None, 1, None]
    >>> choice_meant("A", q, 1)
    1
    """
    n = len(question.choices)
    text = THOUGHT.sub("", reply).strip()[-LONGEST:]
    letter = _letter(text, LETTERS[:n])
    if letter is not None:
        return (LETTERS.index(letter) + shift) % n
    named = [i for i, choice in enumerate(question.choices) if _same(text, choice)]
    return named[0] if len(named) == 1 else None


def _letter(text: str, valid: str) -> str | None:
    """The letter a reply settles on: it alone, or stated as the answer, or the only one in it."""
    bare = text.strip(" \t\r\n*_`\"'“”()[]{}.:").upper()
    if len(bare) == 1:
        return bare if bare in valid else None
    for pattern in (BOXED, STATED):
        stated = [found for found in pattern.findall(text) if found in valid]
        if stated:
            return str(stated[-1])  # the last word counts
    named = {found for found in NAMED.findall(text) if found in valid}
    if len(named) == 1:
        return str(named.pop())
    begins = re.match(rf"{WRAP}([A-Z]){WRAP}[).:\]]", text)
    if begins and begins[1] in valid:
        return begins[1]
    # "A" may be an article and "I" a pronoun: neither counts in running text unless marked
    alone = set(re.findall(r"(?<![\w’'])([A-Z])(?![\w’'])", text))
    marked = set(re.findall(r"[(\[*]([A-Z])[)\]*.]", text))
    alone = {letter for letter in alone if letter in valid and (letter not in "AI" or letter in marked)}
    return alone.pop() if len(alone) == 1 and not _has_article(text, valid) else None


def _has_article(text: str, valid: str) -> bool:
    """Whether a bare capital A or I that may itself be meant as an answer is in the text."""
    bare = re.findall(r"(?<![\w’'])([AI])(?=\s*(?:or|and|,|;|\.|$))", text)
    return any(letter in valid for letter in bare)


def _same(text: str, choice: str) -> bool:
    return text.strip(" \t\r\n*_`\"'“”.").casefold() == choice.strip().casefold()


class Alternative(msgspec.Struct):
    """A token that might have come."""

    token: str
    logprob: Annotated[float, msgspec.Meta(le=1e-6)]


class Token(msgspec.Struct):
    """A token of a reply."""

    token: str
    top_logprobs: list[Alternative] | None = None


def log_probabilities(content: Any, question: Question, shift: int) -> tuple[float, ...] | None:
    """log P(choice | the letters) from the first token of a reply and its alternatives; None without them.

    Only so many alternatives are given. One that is missing has at most the probability of the least likely given,
    and at most what is left of 1: that bound is used.
    """
    n = len(question.choices)
    try:
        tokens = msgspec.convert(content or [], list[Token])
    except msgspec.ValidationError:
        return None
    first = next((token for token in tokens if token.token.strip()), Token(token=""))
    given = [(each.token, math.exp(each.logprob)) for each in first.top_logprobs or ()]
    if not given or _as_letter(first.token, n) is None:
        return None
    mass = [0.0] * n
    for token, probability in given:
        place = _as_letter(token, n)
        if place is not None:
            mass[(place + shift) % n] += probability
    rest = max(1e-30, min(*(p for _, p in given), 1.0 - sum(p for _, p in given)))
    filled = [max(p, 1e-30) if p > 0 else rest for p in mass]
    return tuple(math.log(p / sum(filled)) for p in filled)


def _as_letter(token: str, n: int) -> int | None:
    bare = token.strip(" \t\r\n*_`\"'(.)▁Ġ")
    return LETTERS.index(bare) if len(bare) == 1 and bare in LETTERS[:n] else None
