"""Tables of experiments are what the committed answers give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["rebuild.py", "release.py"])
def test_kinship_tables_are_rebuilt_from_the_committed_answers(root: Path, name: str) -> None:
    script = root / "experiments" / "kinship" / name
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
