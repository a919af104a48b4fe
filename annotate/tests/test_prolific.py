"""Prolific's API against a recorded server: a dry run changes nothing, each bonus is paid once, whatever goes wrong."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proband.cli import main
from proband.core.errors import ProbandError
from proband_annotate.create import init
from proband_annotate.erasing import erase_by_name
from proband_annotate.project import secret_of
from proband_annotate.prolific import act
from proband_annotate.results.reading import pay_file
from proband_annotate.site.context import open_project
from proband_annotate.store import people as people_store
from proband_annotate.store.remarks import grant
from proband_annotate.tokens import worker_hash

if TYPE_CHECKING:
    from annotate.tests.prolific_server import TOKEN, Prolific
    from annotate.tests.visitors import edit, questionnaires, simulate, write_lines
else:
    from prolific_server import TOKEN, Prolific
    from visitors import edit, questionnaires, simulate, write_lines

NAMES = ["ann", "ben", "cat"]


def yes_to_all(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
    return {"labels": {c["id"]: "yes" for c in unit["body"]["candidates"]}}


@pytest.fixture
def folder(tmp_path: Path, address: str) -> Path:
    """A study that three people from Prolific have finished: 0.40 a person, of which Prolific pays 0.10 by itself."""
    items = write_lines(tmp_path / "q.jsonl", questionnaires(4, 2))
    pay = {"pay": {"per-unit": 0.1, "per-visit": 0.1}, "people": {"overlap": 3}, "database": address}
    init(tmp_path / "study", kind="judge", items=items, settings_given=pay)
    simulate(tmp_path / "study", yes_to_all, people=NAMES, source="prolific")
    return tmp_path / "study"


@pytest.fixture
def prolific(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Prolific]]:
    running: list[Prolific] = []

    def start(names: list[str], **about: Any) -> Prolific:
        running.append(Prolific(names, **about))
        monkeypatch.setenv("PROLIFIC_API", running[-1].url)
        monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
        return running[-1]

    yield start
    for each in running:
        each.close()


def in_study(folder: Path, work: Callable[[Any, int], Any], name: str = "ann") -> None:
    study = open_project(folder)
    worker = worker_hash(secret_of(folder), "prolific", name)

    def find_and_work(connection: Any) -> None:
        person = people_store.find(connection, worker)
        assert person is not None
        work(connection, person.id)

    study.database.write(find_and_work)
    study.database.close()


def test_a_dry_run_changes_nothing(folder: Path, prolific: Callable[..., Prolific]) -> None:
    there = prolific([*NAMES, "stranger"], status="APPROVED")
    made = act(folder, "bonus", study="study-1")
    assert made["would_pay"] == {"ann": "0.30", "ben": "0.30", "cat": "0.30"}
    assert act(folder, "approve", study="study-1")["would_approve"] == []
    assert act(folder, "message", study="study-1", text="Hello")["would_send"] == NAMES
    assert (there.paid, there.messages, there.batches) == ({}, [], {})
    assert not [each for each in there.requests if each.startswith("POST")]


def test_only_approved_people_are_approved_and_only_then_paid(folder: Path, prolific: Callable[..., Prolific]) -> None:
    there = prolific(NAMES)
    assert act(folder, "bonus", study="study-1", yes=True)["paid"] == {}
    in_study(folder, lambda c, number: people_store.decide(c, number, "approved", ""))
    made = act(folder, "approve", study="study-1", yes=True)
    assert (made["approved"], made["not_approved_here"]) == (["ann"], 2)
    assert [each["status"] for each in there.submissions] == ["APPROVED", "AWAITING REVIEW", "AWAITING REVIEW"]
    assert act(folder, "approve", study="study-1", yes=True)["approved"] == []
    assert act(folder, "bonus", study="study-1", yes=True)["paid"] == {"ann": "0.30"}
    assert there.paid == {"ann": 30}


def test_each_bonus_is_paid_once_and_what_is_granted_later_is_added(
    folder: Path, tmp_path: Path, prolific: Callable[..., Prolific]
) -> None:
    there = prolific(NAMES, status="APPROVED")
    (tmp_path / "ids.txt").write_text("\n".join(NAMES))
    for _ in range(3):
        act(folder, "bonus", study="study-1", yes=True)
    pay_file(folder, to="prolific", out=tmp_path / "bulk.csv", workers=tmp_path / "ids.txt", source="prolific")
    assert (tmp_path / "bulk.csv").read_text() == "", "what was paid is not written for the bulk bonus either"
    assert there.paid == {"ann": 30, "ben": 30, "cat": 30}
    in_study(folder, lambda c, number: grant(c, number, 0.5, "well done"))
    assert act(folder, "bonus", study="study-1", yes=True)["paid"] == {"ann": "0.50"}
    assert act(folder, "bonus", study="study-1", yes=True)["paid"] == {}
    assert there.paid == {"ann": 80, "ben": 30, "cat": 30}
    erase_by_name(folder, "ann", "prolific")
    act(folder, "bonus", study="study-1", yes=True)
    assert there.paid == {"ann": 80, "ben": 30, "cat": 30}
    pay_file(folder, to="csv", out=tmp_path / "p.csv")
    lines = [line.split(",") for line in (tmp_path / "p.csv").read_text().splitlines()]
    erased = dict(zip(lines[0], lines[-1], strict=True))
    assert [erased[name] for name in ("outcome", "by_platform", "bonus")] == ["erased", "0.9", "0.0"]


@pytest.mark.parametrize(
    ("fault", "found"),
    [("lost before", "unpaid"), ("lost after", "paid"), ("moved", "unpaid"), ("no JSON after", "paid")],
)
def test_a_payment_without_a_reply_is_never_tried_again_by_itself(
    fault: str, found: str, folder: Path, prolific: Callable[..., Prolific]
) -> None:
    there = prolific(NAMES, status="APPROVED")
    there.fault = fault
    with pytest.raises(ProbandError, match="unknown whether batch batch-1 was paid"):
        act(folder, "bonus", study="study-1", yes=True)
    before = there.paid.copy()
    for _ in range(2):
        with pytest.raises(ProbandError, match="--settle batch-1=paid or --settle batch-1=unpaid"):
            act(folder, "bonus", study="study-1", yes=True)
    assert there.paid == before
    act(folder, "bonus", study="study-1", settle=f"batch-1={found}", yes=True)
    act(folder, "bonus", study="study-1", yes=True)
    assert there.paid == dict.fromkeys(NAMES, 30)
    for yes in (True, False):
        with pytest.raises(ProbandError, match="no batch 'batch-1' waits for an outcome"):
            act(folder, "bonus", study="study-1", settle="batch-1=unpaid", yes=yes)


def test_a_refused_payment_can_be_tried_again(folder: Path, prolific: Callable[..., Prolific]) -> None:
    there = prolific(NAMES, status="APPROVED")
    there.fault = "refused"
    with pytest.raises(ProbandError, match="Not enough balance"):
        act(folder, "bonus", study="study-1", yes=True)
    assert there.paid == {}
    act(folder, "bonus", study="study-1", yes=True)
    assert there.paid == dict.fromkeys(NAMES, 30)


def test_a_bonus_is_paid_in_the_currency_that_was_agreed_to(
    folder: Path, tmp_path: Path, prolific: Callable[..., Prolific]
) -> None:
    """Ann, Ben and Cat agreed to USD, Dan to EUR."""
    edit(folder, 'currency = "USD"', 'currency = "EUR"')
    edit(folder, "overlap = 3", "overlap = 4")
    simulate(folder, yes_to_all, people=["dan"], source="prolific")
    there = prolific([*NAMES, "dan"], status="APPROVED", currency="EUR")
    made = act(folder, "bonus", study="study-1", yes=True)
    assert (made["paid"], made["currency"]) == ({"dan": "0.30"}, "EUR")
    assert made["not_paid_in_another_currency"] == dict.fromkeys(NAMES, "USD")
    assert there.paid == {"dan": 30}
    (tmp_path / "ids.txt").write_text("ann\ndan\nann\n")
    about: dict[str, Any] = {"workers": tmp_path / "ids.txt", "source": "prolific"}
    made = pay_file(folder, to="csv", out=tmp_path / "p.csv", **about)
    assert (made["people"], made["total"]) == (2, {"USD": 0.4, "EUR": 0.4}), "who is listed twice is paid once"
    with pytest.raises(ProbandError, match=r"ids.txt: ann: agreed to be paid in another currency than EUR"):
        pay_file(folder, to="prolific", out=tmp_path / "bulk.csv", **about)


def test_commands_at_the_same_time_pay_once(folder: Path, prolific: Callable[..., Prolific]) -> None:
    there = prolific(NAMES, status="APPROVED")

    def pay() -> None:
        try:
            act(folder, "bonus", study="study-1", yes=True)
        except ProbandError as error:
            assert "another command" in str(error) or "unknown whether" in str(error)

    threads = [threading.Thread(target=pay) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert there.paid == dict.fromkeys(NAMES, 30)


def test_messages_are_sent_once_each_and_by_the_command_line(
    folder: Path, prolific: Callable[..., Prolific], capsys: pytest.CaptureFixture[str]
) -> None:
    there = prolific(["ann", "ben", "stranger"])
    words = ["annotate", "prolific", str(folder), "message", "--study", "study-1", "--text", "Thank you!", "--json"]
    assert main([*words, "--yes"]) == 0
    assert json.loads(capsys.readouterr().out)["sent"] == ["ann", "ben"]
    assert main([*words, "--yes"]) == 0
    assert there.messages == [("ann", "Thank you!"), ("ben", "Thank you!")]


def test_what_is_missing_or_does_not_fit_is_said(
    folder: Path, prolific: Callable[..., Prolific], monkeypatch: pytest.MonkeyPatch
) -> None:
    there = prolific(NAMES, status="APPROVED", currency="GBP")
    with pytest.raises(ProbandError, match=r"'pay\.currency' is USD, but the study at Prolific is in GBP"):
        act(folder, "bonus", study="study-1", yes=True)
    with pytest.raises(ProbandError, match="--text is empty"):
        act(folder, "message", study="study-1", text=" ", yes=True)
    with pytest.raises(ProbandError, match="write BATCH=paid or BATCH=unpaid"):
        act(folder, "bonus", study="study-1", settle="batch-1", yes=True)
    there.close()
    monkeypatch.setenv("PROLIFIC_API", "http://127.0.0.1:9")
    with pytest.raises(ProbandError, match="does not answer"):
        act(folder, "bonus", study="study-1", yes=True)
    monkeypatch.delenv("PROLIFIC_TOKEN")
    with pytest.raises(ProbandError, match="PROLIFIC_TOKEN is not set"):
        act(folder, "bonus", study="study-1", yes=True)
