"""The way in: links are signed and ids are hashed; Mechanical Turk gets its own form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from proband_annotate.project import secret_of
from proband_annotate.tokens import Forged, Link, form_token, new_link, unseal, worker_hash

if TYPE_CHECKING:
    from annotate.tests.visitors import Person, known_study
else:
    from visitors import Person, known_study


def test_links_are_signed_and_ids_are_hashed(tmp_path: Path, served: Any) -> None:
    folder, _ = known_study(tmp_path)
    secret, server = secret_of(folder), served(folder)
    assert (folder / "secret").stat().st_mode & 0o077 == 0
    link, name = new_link(secret, "crowd"), "5f0c1e8a7b6d4c3f2a190e8d"  # of Prolific's length: none comes by chance
    with pytest.raises(Forged):
        unseal(secret, "link", link[:-2] + ("AA" if link[-2:] != "AA" else "BB"), Link)
    with httpx.Client(verify=False, base_url=server.url, timeout=30) as client:
        assert client.get("/join/forged").status_code == 404
        assert client.get(f"/join/{link}").status_code == 400  # no id
        preview = client.get(f"/join/{link}", params={"workerId": "W", "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"})
        assert "Preview" in preview.text
        there = client.get(f"/join/{link}", params={"PROLIFIC_PID": name}).headers["location"]
        assert name not in there
        client.post(
            f"{there}/consent",
            data={"form": form_token(secret, there.rpartition("/")[2]), "agree": "yes", "terms": "1"},
        )
    raw = b"".join(path.read_bytes() for path in folder.glob("answers.db*"))
    assert name.encode() not in raw
    assert worker_hash(secret, "prolific", name).encode() in raw


def test_mechanical_turk_gets_its_form_back(tmp_path: Path, served: Any, person: Callable[..., Person]) -> None:
    folder, _ = known_study(tmp_path)
    server, link = served(folder), new_link(secret_of(folder), "crowd")
    genuine = {"workerId": "W1", "assignmentId": "A1", "turkSubmitTo": "https://workersandbox.mturk.com"}
    for number, (submit_to, shown) in enumerate(
        (
            ("https://workersandbox.mturk.com", True),
            ("https://evil.example/.mturk.com", False),
            ("https://evil.example\\.mturk.com", False),  # which a browser reads as https://evil.example/
            ("https://evil.example#.mturk.com", False),
            ("https://x@evil.example:443\\@www.mturk.com", False),
        )
    ):
        someone = person(server.url, link, **{**genuine, "workerId": f"W{number}", "turkSubmitTo": submit_to})
        someone.send("consent", agree="yes")
        someone.page = someone.client.post(f"{someone.home}/stop", data={"form": someone.hidden()["form"]})
        assert ("/mturk/externalSubmit" in someone.html) == shown
        assert "evil.example" not in someone.html
