"""What an error says."""

from __future__ import annotations

from pathlib import Path

from proband.core.errors import ProbandError


def test_a_link_in_a_circle_is_named_so(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert "leads in a circle" in str(ProbandError("no such file or folder", file=tmp_path / "a"))
    assert "no such file" in str(ProbandError("no such file or folder", file=tmp_path / "c"))
