"""CLUTRR's releases: verdicts by release, split and k, and the rules of the printed proofs that do not hold.

    proband audit CLUTRR_RELEASES -o audit
    python experiments/audit/clutrr_releases.py CLUTRR_RELEASES audit

Joins `verdicts.jsonl` with the proofs of the rows. A label that does not follow is blamed on the first step of its
proof whose conclusion follows neither from the two facts of the step nor from all facts of the row.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from proband.suites.kinship.clutrr.rows import ClutrrRow, read_rows
from proband.suites.kinship.generate.released_rows import clutrr_files
from proband.suites.kinship.logic.search import entailed
from proband.suites.kinship.world.relations import NEUTRAL, Edge

VERDICTS = ("entailed", "ambiguous", "false", "inconsistent", "unread")
SHOWN = {"pibling": "uncle/aunt", "nibling": "nephew/niece"}


class ProofStep(NamedTuple):
    """Two facts and what is said to follow from them."""

    first: Edge
    second: Edge
    conclusion: Edge

    @property
    def rule(self) -> str:
        first, second, head = (SHOWN.get(NEUTRAL[r], NEUTRAL[r]) for _, r, _ in self)
        return f"{first}∘{second} → {head}"

    def follows(self, genders: Sequence[str], edges: Sequence[Edge]) -> bool:
        i, relation, j = self.conclusion
        return i != j and entailed(genders, edges, (i, j), relation)


def proof_of(row: ClutrrRow) -> Iterator[ProofStep]:
    """The proof from the facts up; steps of another shape are left out."""
    number = {name: x for x, name in enumerate(row.names)}
    for head, body in reversed(row.proof):
        facts = [*body, head]
        if len(facts) == 3 and all(a in number and b in number and r in NEUTRAL for a, r, b in facts):
            yield ProofStep(*((number[a], r, number[b]) for a, r, b in facts))


def unsound_steps(row: ClutrrRow) -> list[ProofStep]:
    return [step for step in proof_of(row) if not step.follows(row.genders, step[:2])]


def blamed(row: ClutrrRow, verdict: str) -> str:
    """The rule of a label that does not follow, "" where it does."""
    if verdict not in ("ambiguous", "false"):
        return ""
    wrong = (step.rule for step in unsound_steps(row) if not step.follows(row.genders, row.typed_facts))
    return next(wrong, "no rule")


def study(data: Path, audit: Path) -> tuple[dict[tuple[str, str, int], Counter[str]], Counter[str]]:
    """Verdicts by release, split and k; and how often each rule is blamed."""
    lines = map(json.loads, (audit / "verdicts.jsonl").read_text(encoding="utf-8").splitlines())
    verdicts = {(line["file"], line["row"]): line["verdict"] for line in lines}
    counts: defaultdict[tuple[str, str, int], Counter[str]] = defaultdict(Counter)
    rules: Counter[str] = Counter()
    for file in clutrr_files(data):
        for row in read_rows(file.path):
            verdict = verdicts.get((file.name, row.id), "unread")
            own = counts[file.path.parent.name, row.split, row.k]
            own.update(["rows", verdict, *(["uses an unsound rule"] if unsound_steps(row) else [])])
            rules.update(filter(None, [blamed(row, verdict)]))
    return dict(counts), rules


def main(data: Path, audit: Path) -> None:
    counts, rules = study(data, audit)
    print("| release | split | k | rows |", " | ".join(VERDICTS), "| uses an unsound rule |")
    for (release, split, k), own in sorted(counts.items()):
        print(f"| {release} | {split} | {k} |", " | ".join(str(own[n]) for n in ("rows", *VERDICTS)), end=" ")
        print(f"| {own['uses an unsound rule']} |")
    for rule, rows in rules.most_common():
        print(f"{rows:,} rows rest on {rule}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", type=Path)
    parser.add_argument("audit", type=Path)
    given = parser.parse_args()
    main(given.releases, given.audit)
