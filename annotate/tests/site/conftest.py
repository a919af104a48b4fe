"""A study that its owner looks at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proband_annotate.create import init

if TYPE_CHECKING:
    from annotate.tests.visitors import Owner, questionnaires, simulate, write_lines
else:
    from visitors import Owner, questionnaires, simulate, write_lines


LABELS = ("yes", "no", "nonsense")


@pytest.fixture
def dashboard(tmp_path: Path, served: Callable[[Path], Any]) -> Any:
    """A study of five questions, answered by two people who disagree on everything."""
    items = write_lines(tmp_path / "q.jsonl", questionnaires(5, 4))
    folder = tmp_path / "study"
    made = init(folder, kind="judge", items=items, settings_given={"people": {"overlap": 2}})
    said: dict[str, str] = {}

    def labels(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        mine = said.setdefault(worker, LABELS[len(said) % 3])
        return {"labels": {c["id"]: mine for c in unit["body"]["candidates"]}}

    simulate(folder, labels, people=2)
    owner = Owner(served(folder).url, folder, made["password"])
    yield folder, owner
    owner.client.close()
