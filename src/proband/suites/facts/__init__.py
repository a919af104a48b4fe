"""Suite `facts`: does a model know the relation at all? Facts to recall, in several wordings.

relations.py   facts, answers, wordings
sources.py     BEAR, LAMA, tables; the facts that ship
build.py       facts -> items
recall.py      sentences scored, the prior, vectors, replies; accuracy, consistency
variations.py  another wording, the question turned round
"""

from __future__ import annotations

from proband.core.suite import Claim, Contrast, Demo, Suite, Table
from proband.core.types import Item
from proband.suites.facts.build import BuildOptions, build
from proband.suites.facts.recall import METRICS, SOLVERS


def check(item: Item) -> str | None:
    """The first error in an item's facts, or None."""
    for name in ("subject", "object", "prompts", "wordings"):
        if not item.facts.get(name):
            return f"'facts' must have {name!r}"
    if item.gold is None or item.choices[item.gold] != item.facts["object"]:
        return "the right choice must be the 'object' of 'facts'"
    return None


def show(item: Item) -> str:
    """
    >>> facts = {"subject": "France", "object": "Paris", "prompts": ["The capital of France is ___."]}
    >>> print(show(Item(id="a", suite="facts", prompt="", choices=("Paris", "Rome"), gold=0, facts=facts)))
    The capital of France is ___.
    right: Paris
    among: Paris, Rome
    """
    return "\n".join([*item.facts["prompts"], f"right: {item.facts['object']}", f"among: {', '.join(item.choices)}"])


SMOLLM2 = {"run.model": "embedded:smollm2"}
SUITE = Suite(
    name="facts",
    question="Does it know a fact (the capital of France is ___), however the question is worded?",
    cites="after Petroni et al. 2019 (LAMA), Elazar et al. 2021 (ParaRel) and Wiland et al. 2024 (BEAR)",
    build=build,
    options=BuildOptions,
    solvers=SOLVERS,
    metrics=METRICS,
    tables=(
        Table(name="overall", title="Facts recalled"),
        Table(
            name="facts",
            title="Facts recalled, with and without those whose subject names the answer",
            columns=("leak",),
        ),
        Table(name="relations", title="Facts recalled, by relation", rows=("relation",)),
        Table(name="cardinality", title="Facts recalled, by how many subjects an object has", columns=("cardinality",)),
        Table(name="known", title="Recalled in every wording", rows=("relation",), metric="known"),
        Table(name="consistency", title="Same answer in two wordings", columns=("cardinality",), metric="consistency"),
    ),
    check=check,
    show=show,
    variations="proband.suites.facts.variations:VARIATIONS",
    tag_titles={"leak": "the subject names the object"},
    demo=(
        Demo(
            options={"per_relation": 4, "wordings": 1},
            runs=(
                ("embedded:smollm2", "likelihood"),
                ("embedded:smollm2", "prior"),
                ("embedded:glove", None),
                ("baseline:majority", None),
            ),
            of_models={"embedded:smollm2": {"limit": 16}},
            findings=(
                Claim(
                    statement="SmolLM2 recalls more facts than it guesses without their subject.",
                    source="The solver prior asks without the subject, so its score is not knowledge.",
                    contrasts=(
                        Contrast(
                            above={**SMOLLM2, "run.solver": "likelihood"},
                            below={**SMOLLM2, "run.solver": "prior"},
                            pair="item",
                        ),
                    ),
                    per=(),
                ),
            ),
        ),
    ),
)
