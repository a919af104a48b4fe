"""The paper's findings as statements that each model confirms or refutes.

Relations are the unit: a claim about probes compares the two probes relation by relation (sign-flip test), one about
groups of relations permutes the relations. A claim `holds` if the difference has its sign at p < 0.05, `fails` if it
has the other sign at p < 0.05, and is `inside the noise` otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from proband.core.stats import paired_test
from proband.suites.analogy.frequency import Effect
from proband.suites.analogy.published import marked
from proband.suites.analogy.results import Cell

ALPHA = 0.05
NOISE = "inside the noise"


@dataclass(frozen=True)
class Verdict:
    """What came of one claim for one model and setting. `difference` is in points of accuracy (or a share)."""

    claim: str
    model: str
    setting: str
    verdict: str
    difference: float | None
    p: float | None
    evidence: str
    paper: str  # where the paper says so


def all_claims(cells: Sequence[Cell], *, seed: int) -> list[Verdict]:
    """Every claim that needs accuracies only, for every model and setting present."""
    found: list[Verdict] = []
    for model in dict.fromkeys(cell.model for cell in cells):
        for setting in ("supervised", "zero-shot"):
            own = [c for c in cells if (c.model, c.setting) == (model, setting)]
            if own:
                found += probe_claims(own, seed=seed)
                found += group_claims(own, seed=seed)
    found += between_models(cells, seed=seed)
    return found


def probe_claims(own: Sequence[Cell], *, seed: int) -> list[Verdict]:
    model, setting = own[0].model, own[0].setting
    unmarked = [cell for cell in own if cell.relation not in marked()]
    found = [
        compare_probes("random is harder than reverse", own, "reverse", "random", "section 3.2", seed=seed),
        compare_probes("random is harder than type", own, "type", "random", "section 3.2", seed=seed),
        compare_probes("reverse is above type", own, "reverse", "type", "section 4", seed=seed),
    ]
    if len(unmarked) < len(own):
        for other in ("reverse", "type"):
            name = f"random is harder than {other} without the marked relations"
            found.append(compare_probes(name, unmarked, other, "random", "section 4", seed=seed))
    return [v for v in found if v is not None and (v.model, v.setting) == (model, setting)]


def compare_probes(
    claim: str, cells: Sequence[Cell], above: str, below: str, paper: str, *, seed: int
) -> Verdict | None:
    mean = {(cell.relation, cell.probe): cell.mean for cell in cells}
    both = [r for r in dict.fromkeys(c.relation for c in cells) if (r, above) in mean and (r, below) in mean]
    if len(both) < 2:
        return None
    test = paired_test(
        [mean[r, above] for r in both], [mean[r, below] for r in both], clusters=[(r,) for r in both], seed=seed
    )
    evidence = f"{above} minus {below}, {len(both)} relations"
    return Verdict(
        claim, cells[0].model, cells[0].setting, sign(test.difference, test.p), test.difference, test.p, evidence, paper
    )


def group_claims(own: Sequence[Cell], *, seed: int) -> list[Verdict]:
    """Semantic against morphological, marked against the rest."""

    def is_semantic(cell: Cell) -> bool:
        return cell.group in ("ES", "LS")

    found = []
    for probe in ("random", "reverse", "type"):
        here = [c for c in own if c.probe == probe]
        low, high = [c.mean for c in here if is_semantic(c)], [c.mean for c in here if not is_semantic(c)]
        name = f"semantic relations are harder than morphological ones ({probe})"
        found.append(compare_groups(name, own[0], high, low, "morphological minus semantic", "section 3.2", seed=seed))
    here = [c for c in own if c.probe == "random" and is_semantic(c)]
    low, high = [c.mean for c in here if c.relation in marked()], [c.mean for c in here if c.relation not in marked()]
    name = "one/many-to-many relations are poor in random (among the semantic ones)"
    found.append(compare_groups(name, own[0], high, low, "one-to-one minus to-many", "section 4", seed=seed))
    return [v for v in found if v is not None]


def compare_groups(
    claim: str, of: Cell, high: Sequence[float], low: Sequence[float], evidence: str, paper: str, *, seed: int
) -> Verdict | None:
    if not high or not low:
        return None
    difference, p = permutation(high, low, seed=seed)
    told = f"{evidence}, {len(high)} and {len(low)} relations"
    return Verdict(claim, of.model, of.setting, sign(difference, p), difference, p, told, paper)


def permutation(a: Sequence[float], b: Sequence[float], *, seed: int, draws: int = 5000) -> tuple[float, float]:
    """Difference of means, and its two-sided p-value over random exchanges of the labels.

    >>> permutation([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], seed=0)[0]
    1.0
    """
    values, n = np.array([*a, *b]), len(a)
    observed = float(np.mean(a) - np.mean(b))
    rng = np.random.default_rng(seed)
    mixed = rng.permuted(np.tile(values, (draws, 1)), axis=1)
    differences = mixed[:, :n].mean(axis=1) - mixed[:, n:].mean(axis=1)
    return observed, float((np.sum(np.abs(differences) >= abs(observed) - 1e-12) + 1) / (draws + 1))


def between_models(cells: Sequence[Cell], *, seed: int) -> list[Verdict]:
    """Zero-shot, static vectors stand above language models on reverse and type, and below on random (section 3.2)."""
    kinds = {cell.model: kind_of(cell.model) for cell in cells}
    found = []
    for vectors in (m for m, kind in kinds.items() if kind == "vectors"):
        for other in (m for m, kind in kinds.items() if kind == "language model"):
            for probe, sense in (("random", "below"), ("reverse", "above"), ("type", "above")):
                mean = {(c.model, c.relation): c.mean for c in cells if c.setting == "zero-shot" and c.probe == probe}
                both = [r for m, r in mean if m == vectors and (other, r) in mean]
                if len(both) < 2:
                    continue
                one, two = [mean[vectors, r] for r in both], [mean[other, r] for r in both]
                high, low = (one, two) if sense == "above" else (two, one)
                test = paired_test(high, low, clusters=[(r,) for r in both], seed=seed)
                name = f"static vectors are {sense} a language model in zero-shot {probe}"
                told = f"{vectors} and {other}, {len(both)} relations"
                found.append(
                    Verdict(
                        name,
                        f"{vectors} / {other}",
                        "zero-shot",
                        sign(test.difference, test.p),
                        test.difference,
                        test.p,
                        told,
                        "section 3.2",
                    )
                )
    return found


def kind_of(model: str) -> str:
    """By the model's name, which is all a table keeps of it."""
    kind, _, rest = model.partition(":")
    if kind == "vec" or (kind == "embedded" and "glove" in rest):
        return "vectors"
    return "language model" if kind in ("hf", "embedded", "openai") and "minilm" not in rest else "other"


def frequency_claim(effects: Sequence[Effect], *, model: str, setting: str) -> Verdict | None:
    """The paper: "for most relation types (over two thirds), p-values are higher than 0.05"."""
    tested = [e for e in effects if e.p is not None]
    if not tested:
        return None
    raw = sum((e.p or 0) < ALPHA for e in tested)
    corrected = sum((e.p_holm or 0) < ALPHA for e in tested)
    by_tuple = sum(e.p_tuples_holm is not None and e.p_tuples_holm < ALPHA for e in tested)
    quiet = 1 - raw / len(tested)
    evidence = (
        f"p < 0.05 in {raw} of {len(tested)} relations, {corrected} after Holm; by tuple {by_tuple} after Holm; "
        f"median |delta| {float(np.median([abs(e.delta or 0) for e in tested])):.2f}"
    )
    told = "holds" if quiet > 2 / 3 else "fails"
    return Verdict("frequency explains little (random)", model, setting, told, quiet, None, evidence, "section 4")


def sign(difference: float, p: float) -> str:
    """
    >>> sign(0.1, 0.01), sign(-0.1, 0.01), sign(0.1, 0.4)
    ('holds', 'fails', 'inside the noise')
    """
    if p >= ALPHA or difference == 0:
        return NOISE
    return "holds" if difference > 0 else "fails"


def markdown(verdicts: Iterable[Verdict]) -> str:
    rows = [
        "| claim | model | setting | verdict | difference | p | evidence | paper |",
        "|---|---|---|---|---:|---:|---|---|",
    ]
    for v in verdicts:
        difference = "–" if v.difference is None else f"{100 * v.difference:+.1f}"
        p = "–" if v.p is None else f"{v.p:.4f}"
        rows.append(
            f"| {v.claim} | {v.model} | {v.setting} | {v.verdict} | {difference} | {p} | {v.evidence} | {v.paper} |"
        )
    return "\n".join(rows) + "\n"
