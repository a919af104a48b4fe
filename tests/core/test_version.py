"""One version number everywhere."""

from __future__ import annotations

import tomllib
from pathlib import Path

from proband import __version__


def test_one_version_number(root: Path) -> None:
    import yaml

    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((root / "CITATION.cff").read_text())
    assert "version" in project["dynamic"], "it stands in src/proband/__init__.py"
    assert __version__ == citation["version"]
    assert f"## {__version__}" in (root / "CHANGELOG.md").read_text()
    assert len(citation["references"]) == 4, "all four papers"
