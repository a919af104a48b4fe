"""The claims engine on numbers one can look at."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.toy import toy_suite

from proband.core.errors import ProbandError
from proband.core.metrics import ACCURACY, Metric
from proband.core.suite import Claim, Contrast, Outcome, Sheet, Suite, Table
from proband.core.types import Answer, Item, Run
from proband.reporting import AnsweredRun, ItemSet, write_report
from proband.reporting.claims import Verdict, judge
from proband.reporting.numbers.study import Study

NATS = Metric(name="surprisal", of=lambda item, answer: float(answer.text or 0), unit="nats", better="low")


def suite_of(*claims: Claim, metrics: tuple[Metric, ...] = (ACCURACY, NATS)) -> Suite:
    return toy_suite(
        solvers=(),
        metrics=metrics,
        tables=(),
        derive=lambda tags: {"kind": "semantic" if str(tags["relation"]) < "r10" else "form"},
        claims=claims,
    )


def items_of(count: int = 400) -> list[Item]:
    return [
        Item(
            id=str(i),
            suite="toy",
            prompt="?",
            choices=("x", "y"),
            gold=0,
            tags={"relation": f"r{i % 20:02d}", "probe": ("random", "reverse")[i // 20 % 2]},
        )
        for i in range(count)
    ]


def answers_of(items: Sequence[Item], skill: dict[str, float], *, seed: int, nats: float = 1.0) -> list[Answer]:
    """Right with the probability of the item's probe."""
    rng = np.random.default_rng(seed)
    return [
        Answer(
            item_id=item.id,
            scores=(1.0, 0.0) if rng.random() < skill[str(item.tags["probe"])] else (0.0, 1.0),
            text=str(nats + rng.normal(0, 0.1)),
        )
        for item in items
    ]


def run_of(model: str, **more: Any) -> Run:
    return Run(suite="toy", solver="direct", model=model, seed=0, items_sha="", **more)


def toy(*claims: Claim) -> ItemSet:
    items = items_of()
    good, flat = {"random": 0.5, "reverse": 0.95}, {"random": 0.7, "reverse": 0.7}
    answered = [
        AnsweredRun(run=run_of("m"), answers=answers_of(items, good, seed=1)),
        *(
            AnsweredRun(
                run=run_of(f"net:a-{seed}", net={"net": "a", "seed": seed}),
                answers=answers_of(items, flat, seed=10 + seed, nats=0.8),
            )
            for seed in range(3)
        ),
    ]
    return ItemSet(suite=suite_of(*claims), items_from=items, answered=answered)


def judged(*claims: Claim) -> list[Verdict]:
    items = toy(*claims)
    return judge([(Study(items, items.suite.metrics, seed=0), ())])


def test_two_probes_relation_by_relation() -> None:
    claim = Claim(
        statement="random is harder than reverse",
        source="section 3",
        contrasts=(Contrast(above={"probe": "reverse"}, below={"probe": "random"}, pair="relation"),),
    )
    backwards = dataclasses.replace(
        claim, contrasts=(Contrast(above={"probe": "random"}, below={"probe": "reverse"}, pair="relation"),)
    )
    good, flat, *turned = judged(claim, backwards)
    assert (good.systems, good.verdict, flat.systems, flat.verdict) == ("m", "holds", "net:a", "open")
    assert [v.verdict for v in turned] == ["fails", "open"]
    items = toy()
    right: dict[tuple[Any, Any], list[float]] = {
        (item.tags["relation"], item.tags["probe"]): [] for item in items.items()
    }
    for item, answer in items.answers(0):
        right[item.tags["relation"], item.tags["probe"]].append(answer.scores[0])
    by_hand = [np.mean(right[r, "reverse"]) - np.mean(right[r, "random"]) for r in {r for r, _ in right}]
    assert good.difference == pytest.approx(float(np.mean(by_hand)))
    assert good.shown == f"+{100 * (good.difference or 0):.1f} points"
    assert "20 relations" in good.evidence
    assert (good.p_holm or 0) >= (good.p or 1)


@pytest.mark.parametrize("pair", ["relation", "", "item"])
def test_two_sides_below_chance_cannot_be_interpreted(tmp_path: Path, pair: str) -> None:
    """A model that is misled less often than another shows no knowledge: 40 % against 10 % of two choices."""
    items = items_of()
    answered = [
        AnsweredRun(
            run=run_of("less", label="Less-1B"), answers=answers_of(items, {"random": 0.4, "reverse": 0.9}, seed=1)
        ),
        AnsweredRun(run=run_of("more"), answers=answers_of(items, {"random": 0.1, "reverse": 0.4}, seed=2)),
    ]
    claims = [
        Claim(
            statement=f"less above more in {probe}",
            source="",
            where={"probe": probe},
            contrasts=(Contrast(above={"run.model": "less"}, below={"run.model": "more"}, pair=pair),),
            per=(),
        )
        for probe in ("random", "reverse")
    ]
    found = write_report(
        [ItemSet(suite=suite_of(*claims), items_from=items, answered=answered)], out=tmp_path, claims=True
    )
    assert found["claims"] == {"holds": 1, "fails": 0, "open": 0, "not interpretable": 1}
    random, reverse = json.loads((tmp_path / "claims.json").read_text("utf-8"))["claims"]
    assert (random["verdict"], reverse["verdict"]) == ("not interpretable", "holds")
    assert "both sides below chance" in random["evidence"]
    assert random["evidence"].startswith("Less-1B minus more, accuracy")  # the label of a run, as elsewhere on the page
    assert random["p_holm"] < 0.05
    page = (tmp_path / "claims.html").read_text("utf-8")
    assert "1 not interpretable" in page


@pytest.mark.parametrize("pair", ["relation", ""])
@pytest.mark.nightly
def test_a_difference_that_some_seeds_have_by_chance_is_not_found(pair: str) -> None:
    """Training moves the two probes apart by chance; over many nets there is no difference."""
    contrast = Contrast(above={"probe": "reverse"}, below={"probe": "random"}, pair=pair)
    claim = Claim(statement="reverse is easier", source="", contrasts=(contrast,))
    items, rng, p = items_of(), np.random.default_rng(0), []
    for trial in range(100):
        skills = [{"random": 0.5 - apart, "reverse": 0.5 + apart} for apart in rng.normal(0, 0.06, 5)]
        answered = [
            AnsweredRun(
                run=run_of("net:a", net={"net": "a", "seed": n}),
                answers=answers_of(items, skill, seed=10 * trial + n),
            )
            for n, skill in enumerate(skills)
        ]
        loaded = ItemSet(suite=suite_of(claim), items_from=items, answered=answered)
        (verdict,) = judge([(Study(loaded, loaded.suite.metrics, seed=0), ())])
        p.append(verdict.p or 0.0)
    assert np.mean(np.array(p) < 0.05) <= 0.1


def test_a_claim_is_asked_only_where_it_was_found() -> None:
    """Of the items of one kind, and of no others; where there are none, it is open."""
    contrast = Contrast(above={"probe": "reverse"}, below={"probe": "random"}, pair="relation")
    claim = Claim(statement="", source="section 3", where={"kind": "semantic"}, contrasts=(contrast,))
    found = judged(claim)
    assert [(v.systems, v.where) for v in found] == [("m", "semantic"), ("net:a", "semantic")]
    assert all("10 relations" in v.evidence for v in found)
    per_kind = judged(dataclasses.replace(claim, per=("run.model", "kind")))
    assert [v.systems for v in per_kind] == ["m · semantic", "net:a · semantic"]
    (nowhere,) = judged(dataclasses.replace(claim, where={"kind": "other"}))
    assert (nowhere.verdict, nowhere.evidence) == ("open", "no data")


def test_two_groups_of_relations() -> None:
    claim = Claim(
        statement="semantic relations are harder",
        source="section 4",
        contrasts=(Contrast(above={"kind": "form"}, below={"kind": "semantic"}, unit="relation"),),
        per=("run.model", "probe"),
    )
    found = judged(claim)
    assert [v.systems for v in found] == ["m · random", "m · reverse", "net:a · random", "net:a · reverse"]
    assert all("10 and 10 relations" in v.evidence for v in found)
    assert {v.verdict for v in found} == {"open"}


def test_two_systems_on_the_same_items_lower_is_better() -> None:
    claim = Claim(
        statement="the network has the lower surprisal",
        source="table 4",
        contrasts=(Contrast(above={"run.net": "a"}, below={"run.model": "m"}, metric="surprisal", pair="item"),),
        per=(),
    )
    far = dataclasses.replace(claim, contrasts=(dataclasses.replace(claim.contrasts[0], margin=0.3),))
    near, not_by_far = judged(claim, far)
    assert (near.verdict, near.systems, near.shown) == ("holds", "net:a / m", "−0.19 nats")
    assert not_by_far.verdict == "fails"
    assert not_by_far.difference == pytest.approx(-0.1, abs=0.02)


def test_a_claim_of_several_contrasts_holds_if_each_does() -> None:
    probes = Contrast(above={"probe": "reverse"}, below={"probe": "random"}, pair="relation")
    same = Contrast(above={"probe": "reverse"}, below={"probe": "reverse"}, pair="relation")
    plain = Contrast(above={"probe": "reverse"}, below={"probe": "random"})
    (both, _, *_), (one, _, *_) = (
        judged(Claim(statement="", source="", contrasts=contrasts)) for contrasts in ((probes, plain), (probes, same))
    )
    assert both.verdict == "holds"
    assert one.verdict == "open"
    assert one.p == 1.0


def test_a_claim_with_a_contrast_without_data_can_fail_but_not_hold() -> None:
    known = Contrast(above={"run.net": "a"}, below={"run.model": "m"}, metric="surprisal", pair="item")
    turned = dataclasses.replace(known, above=known.below, below=known.above)
    absent = dataclasses.replace(known, below={"run.net": "b"})
    (half,) = judged(Claim(statement="", source="", contrasts=(known, absent), per=()))
    assert (half.verdict, half.shown, half.p) == ("open", "−0.19 nats", None)
    assert half.evidence.endswith("no data for 1 of 2 contrasts")
    (other,) = judged(Claim(statement="", source="", contrasts=(turned, absent), per=()))
    assert other.verdict == "fails"


def test_no_data_leaves_a_claim_open() -> None:
    nobody = Contrast(above={"run.net": "b"}, below={"run.model": "m"}, pair="item")
    (found,) = judged(Claim(statement="b wins", source="", contrasts=(nobody,), per=()))
    assert (found.verdict, found.p, found.evidence) == ("open", None, "no data")
    with pytest.raises(ProbandError, match="selects different items"):
        judged(
            Claim(
                statement="",
                source="",
                contrasts=(
                    Contrast(
                        above={"run.net": "a", "probe": "random"},
                        below={"run.model": "m", "probe": "reverse"},
                        pair="item",
                    ),
                ),
                per=(),
            )
        )


def test_claims_are_written_in_all_formats(tmp_path: Path) -> None:
    def of(results: Any, seed: int) -> list[Sheet]:
        outcomes = {
            "quiet": {label: Outcome(difference=0.2, p=0.001, evidence="counted") for label in results.labels[:1]}
        }
        return [Sheet(name="s", title="S", header=("a",), rows=((1,),), outcomes=outcomes)]

    claim = Claim(
        statement="random is harder than reverse",
        source="section 3",
        contrasts=(Contrast(above={"probe": "reverse"}, below={"probe": "random"}, pair="relation"),),
    )
    other = Claim(statement="frequency explains <little>", source="section 4", test="quiet")
    items = toy(claim, other)
    table = Table(name="frequency", title="", of=of)
    items = dataclasses.replace(items, suite=dataclasses.replace(items.suite, tables=(*items.suite.tables, table)))
    found = write_report([items], out=tmp_path, claims=True, tables=["frequency"])
    assert found["claims"] == {"holds": 2, "fails": 0, "open": 1}
    written = json.loads((tmp_path / "claims.json").read_text("utf-8"))["claims"]
    assert [(v["systems"], v["verdict"]) for v in written] == [("m", "holds"), ("net:a", "open"), ("m", "holds")]
    assert written[-1]["shown"] == "+20.0 points"  # in the unit of the tables, percent
    page = (tmp_path / "claims.html").read_text("utf-8")
    assert "frequency explains &lt;little&gt;" in page
    for end, word in (("md", "holds"), ("tex", r"\toprule"), ("csv", "claim,")):
        assert word in (tmp_path / "tables" / f"claims.{end}").read_text("utf-8")
