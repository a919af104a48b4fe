"""`proband build kinship`: what to make, in how many processes, and what the manifest says of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.types import Built
from proband.suites.kinship.generate import hold_outs as splits
from proband.suites.kinship.generate.plan import TASKS, Cell, Plan
from proband.suites.kinship.generate.rounds import SAMPLE
from proband.suites.kinship.generate.workers import stream
from proband.suites.kinship.world.families import Shape
from proband.suites.kinship.world.rules import load

LICENCE = "Apache-2.0 (rules, templates, names and stories are Proband's own)"
CROWDS = "CC BY-NC 4.0 (the templates are CLUTRR's; rules, names and certificates Proband's own, Apache-2.0)"
ONES_OWN = "that of the templates in {bank} (rules, names and certificates are Proband's own, Apache-2.0)"


def parse_range(text: str | int, name: str = "k") -> tuple[int, ...]:
    """
    >>> parse_range("2..5"), parse_range("2,4,10"), parse_range(3)
    ((2, 3, 4, 5), (2, 4, 10), (3,))
    """
    numbers: list[int] = []
    try:
        for part in str(text).split(","):
            low, dots, high = part.partition("..")
            numbers += range(int(low), int(high) + 1) if dots else [int(low)]
    except ValueError:
        raise ProbandError(f"{name!r} is {text!r}; write it like 2,3,4 or 2..10") from None
    if not numbers or min(numbers) < 0:
        raise ProbandError(f"{name!r} is {text!r}, which names no length")
    return tuple(dict.fromkeys(numbers))


def build(
    *,
    seed: int,
    task: str = "clean",
    k: str | int = "2,3,4",
    per_k: int = 100,
    test_k: str | int | None = None,
    test_per_k: int | None = None,
    hold_out: str = "",
    held_paraphrases: float = 0.2,
    held_clauses: float = 0.1,
    held_names: float = 0.2,
    rules: str = "sound",
    certify: str = "sample",
    labels: str = "balanced",
    max_per_clause: int | None = None,
    noise_size: str | int = "2",
    question: str = "choice",
    form: str = "story",
    brackets: bool = False,
    anonymise: bool = False,
    bank: str = "proband",
    revisit: bool = False,
    families: int = 12,
    levels: int = 3,
    children: str | int = "1..4",
    marry: float = 0.8,
    inlaws: float = 0.6,
    founders: int = 2,
    workers: int = 1,
    data: Path | None = None,
) -> Built:
    """Stories as items; see the options of the suite for each argument."""
    if data is not None:
        from proband.suites.kinship.generate import released_rows as given

        defaults = build.__kwdefaults__ or {}
        options = {name: value for name, value in locals().items() if name in defaults}
        return given.build(data, seed=seed, given=options, defaults=defaults)
    held = splits.parse_hold_out(hold_out)
    brood, size = parse_range(children, "children"), parse_range(noise_size, "noise-size")
    plan = Plan(
        seed=seed,
        cells=_cells(task, k, per_k, test_k=test_k, test_per_k=test_per_k, held=held),
        rules=rules,
        shape=Shape(levels=levels, children=(min(brood), max(brood)), marry=marry, inlaws=inlaws, founders=founders),
        families=families,
        size=(min(size), max(size)),
        revisit=revisit,
        labels=labels,
        hold_out=held,
        paraphrases=held_paraphrases,
        clauses=held_clauses,
        held_names=held_names,
        bank=bank,
        form=form,
        question=question,
        brackets=brackets,
        anonymise=anonymise,
        certify=certify,
    )
    _check(plan, workers=workers, max_per_clause=max_per_clause)
    tally = splits.Tally()
    return Built(
        items=stream(plan, tally, workers=workers, most=max_per_clause),
        licence=_licence(plan),
        summary=lambda: _summary(plan, tally),
    )


def _cells(
    task: str, k: str | int, per_k: int, *, test_k: str | int | None, test_per_k: int | None, held: tuple[str, ...]
) -> tuple[Cell, ...]:
    tasks, lengths = [part.strip() for part in task.split(",")], parse_range(k)
    if wrong := next((name for name in tasks if name not in TASKS), None):
        raise ProbandError(f"no task {wrong!r}; there are {', '.join(TASKS)}")
    if per_k < 1:
        raise ProbandError(f"'per-k' is {per_k}; it must be at least 1")
    if not held and not test_per_k and test_k is None:
        return tuple(Cell(split="", task=t, k=n, count=per_k) for t in tasks for n in lengths)
    longer = f"{max(lengths) + 1}..{max(10, max(lengths) + 1)}"
    test = parse_range(test_k if test_k is not None else longer if "lengths" in held else k, "test-k")
    if "lengths" in held and min(test) <= max(lengths):
        raise ProbandError(
            f"'hold-out' lengths: test stories of {min(test)} facts are not longer than all training ones"
        )
    count = min(per_k, 100) if test_per_k is None else test_per_k
    train = [Cell(split=splits.TRAIN, task=t, k=n, count=per_k) for t in tasks for n in lengths]
    return (*train, *(Cell(split=splits.TEST, task=t, k=n, count=count) for t in tasks for n in test if count))


def _check(plan: Plan, *, workers: int, max_per_clause: int | None) -> None:
    """Fail at once, in a sentence, for what cannot be built."""
    rules = load(plan.rules)
    kinds = {cell.task for cell in plan.cells}
    shortest = min((cell.k for cell in plan.cells if cell.task != "memory"), default=2)
    if shortest < 2 or any(cell.k < 1 for cell in plan.cells):
        raise ProbandError(f"'k' is {shortest}; a story whose answer is not told has at least 2 facts")
    if plan.size[0] < 2 and kinds & {"supporting", "all", "mixed"}:
        raise ProbandError("'noise-size' is 1; a supporting path has at least 2 facts, or it would be a short cut")
    if plan.size[0] < 1 or workers < 1 or (max_per_clause is not None and max_per_clause < 1):
        raise ProbandError("'noise-size', 'workers' and 'max-per-clause' must be at least 1")
    if plan.families < 2:
        raise ProbandError(f"'families' is {plan.families}; disconnected people need a second one")
    if rules.world != "family" and (plan.certify == "full" or plan.revisit):
        raise ProbandError(
            f"rule base {rules.name!r} has no families: 'certify' full and 'revisit' need world = \"family\""
        )
    for name, share in (("paraphrases", plan.paraphrases), ("clauses", plan.clauses), ("names", plan.held_names)):
        if not 0 < share < 1:
            raise ProbandError(f"'held-{name}' is {share}; a share lies between 0 and 1")
    if "paraphrases" in plan.hold_out and (plan.form != "story" or rules.world != "family"):
        raise ProbandError("'hold-out' paraphrases needs --form story and the family world: nothing else has any")
    if plan.anonymise and "names" in plan.hold_out:
        raise ProbandError("'hold-out' names and 'anonymise' exclude each other")
    if plan.form == "story" and rules.world == "family" and plan.bank != "proband":
        from proband.suites.kinship.telling.bank_sources import checked_bank

        checked_bank(plan.bank)


def _licence(plan: Plan) -> str:
    if plan.form != "story" or plan.bank == "proband":
        return LICENCE
    return CROWDS if plan.bank.startswith("clutrr:") else ONES_OWN.format(bank=plan.bank)


# ---- the manifest --------------------------------------------------------------------------------------------------


def _summary(plan: Plan, tally: splits.Tally) -> Mapping[str, Any]:
    """Counts, priors and majority accuracy, genders, clauses, certificates, and the leak report of a split."""
    total = tally.targets.total()
    cells = tally.priors()
    return {
        "counts": {name: cell["items"] for name, cell in cells.items()},
        "majority_accuracy": {name: cell["majority_accuracy"] for name, cell in cells.items()},
        "priors": {name: cell["priors"] for name, cell in cells.items()},
        "genders": tally.shares(tally.genders),
        "clauses": {"distinct": len(tally.clauses), "most_common": dict(tally.clauses.most_common(5))},
        "certificates": {
            "by_closure": tally.verdicts["entailed"],
            "by_search": tally.searched,
            "share_searched": round(tally.searched / total, 6) if total else 0.0,
            "sampled_one_in": SAMPLE if plan.certify == "sample" else None,
            **{name: count for name, count in sorted(tally.verdicts.items()) if name != "entailed"},
        },
        **({"leaks": tally.leaks(plan.hold_out)} if any(cell.split for cell in plan.cells) else {}),
    }
