"""`paper` from end to end on a small folder in BATS' own shape, with models one can see through."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.suites.analogy import SUITE
from proband.suites.analogy.relations import Relation
from proband.suites.analogy.sources import bats
from proband.suites.analogy.templates import TEMPLATES

FILES = {
    "capital : country": "3_Encyclopedic_semantics/E01 [country - capital].txt",
    "person : occupation": "3_Encyclopedic_semantics/E05 [name - occupation].txt",
    "antonym": "4_Lexicographic_semantics/L10 [antonyms - binary].txt",
    "adjective + ness": "2_Derivational_morphology/D05 [adj+ness_reg].txt",
    "verb : gerund": "1_Inflectional_morphology/I06 [verb_inf - Ving].txt",
}


@pytest.fixture
def folder(own: list[Relation], tmp_path: Path) -> Path:
    """Our own lists, twelve tuples each, under BATS' file names."""
    for relation in own:
        if relation.name in FILES:
            path = tmp_path / "bats" / FILES[relation.name]
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [f"{t.head.replace(' ', '_')}\t{'/'.join(t.tails)}\n" for t in relation.tuples[:12]]
            path.write_text("".join(lines).replace("tennis player", "tennis_player"))
    return tmp_path


@pytest.mark.slow
def test_tables_claims_and_extras(
    folder: Path, tmp_path: Path, own: list[Relation], oracle: Callable[..., Any], planes: Callable[..., Any]
) -> None:
    relations = bats.read(folder / "bats")
    assert [r.name for r in relations][:2] == ["country : capital", "name : occupation"]
    models = [("hf:oracle", oracle(relations, TEMPLATES["what-is-to"])), ("vec:planes", planes(relations))]
    assert SUITE.paper is not None
    out = tmp_path / "out"
    told = SUITE.paper(
        data=folder, out=out, models=models, seed=0, zero_shot="all", supervised="all", retrieval="yes", probing=True
    )
    assert told["models"] == ["hf:oracle", "vec:planes"]
    assert told["items"] == {"zero-shot": 5 * 3 * 60, "supervised": 5 * 3 * 120}
    table = (out / "table1.md").read_text()
    assert "| ES | RoB-Large | 62.50 |" in table
    assert table.count("**hf:oracle**") == 5
    for name in (
        "table1.tex",
        "table1.csv",
        "table2.csv",
        "averages.md",
        "frequency.md",
        "claims.md",
        "retrieval-vec-planes.md",
    ):
        assert (out / name).stat().st_size > 50, name
    assert (out / "probing-vec-planes.md").exists()
    assert "(99.15)" in (out / "table2-vec-planes-supervised.md").read_text()  # published, beside ours
    verdicts = json.loads((out / "claims.json").read_text())
    assert {v["verdict"] for v in verdicts} <= {"holds", "fails", "inside the noise"}
    assert any(v["claim"].startswith("frequency") for v in verdicts)
    before = {path.name: path.read_bytes() for path in out.glob("*.*")}
    models[0][1].asked.clear()
    SUITE.paper(data=folder, out=out, models=models, seed=0, zero_shot="all", supervised="all")
    assert not models[0][1].asked  # answers were kept
    assert before == {path.name: path.read_bytes() for path in out.glob("*.*")}


def test_templates_and_scoring_variants(folder: Path, tmp_path: Path, coin: Callable[..., Any]) -> None:
    relations = bats.read(folder / "bats")

    class AnyTemplate(coin):  # type: ignore[misc, valid-type]
        name = "fake:any"

    model = AnyTemplate(relations, TEMPLATES["what-is-to"])
    assert SUITE.paper is not None
    told = SUITE.paper(
        data=folder / "bats", out=tmp_path / "o", models=[("hf:coin", model)], seed=0,
        zero_shot="20", supervised="no", templates="yes", scoring="yes", frequency="no",
    )  # fmt: skip
    assert told["extras"] == ["templates-hf-coin.md", "scoring-hf-coin.md"]
    study = (tmp_path / "o" / "templates-hf-coin.md").read_text()
    assert all(f"| {name} |" in study for name in TEMPLATES)
    assert "| pll, PMI |" in (tmp_path / "o" / "scoring-hf-coin.md").read_text()


@pytest.mark.parametrize("settings", [{"zero_shot": "many"}, {"colour": "red"}, {"templates": "perhaps"}])
def test_bad_settings_are_refused(folder: Path, tmp_path: Path, settings: dict[str, str]) -> None:
    assert SUITE.paper is not None
    with pytest.raises(ProbandError):
        SUITE.paper(data=folder, out=tmp_path / "o", models=[], seed=0, **settings)


def test_without_models_the_published_tables_stand_alone(folder: Path, tmp_path: Path) -> None:
    assert SUITE.paper is not None
    SUITE.paper(data=folder, out=tmp_path / "o", models=[], seed=0)
    assert (tmp_path / "o" / "table1.md").read_text().count("\n") == 2 + 20
