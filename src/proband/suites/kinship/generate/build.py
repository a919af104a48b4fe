"""`proband build kinship`: a plan, its stories as lines of items.jsonl, and what the manifest says of them.

A story comes about in five files: options.py (which stories), rounds.py (one after the other), story_logic.py (its
facts and proof), wording.py (its names and words), telling/stories.py (its sentences).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband.core.suite import Built
from proband.suites.kinship.generate.options import LICENCE, BuildOptions, Plan, make_plan
from proband.suites.kinship.generate.rounds import SAMPLE, Tally, lines_of, shares
from proband.suites.kinship.telling.crowd_templates import bank_licence
from proband.suites.kinship.world.rules import SHIPPED

REST = "the rest is Proband's own, Apache-2.0"
ENOUGH, UNEVEN = 44, 0.15  # a balanced cell of so many stories has no label as common as this


def build(options: BuildOptions, *, seed: int) -> Built:
    """Stories as items, or with `data` CLUTRR's rows as items, or with `release` a frozen set."""
    if options.data is not None:
        from proband.suites.kinship.generate.released_rows import build_released

        return build_released(options, options.data, seed=seed)
    if options.release is not None:
        from proband.suites.kinship.generate.release import build_release

        return build_release(options, seed=seed)
    plan, tally = make_plan(options, seed=seed), Tally()
    return Built(
        items=lines_of(plan, plan.cells, tally), licence=_licence(options), summary=lambda: _summary(plan, tally)
    )


def _licence(options: BuildOptions) -> str:
    """Of what the items are made from: the templates' and the rules', where they are not ours.

    >>> _licence(BuildOptions(rules="mine/office.toml"))
    "that of the rules in office.toml (the rest is Proband's own, Apache-2.0)"
    """
    foreign = [] if options.rules in SHIPPED else [f"the rules in {Path(options.rules).name}"]
    bank = options.bank if options.form == "story" else "proband"
    if bank.startswith("clutrr:"):
        folder = Path(bank.removeprefix("clutrr:"))
        own = bank_licence(folder)
        templates = f"{own} (the templates in {folder.name}" if own else "CC BY-NC 4.0 (the templates are CLUTRR's"
        return "; ".join([templates, *foreign]) + f"; {REST})"
    if bank != "proband":
        foreign.append(f"the templates in {Path(bank).name}")
    return f"that of {' and '.join(foreign)} ({REST})" if foreign else LICENCE


def _summary(plan: Plan, tally: Tally) -> Mapping[str, Any]:
    """Counts, priors and majority accuracy, genders, clauses, certificates, and the leak report of a split."""
    total = tally.targets.total()
    cells = tally.priors()
    warnings = [
        f"{name}: {cell['majority_accuracy']:.0%} of the stories have one label; hold out fewer clauses"
        for name, cell in cells.items()
        if plan.options.labels == "balanced" and cell["items"] >= ENOUGH and cell["majority_accuracy"] > UNEVEN
    ]
    return {
        **({"warnings": warnings} if warnings else {}),
        "counts": {name: cell["items"] for name, cell in cells.items()},
        "majority_accuracy": {name: cell["majority_accuracy"] for name, cell in cells.items()},
        "priors": {name: cell["priors"] for name, cell in cells.items()},
        "genders": shares(tally.genders),
        "clauses": {"distinct": len(tally.clauses), "most_common": dict(tally.clauses.most_common(5))},
        "certificates": {
            "by_closure": tally.verdicts["entailed"],
            "by_search": tally.searched,
            "share_searched": round(tally.searched / total, 6) if total else 0.0,
            "sampled_one_in": SAMPLE if plan.options.certify == "sample" else None,
            **{name: count for name, count in sorted(tally.verdicts.items()) if name != "entailed"},
        },
        **({"leaks": tally.leaks(plan.hold_out)} if any(cell.part for cell in plan.cells) else {}),
    }
