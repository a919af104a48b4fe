"""Which conclusions depend on the wording? The zero-shot probes under every template (section 6 names this a limit).

Per template the accuracy by group and probe; over templates the mean, the spread and the range; and the claims about
probes and groups, each counted by how many templates it holds, fails or drowns under. A conclusion flips if it holds
under one template and fails under another.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proband.core.types import Answer, Item
from proband.suites.analogy.claims import group_claims, probe_claims
from proband.suites.analogy.probes import PAPER_PROBES
from proband.suites.analogy.results import ROWS, Cell, cells_of, in_group, macro


@dataclass(frozen=True)
class Study:
    """`accuracy[template][group, probe]`, and the verdicts of each claim by template."""

    model: str
    accuracy: Mapping[str, Mapping[tuple[str, str], float]]
    verdicts: Mapping[str, Mapping[str, str]]  # claim -> template -> verdict

    def flips(self) -> list[str]:
        """The claims that hold under one template and fail under another."""
        return [claim for claim, said in self.verdicts.items() if {"holds", "fails"} <= set(said.values())]


def study(model: str, items: Sequence[Item], answers: Mapping[str, Sequence[Answer]], *, seed: int) -> Study:
    """From each template's answers to the same zero-shot items."""
    accuracy: dict[str, dict[tuple[str, str], float]] = {}
    verdicts: dict[str, dict[str, str]] = {}
    for template, said in answers.items():
        cells = cells_of(model, items, said)
        accuracy[template] = {
            (group, probe): value
            for group in ROWS
            for probe in PAPER_PROBES
            if (value := macro(_of(cells, group, probe))) is not None
        }
        for verdict in (*probe_claims(cells, seed=seed), *group_claims(cells, seed=seed)):
            verdicts.setdefault(verdict.claim, {})[template] = verdict.verdict
    return Study(model, accuracy, verdicts)


def _of(cells: Sequence[Cell], group: str, probe: str) -> list[Cell]:
    return [cell for cell in in_group(cells, group) if cell.probe == probe]


def markdown(found: Study) -> str:
    """Accuracies per template with mean, standard deviation and range, then the claims."""
    templates = list(found.accuracy)
    columns = [key for key in found.accuracy[templates[0]] if all(key in found.accuracy[t] for t in templates)]
    lines = [
        "| template | " + " | ".join(f"{group} {probe}" for group, probe in columns) + " |",
        "|---|" + "---:|" * len(columns),
    ]
    for template in templates:
        lines.append(
            f"| {template} | " + " | ".join(f"{100 * found.accuracy[template][c]:.1f}" for c in columns) + " |"
        )
    values = [[100 * found.accuracy[t][c] for t in templates] for c in columns]
    lines.append("| **mean** | " + " | ".join(f"{statistics.fmean(v):.1f}" for v in values) + " |")
    lines.append("| **sd** | " + " | ".join(f"{statistics.pstdev(v):.1f}" for v in values) + " |")
    lines.append("| **range** | " + " | ".join(f"{max(v) - min(v):.1f}" for v in values) + " |")
    lines += ["", "| claim | holds | fails | inside the noise | |", "|---|---:|---:|---:|---|"]
    flips = found.flips()
    for claim, said in found.verdicts.items():
        counts = Counter(said.values())
        flag = "**flips**" if claim in flips else ""
        lines.append(f"| {claim} | {counts['holds']} | {counts['fails']} | {counts['inside the noise']} | {flag} |")
    return "\n".join(lines) + "\n"
