"""Solvers for questions, and the matching of replies to open questions with the accepted answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from proband.core.metrics import Metric, accuracy_of
from proband.core.types import WRONG, Answer, Item
from proband.english.model_reader import AGAIN, json_of
from proband.solvers import likelihood
from proband.solvers.choose import make_choose_solver
from proband.solvers.generate import Asking, make_generate_solver
from proband.solvers.replies import ANSWER, Choices, names_of, read_choice, without_thoughts


def read(item: Item, reply: str, sent: str) -> Answer:
    """Read the choice in a reply. Without choices, keep the reply itself, which is matched when it is scored."""
    if item.choices:
        return read_choice(item, reply, sent)
    usable = json_of(reply) is not None if item.facts.get("json") else bool(without_thoughts(reply))
    return Answer(item_id=item.id, text=reply, status="" if usable else "unread")


def show(item: Item) -> str:
    """
    >>> print(show(Item(id="q1", suite="questions", prompt="2 + 2?", choices=("3", "4"), gold=1)))
    2 + 2?
      3
    * 4
    """
    marked = [f"{'*' if place == item.gold else ' '} {choice}" for place, choice in enumerate(item.choices)]
    accepted = item.facts.get("answers", ())
    return "\n".join([item.prompt, *marked, *([f"accepted: {', '.join(accepted)}"] if accepted else [])])


# ---- scores --------------------------------------------------------------------------------------------------------


def answered(item: Item, answer: Answer) -> float | None:
    """Whether the right choice was preferred, or the reply gives an accepted answer.

    >>> item = Item(id="q", suite="questions", prompt="?", facts={"answers": ["Paris", "City of Light"]})
    >>> [answered(item, Answer(item_id="q", text=text)) for text in ("It is **Paris**.", "Not Paris.", "Parish")]
    [1.0, 0.0, 0.0]
    """
    if item.choices:
        return accuracy_of(item, answer)
    accepted = tuple(map(str, item.facts.get("answers", ())))
    if not accepted or (answer.text is None and not answer.status):
        return None
    if answer.status in WRONG:
        return 0.0
    names, reply = _names(accepted), _number_forms(re.sub(r"[*_`]", "", final_answer(answer.text or "")))
    decided = ASKED.sub(" ", reply)
    named = "|".join(re.escape(name) for name, _ in sorted(names.names, key=lambda each: -len(each[0])))
    open_still = UNDECIDED.search(re.sub(rf"(?<!\w)(?:{named})(?!\w)", "\0", decided.casefold()))
    return float(bool(names.mentions(decided)) and not open_still)


ASKED = re.compile(r"[^.?!\n]*\?(?=\s*\w)")  # a question that something follows: `Paris? No, London.`
PART = r"[^\s,]+(?: [^\s,]+)?"
UNDECIDED = re.compile(  # alternatives, or a list of three or more: no answer, though it names one
    rf"\0(?:, \w+(?: \w+){{0,2}})*,? or\b|\bor \0|^\W*(?:{PART}, )+{PART}(?:, (?:and )?| and ){PART}$"
)


def final_answer(reply: str) -> str:
    """The answer in a reply: the text after the last "answer is" or "answer:", or else the last line."""
    text = without_thoughts(reply)
    if stated := list(ANSWER.finditer(text)):
        return text[stated[-1].end() :].lstrip().partition("\n")[0]
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


@cache
def _names(accepted: tuple[str, ...]) -> Choices:
    return Choices(tuple((name, 0) for each in accepted for name, _ in names_of([_number_forms(each)])))


def _number_forms(text: str) -> str:
    """Write every number in one form: 1,000 and 1000, 4.0 and 4, .5 and 0.5."""
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))|(?<![\d.])(?=\.\d)", lambda m: "" if m[0] else "0", text)
    return re.sub(r"(\d+)\.(\d*?)0*(?!\d)", lambda m: f"{m[1]}.{m[2]}" if m[2] else m[1], plain)


# ---- solvers -------------------------------------------------------------------------------------------------------


def score_choices(items: Sequence[Item], model: Any, *, seed: int, options: Any) -> list[Answer]:
    """Solver `likelihood` on the items with choices; open questions have no choices to score."""
    scored = iter(likelihood.solve([item for item in items if item.choices], model, seed=seed, options=options))
    reason = "an open question, which has no choices to score: -s generate"
    return [next(scored) if i.choices else Answer(item_id=i.id, text=reason, status="skipped") for i in items]


ASKING = Asking(
    prompts=Path(__file__).parent / "prompts",
    default="question",
    read=read,
    answer=lambda item: item.choices[item.gold or 0] if item.choices else item.facts["answers"][0],
    again=lambda item, reply: AGAIN if item.facts.get("json") else "",
)
LIKELIHOOD = replace(likelihood.LIKELIHOOD, solve=score_choices)
GENERATE, CHOOSE = make_generate_solver(ASKING), make_choose_solver(ASKING)
OPEN = replace(
    GENERATE, name="reply", help="open questions: the reply is matched with the accepted answers", setting="open"
)
ACCURACY = Metric(name="accuracy", of=answered)
