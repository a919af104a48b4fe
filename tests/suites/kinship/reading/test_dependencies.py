"""The second reader: what it must not read, what it reads, and that it agrees with the first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proband.suites.kinship.reading.dependencies import read_parsed_story
from proband.suites.kinship.reading.rows import read_by_grammar, read_by_parse
from proband.suites.kinship.world.relations import INVERSE

ROWS = Path(__file__).parents[4] / "benchmarks" / "reading"

pytest.importorskip("proband_english")


@pytest.mark.parametrize(
    "text",
    [
        "Rita is not the aunt of Joel.",
        "Hugo dreamt that Marta was his sister.",
        "Everyone said that Marta was the sister of Hugo.",
        "If Marta is the sister of Hugo, all is well.",
        "Tomas has been like a brother to Ilse.",
        "Peter was once the husband of Carol.",
        "Victor is Anna's husband in name only.",
        "Helga is Jonas's stepmother.",
        "Ann's sister Bea rang her aunt Cleo.",
        "Tom has three sons, Bob and Al.",
        "M\N{CYRILLIC SMALL LETTER A}ria is Leo's mother.",
    ],
)
def test_what_is_not_said_is_not_read(text: str) -> None:
    assert read_parsed_story(text).unread is not None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Helen is the mother of Karen's husband David.", {"David husband Karen", "Helen mother David"}),
        ("Kwame, the son of Abena, works on the ferries.", {"Kwame son Abena"}),
        ("Maria gave birth to Leo in 1988.", {"Leo child Maria"}),
        ("Trevor is married to Denise.", {"Denise spouse Trevor"}),
        ("Ade, Bola and Chidi are brothers.", {"Bola brother Ade", "Chidi brother Ade", "Chidi brother Bola"}),
        ("Grace, who is the mother of Tim, has a sister called Faye.", {"Grace mother Tim", "Faye sister Grace"}),
    ],
)
def test_what_is_said_is_read(text: str, told: set[str]) -> None:
    story = read_parsed_story(text)
    assert story.unread is None, story.unread
    assert {str(fact).replace(" is the ", " ").replace(" of ", " ") for fact in story.facts} == told


def _facts(reading: Any) -> set[tuple[str, str, str]]:
    named = [(f.who, f.relation, f.of) for f in reading.facts if "'s " not in f.who + f.of]
    return {min((a, r, b), (b, INVERSE[r], a)) for a, r, b in named}


@pytest.mark.slow
def test_where_both_read_they_nearly_always_agree() -> None:
    """Two ways to read the same rows; where they differ, the auditor takes neither."""
    same = other = 0
    for line in (ROWS / "kinship_dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        first = read_by_grammar(row["text"], row["question"], {})
        second = read_by_parse(row["text"], row["question"], {})
        if not (first.unread or second.unread):
            same += _facts(first) == _facts(second)
            other += _facts(first) != _facts(second)
    assert same > 80
    assert other < 10
