"""Ways of asking a model that suites share: `choose`, `likelihood`, `direct`, as ready solvers."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.options import NoOptions
from proband.core.protocols import AnswersItems
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.solvers.choose import CHOOSE
from proband.solvers.likelihood import LIKELIHOOD

__all__ = ["CHOOSE", "DIRECT", "LIKELIHOOD"]


def solve_directly(items: Sequence[Item], model: AnswersItems, *, seed: int, options: NoOptions) -> Sequence[Answer]:
    return model.answer(items)


DIRECT = Solver(
    name="direct",
    help="baselines, symbolic solvers and networks read items directly",
    needs=AnswersItems,
    solve=solve_directly,
)
