"""A whole visit by plain HTTP, as a browser without a script makes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proband_annotate.create import init
from proband_annotate.project import secret_of
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.visitors import Person, judged, questionnaires, write_lines
else:
    from visitors import Person, judged, questionnaires, write_lines


@pytest.fixture
def project(tmp_path: Path, address: str) -> Path:
    items = write_lines(tmp_path / "questionnaires.jsonl", questionnaires())
    settings = {"database": address, "people": {"overlap": 2}}
    init(tmp_path / "study", kind="judge", items=items, settings_given=settings)
    return tmp_path / "study"


def test_from_link_to_code(project: Path, served: Callable[[Path], Any], person: Callable[..., Person]) -> None:
    server = served(project)
    someone = person(server.url, new_link(secret_of(project), "crowd"), PROLIFIC_PID="p1", STUDY_ID="s", SESSION_ID="x")
    assert "Before you begin" in someone.html
    assert someone.send("consent").status_code == 422
    assert "How it works" in someone.send("consent", agree="yes").text
    someone.send("understood")
    for _ in range(3):
        assert "Which country borders" in someone.html
        for word in ("Eritrea", "Kenya", "Sudan", "Somalia"):
            assert word not in someone.html
        assert someone.send("answer").status_code == 422
        assert "Sentence 1 has no label yet" in someone.html
        someone.send("answer", **judged())
    assert "Thank you, you are done" in someone.html
    assert "https://app.prolific.com/submissions/complete?cc=" in someone.html
