"""The symbolic solver is perfect on every task; a coin is at chance; language models are asked rightly."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.files import encode, parse
from proband.core.metrics import accuracy_of
from proband.core.plugins import NoOptions
from proband.core.protocols import AnswersItems, Norm, Score, Text
from proband.core.types import Answer, Item
from proband.solvers import DIRECT, LIKELIHOOD
from proband.solvers.choose import ChooseOptions
from proband.solvers.likelihood import LikelihoodOptions, completions
from proband.suites.kinship import SUITE
from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import TASKS, BuildOptions
from proband.suites.kinship.logic.closure import Symbolic
from proband.suites.kinship.replies import CHOOSE


def items(**options: Any) -> list[Item]:
    built = build(
        BuildOptions(**{"task": ",".join(TASKS), "k": "2..6", "per_k": 12, "certify": "none", **options}), seed=2
    )
    return [parse(Item, encode(item), file="items.jsonl") for item in built.items]


def score(found: Sequence[Item], answers: Sequence[Answer]) -> float:
    worth = [accuracy_of(item, answer) for item, answer in zip(found, answers, strict=True)]
    return sum(w for w in worth if w is not None) / len(worth)


@pytest.mark.parametrize("question", ["choice", "text", "yes-no"])
@pytest.mark.parametrize("rules", ["sound", "grid"])
def test_the_symbolic_solver_is_perfect(question: str, rules: str) -> None:
    found = items(question=question, rules=rules, per_k=6)
    solver = SUITE.own_models["symbolic"]()
    assert isinstance(solver, AnswersItems)
    assert score(found, solver.answer(found)) == 1.0


def test_it_says_what_is_open() -> None:
    """On stories of the paper's rules it spreads its answer over what may be true."""
    found = [i for i in items(rules="clutrr", task="clean", per_k=36) if i.facts["certificate"] == "ambiguous"]
    answers = Symbolic().answer([replace(i, facts={**i.facts, "rules": "sound"}) for i in found])
    assert all(sum(answer.scores) > 1 for answer in answers)
    assert all(answer.scores[item.gold or 0] == 1 for item, answer in zip(found, answers, strict=True))


def test_without_a_graph_it_says_so() -> None:
    with pytest.raises(ProbandError, match="item 'a' has no fact graph"):
        Symbolic().answer([Item(id="a", suite="kinship", prompt="", choices=("x",), gold=0)])


class Coin:
    name = "coin"

    def identity(self) -> dict[str, str]:
        return {"kind": "coin"}

    def answer(self, found: Sequence[Item]) -> list[Answer]:
        rng = random.Random(0)
        return [Answer(item_id=i.id, scores=tuple(rng.random() for _ in i.choices)) for i in found]


def test_a_coin_is_at_chance_and_the_order_of_choices_does_not_matter() -> None:
    found = items(task="clean", per_k=220)
    assert score(found, DIRECT.solve(found, Coin(), seed=0, options=NoOptions())) == pytest.approx(1 / 22, abs=0.02)
    turned = [
        replace(i, choices=i.choices[::-1], gold=len(i.choices) - 1 - i.gold) for i in found if i.gold is not None
    ]
    assert score(turned, Symbolic().answer(turned)) == 1.0


class Knows:
    """A language model that finds exactly the true statements likely."""

    name = "knows"
    methods: tuple[str, ...] = ("ll",)

    def __init__(self, true: set[str]) -> None:
        self.true = true
        self.context: list[str] = []

    def identity(self) -> dict[str, str]:
        return {}

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        assert method == "ll"
        self.context += [t.text[: t.start] for t in texts]
        return [Score(total=-1.0 if t.text.splitlines()[-1] in self.true else -2.0, tokens=2, words=1) for t in texts]


@pytest.mark.parametrize("norm", ["sum", "token", "word"])
def test_likelihood_completes_the_question(norm: Norm) -> None:
    found = items(task="clean", per_k=4)
    names = [[i.facts["names"][p] for p in i.facts["query"]] for i in found]
    model = Knows({f"{z} is the {i.facts['target']} of {x}." for i, (x, z) in zip(found, names, strict=True)})
    answers = LIKELIHOOD.solve(found, model, seed=0, options=LikelihoodOptions(norm=norm))
    assert score(found, answers) == 1.0
    assert max(answers[0].scores) == (-0.5 if norm == "token" else -1.0)
    assert all(context.endswith(" is the") for context in model.context)  # the story and the question are context
    with pytest.raises(ProbandError, match="'method' is 'pll'"):
        LIKELIHOOD.solve(found, model, seed=0, options=LikelihoodOptions(method="pll"))


def test_likelihood_of_questions_in_words() -> None:
    item = items(task="clean", question="text", per_k=1)[0]
    assert [t.text for t in completions(item.prompt, item.choices)] == [
        f"{item.prompt}\nAnswer: {choice}" for choice in item.choices
    ]


class Picks:
    name = "picks"

    def identity(self) -> dict[str, str]:
        return {}

    def generate(self, prompts: Sequence[str], **settings: Any) -> list[str]:
        return ["The relation is auntie" for _ in prompts]


def test_choose_reads_relations_by_all_their_names() -> None:
    found = items(task="clean", per_k=22, k="3")
    answers = CHOOSE.solve(found, Picks(), seed=0, options=ChooseOptions())
    assert score(found, answers) == pytest.approx(1 / 22)
    assert answers[0].scores == tuple(float(choice == "aunt") for choice in found[0].choices)


def test_show_tells_story_facts_and_proof() -> None:
    item = items(task="all", k="3", per_k=1)[0]
    text = SUITE.show(item)
    assert item.prompt in text
    assert f"answer: {item.facts['target']}" in text
    assert text.count("[supporting]") == text.count("[irrelevant]") == text.count("[disconnected]") == 2
    assert "certificate: entailed, by closure" in text
    assert "proof: it is stated" in SUITE.show(items(task="memory", k="3", per_k=1, facts_along_chain=True)[0])


def test_published_figures_stand_in_cells_of_ours() -> None:
    figures = SUITE.published()
    assert len(figures) == 10 + 20 + 21 + 9 + 7  # people, table 3.8, figure 3.5, CTP, GAT of CTP's program
    assert all(0 < figure.value <= 1 and figure.group["task"] in TASKS for figure in figures)
