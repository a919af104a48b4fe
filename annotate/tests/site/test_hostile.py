"""A few hostile strings in every field of every kind, on every page of people and owner and in the exports, in a real
browser; benchmarks/annotate_hostile.py has 200 of them, and the reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from annotate.tests.attacking import attack
    from annotate.tests.hostile_strings import hostile
else:
    from attacking import attack
    from hostile_strings import hostile

KINDS = ("write", "review", "judge", "simplify", "solve")
BY_DAY = ("judge",)


@pytest.mark.parametrize(
    "kind", [kind if kind in BY_DAY else pytest.param(kind, marks=pytest.mark.nightly) for kind in KINDS]
)
def test_no_hostile_string_runs(kind: str, tmp_path: Path, tab: Any) -> None:
    watch, _ = attack(tab, tmp_path, kind, hostile(2))
    assert watch.ran == []
    assert watch.pages >= 10


@pytest.mark.nightly
def test_a_string_that_is_not_escaped_is_found(tmp_path: Path, tab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from proband.core.files import environment

    monkeypatch.setattr(environment("proband_annotate.web", "proband_annotate.kinds"), "autoescape", False)
    environment("proband_annotate.web", "proband_annotate.kinds").cache.clear()
    watch, _ = attack(tab, tmp_path, "simplify", hostile(1))
    environment("proband_annotate.web", "proband_annotate.kinds").cache.clear()
    assert watch.ran
