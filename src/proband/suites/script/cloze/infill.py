"""Solver `infill`: a chat or text endpoint is shown the text with numbered gaps and writes the missing words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from proband.core.options import Meta
from proband.core.protocols import Generates
from proband.core.types import Answer, Item
from proband.suites.script.cloze.left_to_right import Splits, evaluated
from proband.suites.script.corpus.running_text import running, with_blanks
from proband.suites.script.corpus.tokens import tokens

ASK = (
    'Someone was told: "{abstract}" The same was then explained to a child, step by step. '
    "Some words of the explanation are missing; each ____ stands for one word:\n\n{text}\n\n"
    "Write the missing words, one line per numbered gap, with exactly as many words as the gap has ____ "
    "and nothing else. The lines look like this:\n{form}\n"
)
LINE = re.compile(r"^\W*(\d+)[*_`\s]*[:.)\]\-–—=]+\s*(.*)$")
INLINE = re.compile(r"\[\s*(\d+)\s*:\s*([^\]]*)\]")


def question(item: Item) -> str:
    spans = item.facts["blanks"]
    form = "\n".join(f"{n}: " + " ".join(["word"] * (end - start)) for n, (start, end) in enumerate(spans, start=1))
    text = with_blanks(item.facts["concrete"], spans, numbered=True)
    return ASK.format(abstract=running(item.facts["abstract"]), text=text, form=form)


@dataclass(frozen=True, kw_only=True)
class InfillOptions:
    """How an endpoint is asked."""

    splits: Splits = "valid,test"
    max_tokens: Annotated[int, Meta(description="of a reply", ge=1)] = 256


def solve(items: Sequence[Item], model: Generates, *, seed: int, options: InfillOptions) -> list[Answer]:
    """One answer per item: the reply, and a guess per blank (greedy; an endpoint gives no ranks)."""
    asked = [item for item in items if evaluated(item, options.splits)]
    prompts = [question(item) for item in asked]
    replies = model.generate(prompts, max_tokens=options.max_tokens, temperature=0.0, seed=seed) if asked else []
    answers = {item.id: Answer(item_id=item.id) for item in items}
    for item, reply in zip(asked, replies, strict=True):
        gold = item.facts["gold"]
        guesses = parse(reply, [len(words) for words in gold])
        blanks = tuple({"gold": list(right), "guess": guess} for right, guess in zip(gold, guesses, strict=True))
        answers[item.id] = Answer(item_id=item.id, text=reply, blanks=blanks)
    return list(answers.values())


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
    """
    found = from_json(reply) or from_lines(reply) or in_order(reply, lengths)
    return [[w for w in tokens(found.get(n, "")) if w[0].isalnum()][:size] for n, size in enumerate(lengths, start=1)]


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
        int(number[0]): " ".join(map(str, said)) if isinstance(said, list) else str(said)
        for key, said in value.items()
        if (number := re.search(r"\d+", str(key)))
    }


def from_lines(reply: str) -> dict[int, str]:
    """`1: word` lines, or the text given back with its gaps filled; the first answer to a gap counts."""
    found: list[tuple[str, str]] = INLINE.findall(reply)
    found = found or [(match[1], match[2]) for line in reply.splitlines() if (match := LINE.match(line))]
    return {int(number): said for number, said in reversed(found)}


def in_order(reply: str, lengths: Sequence[int]) -> dict[int, str]:
    """As many lines (or, for a single line, words between commas) as there are gaps."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    if len(lines) == 1 and len(lengths) > 1:
        lines = [part for part in lines[0].split(",") if part.strip()]
    return dict(enumerate(lines, start=1)) if len(lines) == len(lengths) else {}
