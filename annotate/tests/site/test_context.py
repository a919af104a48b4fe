"""The limits of requests in memory; a project that cannot be opened lets go of its database."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from proband.core.errors import ProbandError
from proband_annotate.project import secret_of
from proband_annotate.site import visit_pages
from proband_annotate.site.context import Limit, open_project
from proband_annotate.store.database import Database
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.visitors import Person, known_study
else:
    from visitors import Person, known_study


def test_too_many_requests_of_one_person(
    tmp_path: Path, served: Any, person: Callable[..., Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All in one moment of the server's clock: a slow machine must not spread them over minutes."""
    folder, _ = known_study(tmp_path)
    someone = person(served(folder).url, new_link(secret_of(folder), "crowd"), PROLIFIC_PID="p")
    someone.send("consent", agree="yes")
    moment = time.monotonic()
    monkeypatch.setattr(visit_pages, "time", SimpleNamespace(monotonic=lambda: moment, time=time.time))
    statuses = [someone.client.get(someone.home).status_code for _ in range(140)]
    assert 429 in statuses
    assert statuses[:100] == [200] * 100


def test_a_caller_who_waits_may_ask_again_and_others_are_not_held_up() -> None:
    limit = Limit(burst=3, per_second=0.5, callers=2)
    assert [limit.allows("a", now) for now in (0.0, 0.0, 0.0, 0.0, 1.9, 2.0, 2.0)] == [True] * 3 + [False] * 2 + [
        True,
        False,
    ]
    assert limit.allows("b", 2.0)
    assert limit.allows("c", 2.0)  # one more caller than are known: the one who asked longest ago is forgotten
    assert limit.allows("a", 2.0)


def test_a_project_that_cannot_be_opened_closes_its_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, _ = known_study(tmp_path)
    closed: list[Database] = []
    close = Database.close

    def noted(database: Database) -> None:
        closed.append(database)
        close(database)

    monkeypatch.setattr(Database, "close", noted)
    (folder / "secret").write_text("ab" * 32 + "\n")
    with pytest.raises(ProbandError, match="is not that of this study"):
        open_project(folder)
    assert len(closed) == 1
