"""Solver `generate`: a chat or base model sees the text with numbered gaps and writes the missing words. Its reply may
be lines `1: wire whisk`, a JSON object, or the text with its gaps filled in, numbered or not."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from proband.core.types import Answer, Item
from proband.solvers.generate import Asking, make_generate_solver
from proband.solvers.replies import without_thoughts
from proband.suites.script.corpus import facts_of, running, tokens, with_blanks
from proband.suites.script.filling import is_question

LINE = re.compile(r"^\W*(?:gap\s*)?(\d{1,4})(?:\s?\(\d{1,3} words?\))?[\"'*_`\s]*[:.)\]\-–—=]+\s*(.*)$", re.IGNORECASE)
NEXT = re.compile(r"[,;]\s+(?=\d{1,2}\s*[:.)])")  # `1: pan, 2: spoon`
EXPLAINS = re.compile(r"(?<=\w)\W{0,3}(?:[(:;,–—]|\s-\s)")  # `whisk (to beat the eggs)`
NUMBER = re.compile(r"^\W*\d{1,4}[.:)]|\[\s*\d{1,4}\s*:", re.MULTILINE)  # of a line or a gap
SIZE = re.compile(r"\(\d{1,3} words?\)\s*:?", re.IGNORECASE)  # of a gap, given back: `1. (2 words): wire whisk`
LEADING = frozenset(("a", "an", "the", "some", "with", "in", "on", "to", "of", "from"))  # `with a whisk`: whisk
SPARE = 2  # words that an answer may have beyond its gap: `with a whisk`
INLINE = re.compile(r"\[\s{0,9}(\d{1,4})\s{0,9}:\s{0,9}([^\]]{0,200})\]")


def context(item: Item) -> dict[str, Any]:
    """The variables of a template: the abstract line, the text with numbered gaps, and a line to complete for each.
    Small models copied an example of the form in half of their replies, and without any form they repeat the story."""
    facts = facts_of(item)
    text = with_blanks(facts.concrete, facts.blanks, numbered=True)
    sizes = [end - start for start, end in facts.blanks]
    lines = "\n".join(f"{n} ({size} word{'s' * (size > 1)}):" for n, size in enumerate(sizes, start=1))
    return {"abstract": running(facts.abstract), "text": text, "gaps": len(facts.blanks), "lines": lines}


def answer(item: Item) -> str:
    return "\n".join(f"{n}: {' '.join(words)}" for n, words in enumerate(facts_of(item).gold, start=1))


def read(item: Item, reply: str, sent: str) -> Answer:
    """A guess per blank (an endpoint gives no ranks); `unread` if no gap is filled in."""
    text = without_thoughts(reply)
    if sent.endswith("1:") and not from_lines(text).get(1):  # a base model continues at the first gap
        text = f"1: {text}"
    facts = facts_of(item)
    gold = facts.gold
    guesses = parse(text, [len(words) for words in gold])
    if not any(guesses) and facts.blanks:
        guesses = in_text(reply, facts.concrete, facts.blanks)
    blanks = tuple({"gold": list(right), "guess": guess} for right, guess in zip(gold, guesses, strict=True))
    return Answer(item_id=item.id, text=reply, blanks=blanks, status="" if any(guesses) else "unread")


ASKING = Asking(
    prompts=Path(__file__).parent / "prompts",
    default="gaps",
    read=read,
    answer=answer,
    context=context,
    asked=is_question,
)
GENERATE = make_generate_solver(ASKING)


def parse(reply: str, lengths: Sequence[int]) -> list[list[str]]:
    """The words for each gap; a gap that is not answered stays empty, words beyond a gap's length are cut.

    >>> parse("Sure!\\n1: wire whisk\\n2) Bowl.", [2, 1])
    [['wire', 'whisk'], ['bowl']]
    >>> parse('{"1": "pan", "2": ["wooden", "spoon"]}', [1, 2])
    [['pan'], ['wooden', 'spoon']]
    >>> parse("use a [1: large pot] on the [2: stove].", [2, 1])
    [['large', 'pot'], ['stove']]
    >>> parse("knife\\nboard", [1, 1]), parse("I cannot help.\\nSorry.\\nReally.", [1, 1])
    ([['knife'], ['board']], [[], []])

    A line that cannot be read costs its own gap and no other:

    >>> parse('{"1": "pan",\\n"2": spoon\\n"3": "lid"}', [1, 1, 1]), parse("1: pan, 2: lid", [1, 1])
    ([['pan'], ['spoon'], ['lid']], [['pan'], ['lid']])
    >>> parse("pan\\nI would say that it is a wooden spoon\\nlid", [1, 1, 1])
    [['pan'], [], ['lid']]

    A sentence is no answer, not even in its first words; what explains an answer may follow it:

    >>> parse("1. The cake was placed on a rack.\\n2. rack (the cake has to cool on it)", [2, 1])
    [[], ['rack']]
    >>> parse("1: on/off", [1]), parse("1: with/without", [1])
    ([['off']], [['without']])
    """
    guesses = from_json(reply) or from_lines(reply) or in_order(reply, lengths)
    return [filled(guesses.get(n, ""), size) for n, size in enumerate(lengths, start=1)]


def filled(text: str, size: int) -> list[str]:
    """The words that a text puts into a gap: none, if they exceed the gap by more than two before an explanation."""
    text = SIZE.sub("", text)
    own = EXPLAINS.split(text, maxsplit=1)[0]
    words, left = _words(text), len(_words(own))
    beyond = len(own.split()) - left  # signs by themselves
    while left > size and words[0] in LEADING:
        left, words = left - 1, words[1:]
    return [] if left + beyond > size + SPARE else words[:size]


def _words(text: str) -> list[str]:
    """The words of a text; none if it has only numbers (`1. 1.`)."""
    words = [word for word in tokens(text) if word[0].isalnum()]
    return [] if all(word.isdecimal() for word in words) else words


def from_json(reply: str) -> dict[int, str]:
    """A JSON object or list anywhere in the reply."""
    start = min((at for at in (reply.find("{"), reply.find("[")) if at >= 0), default=-1)
    end = max(reply.rfind("}"), reply.rfind("]"))
    try:
        value: Any = json.loads(reply[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return {}
    if isinstance(value, list):
        value = dict(enumerate(value, start=1))
    if not isinstance(value, dict):
        return {}
    return {
        int(number[0]): " ".join(map(str, words)) if isinstance(words, list) else str(words)
        for key, words in value.items()
        if (number := re.search(r"\d{1,4}", str(key)))
    }


def from_lines(reply: str) -> dict[int, str]:
    """`1: word` lines, or the text given back with its gaps filled; the first answer to a gap counts."""
    gaps: list[tuple[str, str]] = INLINE.findall(reply)
    lines = [part for line in reply.splitlines() for part in NEXT.split(line)]
    gaps = gaps or [(match[1], match[2]) for line in lines if (match := LINE.match(line))]
    return {int(number): words for number, words in reversed(gaps)}


def in_text(reply: str, words: Sequence[str], gaps: Sequence[tuple[int, int]]) -> list[list[str]]:
    """The words in the gaps of a reply that repeats the whole text: those between the words before and after each
    gap. At least half of the words around the gaps must be there, so that its own text is not read.

    >>> words = "beat the eggs with a fork in a cup .".split()
    >>> in_text("Beat the eggs with a whisk in a cup.", words, [(5, 6)]), in_text("Use a whisk.", words, [(5, 6)])
    ([['whisk']], [[]])
    """
    open_at = {at for start, end in gaps for at in range(start, end)}
    # a gap matches nothing in the reply
    shown = [None if at in open_at else word for at, word in enumerate(words) if word[0].isalnum() or at in open_at]
    place = {at: n for n, at in enumerate(at for at, word in enumerate(words) if word[0].isalnum() or at in open_at)}
    written = _words(NUMBER.sub(" ", reply))
    blocks = SequenceMatcher(None, shown, written, autojunk=False).get_matching_blocks()
    found = {a + n: b + n for a, b, size in blocks for n in range(size)}
    if 2 * len(found) < len(shown) - len(open_at):
        return [[] for _ in gaps]
    fills = []
    for start, end in gaps:
        first, last = place[start], place[end - 1] + 1
        left, right = found.get(first - 1, -1 if not first else None), found.get(last)
        if last == len(shown):
            right = len(written)
        inside = written[left + 1 : right] if left is not None and right is not None else []
        fills.append(inside if len(inside) == end - start else [])
    return fills


def in_order(reply: str, lengths: Sequence[int]) -> dict[int, str]:
    """As many lines (or, for a single line, words between commas) as there are gaps; of lines, the ones that are short
    enough, if they are half of them or more; of words between commas all must be (`Sorry, I cannot ...`)."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    listed = len(lines) == 1 and len(lengths) > 1
    if listed:
        lines = [part for part in lines[0].split(",") if part.strip()]
    if len(lines) != len(lengths):
        return {}
    fit = {n: line for n, (line, size) in enumerate(zip(lines, lengths), start=1) if len(line.split()) <= size + SPARE}
    return fit if (1 if listed else 2) * len(fit) >= len(lines) else {}
