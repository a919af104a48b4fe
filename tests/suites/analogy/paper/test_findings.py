"""Findings with planted accuracies: what is larger is found, what is equal is not."""

from __future__ import annotations

from typing import Any, cast

import msgspec
import pytest

from proband.core.suite import Results
from proband.core.types import Answer, Item, Run
from proband.suites.analogy.paper import findings
from proband.suites.analogy.paper.findings import CLOSE, LEAD, SIZE

SIZES = {"hf:m-small": 100, "hf:m-large": 300, "hf:a-base": 100, "hf:b-large": 300, "hf:a-large": 300}


class Planted:
    """Runs whose share of right answers depends on relation and probe."""

    def __init__(self, runs: dict[tuple[str, str], Any]) -> None:
        self.manifest: dict[str, Any] = {}
        self.runs = [
            Run(suite="analogy", solver=s, model=m, seed=0, items_sha="", parameters=SIZES.get(m, 0)) for m, s in runs
        ]
        self.labels = [run.model for run in self.runs]
        self.shares = list(runs.values())

    def items(self) -> Any:
        for group in ("ES", "LS", "DM", "IM"):
            for relation in range(6):
                for probe in ("random", "reverse", "type"):
                    for n in range(20):
                        tags: dict[str, Any] = {"relation": f"{group}{relation}", "group": group, "paper_probe": probe}
                        facts = {"query": ["a", "b"], "options": [["house", "home"], ["x", "y"]], "n": n}
                        name = f"{group}{relation}{probe}{n}"
                        yield Item(
                            id=name, suite="analogy", prompt="", choices=("x", "y"), gold=0, tags=tags, facts=facts
                        )

    def scored(self, run: int) -> Any:
        for item in self.items():
            relation = int(str(item.tags["relation"])[2:])
            share = self.shares[run](str(item.tags["group"]), str(item.tags["paper_probe"]))
            share += 0.05 * ((relation * len(str(item.tags["paper_probe"]))) % 5 - 2) * (run + 1) / 2
            right = item.facts["n"] < round(20 * share)
            yield item, Answer(item_id=item.id, scores=(1.0, 0.0) if right else (0.0, 1.0))

    answers = scored


def static(group: str, probe: str) -> float:
    return (0.8 if group in ("DM", "IM") else 0.3) if probe == "random" else 0.9


def language(group: str, probe: str) -> float:
    return 0.6 if probe == "random" else 0.65 + 0.2 * (group == "LS" and probe == "reverse")


def test_planted_leads_gaps_and_sizes_are_found() -> None:
    runs = {("embedded:glove", "difference"): static, ("hf:m-small", "pppl"): language}
    larger = {("hf:m-large", "pppl"): lambda g, p: language(g, p) + (0.1 if p == "type" or g == "ES" else 0.05)}
    (sheet,) = findings.findings(cast(Results, Planted({**runs, **larger})), 0)
    found = {test: dict(each) for test, each in sheet.outcomes.items()}
    assert set(found[SIZE]) == {"hf:m-large / hf:m-small"}
    assert all(
        each.evidence.endswith(", 24 relations") for each in found[LEAD].values()
    )  # not 48: two probes share one
    pairs = {SIZE: "hf:m-large / hf:m-small", LEAD: "hf:m-small / embedded:glove"}
    for test, runs_of in pairs.items():
        outcome = found[test][runs_of]
        assert outcome.difference is not None
        assert outcome.difference > 0
        assert (outcome.p or 1) < 0.01
    close = found[CLOSE]["hf:m-small"]
    assert close.difference == pytest.approx(0.2, abs=0.06)


def alike(model: str) -> Planted:
    planted = Planted({("hf:a-base", "pppl"): language, (model, "pppl"): language})
    planted.scored = lambda run: Planted.scored(planted, 0)  # type: ignore[method-assign]
    return planted


def test_two_alike_are_not_told_apart_and_unrelated_models_are_not_compared_by_size() -> None:
    (sheet,) = findings.findings(cast(Results, alike("hf:b-large")), 0)
    assert SIZE not in sheet.outcomes
    (sheet,) = findings.findings(cast(Results, alike("hf:a-large")), 0)
    assert sheet.outcomes[SIZE]["hf:a-large / hf:a-base"].p in (None, 1.0)


class Setting(Planted):
    """The same with a setting."""

    def __init__(self, setting: str, runs: dict[tuple[str, str], Any]) -> None:
        super().__init__(runs)
        self.setting = setting

    def items(self) -> Any:
        for item in super().items():
            yield msgspec.structs.replace(item, tags={**item.tags, "setting": self.setting})


def test_random_zero_shot_is_compared_with_supervised_across_item_sets() -> None:
    zero = Setting("zero-shot", {("m", "pppl"): lambda g, p: 0.8, ("only-here", "pppl"): lambda g, p: 0.9})
    supervised = Setting("supervised", {("m", "supervised"): lambda g, p: 0.6 + (g == "ES") * 0.05})
    across = findings.zero_shot_above_supervised
    ((label, outcome),) = across(cast(Any, [zero, supervised])).items()
    assert label == "m"
    assert outcome.difference == pytest.approx(0.19, abs=0.03)
    assert (outcome.p or 1) < 0.001
    assert across(cast(Any, [zero])) == {}
    several = Setting("zero-shot", {("m", "pppl"): lambda g, p: 0.8, ("m", "pmi"): lambda g, p: 0.7})
    outcomes = across(cast(Any, [several, supervised]))
    assert list(outcomes) == ["m (pppl, supervised)", "m (pmi, supervised)"]
    assert outcomes["m (pppl, supervised)"].difference == pytest.approx(0.19, abs=0.03)
    assert all("both settings" in claim.needs for claim in findings.CLAIMS if claim.across)


def test_a_gap_that_is_less_marked_zero_shot_is_found_of_language_models_alone() -> None:
    """The paper compares the settings of one model, not language models with static vectors."""

    def gap(points: float) -> Any:
        return lambda g, p: 0.6 + points * (g in ("DM", "IM"))

    solvers = {("m", "pppl"): gap(0.1), ("vectors", "difference"): gap(0.1)}
    zero = Setting("zero-shot", solvers)
    supervised = Setting("supervised", {("m", "supervised"): gap(0.3), ("vectors", "supervised-difference"): gap(0.3)})
    ((label, outcome),) = findings.gap_less_marked_zero_shot(cast(Any, [zero, supervised])).items()
    assert label == "m"
    assert outcome.difference == pytest.approx(0.2, abs=0.03)
    assert outcome.p is not None
    assert outcome.p < 0.001
    assert "supervised 29.2 and zero-shot 9.2 points" in outcome.evidence
    turned = findings.gap_less_marked_zero_shot(
        cast(
            Any,
            [Setting("zero-shot", {("m", "pppl"): gap(0.3)}), Setting("supervised", {("m", "supervised"): gap(0.1)})],
        )
    )
    assert (turned["m"].difference or 0) < 0


def test_the_size_is_read_from_the_run_and_not_from_the_name() -> None:
    """Of two models that are called base and large the one with more parameters is the larger."""
    assert findings.family_of("hf:x/roberta-base") == findings.family_of("hf:roberta-large")
    planted = Planted({("hf:a-base", "pppl"): language, ("hf:a-large", "pppl"): static})
    planted.runs = [msgspec.structs.replace(run, parameters=size) for run, size in zip(planted.runs, (300, 100))]
    (sheet,) = findings.findings(cast(Results, planted), 0)
    assert set(sheet.outcomes[SIZE]) == {"hf:a-base / hf:a-large"}
    planted.runs = [msgspec.structs.replace(run, parameters=0) for run in planted.runs]
    (sheet,) = findings.findings(cast(Results, planted), 0)
    assert SIZE not in sheet.outcomes
