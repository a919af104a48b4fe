"""The rules of a visit by HTTP: comprehension, trial, checks, pause; and what keeps strangers out."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from proband.core.errors import ProbandError
from proband_annotate.create import init
from proband_annotate.project import read_project, secret_of
from proband_annotate.tokens import form_token, new_link

if TYPE_CHECKING:
    from annotate.tests.visitors import Owner, Person, judged, known_study, questionnaires, write_lines
else:
    from visitors import Owner, Person, judged, known_study, questionnaires, write_lines


def code(folder: Path, outcome: str) -> str:
    return str(getattr(read_project(folder).codes, outcome))


@pytest.fixture
def visitor(tmp_path: Path, served: Callable[[Path], Any], person: Callable[..., Person]) -> Callable[..., Person]:
    def come(folder: Path, name: str = "p", server: Any = None) -> Person:
        server = server or served(folder)
        someone = person(server.url, new_link(secret_of(folder), "crowd"), PROLIFIC_PID=name)
        someone.send("consent", agree="yes")
        return someone

    return come


def test_two_tries_at_the_questions_then_screened_out(tmp_path: Path, visitor: Callable[..., Person]) -> None:
    asked = {"comprehension": [{"question": "Is it?", "options": ["yes", "no", "perhaps"]}]}
    folder, _ = known_study(tmp_path, quality=asked)
    someone = visitor(folder)
    assert someone.send("understood").status_code == 422
    places = {words: place for place, words in re.findall(r'value="(\d)" required><span>(\w+)<', someone.html)}
    assert set(places) == {"yes", "no", "perhaps"}
    for before in ("0", "0"):  # the reply was lost, and the form is sent again
        someone.send("understood", q0=places["no"], attempts=before)
        assert "last try" in someone.html
    someone.send("understood", q0=places["perhaps"])
    assert code(folder, "screened_out") in someone.html


def test_a_trial_lets_through_or_screens_out(tmp_path: Path, visitor: Callable[..., Person], served: Any) -> None:
    folder, _ = known_study(tmp_path, trial=2)
    server = served(folder)
    good, bad = visitor(folder, "good", server), visitor(folder, "bad", server)
    for someone, label in ((good, "no"), (bad, "yes")):
        someone.send("understood")
        assert "Practice: Task 1" in someone.html, "it is paid"
        someone.send("answer", **judged(label))
        someone.send("answer", **judged(label))
    assert "Task 3" in good.html
    assert code(folder, "screened_out") in bad.html


def test_two_failed_checks_end_a_visit_and_one_does_not(tmp_path: Path, visitor: Callable[..., Person]) -> None:
    folder, _ = known_study(tmp_path, quality={"attention-every": 1})
    someone = visitor(folder)
    someone.send("understood")
    for failures in (1, 2):
        someone.send("answer", **judged())
        assert "A short check" in someone.html
        words = re.search(r"<legend>(.*?)</legend>", someone.html)
        assert words is not None
        options = re.findall(r'type="radio"[^>]*><span>(\w+)</span>', someone.html)
        wrong = next(place for place, option in enumerate(options) if f" {option}" not in words[1])
        someone.send("answer", choice=str(wrong))
        assert (code(folder, "failed_checks") in someone.html) == (failures == 2)


def test_gold_units_are_checks_that_look_like_others(tmp_path: Path, visitor: Callable[..., Person]) -> None:
    folder, _ = known_study(tmp_path, gold=2, quality={"gold-every": 1})
    someone = visitor(folder)
    someone.send("understood")
    for _ in range(4):  # a unit, gold, a unit, gold
        assert "Which country" in someone.html
        someone.send("answer", **judged("yes"))
    assert code(folder, "failed_checks") in someone.html


def test_pause_close_and_stop(tmp_path: Path, visitor: Callable[..., Person], served: Any) -> None:
    folder, password = known_study(tmp_path)
    server = served(folder)
    someone, other = visitor(folder, "a", server), visitor(folder, "b", server)
    someone.send("understood")
    with httpx.Client(verify=False, base_url=server.url, follow_redirects=True, timeout=30) as owner:
        login = {"form": form_token(secret_of(folder), "login"), "password": password}
        page = owner.post("/owner/login", data=login)
        token = re.search(r'name="form" value="(\w+)"', page.text)
        assert token is not None
        owner.post("/owner/state", data={"form": token[1], "state": "paused"})
        someone.send("answer", **judged())  # what is open may be sent
        assert "The study is paused" in someone.html
        other.send("understood")
        assert "The study is paused" in other.html
        owner.post("/owner/state", data={"form": token[1], "state": "open"})
    someone.page = someone.client.get(someone.home)
    assert "Which country" in someone.html
    someone.page = someone.client.post(f"{someone.home}/stop", data={"form": someone.hidden()["form"]})
    assert code(folder, "stopped") in someone.html
    assert code(folder, "done") not in someone.html


def test_an_answer_can_be_changed(tmp_path: Path, visitor: Callable[..., Person]) -> None:
    folder, _ = known_study(tmp_path)
    someone = visitor(folder)
    someone.send("understood")
    someone.send("answer", **judged("yes"))
    someone.page = someone.client.get(f"{someone.home}/change")
    assert 'value="yes" checked' in someone.html
    someone.send("answer", **judged("no"))
    someone.page = someone.client.get(f"{someone.home}/change")
    assert 'value="no" checked' in someone.html


def test_nobody_practises_for_a_study_that_is_complete(
    tmp_path: Path, visitor: Callable[..., Person], served: Any, person: Callable[..., Person]
) -> None:
    """Who comes late is told so before the consent; who read the consent in time, when they send it."""
    folder, password = known_study(tmp_path, units=2, trial=1, people={"overlap": 1})
    server = served(folder)
    early = person(server.url, new_link(secret_of(folder), "crowd"), PROLIFIC_PID="early")
    someone = visitor(folder, "only", server)
    someone.send("understood")
    while 'id="task"' in someone.html:
        someone.send("answer", **judged("no"))
    assert code(folder, "done") in someone.html
    early.send("consent", agree="yes")
    late = person(server.url, new_link(secret_of(folder), "crowd"), PROLIFIC_PID="late")
    for each in (early, late):
        assert "The study is full" in each.html
    owner = Owner(server.url, folder, password)
    assert re.findall(r"/owner/person/(\d+)", owner.page("/people")) == ["1"], "nothing is stored of them"
    owner.do("/person/1/decide", decision="rejected", reason="careless")
    assert 'name="agree"' in late.client.get(late.home).text, "its place is open again"
    owner.client.close()


def test_close_ends_every_visit_so_that_pay_does_not_change_afterwards(
    address: str, tmp_path: Path, visitor: Callable[..., Person], served: Any
) -> None:
    folder, password = known_study(tmp_path, database=address, pay={"per-unit": 0.1, "per-visit": 1.0})
    server = served(folder)
    someone, idle = visitor(folder, "working", server), visitor(folder, "idle", server)
    for each in (someone, idle):
        each.send("understood")
    someone.send("answer", **judged("no"))
    owner = Owner(server.url, folder, password)
    owner.do("/state", state="closed")
    at_close = owner.client.get("/owner/payments.csv").text
    assert [(row["outcome"], row["total"]) for row in csv.DictReader(at_close.splitlines())] == [
        ("done", "1.0"),
        ("screened_out", "0.0"),
    ]
    for each in (someone, idle):
        each.page = each.client.get(each.home)
    assert "You are paid 1.00 USD" in someone.html
    owner.do("/state", state="open")
    assert "You are paid 1.00 USD" in someone.client.get(someone.home).text, "the visit has ended"
    assert owner.client.get("/owner/payments.csv").text == at_close
    # what the platform has paid is no bonus, also of somebody who was erased
    owner.do("/person/1/erase", sure="yes")
    last = list(csv.DictReader(owner.client.get("/owner/payments.csv").text.splitlines()))[-1]
    assert [last[name] for name in ("outcome", "by_platform", "bonus", "total")] == ["erased", "1.0", "0.0", "1.0"]
    owner.client.close()


def test_practice_units_have_a_known_answer_or_init_refuses(tmp_path: Path) -> None:
    rows = questionnaires(6, 4)
    for row in rows[3:5]:
        row["gold"] = {candidate["id"]: "no" for candidate in row["candidates"]}
    items = write_lines(tmp_path / "q.jsonl", rows)
    with pytest.raises(ProbandError, match="--trial 3: only 2 units have a known answer"):
        init(tmp_path / "three", kind="judge", items=items, trial=3)
    init(tmp_path / "two", kind="judge", items=items, trial=2)
    units = [json.loads(line) for line in (tmp_path / "two" / "units.jsonl").read_text().splitlines()]
    assert [unit["id"] for unit in units if unit["role"] == "trial"] == ["q3", "q4"]
    with pytest.raises(ProbandError, match="1 gold units are wanted, but only 0"):
        init(tmp_path / "none", kind="judge", items=items, trial=2, gold=1)


# ---- strangers -------------------------------------------------------------------------------------------------------


def test_forms_without_our_token_are_refused(tmp_path: Path, visitor: Callable[..., Person]) -> None:
    folder, _ = known_study(tmp_path)
    someone = visitor(folder)
    reply = someone.client.post(f"{someone.home}/understood", data={"form": "0" * 32})
    assert reply.status_code == 403
    assert someone.client.post(f"{someone.home}/answer", json={}).status_code == 400
    assert someone.client.post(f"{someone.home}/answer", data={"x": "y" * 70_000}).status_code == 413


def test_the_owners_pages_need_the_password(tmp_path: Path, served: Any) -> None:
    folder, password = known_study(tmp_path)
    server, secret = served(folder), secret_of(folder)
    assert password not in "".join(path.read_text(errors="replace") for path in folder.iterdir() if path.is_file())
    with httpx.Client(verify=False, base_url=server.url, timeout=30) as client:
        for where in ("", "/people", "/person/1", "/disputes", "/plan", "/links", "/export/csv", "/figures.json"):
            reply = client.get(f"/owner{where}")
            assert reply.status_code == 303
            assert reply.headers["location"] == "/owner/login"
        assert client.post("/owner/state", data={"state": "closed"}).status_code == 403
        wrong = {"form": form_token(secret, "login"), "password": "guess"}
        assert [client.post("/owner/login", data=wrong).status_code for _ in range(6)] == [403] * 5 + [429]


def test_headers_of_every_response(tmp_path: Path, served: Any) -> None:
    folder, _ = known_study(tmp_path)
    server = served(folder)
    with httpx.Client(verify=False, base_url=server.url, timeout=30) as client:
        for where in ("/", "/owner/login", "/join/x", "/static/annotate.js", "/health"):
            headers = client.get(where).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
            assert "unsafe" not in policy
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in client.get("/owner/login").headers["content-security-policy"]
        assert (
            "frame-ancestors 'self' https://app.prolific.com"
            in client.get("/join/x").headers["content-security-policy"]
        )
