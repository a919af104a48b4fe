"""The licence: as the manifest states it, and as the hub spells it."""

from __future__ import annotations

import pytest

from proband.pipeline.export.source import hub_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Apache-2.0", "apache-2.0"),
        ("CC BY-NC 4.0", "cc-by-nc-4.0"),
        ("CC-BY-SA-3.0", "cc-by-sa-3.0"),
        ("cc by 4.0 (of the captions)", "cc-by-4.0"),
        ("CC BY-NC 4.0 (the templates are CLUTRR's; rules Proband's own, Apache-2.0)", "cc-by-nc-4.0"),
        ("captions CC BY 4.0, names Apache-2.0", "other"),  # two: a person must read
        ("that of the rows in data (CLUTRR's own: CC BY-NC 4.0)", "other"),
        ("WordNet licence (Princeton)", "other"),
        ("BATS 3.0: none stated by its source; do not redistribute", "other"),
        ("not stated", "unknown"),
    ],
)
def test_hub_name(text: str, name: str) -> None:
    assert hub_name(text) == name
