"""The owner's session: a new password replaces a lost one, and signing out ends every copy of the cookie."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from proband.cli import main

if TYPE_CHECKING:
    from annotate.tests.visitors import Owner
else:
    from visitors import Owner


def test_a_lost_password_is_replaced(dashboard: Any, capsys: pytest.CaptureFixture[str]) -> None:
    folder, owner = dashboard
    assert main(["annotate", "password", str(folder), "--json"]) == 0
    fresh = json.loads(capsys.readouterr().out)["password"]
    assert owner.client.get("/owner", follow_redirects=False).headers["location"] == "/owner/login"
    base = str(owner.client.base_url).rstrip("/")
    Owner(base, folder, fresh).client.close()


def test_signing_out_ends_the_session_for_every_copy_of_its_cookie(dashboard: Any) -> None:
    _, owner = dashboard
    copied = dict(owner.client.cookies)
    owner.do("/logout")
    reply = httpx.get(f"{owner.client.base_url}/owner", cookies=copied)
    assert (reply.status_code, reply.headers["location"]) == (303, "/owner/login")
