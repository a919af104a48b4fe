"""The demonstration: every kind of task, and each click is a new person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from proband_annotate.demo import demo_app, demo_projects
from proband_annotate.results.reading import collected
from proband_annotate.tasks import names

if TYPE_CHECKING:
    from annotate.tests.servers import Server
else:
    from servers import Server


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[tuple[Path, Any]]:
    demo_projects(tmp_path)
    server = Server(demo_app(tmp_path))
    yield tmp_path, server
    server.stop()


def test_every_kind_is_there_and_each_click_is_a_new_person(demo: tuple[Path, Any]) -> None:
    folder, server = demo
    assert demo_projects(folder) == {}, "what is there is not made again"
    with httpx.Client(verify=False, base_url=server.url, follow_redirects=True, timeout=30) as client:
        front = client.get("/").text
        for kind in names():
            assert f"/try/{kind}" in front
            homes = {str(client.get(f"/try/{kind}").url) for _ in range(2)}
            assert len(homes) == 2
            assert all(f"/{kind}/v/" in home for home in homes)
        assert str(client.get("/try/nothing").url).rstrip("/") == server.url
    assert all(collected(folder / kind).answers == [] for kind in names())
