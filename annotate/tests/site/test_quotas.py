"""Quotas by a column of the participants' file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proband.core.errors import ProbandError
from proband_annotate.create import init
from proband_annotate.project import secret_of
from proband_annotate.results.reading import status
from proband_annotate.site.context import open_project
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.visitors import Owner, Person, judged, questionnaires, write_lines
else:
    from visitors import Owner, Person, judged, questionnaires, write_lines

PEOPLE = "Participant id,Sex\na,Female\nb,Female\nc,Female\nd,Male\ne,Prefer not to say\n"


def study_in(folder: Path, **quotas: Any) -> tuple[Path, str]:
    items = write_lines(folder / "q.jsonl", questionnaires(2, 2))
    given = {"file": "people.csv", "column": "Sex", "most": {"Female": 2, "Male": 1, "Prefer not to say": 1}, **quotas}
    made = init(folder / "study", kind="judge", items=items, settings_given={"quotas": given, "people": {"overlap": 9}})
    (folder / "study" / "people.csv").write_text(PEOPLE)
    return folder / "study", made["password"]


def test_a_group_that_is_full_is_full_for_its_own_people(
    tmp_path: Path, served: Callable[[Path], Any], person: Callable[..., Person]
) -> None:
    folder, password = study_in(tmp_path)
    base, link = served(folder).url, new_link(secret_of(folder), "crowd")

    def come(name: str) -> Person:
        return person(base, link, PROLIFIC_PID=name)

    early = come("c")  # reads the consent while there is room
    for name in ("a", "b"):
        come(name).begin()
    early.send("consent", agree="yes")
    assert "The study is full" in early.html
    assert "The study is full" in come("c").html
    assert 'name="agree"' in come("d").html
    assert 'name="agree"' in come("e").html
    assert "looks for other people" in come("stranger").html
    assert status(folder)["progress"]["quotas"] == {"Female": "2 of 2", "Male": "0 of 1", "Prefer not to say": "0 of 1"}
    owner = Owner(base, folder, password)
    assert "Female: 2 of 2" in owner.page("")
    owner.do("/person/1/decide", decision="rejected", reason="careless")
    owner.client.close()
    late = come("c")
    late.begin()
    late.send("answer", **judged("no", 2))
    assert "Task 2" in late.html


@pytest.mark.parametrize(
    ("quotas", "words"),
    [
        ({"file": "gone.csv"}, "gone.csv"),
        ({"column": "Age"}, "has no column 'Age'"),
        ({"id-column": "Id"}, "has no column 'Id'"),
        ({"most": {"Other": 3}}, "no person has 'Other' in the column 'Sex'"),
    ],
)
def test_a_file_that_does_not_fit_is_an_error_of_one_line(quotas: dict[str, Any], words: str, tmp_path: Path) -> None:
    folder, _ = study_in(tmp_path, **quotas)
    with pytest.raises(ProbandError, match=words):
        open_project(folder)


def test_a_file_may_come_from_a_spreadsheet(tmp_path: Path) -> None:
    """Windows-1252, with semicolons."""
    folder, _ = study_in(tmp_path)
    (folder / "people.csv").write_bytes((PEOPLE.replace(",", ";") + "zo\xeb;Male\n").encode("cp1252"))
    assert open_project(folder).groups["zo\xeb"] == "Male"


def test_a_full_study_says_so_before_the_consent(tmp_path: Path, study: Any, person: Callable[..., Person]) -> None:
    folder, server, _ = study(people={"overlap": 2, "most-people": 1})
    link = new_link(secret_of(folder), "crowd")
    first = person(server.url, link, participant="a")
    assert 'name="agree"' in first.html
    first.begin()
    assert "The study is full" in person(server.url, link, participant="b").html
