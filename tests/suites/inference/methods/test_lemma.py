"""The lemma baseline: each feature, and its score on the paper's data."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.suites.inference.datasets.formats import examples
from proband.suites.inference.items import InferenceFacts, Triple, items
from proband.suites.inference.methods.lemma import Lemma, LemmaRule, accepts, features


def pair(premise: str, hypothesis: str, *, straight: bool = True) -> InferenceFacts:
    return InferenceFacts(Triple("a", premise, "b"), Triple("a", hypothesis, "b"), straight, ("", ""))


@pytest.mark.parametrize(
    ("premise", "hypothesis", "straight", "wrong"),
    [
        ("was the first capital of", "is the capital of", True, set()),
        ("was written by", "wrote", False, set()),
        ("was written by", "wrote", True, {"voice"}),
        ("did not treat", "treats", True, {"negation"}),
        ("is used for treating", "treats", True, {"verb", "voice"}),
        ("eliminates", "treats", True, {"content", "verb"}),
        ("is near", "is in", True, {"content"}),
    ],
)
def test_features_say_why(premise: str, hypothesis: str, straight: bool, wrong: set[str]) -> None:
    found = pair(premise, hypothesis, straight=straight)
    assert {name for name, true in features(found).items() if not true} == wrong
    assert accepts(found) is (not wrong)


def test_a_relation_without_content_words_follows_from_one_that_contains_it() -> None:
    assert accepts(pair("actually have", "has"))
    assert accepts(pair("is the port in", "is in"))
    assert not accepts(pair("became the city in", "is in"))


@pytest.mark.data
@pytest.mark.wordnet
def test_counts_on_levy_and_dagan(data: Path) -> None:
    """Both rules. The released one is counted by the authors' program on the same file: 397 of 432."""
    made = list(items(examples(data / "levy_dagan2016", "auto")[1]))
    rules: tuple[tuple[LemmaRule, int, int], ...] = (("printed", 360, 379), ("released", 397, 432))
    for rule, hits, said in rules:
        yes = [item for item, (answer,) in ((item, Lemma(rule).answer([item])) for item in made) if answer.scores[0]]
        assert (sum(item.gold == 0 for item in yes), len(yes)) == (hits, said)


@pytest.mark.wordnet
@pytest.mark.parametrize(
    ("premise", "hypothesis", "straight", "accepted"),
    [
        ("has been found in", "is found in", True, True),
        ("was written by", "wrote", False, True),
        ("written by", "wrote", False, True),
        ("does not treat", "treats", True, False),
        ("lives in", "is in", True, False),
        ("is near", "is in", True, True),  # no content word in `is in`: what shares its verb
        ("is used for treating", "treats", True, True),  # passive is `be` with `by`
    ],
)
def test_the_released_rule(premise: str, hypothesis: str, straight: bool, accepted: bool) -> None:
    assert accepts(pair(premise, hypothesis, straight=straight), "released") is accepted


def test_an_answer_records_its_features() -> None:
    from proband.suites.inference.datasets.triples import answered as example

    one = example(Triple("drug", "treats", "pain"), Triple("opium", "treated", "pain"), entailed=True, source="x")
    (answer,) = Lemma().answer(list(items([one], control="none")))
    assert answer.scores == (1.0, 0.0)
    assert answer.blanks == ({"content": True, "verb": True, "voice": True, "negation": True},)
