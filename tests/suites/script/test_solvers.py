"""Envelope: who knows the answers scores 1, who draws scores chance; language models see no gold word too early."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_answers
from proband.core.protocols import Floats32
from proband.core.types import Answer, Item
from proband.pipeline.asking.setup import choose_solver
from proband.solvers.generate import GenerateOptions
from proband.suites.script import SUITE, filling, replies
from proband.suites.script.corpus import before, prompt
from proband.suites.script.corpus import running as running_text
from proband.suites.script.filling import ClozeOptions, slots


def fill(items: Sequence[Item], model: Any, *, seed: int = 0, **options: Any) -> list[Answer]:
    return filling.solve(items, model, seed=seed, options=ClozeOptions(**options))


def mean(metric: str, items: Sequence[Item], answers: Sequence[Answer]) -> float:
    values = [
        v for item, answer in zip(items, answers, strict=True) for v in SUITE.metric(metric).numbers(item, answer)
    ]
    return sum(values) / len(values)


class Knows:
    """Predicts words from the items' own texts, or their contrary; notes every question."""

    name = "knows"

    def __init__(self, items: Sequence[Item], *, sign: float = 1.0) -> None:
        self.sign = sign
        self.asked: list[tuple[str, str]] = []
        self.next: dict[str, str] = {}
        for item in items:
            for slot in slots(item) if item.facts["blanks"] else ():
                left = prompt(item) + before(item.facts["concrete"][: slot.at])
                self.next[left] = item.facts["concrete"][slot.at]

    def identity(self) -> Mapping[str, str]:
        return {"kind": "test"}

    def predict_words(self, blanks: Sequence[tuple[str, str]], words: Sequence[str]) -> Floats32:
        self.asked += blanks
        rows = [[self.sign * float(word == self.next.get(left)) for word in words] for left, _ in blanks]
        return np.array(rows, dtype=np.float32)


def first_versions(items: Sequence[Item]) -> list[Item]:
    """One text per caption: two versions may begin alike and go on differently, which no oracle can know."""
    return list({item.facts["clusters"][0]: item for item in items}.values())


def test_an_oracle_scores_one(items: list[Item]) -> None:
    items = first_versions(items)
    answers = fill(items, Knows(items))
    for metric in ("match_greedy", "top5_greedy", "match_oracle", "top5_oracle", "whole_greedy", "rank"):
        assert mean(metric, items, answers) == 1.0
    for metric in ("match_oracle:tool", "match_oracle:action", "match_oracle:unit", "match_oracle:2-words"):
        assert mean(metric, items, answers) == 1.0


def test_the_contrary_scores_nothing(items: list[Item]) -> None:
    items = first_versions(items)
    answers = fill(items, Knows(items, sign=-1.0))
    assert mean("match_oracle", items, answers) == 0.0
    assert mean("rank", items, answers) == len(items[0].facts["candidates"].split())


def test_training_texts_are_not_asked(items: list[Item]) -> None:
    answers = fill(items, Knows(items))
    for item, answer in zip(items, answers, strict=True):
        assert bool(answer.blanks) == (item.split != "train")


def cloze(abstract: str, concrete: list[str], blanks: list[list[int]], *, candidates: str) -> Item:
    gold = [concrete[start:end] for start, end in blanks]
    facts = {"abstract": abstract.split(), "concrete": concrete, "blanks": blanks, "gold": gold}
    return Item(id="a", suite="script", prompt="", facts={**facts, "candidates": candidates})


def test_no_open_word_is_shown() -> None:
    """Every word of this text is different, so a gold word in a context is the word of one blank."""
    words = [f"w{n}" for n in range(12)]
    blanks = [[1, 3], [5, 6], [9, 11]]
    item = cloze("do it", words, blanks, candidates=" ".join(words[s] for s, _ in blanks) + " other")
    model = Knows([item])
    (answer,) = fill([item], model)
    open_words = [w for s, e in blanks for w in words[s:e]]
    for left, behind in model.asked:
        at = next(n for n, w in enumerate(open_words) if w not in left.split())
        assert not set(open_words[at:]) & set(behind.split())
    assert [blank["gold"] for blank in answer.blanks] == [["w1", "w2"], ["w5"], ["w9", "w10"]]
    assert answer.blanks[0]["ranks"] == [1, 1]  # w2 is no candidate and counts as one more


def test_greedy_reads_its_own_words() -> None:
    """A model that always says `pot` finds `pot` before its second blank in the greedy mode, not in the oracle's."""
    item = cloze("cook", ["use", "pan", "and", "lid", "."], [[1, 2], [3, 4]], candidates="pot pan lid")

    class Pot(Knows):
        def predict_words(self, blanks: Sequence[tuple[str, str]], words: Sequence[str]) -> Floats32:
            self.asked += blanks
            return np.array([[float(w == "pot") for w in words]] * len(blanks), dtype=np.float32)

    model = Pot([])
    (answer,) = fill([item], model)
    lefts = {left for left, _ in model.asked}
    assert lefts == {"cook\nuse ", "cook\nuse pan and ", "cook\nuse pot and "}
    assert [blank["guess"] for blank in answer.blanks] == [["pot"], ["pot"]]
    assert answer.blanks[0]["surprisals"][0] == pytest.approx(np.log(np.exp(1) + 2))
    assert SUITE.metric("repeats").of(item, answer) == 1.0


def test_chance_and_frequency(folder: Path, items: list[Item], tmp_path: Path) -> None:
    size = len(items[0].facts["candidates"].split())
    for name in ("chance", "frequent"):
        proband.run(folder, model=f"solver:{name}", out=tmp_path / name, split="all", cache=False)
    drawn, counted = (list(read_answers(tmp_path / name / "answers.jsonl")) for name in ("chance", "frequent"))
    assert mean("rank", items, drawn) == pytest.approx((size + 1) / 2, rel=0.1)
    assert mean("match_oracle", items, drawn) < 0.03
    assert mean("surprisal", items, drawn) == pytest.approx(np.log(size), abs=1e-5)
    assert mean("rank", items, counted) < mean("rank", items, drawn)
    top = counted[0].blanks[0]["oracle"][0]
    train = [w for i in items if i.split == "train" for words in i.facts["gold"] for w in words]
    assert train.count(top) == max(train.count(w) for w in set(train))


def test_frequency_needs_training_items(folder: Path, tmp_path: Path) -> None:
    made = proband.run(folder, model="solver:frequent", out=tmp_path / "r", limit=5, cache=False).run
    assert made.settings["asked"] == 5  # the training texts are learnt from, not asked
    proband.build("script", out=tmp_path / "items", splits="test")
    with pytest.raises(ProbandError, match="needs training items"):
        proband.run(tmp_path / "items", model="solver:frequent", out=tmp_path / "s", cache=False)


def test_a_baseline_of_choices_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="baseline:random fills no blanks; solver:frequent"):
        proband.run(folder, model="baseline:random", out=tmp_path / "r", cache=False)


class Writes:
    """An endpoint that knows the answers and writes them as asked."""

    name = "writes"

    def __init__(self, items: Sequence[Item]) -> None:
        self.known = {replies.context(item)["text"]: item for item in items if item.facts["blanks"]}

    def identity(self) -> Mapping[str, str]:
        return {"kind": "test"}

    def generate(
        self, prompts: Sequence[str], *, max_tokens: int, temperature: float, seed: int, stop: Sequence[str] = ()
    ) -> list[str]:
        asked = [next(item for text, item in self.known.items() if text in prompt) for prompt in prompts]
        lines = [[f"{n}: {' '.join(w)}" for n, w in enumerate(item.facts["gold"], 1)] for item in asked]
        return ["Here you go:\n" + "\n".join(each) for each in lines]


@pytest.mark.parametrize("think", [True, False])
def test_a_question_has_no_example_of_an_answer_to_give_back(items: list[Item], think: bool) -> None:
    """What a model says that only copies lines of the question is read as no answer."""
    item = next(each for each in items if each.split == "test" and each.facts["blanks"])
    asking = replies.ASKING
    prompt = asking.prompt(GenerateOptions())
    sent = asking.message(item, [], prompt=prompt, think=think, chat=True)
    assert replies.read(item, "\n".join(sent.splitlines()[-3:]), sent).status == "unread"


def test_generate_reads_what_a_model_writes(items: list[Item]) -> None:
    model: Any = Writes(items)
    solver = choose_solver(SUITE, model, None)
    assert solver.name == "generate"
    answers = solver.solve(items, model, seed=0, options=solver.options())
    answers = [each for each in answers if each.blanks]
    items = [item for item in items if item.split != "train" and item.facts["blanks"]]
    assert mean("match_greedy", items, answers) == 1.0
    assert mean("whole_greedy", items, answers) == 1.0
    assert not any(SUITE.metric("rank").numbers(i, a) for i, a in zip(items, answers, strict=True))


def test_running_text_is_readable(items: list[Item]) -> None:
    for item in items[:40]:
        text = running_text(item.facts["concrete"])
        assert " ," not in text
        assert " ." not in text
        assert "  " not in text


@pytest.mark.slow
@pytest.mark.skipif(find_spec("proband_mlm") is None, reason="embedded:mlm is not installed")
def test_embedded_models_beat_chance(items: list[Item]) -> None:
    """The installed masked model on a question: well above a random word, and with finite surprisals."""
    asked = [item for item in items if item.split == "test"][:1]
    answers = fill(asked, proband.load_model("embedded:mlm"))
    size = len(asked[0].facts["candidates"].split())
    assert mean("rank", asked, answers) < size / 4
    assert mean("top5_oracle", asked, answers) > 0.2
