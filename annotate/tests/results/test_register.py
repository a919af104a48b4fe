"""Figures of large studies: read once, then only what is new; the same numbers as when everything is read anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sqlalchemy import delete, select

from proband.stats.agreement.coefficients import Votes
from proband_annotate.results.collected import disputed
from proband_annotate.results.figures import figures, people_figures
from proband_annotate.results.planning import guess_of
from proband_annotate.results.register import Register, collect
from proband_annotate.site.context import open_project
from proband_annotate.store import people as people_store
from proband_annotate.store.schema import answers

if TYPE_CHECKING:
    from annotate.tests.paper_scale import judged_study
    from annotate.tests.servers import Process
    from annotate.tests.visitors import Owner
else:
    from paper_scale import judged_study
    from servers import Process
    from visitors import Owner


@pytest.fixture
def study(tmp_path: Path) -> Any:
    judged_study(tmp_path, questions=30, sentences=6, workers=9)
    opened = open_project(tmp_path / "study")
    yield opened
    opened.database.close()


def shown(found: Any) -> list[Any]:
    return [figures(found), people_figures(found), disputed(found, most=50), vars(guess_of(found))]


def test_what_is_read_piece_by_piece_is_what_is_read_at_once(study: Any) -> None:
    """Answers are revised, taken away and given by a person who is rejected; after each step both readings agree."""
    register = Register()

    def both() -> tuple[Any, Any]:
        pair: tuple[Any, Any] = study.database.read(
            lambda c: (register.collect(c, study.project), collect(c, study.project))
        )
        return pair

    def revise(connection: Any) -> None:
        first = connection.execute(select(answers).order_by(answers.c.unit_id).limit(1)).one()
        body = first.body.replace('"no"', '"yes"').replace('"nonsense"', '"yes"')
        row = {"person_id": first.person_id, "unit_id": first.unit_id, "revision": 2, "seconds": 1.0, "created": 2.0}
        connection.execute(answers.insert().values(id="second-revision", body=body, **row))

    def lose(connection: Any) -> None:
        last = connection.scalar(select(answers.c.id).order_by(answers.c.unit_id.desc()).limit(1))
        connection.execute(delete(answers).where(answers.c.id == last))

    steps = (
        revise,
        lose,
        lambda c: people_store.decide(c, 4, "rejected", "careless"),
        lambda c: people_store.erase(c, 2),
    )
    before = both()[0]
    for step in steps:
        study.database.write(step)
        mine, anew = both()
        assert mine is not before
        assert shown(mine) == shown(anew)
        assert [each.id for each in mine.answers] == [each.id for each in anew.answers]
        before = mine


def test_votes_are_those_of_the_judgments(study: Any) -> None:
    found = study.database.read(lambda c: collect(c, study.project))
    plain, quick = Votes.of(found.judgments()), found.votes
    assert (plain.items, plain.workers, plain.labels) == (quick.items, quick.workers, quick.labels)
    for name in ("item", "worker", "label", "count"):
        assert np.array_equal(getattr(plain, name), getattr(quick, name)), name


def test_nothing_is_computed_twice_while_nothing_happens(study: Any) -> None:
    register = Register()
    first = study.database.read(lambda c: register.collect(c, study.project))
    assert study.database.read(lambda c: register.collect(c, study.project)) is first
    assert figures(first) is figures(first)
    study.database.write(lambda c: people_store.decide(c, 1, "approved", ""))
    assert study.database.read(lambda c: register.collect(c, study.project)) is not first


@pytest.mark.nightly
def test_the_owners_pages_at_the_size_of_the_papers(tmp_path: Path) -> None:
    """7,700 answers of 20 labels: under a second of the processor for a page, before and after a change, and under
    200 MB of memory (187 measured, 17 of them scipy, which the intervals of the figures load); the machine may have
    other work, so that it is not the clock which is read."""
    password = judged_study(tmp_path)
    server = Process(tmp_path / "study")
    server.start()
    try:
        owner = Owner(server.url, tmp_path / "study", password)
        for page in ("", "/people", "/person/7", "/disputes", "/plan", "/figures.json"):
            for change in (False, True):
                if change:
                    owner.do(
                        "/person/3/decide", decision="rejected" if page in ("", "/person/7") else "", reason="other"
                    )
                before = server.cpu_seconds()
                assert len(owner.page(page)) > 1000
                assert server.cpu_seconds() - before < 1.0, page
        owner.client.close()
        assert server.peak() < 200
    finally:
        server.stop()
