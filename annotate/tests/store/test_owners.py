"""Owners have roles; a password is checked at the same cost for every name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from proband.cli import main
from proband_annotate.project import secret_of
from proband_annotate.store.owners import add_owner
from proband_annotate.tokens import form_token

if TYPE_CHECKING:
    from annotate.tests.visitors import (
        Come,
        finished,
        joined,
    )
else:
    from visitors import Come, finished, joined


def test_owners_have_roles(study: Any, person: Come, sign_in: Any, capsys: pytest.CaptureFixture[str]) -> None:
    folder, server, owner = study()
    finished(joined(server, folder, person, "ann"))
    sessions = {}
    for name, role in (("vera", "viewer"), ("arne", "assistant"), ("ola", "owner")):
        password = add_owner(folder, name, role)["password"]
        sessions[name] = sign_in(server.url, folder, password, name=name)
    for name, allowed in (("vera", ()), ("arne", ("decide",)), ("ola", ("decide", "bonus", "state"))):
        dashboard = sessions[name]
        assert "/owner/person/1" in dashboard.page("/people")
        replies = {
            "decide": dashboard.do("/person/1/decide", decision="approved"),
            "bonus": dashboard.do("/person/1/bonus", amount="1"),
            "state": dashboard.do("/state", state="open"),
        }
        assert {what for what, reply in replies.items() if reply.status_code == 200} == set(allowed), name
    log = owner.page("/person/1")
    assert "arne: decide" in log
    assert "ola: bonus" in log
    assert main(["annotate", "owners", str(folder)]) == 0
    assert "assistant" in capsys.readouterr().out
    assert main(["annotate", "owners", str(folder), "arne", "--remove"]) == 0
    assert (
        "arne" not in str(sessions["arne"].client.get("/owner/people").url) + sessions["arne"].client.get("/owner").text
    )
    assert str(sessions["arne"].client.get("/owner/people").url).endswith("/login")
    assert main(["annotate", "owners", str(folder), "owner"]) != 0
    login = {"form": form_token(secret_of(folder), "login"), "username": "vera", "password": "wrong"}
    assert httpx.post(f"{server.url}/owner/login", data=login).status_code == 403


def test_an_unknown_name_takes_as_long_as_a_wrong_password(study: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from argon2 import PasswordHasher, extract_parameters

    folder, server, _ = study()
    verified: list[Any] = []
    monkeypatch.setattr(PasswordHasher, "verify", lambda self, hashed, _: verified.append(extract_parameters(hashed)))
    for name in ("owner", "nobody at all"):
        login = {"form": form_token(secret_of(folder), "login"), "username": name, "password": "wrong"}
        httpx.post(f"{server.url}/owner/login", data=login)
    assert len(verified) == 2
    assert verified[0] == verified[1], "a hash of the same cost is compared"
