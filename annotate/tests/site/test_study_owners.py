"""What study owners expect: pay, codes, remarks, further units and owners, agreement of pairs, monitoring."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from proband.cli import main
from proband_annotate.create import init
from proband_annotate.project import secret_of
from proband_annotate.results.reading import collected
from proband_annotate.store.owners import add_owner
from proband_annotate.tokens import form_token, metrics_token, new_link

if TYPE_CHECKING:
    from annotate.tests.visitors import Owner, Person, judged, questionnaires, simulate, write_lines
else:
    from visitors import Owner, Person, judged, questionnaires, simulate, write_lines

CONTACT = {"texts": {"contact": "owner@example.org"}}
Come = Callable[..., Person]


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
        made = init(folder, kind="judge", items=items, settings_given={"people": {"overlap": 2}, **CONTACT, **settings})
        server = served(folder)
        return folder, server, sign_in(server.url, folder, made["password"])

    return make


def joined(server: Any, folder: Path, person: Come, name: str) -> Person:
    someone = person(server.url, new_link(secret_of(folder), "crowd"), participant=name)
    someone.begin()
    return someone


def finished(someone: Person) -> str:
    """Answers until the end; gives the completion code."""
    while 'name="c0"' in someone.html:
        someone.send("answer", **judged("yes"))
    found = re.search(r'<output id="code">([^<]+)<', someone.html)
    assert found, someone.html
    return found[1]


def test_pay_bonus_and_codes_of_ones_own(
    study: Any, person: Come, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, server, owner = study(
        pay={"per-unit": 0.5, "per-visit": 1.0, "currency": "EUR"},
        codes={"done": "DONEDONE", "screened-out": "OUTOUTOUT", "failed-checks": "FAILFAIL", "per-person": True},
    )
    codes = {name: finished(joined(server, folder, person, name)) for name in ("ann", "ben")}
    assert len(set(codes.values())) == 2
    assert "DONEDONE" not in codes.values()
    owner.do("/person/1/bonus", amount="0.75", words="helpful comments")
    owner.do("/person/2/decide", decision="rejected", reason="careless")
    assert owner.do("/person/1/bonus", amount="-1").status_code == 400
    assert owner.do("/person/1/bonus", amount="nan").status_code == 400
    assert "0.75" in owner.page("/person/1")

    rows = list(csv.DictReader(owner.page("/payments.csv").splitlines()))
    paid = {
        row["person"]: (row["tasks"], row["by_platform"], row["granted"], row["bonus"], row["total"]) for row in rows
    }
    assert paid == {"1": ("3", "1.0", "0.75", "1.25", "2.25"), "2": ("3", "0.0", "0.0", "0.0", "0.0")}
    assert [row["code"] for row in rows] == [codes["ann"], codes["ben"]]

    (tmp_path / "ids.txt").write_text("ann\nben\nnobody\n")
    words = ["--workers", str(tmp_path / "ids.txt"), "--source", "url"]
    assert main(["annotate", "payments", str(folder), "-o", str(tmp_path / "p.csv"), *words]) == 0
    assert [row["id"] for row in csv.DictReader((tmp_path / "p.csv").read_text().splitlines())] == [
        "ann",
        "ben",
        "nobody",
    ]
    bulk = tmp_path / "bulk.txt"
    assert main(["annotate", "payments", str(folder), "--to", "prolific", "-o", str(bulk), *words]) == 0
    assert bulk.read_text() == "ann,1.25\n"
    assert main(["annotate", "payments", str(folder), "--to", "prolific", "-o", str(bulk)]) != 0
    assert "needs --workers" in capsys.readouterr().err

    (tmp_path / "codes.txt").write_text(f"{codes['ben'].lower()}\nAAAAAAAAAA\n")
    assert main(["annotate", "status", str(folder), "--codes", str(tmp_path / "codes.txt")]) == 0
    printed = capsys.readouterr().out
    assert "rejected" in printed
    assert "unknown code" in printed
    assert str(owner.do("/find", who=codes["ben"]).url).endswith("/person/2")


def test_a_unit_is_skipped_for_good_and_goes_to_somebody_else(study: Any, person: Come) -> None:
    folder, server, owner = study(people={"overlap": 1, "skips": 1})
    someone = joined(server, folder, person, "ann")
    first = someone.hidden()["unit"]
    page = someone.send("remark", kind="skip", words="I know these people", about=first)
    assert page.status_code == 200
    assert someone.hidden()["unit"] != first
    second = someone.hidden()["unit"]
    assert 'value="skip"' not in someone.html  # one, and no more
    assert someone.send("remark", kind="skip", about=second).status_code == 409
    someone.page = someone.client.get(someone.home)
    finished(someone)
    assert {str(each.unit_id) for each in collected(folder).given} == {"1", "2", "3"} - {first}
    other = joined(server, folder, person, "ben")
    assert other.hidden()["unit"] == first
    finished(other)
    assert len(collected(folder).counted()) == 3
    assert "I know these people" in owner.page("/remarks")


def test_problems_and_comments_reach_the_owner(study: Any, person: Come, capsys: pytest.CaptureFixture[str]) -> None:
    folder, server, owner = study()
    someone = joined(server, folder, person, "ann")
    unit = someone.hidden()["unit"]
    form = someone.hidden()["form"]

    def remark(**fields: str) -> httpx.Response:
        return someone.client.post(f"{someone.home}/remark", data={"form": form, **fields})

    assert remark(kind="problem", about=unit, words=" ").status_code == 422
    assert remark(kind="problem", about="99", words="not mine").status_code == 409
    assert remark(kind="praise", about=unit, words="x").status_code == 400
    assert remark(kind="problem", about=unit, words="Sentence 2 <b>is</b> empty").status_code == 200
    someone.page = someone.client.get(someone.home)
    assert someone.hidden()["unit"] == unit  # still there
    finished(someone)
    assert remark(kind="comment", words="It was fun").status_code == 200

    page = owner.page("/remarks")
    assert "Sentence 2 &lt;b&gt;is&lt;/b&gt; empty" in page
    assert "It was fun" in page
    assert "Which country borders land" in page  # the unit's text stands beside it
    number = re.search(r'name="remark" value="(\d+)"', page)
    assert number is not None
    owner.do("/remarks", remark=number[1], settled="yes")
    assert "dealt with" in owner.page("/remarks")
    assert main(["annotate", "status", str(folder), "--remarks"]) == 0
    assert "It was fun" in capsys.readouterr().out
    owner.do("/person/1/erase", sure="yes")
    assert "It was fun" not in owner.page("/remarks")


def test_units_are_added_while_the_server_runs(
    study: Any, person: Come, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, server, _ = study(people={"overlap": 1})
    someone = joined(server, folder, person, "ann")
    more = write_lines(tmp_path / "more.jsonl", questionnaires(5, 4))  # three of them are there already
    for added in (2, 0):  # a second time changes nothing
        assert main(["annotate", "add", str(folder), "--items", str(more), "--json"]) == 0
        assert f'"added":{added}' in capsys.readouterr().out.replace(" ", "")
    finished(someone)
    found = collected(folder)
    assert sorted(each.unit for each in found.given) == ["q0", "q1", "q2", "q3", "q4"]
    assert len((folder / "units.jsonl").read_text().splitlines()) == 5
    other = questionnaires(1, 3)
    write_lines(tmp_path / "other.jsonl", other)
    assert main(["annotate", "add", str(folder), "--items", str(tmp_path / "other.jsonl")]) != 0
    assert "'q0' is in the study with another text" in capsys.readouterr().err


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


def test_agreement_of_every_two_people(tmp_path: Path, served: Callable[[Path], Any], sign_in: Any) -> None:
    folder = tmp_path / "study"
    items = write_lines(tmp_path / "q.jsonl", questionnaires(4, 4))
    made = init(folder, kind="judge", items=items, settings_given={"people": {"overlap": 3}, **CONTACT})
    order: dict[str, int] = {}

    def answer(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        rank = order.setdefault(worker, len(order))
        labels = ("yes", "no") if rank < 2 else ("no", "yes")  # the third contradicts the others
        return {"labels": {c["id"]: labels[place % 2] for place, c in enumerate(unit["body"]["candidates"])}}

    simulate(folder, answer, people=3)
    owner = sign_in(served(folder).url, folder, made["password"])
    rows = re.findall(r"Person (\d)</a>.*?Person (\d)</a></th>(.*?)</tr>", owner.page("/agreement"), re.DOTALL)
    found = {one + other: re.findall(r'"num">([^<]+)<', cells) for one, other, cells in rows}
    assert found == {"12": ["16", "100.0 %", "1.000"], "13": ["16", "0.0 %", "-1.000"], "23": ["16", "0.0 %", "-1.000"]}
    assert rows[-1][:2] == ("1", "2")  # the lowest first
    assert "Which country borders land" in owner.page("/person/1")  # the unit's text, not its id alone
    assert "[COUNTRY] invaded land" in owner.page("/person/1")


def test_metrics_for_a_monitor_with_its_token(study: Any, person: Come) -> None:
    folder, server, owner = study()
    finished(joined(server, folder, person, "ann"))
    assert httpx.get(f"{server.url}/metrics").status_code == 401
    token = metrics_token(secret_of(folder))
    assert token in owner.page("/links")
    text = httpx.get(f"{server.url}/metrics", headers={"Authorization": f"Bearer {token}"}).text
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    values = {name: float(value) for name, value in lines}
    assert values["proband_up"] == 1
    assert values["proband_answers_total"] == 3
    assert values['proband_slots{panel="crowd"}'] == 6
    assert values['proband_people{outcome="done"}'] == 1
    assert values["proband_disk_free_bytes"] > 0
    assert {each.name for each in text_string_to_metric_families(text)} >= {"proband_up", "proband_answers"}
    assert re.fullmatch(r"(# (HELP|TYPE) \w+ [^\n]+\n|\w+(\{[^}\n]*\})? [0-9.e+-]+\n)+", text)
