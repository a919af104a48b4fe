"""Phrases that readers stumbled over stay out of the documentation, the help and the messages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PHRASES = [
    line
    for line in (ROOT / "docs" / "phrases.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "src" / "proband").rglob("*.py")),
    *sorted((ROOT / "src" / "proband").rglob("*.html")),
    *sorted((ROOT / "experiments").rglob("README.md")),
    *sorted((ROOT / "benchmarks").rglob("*.md")),
    *sorted((ROOT / "plugins").rglob("*/src/**/*.py")),
    *sorted((ROOT / "annotate" / "src").rglob("*.py")),
    *sorted((ROOT / "annotate" / "src").rglob("*.html")),
]


def plain(text: str) -> str:
    """One line, lower case, without the marks that split a sentence over lines of code."""
    return re.sub(r"[\s\"'#*`]+", " ", text).lower()


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {
        str(page.relative_to(ROOT)): plain(page.read_text(encoding="utf-8"))
        for page in PAGES
        if page.parent.name != "decisions"  # they may quote what they replace
    }


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_does_not_come_back(phrase: str, texts: dict[str, str]) -> None:
    words = plain(phrase).strip()
    wanted = re.compile(rf"\b{re.escape(words)}\b")
    found = [page for page, text in texts.items() if words in text and wanted.search(text)]
    assert not found, f"{phrase!r}: write it as docs/phrases.txt says"


def test_the_list_is_one_of_whole_phrases() -> None:
    assert len(PHRASES) >= 15
    assert all(len(phrase.split()) > 1 for phrase in PHRASES)
