"""Answers: revisions are added, drafts end with the answer, another person's id or unit is refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from proband_annotate.results.reading import collected
from proband_annotate.store import people as people_store
from proband_annotate.store.answers import Conflict, save_draft
from proband_annotate.store.schema import answers

if TYPE_CHECKING:
    from annotate.tests.assigning import advance, come, opened, send

else:
    from assigning import advance, come, opened, send


def test_revisions_are_added_and_drafts_end_with_the_answer(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, units=1, people={"overlap": 1})
    come(study, "a")
    step = advance(study, "a")
    person = study.database.read(lambda c: people_store.find(c, "a"))
    assert person is not None
    assert study.database.write(lambda c: save_draft(c, person, step.unit["id"], '{"c0":"no"}', 1.0))
    assert advance(study, "a").draft == {"c0": "no"}
    assert [send(study, "a", step.unit, label=label).revision for label in ("yes", "no")] == [1, 2]
    rows = study.database.read(lambda c: c.execute(select(answers).order_by(answers.c.revision)).all())
    assert ["yes" in row.body for row in rows] == [True, False]
    assert [each.revision for each in collected(study.folder).answers] == [2]
    assert not study.database.write(lambda c: save_draft(c, person, step.unit["id"], "{}", 1.0))
    study.database.close()


def test_another_persons_id_or_unit_is_refused(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, units=2, people={"overlap": 1})
    come(study, "a")
    come(study, "b")
    mine, other = advance(study, "a").unit, advance(study, "b").unit
    send(study, "a", mine, name="answer-of-a")
    with pytest.raises(Conflict):
        send(study, "b", other, name="answer-of-a")
    with pytest.raises(Conflict):
        send(study, "b", mine)
    study.database.close()
