"""Ways of asking a model that suites share: `choose`, `likelihood`, `direct`, as ready solvers."""

from proband.core.suite import DIRECT
from proband.solvers.choose import CHOOSE
from proband.solvers.likelihood import LIKELIHOOD

__all__ = ["CHOOSE", "DIRECT", "LIKELIHOOD"]
