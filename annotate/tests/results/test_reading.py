"""What the command line reads of a project."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proband_annotate.create import init

if TYPE_CHECKING:
    from annotate.tests.visitors import (
        CONTACT,
        questionnaires,
        simulate,
        write_lines,
    )
else:
    from visitors import CONTACT, questionnaires, simulate, write_lines


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
