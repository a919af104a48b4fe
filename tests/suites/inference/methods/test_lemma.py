"""The lemma baseline: each feature, and its score on the paper's data."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.suites.inference.datasets.formats import examples
from proband.suites.inference.items import Asked, asked, items
from proband.suites.inference.methods.lemma import Lemma, accepts, features
from proband.suites.inference.triples import Triple


def pair(premise: str, hypothesis: str, *, straight: bool = True) -> Asked:
    return Asked(Triple("a", premise, "b"), Triple("a", hypothesis, "b"), straight, ("", ""))


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


@pytest.mark.data
def test_precision_and_recall_on_levy_and_dagan(data: Path) -> None:
    """Another implementation (github.com/simulacrum6/arid) has precision .918 and recall .125."""
    made = list(items(examples(data / "levy_dagan2016", "auto")[1], control="none"))
    said = [accepts(asked(item)) for item in made]
    hits = sum(yes and item.gold == 0 for yes, item in zip(said, made, strict=True))
    assert hits / sum(said) == pytest.approx(0.94, abs=0.03)
    assert hits / 3147 == pytest.approx(0.12, abs=0.02)


def test_an_answer_records_its_features() -> None:
    from proband.suites.inference.datasets.levy_dagan import asked as example

    one = example(Triple("drug", "treats", "pain"), Triple("opium", "treated", "pain"), entailed=True, source="x")
    (answer,) = Lemma().answer(list(items([one], control="none")))
    assert answer.scores == (1.0, 0.0)
    assert answer.blanks == ({"content": True, "verb": True, "voice": True, "negation": True},)
