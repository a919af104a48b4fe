"""Puzzles for people: of a release, as many of each slice and length, and a word on what cannot be told."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from proband.core.files import encode
from proband.core.types import Item
from proband.suites.kinship.world.relations import UNDETERMINED
from proband_annotate.create import init
from proband_annotate.kinds.solve import SOLVE, shown, units
from proband_annotate.project import secret_of
from proband_annotate.results.reading import collected, export_project
from proband_annotate.store.migrate import open_study
from proband_annotate.store.people import decide
from proband_annotate.tokens import worker_hash

if TYPE_CHECKING:
    from annotate.tests.visitors import simulate
else:
    from visitors import simulate

SAMPLE = Path(__file__).resolve().parents[2] / "src" / "proband_annotate" / "samples" / "solve.jsonl"


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


def test_further_answers_and_earlier_exports_are_in_no_run(tmp_path: Path) -> None:
    """Two people disagree on one of eight puzzles, and a third answers it; then one is rejected."""
    folder, out = tmp_path / "study", tmp_path / "out"
    init(
        folder,
        kind="solve",
        items=SAMPLE,
        settings_given={"people": {"overlap": 2, "units-per-person": 0}, "quality": {"extra-overlap": 1}},
    )
    hard, first = json.loads(SAMPLE.read_text().splitlines()[0])["id"], worker_hash(secret_of(folder), "url", "a")

    def answers(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        wrong = unit["name"] == hard and worker != first
        choice = next(c for c in unit["body"]["choices"] if (c == unit["gold"]) != wrong)
        return {"choice": choice, "difficulty": 2, "overtime": False}

    simulate(folder, answers, people=["a", "b"])
    simulate(folder, answers, people=["c"])
    assert len(collected(folder).answers) == 17
    for people, runs in ((2, ["crowd-1", "crowd-2"]), (1, ["crowd-1"])):
        made = export_project(folder, to="suite", out=out)["runs"]["people (time limited)"]
        assert made == {"items": 8, "people_per_item": people}
        assert sorted(path.name for path in (out / "runs").iterdir()) == runs
        with closing(open_study(folder)) as database:
            database.write(lambda c: decide(c, 2, "rejected", "careless"))
