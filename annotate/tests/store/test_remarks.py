"""Skipped units, problems and comments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from proband.cli import main
from proband_annotate.results.reading import collected, remark_lines
from proband_annotate.store.database import Database

if TYPE_CHECKING:
    from annotate.tests.visitors import (
        Come,
        finished,
        joined,
    )
else:
    from visitors import Come, finished, joined


def test_a_unit_is_skipped_for_good_and_goes_to_somebody_else(study: Any, person: Come) -> None:
    folder, server, owner = study(people={"overlap": 1, "skips": 1})
    someone = joined(server, folder, person, "ann")
    first = someone.hidden()["unit"]
    page = someone.send("remark", kind="skip", words="I know these people", about=first)
    assert page.status_code == 200
    assert someone.hidden()["unit"] != first
    second = someone.hidden()["unit"]
    assert 'value="skip"' not in someone.html  # one, and no more
    assert someone.send("remark", kind="skip", about=second).status_code == 409
    someone.page = someone.client.get(someone.home)
    finished(someone)
    assert {str(each.unit_id) for each in collected(folder).answers} == {"1", "2", "3"} - {first}
    other = joined(server, folder, person, "ben")
    assert other.hidden()["unit"] == first
    finished(other)
    assert len(collected(folder).counted()) == 3
    assert "I know these people" in owner.page("/remarks")


def test_problems_and_comments_reach_the_owner(study: Any, person: Come, capsys: pytest.CaptureFixture[str]) -> None:
    folder, server, owner = study()
    someone = joined(server, folder, person, "ann")
    unit = someone.hidden()["unit"]
    form = someone.hidden()["form"]

    def remark(**fields: str) -> httpx.Response:
        return someone.client.post(f"{someone.home}/remark", data={"form": form, **fields})

    assert remark(kind="problem", about=unit, words=" ").status_code == 422
    assert remark(kind="problem", about="99", words="not mine").status_code == 409
    assert remark(kind="praise", about=unit, words="x").status_code == 400
    assert remark(kind="problem", about=unit, words="Sentence 2 <b>is</b> empty").status_code == 200
    someone.page = someone.client.get(someone.home)
    assert someone.hidden()["unit"] == unit  # still there
    finished(someone)
    assert remark(kind="comment", words="It was fun").status_code == 200

    page = owner.page("/remarks")
    assert "Sentence 2 &lt;b&gt;is&lt;/b&gt; empty" in page
    assert "It was fun" in page
    assert "Which country borders land" in page  # the unit's text stands beside it
    number = re.search(r'name="remark" value="(\d+)"', page)
    assert number is not None
    owner.do("/remarks", remark=number[1], settled="yes")
    assert "dealt with" in owner.page("/remarks")
    assert main(["annotate", "status", str(folder), "--remarks"]) == 0
    assert "It was fun" in capsys.readouterr().out
    owner.do("/person/1/erase", sure="yes")
    assert "It was fun" not in owner.page("/remarks")


@pytest.mark.parametrize("kind", ["comment", "skip"])
def test_a_commit_of_unknown_fate_stores_one_remark(
    kind: str, study: Any, person: Come, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, server, _ = study()
    someone = joined(server, folder, person, "ann")
    form = {"kind": kind, "words": "It was fun", "about": someone.hidden()["unit"]}
    write = Database.submit_write
    monkeypatch.setattr(Database, "submit_write", lambda self, work: (write(self, work).result(), write(self, work))[1])
    assert someone.send("remark", **form).status_code == 200
    assert len(remark_lines(folder)["people_lines"]) == 1
