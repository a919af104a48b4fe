"""Real-looking replies with the right reading of each (replies.json): a relation, the place of a pair, the words of the
gaps, or null where no single answer can be read."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from proband.core.protocols import Question
from proband.core.types import Item
from proband.models.remote.letter_choice import choice_meant
from proband.solvers.replies import LONGEST, Choices, names_of
from proband.suites.analogy.replies import GENERATE as ANALOGY
from proband.suites.analogy.replies import read as read_analogy
from proband.suites.kinship.replies import GENERATE as KINSHIP
from proband.suites.kinship.replies import read as read_kinship
from proband.suites.kinship.world.relations import RELATIONS
from proband.suites.script.cloze.replies import read as read_script

REPLIES = json.loads((Path(__file__).parent / "replies.json").read_text(encoding="utf-8"))
STORY = Item(
    id="k",
    suite="kinship",
    prompt="Carol is Arthur's mother. Her sister is Sharon.\nSharon is the ___ of Arthur.",
    choices=tuple(RELATIONS),
    gold=tuple(RELATIONS).index("aunt"),
    facts={"names": ["Arthur", "Carol", "Sharon"], "query": [0, 2]},
)
PAIRS = Item(
    id="a",
    suite="analogy",
    prompt="Which pair completes the analogy? What Paris is to France, ___ is to ___.",
    choices=("Rome : Italy", "Italy : Rome"),
    gold=0,
    facts={"query": ["Paris", "France"], "options": [["Rome", "Italy"], ["Italy", "Rome"]]},
)
GAPS = Item(
    id="s",
    suite="script",
    prompt="",
    facts={
        "abstract": ["beat", "eggs", "."],
        "concrete": ["use", "a", "wire", "whisk", "in", "the", "bowl", "."],
        "blanks": [[2, 4], [6, 7]],
        "gold": [["wire", "whisk"], ["bowl"]],
    },
)


class Chat:
    """Stands for any chat model: what a prompt looks like does not depend on which."""

    name, room = "chat", 1

    def chat(self, chats: Any, **how: Any) -> list[str]:
        return []

    def rendered(self, chat: Any, **how: Any) -> str:
        return str(chat[-1][1])


def sent(solver: Any, item: Item, prompt: str) -> str:
    (texts,) = solver.sends([item], Chat(), seed=0, options=solver.options(prompt=prompt))
    return str(texts[0])


def reading(row: dict[str, Any]) -> Any:
    if row["suite"] == "script":
        answer = read_script(GAPS, row["reply"], "")
        return [blank["guess"] for blank in answer.blanks] if not answer.status else None
    solver, item, read = (KINSHIP, STORY, read_kinship) if row["suite"] == "kinship" else (ANALOGY, PAIRS, read_analogy)
    answer = read(item, row["reply"], sent(solver, item, row["prompt"]))
    assert answer.text == row["reply"]
    if answer.status:
        assert (answer.status, answer.scores) == ("unread", ())
        return None
    place = answer.scores.index(1.0)
    return item.choices[place] if row["suite"] == "kinship" else place


@pytest.mark.parametrize("row", REPLIES, ids=lambda row: f"{row['suite']}-{row['prompt']}-{row['reply'][:40]}")
def test_a_reply_is_read_as_it_is_meant(row: dict[str, Any]) -> None:
    assert reading(row) == row["reading"]


def test_there_are_replies_of_every_kind() -> None:
    assert len(REPLIES) >= 150
    assert {row["suite"] for row in REPLIES if row["reading"] is None} == {"analogy", "kinship", "script"}
    assert len({(row["suite"], row["prompt"], row["reply"]) for row in REPLIES}) == len(REPLIES)


LOOPS = (
    "the answer is not clear and ", "the answer........", "So the aunt is not the mother of the niece, ", "**x ", "__a",
    "<think> hm ", "a__", "A) aunt\n", "not a the ", "x\n\n\n\n", "****", "\\boxed{ x ", "[1: ", "9", "therefore ",
    "answer    ",
)  # fmt: skip


@pytest.mark.parametrize("loop", LOOPS)
def test_reading_takes_time_in_proportion_to_the_length(loop: str) -> None:
    """Models that loop write such replies: 80,000 characters took 41 s. The bound is generous, and far below that."""
    choices = Choices(names_of(["aunt", "niece", "mother"]), lettered=3)
    question = Question("?", ("aunt", "niece", "mother"))
    gaps = Item(id="a", suite="script", prompt="?", facts={"gold": [["wire", "whisk"], ["bowl"]]})
    reply = "x" + loop * (80_000 // len(loop)) + "x"
    begun = time.process_time()
    choices.read(reply)
    choice_meant(reply, question, 0)
    read_script(gaps, reply, "")
    assert time.process_time() - begun < 4


def test_the_end_of_a_very_long_reply_is_read() -> None:
    choices = Choices(names_of(["aunt", "niece"]), lettered=2)
    assert choices.read("hm, the niece? " * 50_000 + "\nAnswer: aunt") == 0
    assert choices.read("Answer: aunt" + " hm" * LONGEST) is None
