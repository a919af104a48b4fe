"""The paper's findings as tests that each model confirms, refutes or leaves open.

Relations are the unit: a claim about probes compares the two probes relation by relation, one about kinds of relations
compares two groups of relations, and one about two models compares them relation by relation.
"""

from __future__ import annotations

from collections.abc import Mapping

from proband.core.suite import Claim, Contrast, Where
from proband.suites.analogy.paper.frequency import BY_ITEM, BY_TUPLE
from proband.suites.analogy.probes import PAPER_PROBES

UNMARKED: Mapping[str, str] = {"marked": "unmarked"}
EACH = ("run.model", "setting")  # asked of every model in each setting


def _probes(above: str, below: str, where: Where | None = None) -> tuple[Contrast, ...]:
    return (Contrast(above={"paper_probe": above}, below={"paper_probe": below}, where=where or {}, pair="relation"),)


def _models(above: str, below: str, probe: str) -> tuple[Contrast, ...]:
    """Two solvers on the zero-shot items of a probe: every run of the one with every run of the other."""
    where = {"paper_probe": probe, "setting": "zero-shot"}
    return (Contrast(above={"run.solver": above}, below={"run.solver": below}, where=where, pair="relation"),)


CLAIMS = (
    Claim(
        statement="random is harder than reverse",
        source="section 3.2, supervised",
        contrasts=_probes("reverse", "random"),
        per=EACH,
    ),
    Claim(
        statement="random is harder than type",
        source="section 3.2, supervised",
        contrasts=_probes("type", "random"),
        per=EACH,
    ),
    Claim(
        statement="type is harder than reverse",
        source="section 4, supervised",
        contrasts=_probes("reverse", "type"),
        per=EACH,
    ),
    *(
        Claim(
            statement=f"random is harder than {other} without the relations that the paper marks",
            source="section 4, supervised",
            contrasts=_probes(other, "random", UNMARKED),
            per=EACH,
        )
        for other in ("reverse", "type")
    ),
    *(
        Claim(
            statement=f"semantic relations are harder than morphological ones ({probe})",
            source="section 3.2, both settings",
            contrasts=(
                Contrast(
                    above={"kind": "morphological"},
                    below={"kind": "semantic"},
                    where={"paper_probe": probe},
                    unit="relation",
                ),
            ),
            per=EACH,
        )
        for probe in PAPER_PROBES
    ),
    Claim(
        statement="one/many-to-many relations are harder than the others in random (semantic relations)",
        source="section 4, table 2, supervised",
        contrasts=(
            Contrast(
                above=UNMARKED,
                below={"marked": "marked"},
                where={"paper_probe": "random", "kind": "semantic"},
                unit="relation",
            ),
        ),
        per=EACH,
    ),
    Claim(
        statement="bidirectional relations are harder than the others in reverse (semantic relations)",
        source="section 4, table 2, supervised",
        contrasts=(
            Contrast(
                above={"bidirectional": "one way"},
                below={"bidirectional": "both ways"},
                where={"paper_probe": "reverse", "kind": "semantic"},
                unit="relation",
            ),
        ),
        per=EACH,
    ),
    Claim(
        statement="static vectors are below a language model in random",
        source="section 3.2, zero-shot",
        contrasts=_models("pppl", "difference", "random"),
        per=(),
    ),
    *(
        Claim(
            statement=f"static vectors are above a language model in {probe}",
            source="section 3.2, zero-shot",
            contrasts=_models("difference", "pppl", probe),
            per=(),
        )
        for probe in ("reverse", "type")
    ),
    Claim(
        statement="for over two thirds of the relations frequency does not tell right from wrong answers in random",
        source="section 4, supervised",
        test=BY_ITEM,
    ),
    Claim(
        statement="the same by tuple: frequency does not tell tuples that are often answered rightly from the others",
        source="section 4, with a test whose units are independent",
        test=BY_TUPLE,
    ),
)
