"""People's English about places, times and sizes: what is read, and what is wrongly said of it.

    python benchmarks/reading/other_domains.py [FILE]

Each row of the file (default: `grid_temporal_dev.jsonl`, beside this) has a text, a question, a label, what is true,
and whether the label was planted wrong. Rows were written without knowledge of the phrases.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from proband.pipeline.checking import provers_of_suites
from proband.proof.rows import AuditRow
from proband.proof.run import judge_for
from proband.proof.verdicts import RowJudge

HERE = Path(__file__).parent


ARTICLES = {"the", "a", "an"}


def measure(path: Path = HERE / "grid_temporal_dev.jsonl") -> dict[str, Any]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    provers, wrong = provers_of_suites(), Counter[str]()
    read: dict[str, Counter[str]] = {}
    judges = {name: judge_for(name, provers) for name in ("grid", "temporal", "sizes")}
    for row in rows:
        domain = "sizes" if row["domain"] == "size" else row["domain"]
        judged = judges[domain].judge(
            AuditRow(
                file=path.name,
                line=1,
                key="",
                cells={},
                text=row["text"],
                question=row["question"],
                answer=row["answer"],
            )
        )
        kind = judged.verdict + (", one reading" if judged.one_reading else "")
        read.setdefault(domain, Counter())["unread" if judged.verdict == "unread" else "read"] += 1
        wrong["right labels accused"] += not row["planted"] and judged.accused
        wrong["wrong labels called entailed"] += bool(row["planted"]) and judged.verdict == "entailed"
        corrected = judged.verdict == "false" and judged.accused and bool(judged.right)
        wrong["labels corrected"] += corrected
        wrong["right labels corrected"] += corrected and not row["planted"]
        wrong["labels wrongly corrected"] += corrected and not _is_true(judged.right, row["truth"], judges[domain])
        read.setdefault("verdicts", Counter())[kind] += 1
    return {**{name: dict(counts) for name, counts in read.items()}, **wrong}


def _is_true(right: str, truth: str, judge: RowJudge) -> bool:
    """Is it what the row holds for true: the same relation, or the same thing by all or some of its words?"""
    word = judge.domain.word(truth)
    return (
        judge.domain.word(right) == word
        if word
        else set(truth.lower().split()) - ARTICLES <= set(right.lower().split())
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=HERE / "grid_temporal_dev.jsonl")
    options = parser.parse_args()
    print(json.dumps(measure(options.file), indent=2))


if __name__ == "__main__":
    main()
