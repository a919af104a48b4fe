"""Alpha against another library, AC1 against a worked example and enumeration; intervals over groups; majorities."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.core.types import Judgment
from proband.stats.agreement.coefficients import Votes, all_but, gwet_ac1, krippendorff_alpha, majority


def votes_of(table: list[list[str]], labels: tuple[str, ...]) -> Votes:
    """A line per item, a cell per worker ('' where he did not judge)."""
    given = [
        Judgment(item_id=f"i{i}", worker=f"w{w}", value=value, seconds=1.0)
        for i, row in enumerate(table)
        for w, value in enumerate(row)
        if value
    ]
    return Votes.of(given, labels=labels)


def votes_on(said: dict[str, str]) -> Votes:
    return Votes.of(
        Judgment(item_id=item, worker=str(n), value=value, seconds=1.0)
        for item, values in said.items()
        for n, value in enumerate(values.split())
    )


def test_an_unknown_label_is_an_error() -> None:
    with pytest.raises(ProbandError, match="w judged 'a' 'perhaps', not one of answers"):
        Votes.of([Judgment(item_id="a", worker="w", value="perhaps", seconds=1.0)], labels=("answers", "does not"))


def test_the_rule_of_the_paper_needs_four_of_five() -> None:
    votes = votes_on({"a": "y y y y n", "b": "y y y n n", "c": "y y y y", "d": "n n n n n", "e": "y y y y n m"})
    assert all_but(votes).labels == {"a": "y", "b": None, "c": None, "d": "n", "e": None}
    assert all_but(votes).retained == pytest.approx(2 / 5)
    assert all_but(votes, least=2).labels["c"] == "y"
    assert majority(votes).labels == {"a": "y", "b": "y", "c": "y", "d": "n", "e": "y"}


# ---- Krippendorff's alpha --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_alpha_is_that_of_another_library(missing: float) -> None:
    import krippendorff

    rng = np.random.default_rng(3)
    table = [[str(rng.choice(["x", "y", "z"], p=[0.6, 0.3, 0.1])) for _ in range(5)] for _ in range(40)]
    table = [["" if rng.random() < missing else value for value in row] for row in table]
    coded = np.array([["xyz".index(v) if v else np.nan for v in row] for row in table]).T
    ours = krippendorff_alpha(votes_of(table, ("x", "y", "z")))
    assert ours.value == pytest.approx(krippendorff.alpha(coded, level_of_measurement="nominal"))
    assert ours.low < ours.value < ours.high  # type: ignore[operator]


@pytest.mark.parametrize(
    ("said", "why"), [({"a": "y y", "b": "y y"}, "same label"), ({"a": "y", "b": "n"}, "two people")]
)
def test_alpha_that_is_not_defined_says_why(said: dict[str, str], why: str) -> None:
    found = krippendorff_alpha(votes_on(said))
    assert found.value is None
    assert why in found.why


# ---- Gwet's AC1 ------------------------------------------------------------------------------------------------------


def by_enumeration(table: list[list[str]], labels: tuple[str, ...]) -> float:
    """The definition with loops over pairs of raters."""
    shares, agreement = {label: [] for label in labels}, []  # type: ignore[var-annotated]
    for row in table:
        given = [value for value in row if value]
        for label in labels:
            shares[label].append(given.count(label) / len(given))
        pairs = list(combinations(given, 2))
        if pairs:
            agreement.append(np.mean([a == b for a, b in pairs]))
    means = [float(np.mean(shares[label])) for label in labels]
    chance = sum(p * (1 - p) for p in means) / (len(labels) - 1)
    return (float(np.mean(agreement)) - chance) / (1 - chance)


def test_gwets_own_example() -> None:
    """Two raters, 125 subjects, 118 agreements, all on one label: AC1 is 0.9408, where alpha is below 0."""
    table = [["a", "a"]] * 118 + [["a", "b"]] * 5 + [["b", "a"]] * 2
    found = gwet_ac1(votes_of(table, ("a", "b")))
    assert found.value == pytest.approx(by_enumeration(table, ("a", "b")))
    assert found.value == pytest.approx(0.9408, abs=5e-5)
    assert krippendorff_alpha(votes_of(table, ("a", "b"))).value < 0  # type: ignore[operator]
    assert found.low < found.value < found.high  # type: ignore[operator]


@pytest.mark.parametrize("seed", range(5))
def test_like_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = [[str(rng.choice(["x", "y", "z", ""])) for _ in range(4)] + ["x"] for _ in range(30)]
    assert gwet_ac1(votes_of(table, ("x", "y", "z"))).value == pytest.approx(by_enumeration(table, ("x", "y", "z")))


# ---- intervals -------------------------------------------------------------------------------------------------------


def test_groups_widen_the_interval_where_items_of_a_group_go_together() -> None:
    rng = np.random.default_rng(1)
    table, groups = [], {}
    for group in range(12):
        hard = rng.random() < 0.5
        for place in range(10):
            groups[f"i{group * 10 + place}"] = f"g{group}"
            table.append([str(rng.choice(["x", "y"])) for _ in range(4)] if hard else ["x" if place % 2 else "y"] * 4)
    votes = votes_of(table, ("x", "y"))
    for statistic in (krippendorff_alpha, gwet_ac1):
        alone, together = statistic(votes), statistic(votes, groups=groups)
        assert alone.value == pytest.approx(together.value)
        assert together.high - together.low > 1.5 * (alone.high - alone.low)  # type: ignore[operator]


def test_one_item_or_one_group_has_no_interval() -> None:
    votes = Votes.of(Judgment(item_id=item, worker=str(n), value=v, seconds=1.0)
                     for item in "ab" for n, v in enumerate(("yes", "no", "yes")))  # fmt: skip
    for of in (krippendorff_alpha, gwet_ac1):
        found = of(votes, groups={"a": "story", "b": "story"})
        assert found.value is not None
        assert (found.low, found.high) == (None, None)
