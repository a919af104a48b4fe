"""The table that is proved is the table that ships."""

from __future__ import annotations

import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from proband.suites.kinship.world.rules import load


@pytest.mark.parametrize(("name", "folder"), [("sound", "proofs"), ("wide", "proofs/wide")])
def test_table_byte_for_byte(name: str, folder: str, root: Path) -> None:
    shipped = root / "src" / "proband" / "data" / "kinship" / f"{name}.toml"
    made = subprocess.run(
        [sys.executable, root / "proofs" / "table.py", shipped], capture_output=True, check=True, timeout=60
    ).stdout
    assert made == (root / folder / "Table.v").read_bytes()


def test_the_wide_table_is_what_the_complete_search_finds_and_the_narrow_one_where_it_has_no_more_names(
    root: Path,
) -> None:
    derived = subprocess.run(
        [sys.executable, root / "proofs" / "derive.py"], capture_output=True, check=True, timeout=60
    )
    assert derived.stdout.decode() == load("wide").text
    wide, sound = load("wide"), load("sound")
    for first, second in product(sound.neutrals, repeat=2):
        named = {name if name in sound.neutrals else "other" for name in wide.compose(first, second)}
        assert named == sound.compose(first, second)


@pytest.mark.skipif(shutil.which("coqc") is None, reason="coq is not installed; `make prove` compiles all of it")
def test_world_and_table_compile(root: Path, tmp_path: Path) -> None:
    for name in ("World", "Table"):
        shutil.copy(root / "proofs" / f"{name}.v", tmp_path)
        subprocess.run(["coqc", f"{name}.v"], cwd=tmp_path, check=True, timeout=120)
        assert (tmp_path / f"{name}.vo").is_file()
