"""Reading people's English offline: what is read, accused and certified by the phrase reader and the parse reader.

    python benchmarks/reading/regression.py [FILE ...]

Rows were written without knowledge of the readers, a part of their labels planted wrong; the rows of `traps_*` say
something that is not so (hedged, ironic, hypothetical, past, negated, fiction), and `planted` is null where nothing
follows. *Read*: a verdict by at least one reader; *by both*: the two lead to the same verdict. *Wrong together*: both
read the row, agree, and accuse a right label, certify a wrong one or read a trap. Goals: nothing but zeros there.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from proband.pipeline.checking import provers_of_suites
from proband.proof.rows import AuditRow
from proband.proof.run import judge_for
from proband.proof.verdicts import Judge

HERE = Path(__file__).parent
COLUMNS = ("rows", "read", "by both", "accused right", "entailed wrong", "traps read", "wrong together")


@cache
def judge(domain: str) -> Judge:
    return judge_for(domain, provers_of_suites())


def figures(rows: list[dict[str, Any]], domain: str) -> Counter[str]:
    """The columns of the table for the rows of a domain."""
    counts: Counter[str] = Counter(rows=len(rows))
    for row in rows:
        cells = {key: row[key] for key in ("text", "question", "answer")}
        judged = judge(domain).judge(AuditRow(file="", line=1, key="", cells={}, **cells))
        if judged.verdict == "unread":
            continue
        counts["read"] += 1
        counts["by both"] += not judged.one_reading
        accused = row["planted"] is False and judged.verdict in ("false", "inconsistent", "ambiguous")
        entailed = row["planted"] is True and judged.verdict == "entailed"
        counts["accused right"] += accused and not judged.one_reading
        counts["entailed wrong"] += entailed
        counts["traps read"] += row["planted"] is None
        counts["wrong together"] += (accused or entailed or row["planted"] is None) and not judged.one_reading
    return counts


def main(paths: list[Path]) -> None:
    print(f"{'':44}" + "".join(f"{name:>16}" for name in COLUMNS))
    total: Counter[str] = Counter()
    for path in paths:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for row in rows:
            row["domain"] = {"size": "sizes"}.get(row.get("domain", ""), row.get("domain", "kinship"))
        for domain in sorted({row["domain"] for row in rows}):
            counts = figures([row for row in rows if row["domain"] == domain], domain)
            total += counts
            print(f"{path.stem + ' ' + domain:44}" + "".join(f"{counts[name]:16}" for name in COLUMNS), flush=True)
    print(f"{'all':44}" + "".join(f"{total[name]:16}" for name in COLUMNS))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE")
    main(parser.parse_args().files or sorted(HERE.glob("*.jsonl")))
