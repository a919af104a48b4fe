"""The model reads, the prover answers: through `proband run`, with a model that knows the facts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_answers, read_items
from proband.core.metrics import accuracy_of
from proband.core.types import Item
from proband.suites.kinship.audit.read_and_prove import context, proved
from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import BuildOptions


class Reader:
    """Replies with the facts of the item whose story it is shown; `spoil` changes them."""

    name = "reader"

    def __init__(self, items: Sequence[Item], spoil: Any = lambda facts: facts) -> None:
        self.items, self.spoil = items, spoil

    def identity(self) -> dict[str, str]:
        return {"kind": "reader", "spoil": str(self.spoil)}

    def generate(
        self, prompts: Sequence[str], *, max_tokens: int, temperature: float, seed: int, stop: Sequence[str] = ()
    ) -> list[str]:
        return [self._reply(prompt) for prompt in prompts]

    def _reply(self, prompt: str) -> str:
        item = next(each for each in self.items if each.prompt.splitlines()[0] in prompt)
        names, (i, j) = item.facts["names"], item.facts["query"]
        facts = [{"who": names[b], "is": word, "of": names[a]} for a, word, b in item.facts["edges"]]
        facts += [{"who": name, "is": gender} for name, gender in zip(names, item.facts["genders"]) if gender != "none"]
        return json.dumps({"facts": self.spoil(facts), "asked": {"who": names[j], "of": names[i]}, "unclear": ""})


def test_a_model_that_reads_right_is_right(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path / "items", k="2,5", per_k=6, seed=3)
    items = list(read_items(tmp_path / "items"))
    wrong = lambda facts: [{**fact, "is": "butler"} for fact in facts]  # noqa: E731
    short = lambda facts: facts[1:]  # noqa: E731
    scores = {}
    for name, spoil in (("right", list), ("butlers", wrong), ("one fact less", short)):
        out = tmp_path / name
        proband.run(tmp_path / "items", model=Reader(items, spoil), out=out, solver="read-and-prove", split="all")
        answers = list(read_answers(out / "answers.jsonl"))
        scores[name] = sum(accuracy_of(item, answer) or 0.0 for item, answer in zip(items, answers)) / len(items)
        if name == "butlers":
            assert {answer.status for answer in answers} == {"unread"}
    assert scores["right"] == 1.0
    assert scores["butlers"] == 0.0
    assert scores["one fact less"] < 0.7


@pytest.mark.parametrize(
    "options", [{"question": "yes-no"}, {"question": "text"}, {"question": "sets", "k": 3}, {"rules": "grid"}]
)
def test_a_right_reading_proves_any_kind_of_question(options: dict[str, Any]) -> None:
    items = list(build(BuildOptions(**{"k": 2, "per_k": 4, "certify": "none", **options}), seed=1).items)
    for item in items:
        answer = proved(item, Reader([item])._reply(item.prompt), "")
        assert accuracy_of(item, answer) == 1.0, (item.prompt, answer)


def test_a_world_that_no_domain_has_is_refused() -> None:
    (item, *_) = build(BuildOptions(rules="blended", k=2, per_k=1, certify="none"), seed=0).items
    with pytest.raises(ProbandError, match="no prover for the rules 'blended'"):
        context(item)
