"""The reward: right answers get it however they are written; 551 kinds of replies that only look right get nothing."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.rewards.conftest import KINDS, filled, stream

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.rewards import Stream
from proband.rewards.attacks import filled as fill
from proband.rewards.attacks import paid
from proband.rewards.stream import asserted, is_bare, plain_answer

RIGHT = (
    "{right}", "{Right}.", "**{right}**", "The answer is {right}.", "Answer: {right}", "<answer>{right}</answer>",
    "\\boxed{{right}}", "<think>{wrong}?</think>{right}", "I first thought of {wrong}, but no.\nAnswer: {right}",
    "Let us see. So it is the {right}.", "{prompt}\nAnswer: {right}", "<answer> {Right} </answer>",
    "Answer: \\boxed{{right}}", "$\\boxed{\\text{{right}}}$.", "\\[\\boxed{\\mathrm{{right}}}\\]",
    "The answer: {right}", "So it is not {wrong}.\n\n## Final answer\n\n**{right}**",
    "Final answer:\n<answer>{right}</answer>",
    "```python\nprint({wrong})\n```\n**Answer:** {right}", "Answer: it is the {right}.",
    "<answer>The answer is {right}.</answer>",
    "Sam is Kim's {wrong}, and Kim is Pat's uncle. So the answer is {right}.", "Sam is Kim's {wrong}. Answer: {right}",
    "Sam is Kim's {wrong}.\n\nThe final answer is: **{right}**", "Sam is Kim's {wrong}, so it is the {right}.",
    "In conclusion, the relationship is {right}.", "Sam is Kim's {wrong}. This means the answer is {right}.",
    "Based on the story, the answer is {right}.", "Here is my final answer:\n<answer>{right}</answer>",
    "The missing word is {right}.", "It must be {right}.", "Therefore: {right}", "Answer - {right}",
    "Sure! The answer is {right}. Let me know if you have any other questions!",
    "The links compose.\n<answer>{right}</answer>\nI hope this helps!", "There is no doubt: the answer is {right}.",
    "Step by step, each link joins the next, and the result is that the answer is {right}.",
    "The answer cannot be anything other than {right}.",
    "Answer: {wrong}\n\nWait, let me check that again. The second link is reversed.\n\nAnswer: {right}",
    "The answer is {wrong}. No, that is wrong. The answer is {right}.", "Without any doubt, the answer is {right}.",
    "Consequently, the answer is {right}.", "The correct option is {right}.", "{right} ✅",
    "Found it! So it is {right}.", "Overall, the answer is {right}.", "In short, {right}.", "This gives {right}.",
    "It follows that the answer is {right}.", "As a result, the answer is {right}.",
)  # fmt: skip


def test_a_statement_that_fills_the_blank_is_an_answer_and_its_converse_is_not() -> None:
    for number in (1, 4, 6):
        item = stream()[number]
        assert item.gold is not None
        a, b = (item.facts["names"][person] for person in item.facts["query"])
        right = item.choices[item.gold]
        chain = f"{b} is Kim's uncle, and Kim {a}'s niece"
        stated = (f"{b} is {a}'s {right}.", f"So {b} is the {right} of {a}.", f"Answer: {b} is {a}'s {right}")
        after = (f"{chain}, so {b} is {a}'s {right}.", f"{chain}. This makes {b} {a}'s {right}.", f"{a}'s {right}.")
        sham = (f"{a} is {b}'s {right}.", f"{b} is the {right} of somebody.", f"<answer>{a} is {b}'s {right}</answer>")
        denied = (f"{b} is not {a}'s {right}.", f"{b} is the {right} of {a}? No.", f"If so, {b} is {a}'s {right}.")
        others = (f"{b} is the {right} of {a}'s niece.", f"Somebody came. {a}'s {right}.", f"So {a} is {b}'s {right}.")
        assert [stream().reward(item, reply).total for reply in (*stated, *after)] == [1.0] * 6
        assert [stream().reward(item, reply).total for reply in (*sham, *denied, *others)] == [0.0] * 9


@pytest.mark.parametrize(
    "loop",
    [
        "answer\n",
        *(
            pytest.param(each, marks=pytest.mark.nightly)
            for each in ("Answer: aunt\n", "Answer: ", "*", "the answer is ")
        ),
    ],
)
def test_a_reply_that_loops_is_read_in_time(loop: str) -> None:
    begun = time.process_time()
    stream().reward(stream()[1], loop * (60_000 // len(loop)))
    assert time.process_time() - begun < 5


def test_open_questions_are_paid_by_the_same_rules(tmp_path: Path) -> None:
    rows = [
        {"question": "Capital of France?", "answer": ["Paris", "City of Light"]},
        {"question": "5 * 200?", "answer": "1000"},
    ]
    (tmp_path / "open.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = Stream("questions", data=str(tmp_path / "open.jsonl"), answers="answer")
    items = [made[0], made[1]]
    assert paid(lambda item, reply: made.reward(item, reply).total, items, question=made.question) == []
    for item in items:
        unpaid = [kind for kind in RIGHT if made.reward(item, fill(kind, item, question=made.question(item))).total < 1]
        assert unpaid == []
    assert [made.reward(i, r).total for i in items for r in ("City of Light", "1,000", "Lyon")] == [1, 0, 0, 0, 1, 0]


def test_a_word_that_often_denies_may_be_the_answer(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"question": "Is ice hot?", "choices": ["yes", "no"], "answer": "no"}\n')
    made = Stream("questions", data=str(tmp_path / "one.jsonl"))
    replies = ("no", "No.", "So the answer is no.", "Answer: no", "<answer>no</answer>", "Ice is cold.\nAnswer: no")
    assert [made.reward(made[0], reply).total for reply in replies] == [1.0] * 6


@pytest.mark.parametrize("right", ["5", "-5", "0.5"])
def test_a_number_is_paid_with_its_sign_and_its_point_only(right: str, tmp_path: Path) -> None:
    numbers = ["5", "-5", "50", "0.5"]
    (tmp_path / "n.jsonl").write_text(json.dumps({"question": "?", "choices": numbers, "answer": right}), "utf-8")
    (tmp_path / "o.jsonl").write_text(json.dumps({"question": "?", "answer": right}), "utf-8")
    for name in ("n", "o"):
        made = Stream("questions", data=str(tmp_path / f"{name}.jsonl"))
        for number in (*numbers, ".05", "1/5", "5%", "-0.5"):
            for form in ("{}", "Answer: {}", "<answer>{}</answer>", "The answer is {}."):
                reply = form.format(number.replace("-", "−"))
                assert made.reward(made[0], reply).total == float(number == right), (name, reply)


def test_what_is_no_text_gets_nothing() -> None:
    assert stream().reward(stream()[1], None).total == 0


def test_items_of_the_test_split_are_handed_out_only_where_there_is_no_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert {Stream("script", seed=0)[number].split for number in range(40)} == {"train"}
    assert "no train split" not in capsys.readouterr().err
    assert Stream("facts", seed=0)[0].split == "test"
    assert "facts: these items have no train split" in capsys.readouterr().err


@pytest.mark.parametrize("end", ["Let me know if you have questions!", "Hope that helps :)"])
def test_courtesy_changes_no_answer(end: str) -> None:
    assert stream().reward(stream()[1], f"Answer: {stream().answer(stream()[1])}\n\n{end}").total == 1


def test_full_width_letters_are_read() -> None:
    item = stream()[1]
    assert item.gold is not None
    wide = "".join(chr(ord(each) + 0xFEE0) if each.isalpha() else each for each in item.choices[item.gold])
    assert stream().reward(item, wide).total == 1.0


@pytest.mark.parametrize("kind", RIGHT)
def test_a_right_answer_gets_the_reward_however_it_is_written(kind: str) -> None:
    for number in (1, 4, 6):
        item = stream()[number]
        assert stream().reward(item, filled(kind, item)).total == 1.0, filled(kind, item)


def test_the_question_given_back_is_no_answer_even_where_it_names_the_right_one_alone() -> None:
    """The brother of a brother is a brother: the story names no other relation."""
    item = Item(
        id="a", suite="kinship", prompt="Al is the brother of Bo. Bo is the brother of Cy.\nAl is the ___ of Cy.",
        choices=("brother", "father"), gold=0,
    )  # fmt: skip
    assert stream().reward(item, item.prompt).total == 0
    assert stream().reward(item, f"{item.prompt}\nbrother").total == 1


@pytest.mark.parametrize(
    "reply", ["It is France's capital.", "Paris is the capital of France.", "„capital“", "- capital"]
)
def test_a_blank_may_be_filled_in_the_words_of_any_question(reply: str) -> None:
    final = asserted(reply, ["capital", "river"], prompt="Paris is the ___ of France.")
    assert plain_answer(final) == "capital"
    assert is_bare(final, "capital")


def test_a_wrong_answer_gets_nothing_whatever_its_form() -> None:
    strict = Stream("kinship", k="2", seed=0)
    item = strict[0]
    right, wrong = (filled(each, item) for each in ("{right}", "{wrong}"))
    replies = (right, f"<answer>{right}</answer>", f"Let me see. So it is the {right}.", f"<answer>{wrong}</answer>")
    assert [strict.reward(item, each).total for each in replies] == [1, 1, 1, 0]


def chain_of(item: Item) -> list[str]:
    """The facts of a story in other words than its own."""
    names = item.facts["names"]
    return [f"{names[j]} is {names[i]}'s {relation}." for i, relation, j in item.facts["edges"]]


def test_steps_count_beside_a_right_answer_and_never_without_one() -> None:
    made = Stream("kinship", k="2", seed=0, steps_weight=0.5)
    item = made[3]
    a, b = (item.facts["names"][person] for person in item.facts["query"])
    right, wrong = item.facts["target"], "grandson"
    first, second = chain_of(item)
    true, false = (f"{b} is the {word} of {a}." for word in (right, wrong))
    denied = " ".join(f"{b} is not the {each} of {a}." for each in ("son", "uncle", "nephew", "grandfather") * 4)
    worth = {
        f"{first} {second} <answer>{right}</answer>": 1.0, f"<think>{first} {second}</think> {right}": 1.0,
        f"{first} {second} {true} {denied} <answer>{right}</answer>": 1.0, f"{first} <answer>{right}</answer>": 0.75,
        f"{true} <answer>{right}</answer>": 0.5, f"{denied} <answer>{right}</answer>": 0.5,
        f"{false} {denied} <answer>{right}</answer>": 0.5, f"<think>{false}</think> {right}": 0.5,
        right: 0.5, f"{item.prompt} <answer>{right}</answer>": 0.5,
        f"{first} {second} <answer>{wrong}</answer>": 0.0, f"<think>{true}</think>": 0.0, item.prompt: 0.0, "": 0.0,
    }  # fmt: skip
    assert {reply: made.reward(item, reply).total for reply in worth} == worth
    assert made.reward(item, f"{first} {first} {second} {false} <answer>{right}</answer>").steps == pytest.approx(2 / 3)
    rewarded = [kind for kind in KINDS if made.reward(item, filled(kind, item)).total > 0]
    assert not rewarded
    with pytest.raises(ProbandError, match="no prover"):
        Stream("analogy", steps_weight=0.5)


def test_what_a_policy_learns_from_the_reward_of_steps() -> None:
    """A policy over eight ways to write a reply, trained with REINFORCE, learns to tell the facts and to answer, not to
    write what is true and leads nowhere."""
    made, rng = Stream("kinship", k="2", seed=0, steps_weight=0.5), random.Random(1)
    items = [made[number] for number in range(4)]

    def replies(item: Item) -> list[str]:
        a, b = (item.facts["names"][person] for person in item.facts["query"])
        right, chain = item.facts["target"], " ".join(chain_of(item))
        others = [each for each in ("son", "uncle", "nephew", "grandfather", "aunt") if each != right]
        denied = " ".join(f"{b} is not the {each} of {a}." for each in others * 4)
        said = f"<answer>{right}</answer>"
        return [
            said, f"{denied} {said}", f"{b} is the {right} of {a}. {said}", f"{item.prompt} {said}",
            f"{chain_of(item)[0]} {said}", f"{chain} {said}", f"{chain} {denied} <answer>{others[0]}</answer>",
            f"{b} is the {others[0]} of {a}. {denied} {said}",
        ]  # fmt: skip

    worth = [[made.reward(item, reply).total for reply in replies(item)] for item in items]
    scores = [0.0] * 8
    for step in range(2000):
        own = worth[step % len(items)]
        weights = [math.exp(score) for score in scores]
        chosen = rng.choices(range(8), weights)[0]
        baseline = sum(w * value for w, value in zip(weights, own)) / sum(weights)
        for way, weight in enumerate(weights):
            scores[way] += 0.5 * (own[chosen] - baseline) * ((way == chosen) - weight / sum(weights))
    assert max(range(8), key=lambda way: scores[way]) == 5
    assert math.exp(scores[5]) / sum(map(math.exp, scores)) > 0.8


def test_abstaining_is_right_where_nothing_can_be_told_and_worth_nothing_elsewhere() -> None:
    doubtful = Stream("kinship", k="3", seed=0, open=0.5)
    items = [doubtful[number] for number in range(12)]
    open_ = "cannot be determined"
    rewards = {doubtful.answer(item): doubtful.reward(item, open_).total for item in items}
    assert rewards.pop(open_) == 1
    assert set(rewards.values()) == {0}


def test_an_item_is_the_same_whoever_makes_it_and_whatever_was_made_before() -> None:
    one, other = Stream("kinship", k="2..4", seed=3), Stream("kinship", k="2..4", seed=3)
    assert [one[n] for n in range(9)] == [other[n] for n in reversed(range(9))][::-1]
    assert one[5] != Stream("kinship", k="2..4", seed=4)[5]
    assert len({one[n].prompt for n in range(300)}) >= 299
    with pytest.raises(IndexError):
        one[-1]


@pytest.mark.parametrize("k", ["2", "4", "10"])
def test_item_n_is_made_without_those_before_it(k: str) -> None:
    """Item 10^11 takes as long as the first ones: the best median of three, in CPU time."""
    made = Stream("kinship", k=k, seed=0)
    made[0]

    def best(starts: Sequence[int]) -> float:
        medians = []
        for first in starts:
            times = []
            for number in range(first, first + 30):
                begun = time.process_time()
                made[number]
                times.append(time.process_time() - begun)
            medians.append(sorted(times)[len(times) // 2])
        return min(medians)

    assert best((10**9, 10**10, 10**11)) < 3 * best((1, 31, 61))


@pytest.mark.parametrize("suite", ["analogy", "inference", "questions", "facts", "script"])
def test_every_suite_has_a_stream(suite: str) -> None:
    made = Stream(suite, seed=0)
    item = made[3]
    assert made.reward(item, made.answer(item)).total == 1
    assert made.reward(item, made.question(item)).total == 0
    assert made[10**6] == Stream(suite, seed=0)[10**6]


@pytest.mark.parametrize("variation", ["rename", "reword", "reorder", "noise", "inverse", "counterfactual", "twin"])
def test_varied_items_keep_certificates_that_hold(variation: str) -> None:
    made = Stream("kinship", k="3", seed=0, variation=variation)
    for number in (0, 5):
        item = made[number]
        assert item.tags["variation"] == variation
        assert made.validate(item) == ""
        assert made.reward(item, made.answer(item)).total == 1


def test_a_certificate_that_does_not_hold_is_told() -> None:
    import msgspec

    item = stream()[0]
    assert stream().validate(item) == ""
    assert item.gold is not None
    assert stream().validate(msgspec.structs.replace(item, gold=(item.gold + 1) % 22))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": "0"}, "k"),
        ({"unknown": 1}, "no option 'unknown'"),
        ({"variation": "louder"}, "no variation 'louder'"),
        ({"steps_weight": 2.0}, "'steps_weight' must be between 0 and 1"),
        ({"release": "1"}, "a stream builds its own stories"),
    ],
)
def test_bad_options_are_told_in_one_line(options: dict[str, object], message: str) -> None:
    with pytest.raises(ProbandError, match=message):
        Stream("kinship", **options)  # type: ignore[arg-type]


def test_every_number_has_an_item_where_some_answers_cannot_be_determined() -> None:
    made = Stream("kinship", k="2", seed=0, open=0.3)
    items = [made[number] for number in range(40)]
    assert len({item.id for item in items}) == 40
    answers = [made.answer(item) == "cannot be determined" for item in items]
    assert 4 <= sum(answers) <= 20
    assert not any(made.validate(item) for item in items)
    undetermined = items[answers.index(True)]
    for reply in (
        "It cannot be determined.",
        "Answer: It cannot be determined.",
        "So the relation cannot be determined.",
    ):
        assert made.reward(undetermined, reply).total == 1.0, reply


@pytest.mark.parametrize(
    "lead",
    [
        "Putting it together:\n\n", "Conclusion:\n", "mother, then brother\n", "So the answer is\n",
        "The next step is to combine them.\n\n", "## Step 3: the relation\n\n", "Aunt would be wrong.\n",
    ],
)  # fmt: skip
def test_a_plain_line_before_an_answer_does_not_change_it(lead: str) -> None:
    item = stream()[1]
    right = stream().answer(item)
    assert [stream().reward(item, f"{lead}{form}").total for form in (f"Answer: {right}", f"\\boxed{{{right}}}")] == [
        1,
        1,
    ]


HARMLESS = (  # written before the rule for replies that turn round was narrowed; it refused 13 of them
    "The key lies in the second sentence.", "We see that the box lies to the left of the lamp.",
    "From this we know the box lies on the left.", "My reasoning relies on two facts.",
    "Everything we need lies in the text.", "I find that Lucy's place lies left of Tom's.",
    "We go in the opposite direction.", "We look at opposites: left and right are opposites.",
    "I turned the fact round to its opposite.", "My first step is the opposite relation.",
    "I would say the other options are wrong.", "I say that the other choices are false, because of the first fact.",
    "Here we go!", "Perfect!", "Let's see...", "Interesting question!", "Happy to help!",
)  # fmt: skip


@pytest.mark.parametrize("answer", ["Answer: left", "<answer>left</answer>", "So the answer is left."])
def test_what_comes_before_an_answer_does_not_turn_it_round(answer: str) -> None:
    choices = ["left", "right", "above", "below", "overlap"]
    assert [text for text in HARMLESS if asserted(f"{text}\n{answer}", choices) != "left"] == []
