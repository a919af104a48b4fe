"""The table that is proved is the table that ships."""

from __future__ import annotations

import shutil
import subprocess
import sys
from itertools import islice, product
from pathlib import Path

import pytest

from proband.suites.kinship.world.rules import load


@pytest.mark.parametrize(
    ("name", "folder"), [("sound", "proofs"), ("wide", "proofs/wide"), ("blended", "proofs/blended")]
)
def test_table_byte_for_byte(name: str, folder: str, root: Path) -> None:
    shipped = root / "src" / "proband" / "data" / "kinship" / f"{name}.toml"
    made = subprocess.run(
        [sys.executable, root / "proofs" / "table.py", shipped], capture_output=True, check=True, timeout=60
    ).stdout
    assert made == (root / folder / "Table.v").read_bytes()


@pytest.mark.parametrize("name", ["wide", "blended"])
@pytest.mark.nightly
def test_the_table_is_what_the_complete_search_finds(name: str, root: Path) -> None:
    derived = subprocess.run(
        [sys.executable, root / "proofs" / "derive.py", name], capture_output=True, check=True, timeout=60
    )
    assert derived.stdout.decode() == load(name).text


def test_the_wide_table_is_the_narrow_one_where_it_has_no_more_names() -> None:
    wide, sound = load("wide"), load("sound")
    for first, second in product(sound.neutrals, repeat=2):
        named = {name if name in sound.neutrals else "other" for name in wide.compose(first, second)}
        assert named == sound.compose(first, second)


def test_witnesses_are_families_in_which_two_steps_lead_to_the_outcome(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(root / "proofs")
    import witnesses  # type: ignore[import-not-found]

    found = list(islice(witnesses.witnesses(witnesses.STRICT), 4))
    assert found[0].startswith("(")
    assert len(set(found)) == 4


@pytest.mark.skipif(shutil.which("coqc") is None, reason="coq is not installed; `make prove` compiles all of it")
@pytest.mark.parametrize(("folder", "more"), [("proofs", ()), ("proofs/blended", ("Ground",))])
def test_world_and_table_compile(folder: str, more: tuple[str, ...], root: Path, tmp_path: Path) -> None:
    for name in ("World", "Table", *more):
        shutil.copy(root / folder / f"{name}.v", tmp_path)
        subprocess.run(["coqc", f"{name}.v"], cwd=tmp_path, check=True, timeout=120)
        assert (tmp_path / f"{name}.vo").is_file()


def test_the_steps_of_refutations_are_the_axioms_of_the_proof(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """refute.py has the clauses of Ground.v once more; a table with one outcome struck out cannot be refuted."""
    monkeypatch.syspath_prepend(root / "proofs")
    import refute  # type: ignore[import-not-found]

    ground = (root / "proofs" / "blended" / "Ground.v").read_text()
    assert all(f"| {name} " in ground for name in refute.AXIOMS)
    refuted = refute.Refuter()
    no, so = refute.no, refute.so
    child_of_parent = [no("Eq", 0, 1), so("Par", 0, 2), so("Par", 1, 2), no("sibling_kin", 0, 1)]
    assert refuted([*child_of_parent, no("half_sibling_kin", 0, 1)]).startswith("Step (")
    with pytest.raises(SystemExit, match="no contradiction"):
        refuted(child_of_parent)
