"""Fixtures of the web app: a real PostgreSQL, an empty database of each kind, a server, people. The tests of this
folder find `visitors`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
if TYPE_CHECKING:
    from annotate.tests.servers import Postgres, Server, database_server, programs
    from annotate.tests.visitors import CONTACT, Owner, Person, questionnaires, write_lines
else:
    from servers import Postgres, Server, database_server, programs
    from visitors import CONTACT, Owner, Person, questionnaires, write_lines


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Not in a folder of pytest, which another run of pytest closes to the user whom PostgreSQL runs as."""
    if programs() is None:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    with database_server("postgresql") as server:
        assert server is not None
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'own.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.database()


@pytest.fixture
def served() -> Iterator[Callable[[Path], Server]]:
    """Serve a project's folder."""
    from proband_annotate.site.app import application
    from proband_annotate.site.context import open_project

    running: list[Server] = []

    def start(folder: Path) -> Server:
        running.append(Server(application(open_project(folder))))
        return running[-1]

    yield start
    for server in running:
        server.stop()


@pytest.fixture
def person() -> Iterator[Callable[..., Person]]:
    """People, who leave at the end."""
    there: list[Person] = []

    def come(base: str, link: str, **query: str) -> Person:
        there.append(Person(base, link, **query))
        return there[-1]

    yield come
    for each in there:
        each.client.close()


@pytest.fixture
def sign_in() -> Iterator[Callable[..., Owner]]:
    """Owners, who leave at the end."""
    there: list[Owner] = []

    def come(*words: Any, **more: Any) -> Owner:
        there.append(Owner(*words, **more))
        return there[-1]

    yield come
    for each in there:
        each.client.close()


@pytest.fixture
def study(tmp_path: Path, served: Callable[[Path], Any], sign_in: Callable[..., Owner]) -> Any:
    """Three questions of four sentences, two answers each; pay, own codes, one unit may be skipped."""

    def make(**settings: Any) -> tuple[Path, Any, Owner]:
        folder = tmp_path / "study"
        items = write_lines(tmp_path / "q.jsonl", questionnaires(3, 4))
        from proband_annotate.create import init

        made = init(folder, kind="judge", items=items, settings_given={"people": {"overlap": 2}, **CONTACT, **settings})
        server = served(folder)
        return folder, server, sign_in(server.url, folder, made["password"])

    return make
