"""The table that is proved is the table that ships."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def test_table_byte_for_byte(root: Path) -> None:
    shipped = root / "src" / "proband" / "data" / "kinship" / "sound.toml"
    made = subprocess.run(
        [sys.executable, root / "proofs" / "table.py", shipped], capture_output=True, check=True, timeout=60
    ).stdout
    assert made == (root / "proofs" / "Table.v").read_bytes()


@pytest.mark.skipif(shutil.which("coqc") is None, reason="coq is not installed; `make prove` compiles all of it")
def test_world_and_table_compile(root: Path, tmp_path: Path) -> None:
    for name in ("World", "Table"):
        shutil.copy(root / "proofs" / f"{name}.v", tmp_path)
        subprocess.run(["coqc", f"{name}.v"], cwd=tmp_path, check=True, timeout=120)
        assert (tmp_path / f"{name}.vo").is_file()
