"""Schemathesis over every address of the web app: whatever is sent, no answer is a 5xx. Three in five requests carry a
real visit, a real session and real form tokens, so that they get past the door."""

from __future__ import annotations

import random
import re
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import httpx

KINDS = ("application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=x", "")


def people(base: str, folder: Path) -> list[tuple[str, str, str]]:
    """(visit, form token, unit) of people at different places of their visit."""
    from proband_annotate.project import secret_of
    from proband_annotate.tokens import form_token, new_link

    secret, found = secret_of(folder), []
    for number in range(6):
        with httpx.Client(base_url=base, follow_redirects=True, timeout=30) as client:
            page = client.get(f"/join/{new_link(secret, 'crowd')}", params={"participant": f"p{number}"})
            visit = str(page.url).rpartition("/")[2]
            token = form_token(secret, visit)
            if number:
                client.post(f"/v/{visit}/consent", data={"form": token, "agree": "yes", "terms": "1"})
            if number > 1:
                client.post(f"/v/{visit}/understood", data={"form": token})
                page = client.get(f"/v/{visit}")
            unit = re.search(r'name="unit" value="(\d+)"', page.text)
            found.append((visit, token, unit[1] if unit else "1"))
    return found


def sign_in(folder: Path, secret: bytes) -> str:
    """The cookie of a session at the dashboard."""
    from proband_annotate.project import database_url, read_project
    from proband_annotate.store import owners
    from proband_annotate.store.database import Database
    from proband_annotate.tokens import new_session

    name, now = uuid.uuid4().hex, time.time()
    database = Database(database_url(folder, read_project(folder)))
    database.write(lambda c: owners.begin_session(c, name, owner="owner", until=now + 3600, now=now))
    database.close()
    return new_session(secret, name, now + 3600)


def fuzz(base: str, folder: Path, wanted: int, seed: int) -> Counter[int]:
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    from proband_annotate.project import secret_of
    from proband_annotate.tokens import form_token

    schema = schemathesis.openapi.from_url(f"{base}/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    known, rng, secret = people(base, folder), random.Random(seed), secret_of(folder)
    session, signing_out = (sign_in(folder, secret) for _ in range(2))
    statuses: Counter[int] = Counter()
    each = -(-wanted // len(operations))
    with httpx.Client(timeout=30) as client:

        def send(case: Any) -> None:
            form = dict(case.body) if isinstance(case.body, dict) else {}
            headers = {str(k): str(v) for k, v in dict(case.headers or {}).items()}
            path = dict(case.path_parameters or {})
            cookies: dict[str, str] = {}
            if rng.random() < 0.6:
                visit, token, unit = rng.choice(known)
                if "visit" in path:
                    path["visit"] = visit
                    form |= {"form": token, "unit": rng.choice([unit, form.get("unit", unit)])}
                else:
                    mine = signing_out if case.path == "/owner/logout" else session
                    form["form"] = form_token(secret, mine)
                    cookies = {"Cookie": f"proband_owner={mine}"}
                if "person" in path:
                    path["person"] = rng.choice([1, 2, 3, path["person"]])
                if "format" in path:
                    path["format"] = rng.choice(["jsonl", "csv", "suite", "hf", path["format"]])
            address = case.path
            for name, value in path.items():
                address = address.replace("{" + name + "}", _quoted(value))
            more: dict[str, Any] = {"data": {k: _plain(v) for k, v in form.items()}} if case.method == "POST" else {}
            if rng.random() < 0.1 and case.method == "POST":
                more = {"content": rng.randbytes(rng.randrange(2000)), "headers": {"content-type": rng.choice(KINDS)}}
            query = {k: _plain(v) for k, v in dict(case.query or {}).items()}
            try:
                reply = client.request(
                    case.method,
                    base + address,
                    params=query,
                    headers={**headers, **cookies, **more.pop("headers", {})},
                    **more,
                )
            except (httpx.InvalidURL, UnicodeEncodeError, httpx.LocalProtocolError):
                return
            statuses[reply.status_code] += 1
            assert reply.status_code < 500, (reply.status_code, case.method, address, form)

        for place, operation in enumerate(operations):
            test = given(case=operation.as_strategy())(send)
            rules = settings(
                max_examples=each,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
                phases=[Phase.generate],
            )
            seeded(seed + place)(rules(test))()
    return statuses


def _plain(value: Any) -> str:
    return str(value).encode("utf-8", "replace").decode("utf-8")


def _quoted(value: Any) -> str:
    from urllib.parse import quote

    return quote(_plain(value), safe="") or "x"
