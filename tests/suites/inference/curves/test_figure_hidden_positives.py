"""What a set made by rules would hide: counted by hand, and more than half for the lemma baseline."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from proband.core.files import read_answers, read_items, read_json
from proband.core.suite import Results
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.pipeline.report import item_sets, report
from proband.suites.inference.curves.figure import HIDDEN_CLAIM, HIDE, hidden_positives


def test_hidden_is_what_the_rules_do_not_accept(tmp_path: Path) -> None:
    build("inference", out=tmp_path / "items", splits="test")
    for model in ("lemma", "hypothesis-words"):
        run(tmp_path / "items", model=f"solver:{model}", out=tmp_path / model)
    (sheet,) = hidden_positives(cast(Results, item_sets([tmp_path / "lemma", tmp_path / "hypothesis-words"])[0]), 0)
    items = {item.id: item for item in read_items(tmp_path / "items")}
    answers = [
        answer for answer in read_answers(tmp_path / "lemma" / "answers.jsonl") if items[answer.item_id].gold == 0
    ]
    hidden = [answer for answer in answers if answer.scores[0] <= answer.scores[1]]
    ((name, pairs, positives, _, share, low, high, _, _, p),) = sheet.rows  # no row for what is no rule
    assert (name, pairs, positives) == ("lemma", len(items), len(answers))
    assert share == round(len(hidden) / len(answers), 4)
    assert float(low or 0) > 0.5
    assert float(p or 0) < 0.05 < float(high or 0)
    (outcome,) = sheet.outcomes[HIDE].values()
    assert outcome.published
    assert (outcome.difference or 0) > 0


@pytest.mark.nightly
def test_the_claim_has_a_verdict_or_says_what_it_needs(tmp_path: Path) -> None:
    build("inference", out=tmp_path / "items", splits="test")
    for model in ("lemma", "hypothesis-words"):
        run(tmp_path / "items", model=f"solver:{model}", out=tmp_path / model)
        report([tmp_path / model], out=tmp_path / "report" / model, claims=True)
    with_rules, without = (
        next(
            row
            for row in read_json(tmp_path / "report" / name / "claims.json")["claims"]
            if row["statement"] == HIDDEN_CLAIM.statement
        )
        for name in ("lemma", "hypothesis-words")
    )
    assert with_rules["verdict"] == "holds"
    assert "positives" in with_rules["evidence"]
    assert without["verdict"] == "open"
    assert "needs a run of rules alone" in without["evidence"]
