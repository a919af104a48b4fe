"""Which method a run is: the rules that come first, and what scores the rest."""

from __future__ import annotations

from dataclasses import dataclass

from proband.core.types import Run

LEMMA, GRAPH, TYPED, PPDB = "lemma", "graph", "typed graph", "PPDB"
WORDS, RELATIONS = "word embeddings", "relation embeddings"


@dataclass(frozen=True)
class Method:
    """`rules` in the order in which they come, `base` what scores the rest ("" for rules alone), `how` its setting."""

    rules: tuple[str, ...]
    base: str
    kind: str = ""  # of the base: word embeddings, relation embeddings, or the solver's name
    how: str = ""
    chosen: int | None = None  # how many pairs were asked, of a sample

    @property
    def name(self) -> str:
        """What a reader calls it."""
        base = f"{self.base} ({self.how})" if self.how else self.base
        return ", ".join([*self.rules, *([base] if base else [])])

    @property
    def beside(self) -> tuple[str, str]:
        """What two runs of one base have in common, whatever the rules."""
        return self.base, self.how


def method_of(run: Run, label: str) -> Method:
    """
    >>> run = Run(suite="inference", solver="direct", model="net:relations", seed=0, items_sha="",
    ...           settings={"on-lemma": True, "graph": "a/b.tsv", "context": "add"}, net={"net": "relations"})
    >>> method_of(run, "net:relations · context=add").name
    'lemma, graph, net:relations (add)'
    """
    said = run.settings
    if run.model == "solver:lemma":
        return Method((LEMMA,), "")
    rules = [name for name, key in ((LEMMA, "on-lemma"), (GRAPH, "graph"), (PPDB, "ppdb")) if used(said.get(key))]
    if GRAPH in rules and said.get("typed"):
        rules[rules.index(GRAPH)] = TYPED
    named = 1 if run.solver == "direct" else 2  # model and solver
    base = "" if run.model == "solver:rules" else " · ".join(label.split(" · ")[:named])
    kind = {"words": WORDS}.get(run.solver, RELATIONS if run.net.get("net") == "relations" else run.solver)
    how = said.get("context", "none") if kind == RELATIONS else said.get("score", "")
    sample = said.get("asked") if "limit" in said else None
    return Method(tuple(rules), base, kind if base else "", "" if how == "none" else str(how), sample)


def used(value: object) -> bool:
    return bool(value) and value != "none"
