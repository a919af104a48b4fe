"""Claims: the published figures bear them out, and planted answers are judged as planted."""

from __future__ import annotations

from proband.core.types import Answer, Item
from proband.suites.script import claims
from proband.suites.script.results import Result, grouped


def planted(row: str, right: float, *, count: int = 60, surprisal: float = 3.0) -> Result:
    """Answers of which a share `right` is right, on the same items for every model."""
    items = [
        Item(id=str(n), suite="script", prompt="", tags={"split": "test"}, facts={"clusters": [str(n // 2)]})
        for n in range(count)
    ]
    answers = []
    for n, item in enumerate(items):
        said = ["pot"] if n % 20 < 20 * right else ["pan"]
        record = {"gold": ["pot"], "oracle": said, "guess": said, "surprisals": [surprisal], "path": [0] * n + [1]}
        answers.append(Answer(item_id=item.id, blanks=(record,)))
    return Result(name=row, row=row, items=items, answers=answers)


def verdict(text: str, results: list[Result]) -> str:
    found = claims.judged(results, split="test", seed=0)
    return next(v.verdict for v in found if text in v.claim)


def test_a_clear_difference_holds_or_fails() -> None:
    assert verdict("attention beats", [planted("attention", 0.8), planted("seq2seq", 0.3)]) == "holds"
    assert verdict("attention beats", [planted("attention", 0.3), planted("seq2seq", 0.8)]) == "fails"
    assert verdict("attention beats", [planted("attention", 0.5), planted("seq2seq", 0.5)]) == claims.NOISE


def test_lower_is_better_for_surprisal() -> None:
    results = [planted("transducer-param", 0.5, surprisal=2.0), planted("lm", 0.5, surprisal=4.0)]
    assert verdict("lowest surprisal", results) == "holds"
    results = [planted("transducer-param", 0.5, surprisal=4.0), planted("lm", 0.5, surprisal=2.0)]
    assert verdict("lowest surprisal", results) == "fails"


def test_by_far_needs_five_points() -> None:
    assert verdict("wins by far", [planted("gpt fine-tuned", 0.9), planted("lm", 0.2)]) == "holds"
    assert verdict("wins by far", [planted("gpt fine-tuned", 0.25), planted("lm", 0.25)]) != "holds"


def test_one_refuted_comparison_refutes_the_claim() -> None:
    results = [planted("transducer", 0.5), planted("lm", 0.1), planted("seq2seq", 0.9)]
    assert verdict("alignment helps", results) == "fails"


def test_runs_of_one_kind_are_averaged() -> None:
    """0.8 and 0.2 of the blanks right are 0.5 together, neither above nor below a model that has 0.5."""
    runs = [planted("attention", 0.8), planted("attention", 0.2)]
    (group,) = grouped(runs)
    assert group.means("whole_greedy", "test") == [0.8, 0.2]
    found = group.estimate("whole_greedy", "test", seed=0)
    assert found is not None
    assert found.mean == 0.5
    assert verdict("attention beats", [*runs, planted("seq2seq", 0.5)]) == claims.NOISE


def test_without_models_nothing_is_claimed() -> None:
    assert {v.verdict for v in claims.judged([], split="test", seed=0)} == {claims.ABSENT}
