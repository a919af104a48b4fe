"""Real-looking replies with the right reading of each (replies.json): a choice, the place of a pair, the words of the
gaps, or null where no single answer can be read. A reply to a prompt with letters is read the same by `generate` and
by `choose`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.solvers.choose import CHOOSE, rotated
from proband.solvers.replies import LONGEST, Choices, letters_shown, names_of, read_choice
from proband.suites.analogy import solvers as analogy
from proband.suites.inference.methods import sentences as inference
from proband.suites.inference.methods.sentences import read_yes_no
from proband.suites.kinship import replies as kinship
from proband.suites.kinship.world.relations import RELATIONS
from proband.suites.script.replies import read as read_script

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
COLOURS = Item(id="c", suite="any", prompt="Which?", choices=("red", "green", "blue", "white"), gold=0)
YES_NO = Item(id="i", suite="inference", prompt="Does it follow?", choices=("yes", "no"), gold=0)
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


WAYS: dict[str, Any] = {  # the item, its reader, and the solvers by the prompts that they show
    "kinship": (STORY, kinship.read, {"": kinship.GENERATE, "letters": kinship.CHOOSE}),
    "analogy": (PAIRS, analogy.read_reply, {"": analogy.GENERATE, "letters": analogy.CHOOSE}),
    "inference": (YES_NO, read_yes_no, {"": inference.GENERATE, "letters": inference.CHOOSE}),
    "any": (COLOURS, read_choice, {"letters": CHOOSE}),
}


class Chat:
    """Stands for any chat model: what a prompt looks like does not depend on which."""

    name, default_max_tokens = "chat", 1

    def chat(self, chats: Any, **settings: Any) -> list[str]:
        return []

    def rendered(self, chat: Any, **settings: Any) -> str:
        return str(chat[-1][1])


def sent(solver: Any, item: Item, prompt: str) -> str:
    (texts,) = solver.sends([item], Chat(), seed=0, options=solver.options(prompt=prompt))
    return str(texts[0])


def reading(row: dict[str, Any]) -> Any:
    if row["suite"] == "script":
        answer = read_script(GAPS, row["reply"], "")
        return [blank["guess"] for blank in answer.blanks] if not answer.status else None
    item, read, solvers = WAYS[row["suite"]]
    shown = [sent(solver, item, row["prompt"]) for prompt, solver in solvers.items() if prompt in ("", row["prompt"])]
    answers = [read(item, row["reply"], text) for text in shown]
    assert all(answer == answers[0] for answer in answers)
    assert answers[0].text == row["reply"]
    if answers[0].status:
        assert (answers[0].status, answers[0].scores) == ("unread", ())
        return None
    place = answers[0].scores.index(1.0)
    return place if row["suite"] == "analogy" else item.choices[place]


@pytest.mark.parametrize("row", REPLIES, ids=lambda row: f"{row['suite']}-{row['prompt']}-{row['reply'][:40]}")
def test_a_reply_is_read_as_it_is_meant(row: dict[str, Any]) -> None:
    assert reading(row) == row["reading"]


def test_there_are_replies_of_every_kind() -> None:
    assert len(REPLIES) >= 150
    assert {row["suite"] for row in REPLIES if row["reading"] is None} == {*WAYS, "script"}
    assert {row["suite"] for row in REPLIES if row["prompt"] == "letters"} >= {"analogy", "kinship", "any"}
    assert len({(row["suite"], row["prompt"], row["reply"]) for row in REPLIES}) == len(REPLIES)


@pytest.mark.parametrize("shift", [1, 3])
def test_a_letter_means_the_choice_that_stood_behind_it(shift: int) -> None:
    """In another order of the choices, a reply is read as it would be if that were the order of the item."""
    for row in REPLIES:
        if row["prompt"] == "letters" and row["suite"] in ("any", "kinship"):
            item, read, solvers = WAYS[row["suite"]]
            turned = rotated(item, shift)
            text = sent(solvers["letters"], turned, "letters")
            own, other = read(turned, row["reply"], text), read(item, row["reply"], text)
            assert other.status == own.status, row
            if not own.status:
                assert item.choices[other.scores.index(1.0)] == turned.choices[own.scores.index(1.0)], row


def test_a_question_that_asks_for_the_wrong_choice_gets_it() -> None:
    item = replace(COLOURS, prompt="Which option is incorrect?")
    answers = [read_choice(item, reply, "") for reply in ("Red is incorrect.", "The incorrect option is red.")]
    assert [answer.scores for answer in answers] == [(1.0, 0.0, 0.0, 0.0)] * 2


def test_letters_of_worked_examples_are_not_those_of_the_question() -> None:
    text = "Answer: A\n\nA. son\nB. son-in-law\n\nWhich?\nA. son-in-law\nB. son"
    assert letters_shown(text, ["son", "son-in-law"]) == (1, 0)


NUMBERS = ("5", "-5", "50", "0.5", "1/5")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *((number, number) for number in NUMBERS), ("−5", "-5"), ("**-5**.", "-5"), ("- 5", "5"), ("A) 5", "5"),
        ("minus 5", "-5"),
        ("5.2", None), ("-0.5", None), ("5 million", None), ("5%", None), ("1:50", None), ("5/50", None), ("500", None),
    ],
)  # fmt: skip
def test_a_number_is_no_part_of_another_one(written: str, meant: str | None) -> None:
    choices = Choices(names_of(NUMBERS), letters=tuple(range(len(NUMBERS))))
    for reply in (written, f"It is {written}.", f"The answer is {written}.", f"<answer>{written}</answer>"):
        place = choices.read(reply)
        assert (None if place is None else NUMBERS[place]) == meant, reply


def test_choices_that_no_reply_can_tell_apart_are_refused() -> None:
    assert Choices(names_of(["C", "C#", "C++"])).read("It is C#.") == 1
    with pytest.raises(ProbandError, match="two of the choices are the same in a reply: Yes, yes"):
        names_of(["Yes", "yes", "no"])


LOOPS = (
    "the answer is not clear and ", "the answer........", "So the aunt is not the mother of the niece, ", "**x ", "__a",
    "<think> hm ", "a__", "A) aunt\n", "not a the ", "x\n\n\n\n", "****", "\\boxed{ x ", "[1: ", "9", "therefore ",
    "answer    ", "(A) or B ", "option ", "B not ", "I A I,", ".", "\n", "A is wrong, ", "aunt is ", "n't think that ",
)  # fmt: skip


@pytest.mark.parametrize("loop", LOOPS)
def test_reading_takes_time_in_proportion_to_the_length(loop: str) -> None:
    """Models that loop write such replies: 80,000 characters took 41 s. The bound is generous, and far below that."""
    item = Item(id="k", suite="any", prompt="Which?", choices=("aunt", "niece", "mother"))
    gaps = Item(id="a", suite="script", prompt="?", facts={"gold": [["wire", "whisk"], ["bowl"]]})
    reply = "x" + loop * (80_000 // len(loop)) + "x"
    begun = time.process_time()
    read_choice(item, reply, "A) aunt\nB) niece\nC) mother")
    read_script(gaps, reply, "")
    assert time.process_time() - begun < 4


def test_the_end_of_a_very_long_reply_is_read() -> None:
    choices = Choices(names_of(["aunt", "niece"]), letters=(0, 1))
    assert choices.read("hm, the niece? " * 50_000 + "\nAnswer: aunt") == 0
    assert choices.read("Answer: aunt" + " hm" * LONGEST) is None
