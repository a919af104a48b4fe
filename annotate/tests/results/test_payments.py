"""Payments, bonuses and codes as a table."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proband.cli import main
from proband_annotate.erasing import erase
from proband_annotate.results.payments import payments
from proband_annotate.results.reading import collected
from proband_annotate.store import people as people_store
from proband_annotate.store.remarks import grant
from proband_annotate.store.schema import people

if TYPE_CHECKING:
    from annotate.tests.assigning import advance, come, opened, send
    from annotate.tests.visitors import (
        Come,
        finished,
        joined,
    )
else:
    from assigning import advance, come, opened, send
    from visitors import Come, finished, joined


@pytest.mark.parametrize(("bonus", "totals"), [(0.0, [0.5, 0.0, 0.0]), (3.0, [3.5, 3.0, 3.0])])
def test_pages_payments_and_erasure_agree(bonus: float, totals: list[float], tmp_path: Path, address: str) -> None:
    """A person at work, an expert, and one whose answers came from another tool; with a bonus and without."""
    study = opened(tmp_path, address, units=8, pay={"per-unit": 0.5, "per-visit": 2.0})
    come(study, "worker")
    send(study, "worker", advance(study, "worker").unit)
    arrive: dict[str, Any] = {"worker": "expert", "source": "url", "panel": "expert", "signals": False}
    study.database.write(lambda c: people_store.arrive(c, **arrive))
    row: dict[str, Any] = {
        "worker": "imported",
        "source": "potato",
        "panel": "crowd",
        "created": 1.0,
        "outcome": "done",
    }
    study.database.write(lambda c: c.execute(people.insert().values(**row)))
    for number in (1, 2, 3) if bonus else ():
        study.database.write(lambda c, number=number: grant(c, number, bonus, "thanks"))  # type: ignore[misc]
    names = ("worker", "expert", "imported")
    assert [float(advance(study, name).payment.total) for name in names] == totals
    found = collected(study.folder)
    assert [float(found.payment_of(person).total) for person in found.people] == totals
    lines = {line["person"]: line["total"] for line in payments(found, study.secret)}
    assert lines == {number: total for number, total in enumerate(totals, start=1) if total}
    for name, total in zip(names, totals, strict=True):
        assert erase(study.folder, study.database, name).still_paid == ([f"{total:.2f} USD"] if total else [])
    study.database.close()


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

    (tmp_path / "ids.txt").write_text("ann\nben\nnobody\nann\n")
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
