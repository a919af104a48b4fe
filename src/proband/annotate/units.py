"""Units: what a person works on at a time, one line of units.jsonl each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from proband.core.files import encode, read_records

Role = Literal["main", "trial", "gold", "attention"]


class Unit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`body` is the kind's own record and may hold what people must not see; `gold` the known answer of a check."""

    id: str
    role: Role = "main"
    clause: str = ""
    body: dict[str, Any]
    gold: Any = None
    barred: tuple[str, ...] = ()

    def row(self) -> dict[str, Any]:
        """As the database has it."""
        return {
            "name": self.id,
            "role": self.role,
            "clause": self.clause,
            "body": encode(self.body).decode(),
            "gold": None if self.gold is None else encode(self.gold).decode(),
            "barred": self.barred,
        }


def read_units(path: Path) -> Iterator[Unit]:
    return read_records(path, Unit, key="id")
