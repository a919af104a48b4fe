"""`proband export`."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any


def test_csv_holds_every_item(proband: Any, items: Path) -> None:
    text = proband("export", items, "--to", "csv", "-o", items.parent / "items.csv")
    assert text.startswith(f"12 items as csv in {items.parent / 'items.csv'}\n")
    with open(items.parent / "items.csv", newline="", encoding="utf-8") as file:
        assert [row["id"] for row in csv.DictReader(file)] == [f"sum-{n}" for n in range(12)]
    assert proband.json("export", items, "--to", "csv", "-o", items.parent / "items.csv")["items"] == 12
