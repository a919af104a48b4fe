"""Prompts, sentence encoders and classifiers: what they are asked, and how their numbers become a score."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from proband.core.errors import ProbandError
from proband.core.protocols import Score, Text
from proband.core.types import Item
from proband.suites.inference.datasets.triples import answered
from proband.suites.inference.items import Triple, items
from proband.suites.inference.methods import prompts
from proband.suites.inference.methods.prompts import PromptOptions


@pytest.fixture
def made() -> list[Item]:
    question = Triple("drug", "treats", "pain")
    premises = ("aspirin, cures, pain", "aspirin, treated, pain")
    return list(
        items([answered(question, Triple.read(p), entailed=True, source="x") for p in premises], control="none")
    )


class Counting:
    """log p = -(characters that count), so that every score can be worked out by hand."""

    name = "counting"
    methods: tuple[str, ...] = ("ll",)

    def __init__(self) -> None:
        self.texts: list[Text] = []

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        self.texts += texts
        return [Score(-len(each.text[each.start :]) - 0.1 * each.start, 1, 1) for each in texts]


def test_only_the_hypothesis_counts_and_the_prior_is_taken_away(made: list[Item]) -> None:
    model = Counting()
    first, second = prompts.solve(made, model, seed=0, options=PromptOptions(prompts="so", score="forward"))
    assert "Aspirin cures pain, so aspirin treats pain." in [each.text for each in model.texts]
    length = len(" aspirin treats pain.")
    assert first.scores[0] == pytest.approx(-length - 0.1 * len("Aspirin cures pain, so"))
    with_prior, _ = prompts.solve(made, model, seed=0, options=PromptOptions(prompts="so"))
    assert with_prior.scores[0] == pytest.approx(0.1 * (len("something happened") - len("aspirin cures pain")))
    both, _ = prompts.solve(made, model, seed=0, options=PromptOptions(prompts="so", score="both"))
    assert both.scores[0] == pytest.approx(0.1 * (len("aspirin treats pain") - len("aspirin cures pain")))
    on_lemma = prompts.solve(made, model, seed=0, options=PromptOptions(on_lemma=True))
    assert on_lemma[1].scores[0] == 2.0 > 1.0 > on_lemma[0].scores[0]
    assert second.item_id == made[1].id


def test_without_a_premise_the_score_is_that_of_the_hypothesis_alone(made: list[Item]) -> None:
    """pmi would be log p(H) - log p(H) = 0 for every hypothesis."""
    from msgspec.structs import replace

    longer = replace(made[1], facts={**made[1].facts, "hypothesis": ["aspirin", "treats", "strong pain"]})
    bare = [replace(item, facts={**item.facts, "premise": ["", "", ""]}) for item in (made[0], longer)]
    expected = [-len("Aspirin treats pain."), -len("Aspirin treats strong pain.")]
    for score in ("forward", "pmi", "both", "prior"):
        alone = prompts.solve(bare, Counting(), seed=0, options=PromptOptions(score=score))
        assert [answer.scores[0] for answer in alone] == expected
    prior = prompts.solve(made[:1], Counting(), seed=0, options=PromptOptions(score="prior"))
    assert prior[0].scores[0] == expected[0]


def test_a_prompt_may_be_a_text_of_your_own(made: list[Item]) -> None:
    model = Counting()
    texts = "If {premise}, then {hypothesis}.|Surely: {premise}. Hence {hypothesis}!"
    prompts.solve(made, model, seed=0, options=PromptOptions(prompts=texts, score="forward"))
    scored = [(each.text, each.text[each.start :]) for each in model.texts]
    assert ("If aspirin cures pain, then aspirin treats pain.", " aspirin treats pain.") in scored
    assert ("Surely: aspirin cures pain. Hence aspirin treats pain!", " aspirin treats pain!") in scored
    for wrong in ("why", "If {premise}", "{hypothesis}, for {premise}", ""):
        with pytest.raises(ProbandError, match=r"'prompts' (has|is empty)"):
            prompts.solve(made, model, seed=0, options=PromptOptions(prompts=wrong))
