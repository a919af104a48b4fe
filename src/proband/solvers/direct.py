"""Solver `direct`: models that read items by themselves (baselines, symbolic solvers, a suite's own networks)."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.options import NoOptions
from proband.core.protocols import AnswersItems
from proband.core.suite import Solver
from proband.core.types import Answer, Item


def solve(items: Sequence[Item], model: AnswersItems, *, seed: int, options: NoOptions) -> Sequence[Answer]:
    return model.answer(items)


DIRECT = Solver(
    name="direct", help="baselines, symbolic solvers and networks read items directly", needs=AnswersItems, solve=solve
)
