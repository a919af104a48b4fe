"""`plan` without pilot runs, against the textbook's number of pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import norm

import proband
from proband.core.errors import ProbandError


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four hundred questions that share nothing, of two topics."""
    folder = tmp_path_factory.mktemp("plan")
    rows = [
        {"question": f"q{at}?", "choices": ["a", "b"], "gold": "a", "topic": f"t{at % 2}", "id": f"q{at}"}
        for at in range(400)
    ]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    proband.build("questions", out=folder / "items", data=str(folder / "rows.jsonl"))
    return folder / "items"


def wanted(difference: float, *, accuracy: float = 0.7, agreement: float = 0.5) -> float:
    """Pairs for 80 % power at p < 0.05: (z + z')^2 times the variance of a difference over its square."""
    variance = 2 * (1 - agreement) * accuracy * (1 - accuracy)
    return float((norm.ppf(0.975) + norm.ppf(0.8)) ** 2 * variance / difference**2)


@pytest.mark.parametrize("difference", [0.1, 0.05, 0.02])
def test_the_number_of_items_is_that_of_the_formula_or_somewhat_more(items: Path, difference: float) -> None:
    """Our test of pairs is stricter than that of known variances, most of all where few items are needed."""
    made = proband.plan(items, difference=difference)
    assert made["design"]["items"] == made["design"]["clusters"] == 400
    needed = made["more_clusters"]
    assert needed is not None
    assert 1 <= needed["items"] / wanted(difference) < (1.6 if difference > 0.05 else 1.3)
    assert made["interval"] is None


def test_what_is_there_shows_the_difference_that_it_shows(items: Path) -> None:
    detectable = proband.plan(items)["now"]["detectable"]
    assert proband.plan(items, difference=detectable)["now"]["power"] == pytest.approx(0.8, abs=0.005)
    assert proband.plan(items, tests=6)["now"]["detectable"] > detectable


def test_a_tag_is_counted(items: Path) -> None:
    assert proband.plan(items, by="topic")["design"]["topic"] == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"difference": 0.0}, "--difference is 0; it must be a number above 0"),
        ({"difference": 1.5}, "a difference of shares is below 1"),
        ({"accuracy": 1.0}, "--accuracy is 1; it must lie between 0 and 1"),
        ({"power": 0.01}, "--power is 0.01; it must lie between 0.05 and 1"),
        ({"tests": 0}, "--tests is 0; it must be 1 or more"),
        ({"metric": "accuracy"}, "--metric accuracy needs a pilot run"),
        ({"by": "length"}, "the items have no tag 'length'"),
    ],
)
def test_what_makes_no_sense_is_refused(items: Path, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ProbandError, match=says):
        proband.plan(items, **options)


def test_pilots_that_are_logs_come_in_pairs(tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    for table, every in ((one, 5), (two, 3)):
        table.write_text("item,correct\n" + "".join(f"q{i},{int(i % every > 0)}\n" for i in range(300)))
    with pytest.raises(ProbandError, match="is the only log: name two or more"):
        proband.plan(one)
    assert proband.plan(one, str(two))["design"]["items"] == 300
