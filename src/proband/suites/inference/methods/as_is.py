"""Models that take items as they are, after rules where some are named; `solver:rules` is rules alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from proband.core.errors import ProbandError
from proband.core.options import Meta
from proband.core.protocols import AnswersItems
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.suites.inference.methods.combination import RuleOptions, after_rules


class Rules:
    """`solver:rules`: what no rule accepts is not entailed."""

    name = "solver:rules"

    def identity(self) -> Mapping[str, str]:
        return {"kind": "inference", "name": "rules"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [Answer(item_id=item.id, scores=(-1.0, 0.0)) for item in items]


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(RuleOptions):
    """Of relation embeddings also the similarity in context."""

    context: Annotated[
        str,
        Meta(description="relation embeddings in the context of their arguments: none, add, bal-add, mult, bal-mult"),
    ] = "none"


def solve(items: Sequence[Item], model: Any, *, seed: int, options: ReadingOptions) -> list[Answer]:
    if isinstance(model, Rules) and not options.any:
        raise ProbandError("solver:rules needs rules: --set on-lemma=yes, --set graph=FILE or --set ppdb=FILE")
    if options.context != "none":
        if not hasattr(model, "in_context"):
            raise ProbandError(f"'context' is of relation embeddings; {model.name} has none")
        model = model.in_context(options.context)
    return after_rules(items, model.answer(items), options)


DIRECT = Solver(
    name="direct",
    help="baselines, rules and relation embeddings read items directly",
    needs=AnswersItems,
    solve=solve,
    options=ReadingOptions,
)
