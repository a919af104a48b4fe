"""Payments, bonuses and codes as a table."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proband.cli import main

if TYPE_CHECKING:
    from annotate.tests.visitors import (
        Come,
        finished,
        joined,
    )
else:
    from visitors import Come, finished, joined


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
