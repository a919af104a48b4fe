"""Rows of people's English (benchmarks/reading): no right label is accused, no wrong one certified, no trap is read."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from proband.pipeline.checking import provers_of_suites
from proband.proof.rows import AuditRow
from proband.proof.run import judge_for
from proband.proof.verdicts import Judge

FOLDER = Path(__file__).parents[2] / "benchmarks" / "reading"
READ = {"kinship_third": 0.55, "kinship_sixth": 0.6, "kinship_dev": 0.3}  # at least
IN_MAKE_TEST = ("kinship_third", "kinship_sixth", "traps_third", "traps_sixth", "grid_temporal_sixth")


@cache
def judge(domain: str) -> Judge:
    return judge_for(domain, provers_of_suites(), world="strict" if domain == "kinship" else "")


def check(name: str) -> None:
    rows = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    read = 0
    for row in rows:
        domain = {"size": "sizes"}.get(row.get("domain", ""), row.get("domain", "kinship"))
        cells = {key: row[key] for key in ("text", "question", "answer")}
        judged = judge(domain).judge(AuditRow(file="", line=1, key="", cells={}, **cells))
        read += judged.verdict != "unread"
        if row["planted"] is None:
            assert not judged.accused, row["text"]
            assert judged.verdict in ("unread", "ambiguous") or judged.one_reading, row["text"]
        elif row["planted"]:
            assert judged.verdict != "entailed", row["text"]
        else:
            assert not judged.accused, row["text"]
    assert read >= READ.get(name, 0) * len(rows)


@pytest.mark.parametrize("name", IN_MAKE_TEST)
def test_zeros(name: str) -> None:
    check(name)


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted({path.stem for path in FOLDER.glob("*.jsonl")} - {*IN_MAKE_TEST}))
def test_zeros_of_the_other_sets(name: str) -> None:
    check(name)
