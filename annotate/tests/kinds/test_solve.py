"""Puzzles for people: of a release, as many of each slice and length, and a word on what cannot be told."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from proband.core.files import encode
from proband.core.types import Item
from proband.suites.kinship.world.relations import UNDETERMINED
from proband_annotate.kinds.solve import SOLVE, shown, units


def puzzle(n: int, part: str, k: int) -> Item:
    choices = ("aunt", "niece", UNDETERMINED) if part == "abstention" else ("aunt", "niece")
    tags: dict[str, str | int | float | bool] = {"k": k, "slice": part}
    return Item(id=f"{part}-{k}-{n}", suite="kinship", prompt="A.\nB?", choices=choices, gold=n % 2, tags=tags)


def test_a_sample_is_drawn_by_slice_and_length(tmp_path: Path) -> None:
    sizes = {("clean", 2): 40, ("clean", 10): 40, ("long", 20): 90, ("abstention", 5): 5}
    items = [puzzle(n, *part) for part, size in sizes.items() for n in range(size)]
    (tmp_path / "items.jsonl").write_bytes(b"".join(encode(item) + b"\n" for item in items))
    found = list(units(tmp_path))
    assert Counter(unit.clause for unit in found) == {f"{part} {k}": size for (part, k), size in sizes.items()}
    assert {unit.body["slice"] for unit in found if shown(unit.body)["untold"]} == {"abstention"}


def test_figures_are_by_length_in_order_and_by_slice() -> None:
    given = [
        SimpleNamespace(
            unit=f"{part}-{k}",
            body={"k": k, "slice": part},
            answer={"choice": "aunt", "difficulty": 2, "overtime": False},
            gold="aunt" if k > 2 else "niece",
            seconds=9.0,
        )
        for part, k in (("clean", 2), ("clean", 10), ("long", 20))
    ]
    results: Any = SimpleNamespace(counted=lambda panel="crowd": given if panel == "crowd" else [])
    assert SOLVE.figures is not None
    made = SOLVE.figures(results)
    assert [name for name in made if name.startswith("time_limited, k")] == [
        f"time_limited, k = {k}" for k in (2, 10, 20)
    ]
    assert made["time_limited, clean"]["here"] == 0.5
    assert made["time_limited, long"]["here"] == 1.0
