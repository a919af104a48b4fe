"""Tables of experiments are what the committed answers give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.nightly
def test_kinship_tables_are_rebuilt_from_the_committed_answers(root: Path) -> None:
    script = root / "experiments" / "kinship" / "rebuild.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
